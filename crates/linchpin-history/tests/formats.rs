//! What each format says, as operations.

use linchpin_history::{
    Call, Conventions, FailedCas, Format, Initial, Layout, LeftOut, Lines, ReadOptions, Recording, is_compare_and_set,
    read, write_json_lines,
};
use linchpin_model::{History, Interval, Operation, Value};

fn read_text(text: &str) -> Recording {
    read(text.as_bytes(), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn read_as(format: Format, text: &str) -> Recording {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    read(text.as_bytes(), &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Each operation in a line: `process name(key: argument) = result [call, return] @call line, return line`.
fn shown(recording: &Recording) -> Vec<String> {
    let intervals = recording.history.intervals().unwrap();
    assert_eq!(recording.lines.len(), recording.history.len());
    let all = recording.history.operations().iter().zip(intervals).zip(&recording.lines);
    all.map(|((operation, interval), lines)| {
        let Call { name, key, argument } = &operation.invocation;
        let key = key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        let result = match &operation.result {
            Some(result) => format!("= {result}"),
            None => "?".to_owned(),
        };
        let ret = if operation.returned { interval.ret.to_string() } else { "-".to_owned() };
        assert_eq!(operation.returned, interval.ret != Interval::NEVER);
        let Lines { call: call_line, ret: ret_line } = lines;
        let process = operation.process;
        format!("{process} {name}({key}{argument}) {result} [{}, {ret}] @{call_line}, {ret_line}", interval.call)
    })
    .collect()
}

fn check(format: Format, text: &str, expected: &[&str]) {
    let told = read_text(text);
    assert_eq!(told.origin.unwrap().format, format, "{text}");
    assert_eq!(shown(&told), expected, "{text}");
    // With a byte order mark, other line ends, or cut into single bytes, it is the same.
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(shown(&read_text(&marked)), expected, "{marked:?}");
    let bytewise = read(std::io::BufReader::with_capacity(1, text.as_bytes()), &ReadOptions::default()).unwrap();
    assert_eq!(shown(&bytewise), expected);
}

/// The argument of the only operation, as EDN writes it.
fn edn_value(text: &str) -> String {
    let text = format!("{{:process 0, :type :invoke, :f :w, :value {text}}}");
    read_text(&text).history.operations()[0].invocation.argument.to_string()
}

/// The argument of the only operation, as JSON writes it.
fn json_value(text: &str) -> Result<Value, String> {
    let text = format!(r#"{{"c":0,"call":0,"f":"w","a":{text}}}"#);
    let recording = read(text.as_bytes(), &ReadOptions::default()).map_err(|error| error.to_string())?;
    Ok(recording.history.operations()[0].invocation.argument.clone())
}

#[test]
fn json_operations() {
    check(
        Format::JsonOperations,
        r#"{"c":0,"call":1,"ret":12,"f":"cas","k":null,"a":[0,2],"o":false}

{"process":3,"call":-2,"return":10,"operation":"write","key":"x","argument":4,"result":null}
{"_note":{"any":1.5},"f":"read","ret":11,"call":11,"c":3}
  {"c":4,"call":3,"f":"write","a":3,"ret":null}
{"c":5,"call":3,"f":"pop","o":null}"#,
        &[
            "0 cas([0, 2]) = false [1, 12] @1, 1",
            r#"3 write("x": 4) = nil [-2, 10] @3, 3"#,
            "3 read(nil) ? [11, 11] @4, 4",
            "4 write(3) ? [3, -] @5, 0",
            "5 pop(nil) ? [3, -] @6, 0",
        ],
    );
}

#[test]
fn json_operations_of_a_process_may_touch_and_stand_in_any_order() {
    check(
        Format::JsonOperations,
        r#"{"c":0,"call":5,"ret":7,"f":"b"}
{"c":0,"call":1,"ret":5,"f":"a"}
{"c":0,"call":7,"ret":7,"f":"c"}
{"c":0,"call":7,"f":"d"}"#,
        &["0 b(nil) ? [5, 7] @1, 1", "0 a(nil) ? [1, 5] @2, 2", "0 c(nil) ? [7, 7] @3, 3", "0 d(nil) ? [7, -] @4, 0"],
    );
}

#[test]
fn json_events() {
    check(
        Format::JsonEvents,
        r#"{"process":0,"type":"invoke","f":"write","value":3,"key":"x","time":1.5,"index":0,"error":{"a":[1e9]}}
{"process":1,"type":"invoke","f":"read"}
{"process":"nemesis","type":"info","f":"start","value":0.5}
{"process":0,"type":"ok","f":"write","value":3}
{"process":1,"type":"ok","value":[true,"é"]}
{"process":1,"type":"invoke","f":"cas","value":[3,4]}
{"process":0,"type":"invoke","f":"cas","value":[1,2]}
{"process":0,"type":"fail","f":"cas","value":1.5}
{"process":1,"type":"info","f":"cas"}
{"process":0,"type":"invoke","f":"write","value":9}"#,
        &[
            r#"0 write("x": 3) = 3 [0, 3] @1, 4"#,
            r#"1 read(nil) = [true, "é"] [1, 4] @2, 5"#,
            "1 cas([3, 4]) ? [5, -] @6, 0",
            "0 write(9) ? [9, -] @10, 0",
        ],
    );
}

#[test]
fn jepsen_edn() {
    check(
        Format::JepsenEdn,
        r#"; a history
#foo [#jepsen.history.Op{:index 0, :time 1.5e9, :type :invoke, :process 0, :f :write, :value 3}
#jepsen.history.Op {:process 1, :type :invoke :f :read
  :value nil, :more {:a #inst "2020-01-01" "b" \c} #_ignored}
#_ {:process 7}
{:process :nemesis, :type :info, :f :start, :value {:n1 1/2, :n2 #:a{:b ##NaN} :n3 #object[x 0x1f "y"]}, :m "\ud8 \q"}
{:type :ok, :process 0, :f :write :value 3 :error [:a "b;c"]} ; and
{:type :ok, :process 1, :f :read, :value 3N}
({:type :ok, :process 1}) ]"#
            .replace("({:type :ok, :process 1})", "#_({:type :ok, :process 1})")
            .as_str(),
        &["0 write(3) = 3 [0, 3] @2, 7", "1 read(nil) = 3 [1, 4] @3, 8"],
    );
}

#[test]
fn jepsen_edn_without_a_vector_and_in_a_list() {
    let expected = &["0 acquire(nil) = nil [0, 1] @1, 2", "1 acquire(nil) ? [2, -] @3, 0"];
    let events = "{:type :invoke, :f :acquire, :process 0}\n{:type :ok, :f :acquire, :process 0}\n{:type :invoke, :f :acquire, :process 1}";
    check(Format::JepsenEdn, events, expected);
    check(Format::JepsenEdn, &format!("({events})"), expected);
    check(Format::JepsenEdn, &format!("[{events}\n]\n; end"), expected);
    check(Format::JepsenEdn, "[]", &[]);
}

#[test]
fn porcupine_log() {
    check(
        Format::PorcupineLog,
        "INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.core - Everything is fine: {
INFO  jepsen.util - 1   :invoke :cas    [1 2]
INFO  jepsen.util - :nemesis\t:info\t:start\t\"Cut off {\"

INFO  jepsen.util - 0\t:fail\t:read\t:timed-out
INFO  jepsen.util - 1\t:fail\t:cas\t[1 2]
INFO  jepsen.util - 0\t:invoke\t:write\t4
INFO  jepsen.util - 1\t:invoke\t:cas\t[0 0]
INFO  jepsen.util - 0\t:info\t:write\t:timed-out
INFO  jepsen.util - 1\t:fail\t:cas\t:timed-out
INFO  jepsen.util - 1\t:invoke\t:read\tnil
INFO  jepsen.util - 1\t:ok\t:read\tnil",
        &["1 cas([1, 2]) = false [1, 4] @3, 7", "0 write(4) ? [5, -] @8, 0", "1 read(nil) = nil [9, 10] @12, 13"],
    );
}

#[test]
fn porcupine_kv() {
    check(
        Format::PorcupineKv,
        r#"{:process 0, :type :invoke, :f :append, :key "0", :value "x 9\ty"}
{:process 1, :type :invoke, :f :get, :key "1", :value nil}
{:process 0, :type :ok, :f :append, :key "0", :value "x 9\ty"}
{:process 1, :type :ok, :f :get, :key "1", :value ""}"#,
        &[r#"0 append("0": "x 9\ty") = "x 9\ty" [0, 2] @1, 3"#, r#"1 get("1": nil) = "" [1, 3] @2, 4"#],
    );
}

#[test]
fn what_is_left_out_is_counted() {
    let log = "INFO jepsen.util - 0 :invoke :read nil\nINFO jepsen.util - 0 :fail :read :timed-out\n\
               INFO jepsen.util - :nemesis :info :stop nil";
    assert_eq!(read_text(log).origin.unwrap().left_out, LeftOut { failed: 1, events: 1 });
}

#[test]
fn conventions_are_the_formats_own_unless_given() {
    let given = |failed_cas, nil_read_says_nothing, initial| Conventions {
        failed_cas,
        nil_read_says_nothing,
        initial: Some(initial),
    };
    let expected = [
        given(FailedCas::DidNotHappen, false, Initial::Zero),
        given(FailedCas::DidNotHappen, true, Initial::Nil),
        given(FailedCas::DidNotHappen, true, Initial::Nil),
        given(FailedCas::Compared, false, Initial::Nil),
        given(FailedCas::DidNotHappen, false, Initial::EmptyText),
    ];
    for (format, expected) in Format::ALL.into_iter().zip(expected) {
        let recording = read_as(format, "");
        assert!(recording.history.is_empty());
        assert_eq!(recording.conventions, expected, "{format}");
        let events = recording.layout == Layout::Events;
        assert_eq!(events, format != Format::JsonOperations);
        assert_eq!(Format::from_name(format.name()), Some(format));
        assert!(!format.explanation().contains('\n'));
    }
    assert_eq!(Format::from_name("csv"), None);
    let options = ReadOptions {
        format: Some(Format::JepsenEdn),
        failed_cas: Some(FailedCas::Compared),
        nil_read_says_nothing: Some(false),
    };
    let events = "{:process 0 :type :invoke :f :compare-and-set :value [1 2]} {:process 0 :type :fail}
                  {:process 0 :type :invoke :f :write :value 2} {:process 0 :type :fail}";
    let recording = read(events.as_bytes(), &options).unwrap();
    assert_eq!(shown(&recording), ["0 compare-and-set([1, 2]) = false [0, 1] @1, 1"]);
    assert!(!recording.conventions.nil_read_says_nothing);
}

#[test]
fn names_of_compare_and_set() {
    for name in ["cas", "CAS", "compare-and-set", "compare_and_set", "compareAndSwap", "compare_exchange"] {
        assert!(is_compare_and_set(name), "{name}");
    }
    for name in ["", "case", "set", "compare"] {
        assert!(!is_compare_and_set(name), "{name}");
    }
}

#[test]
fn edn_values() {
    for (text, expected) in [
        ("nil", "nil"),
        ("true", "true"),
        ("-12", "-12"),
        ("+7", "7"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807N", "9223372036854775807"),
        (r#""a\"\\\n\u00e9\ud83d\ude00\101""#, r#""a\"\\\né😀A""#),
        ("\"two\nlines\"", r#""two\nlines""#),
        (r"\a", r#""a""#),
        (r"\newline", r#""\n""#),
        (r"[\( \u03a9 \o101 \u \é]", r#"["(", "Ω", "A", "u", "é"]"#),
        (":kw", r#"":kw""#),
        (":ns/kw", r#"":ns/kw""#),
        ("sym-bol", r#""sym-bol""#),
        ("-", r#""-""#),
        ("[1,2 [3]]", "[1, 2, [3]]"),
        ("(1 2)", "[1, 2]"),
        ("()", "[]"),
        ("#{3 1 2}", "[1, 2, 3]"),
        ("{:b 1, :a 2}", r#"[[":a", 2], [":b", 1]]"#),
        (r#"#inst "2020""#, r#""2020""#),
        ("#foo/bar #baz [1 #_ #_ 2 3 4]", "[1, 4]"),
        ("[1;2\n3]", "[1, 3]"),
        (r##"#"a.b""##, r#""a.b""#),
    ] {
        assert_eq!(edn_value(text), expected, "{text}");
    }
}

#[test]
fn json_values() {
    for (text, expected) in [
        ("-0", "0"),
        ("9223372036854775807", "9223372036854775807"),
        (r#""\"\\\/\b\f\n\r\t\u00E9\ud83d\uDE00é""#, r#""\"\\/\u{8}\u{c}\n\r\té😀é""#),
        (r#"{"b":[1],"a":{}}"#, r#"[["a", []], ["b", [1]]]"#),
        (" [ 1 , [ ] ] ", "[1, []]"),
        ("true", "true"),
    ] {
        assert_eq!(json_value(text).unwrap().to_string(), expected, "{text}");
    }
}

/// The examples of the specification are histories of the formats under whose headings they stand.
#[test]
fn examples_of_the_documentation_are_read() {
    let text = include_str!("../../../docs/src/history-formats.md");
    let mut read_formats = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let Some(format) = Format::from_name(section.lines().next().unwrap()) else { continue };
        let block = section.split("```").nth(1).unwrap();
        let (_, example) = block.split_once('\n').unwrap();
        let recording = read_text(example);
        assert_eq!(recording.origin.unwrap().format, format);
        assert!(!recording.history.is_empty());
        read_formats.push(format);
    }
    assert_eq!(read_formats, Format::ALL);
}

#[test]
fn a_word_that_only_begins_like_key_is_none() {
    let text = "{:process 0, :type :invoke, :f :keys, :value :keyed}";
    assert_eq!(read_text(text).origin.unwrap().format, Format::JepsenEdn);
}

/// Our JSON against serde_json's: the same texts are values, and they are the same values, except for numbers that are
/// not ours and keys that stand twice.
#[test]
fn json_grammar_is_that_of_serde_json() {
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "1",
        "0",
        "-",
        "12",
        "01",
        "1.5",
        "e",
        "E+3",
        ".",
        "9223372036854775808",
        "\"",
        "a",
        "\\",
        "\\n",
        "\\u",
        "00e9",
        "\\ud83d",
        "\\ude00",
        "é",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        " ",
        "\n",
        "\t",
        "null",
        "true",
        "false",
        "nul",
        "\"k\"",
        "\"k\":",
        "[1,2]",
        "{\"a\":[]}",
        "\u{7f}",
        "\u{0}",
    ];
    let (mut both, mut neither) = (0, 0);
    for _ in 0..200_000 {
        let text: String = (0..random.usize(1..7)).map(|_| pieces[random.usize(..pieces.len())]).collect();
        // What closes our own object would be part of it.
        let ours = json_value(&text);
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => {
                both += 1;
                assert_eq!(*ours, converted(theirs), "{text:?}");
            }
            (Err(_), Err(_)) => neither += 1,
            (Err(error), Ok(_)) => {
                let known =
                    ["is not an integer", "does not fit", "stands twice"].iter().any(|known| error.contains(known));
                assert!(known, "{text:?}: {error}");
            }
            (Ok(_), Err(error)) => {
                // `1,"_":2` goes on with our own object; and what is beyond the floats is no error until it is used.
                let ours = text.contains(',') || text.contains('\n');
                assert!(ours, "{text:?}: {error}");
            }
        }
    }
    assert!(both > 2_000 && neither > 2_000, "{both} {neither}");
}

fn converted(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(truth) => Value::Bool(*truth),
        serde_json::Value::Number(number) => {
            // `-0` is a float to serde_json.
            Value::Integer(number.as_i64().unwrap_or_else(|| number.as_f64().unwrap() as i64))
        }
        serde_json::Value::String(text) => Value::from(&**text),
        serde_json::Value::Array(items) => Value::list(items.iter().map(converted)),
        serde_json::Value::Object(entries) => {
            let mut pairs: Vec<_> =
                entries.iter().map(|(key, value)| [Value::from(&**key), converted(value)]).collect();
            pairs.sort();
            Value::list(pairs.into_iter().map(Value::list))
        }
    }
}

#[test]
fn what_is_written_reads_back_equal() {
    for seed in 0..2_000 {
        let history = random_history(&mut fastrand::Rng::with_seed(seed));
        let mut written = Vec::new();
        write_json_lines(&history, &mut written).unwrap();
        // An empty input does not tell its format.
        let options = ReadOptions { format: Some(Format::JsonOperations), ..ReadOptions::default() };
        let again = read(&*written, &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.history.operations(), history.operations(), "{}", String::from_utf8_lossy(&written));
        assert_eq!(again.history.intervals(), history.intervals());
        let lines: Vec<usize> = again.lines.iter().map(|lines| lines.call).collect();
        assert_eq!(lines, (1..=history.len()).collect::<Vec<_>>());
        let mut rewritten = Vec::new();
        write_json_lines(&again.history, &mut rewritten).unwrap();
        assert_eq!(written, rewritten);
    }
}

#[test]
fn what_json_lines_cannot_say_is_not_written() {
    let call = Call { name: "f".into(), key: None, argument: Value::Nil };
    let operation = Operation { process: 0, invocation: call.clone(), result: None, returned: false };
    let ordered = History::ordered(vec![operation], Vec::new());
    assert!(write_json_lines(&ordered, Vec::new()).is_err());
    let mut history = History::new();
    history.pending(u64::MAX, call, 0);
    assert!(write_json_lines(&history, Vec::new()).is_err());
}

fn random_history(random: &mut fastrand::Rng) -> History<Call, Value> {
    let mut history = History::new();
    let mut processes: Vec<(u64, i64)> =
        (0..random.u64(1..4)).map(|p| (p * 1_000_000_007, random.i64(-50..50))).collect();
    for _ in 0..random.usize(..20) {
        if processes.is_empty() {
            break;
        }
        let at = random.usize(..processes.len());
        let (process, time) = processes[at];
        let call = time + random.i64(0..5);
        let name = ["read", "compare-and-set", "ü \"\\\u{1}\n"][random.usize(..3)].into();
        let key = Some(random_value(random, 1)).filter(|key| !key.is_nil());
        let invocation = Call { name, key, argument: random_value(random, 3) };
        if random.u8(..10) == 0 {
            history.pending(process, invocation, call);
            processes.remove(at);
            continue;
        }
        let ret = call + random.i64(0..5);
        processes[at].1 = ret;
        let result = random.bool().then(|| random_value(random, 3));
        history.push(Operation { process, invocation, result, returned: true }, Interval { call, ret });
    }
    history
}

fn random_value(random: &mut fastrand::Rng, depth: usize) -> Value {
    match random.u8(if depth == 0 { 0..5 } else { 0..6 }) {
        0 => Value::Nil,
        1 => Value::Bool(random.bool()),
        2 => Value::Integer(random.i64(..)),
        3 => Value::Integer(random.i64(-9..10)),
        4 => Value::Text((0..random.usize(..70)).map(|_| random.char(..)).collect::<String>().into()),
        _ => Value::list((0..random.usize(..4)).map(|_| random_value(random, depth - 1)).collect::<Vec<_>>()),
    }
}
