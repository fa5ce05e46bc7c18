//! Reports and what is made of them.

mod schema;

use linchpin_report::report::{Candidate, Explained, Kind, Operation, Position, Report, Row, Section, Verified};
use linchpin_report::text::Style;
use linchpin_report::{html, sarif, text};
use serde_json::Value;

/// A stack that pops twice, as a test has written it: what is wrong, with its cause.
fn array_stack() -> Report {
    Report::from_json(include_str!("samples/array-stack.json")).unwrap()
}

/// A use after free.
fn boxed_stack() -> Report {
    Report::from_json(include_str!("samples/boxed-stack.json")).unwrap()
}

/// Every text in it tries to get out of where it stands.
fn hostile() -> Report {
    const EVIL: &str = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u{202e}\0";
    let mut report = array_stack();
    let json = report.to_json();
    report.headline = EVIL.into();
    report.object = Some(EVIL.into());
    report.test = Some(EVIL.into());
    report.replay_command = Some(EVIL.into());
    report.why = vec![EVIL.into(), format!("{EVIL}\n{EVIL}")];
    report.next = vec![EVIL.into()];
    report.minimality = Some(EVIL.into());
    report.assumptions = vec![EVIL.into()];
    report.closest.iter_mut().for_each(|near| near.order = vec![EVIL.into()]);
    let execution = report.execution.as_mut().unwrap();
    execution.threads.iter_mut().for_each(|thread| thread.given_name = Some(EVIL.into()));
    execution.operations.iter_mut().for_each(|operation: &mut Operation| operation.name = EVIL.into());
    execution.locations.iter_mut().for_each(|location| location.what = EVIL.into());
    for row in &mut execution.rows {
        row.text = EVIL.into();
        row.seen = row.seen.as_ref().map(|_| EVIL.into());
        row.place = EVIL.into();
        row.position = Some(Position { file: EVIL.into(), line: 53, column: Some(1) });
    }
    report.sources.iter_mut().for_each(|source| {
        source.file = EVIL.into();
        source.lines.iter_mut().for_each(|line| *line = EVIL.into());
    });
    let explained = report.explanation.as_mut().unwrap();
    let section = |section: &mut Section| (section.operation, section.file) = (EVIL.into(), Some(EVIL.into()));
    explained.cause.sections.iter_mut().for_each(section);
    explained.rankings.iter_mut().flat_map(|ranking| &mut ranking.candidates).for_each(|candidate| {
        candidate.sections.iter_mut().for_each(section);
    });
    for point in &mut explained.races.as_mut().unwrap().tree {
        point.label = EVIL.into();
        point.branches.iter_mut().flat_map(|branch| &mut branch.steps).for_each(|step| step.thread = EVIL.into());
    }
    assert_ne!(report.to_json(), json);
    report
}

#[test]
fn a_report_comes_back_from_json_as_it_was() {
    for report in [array_stack(), boxed_stack(), hostile(), Report::told(Kind::NothingToCheck, "nothing")] {
        assert_eq!(Report::from_json(&report.to_json()), Ok(report));
    }
}

#[test]
fn a_report_of_another_version_is_not_misread() {
    let text = array_stack().to_json().replace("\"schema\": 1", "\"schema\": 2");
    let error = Report::from_json(&text).unwrap_err();
    assert_eq!(error.to_string(), "not a report of this version of Linchpin: it has version 2 of the schema, not 1");
    assert!(Report::from_json("{}").is_err() && Report::from_json("no").is_err());
}

#[test]
fn a_colleague_tells_it_from_the_client_to_the_command() {
    insta::assert_snapshot!(text::report(&array_stack(), Style::default()));
}

#[test]
fn a_finding_without_a_cause_has_no_such_part() {
    insta::assert_snapshot!(text::report(&boxed_stack(), Style::default()));
}

#[test]
fn without_the_source_the_lines_are_named() {
    let report = Report { sources: Vec::new(), ..array_stack() };
    let text = text::report(&report, Style::default());
    assert!(text.contains(
        "Cause: lines 53 to 54 of crates/linchpin-zoo/src/array_stack.rs (pop) must be atomic.\nWithout that"
    ));
}

#[test]
fn a_cause_of_several_sections_is_underlined_in_each() {
    let mut report = array_stack();
    let explained = report.explanation.as_mut().unwrap();
    let first = explained.cause.sections[0].clone();
    let second = Section { operation: "push".into(), first_line: Some(40), last_line: Some(41), ..first.clone() };
    let elsewhere = Section { operation: "peek".into(), first_line: Some(900), last_line: Some(901), ..first.clone() };
    explained.cause.sections = vec![first, second, elsewhere];
    let text = text::report(&report, Style::default());
    let cause = &text[text.find("Cause:").unwrap()..text.find("Without that").unwrap()];
    insta::assert_snapshot!(cause);
}

#[test]
fn colours_add_nothing_but_colours() {
    for report in [array_stack(), boxed_stack()] {
        let plain = text::report(&report, Style::default());
        let coloured = text::report(&report, Style { colour: true, ..Style::default() });
        assert!(coloured.len() > plain.len());
        let mut without = String::new();
        let mut parts = coloured.split("\x1b[");
        without.extend(parts.next());
        parts.for_each(|part| without.push_str(part.split_once('m').unwrap().1));
        let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&without), lines(&plain));
    }
}

#[test]
fn a_narrow_terminal_is_respected_as_far_as_words_allow() {
    let text = text::report(&boxed_stack(), Style { colour: false, width: 80 });
    let execution = text.lines().skip_while(|line| !line.contains("main ")).take_while(|line| !line.is_empty());
    let widest = execution.map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 80, "{text}");
    let words = text.lines().skip_while(|line| !line.starts_with("Nothing keeps")).take(3);
    assert!(words.clone().count() == 3 && words.into_iter().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn nothing_gets_out_of_where_it_stands() {
    let page = html::page(&hostile()) + &html::index(&[hostile()]);
    // The two documents have one script each, and nothing else that runs or loads.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("\u{202e}") && !page.contains('\0'));
    let attributes = page.split('<').skip(1).filter_map(|tag| tag.split_once('>'));
    assert!(attributes.clone().count() > 100);
    assert!(attributes.into_iter().all(|(tag, _)| !tag.contains(" onerror") || tag.contains("&lt;img")), "{page}");
}

#[test]
fn pictures_are_well_formed_and_have_all_rows_and_edges() {
    for report in [array_stack(), boxed_stack(), hostile()] {
        let page = html::page(&report);
        let start = page.find("<svg id=\"diagram\"").unwrap();
        let end = start + page[start..].find("</svg>").unwrap() + "</svg>".len();
        let picture = roxmltree::Document::parse(&page[start..end]).unwrap();
        let count = |class: &str| {
            let has = |node: &roxmltree::Node| {
                node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
            };
            picture.descendants().filter(has).count()
        };
        let execution = report.execution.as_ref().unwrap();
        assert_eq!(count("act"), execution.rows.len());
        assert_eq!(count("operation"), execution.operations.len());
        let edges = execution.reads_from.len() + execution.modification_order.len() + execution.conflicts.len();
        assert_eq!(count("edge"), edges);
        let step = |number: usize| page.matches(&format!("id=\"step-{number}\"")).count();
        assert!((0..execution.rows.len()).all(|number| step(number) == 1));
    }
}

#[test]
fn ids_of_a_page_are_unique() {
    let page = html::page(&array_stack());
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn the_index_keeps_earlier_runs_apart() {
    let old = Report { run: "1-1".into(), time: 1_700_000_000, name: "old".into(), ..boxed_stack() };
    let new = Report { run: "2-2".into(), time: 1_794_000_000, name: "new".into(), ..array_stack() };
    let index = html::index(&[old, new]);
    let fold = index.find("of earlier runs").unwrap();
    assert!(index.find("new.html").unwrap() < fold && fold < index.find("old.html").unwrap());
    assert!(index.contains("<h1>1 failure</h1>") && index.contains("2023-11-14 22:13 UTC"));
    assert!(html::index(&[]).contains("Nothing was found"));
}

fn valid(log: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(include_str!("schema/sarif-schema-2.1.0.json")).unwrap();
    schema::errors(&schema, &serde_json::from_str(log).unwrap())
}

#[test]
fn sarif_is_what_its_schema_says() {
    let mut reports = vec![array_stack(), boxed_stack(), hostile()];
    reports.extend(Kind::ALL.iter().map(|&kind| Report::told(kind, kind.meaning())));
    let file = "/home/jo/with space/ü.rs".to_owned();
    let row = Row { position: Some(Position { file, line: 3, column: None }), ..Row::default() };
    let mut elsewhere = boxed_stack();
    let execution = elsewhere.execution.as_mut().unwrap();
    (execution.rows, execution.operations) = (vec![row], Vec::new());
    reports.push(elsewhere);
    let log = sarif::log(&reports);
    assert_eq!(valid(&log), Vec::<String>::new());
    assert!(log.contains("file:///home/jo/with%20space/%C3%BC.rs"));
    assert_eq!(valid(&sarif::log(&[])), Vec::<String>::new());
}

#[test]
fn the_schema_notices_what_is_wrong() {
    let log: Value = serde_json::from_str(&sarif::log(&[array_stack()])).unwrap();
    let broken = |pointer: &str, value: Value| {
        let mut log = log.clone();
        *log.pointer_mut(pointer).unwrap() = value;
        valid(&log.to_string()).len()
    };
    let result = "/runs/0/results/0";
    assert_eq!(broken("/version", "2.0".into()), 1);
    assert_eq!(broken(&format!("{result}/level"), "fatal".into()), 1);
    assert_eq!(broken(&format!("{result}/locations/0/physicalLocation/region/startLine"), 0.into()), 1);
    assert_eq!(broken(&format!("{result}/locations/0/physicalLocation/artifactLocation/uri"), "a b".into()), 1);
    assert_eq!(broken(&format!("{result}/codeFlows/0/threadFlows"), Value::Array(Vec::new())), 1);
    assert!(broken(&format!("{result}/message"), serde_json::json!({ "words": "" })) > 0);
}

#[test]
fn a_result_is_where_its_cause_is_and_flows_have_all_rows() {
    let log: Value = serde_json::from_str(&sarif::log(&[array_stack(), boxed_stack()])).unwrap();
    let results = &log["runs"][0]["results"];
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["endLine"]), (&53.into(), &54.into()));
    assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], "pop must be atomic here");
    for (result, report) in results.as_array().unwrap().iter().zip([array_stack(), boxed_stack()]) {
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"],
            report.kind.id()
        );
        let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
        let steps = flows.iter().flat_map(|flow| flow["locations"].as_array().unwrap());
        let mut orders: Vec<u64> = steps.map(|step| step["executionOrder"].as_u64().unwrap()).collect();
        orders.sort();
        assert_eq!(orders, (1..=report.execution.unwrap().rows.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_bounded_is_never_called_verified() {
    let mut report = array_stack();
    // That is made together with the explanation.
    report.next.clear();
    let explained: &mut Explained = report.explanation.as_mut().unwrap();
    explained.verification = Verified::WithinBounds;
    explained.covered = linchpin_report::report::Covered {
        coverage: linchpin_report::report::Extent::Bounded,
        bounded_by: vec!["10000 events per thread".into()],
    };
    let text = text::report(&report, Style::default()).replace('\n', " ");
    assert!(text.contains("verified within bounds (bounded by 10000 events per thread)"), "{text}");
    assert!(html::page(&report).contains("<span class=\"badge fair\">verified within bounds</span>"));
    let explained = report.explanation.as_mut().unwrap();
    (explained.verification, explained.left) = (Verified::Partly, 3);
    assert!(!text::report(&report, Style::default()).contains("verified"));
    explained_by_nothing(report);
}

/// Nothing that could be atomic changes anything.
fn explained_by_nothing(mut report: Report) {
    report.explanation.as_mut().unwrap().cause = Candidate::default();
    let told = "no section of the code that is made atomic would change that";
    assert!(text::report(&report, Style { width: 500, colour: false }).replace('\n', " ").contains(told));
    assert!(html::page(&report).contains(told));
}

#[test]
fn the_book_lists_every_kind() {
    let book = include_str!("../../../../docs/src/report-format.md");
    for kind in Kind::ALL {
        assert!(book.contains(&format!("`{}`", kind.id())), "docs/src/report-format.md does not list {}", kind.id());
    }
}

#[test]
fn what_other_clients_say_is_known_everywhere() {
    let others = "Of 5 generated clients 2 fail. With the sections of the cause atomic, none does.";
    let report = Report { other_clients: Some(others.into()), ..array_stack() };
    assert!(text::report(&report, Style::default()).contains(&format!("\n- {others}\n")));
    assert!(html::page(&report).contains(&format!("<li>{others}</li>")));
}
