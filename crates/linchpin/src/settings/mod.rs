//! Defaults of a user's own: `linchpin.toml`, and the environment.

mod keys;
mod time;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, fmt, fs};

use linchpin_generate::Options;
use linchpin_model::MemoryModel;

use keys::{KEYS, Key};
pub use time::duration;

/// The file's name.
const FILE: &str = "linchpin.toml";

/// What is set in `linchpin.toml` or in the environment, and so differs from the defaults that are documented elsewhere.
///
/// The file is looked for in the directory of the crate that is tested (`CARGO_MANIFEST_DIR`), or else in the current one, and then
/// upwards; the first one counts. All of it may be missing:
///
/// ```toml
/// model = "sc"            # or "c11"
/// workers = 2             # 0 for one per core
/// max-executions = 100000 # of one exploration
/// max-time = "10s"
/// seed = 7
///
/// [check]
/// max-clients = 100
/// threads = 3             # up to
/// invocations = 6         # up to, in all threads together
/// values = 3
///
/// [hunt]
/// threads = 2
/// operations = 100        # in each thread
/// histories = 200
/// values = 4
/// ```
///
/// The environment goes before the file: `LINCHPIN_MODEL=c11`, `LINCHPIN_CHECK_MAX_CLIENTS=1000`. What a test says itself, as by
/// [`Builder::memory_model`](crate::Builder::memory_model), and what is given on the command line go before both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    // Nothing here owns memory: settings may be read for the first time by a test that is being explored, and memory that
    // such a test allocates does not outlive the execution.
    /// By whose rules reads see writes.
    pub model: Option<MemoryModel>,
    /// How many workers share an exploration.
    pub workers: Option<usize>,
    /// An exploration stops after so many executions.
    pub max_executions: Option<u64>,
    /// An exploration stops after this time.
    pub max_time: Option<Duration>,
    /// Chooses clients and schedules.
    pub seed: Option<u64>,
    /// How many clients are generated.
    pub max_clients: Option<usize>,
    /// Up to how many threads they have.
    pub threads: Option<usize>,
    /// Up to how many invocations they have in their threads.
    pub invocations: Option<usize>,
    /// How many values their arguments take.
    pub values: Option<usize>,
    /// How many threads long runs have.
    pub hunt_threads: Option<usize>,
    /// How many operations long runs have in each thread.
    pub hunt_operations: Option<usize>,
    /// How many long runs are made.
    pub hunt_histories: Option<usize>,
    /// How many values the arguments of long runs take.
    pub hunt_values: Option<usize>,
}

/// Something is set to what makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongSetting(String);

impl fmt::Display for WrongSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongSetting {}

impl Settings {
    /// Those that hold here. They are read once.
    ///
    /// # Panics
    ///
    /// If something is set to what makes no sense.
    pub fn here() -> &'static Settings {
        static HERE: OnceLock<Settings> = OnceLock::new();
        HERE.get_or_init(|| Settings::read().unwrap_or_else(|error| panic!("{error}")))
    }

    /// Reads file and environment.
    ///
    /// # Errors
    ///
    /// If something is set to what makes no sense.
    pub fn read() -> Result<Settings, WrongSetting> {
        let start = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).or_else(|| env::current_dir().ok());
        let file = start.as_deref().and_then(find);
        let text = match &file {
            Some(file) => fs::read_to_string(file)
                .map_err(|error| WrongSetting(format!("cannot read {}: {error}", file.display())))?,
            None => String::new(),
        };
        let mut settings = Settings::of_file(&file.unwrap_or_default().display().to_string(), &text)?;
        settings.set_from_environment(|name| env::var(name).ok())?;
        Ok(settings)
    }

    /// What the text of a file says.
    ///
    /// ```
    /// use linchpin::Settings;
    ///
    /// let settings = Settings::of_file("linchpin.toml", "seed = 7\n[check]\nvalues = 3\n")?;
    /// assert_eq!((settings.seed, settings.values), (Some(7), Some(3)));
    /// let error = Settings::of_file("linchpin.toml", "[check]\nvalue = 3\n").unwrap_err();
    /// assert_eq!(error.to_string(), "linchpin.toml: there is no setting `check.value`; did you mean `check.values`?");
    /// # Ok::<(), linchpin::WrongSetting>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it is not written as it should be, or something is set to what makes no sense.
    pub fn of_file(name: &str, text: &str) -> Result<Settings, WrongSetting> {
        let wrong = |message: String| WrongSetting(format!("{name}: {message}"));
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        let mut settings = Settings::default();
        for (name, value) in &table {
            match value {
                toml::Value::Table(section) => {
                    for (key, value) in section {
                        settings.set(&format!("{name}.{key}"), value).map_err(wrong)?;
                    }
                }
                value => settings.set(name, value).map_err(wrong)?,
            }
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &toml::Value) -> Result<(), String> {
        let key = KEYS.iter().find(|key| key.name == name).ok_or_else(|| keys::unknown(name))?;
        let (text, written) = match value {
            toml::Value::String(text) => (text.clone(), format!("{text:?}")),
            toml::Value::Integer(number) => (number.to_string(), number.to_string()),
            other => return Err(format!("{name} is a {}; expected a number or a text", other.type_str())),
        };
        (key.set)(self, &text).map_err(|error| format!("{name} = {written}: {error}"))
    }

    fn set_from_environment(&mut self, get: impl Fn(&str) -> Option<String>) -> Result<(), WrongSetting> {
        for Key { name, set } in KEYS {
            let name = keys::in_environment(name);
            if let Some(text) = get(&name).filter(|text| !text.is_empty()) {
                set(self, &text).map_err(|error| WrongSetting(format!("{name}={text}: {error}")))?;
            }
        }
        Ok(())
    }

    /// The kinds of clients that are generated in turn: one, if it is said what they look like.
    pub(crate) fn kinds(&self) -> Vec<Options> {
        match (self.threads, self.invocations, self.values) {
            (None, None, None) => vec![Options::default(), Options::one_against_many()],
            _ => vec![self.options()],
        }
    }

    /// What generated clients look like.
    pub(crate) fn options(&self) -> Options {
        options(Options::default(), self.threads, self.invocations, self.values)
    }
}

/// Options with some of them set.
pub(crate) fn options(
    usual: Options,
    threads: Option<usize>,
    invocations: Option<usize>,
    values: Option<usize>,
) -> Options {
    let up_to = |usual: std::ops::RangeInclusive<usize>, most: Option<usize>| match most {
        Some(most) => *usual.start().min(&most)..=most,
        None => usual,
    };
    Options {
        threads: up_to(usual.threads, threads),
        invocations: up_to(usual.invocations, invocations),
        values: values.unwrap_or(usual.values),
        ..usual
    }
}

/// The file that counts for a directory.
fn find(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|directory| directory.join(FILE)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_can_be_set_in_the_file_and_in_the_environment() {
        for Key { name, set } in KEYS {
            let value = match *name {
                "model" => "sc",
                "max-time" => "3s",
                _ => "3",
            };
            let mut expected = Settings::default();
            set(&mut expected, value).unwrap();
            assert_ne!(expected, Settings::default(), "{name} sets nothing");

            let text = match name.split_once('.') {
                Some((section, key)) => format!("[{section}]\n{key} = \"{value}\""),
                None => format!("{name} = \"{value}\""),
            };
            assert_eq!(Settings::of_file("file", &text), Ok(expected));

            let mut from_environment = Settings::default();
            let variable = keys::in_environment(name);
            from_environment.set_from_environment(|asked| (asked == variable).then(|| value.to_owned())).unwrap();
            assert_eq!(from_environment, expected);
        }
    }

    #[test]
    fn no_two_keys_set_the_same() {
        let set = |key: &Key| {
            let mut settings = Settings::default();
            let _ = (key.set)(&mut settings, "3").or_else(|_| (key.set)(&mut settings, "sc"));
            settings
        };
        for (number, key) in KEYS.iter().enumerate() {
            assert!(KEYS[..number].iter().all(|other| set(other) != set(key)), "{}", key.name);
        }
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let mut settings = Settings::of_file("file", "seed = 1\nworkers = 2").unwrap();
        settings.set_from_environment(|name| (name == "LINCHPIN_SEED").then(|| "9".into())).unwrap();
        assert_eq!((settings.seed, settings.workers), (Some(9), Some(2)));
    }

    #[test]
    fn what_makes_no_sense_says_where_and_what_would() {
        let error = |text| Settings::of_file("linchpin.toml", text).unwrap_err().to_string();
        assert_eq!(error("modle = \"sc\""), "linchpin.toml: there is no setting `modle`; did you mean `model`?");
        assert_eq!(error("model = \"tso\""), "linchpin.toml: model = \"tso\": expected sc or c11");
        assert_eq!(error("seed = -1"), "linchpin.toml: seed = -1: expected a number from 0 on");
        assert_eq!(error("seed = true"), "linchpin.toml: seed is a boolean; expected a number or a text");
        assert!(error("unicorn = 1").starts_with("linchpin.toml: there is no setting `unicorn`; there are `model`, "));
        assert!(error("seed =").starts_with("linchpin.toml: TOML parse error at line 1"), "{}", error("seed ="));
        let wrong = Settings::default().set_from_environment(|name| (name == "LINCHPIN_MODEL").then(|| "x86".into()));
        assert_eq!(wrong.unwrap_err().to_string(), "LINCHPIN_MODEL=x86: expected sc or c11");
    }

    #[test]
    fn the_nearest_file_upwards_counts() {
        let root = env::temp_dir().join(format!("linchpin-settings-{}", std::process::id()));
        let inner = root.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(root.join(FILE), "").unwrap();
        assert_eq!(find(&inner), Some(root.join(FILE)));
        fs::write(root.join("a").join(FILE), "").unwrap();
        assert_eq!(find(&inner), Some(root.join("a").join(FILE)));
        fs::remove_dir_all(root).unwrap();
    }
}
