//! What is not a history is an error that says where and why; never a panic, never much memory.

use std::io::{self, BufRead, BufReader, Read};

use linchpin_history::{Format, ReadErrorKind, ReadOptions, Recording, read};

fn try_as(format: Option<Format>, input: impl BufRead) -> Result<Recording, linchpin_history::ReadError> {
    read(input, &ReadOptions { format, ..ReadOptions::default() })
}

/// Each input with the message that it gives.
fn check(format: Format, rows: &[(&str, &str)]) {
    for (input, expected) in rows {
        match try_as(Some(format), input.as_bytes()) {
            Ok(recording) => panic!("{input}: {:?}", recording.history.operations()),
            Err(error) => assert_eq!(error.to_string(), *expected, "{input}"),
        }
    }
}

#[test]
fn operations_that_cannot_be() {
    check(
        Format::JsonOperations,
        &[
            (
                r#"{"c":0,"call":5,"ret":3,"f":"read"}"#,
                r#"line 1: "ret" is 3 but "call" is 5: an operation returns after it is called"#,
            ),
            (
                r#"{"c":0,"call":1.5}"#,
                "line 1, column 15: 1.5 is not an integer (write it as a string if it is a value)",
            ),
            (
                "\n{\"c\":0,\"a\":1e3}",
                "line 2, column 12: 1e3 is not an integer (write it as a string if it is a value)",
            ),
            (
                r#"{"a":-99999999999999999999}"#,
                "line 1, column 6: -99999999999999999999 does not fit into 64 bits (write it as a string if it is a value)",
            ),
            (r#"{"c":-1}"#, r#"line 1: "c" is -1: it must be a number from 0"#),
            (r#"{"process":"a"}"#, r#"line 1: "process" is "a": it must be a number from 0"#),
            (r#"{"c":null}"#, r#"line 1: "c" is null: it must be a number from 0"#),
            (r#"{"call":"now"}"#, r#"line 1: "call" is "now": it must be an integer"#),
            (
                r#"{"return":false}"#,
                r#"line 1: "return" is false: it must be an integer, or null for a pending operation"#,
            ),
            (
                r#"{"ret":9223372036854775807}"#,
                r#"line 1: "ret" is 9223372036854775807: it must be less (that time is never; null is for pending operations)"#,
            ),
            (r#"{"f":7}"#, r#"line 1: "f" is 7: it must be a name in double quotes"#),
            (r#"{"f":""}"#, r#"line 1: "f" is "": it must be a name in double quotes"#),
            ("{}", r#"line 1: the operation has no "c" (or "process")"#),
            (r#"{"c":0}"#, r#"line 1: the operation has no "call""#),
            (r#"{"c":0,"call":1,"ret":2}"#, r#"line 1: the operation has no "f" (or "operation")"#),
            (r#"{"c":0,"process":0}"#, r#"line 1: "process" is given twice"#),
            (r#"{"o":0,"o":null}"#, r#"line 1: "o" is given twice"#),
            (
                r#"{"client":0}"#,
                r#"line 1: "client" is not a key of an operation: they are "c" ("process"), "call", "ret" ("return"), "f" ("operation"), "k" ("key"), "a" ("argument"), "o" ("result"), and any that begin with "_""#,
            ),
            (r#"{"c":0,"call":1,"f":"r","o":1}"#, r#"line 1: the operation has the result 1 but no "ret""#),
            (
                "{\"c\":0,\"call\":1,\"ret\":5,\"f\":\"r\"}\n\n{\"c\":0,\"call\":4,\"ret\":6,\"f\":\"w\"}",
                r#"line 3: process 0 calls "w" at 4, but its operation of line 1 returns at 5: a process has one operation at a time"#,
            ),
            (
                "{\"c\":0,\"call\":4,\"ret\":6,\"f\":\"w\"}\n{\"c\":0,\"call\":1,\"f\":\"r\"}",
                r#"line 1: process 0 calls "w" at 4, but its operation of line 2 never returned: a process with a pending operation has no later ones"#,
            ),
            (r#"{"a":{"b":1,"b":2}}"#, r#"line 1, column 6: the key "b" stands twice in an object"#),
        ],
    );
}

#[test]
fn json_that_is_none() {
    check(
        Format::JsonOperations,
        &[
            (r#"{"c":0,"call":5"#, "line 1, column 16: the input ends where ',' or '}' was expected"),
            (
                "{\"c\":0,\"call\":1,\"f\":\"r\"} {\"c\":1,\"call\":1,\"f\":\"r\"}",
                "line 1, column 26: '{' where the end of the line (one object per line) was expected",
            ),
            (
                "{\"c\":0,\"call\":1,\"f\":\"r\"},\n{\"c\":1,\"call\":1,\"f\":\"r\"}",
                "line 1, column 25: ',' where an object (one per line, without commas in between) was expected",
            ),
            (
                "[{}]",
                "line 1, column 1: '[' where an object (one per line, not in an array; jq -c '.[]' takes it apart) was expected",
            ),
            ("; no", "line 1, column 1: ';' where an object was expected"),
            (r#"{"c":nul}"#, "line 1, column 6: nul where a value was expected"),
            (r#"{"c":01}"#, "line 1, column 7: '1' where ',' or '}' was expected"),
            (r#"{"a":"\x"}"#, r#"line 1, column 8: 'x' where one of " \ / b f n r t u after a backslash was expected"#),
            (r#"{"a":"é\ud800"}"#, r"line 1, column 14: \ud800 is half of a character"),
            ("{\"a\":\"x\ny\"}", "line 1, column 8: the line ends where the end of a string ('\"') was expected"),
            (r#"{"a":[1,}"#, "line 1, column 9: '}' where a value was expected"),
            (r#"{"a":[1 2]}"#, "line 1, column 9: '2' where ',' or ']' was expected"),
            ("{a:1}", "line 1, column 2: 'a' where a key in double quotes was expected"),
            (r#"{"a" 1}"#, "line 1, column 6: '1' where ':' was expected"),
            (r#"{"a":"abc"#, "line 1, column 10: the input ends where the end of a string ('\"') was expected"),
            (r#"{"c":0,}"#, "line 1, column 8: '}' where a key in double quotes was expected"),
        ],
    );
}

#[test]
fn events_that_cannot_be() {
    check(
        Format::JsonEvents,
        &[
            (r#"{"process":0,"type":"invoke"}"#, r#"line 1: the event has no "f""#),
            (r#"{"type":"invoke"}"#, r#"line 1: the event has no "process""#),
            (r#"{"process":0}"#, r#"line 1: the event has no "type""#),
            (
                r#"{"process":0,"type":"begin"}"#,
                r#"line 1: "type" is "begin": it must be "invoke", "ok", "fail" or "info""#,
            ),
            (
                r#"{"process":null,"type":"ok"}"#,
                r#"line 1: "process" is null: it must be a number from 0, or a name if it is not a client"#,
            ),
            (
                r#"{"process":0,"type":"ok","f":"r"}"#,
                "line 1: process 0 completes an operation (ok) that it has not invoked",
            ),
            (
                r#"{"process":0,"type":"info"}"#,
                "line 1: process 0 completes an operation (info) that it has not invoked",
            ),
            (r#"{"process":0,"type":"ok","f":null}"#, r#"line 1: "f" is null: it must be a name in double quotes"#),
            (
                "{\"process\":0,\"type\":\"invoke\",\"f\":\"r\"}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"w\"}",
                r#"line 2: process 0 invokes "w", but its "r" of line 1 has not completed: a process has one operation at a time"#,
            ),
            (
                "{\"process\":0,\"type\":\"invoke\",\"f\":\"r\"}\n{\"process\":0,\"type\":\"info\"}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"w\"}",
                "line 3: process 0 is back after line 2 said that the outcome of its operation is not known (info): such a process has no later events",
            ),
            (
                "{\"process\":0,\"type\":\"invoke\",\"f\":\"r\"}\n{\"process\":0,\"type\":\"ok\",\"f\":\"w\"}",
                r#"line 2: process 0 completes "w", but at line 1 it invoked "r""#,
            ),
            (
                "{\"process\":0,\"type\":\"invoke\",\"f\":\"r\",\"key\":1}\n{\"process\":0,\"type\":\"ok\",\"f\":\"r\",\"key\":2}",
                "line 2: process 0 completes an operation on 2, invoked on 1 at line 1",
            ),
            (
                r#"{"process":0,"type":"invoke","f":"r","value":[2.5]}"#,
                "line 1, column 47: 2.5 is not an integer (write it as a string if it is a value)",
            ),
            (
                r#"{"process":0,"tipe":"invoke"}"#,
                r#"line 1: "tipe" is not a key of an event: they are "process", "type", "f", "value", "key", "time", "index", "error", and any that begin with "_""#,
            ),
            (r#"{"time":0,"time":0}"#, r#"line 1: "time" is given twice"#),
        ],
    );
}

#[test]
fn edn_events_that_cannot_be() {
    let not_a_map = "an event is a map: {:process 0, :type :invoke, :f :read, :value nil}";
    check(
        Format::JepsenEdn,
        &[
            ("[{:process 0, :type :invoke}]", "line 1: the event has no :f"),
            ("[\n{:process 0, :type :invoke, :f :r]", "line 2, column 34: ']' where a form or '}' was expected"),
            ("[{:process 0, :type", "line 1, column 20: the input ends where a value was expected"),
            ("[", "line 1, column 2: the input ends where a form or ']' was expected"),
            ("[3]", &format!("line 1, column 2: {not_a_map}")),
            ("[[]]", &format!("line 1, column 2: {not_a_map}")),
            ("#{}", &format!("line 1, column 1: {not_a_map}")),
            ("[] {}", "line 1, column 4: '{' where the end of the input was expected"),
            ("{:process 0.5}", "line 1: :process is 0.5: it must be a number from 0, or a name if it is not a client"),
            (
                "{:process [1]}",
                "line 1: :process is a collection: it must be a number from 0, or a name if it is not a client",
            ),
            ("{:process 0 :type :go}", "line 1: :type is :go: it must be :invoke, :ok, :fail or :info"),
            ("{:process 0 :type :invoke :f 3}", "line 1: :f is 3: it must be a name such as :read"),
            ("{:process 0 :process 1}", "line 1: :process is given twice"),
            (
                "{:process 0 :type :invoke :f :r :value [1.5]}",
                "line 1, column 41: 1.5 is not an integer (write it as a string if it is a value)",
            ),
            (
                "{:process 0 :type :invoke :f :r :value 1/2}",
                "line 1, column 40: 1/2 is not an integer (write it as a string if it is a value)",
            ),
            (
                "{:process 0 :type :invoke :f :r :value 010}",
                "line 1, column 40: 010 is not an integer (write it as a string if it is a value)",
            ),
            (
                "{:process 0 :type :invoke :f :r :value 99999999999999999999N}",
                "line 1, column 40: 99999999999999999999N does not fit into 64 bits (write it as a string if it is a value)",
            ),
            (
                "{:process 0 :type :invoke :f :r :value ##Inf}",
                "line 1, column 40: ##Inf is not an integer (write it as a string if it is a value)",
            ),
            ("{:process 0 :type :invoke :f :r :value #{1 1}}", "line 1, column 40: 1 stands twice in a set"),
            ("{:process 0 :type :invoke :f :r :value {1 2 1 3}}", "line 1, column 40: the key 1 stands twice in a map"),
            ("{:process 0 :type :invoke :f :r :value {1}}", "line 1, column 40: a key without a value in this map"),
            ("{:process}", "line 1, column 10: '}' where a form was expected"),
            ("{:value \\foo}", "line 1, column 9: \\foo is not a character"),
            (
                "{:value \"\\q\"}",
                r#"line 1, column 11: 'q' where one of " \ b f n r t u or a digit after a backslash was expected"#,
            ),
            ("{:value \"abc", "line 1, column 13: the input ends where the end of a string ('\"') was expected"),
            (
                "{:process 0 :type :invoke :f :r :value #:a{:b 1}}",
                "line 1, column 40: #:a is a map whose keys share a namespace: such are not read",
            ),
            ("#:a{:process 0}", "line 1, column 1: #:a is a map whose keys share a namespace: such are not read"),
            ("{:value #inst}", "line 1, column 14: '}' where a form after a tag was expected"),
            ("]", "line 1, column 1: ']' where a form was expected"),
            ("{: 1}", "line 1, column 3: ' ' where a keyword's name was expected"),
        ],
    );
    check(Format::PorcupineKv, &[("{:process 0, :type :invoke, :f :get}", "line 1: the event has no :key")]);
}

#[test]
fn log_lines_that_cannot_be() {
    check(
        Format::PorcupineLog,
        &[
            (
                "hello",
                r#"line 1: "hello" where a line of the log was expected: "INFO  jepsen.util - 3 :invoke :write 4""#,
            ),
            ("INFO jepsen.util - ", "line 1, column 20: the input ends where a process was expected"),
            (
                "INFO jepsen.util - 0\nINFO",
                "line 1, column 21: the line ends where a type (:invoke, :ok, :fail or :info) was expected",
            ),
            ("INFO jepsen.util - 0 :invoke", "line 1, column 29: the input ends where an operation was expected"),
            ("INFO jepsen.util - 0 :invoke :read", "line 1, column 35: the input ends where a value was expected"),
            (
                "INFO jepsen.util - 0 :invoke :read nil nil",
                "line 1, column 40: 'n' where the end of the line was expected",
            ),
            ("INFO jepsen.util - 0 :invoke :read [1\n2]", "line 1: the event's value goes on beyond its line"),
            (
                "INFO jepsen.util - 0.5 :invoke :read 1",
                "line 1: :process is 0.5: it must be a number from 0, or a name if it is not a client",
            ),
        ],
    );
}

#[test]
fn formats_that_cannot_be_told() {
    let formats = r#"The formats are
  json-operations  JSON lines, one operation each: {"c":0,"call":1,"ret":4,"f":"write","k":null,"a":3,"o":null}
  json-events      JSON lines, one event each: {"process":0,"type":"invoke","f":"write","value":3}
  jepsen-edn       EDN of Jepsen and Knossos: [{:process 0, :type :invoke, :f :write, :value 3} …]
  porcupine-log    Jepsen's log of one register: INFO  jepsen.util - 0 :invoke :write 3
  porcupine-kv     EDN maps with keys: {:process 0, :type :invoke, :f :put, :key "a", :value "3"}"#;
    for (input, seen) in [
        ("", "the format cannot be told: the input is empty"),
        (" \r\n\t", "the format cannot be told: the input is empty"),
        (" \n; c", "the format cannot be told: the input is only comments"),
        ("\nhello, world", r#"line 2: the format cannot be told: "hello, world""#),
        (
            "[{\"c\":1}]",
            "line 1: the format cannot be told: a JSON array (one object per line is expected; jq -c '.[]' takes it apart)",
        ),
        (r#"{"x":1,"y":{"call":"\"}"}}"#, r#"line 1: the format cannot be told: a JSON object with the keys "x", "y""#),
        (r#"{"call":1,"type":2}"#, r#"line 1: the format cannot be told: a JSON object with the keys "call", "type""#),
        ("; c\n{\"c\":0}", "line 2: the format cannot be told: JSON, which has no comments, after a comment"),
    ] {
        let error = try_as(None, input.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("{seen}. {formats}"));
        assert_eq!(error.kind(), ReadErrorKind::Detection);
    }
}

#[test]
fn bytes_that_are_not_utf_8_have_their_line() {
    for (input, line, column) in [
        (&b"{\"c\":0,\n\n \xff}"[..], 3, 2),
        (b"\xff", 1, 1),
        (b"; abc\n; \xc3", 2, 3),
        (b"INFO jepsen.util - 0 :invoke :write \"\xe2\x82\"", 1, 38),
        (b"{:process 0 :value \"\xc3\xa9\xed\xa0\x80\"", 1, 22),
    ] {
        for capacity in [1, 2, 100] {
            let error = try_as(None, BufReader::with_capacity(capacity, input)).unwrap_err();
            assert_eq!(error.kind(), ReadErrorKind::Encoding, "{error}");
            assert_eq!((error.line(), error.column()), (Some(line), Some(column)), "{error}");
        }
    }
}

#[test]
fn what_the_operating_system_says_is_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let input = b"[\n\n".chain(Broken);
    let error = try_as(None, BufReader::new(input)).unwrap_err();
    assert_eq!(error.kind(), ReadErrorKind::Io);
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(error.to_string(), "line 1: the input cannot be read further: the disk is gone");
}

/// A sample of each format, with a bit of everything.
const SAMPLES: [(Format, &str); 5] = [
    (
        Format::JsonOperations,
        r#"{"c":0,"call":1,"ret":12,"f":"cas","k":null,"a":[0,-2],"o":false}
{"process":3,"call":2,"return":10,"operation":"wr\u00eft\u00e9","key":"é","argument":{"a":[true,null]},"result":null}
{"c":4,"call":3,"f":"write","a":3,"ret":null,"_x":1.5e-3}
"#,
    ),
    (
        Format::JsonEvents,
        r#"{"process":0,"type":"invoke","f":"write","value":3,"key":"x","time":1.5,"index":0,"error":{"a":[1e9]}}
{"process":"nemesis","type":"info","f":"start","value":0.5}
{"process":0,"type":"ok","f":"write","value":3}
{"process":1,"type":"invoke","f":"cas","value":[1,2]}
{"process":1,"type":"fail","f":"cas"}
"#,
    ),
    (
        Format::JepsenEdn,
        r#"; a history
[#jepsen.history.Op{:index 0, :time 1.5e9, :type :invoke, :process 0, :f :write, :value #{3 [4 (5N)]}}
#_ {:process 7 \newline "é\u00e9"}
{:process :nemesis, :type :info, :f :start, :value {:n1 1/2, :n2 ##NaN}}
{:type :ok, :process 0, :f :write :value 3 :error [:a "b;c"]} ; and
]"#,
    ),
    (
        Format::PorcupineLog,
        "INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.core - Everything is fine
INFO  jepsen.util - 1   :invoke :cas    [1 2]
INFO  jepsen.util - :nemesis\t:info\t:start\t\"é\"
INFO  jepsen.util - 0\t:fail\t:read\t:timed-out
INFO  jepsen.util - 1\t:fail\t:cas\t[1 2]
",
    ),
    (
        Format::PorcupineKv,
        r#"{:process 0, :type :invoke, :f :append, :key "0", :value "x 9\ty é"}
{:process 0, :type :ok, :f :append, :key "0", :value "x 9\ty é"}
"#,
    ),
];

#[test]
fn every_prefix_is_read_or_refused() {
    for (format, sample) in SAMPLES {
        let whole = try_as(Some(format), sample.as_bytes()).unwrap();
        assert_eq!(try_as(None, sample.as_bytes()).unwrap().origin, whole.origin);
        let mut refused = 0;
        for end in 0..sample.len() {
            let prefix = &sample.as_bytes()[..end];
            for format in [None, Some(format)] {
                match try_as(format, prefix) {
                    Ok(recording) => assert!(recording.history.len() <= 1 + whole.history.len()),
                    Err(error) => {
                        refused += 1;
                        let lines = 1 + prefix.iter().filter(|byte| **byte == b'\n').count();
                        assert!(error.line().unwrap_or(1) <= lines, "{error}");
                    }
                }
            }
        }
        assert!(refused > sample.len(), "{format}: {refused} of {}", sample.len());
    }
}

#[test]
fn every_changed_byte_is_read_or_refused() {
    for (format, sample) in SAMPLES {
        for at in 0..sample.len() {
            for byte in *b"\0\n \"\\{}[]:;#,-0e\xc3\xff" {
                let mut changed = sample.as_bytes().to_vec();
                changed[at] = byte;
                // It returns, and that is all that can be said.
                let _ = try_as(Some(format), &*changed);
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |open: &str, close: &str, depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let json = |value: &str| format!(r#"{{"c":0,"call":0,"f":"w","a":{value}}}"#);
    let edn = |value: &str| format!("{{:process 0 :type :invoke :f :w :value {value}}}");
    assert!(try_as(None, json(&deep("[", "]", 63)).as_bytes()).is_ok());
    assert!(try_as(None, edn(&deep("[", "]", 62)).as_bytes()).is_ok());
    for input in [
        json(&deep("[", "]", 64)),
        json(&deep(r#"{"a":["#, "]}", 1_000_000)),
        edn(&deep("[", "]", 65)),
        edn(&"#{".repeat(1_000_000)),
        edn(&"#_".repeat(1_000_000)),
        "[{:a ".repeat(1_000_000),
        format!("INFO jepsen.util - 0 :invoke :w {}", "(".repeat(1_000_000)),
    ] {
        let error = try_as(None, input.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::Limit, "{error}");
        assert_eq!(error.message(), "nested more than 64 deep");
    }
}

const GIGABYTE: u64 = 1 << 30;

/// A beginning, and then the same byte again and again.
struct Endless {
    beginning: &'static [u8],
    byte: u8,
    left: u64,
    given: u64,
}

impl Endless {
    fn new(beginning: &'static str, byte: u8, left: u64) -> Endless {
        Endless { beginning: beginning.as_bytes(), byte, left, given: 0 }
    }
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = if self.beginning.is_empty() {
            let length = self.left.min(buffer.len() as u64) as usize;
            buffer[..length].fill(self.byte);
            self.left -= length as u64;
            length
        } else {
            self.beginning.read(buffer)?
        };
        self.given += length as u64;
        Ok(length)
    }
}

#[test]
fn a_gigabyte_of_one_thing_meets_a_limit() {
    for (beginning, byte) in [
        ("{\"c\":0,\"f\":\"", b'x'),
        ("{\"c\":0,\"a\":1", b'0'),
        ("{\"c\":0,", b' '),
        ("{\"process\":0,\"error\":\"", b'\n' + 100),
        ("[{:process ", b'1'),
        ("[{:process \"", b'\n'),
        ("{:value \\", b'x'),
        ("{:key 0 :error \"", b'x'),
        ("[#", b'a'),
        ("[{", b','),
        ("[{;", b'x'),
        ("INFO jepsen.util - 1", b'1'),
        ("INFO x - \nINFO ", b'x'),
        ("INFO jepsen.util - 1 :invoke :write [", b' '),
    ] {
        let mut input = BufReader::new(Endless::new(beginning, byte, GIGABYTE));
        let error = try_as(None, &mut input).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::Limit, "{beginning}: {error}");
        assert_eq!(error.message(), "one operation or event takes more than 16 MiB");
        assert!(input.get_ref().given < 17 << 20, "{beginning}: {}", input.get_ref().given);
    }
}

/// Between records there may be as much of nothing as one likes; it passes through.
#[test]
fn a_gigabyte_of_nothing_passes() {
    for (beginning, byte, length, kind) in [
        ("", b' ', GIGABYTE, Some(ReadErrorKind::Detection)),
        ("{\"c\":0,\"call\":0,\"f\":\"w\"}", b'\n', GIGABYTE, None),
        ("[", b',', GIGABYTE / 16, Some(ReadErrorKind::Syntax)),
        ("; ", b'x', GIGABYTE / 16, Some(ReadErrorKind::Detection)),
    ] {
        let input = BufReader::with_capacity(1 << 16, Endless::new(beginning, byte, length));
        match (try_as(None, input), kind) {
            (Ok(recording), None) => assert_eq!(recording.history.len(), 1),
            (Err(error), Some(kind)) => assert_eq!(error.kind(), kind, "{error}"),
            (result, _) => panic!("{beginning}: {result:?}"),
        }
    }
}
