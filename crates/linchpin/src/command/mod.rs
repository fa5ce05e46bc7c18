//! What `linchpin …` and `cargo linchpin …` do with an object: requests and answers as values, and the functions that lead
//! from one to the other.
//!
//! A request is answered where the object's type is known: for objects of the zoo in the command itself, for objects of a
//! user in their test binary, which is [started for that](serve). Neither knows of the other.
//!
//! ```
//! use linchpin::AnyObject;
//! use linchpin::command::{About, ClientRequest, Exit, Request, Session, run};
//! use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
//!
//! linchpin::object! {
//!     Flag: AtomicU8 = AtomicU8::new(0);
//!     fn raise(&self) -> bool = |flag: &AtomicU8| flag.swap(1, SeqCst) == 0;
//! }
//!
//! let client = "{ raise() } || { raise() }".to_owned();
//! let request = Request::Client(ClientRequest { client, ..ClientRequest::default() });
//! let flag = AnyObject::of::<Flag>();
//! let answer = run(flag, &About::of(flag), &request, &Session::quiet())?;
//! assert_eq!(answer.exit, Exit::Holds);
//! assert!(answer.text.contains("coverage: complete"));
//! # Ok::<(), String>(())
//! ```

mod answer;
mod audit;
mod check;
mod choice;
mod client;
mod exit;
mod explain;
mod hunt;
mod known;
mod library;
mod replay;
mod request;
pub mod serve;

use std::sync::atomic::AtomicBool;

use linchpin_engine::Replay;
use linchpin_model::AnyObject;
use linchpin_report::Report;

use crate::reports;
pub use crate::settings::duration;

pub use answer::Answer;
pub use audit::answer as audit;
pub use choice::{Choice, Model, Reuse, Scheduler, Strategy, Tester};
pub use exit::Exit;
pub use request::{
    AuditRequest, CheckRequest, ClientRequest, Clients, ExplainRequest, HuntRequest, Question, ReplayRequest, Request,
    Subject,
};

/// What an object is called.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Its name on the command line.
    pub name: &'a str,
    /// What it is, in a few words.
    pub description: Option<&'a str>,
    /// What a test needs that names its types; see [`ClientTest::emit_test`](crate::ClientTest::emit_test).
    pub imports: Option<&'a str>,
}

impl About<'static> {
    /// What its description says.
    pub fn of(object: AnyObject) -> Self {
        About { name: object.name(), description: None, imports: None }
    }
}

impl About<'_> {
    /// A report that says by which name the object is known, with all that only this process knows.
    fn reported(&self, mut report: Report) -> Report {
        report.object = Some(self.name.to_owned());
        report.name = self.name.to_owned();
        reports::complete(report)
    }

    /// A replay as text that says by which name the object is known, so that it is found again.
    fn named(&self, mut replay: Replay) -> String {
        replay.origin.object = Some(self.name.to_owned());
        replay.to_string()
    }
}

/// Name and description.
impl std::fmt::Display for About<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.description {
            Some(description) => write!(f, "{} ({description})", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// Who is waiting for the answer.
pub struct Session<'a> {
    /// When this becomes true, whatever is known is the answer.
    pub interrupt: &'a AtomicBool,
    /// Is told from time to time which share is done, 0 to 1, where that can be said, and what is being done.
    pub progress: &'a dyn Fn(Option<f64>, &str),
}

impl Session<'static> {
    /// Nobody who could interrupt or look on.
    pub fn quiet() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Session { interrupt: &NEVER, progress: &|_, _| {} }
    }
}

/// Answers a request about an object.
///
/// # Errors
///
/// When the request makes no sense for this object; the message says what would.
pub fn run(object: AnyObject, about: &About<'_>, request: &Request, session: &Session<'_>) -> Result<Answer, String> {
    match request {
        Request::Client(request) => client::answer(object, about, request, session),
        Request::Hunt(request) => hunt::answer(object, about, request, session),
        Request::Replay(request) => replay::answer(object, about, request),
        Request::Explain(request) => explain::answer(object, about, request, session),
        Request::Check(request) => Ok(check::answer(object, about, request, session)),
        Request::Audit(request) => audit::of_object(object, about, request, session),
    }
}
