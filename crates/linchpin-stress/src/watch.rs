//! Who does not come back?

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::time::{Duration, Instant};

use crate::padded::Padded;
use crate::{Place, Stuck};

/// What a thread is doing, for others to see: the number of things it has begun, and which one it is at.
#[derive(Debug, Default)]
pub(crate) struct Post(Padded<AtomicU64>);

const PLACE_BITS: u32 = 20;
const IDLE: u64 = 0;
const CREATE: u64 = 1;
const DROP: u64 = 2;
const FIRST: u64 = 3;

impl Post {
    /// The thread begins with something.
    pub fn begin(&self, place: Place) {
        self.set(match place {
            Place::Create => CREATE,
            Place::Drop => DROP,
            Place::Invocation(position) => FIRST + position as u64,
        });
    }

    /// The thread does nothing that could take long.
    pub fn idle(&self) {
        self.set(IDLE);
    }

    fn set(&self, code: u64) {
        // Only this thread writes.
        let begun = self.0.load(Relaxed) >> PLACE_BITS;
        self.0.store((begun + 1) << PLACE_BITS | code, Relaxed);
    }
}

/// Looks at posts now and then.
#[derive(Debug)]
pub(crate) struct Watch {
    stuck_after: Duration,
    /// For each post what was there, and since when.
    seen: Vec<(u64, Instant)>,
}

impl Watch {
    pub fn new(threads: usize, stuck_after: Duration) -> Watch {
        Watch { stuck_after, seen: vec![(0, Instant::now()); threads] }
    }

    /// The threads that have been at the same thing for too long.
    pub fn look(&mut self, posts: &[Post]) -> Vec<Stuck> {
        let mut stuck = Vec::new();
        for (thread, (post, seen)) in posts.iter().zip(&mut self.seen).enumerate() {
            let now = post.0.load(Relaxed);
            if now != seen.0 {
                *seen = (now, Instant::now());
            } else if seen.1.elapsed() >= self.stuck_after {
                let place = match now & ((1 << PLACE_BITS) - 1) {
                    IDLE => continue,
                    CREATE => Place::Create,
                    DROP => Place::Drop,
                    code => Place::Invocation((code - FIRST) as usize),
                };
                stuck.push(Stuck { thread, place });
            }
        }
        stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_at_the_same_thing_for_too_long_is_stuck() {
        let posts = [Post::default(), Post::default(), Post::default()];
        let mut watch = Watch::new(3, Duration::ZERO);
        posts[0].begin(Place::Invocation(4));
        posts[1].begin(Place::Drop);
        assert_eq!(watch.look(&posts), [], "all were seen there for the first time, or are idle");
        posts[1].begin(Place::Drop);
        assert_eq!(watch.look(&posts), [Stuck { thread: 0, place: Place::Invocation(4) }]);
        posts[0].idle();
        assert_eq!(watch.look(&posts), [Stuck { thread: 1, place: Place::Drop }]);
        assert_eq!(watch.look(&posts), [Stuck { thread: 1, place: Place::Drop }]);
    }
}
