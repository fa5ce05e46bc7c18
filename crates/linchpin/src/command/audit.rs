//! Which memory orders the clients of an object need.

use linchpin_audit::{Audit, Half, Need, Repairs, Row, Trial, Weakest};
use linchpin_generate::generate;
use linchpin_graph::Order;
use linchpin_model::AnyObject;
use linchpin_report::Report;
use serde::Serialize;

use super::{About, Answer, AuditRequest, Exit, Question, Session, check};
use crate::reports;
use crate::settings::Settings;
use crate::trials::Trials;
use crate::{Builder, Change, ClientTest, MemoryModel, Place, Suite};

/// Orders are held against so many generated clients, unless told otherwise: each is explored for each order.
const CLIENTS: usize = 20;

/// What is said where there is nothing to repair.
const NOTHING_FAILS: &str = "no test fails, so there is nothing to strengthen";

pub(super) fn of_object(
    object: AnyObject,
    about: &About<'_>,
    request: &AuditRequest,
    session: &Session<'_>,
) -> Result<Answer, String> {
    let clients: Vec<ClientTest> = match &request.clients[..] {
        [] => generated(object, request),
        texts => texts
            .iter()
            .map(|text| ClientTest::of(object, text).map_err(|error| error.to_string()))
            .collect::<Result<_, String>>()?,
    };
    if clients.is_empty() {
        return Err(format!("no client of {} can be generated with these options", about.name));
    }
    let suite = Suite::new().with(builder(request));
    let suite = clients.into_iter().fold(suite, Suite::client);
    Ok(answer(&about.to_string(), &suite, request.question, session))
}

fn generated(object: AnyObject, request: &AuditRequest) -> Vec<ClientTest> {
    let number = request.generated.max_clients.or(Settings::here().max_clients).unwrap_or(CLIENTS);
    let seed = request.generated.seed.or(Settings::here().seed).unwrap_or(0);
    generate(object, seed, check::options(&request.generated))
        .take(number)
        .map(|client| ClientTest::new(object, client))
        .collect()
}

/// Orders matter under C11 alone, whatever the settings say.
fn builder(request: &AuditRequest) -> Builder {
    let builder = Builder::new().memory_model(MemoryModel::C11);
    match request.time_limit {
        Some(limit) => builder.max_time(limit),
        None => builder,
    }
}

/// Asks a suite a question about its memory orders. `heading` says whose tests they are.
pub fn answer(heading: &str, suite: &Suite, question: Question, session: &Session<'_>) -> Answer {
    let progress = |trials: usize| (session.progress)(None, &format!("asking about memory orders: {trials} trials"));
    of_trials(heading, &suite.trials(Some(session.interrupt), &progress), question)
}

pub(crate) fn of_trials(heading: &str, trials: &Trials<'_>, question: Question) -> Answer {
    let now = trials.run();
    let mut printed = Printed::of(heading, trials);
    let mut text = format!("{heading}\n");
    let exit = match (question, &now) {
        (Question::Repair(_), Trial::Passes) => {
            text.push_str(&format!("{NOTHING_FAILS}\n"));
            Exit::Holds
        }
        (Question::Repair(most), Trial::Fails(failure)) => {
            text.push_str(&told(failure));
            match trials.repair(most) {
                Some(repairs) => {
                    text.push_str(&format!("\nWhat rules that out, the cheapest first:\n{repairs}"));
                    printed.repairs = Some(repairs_of(&repairs));
                }
                None => text.push_str(&format!("{NOTHING_FAILS}\n")),
            }
            Exit::Violation
        }
        (_, Trial::Fails(failure)) => {
            text.push_str(&told(failure));
            text.push_str("\nWhich orders are needed can be said only of tests that pass. --repair looks for what to strengthen.\n");
            Exit::Violation
        }
        (_, Trial::Undecided(why)) => {
            text.push_str(&format!("undecided: {why}\nGive it more time (--time-limit), or smaller tests.\n"));
            Exit::Undecided
        }
        (Question::Needed, Trial::Passes) => {
            let audit = trials.audit();
            text.push_str(&table(&audit));
            let is_undecided = |row: &Row| matches!(row.need, Need::Undecided(_));
            let exit = if audit.rows.iter().any(is_undecided) { Exit::Undecided } else { Exit::Holds };
            printed.rows = Some(rows_of(&audit));
            exit
        }
        (Question::Weakest, Trial::Passes) => {
            match trials.weakest() {
                Some(weakest) => {
                    text.push_str(&weakest_text(&weakest));
                    printed.weakened = Some(weakened_of(&weakest));
                }
                // It has passed a moment ago: somebody has interrupted.
                None => text.push_str("undecided: an interrupt\n"),
            }
            if printed.weakened.is_some() { Exit::Holds } else { Exit::Undecided }
        }
    };
    let mut found = None;
    if let Trial::Fails(failure) = &now {
        printed.failure = Some(Failing { test: failure.test.clone(), what: failure.what.clone() });
        // Of `name (description)`, files have the name.
        let name = heading.split(' ').next().unwrap_or(heading).to_owned();
        found = trials.report(&failure.test).map(|report| reports::complete(Report { name, ..report }));
    }
    printed.verdict = match exit {
        Exit::Violation => "violation",
        Exit::Holds => "holds",
        Exit::Unusable | Exit::Undecided => "unknown",
    };
    printed.report = found.as_ref();
    let answer = Answer::new(exit, text, &printed);
    Answer { report: found.map(Box::new), ..answer }
}

fn told(failure: &linchpin_audit::Failure) -> String {
    // The report says the rest.
    format!("«{}» fails as it is: {}\n", failure.test, failure.what.lines().next().unwrap_or_default())
}

/// The audit as columns: where, which order, which it became, and what came of that.
fn table(audit: &Audit) -> String {
    let mut rows: Vec<[String; 4]> = audit.rows.iter().map(row_text).collect();
    for (file, mention) in &audit.unreached {
        let place = format!("{file}:{}:{}", mention.line, mention.column);
        rows.push([place, mention.name.clone(), String::new(), "unreached".into()]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [place, access, change] = [width(0), width(1), width(2)];
    let mut text = String::new();
    for [at, what, tried, came] in &rows {
        text.push_str(&format!("{at:place$}  {what:access$}  {tried:change$}  {came}\n"));
    }
    let count = |is: fn(&Need) -> bool| audit.rows.iter().filter(|row| is(&row.need)).count();
    text.push_str(&format!(
        "\n{} needed, {} not needed by these tests, {} unreached, {} undecided. What these tests do not need, others may.\n",
        count(|need| matches!(need, Need::Needed(_))),
        count(|need| matches!(need, Need::NotNeeded(_))),
        count(|need| matches!(need, Need::Unreached)) + audit.unreached.len(),
        count(|need| matches!(need, Need::Undecided(_))),
    ));
    text
}

fn row_text(row: &Row) -> [String; 4] {
    let Row { access, weakened, need } = row;
    let half = if access.half == Half::Failure { " (failing)" } else { "" };
    let came = match need {
        Need::Needed(failure) => {
            format!("needed, or in «{}»: {}", failure.test, failure.what.lines().next().unwrap_or_default())
        }
        Need::NotNeeded(weakest) => format!("not needed by these tests; {weakest:?} will do"),
        Need::Unreached => "unreached".into(),
        Need::Undecided(why) => format!("undecided: {why}"),
    };
    let what = format!("{:?}{half}", access.place.verb);
    [access.place.to_string(), what, format!("{:?} → {weakened:?}", access.order), came]
}

fn weakest_text(weakest: &Weakest) -> String {
    if weakest.weakened.is_empty() {
        return "no order can be weakened without a test failing\n".into();
    }
    let mut text = "all of these together, and nothing more, without a test failing:\n".to_owned();
    for (access, order) in &weakest.weakened {
        let half = if access.half == Half::Failure { " (failing)" } else { "" };
        let place = &access.place;
        text.push_str(&format!("  {place} {:?}{half} {:?} → {order:?}\n", place.verb, access.order));
    }
    text.push_str("What these tests do not need, others may.\n");
    text
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    object: String,
    verdict: &'static str,
    tests: Vec<String>,
    /// What fails as it is.
    failure: Option<Failing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<RowReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weakened: Option<Vec<RowReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<RepairsReport>,
    /// How it fails as it is.
    report: Option<&'a Report>,
}

#[derive(Serialize)]
struct Failing {
    test: String,
    what: String,
}

#[derive(Serialize, Default)]
struct RowReport {
    file: String,
    line: u32,
    column: u32,
    access: String,
    /// Is it the order of an exchange that fails?
    failing: bool,
    order: Option<String>,
    weakened: Option<String>,
    /// `needed`, `not needed`, `unreached` or `undecided`.
    need: Option<&'static str>,
    /// How weak the order could be on its own.
    weakest: Option<String>,
    /// What fails without it.
    failure: Option<Failing>,
}

#[derive(Serialize)]
struct RepairsReport {
    complete: bool,
    sets: Vec<RepairReport>,
}

#[derive(Serialize)]
struct RepairReport {
    cost: u32,
    changes: Vec<ChangeReport>,
}

#[derive(Serialize)]
struct ChangeReport {
    file: String,
    line: u32,
    column: u32,
    access: String,
    order: Option<String>,
    failing_order: Option<String>,
    fence_before: Option<String>,
}

impl Printed<'_> {
    fn of(heading: &str, trials: &Trials<'_>) -> Self {
        Printed {
            object: heading.to_owned(),
            verdict: "unknown",
            tests: trials.cases.iter().map(|case| case.name.clone()).collect(),
            failure: None,
            rows: None,
            weakened: None,
            repairs: None,
            report: None,
        }
    }
}

fn name(order: Order) -> String {
    format!("{order:?}")
}

fn row(access: &linchpin_audit::Access) -> RowReport {
    RowReport {
        file: access.place.file.clone(),
        line: access.place.line,
        column: access.place.column,
        access: format!("{:?}", access.place.verb),
        failing: access.half == Half::Failure,
        order: Some(name(access.order)),
        ..RowReport::default()
    }
}

fn rows_of(audit: &Audit) -> Vec<RowReport> {
    let tried = audit.rows.iter().map(|tried| {
        let mut report = RowReport { weakened: Some(name(tried.weakened)), ..row(&tried.access) };
        report.need = Some(match &tried.need {
            Need::Needed(failure) => {
                report.failure = Some(Failing { test: failure.test.clone(), what: failure.what.clone() });
                "needed"
            }
            Need::NotNeeded(weakest) => {
                report.weakest = Some(name(*weakest));
                "not needed"
            }
            Need::Unreached => "unreached",
            Need::Undecided(_) => "undecided",
        });
        report
    });
    let unreached = audit.unreached.iter().map(|(file, mention)| RowReport {
        file: file.clone(),
        line: mention.line,
        column: mention.column,
        access: mention.name.clone(),
        need: Some("unreached"),
        ..RowReport::default()
    });
    tried.chain(unreached).collect()
}

fn weakened_of(weakest: &Weakest) -> Vec<RowReport> {
    let weakened =
        |(access, order): &(linchpin_audit::Access, Order)| RowReport { weakened: Some(name(*order)), ..row(access) };
    weakest.weakened.iter().map(weakened).collect()
}

fn repairs_of(repairs: &Repairs) -> RepairsReport {
    let change = |(place, change): &(Place, Change)| ChangeReport {
        file: place.file.clone(),
        line: place.line,
        column: place.column,
        access: format!("{:?}", place.verb),
        order: change.order.map(name),
        failing_order: change.failure.map(name),
        fence_before: change.fence_before.map(name),
    };
    let sets = repairs
        .repairs
        .iter()
        .map(|repair| RepairReport { cost: repair.cost, changes: repair.changes.iter().map(change).collect() });
    RepairsReport { complete: repairs.is_complete, sets: sets.collect() }
}
