//! What front ends call: everything that user code does reaches the engine through these functions.
//!
//! The calls are for code that runs on a model thread; see [`active`]. Source positions come from the front end, which
//! knows its callers.

use linchpin_graph::{Order, Request, Shape, Site, StepFn, ThreadId, Verb};
use linchpin_model::Value;

pub use crate::call::{Point, Target};
use crate::runtime::context::{self, Context};
use crate::runtime::thread::{Farewell, Local};

/// One access to an atomic.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// What the program calls it.
    pub verb: Verb,
    /// Address of the atomic.
    pub address: usize,
    /// Its size in bytes: 1, 2, 4 or 8.
    pub size: u8,
    /// What is asked: what to do with the value read, and the orders.
    pub request: Request,
    /// Where in the source.
    pub site: Site,
}

impl Access {
    /// A load.
    #[inline]
    pub fn load(address: usize, size: u8, order: Order, site: Site) -> Access {
        Access { verb: Verb::Load, address, size, request: Request::load(order), site }
    }
}

/// What came of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The value read.
    pub value: u64,
    /// Whether something was written in its place.
    pub wrote: bool,
}

/// Is the caller user code that runs in an execution?
///
/// If not, front ends do natively what they are asked, and call nothing else here.
#[inline]
pub fn active() -> bool {
    let is_active = context::current().is_some();
    if !is_active {
        check_outside();
    }
    is_active
}

/// Also tells the compiler where not to expect the program: front ends ask at every access, and what they do outside executions would lie in
/// the midst of what they do inside.
#[cold]
#[inline(never)]
fn check_outside() {
    assert!(
        !context::has_stepped_out(),
        "linchpin: what `linchpin::outside` calls must not use modelled types, which belong to the execution: take `std`'s there, \
         and read modelled ones before"
    );
}

/// Calls `f` as if outside the execution, if the caller is in one: what `f` allocates is there after the execution, and the execution
/// knows nothing of what `f` does.
///
/// # Panics
/// If `f` uses what is modelled.
pub fn outside<T>(f: impl FnOnce() -> T) -> T {
    context::step_out(f)
}

const OUTSIDE: &str = "linchpin: called from outside an execution";

/// Calls `f` as the engine, on behalf of user code.
#[inline]
fn enter<T>(f: impl FnOnce(*mut Context) -> T) -> T {
    let context = context::current().expect(OUTSIDE);
    context::set_in_user_code(false);
    let result = f(context);
    context::set_in_user_code(true);
    result
}

/// A load.
#[inline]
pub fn load(address: usize, size: u8, order: Order, site: Site) -> u64 {
    // Known when the front end is compiled, so it is computed here, where this is inlined.
    let shape = Shape::of_read(Verb::Load, order, order, size);
    let context = context::current().expect(OUTSIDE);
    // SAFETY: there is a context, so this runs on a model thread; user code holds no reference to the context.
    unsafe { Context::load(context, shape, address, order, site) }
}

/// A read-modify-write, an await or any other read: does what the access's step says. The thread goes on only when the
/// step does not say [`Step::Wait`](linchpin_graph::Step::Wait).
#[inline]
pub fn read(access: &Access) -> Taken {
    let shape = Shape::of_read(access.verb, access.request.order, access.request.failure, access.size);
    let context = context::current().expect(OUTSIDE);
    // SAFETY: as in `load`.
    unsafe { Context::read(context, shape, access) }
}

/// A store.
#[inline]
pub fn write(verb: Verb, address: usize, size: u8, order: Order, value: u64, site: Site) {
    let access = Access { verb, address, size, request: Request::load(order), site };
    let shape = Shape::of_write(verb, order, size);
    // SAFETY: `enter` says that this runs on a model thread; user code holds no reference to the context.
    enter(|context| unsafe { Context::write(context, shape, &access, value) });
}

/// A fence.
pub fn fence(order: Order, site: Site) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::fence_of_program(context, order, site) });
}

/// A non-atomic access to `size` bytes at `address`; returns what [`plain_ends`] asks for. No bytes are no access: what
/// has no size shares its address with whatever else is there.
pub fn plain(address: usize, size: usize, is_write: bool, site: Site) -> PlainAccess {
    // SAFETY: as in `load`.
    let events = enter(|context| unsafe {
        if size > 0 {
            Context::plain(context, address, size, is_write, site);
            (*context).borrow(address, size);
        }
        (*context).events_of_current()
    });
    PlainAccess { address, size, is_write, site, events }
}

/// A non-atomic access that may be going on.
#[derive(Debug)]
pub struct PlainAccess {
    address: usize,
    size: usize,
    is_write: bool,
    site: Site,
    /// How many events the thread has run up to the beginning.
    events: u32,
}

/// The access has been going on until now. If the running thread has done something else meanwhile, which others may
/// have seen before the access was over, it is noted again; otherwise its beginning says all.
pub fn plain_ends(access: PlainAccess) {
    // SAFETY: as in `load`.
    enter(|context| unsafe {
        if access.size > 0 && (*context).events_of_current() != access.events {
            Context::plain_ends(context, access.address, access.size, access.is_write, access.site);
        }
    });
}

/// The caller has exclusive access to `size` bytes of plain data at `address`, through a lock for instance.
///
/// Data that is not the execution's own, such as what a static lock guards, is put back as it was when the execution
/// ends.
pub fn data(address: usize, size: usize) {
    // SAFETY: as in `load`; the caller has access to the bytes.
    enter(|context| unsafe { (*context).borrow(address, size) });
}

/// What a model thread runs.
#[derive(Debug)]
pub struct Body(pub(crate) RawBody);

/// A pointer, and what to do with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawBody {
    key: usize,
    data: *mut u8,
    run: unsafe fn(*mut u8),
    release: unsafe fn(*mut u8),
}

impl Body {
    /// Calls `f`.
    pub fn new<F: FnOnce() + 'static>(f: F) -> Body {
        unsafe fn run<F: FnOnce()>(data: *mut u8) {
            // SAFETY: this is the box that `new` made of this type.
            if let Some(f) = unsafe { &mut *data.cast::<Option<F>>() }.take() {
                f();
            }
        }
        unsafe fn release<F>(data: *mut u8) {
            // SAFETY: as above, and nobody uses it any more.
            drop(unsafe { Box::from_raw(data.cast::<Option<F>>()) });
        }
        let data = Box::into_raw(Box::new(Some(f))).cast();
        Body(RawBody { key: 0, data, run: run::<F>, release: release::<F> })
    }

    /// Calls `run` when the thread starts and `release`, after its thread-locals are gone, when it ends: once each, or not at all if the
    /// execution ends before. Meanwhile [`body`] finds `data` by `key`.
    ///
    /// # Safety
    /// Both functions may be called like that.
    pub unsafe fn from_raw(key: usize, data: *mut u8, run: unsafe fn(*mut u8), release: unsafe fn(*mut u8)) -> Body {
        Body(RawBody { key, data, run, release })
    }
}

impl RawBody {
    /// # Safety
    /// Called once, before [`RawBody::release`].
    pub unsafe fn run(self) {
        // SAFETY: as promised by the caller, and by who made the body.
        unsafe { (self.run)(self.data) };
    }

    /// # Safety
    /// Called once.
    pub unsafe fn release(self) {
        // SAFETY: as promised by the caller, and by who made the body.
        unsafe { (self.release)(self.data) };
    }
}

/// What the running thread's body was made of, if it was made with this key.
pub fn body(key: usize) -> Option<*mut u8> {
    // SAFETY: as in `load`.
    let body = enter(|context| unsafe { (*context).body() });
    body.filter(|body| body.key == key).map(|body| body.data)
}

/// Starts a model thread that runs `body`. A panic that leaves `body` is a violation.
pub fn spawn(body: Body, name: Option<String>, site: Site) -> ThreadId {
    // SAFETY: as in `load`.
    let thread = enter(|context| unsafe { Context::spawn(context, body, name.as_deref(), None, site) });
    // The string is the program's: it is given back on the program's account.
    drop(name);
    thread
}

/// Starts model threads that run the same code with the same inputs, and whose results are used without regard to which
/// thread they came from. With [`Config::symmetry`](crate::Config::symmetry), executions that differ only in which of
/// them did what are explored once.
pub fn spawn_symmetric(bodies: Vec<Body>, site: Site) -> Vec<ThreadId> {
    let mut threads: Vec<ThreadId> = Vec::new();
    for body in bodies {
        let twin = threads.last().copied();
        // SAFETY: as in `load`.
        threads.push(enter(|context| unsafe { Context::spawn(context, body, None, twin, site) }));
    }
    threads
}

/// Waits for the end of a thread.
pub fn join(thread: ThreadId, site: Site) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::join(context, thread, site) });
}

/// Has the thread ended? Both answers are explored while it may be running.
pub fn is_finished(thread: ThreadId, site: Site) -> bool {
    // Learning of the end and waiting for it are the same thing; not learning of it is always possible.
    let learn = choose(2, site) == 1;
    if learn {
        join(thread, site);
    }
    learn
}

/// The running thread.
pub fn current() -> ThreadId {
    // SAFETY: as in `load`.
    enter(|context| unsafe { (*context).current_thread() })
}

/// Is the running thread unwinding? `std::thread::panicking` cannot tell model threads apart.
pub fn panicking() -> bool {
    // SAFETY: as in `load`.
    enter(|context| unsafe { (*context).is_panicking() })
}

/// `spin_loop()`, `yield_now()` and `sleep()`: the author's promise that what was read since the thread's last effect was of no
/// use. The thread goes on when that has changed.
pub fn spin(site: Site) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::spin(context, site) });
}

/// Explores every one of `options` possibilities.
pub fn choose(options: u32, site: Site) -> u32 {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::choose(context, options, site) })
}

/// The running thread calls an operation of an object: its events from here to [`operation_ends`] belong together. `tag` says
/// which operation it is to whoever [judges](crate::Hooks::judge) the execution. Calls may be nested; the outermost counts.
pub fn operation_begins(tag: u64) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::operation_begins(context, tag, None) });
}

/// As [`operation_begins`], for whoever knows what is called by its name.
pub fn call_begins(target: &Target) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::operation_begins(context, 0, Some(target)) });
}

/// Says what the running thread's last event is to the order of the call that it is in.
pub fn mark(point: Point) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { (*context).mark(point) });
}

/// The operation that the running thread called returns this.
pub fn operation_ends(result: &Value) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { (*context).operation_ends(result) });
}

/// Shall the weak compare-exchange at `site` fail for no reason? Then it does not write, and this is its step, with the operands that it has
/// anyway. Where every execution is explored, the step waits for the expected value: with any other the exchange fails for a reason, which is
/// another execution, and would be explored twice.
pub fn spurious_failure(site: Site) -> Option<StepFn> {
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::spurious_failure(context, site) })
}

/// The running thread's value under `key`, made by `make` if it is not there: a pointer, and what drops it when the
/// thread ends. It is there for all that comes [before the end](before_end).
pub fn local(key: usize, make: &mut dyn FnMut() -> (*mut u8, unsafe fn(*mut u8))) -> *mut u8 {
    // SAFETY: as in `load`.
    if let Some(value) = enter(|context| unsafe { Context::find_local(context, key) }) {
        return value;
    }
    let (value, drop) = make();
    // SAFETY: as in `load`.
    enter(|context| unsafe { Context::add_local(context, Local { key, value, drop }) });
    value
}

/// Calls `run` with `data` when the body of the running thread ends, after what is added later. It may add more in turn.
///
/// # Safety
/// It may be called like that, or not at all if the execution ends before.
pub unsafe fn before_end(data: *mut u8, run: unsafe fn(*mut u8)) {
    // SAFETY: as in `load`.
    enter(|context| unsafe { (*context).add_farewell(Farewell { data, run }) });
}
