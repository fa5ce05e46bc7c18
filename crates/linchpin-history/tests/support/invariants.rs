//! What holds whatever bytes a reader is given. Shared by the fuzz targets and by the test that mutates samples.

use std::collections::HashMap;
use std::io::BufReader;

use linchpin_history::{Format, ReadError, ReadOptions, Recording, read, write_json_lines};
use linchpin_model::Interval;

/// Reads the input as this format, and panics if what comes out cannot be.
pub fn check(format: Format, input: &[u8]) {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let result = read(input, &options);
    match &result {
        Ok(recording) => {
            check_recording(recording, format, input);
            check_round_trip(recording);
        }
        Err(error) => check_error(error, input),
    }
    // However the input is cut, it is read alike.
    let cut = read(BufReader::with_capacity(1 + input.len() % 7, input), &options);
    assert_eq!(summary(&result), summary(&cut), "cut otherwise");
    // Whatever its format is taken for, reading it ends.
    if let Ok(told) = read(input, &ReadOptions::default())
        && told.origin.is_some_and(|origin| origin.format == format)
    {
        assert_eq!(summary(&result), summary(&Ok(told)), "told by its beginning");
    }
}

fn summary(result: &Result<Recording, ReadError>) -> String {
    match result {
        Ok(recording) => format!("{recording:?}"),
        Err(error) => error.to_string(),
    }
}

fn lines_of(input: &[u8]) -> usize {
    1 + input.iter().filter(|byte| **byte == b'\n').count()
}

fn check_recording(recording: &Recording, format: Format, input: &[u8]) {
    let Recording { history, lines, layout, origin, .. } = recording;
    assert_eq!(origin.map(|origin| origin.format), Some(format));
    assert_eq!(*layout, format.layout());
    assert_eq!(lines.len(), history.len());
    let intervals = history.intervals().expect("files have real time");
    let last_line = lines_of(input);
    let mut by_process: HashMap<u64, Vec<Interval>> = HashMap::new();
    for ((operation, interval), lines) in history.operations().iter().zip(intervals).zip(lines) {
        assert!(interval.call <= interval.ret);
        assert_eq!(operation.returned, interval.ret != Interval::NEVER);
        assert!(operation.returned || operation.result.is_none());
        assert!(!operation.invocation.name.is_empty());
        assert!((1..=last_line).contains(&lines.call) && lines.ret <= last_line);
        assert!(if operation.returned { lines.call <= lines.ret } else { lines.ret == 0 });
        by_process.entry(operation.process).or_default().push(*interval);
    }
    for intervals in by_process.values_mut() {
        intervals.sort_by_key(|interval| (interval.call, interval.ret));
        assert!(intervals.windows(2).all(|two| two[0].ret <= two[1].call), "two operations at a time");
    }
}

fn check_round_trip(recording: &Recording) {
    let mut written = Vec::new();
    write_json_lines(&recording.history, &mut written).expect("what was read can be written");
    let options = ReadOptions { format: Some(Format::JsonOperations), ..ReadOptions::default() };
    let again = read(&*written, &options).unwrap_or_else(|error| panic!("written, it is refused: {error}"));
    assert_eq!(again.history.operations(), recording.history.operations());
    assert_eq!(again.history.intervals(), recording.history.intervals());
}

fn check_error(error: &ReadError, input: &[u8]) {
    assert!(!error.message().is_empty());
    let line = error.line().unwrap_or(1);
    assert!(line <= lines_of(input), "{error}");
    if let Some(column) = error.column() {
        let line = input.split(|byte| *byte == b'\n').nth(line - 1).unwrap_or_default();
        // One beyond the last character when the line or the input ends there.
        assert!(column <= line.len() + 1, "{error}");
    }
}
