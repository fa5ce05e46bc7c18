//! Generated histories are what they are said to be: for the checker, and after they were written and read back.

use std::time::Duration;

use linchpin_check::{Limits, Verdict};
use linchpin_history::generate::{Generated, Known, Options, Values, generate};
use linchpin_history::models::Model;
use linchpin_history::{ReadOptions, read, write_json_lines};

fn each(check: impl Fn(&Options, Generated)) {
    for (model, _) in Model::all() {
        for seed in 0..8 {
            for violate in [false, true] {
                let options = Options {
                    model: model.name.into(),
                    // Few enough for the general search, which the violations of stacks and deques need.
                    operations: 120,
                    processes: 3,
                    seed,
                    violate,
                    values: if seed.is_multiple_of(2) { Values::Distinct } else { Values::Few(20) },
                    pending: if seed % 4 < 2 { 0.0 } else { 0.01 },
                    ..Options::default()
                };
                if let Ok(generated) = generate(&options) {
                    check(&options, generated);
                }
            }
        }
    }
}

#[test]
fn the_checker_agrees() {
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    each(|options, Generated { recording, model, verdict }| {
        let checked = model.check(&recording, &limits).unwrap();
        match (&checked, &verdict) {
            (Verdict::Linearizable(witness), Known::Linearizable(hidden)) => {
                assert_eq!(model.verify(&recording, witness).unwrap(), Ok(()), "{options:?}");
                assert_eq!(model.verify(&recording, hidden).unwrap(), Ok(()), "{options:?}");
            }
            (Verdict::Violation(_), Known::Violation(_)) => {}
            (Verdict::Unknown(_), _) => println!("not decided: {options:?}"),
            _ => panic!("{options:?}: {checked:?}, but {verdict:?}"),
        }
    });
}

#[test]
fn they_survive_a_file() {
    each(|options, Generated { recording, .. }| {
        let mut file = Vec::new();
        write_json_lines(&recording.history, &mut file).unwrap();
        let copy = read(file.as_slice(), &ReadOptions::default()).unwrap();
        assert_eq!(copy.history.operations(), recording.history.operations(), "{options:?}");
        assert_eq!(copy.history.intervals(), recording.history.intervals());
        assert_eq!((copy.layout, copy.conventions), (recording.layout, recording.conventions));
        assert_eq!(copy.lines.iter().map(|lines| lines.call).collect::<Vec<_>>(), Vec::from_iter(1..=copy.lines.len()));
    });
}
