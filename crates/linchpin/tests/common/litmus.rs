//! The classical programs on two locations, each with its outcome. The locations are 0 at first.

use linchpin::sync::Arc;
use linchpin::sync::atomic::{AtomicU8, Ordering, Ordering::Relaxed};
use linchpin::thread;

type Cells = [AtomicU8; 2];
type Body<T> = Box<dyn Fn(&Cells) -> T + Send>;

fn body<T>(body: impl Fn(&Cells) -> T + Send + 'static) -> Body<T> {
    Box::new(body)
}

/// Runs the bodies in a thread each. Returns what they return, and the cells.
fn run<const N: usize, T: Send + 'static>(bodies: [Body<T>; N]) -> ([T; N], Arc<Cells>) {
    let cells = Arc::new(Cells::default());
    let threads = bodies.map(|body| {
        let cells = Arc::clone(&cells);
        thread::spawn(move || body(&cells))
    });
    (threads.map(|thread| thread.join().unwrap()), cells)
}

/// Store buffering: `[0, 0]` says that both loads overtook the stores.
pub fn store_buffering(write: Ordering, read: Ordering) -> [u8; 2] {
    let thread = move |mine: usize| {
        body(move |cells| {
            cells[mine].store(1, write);
            cells[1 - mine].load(read)
        })
    };
    run([thread(0), thread(1)]).0
}

/// Message passing: `[1, 0]` is a flag without its message.
pub fn message_passing(write: Ordering, read: Ordering) -> [u8; 2] {
    let send = body(move |cells| {
        cells[0].store(1, Relaxed);
        cells[1].store(1, write);
        [0, 0]
    });
    let receive = body(move |cells| [cells[1].load(read), cells[0].load(Relaxed)]);
    run([send, receive]).0[1]
}

/// Independent reads of independent writes: `[1, 0, 1, 0]` is two readers who disagree on which write came first.
pub fn independent_reads(write: Ordering, read: Ordering) -> [u8; 4] {
    let writer = move |cell: usize| {
        body(move |cells| {
            cells[cell].store(1, write);
            [0, 0]
        })
    };
    let reader = move |first: usize| body(move |cells| [cells[first].load(read), cells[1 - first].load(read)]);
    let ([_, _, [a, b], [c, d]], _) = run([writer(0), writer(1), reader(0), reader(1)]);
    [a, b, c, d]
}

/// 2+2W: each thread writes both cells; `[1, 1]` says that in both cells the first write of a thread came last.
pub fn two_plus_two_writes(write: Ordering) -> [u8; 2] {
    let thread = move |first: usize| {
        body(move |cells| {
            cells[first].store(1, write);
            cells[1 - first].store(2, write);
        })
    };
    let (_, cells) = run([thread(0), thread(1)]);
    [cells[0].load(Relaxed), cells[1].load(Relaxed)]
}

/// R: `[2, 0]` says that the second thread's write came last although its load overtook the first thread's stores.
pub fn write_then_read(write: Ordering, read: Ordering) -> [u8; 2] {
    let writes = body(move |cells| {
        cells[0].store(1, write);
        cells[1].store(1, write);
        0
    });
    let write_and_read = body(move |cells| {
        cells[1].store(2, write);
        cells[0].load(read)
    });
    let ([_, seen], cells) = run([writes, write_and_read]);
    [cells[1].load(Relaxed), seen]
}

/// Load buffering: `[1, 1]` is two values out of thin air, or a processor that stores before it loads.
pub fn load_buffering(write: Ordering, read: Ordering) -> [u8; 2] {
    let thread = move |mine: usize| {
        body(move |cells| {
            let seen = cells[mine].load(read);
            cells[1 - mine].store(1, write);
            seen
        })
    };
    run([thread(0), thread(1)]).0
}

/// A store, a swap and two loads of one cell: what the swap and the loads found.
pub fn store_swap_loads() -> [u8; 3] {
    let store = body(|cells| {
        cells[0].store(1, Relaxed);
        [0, 0]
    });
    let swap = body(|cells| [cells[0].swap(2, Relaxed), 0]);
    let loads = body(|cells| [cells[0].load(Relaxed), cells[0].load(Relaxed)]);
    let ([_, [swapped, _], [first, second]], _) = run([store, swap, loads]);
    [swapped, first, second]
}
