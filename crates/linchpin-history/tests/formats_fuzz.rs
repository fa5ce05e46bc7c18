//! Mutated histories of each format, two seconds each; `LINCHPIN_FUZZ_SECONDS=60` makes it a minute.
//!
//! This is what every `cargo test` does. The targets in `fuzz/` do the same guided by coverage, with libFuzzer.

#[path = "support/invariants.rs"]
mod invariants;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use linchpin_history::{Format, ReadOptions, read};

/// Makes inputs from seeds until the time is up. A failure names its seed, with which it happens again:
/// `LINCHPIN_FUZZ_SEED=… cargo test --test formats_fuzz`.
fn fuzz(format: Format) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let end = Instant::now() + Duration::from_secs(number("LINCHPIN_FUZZ_SECONDS").unwrap_or(2));
    let first = number("LINCHPIN_FUZZ_SEED").unwrap_or(0);
    let (mut inputs, mut accepted) = (0, 0);
    for seed in first.. {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut input = sample(format, &mut random).into_bytes();
        for _ in 0..random.usize(..4) {
            mutate(&mut input, &mut random);
        }
        if catch_unwind(AssertUnwindSafe(|| invariants::check(format, &input))).is_err() {
            panic!("{format}, LINCHPIN_FUZZ_SEED={seed}: {:?}", String::from_utf8_lossy(&input));
        }
        inputs += 1;
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        accepted += usize::from(read(&*input, &options).is_ok());
        if Instant::now() >= end {
            break;
        }
    }
    println!("{format}: {inputs} inputs, {accepted} of them histories");
    // Both sides of the reader have been seen.
    assert!(inputs < 100 || (accepted > inputs / 20 && accepted < inputs));
}

#[test]
fn json_operations() {
    fuzz(Format::JsonOperations);
}

#[test]
fn json_events() {
    fuzz(Format::JsonEvents);
}

#[test]
fn jepsen_edn() {
    fuzz(Format::JepsenEdn);
}

#[test]
fn porcupine_log() {
    fuzz(Format::PorcupineLog);
}

#[test]
fn porcupine_kv() {
    fuzz(Format::PorcupineKv);
}

/// A history as the format has it.
fn sample(format: Format, random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    if format == Format::JsonOperations {
        let mut free = [0i64; 4];
        for _ in 0..random.usize(..8) {
            let process = random.usize(..free.len());
            let call = free[process].saturating_add(random.i64(0..4));
            let ret = call.saturating_add(random.i64(0..4));
            free[process] = ret;
            let (name, value, key) = (name(random), json(random, 3), json(random, 1));
            text += &match random.u8(..3) {
                0 => format!(
                    "{{\"c\":{process},\"call\":{call},\"ret\":{ret},\"f\":\"{name}\",\"k\":{key},\"a\":{value}}}\n"
                ),
                1 => format!("{{\"c\":{process},\"call\":{call},\"ret\":{ret},\"f\":\"{name}\",\"o\":{value}}}\n"),
                _ => {
                    free[process] = i64::MAX;
                    format!(" {{\"operation\":\"{name}\",\"process\":{process} , \"call\":{call},\"_x\":{key}}}\r\n\n")
                }
            };
        }
        return text;
    }
    let mut open = [None; 4];
    if format == Format::JepsenEdn {
        text += ["", "[", "(", "; c\n["][random.usize(..4)];
    }
    let close = text.chars().last().map_or("", |bracket| if bracket == '(' { ")" } else { "]" });
    for _ in 0..random.usize(..16) {
        let process = random.usize(..open.len());
        let (kind, f) = match open[process] {
            None => ("invoke", name(random)),
            Some(f) => (["ok", "ok", "fail", "info"][random.usize(..4)], f),
        };
        open[process] = if kind == "invoke" { Some(f) } else { None };
        // Some processes come back after an `info`: that is refused.
        let value = if format == Format::JsonEvents { json(random, 3) } else { edn(random, 3) };
        text += &match format {
            Format::JsonEvents => {
                format!("{{\"process\":{process},\"type\":\"{kind}\",\"f\":\"{f}\",\"value\":{value},\"time\":1.5}}\n")
            }
            Format::PorcupineLog => format!("INFO  jepsen.util - {process}\t:{kind}\t:{f}\t{value}\n"),
            Format::PorcupineKv => {
                format!("{{:process {process}, :type :{kind}, :f :{f}, :key \"k\", :value {value}}}\n")
            }
            _ => format!("{{:process {process}, :type :{kind}, :f :{f}, :value {value}, :time 1.5}}\n"),
        };
    }
    text + close
}

fn name(random: &mut fastrand::Rng) -> &'static str {
    ["read", "write", "cas", "é"][random.usize(..4)]
}

fn json(random: &mut fastrand::Rng, depth: usize) -> String {
    match random.u8(if depth == 0 { 0..6 } else { 0..8 }) {
        0 => "null".to_owned(),
        1 => "true".to_owned(),
        2 | 3 => random.i64(-5..100).to_string(),
        4 => random.i64(..).to_string(),
        5 => ["\"\"", "\"a b\"", r#""\u00e9\n""#, r#""\ud83d\ude00""#, "\"é\""][random.usize(..5)].to_owned(),
        6 => format!("[{},{}]", json(random, depth - 1), json(random, depth - 1)),
        _ => format!("{{\"a\":{},\"b\": {}}}", json(random, depth - 1), json(random, depth - 1)),
    }
}

fn edn(random: &mut fastrand::Rng, depth: usize) -> String {
    match random.u8(if depth == 0 { 0..6 } else { 0..10 }) {
        0 => "nil".to_owned(),
        1 => ":timed-out".to_owned(),
        2 | 3 => random.i64(-5..100).to_string(),
        4 => format!("{}N", random.i64(..)),
        5 => ["\"\"", "\"a;b\"", r#""\u00e9\n""#, r"\newline", r"\u00e9", "sym"][random.usize(..6)].to_owned(),
        6 => format!("[{} {}]", edn(random, depth - 1), edn(random, depth - 1)),
        7 => format!("({}, {})", edn(random, depth - 1), edn(random, depth - 1)),
        8 => format!("{{:a {} :b {}}}", edn(random, depth - 1), edn(random, depth - 1)),
        _ => format!("#tag #_ {} #{{{}}}", edn(random, depth - 1), edn(random, depth - 1)),
    }
}

/// What makes a difference to some reader.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\\",
    ":",
    ",",
    ";",
    "#",
    "#_",
    "#{",
    "##Inf",
    "\n",
    "\r\n",
    "\t",
    " ",
    "-",
    "0",
    "1",
    "N",
    ".5",
    "e9",
    "/2",
    "null",
    "nil",
    "true",
    "\\u00",
    "\\ud800",
    "\\newline",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "\"c\":",
    "\"process\":",
    "\"type\":",
    "\"call\":",
    "\"ret\":",
    "\"return\":",
    "\"o\":",
    "\"_\":",
    ":process ",
    ":type ",
    ":invoke",
    ":ok",
    ":fail",
    ":info",
    ":value ",
    ":key ",
    ":nemesis",
    ":timed-out",
    "\"info\"",
    "INFO  jepsen.util - ",
    "WARN x - y",
    "#inst ",
    "#:a{",
    "\u{feff}",
    "é",
    "\0",
];

/// One change: of bytes, of tokens, of lines.
fn mutate(input: &mut Vec<u8>, random: &mut fastrand::Rng) {
    let at = random.usize(..=input.len());
    let to = at + random.usize(..=(input.len() - at).min(20));
    match random.u8(..8) {
        0 => input.truncate(at),
        1 => {
            input.drain(at..to);
        }
        2 => {
            let copy = input[at..to].to_vec();
            let place = random.usize(..=input.len());
            input.splice(place..place, copy);
        }
        3 if at < input.len() => input[at] = random.u8(..),
        4 if at < input.len() => input[at] ^= 1 << random.u8(..8),
        5 => {
            let mut lines: Vec<Vec<u8>> = input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            if !lines.is_empty() {
                let (a, b) = (random.usize(..lines.len()), random.usize(..lines.len()));
                match random.u8(..3) {
                    0 => lines.swap(a, b),
                    1 => {
                        lines.remove(a);
                    }
                    _ => lines.insert(a, lines[b].clone()),
                }
                *input = lines.concat();
            }
        }
        6 => {
            let token = TOKENS[random.usize(..TOKENS.len())].repeat(random.usize(1..80));
            input.splice(at..to, token.into_bytes());
        }
        _ => {
            let token = TOKENS[random.usize(..TOKENS.len())];
            input.splice(at..at, token.bytes());
        }
    }
}
