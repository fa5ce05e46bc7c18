//! Requests from `cargo linchpin`, answered by the test binary in which the objects are.
//!
//! The command starts the binary with [`VARIABLE`] set and one end of a socket for standard input. It writes an [`Ask`] as a
//! line of JSON, and is told [`Message`]s in the same way. When it closes its direction, the answer is to be what is known
//! by then: Ctrl-C reaches the command, and not the binary.
//!
//! [`object!`](crate::object!) makes every object register itself before `main` begins, which is where requests about objects
//! are answered. So they need no test to be in, and may be described wherever there is code: in tests, in modules, in the
//! bodies of functions. Nothing happens there unless the variable is set.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use linchpin_engine::{Exploration, Hooks, Judge, explore_with};
use linchpin_model::{AnyObject, Object};
use serde::{Deserialize, Serialize};

use super::{About, Answer, Question, Request, Session, audit, run};
use crate::trials::{Case, Trials};
use crate::{Builder, MemoryModel};

/// Is set if somebody asks.
pub const VARIABLE: &str = "LINCHPIN_COMMAND";

/// How soon it is noticed that nobody listens.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is asked of a test binary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Which objects are there?
    Objects,
    /// Something about one of them.
    Object(Place, Request),
    /// What about the memory orders of the test that is going to be run?
    Orders(Question),
}

/// What a test binary has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// There is an object.
    Object(Place),
    /// Which share is done, if that is known, and what is being done.
    Progress(Option<f64>, String),
    /// What was asked for, or why it makes no sense.
    Answer(Result<Answer, String>),
}

/// Where an object is described.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The module.
    pub module: String,
    /// The object's name.
    pub name: String,
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// The same as `module::Name`.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.module, self.name)
    }
}

/// The command that asks, as it is typed.
pub(crate) fn asked_by() -> &'static str {
    match std::env::var_os(VARIABLE) {
        Some(_) => "cargo linchpin",
        None => "linchpin",
    }
}

/// Somebody who asks.
struct Asking {
    ask: Ask,
    stream: Mutex<UnixStream>,
}

impl Asking {
    /// Who asks, if the variable is set and standard input is what it should be then.
    fn now() -> Option<&'static Asking> {
        static ASKING: OnceLock<Option<Asking>> = OnceLock::new();
        std::env::var_os(VARIABLE)?;
        ASKING.get_or_init(Asking::accept).as_ref()
    }

    fn accept() -> Option<Asking> {
        let stream = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(Asking { ask: serde_json::from_str(&line).ok()?, stream: Mutex::new(stream) })
    }

    /// Who does not listen any more does not want to know.
    fn tell(&self, message: &Message) {
        let line = serde_json::to_string(message).unwrap_or_default() + "\n";
        let _ = self.stream.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }

    /// A flag that becomes true when the other side has closed its direction.
    fn interrupt(&self) -> &'static AtomicBool {
        static INTERRUPT: AtomicBool = AtomicBool::new(false);
        static WATCHER: OnceLock<()> = OnceLock::new();
        WATCHER.get_or_init(|| {
            let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).try_clone();
            if let Ok(mut stream) = stream {
                std::thread::spawn(move || {
                    let mut rest = Vec::new();
                    let _ = stream.read_to_end(&mut rest);
                    INTERRUPT.store(true, Relaxed);
                    // Who is gone altogether wants no answer any more.
                    while stream.write_all(b"\n").is_ok() {
                        std::thread::sleep(PATIENCE);
                    }
                    std::process::exit(1);
                });
            }
        });
        &INTERRUPT
    }

    /// Tells how far something is, but not too often.
    fn progress(&self) -> impl Fn(Option<f64>, &str) {
        const OFTEN: Duration = Duration::from_millis(100);
        let last: Cell<Option<Instant>> = Cell::new(None);
        move |done, message| {
            if last.get().is_none_or(|last| last.elapsed() >= OFTEN) {
                last.set(Some(Instant::now()));
                self.tell(&Message::Progress(done, message.to_owned()));
            }
        }
    }
}

/// Is called for every object before `main`. Ends the process if the object is the one that is asked about.
#[doc(hidden)]
pub fn __register<O: Object>(module: &str, file: &str, line: u32) {
    if let Some(asking) = Asking::now() {
        register(asking, AnyObject::of::<O>(), module, file, line);
    }
}

fn register(asking: &'static Asking, object: AnyObject, module: &str, file: &str, line: u32) {
    let name = object.name();
    let here = Place { module: module.to_owned(), name: name.to_owned(), file: file.to_owned(), line };
    match &asking.ask {
        Ask::Objects => asking.tell(&Message::Object(here)),
        Ask::Object(place, request) if *place == here => {
            // A thread of the standard library's making, with the stack and the name that threads have.
            let answering = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
                let session = Session { interrupt: asking.interrupt(), progress: &asking.progress() };
                let about = About { name, description: None, imports: None };
                asking.tell(&Message::Answer(run(object, &about, request, &session)));
            });
            // A panic has said what is wrong; that there is no answer says the rest.
            let is_answered = answering.is_ok_and(|thread| thread.join().is_ok());
            std::process::exit(i32::from(!is_answered));
        }
        Ask::Object(..) | Ask::Orders(_) => {}
    }
}

/// If the running test is to be asked about its memory orders, asks it, and returns what exploring it once has shown.
pub(crate) fn audited(
    builder: &Builder,
    test: &(impl Fn() + Send + Sync + 'static),
    judge: &Judge<'_>,
) -> Option<Exploration> {
    let asking = Asking::now()?;
    let Ask::Orders(question) = &asking.ask else { return None };
    let explore = |builder: &Builder, hooks: Hooks<'_>| explore_with(builder.config(), test, hooks);
    let name = std::thread::current().name().unwrap_or("the test").to_owned();
    let case = Case {
        name: name.clone(),
        judged: Box::new(|builder, interrupt| explore(builder, Hooks { judge, interrupt, ..Hooks::default() })),
        plain: Box::new(explore),
    };
    let (progress, interrupt) = (asking.progress(), asking.interrupt());
    let progress = |trials: usize| progress(None, &format!("asking about memory orders: {trials} trials"));
    let trials = Trials {
        builder: builder.clone(),
        orders: builder.config().orders.clone(),
        cases: vec![case],
        interrupt: Some(interrupt),
        progress: &progress,
        done: Cell::new(0),
    };
    let answer = match builder.config().model {
        MemoryModel::C11 => Ok(audit::of_trials(&name, &trials, *question)),
        MemoryModel::Sc => Err(format!(
            "{name} is explored under sequential consistency, where no memory order makes a difference; audit it under C11"
        )),
    };
    asking.tell(&Message::Answer(answer));
    Some((trials.cases[0].judged)(builder, Some(interrupt)))
}
