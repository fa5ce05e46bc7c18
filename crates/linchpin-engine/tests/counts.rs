//! Exact numbers of executions of small programs, from the literature and from the table in the design notes.

use linchpin_engine::*;
use linchpin_graph::{MemoryModel, Order, Order::*, Step, Verb};
use std::panic::Location;
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(std::alloc::System);

#[derive(Default)]
struct A(std::sync::atomic::AtomicUsize);
impl A {
    fn new(v: usize) -> Self {
        A(std::sync::atomic::AtomicUsize::new(v))
    }
    #[track_caller]
    fn acc(&self, verb: Verb, order: Order, failure: Order, step: linchpin_graph::StepFn, a: u64, b: u64) -> rt::Taken {
        rt::read(&rt::Access {
            verb,
            address: self as *const _ as usize,
            size: 8,
            order,
            failure,
            step,
            a,
            b,
            site: Location::caller(),
        })
    }
    #[track_caller]
    fn load(&self, o: Order) -> usize {
        self.acc(Verb::Load, o, o, |_, _, _| Step::Return, 0, 0).value as usize
    }
    #[track_caller]
    fn store(&self, v: usize, o: Order) {
        rt::write(
            Verb::Store,
            self as *const _ as usize,
            8,
            o,
            v as u64,
            Location::caller(),
        )
    }
    #[track_caller]
    fn fetch_add(&self, v: usize, o: Order) -> usize {
        self.acc(
            Verb::FetchAdd,
            o,
            o,
            |x, a, _| Step::Write(x.wrapping_add(a)),
            v as u64,
            0,
        )
        .value as usize
    }
    #[track_caller]
    fn swap(&self, v: usize, o: Order) -> usize {
        self.acc(Verb::Swap, o, o, |_, a, _| Step::Write(a), v as u64, 0).value as usize
    }
    #[track_caller]
    fn compare_exchange(&self, e: usize, n: usize, o: Order, f: Order) -> Result<usize, usize> {
        let t = self.acc(
            Verb::CompareExchange,
            o,
            f,
            |x, a, b| if x == a { Step::Write(b) } else { Step::Return },
            e as u64,
            n as u64,
        );
        if t.wrote {
            Ok(t.value as usize)
        } else {
            Err(t.value as usize)
        }
    }
}
#[track_caller]
fn spawn(f: impl FnOnce() + 'static) -> linchpin_graph::ThreadId {
    rt::spawn(Box::new(f), None, Location::caller())
}
#[track_caller]
fn join(t: linchpin_graph::ThreadId) {
    rt::join(t, Location::caller())
}

fn counts(model: MemoryModel, loops: LoopReduction, test: impl Fn() + Sync) -> (u64, u64) {
    let config = Config {
        model,
        loops,
        workers: std::env::var("W").map_or(1, |w| w.parse().unwrap()),
        ..Config::default()
    };
    let r = explore(&config, &test);
    if let Some(v) = r.violation {
        panic!("{:?} {:?}", v.kind, v.execution.events().len());
    }
    eprintln!(
        "{} + {} in {:?} = {:.0}/s",
        r.complete,
        r.blocked,
        r.elapsed,
        r.complete as f64 / r.elapsed.as_secs_f64()
    );
    (r.complete, r.blocked)
}
fn all(ts: Vec<Box<dyn Fn(&[A]) + Send + Sync>>) -> impl Fn() + Sync {
    let ts: Vec<Arc<dyn Fn(&[A]) + Send + Sync>> = ts.into_iter().map(Arc::from).collect();
    move || {
        let mem: Arc<Vec<A>> = Arc::new((0..3).map(|_| A::new(0)).collect());
        let hs: Vec<_> = ts
            .iter()
            .map(|t| {
                let t = t.clone();
                let m = mem.clone();
                spawn(move || t(&m))
            })
            .collect();
        for h in hs {
            join(h);
        }
    }
}
fn sb(o: Order, r: Order) -> impl Fn() + Sync {
    all(vec![
        Box::new(move |m| {
            m[0].store(1, o);
            m[1].load(r);
        }),
        Box::new(move |m| {
            m[1].store(1, o);
            m[0].load(r);
        }),
    ])
}
#[test]
fn litmus() {
    use MemoryModel::*;
    let off = LoopReduction::Off;
    for (model, want) in [(C11, [4, 4, 3]), (Sc, [3, 3, 3])] {
        assert_eq!(counts(model, off, sb(Relaxed, Relaxed)).0, want[0]);
        assert_eq!(counts(model, off, sb(Release, Acquire)).0, want[1]);
        assert_eq!(counts(model, off, sb(SeqCst, SeqCst)).0, want[2]);
    }
    let iriw = |w, r| {
        all(vec![
            Box::new(move |m| m[0].store(1, w)),
            Box::new(move |m| m[1].store(1, w)),
            Box::new(move |m| {
                m[0].load(r);
                m[1].load(r);
            }),
            Box::new(move |m| {
                m[1].load(r);
                m[0].load(r);
            }),
        ])
    };
    assert_eq!(counts(C11, off, iriw(Relaxed, Relaxed)).0, 16);
    assert_eq!(counts(C11, off, iriw(SeqCst, SeqCst)).0, 15);
    assert_eq!(counts(Sc, off, iriw(Relaxed, Relaxed)).0, 15);
    let w22 = |w| {
        all(vec![
            Box::new(move |m| {
                m[0].store(1, w);
                m[1].store(2, w)
            }),
            Box::new(move |m| {
                m[1].store(1, w);
                m[0].store(2, w)
            }),
        ])
    };
    assert_eq!(counts(C11, off, w22(Relaxed)).0, 4);
    assert_eq!(counts(C11, off, w22(SeqCst)).0, 3);
    assert_eq!(counts(Sc, off, w22(Relaxed)).0, 3);
    let faa = |n: usize, k: usize| {
        all((0..n)
            .map(|_| {
                Box::new(move |m: &[A]| {
                    for _ in 0..k {
                        m[0].fetch_add(1, Relaxed);
                    }
                }) as Box<dyn Fn(&[A]) + Send + Sync>
            })
            .collect())
    };
    assert_eq!(counts(C11, off, faa(3, 2)).0, 90);
    assert_eq!(counts(Sc, off, faa(3, 2)).0, 90);
    let mo282 = || {
        all(vec![
            Box::new(|m| m[0].store(1, Relaxed)),
            Box::new(|m| {
                m[0].swap(2, Relaxed);
            }),
            Box::new(|m| {
                m[0].load(Relaxed);
                m[0].load(Relaxed);
            }),
        ])
    };
    assert_eq!(counts(C11, off, mo282()).0, 12);
    let cas = |n: usize| {
        all((0..n)
            .map(|_| {
                Box::new(move |m: &[A]| {
                    let mut v = m[0].load(Relaxed);
                    while let Err(c) = m[0].compare_exchange(v, v + 1, AcqRel, Relaxed) {
                        v = c;
                    }
                }) as Box<dyn Fn(&[A]) + Send + Sync>
            })
            .collect())
    };
    assert_eq!(counts(C11, off, cas(2)).0, 4);
    assert_eq!(counts(C11, off, cas(3)).0, 48);
    assert_eq!(counts(Sc, off, cas(3)).0, 48);
}

struct Node {
    v: usize,
    next: usize,
}
struct Treiber {
    head: A,
}
impl Treiber {
    fn push(&self, v: usize) {
        let n = Box::into_raw(Box::new(Node { v, next: 0 }));
        let mut h = self.head.load(Relaxed);
        loop {
            unsafe {
                (*n).next = h;
            }
            match self.head.compare_exchange(h, n as usize, Release, Relaxed) {
                Ok(_) => return,
                Err(c) => h = c,
            }
        }
    }
    fn pop(&self) -> Option<usize> {
        let mut h = self.head.load(Acquire);
        loop {
            if h == 0 {
                return None;
            }
            let p = h as *mut Node;
            let nx = unsafe { (*p).next };
            match self.head.compare_exchange(h, nx, Acquire, Acquire) {
                Ok(_) => return Some(unsafe { (*p).v }),
                Err(c) => h = c,
            }
        }
    }
}
fn treiber(n: usize, k: usize) -> impl Fn() + Sync {
    move || {
        let s = Arc::new(Treiber { head: A::new(0) });
        let hs: Vec<_> = (0..n)
            .map(|i| {
                let s = s.clone();
                spawn(move || {
                    for j in 0..k {
                        s.push(i * 10 + j);
                        assert!(s.pop().is_some());
                    }
                })
            })
            .collect();
        for h in hs {
            join(h);
        }
    }
}
struct QNode {
    v: usize,
    next: A,
}
struct Msq {
    head: A,
    tail: A,
}
impl Msq {
    fn new() -> Self {
        let d = Box::into_raw(Box::new(QNode { v: 0, next: A::new(0) }));
        Msq {
            head: A::new(d as usize),
            tail: A::new(d as usize),
        }
    }
    fn enq(&self, v: usize) {
        let n = Box::into_raw(Box::new(QNode { v, next: A::new(0) })) as usize;
        loop {
            let t = self.tail.load(Acquire);
            let next = unsafe { &(*(t as *mut QNode)).next };
            let nx = next.load(Acquire);
            if nx == 0 {
                if next.compare_exchange(0, n, Release, Relaxed).is_ok() {
                    let _ = self.tail.compare_exchange(t, n, Release, Relaxed);
                    return;
                }
            } else {
                let _ = self.tail.compare_exchange(t, nx, Release, Relaxed);
            }
        }
    }
    fn deq(&self) -> Option<usize> {
        loop {
            let h = self.head.load(Acquire);
            let t = self.tail.load(Acquire);
            let nx = unsafe { (*(h as *mut QNode)).next.load(Acquire) };
            if h == t {
                if nx == 0 {
                    return None;
                }
                let _ = self.tail.compare_exchange(t, nx, Release, Relaxed);
            } else if nx != 0 {
                let v = unsafe { (*(nx as *mut QNode)).v };
                if self.head.compare_exchange(h, nx, Release, Relaxed).is_ok() {
                    return Some(v);
                }
            }
        }
    }
}
fn msq(n: usize, k: usize) -> impl Fn() + Sync {
    move || {
        let s = Arc::new(Msq::new());
        let hs: Vec<_> = (0..n)
            .map(|i| {
                let s = s.clone();
                spawn(move || {
                    for j in 0..k {
                        s.enq(i * 10 + j);
                        let _ = s.deq();
                    }
                })
            })
            .collect();
        for h in hs {
            join(h);
        }
    }
}
#[test]
fn structures() {
    use MemoryModel::*;
    for (n, k, full, red) in [(2, 1, 40, (10, 9)), (2, 2, 6372, (194, 216)), (3, 1, 25680, (270, 611))] {
        assert_eq!(counts(C11, LoopReduction::Off, treiber(n, k)).0, full);
        assert_eq!(counts(Sc, LoopReduction::Off, treiber(n, k)).0, full);
        assert_eq!(counts(C11, LoopReduction::CrossChecked, treiber(n, k)).0, red.0);
        assert_eq!(counts(Sc, LoopReduction::CrossChecked, treiber(n, k)).0, red.0);
    }
    assert_eq!(counts(C11, LoopReduction::Off, msq(2, 1)).0, 100);
    assert_eq!(counts(C11, LoopReduction::Off, msq(2, 2)).0, 53700);
    assert_eq!(counts(Sc, LoopReduction::Off, msq(2, 2)).0, 26668);
    assert_eq!(counts(C11, LoopReduction::CrossChecked, msq(2, 1)).0, 16);
    assert_eq!(counts(C11, LoopReduction::CrossChecked, msq(2, 2)).0, 488);
}

fn crowd(pushers: usize, poppers: usize) -> impl Fn() + Sync {
    move || {
        let s = Arc::new(Treiber { head: A::new(0) });
        let (a, b) = (s.clone(), s.clone());
        let push: Vec<Box<dyn FnOnce()>> = (0..pushers)
            .map(|_| {
                let a = a.clone();
                Box::new(move || a.push(1)) as Box<dyn FnOnce()>
            })
            .collect();
        let pop: Vec<Box<dyn FnOnce()>> = (0..poppers)
            .map(|_| {
                let b = b.clone();
                Box::new(move || {
                    b.pop();
                }) as Box<dyn FnOnce()>
            })
            .collect();
        let mut hs = rt::spawn_symmetric(push, Location::caller());
        hs.extend(rt::spawn_symmetric(pop, Location::caller()));
        for h in hs {
            join(h);
        }
    }
}
#[test]
fn symmetric() {
    for n in 1..=std::env::var("N").map_or(3, |n| n.parse().unwrap()) {
        for symmetry in [false, true] {
            if n == 4 && !symmetry {
                continue;
            }
            let config = Config {
                loops: LoopReduction::CrossChecked,
                symmetry,
                workers: 2,
                ..Config::default()
            };
            let r = explore(&config, &crowd(n, n));
            assert!(r.violation.is_none(), "{:?}", r.violation.unwrap().kind);
            eprintln!("{n}+{n} {symmetry}: {} + {} in {:?}", r.complete, r.blocked, r.elapsed);
        }
    }
}
#[test]
fn zz_profile() {
    let Ok(which) = std::env::var("PROF") else { return };
    let model = if which.contains("sc") {
        MemoryModel::Sc
    } else {
        MemoryModel::C11
    };
    for _ in 0..30 {
        if which.contains("treiber") {
            counts(model, LoopReduction::Off, treiber(2, 2));
        } else {
            counts(model, LoopReduction::Off, msq(2, 2));
        }
    }
}
