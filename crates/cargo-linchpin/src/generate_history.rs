//! `linchpin generate-history`: a history whose verdict is known.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use linchpin::command::Exit;
use linchpin_history::generate::{Known, Options, Values, generate};
use linchpin_history::write_json_lines;

use crate::arguments::GenerateHistory;

pub(crate) fn run(options: &GenerateHistory) -> Exit {
    let generated = generate(&Options {
        model: options.model.clone(),
        operations: options.operations,
        processes: options.processes,
        seed: options.seed,
        violate: options.violate,
        values: options.values.map_or(Values::Distinct, Values::Few),
        keys: options.keys,
        pending: options.pending,
        capacity: options.capacity,
        permits: options.permits,
    });
    let generated = match generated {
        Ok(generated) => generated,
        Err(error) => {
            eprintln!("error: {error}");
            return Exit::Unusable;
        }
    };
    let written = match &options.output {
        None => write_json_lines(&generated.recording.history, io::stdout().lock()),
        Some(path) => File::create(path).and_then(|file| {
            let mut file = BufWriter::new(file);
            write_json_lines(&generated.recording.history, &mut file)?;
            file.flush()
        }),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write the history: {error}");
            Exit::Unusable
        }
        _ => {
            let verdict = match generated.verdict {
                Known::Linearizable(_) => "linearizable",
                Known::Violation(_) => "not linearizable",
            };
            eprintln!("{} operations, {verdict}", generated.recording.history.len());
            Exit::Holds
        }
    }
}
