//! The life of a model thread: how it starts, waits, keeps its locals, and ends.

use linchpin_graph::{Event, Kind, Site, ThreadId, Verb};

use super::access::describe;
use super::context::{Context, Mode, Stop};
use super::sample;
use super::schedule::{abandon, suspend};
use super::thread::{Local, ModelThread, State};
use super::turn::{Turn, stay, turn, wait_for};
use crate::loops::same_site;
use crate::rt::{Body, RawBody};

impl Context {
    /// Starts a thread.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn spawn(
        context: *mut Context,
        body: Body,
        name: Option<&str>,
        twin: Option<ThreadId>,
        site: Site,
    ) -> ThreadId {
        let add = |context: &mut Context, thread| {
            let execution = context.explorer.execution_mut();
            let child = execution.add_spawn(thread, site).thread;
            if let Some(twin) = twin
                && context.config.symmetry
            {
                execution.set_twin(child, twin);
                context.loops.note_symmetry(site);
            }
        };
        // SAFETY: as promised by the caller.
        unsafe {
            let child = match (*context).is_sampling() {
                true => Some((*context).give_birth(site).0.into()),
                false => Context::simple(context, Kind::Spawn, Verb::Spawn, site, add, |_, _| true),
            };
            let Some(child) = child else {
                // Nobody will run it, since the run ends with this panic.
                return ThreadId(u32::MAX);
            };
            let child = ThreadId(child as u32);
            let model_thread = (*context).model_thread(child);
            model_thread.body = Some(body.0);
            // Copied out of the arena: it may be needed after the execution.
            model_thread.name = name.map(str::to_owned);
            model_thread.state = State::Ready;
            child
        }
    }

    /// Waits for the end of a thread.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn join(context: *mut Context, child: ThreadId, site: Site) {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            if Context::is_detached(context, thread) {
                return;
            }
            if (*context).mode == Mode::Sample {
                sample::join(context, thread, child, site);
            } else {
                Context::join_in_turn(context, thread, child, site);
            }
        }
    }

    /// `None` if the run ends before the thread has ended.
    ///
    /// # Safety
    /// As for [`Context::read`].
    unsafe fn join_in_turn(context: *mut Context, thread: ThreadId, child: ThreadId, site: Site) -> Option<()> {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            loop {
                match turn(context, thread) {
                    Turn::Over => return None,
                    Turn::Add => {
                        if !(*context).may_join(thread, child) {
                            (*context).set_state(thread, State::Joining(child, site));
                            suspend(context, thread);
                            if (*context).draining {
                                return None;
                            }
                        } else if (*context).may_add(thread, Verb::Join, site) {
                            (*context).explorer.execution_mut().add_join(thread, child, site);
                        } else {
                            return stay(context, thread);
                        }
                    }
                    Turn::Run(id) => {
                        let &Event { kind, value, source, .. } = (*context).explorer.execution().event(id);
                        if kind != Kind::Join || value != child.0.into() {
                            (*context).diverged(thread, describe(Verb::Join, site));
                            return stay(context, thread);
                        }
                        wait_for(context, thread, source)?;
                        (*context).step(thread);
                        return Some(());
                    }
                }
            }
        }
    }

    /// May `thread` add that it saw the end of `child`? In an exploration only when nobody else can go on: who waits for several threads
    /// is then woken once, and graphs in which the others go on are smaller.
    fn may_join(&self, thread: ThreadId, child: ThreadId) -> bool {
        let mut numbers = 0..self.threads.len() as u32;
        self.explorer.execution().has_ended(child)
            && (self.mode != Mode::Grow || !numbers.any(|other| other != thread.0 && self.is_ready(ThreadId(other))))
    }

    /// Nobody can go on: lets the first one do so that waits for the end of a thread which has ended.
    pub(super) fn wake_joining(&mut self) -> Option<ThreadId> {
        let execution = self.explorer.execution();
        let sees_end =
            |thread: &ModelThread| matches!(thread.state, State::Joining(child, _) if execution.has_ended(child));
        let thread = self.first_thread(sees_end)?;
        self.set_state(thread, State::Ready);
        Some(thread)
    }

    /// The end of the running thread.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(super) unsafe fn end(context: *mut Context, thread: ThreadId) {
        let site = std::panic::Location::caller();
        let add = |context: &mut Context, thread| {
            context.explorer.execution_mut().add_end(thread, site);
        };
        // SAFETY: as promised by the caller.
        unsafe {
            match (*context).is_sampling() {
                true => (*context).pass_away(site),
                false => drop(Context::simple(context, Kind::End, Verb::End, site, add, |_, _| true)),
            }
            (*context).set_state(thread, State::Done);
        }
    }

    /// The author's promise that what was read since the last effect was of no use.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn spin(context: *mut Context, site: Site) {
        // SAFETY: as promised by the caller; references to the context end before any switch.
        unsafe {
            let thread = (*context).current;
            (*context).beat();
            if Context::is_detached(context, thread) || !(*context).heeds_spinning() {
                return;
            }
            if (*context).is_timed {
                sample::spin(context, thread, site);
                return;
            }
            if !(*context).spin_waits(thread, site) {
                return;
            }
            (*context).loops.note_spin(site);
            (*context).set_state(thread, State::Spinning(site));
            if (*context).is_hopeless(thread) && (*context).mode == Mode::Grow {
                (*context).stop = Some(Stop::Hopeless);
            }
            abandon(context, thread);
        }
    }

    fn heeds_spinning(&self) -> bool {
        self.config.spin_is_wait
    }

    /// Is the spin hint of `thread` at `site` a wait now? Not if the graph says that the thread went on, nor if it is let go on to see whether
    /// it comes back.
    fn spin_waits(&mut self, thread: ThreadId, site: Site) -> bool {
        if self.next_event(thread).is_some() || !self.can_wait(thread) {
            return false;
        }
        !self.loops.passes_spin(thread, site) && !self.unheeded.iter().any(|&other| same_site(other, site))
    }

    /// What the running thread runs; `None` if that is the test itself.
    pub(crate) fn body(&self) -> Option<RawBody> {
        self.threads[self.current.at()].body
    }

    /// The value of a thread-local of the running thread.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn find_local(context: *mut Context, key: usize) -> Option<*mut u8> {
        // SAFETY: as promised by the caller.
        unsafe {
            let locals = &(&(*context).threads)[(*context).current.at()].locals;
            locals.iter().find(|local| local.key == key).map(|local| local.value)
        }
    }

    /// Adds a thread-local to the running thread.
    ///
    /// # Safety
    /// As for [`Context::read`].
    pub(crate) unsafe fn add_local(context: *mut Context, local: Local) {
        // SAFETY: as promised by the caller.
        unsafe {
            let thread = (*context).current;
            (&mut (*context).threads)[thread.at()].locals.push(local);
        }
    }
}
