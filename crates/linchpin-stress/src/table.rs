//! What has been seen, as text.

use std::time::Duration;

use crate::{Ended, Frequency, Seen, Stressed};

/// So many rows are shown.
const ROWS: usize = 30;

impl Stressed {
    /// How often each outcome was seen, those that are not admitted first; what to make of it above and below.
    pub fn table(&self) -> String {
        let mut text = self.headline();
        let rows: Vec<[String; 4]> = self.frequencies.iter().take(ROWS).map(|frequency| self.row(frequency)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(5);
        let (runs, share) = (width(0), width(1));
        if !rows.is_empty() {
            text.push_str(&format!("\n{:>runs$}  {:>share$}\n", "runs", "share"));
        }
        for [count, part, verdict, seen] in &rows {
            text.push_str(&format!("{count:>runs$}  {part:>share$}  {verdict:<9}  {seen}\n"));
        }
        match self.frequencies.len().saturating_sub(ROWS) {
            0 => {}
            more => text.push_str(&format!("and {} more\n", grouped(more as u64))),
        }
        text.push('\n');
        text.push_str(&self.conclusion());
        text
    }

    fn headline(&self) -> String {
        let threads = self.client.threads.len();
        let pinned = match self.pinned {
            0 => "none pinned".to_owned(),
            all if all == threads => "each pinned".to_owned(),
            some => format!("{some} pinned"),
        };
        format!(
            "{} as a client of {}, on native threads\n{} in {}, until {}; {} on {}, {pinned}\n",
            self.client,
            self.object,
            counted(self.runs, "run"),
            seconds(self.elapsed),
            match &self.ended {
                Ended::Runs => "all were done".to_owned(),
                Ended::Time => "the time was over".to_owned(),
                Ended::Interrupted => "it was interrupted".to_owned(),
                Ended::Stuck(stuck) => format!("{} did not come back", counted(stuck.len() as u64, "thread")),
            },
            counted(threads as u64, "thread"),
            counted(self.cores as u64, "core"),
        )
    }

    fn row(&self, frequency: &Frequency) -> [String; 4] {
        let verdict = if frequency.admitted { "admitted" } else { "forbidden" };
        let seen = match &frequency.seen {
            Seen::Returned(outcome) => outcome.to_string(),
            Seen::Panicked(panics) => {
                let says = |panic: &crate::Panic| format!("{} panics: {}", self.describe(panic.place), panic.message);
                panics.iter().map(says).collect::<Vec<_>>().join("; ")
            }
        };
        [grouped(frequency.count), share(frequency.count, self.runs), verdict.to_owned(), seen]
    }

    fn conclusion(&self) -> String {
        let mut text = String::new();
        let forbidden: u64 = self.forbidden().map(|frequency| frequency.count).sum();
        if forbidden > 0 {
            let (part, all) = (grouped(forbidden), counted(self.runs, "run"));
            text.push_str(&format!("violation: {part} of {all} went as no order of the invocations explains\n"));
        }
        if let Ended::Stuck(stuck) = &self.ended {
            for stuck in stuck {
                let place = self.describe(stuck.place);
                text.push_str(&format!("violation: {place} does not come back\n"));
            }
            text.push_str(
                "Native threads cannot be ended: they stay until the process ends, with all that they hold.\n",
            );
        }
        if self.runs == 0 && text.is_empty() {
            text.push_str("nothing was run, so this says nothing\n");
        } else if text.is_empty() {
            text.push_str("only admitted outcomes were seen; that is no proof, explore the client for one\n");
        }
        text
    }
}

fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part of all in per cent. What has happened does not look as if it had not, and what is not all does not look like all.
fn share(part: u64, all: u64) -> String {
    let percent = part as f64 / all.max(1) as f64 * 100.0;
    match percent {
        _ if part == 0 => "0 %".to_owned(),
        _ if part == all => "100 %".to_owned(),
        p if p < 0.001 => "< 0.001 %".to_owned(),
        p if p < 1.0 => format!("{p:.3} %"),
        p if p > 99.9 => "> 99.9 %".to_owned(),
        p => format!("{p:.1} %"),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use linchpin_model::{Client, Invocation, Outcome, Value};

    use super::*;
    use crate::{Panic, Place, Stuck};

    fn stressed() -> Stressed {
        let call = |operation: &str| Invocation { operation: operation.into(), arguments: vec![] };
        Stressed {
            object: "Queue",
            client: Client {
                setup: vec![call("fill")],
                threads: vec![vec![call("pop")], vec![call("pop"), call("len")]],
                epilogue: vec![call("len")],
            },
            frequencies: vec![],
            runs: 0,
            elapsed: Duration::from_millis(1_003),
            ended: Ended::Time,
            cores: 2,
            pinned: 2,
        }
    }

    fn returned(values: [i64; 5], admitted: bool, count: u64) -> Frequency {
        Frequency { seen: Seen::Returned(Outcome(values.map(Value::from).into())), admitted, count }
    }

    fn panic(place: Place, count: u64) -> Frequency {
        let panics = vec![Panic { place, message: "\"no luck\" at src/queue.rs:7:9".into() }];
        Frequency { seen: Seen::Panicked(panics), admitted: false, count }
    }

    #[test]
    fn the_table_shows_what_is_forbidden_first_and_what_was_not_seen_last() {
        let mut stressed = stressed();
        stressed.frequencies = vec![
            returned([0, 1, 1, 0, 0], false, 1_234),
            panic(Place::Invocation(3), 2),
            panic(Place::Drop, 1),
            returned([0, 1, 2, 0, 0], true, 2_000_000),
            returned([0, 2, 1, 0, 0], true, 7_000),
            returned([0, 2, 1, 1, 0], true, 0),
        ];
        stressed.runs = 2_008_237;
        insta::assert_snapshot!(stressed.table(), @r#"
        [fill()] { pop() } || { pop(); len() } [len()] as a client of Queue, on native threads
        2,008,237 runs in 1.00 s, until the time was over; 2 threads on 2 cores, each pinned

             runs      share
            1,234    0.061 %  forbidden  0, 1, 1, 0, 0
                2  < 0.001 %  forbidden  len() of thread 2 panics: "no luck" at src/queue.rs:7:9
                1  < 0.001 %  forbidden  dropping an instance of Queue panics: "no luck" at src/queue.rs:7:9
        2,000,000     99.6 %  admitted   0, 1, 2, 0, 0
            7,000    0.349 %  admitted   0, 2, 1, 0, 0
                0        0 %  admitted   0, 2, 1, 1, 0

        violation: 1,237 of 2,008,237 runs went as no order of the invocations explains
        "#);
    }

    #[test]
    fn who_does_not_come_back_is_named() {
        let mut stressed = stressed();
        let stuck =
            [(0, Place::Invocation(1)), (1, Place::Invocation(0)), (1, Place::Invocation(4)), (1, Place::Create)];
        stressed.ended = Ended::Stuck(stuck.map(|(thread, place)| Stuck { thread, place }).into());
        stressed.pinned = 1;
        insta::assert_snapshot!(stressed.table(), @r#"
        [fill()] { pop() } || { pop(); len() } [len()] as a client of Queue, on native threads
        0 runs in 1.00 s, until 4 threads did not come back; 2 threads on 2 cores, 1 pinned

        violation: pop() of thread 1 does not come back
        violation: fill() of the setup does not come back
        violation: len() of the epilogue does not come back
        violation: making an instance of Queue does not come back
        Native threads cannot be ended: they stay until the process ends, with all that they hold.
        "#);
    }

    #[test]
    fn a_clean_table_claims_no_proof() {
        let mut stressed = stressed();
        stressed.frequencies = vec![returned([0, 1, 2, 0, 0], true, 1)];
        stressed.runs = 1;
        (stressed.ended, stressed.pinned) = (Ended::Runs, 0);
        insta::assert_snapshot!(stressed.table(), @r#"
        [fill()] { pop() } || { pop(); len() } [len()] as a client of Queue, on native threads
        1 run in 1.00 s, until all were done; 2 threads on 2 cores, none pinned

         runs  share
            1  100 %  admitted   0, 1, 2, 0, 0

        only admitted outcomes were seen; that is no proof, explore the client for one
        "#);
    }

    #[test]
    fn nothing_run_says_nothing() {
        let mut stressed = stressed();
        stressed.ended = Ended::Interrupted;
        insta::assert_snapshot!(stressed.table(), @r#"
        [fill()] { pop() } || { pop(); len() } [len()] as a client of Queue, on native threads
        0 runs in 1.00 s, until it was interrupted; 2 threads on 2 cores, each pinned

        nothing was run, so this says nothing
        "#);
    }

    #[test]
    fn many_outcomes_are_cut_short() {
        let mut stressed = stressed();
        stressed.frequencies = (0..1_500).map(|i| returned([i, 0, 0, 0, 0], false, 1)).collect();
        stressed.runs = 1_500;
        assert_eq!(stressed.table().lines().count(), 3 + 1 + ROWS + 1 + 2);
        assert!(stressed.table().contains("\nand 1,470 more\n"));
    }
}
