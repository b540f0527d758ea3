//! The cheapest sequence of moves between two arrangements of a register.
//!
//! Bits of the address fall into classes, and bits of a class are alike: those that end in slots (where they are is a name);
//! those that begin in slots and end in positions (which of them enters when is chosen afterwards); and each that begins and
//! ends in positions is a class of its own. So there are few states, and A* finds the cheapest way exactly.

use crate::moves::{ENTERS, Machine, Move, Moves};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, PoisonError};

/// The class of what ends in a slot.
pub const ANY: u8 = 0;
/// The class of what begins in a slot and ends in a position.
pub const ENTERING: u8 = 1;
/// The first class of what begins and ends in a position.
pub const FIXED: u8 = 2;

/// Whether what is in a position has the value that it is to end with.
const FREE: u8 = 0;
const RIGHT: u8 = 1;
const WRONG: u8 = 2;

/// What to search for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Query {
    /// The class in each position at first, and whether its value is the complement of what it is to be.
    pub start: Vec<(u8, bool)>,
    /// How many of each class there are in all.
    pub classes: Vec<u8>,
    /// Which classes may end in each position, as a mask.
    pub accepted: Vec<u16>,
    /// What the way may cost at most.
    pub limit: u32,
    /// States that are looked at before a search is content with less than the cheapest way.
    pub patience: usize,
}

/// A step: the number of the move, and the class that enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// In the list of moves.
    pub number: usize,
    /// The class, if two registers take part.
    pub class: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State(u64);

const BITS: usize = 6;

impl State {
    fn class(self, p: usize) -> u8 {
        (self.0 >> (BITS * p) & 15) as u8
    }

    fn value(self, p: usize) -> u8 {
        (self.0 >> (BITS * p + 4) & 3) as u8
    }

    fn put(&mut self, p: usize, class: u8, value: u8) {
        self.0 |= u64::from(class | value << 4) << (BITS * p);
    }
}

/// A way and its cost per register.
type Found = Option<(u32, Vec<Taken>)>;

/// [`search`], once for the same moves and the same query: columns, and networks of other formats, ask the same.
pub fn known(query: &Query, moves: &Moves) -> Found {
    type Key = (&'static str, bool, bool, Query);
    static KNOWN: Mutex<BTreeMap<Key, Found>> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: answers are put into it one by one.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Machine { target, big_endian } = moves.machine;
    let key = (target.name, big_endian, moves.busy, query.clone());
    if let Some(found) = known().get(&key) {
        return found.clone();
    }
    let found = search(query, &moves.list);
    known().insert(key, found.clone());
    found
}

/// A way and its cost per register: the cheapest one, or, where there are too many states for that, one that was found by
/// trusting the estimate of what is left too much. The same for the same query.
pub fn search(query: &Query, moves: &[Move]) -> Found {
    let estimate = Estimate::of(query, moves);
    // What is found with much trust is a limit for those with less.
    let mut best: Found = None;
    for trust in [10, 5, 3, 2] {
        let limit = best.as_ref().map_or(query.limit + 1, |(cost, _)| *cost).saturating_sub(1);
        let query = Query { limit, ..query.clone() };
        match attempt(&query, moves, &estimate, trust) {
            Ok(Some(found)) => best = Some(found),
            // With no more trust than is due, that there is none is certain.
            Ok(None) if trust == 2 => return best,
            Ok(None) | Err(Impatient) => {}
        }
    }
    best
}

struct Impatient;

/// What is known of states: the cost, and the step to them. Never iterated over.
type Costs = HashMap<State, (u32, Option<(State, Taken)>), BuildHasherDefault<Mixer>>;

/// States are one word each: a product spreads it well enough.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What is left costs at least this much.
struct Estimate<'a> {
    query: &'a Query,
    /// Least costs of a move of two registers, of one that brings something to a bit of a byte, and of one that brings
    /// something to all of them.
    slot: u32,
    bit: u32,
    bits: u32,
}

impl<'a> Estimate<'a> {
    fn of(query: &'a Query, moves: &[Move]) -> Estimate<'a> {
        let least = |which: &dyn Fn(&Move) -> bool| {
            moves.iter().filter(|one| which(one)).map(|one| one.cost).min().unwrap_or(0)
        };
        let changes = |one: &Move| (0..3).filter(|p| usize::from(one.from[*p]) != *p).count();
        let slot = least(&|one| one.has_slot());
        let bit = least(&|one| changes(one) > 0 && changes(one) < 3);
        Estimate { query, slot, bit, bits: least(&|one| changes(one) == 3) }
    }

    /// Positions that hold what may not end there.
    fn misplaced(&self, state: State) -> u32 {
        let accepted = self.query.accepted.iter().enumerate();
        accepted.filter(|(p, mask)| **mask >> state.class(*p) & 1 == 0).count() as u32
    }

    fn left(&self, state: State) -> u32 {
        let query = self.query;
        let positions = query.start.len();
        let has = |p: usize| query.accepted[p] >> state.class(p) & 1 == 1;
        let wanting = |p: &usize| !has(*p) && !present(state, positions, query.accepted[*p]);
        let entering = (0..positions).filter(|p| query.accepted[*p] == 1 << ENTERING).count();
        let inside = (0..positions).filter(|p| state.class(*p) == ENTERING).count();
        let outside = (0..positions).filter(wanting).filter(|p| query.accepted[*p] != 1 << ENTERING).count();
        let moved = (entering.saturating_sub(inside) + outside) as u32;
        let bits = (0..3).filter(|p| !has(*p)).count() as u32;
        if bits == 0 {
            return moved * self.slot;
        }
        // A move to one bit may bring something in as well.
        let apart = bits * self.bit + moved.saturating_sub(bits) * self.slot;
        if self.bits > 0 {
            apart.min(self.bits.min(self.bit) + moved.saturating_sub(1) * self.slot)
        } else {
            apart
        }
    }
}

/// A* with estimates taken `trust / 2` times.
fn attempt(query: &Query, moves: &[Move], estimate: &Estimate, trust: u32) -> Result<Found, Impatient> {
    let positions = query.start.len();
    let mut first = State(0);
    for (p, (class, wrong)) in query.start.iter().enumerate() {
        let value = if *class < FIXED { FREE } else { RIGHT + u8::from(*wrong) };
        first.put(p, *class, value);
    }
    let mut costs = Costs::default();
    let mut queue = BinaryHeap::new();
    costs.insert(first, (0, None));
    queue.push(Reverse((0, 0, first)));
    let mut seen = 0;
    while let Some(Reverse((_, cost, state))) = queue.pop() {
        if costs.get(&state).is_some_and(|(known, _)| *known < cost) {
            continue;
        }
        if is_goal(query, state) {
            return Ok(Some((cost, way(&costs, state))));
        }
        seen += 1;
        if seen > query.patience {
            return Err(Impatient);
        }
        let mut slots = query.classes.clone();
        for p in 0..positions {
            slots[usize::from(state.class(p))] -= 1;
        }
        let before = costs.get(&state).and_then(|(_, step)| step.map(|(_, taken)| &moves[taken.number]));
        for (number, one) in moves.iter().enumerate() {
            let total = cost + one.cost;
            // Two permutations of one register by the same instruction are one.
            let twice = before.is_some_and(|last| !one.has_slot() && last.action == one.action);
            if total > query.limit || twice {
                continue;
            }
            let classes = if one.has_slot() { 0..slots.len() as u8 } else { 0..1 };
            for class in classes.filter(|class| !one.has_slot() || slots[usize::from(*class)] > 0) {
                let next = after(one, state, class);
                if costs.get(&next).is_some_and(|(known, _)| *known <= total) {
                    continue;
                }
                let left = estimate.left(next);
                if total + left > query.limit {
                    continue;
                }
                let taken = Taken { number, class: one.has_slot().then_some(class) };
                costs.insert(next, (total, Some((state, taken))));
                // With trust, what is out of place counts beside what must cost something.
                let guess = left * trust / 2 + estimate.misplaced(next) * 2 * (trust - 2);
                queue.push(Reverse((total + guess, total, next)));
            }
        }
    }
    Ok(None)
}

/// Whether a class of a mask is in some position.
fn present(state: State, positions: usize, mask: u16) -> bool {
    (0..positions).any(|p| mask >> state.class(p) & 1 == 1)
}

fn is_goal(query: &Query, state: State) -> bool {
    let right = |p: usize| query.accepted[p] >> state.class(p) & 1 == 1 && state.value(p) != WRONG;
    (0..query.start.len()).all(right)
}

fn after(one: &Move, state: State, class: u8) -> State {
    let mut next = State(0);
    for (p, &from) in one.from.iter().enumerate() {
        if from == ENTERS {
            next.put(p, class, FREE);
            continue;
        }
        let (class, value) = (state.class(usize::from(from)), state.value(usize::from(from)));
        let value = match value {
            _ if one.choice >> p & 1 == 1 => FREE,
            RIGHT if one.toggle >> p & 1 == 1 => WRONG,
            WRONG if one.toggle >> p & 1 == 1 => RIGHT,
            value => value,
        };
        next.put(p, class, value);
    }
    next
}

fn way(costs: &Costs, end: State) -> Vec<Taken> {
    let (mut state, mut taken) = (end, Vec::new());
    while let Some((_, Some((before, step)))) = costs.get(&state) {
        taken.push(*step);
        state = *before;
    }
    taken.reverse();
    taken
}
