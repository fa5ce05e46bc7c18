//! Why a stack is stuck: as few elements as suffice.
//!
//! Elements that could not be taken out (see `stack`) contradict each other, but most of them only stand in each
//! other's way by accident. Here they are reduced until none can be spared: without any one of them, the others could
//! be explained.

use std::ops::Range;

use super::cover::Free;
use super::prepare::Element;
use super::stack;
use crate::Unknown;
use crate::limits::Budget;

/// Of these elements, which cannot all be taken out, some that cannot either, and none of which can be spared; sorted by
/// their pushes. If one is known to take part in every contradiction, what keeps it in is looked at first.
pub(super) fn minimal(
    elements: &[Element],
    end: u32,
    culprit: Option<u32>,
    budget: &Budget,
) -> Result<Vec<u32>, Unknown> {
    let mut core = match stack::take_out(elements, end, budget)? {
        Err(stuck) => stuck,
        Ok(_) => unreachable!("elements that can be taken out have no core"),
    };
    let mut needed = vec![false; elements.len()];
    if let Some(culprit) = culprit {
        core = supporters_of(culprit, elements, &core, end, budget)?;
        mark_needed(culprit, elements, &core, end, &mut needed);
    }
    // Chunks of what is pushed one after another are more likely to go together.
    core.sort_unstable_by_key(|&number| elements[number as usize].adding.start);

    // A chunk that can go suggests that a greater one can; one that cannot go is divided. It begins with a single
    // element, since finding one that is needed often shows that all the others are.
    let mut size = 1;
    loop {
        let open: Vec<u32> = core.iter().copied().filter(|&number| !needed[number as usize]).collect();
        if open.is_empty() {
            return Ok(core);
        }
        size = size.min(open.len());
        let mut chunk = open[..size].iter().peekable();
        let rest: Vec<u32> = core.iter().copied().filter(|number| chunk.next_if_eq(&number).is_none()).collect();
        let (sub, sub_end) = restricted(elements, &rest, end);
        match stack::take_out(&sub, sub_end, budget)? {
            Err(stuck) => {
                core = stuck.into_iter().map(|at| rest[at as usize]).collect();
                size *= 2;
            }
            Ok(_) if size > 1 => size = size.div_ceil(2),
            Ok(_) => {
                mark_needed(open[0], elements, &core, end, &mut needed);
                size *= 2;
            }
        }
    }
}

/// Elements that are stuck because of each other, this one among them.
///
/// Whatever is stuck has a push or a pop that others cover. The shortest chain of them is stuck for reasons of its own,
/// and so on.
fn supporters_of(
    culprit: u32,
    elements: &[Element],
    core: &[u32],
    end: u32,
    budget: &Budget,
) -> Result<Vec<u32>, Unknown> {
    // For each slot, of the elements that are there by then, the one that stays longest.
    let mut longest: Vec<Option<u32>> = vec![None; end as usize + 1];
    let mut free = Free::new(end);
    let stays_until = |number: u32| elements[number as usize].removing.start;
    for &number in core {
        let present = elements[number as usize].present();
        free.cover(present.clone());
        let slot = &mut longest[present.start.min(end) as usize];
        if !present.is_empty() && slot.is_none_or(|other| stays_until(other) < present.end) {
            *slot = Some(number);
        }
    }
    for slot in 1..longest.len() {
        if let Some(earlier) = longest[slot - 1]
            && longest[slot].is_none_or(|here| stays_until(here) < stays_until(earlier))
        {
            longest[slot] = Some(earlier);
        }
    }
    let mut chain = |slots: &Range<u32>| -> Option<Vec<u32>> {
        if free.from(slots.start) < slots.end {
            return None;
        }
        let mut links = Vec::new();
        let mut at = slots.start;
        while at < slots.end {
            let link = longest[at as usize].expect("no slot is free");
            at = stays_until(link);
            links.push(link);
        }
        Some(links)
    };

    let mut reached = vec![false; elements.len()];
    reached[culprit as usize] = true;
    let mut supporters = vec![culprit];
    let mut next = 0;
    while let Some(&number) = supporters.get(next) {
        next += 1;
        if next % (1 << 8) == 0 {
            budget.check_time()?;
        }
        let element = &elements[number as usize];
        let chains = [&element.adding, &element.removing].map(|slots| {
            let mut links = chain(slots)?;
            links.retain(|&link| !reached[link as usize]);
            Some(links)
        });
        let shortest = chains.into_iter().flatten().min_by_key(Vec::len);
        for link in shortest.expect("what is stuck has a push or a pop that is covered") {
            reached[link as usize] = true;
            supporters.push(link);
        }
    }
    Ok(supporters)
}

/// Notes that this element of the core is needed, and with it others: if, without some other element, this one could be
/// taken out at once, that leaves less than the core without this one, which can be explained.
fn mark_needed(number: u32, elements: &[Element], core: &[u32], end: u32, needed: &mut [bool]) {
    let mut free = Free::new(end);
    let mut changes = vec![(0_i32, 0_u32); end as usize + 2];
    for &number in core {
        let present = elements[number as usize].present();
        if !present.is_empty() {
            free.cover(present.clone());
            for (slot, change) in [(present.start, 1), (present.end, -1)] {
                changes[slot as usize].0 += change;
                changes[slot as usize].1 ^= number;
            }
        }
    }
    // The slots with just one element, to be looked at once.
    let mut unseen = Free::new(end);
    let mut only = vec![0; end as usize];
    let (mut count, mut mix) = (0, 0);
    for slot in 0..end {
        count += changes[slot as usize].0;
        mix ^= changes[slot as usize].1;
        only[slot as usize] = mix;
        if count != 1 {
            unseen.cover(slot..slot + 1);
        }
    }
    needed[number as usize] = true;
    let mut open = vec![number];
    while let Some(number) = open.pop() {
        let element = &elements[number as usize];
        let is_free = |free: &mut Free, slots: &Range<u32>| free.from(slots.start) < slots.end;
        let blocked = match (is_free(&mut free, &element.adding), is_free(&mut free, &element.removing)) {
            (true, false) => &element.removing,
            (false, true) => &element.adding,
            _ => continue,
        };
        loop {
            let slot = unseen.from(blocked.start);
            if slot >= blocked.end.min(end) {
                break;
            }
            unseen.cover(slot..slot + 1);
            let other = only[slot as usize];
            if !std::mem::replace(&mut needed[other as usize], true) {
                open.push(other);
            }
        }
    }
}

/// These elements alone, with no more slots than they need.
fn restricted(elements: &[Element], chosen: &[u32], end: u32) -> (Vec<Element>, u32) {
    let chosen: Vec<&Element> = chosen.iter().map(|&number| &elements[number as usize]).collect();
    let mut starts: Vec<u32> = chosen.iter().flat_map(|e| [e.adding.start, e.removing.start]).collect();
    starts.retain(|&start| start < end);
    starts.sort_unstable();
    starts.dedup();
    let new_end = starts.len() as u32;
    let slot = |slot: u32| if slot > end { new_end + 1 } else { starts.partition_point(|&start| start < slot) as u32 };
    let slots = |range: &Range<u32>| slot(range.start)..slot(range.end);
    let moved = |element: &&Element| Element {
        adding: slots(&element.adding),
        removing: slots(&element.removing),
        ..(*element).clone()
    };
    (chosen.iter().map(moved).collect(), new_end)
}
