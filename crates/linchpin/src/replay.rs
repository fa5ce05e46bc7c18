//! One execution of a client again.

use linchpin_engine::{Call, Judge, Origin, Replay, ReplayDiverged, Violation, replay_with};
use linchpin_graph::Execution;
use linchpin_model::AnyObject;

use crate::ClientTest;
use crate::judge::Verdicts;
use crate::replay_file::{self, Asked};

impl ClientTest {
    /// The replay of a violation that exploring this client with its builder has found. It names the object and the client.
    pub fn replay_of(&self, violation: &Violation) -> Replay {
        self.builder.replay_of(violation).with_origin(self.origin())
    }

    /// Runs the one execution of `replay` again and returns its violation, if it still has one.
    ///
    /// ```
    /// use linchpin::Replay;
    /// use linchpin::sync::atomic::{AtomicU8, Ordering::SeqCst};
    ///
    /// linchpin::object! {
    ///     Counter: AtomicU8 = AtomicU8::new(0);
    ///     fn add(&self) -> u8 = |counter: &AtomicU8| {
    ///         let before = counter.load(SeqCst);
    ///         counter.store(before + 1, SeqCst);
    ///         before
    ///     };
    /// }
    ///
    /// let client = linchpin::client::<Counter>("{ add() } || { add() }");
    /// let text = client.replay_of(&client.explore().violation.unwrap()).to_string();
    /// // At any later time, with nothing but the text and the object:
    /// let replay: Replay = text.parse()?;
    /// let client = linchpin::client::<Counter>(replay.origin.client.as_ref().unwrap());
    /// assert_eq!(client.replay(&replay)?.unwrap().kind.name(), "wrong result");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the client does not do what the replay says.
    #[track_caller]
    pub fn replay(&self, replay: &Replay) -> Result<Option<Violation>, ReplayDiverged> {
        let verdicts = Verdicts::new(self.object, self.admitted());
        // A run that was sampled has happened in one order, an execution stands for several.
        let judge: &Judge<'_> = match replay.reuse {
            Some(_) => &|_: &Execution, calls: &[Call]| verdicts.judge_run(calls),
            None => &|execution: &Execution, calls: &[Call]| verdicts.judge(execution, calls),
        };
        let mut violation = replay_with(self.builder.config(), replay, &self.test(), judge)?;
        if let Some(violation) = &mut violation {
            violation.name_calls(|tag| self.name_of(tag));
        }
        Ok(violation)
    }

    /// What replays say about where they come from.
    pub(crate) fn origin(&self) -> Origin {
        let client = Some(self.client().to_string());
        Origin { object: Some(self.object.name().to_owned()), client, ..Origin::default() }
    }

    /// The client whose replay the user asks the running test for, if it is one of this object.
    pub(crate) fn asked_for(object: AnyObject) -> Option<Self> {
        let Asked { replay, .. } = replay_file::asked_for()?;
        let is_own = replay.origin.object.as_deref() == Some(object.name());
        ClientTest::of(object, &replay.origin.client.filter(|_| is_own)?).ok()
    }
}
