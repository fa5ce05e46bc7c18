//! What can be set.

use linchpin_model::MemoryModel;

use super::{Settings, duration};

/// One setting.
pub(super) struct Key {
    /// As in the file, with its section.
    pub name: &'static str,
    /// Sets it to what a text says.
    pub set: fn(&mut Settings, &str) -> Result<(), String>,
}

pub(super) const KEYS: &[Key] = &[
    Key { name: "model", set: |settings, text| model(text).map(|model| settings.model = Some(model)) },
    Key { name: "workers", set: |settings, text| number(text, &mut settings.workers) },
    Key { name: "max-executions", set: |settings, text| number(text, &mut settings.max_executions) },
    Key { name: "max-time", set: |settings, text| duration(text).map(|time| settings.max_time = Some(time)) },
    Key { name: "seed", set: |settings, text| number(text, &mut settings.seed) },
    Key { name: "check.max-clients", set: |settings, text| number(text, &mut settings.max_clients) },
    Key { name: "check.threads", set: |settings, text| number(text, &mut settings.threads) },
    Key { name: "check.invocations", set: |settings, text| number(text, &mut settings.invocations) },
    Key { name: "check.values", set: |settings, text| number(text, &mut settings.values) },
    Key { name: "hunt.threads", set: |settings, text| number(text, &mut settings.hunt_threads) },
    Key { name: "hunt.operations", set: |settings, text| number(text, &mut settings.hunt_operations) },
    Key { name: "hunt.histories", set: |settings, text| number(text, &mut settings.hunt_histories) },
    Key { name: "hunt.values", set: |settings, text| number(text, &mut settings.hunt_values) },
];

/// The variable that sets it.
pub(super) fn in_environment(name: &str) -> String {
    format!("LINCHPIN_{}", name.to_uppercase().replace(['-', '.'], "_"))
}

/// That there is no such setting, and what could be meant.
pub(super) fn unknown(name: &str) -> String {
    let near = |key: &&Key| strsim::osa_distance(name, key.name) <= 1 + name.len() / 4;
    let nearest = KEYS.iter().filter(near).min_by_key(|key| strsim::osa_distance(name, key.name));
    match nearest {
        Some(key) => format!("there is no setting `{name}`; did you mean `{}`?", key.name),
        None => {
            let all: Vec<String> = KEYS.iter().map(|key| format!("`{}`", key.name)).collect();
            format!("there is no setting `{name}`; there are {}", all.join(", "))
        }
    }
}

fn model(text: &str) -> Result<MemoryModel, String> {
    use crate::command::{Choice, Model};
    Model::of_name(text).map(MemoryModel::from).ok_or_else(|| "expected sc or c11".into())
}

fn number<N: std::str::FromStr>(text: &str, setting: &mut Option<N>) -> Result<(), String> {
    *setting = Some(text.parse().map_err(|_| "expected a number from 0 on".to_owned())?);
    Ok(())
}
