//! What is known at one point of the code: sums in general-purpose registers, values in vectors and in memory.

use super::super::linear::{Count, Value};
use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::RegionId;

/// What something is counted from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Symbol {
    /// Nothing: a number.
    Number,
    /// The argument of that number.
    Argument(usize),
    /// The first content of a register.
    Register(u8),
    /// The stack pointer on entry.
    Entry,
    /// The stack pointer after it was aligned.
    Frame,
}

/// A number that is not known when the code is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Term {
    /// How often the loop of that number went round.
    Loop(usize),
    /// A public count.
    Count(Count),
}

/// `symbol + constant + Σ coefficient · term`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Sum {
    pub(super) symbol: Symbol,
    pub(super) terms: Vec<(Term, i64)>,
    pub(super) constant: i64,
}

impl Sum {
    pub(super) fn of(symbol: Symbol) -> Sum {
        Sum { symbol, terms: Vec::new(), constant: 0 }
    }

    pub(super) fn count(count: Count) -> Sum {
        Sum { symbol: Symbol::Number, terms: vec![(Term::Count(count), 1)], constant: 0 }
    }

    pub(super) fn plus(&self, amount: i64) -> Sum {
        Sum { constant: self.constant + amount, ..self.clone() }
    }

    pub(super) fn with(mut self, term: Term, coefficient: i64) -> Sum {
        match self.terms.iter_mut().find(|(other, _)| *other == term) {
            Some((_, sum)) => *sum += coefficient,
            None => self.terms.push((term, coefficient)),
        }
        self.terms.retain(|&(_, coefficient)| coefficient != 0);
        self.terms.sort_unstable();
        self
    }

    pub(super) fn add(&self, other: &Sum) -> Option<Sum> {
        let symbol = match (self.symbol, other.symbol) {
            (symbol, Symbol::Number) | (Symbol::Number, symbol) => symbol,
            _ => return None,
        };
        let start = Sum { symbol, ..self.plus(other.constant) };
        Some(other.terms.iter().fold(start, |sum, &(number, coefficient)| sum.with(number, coefficient)))
    }

    /// By how much it grows from one time round a loop to the next.
    pub(super) fn step(&self, number: usize) -> i64 {
        let found = self.terms.iter().find(|(other, _)| *other == Term::Loop(number));
        found.map_or(0, |&(_, coefficient)| coefficient)
    }
}

pub(super) type Set = BTreeSet<Value>;

/// Addresses that differ by constants only: a symbol and the multiples of induction variables and counts, and the region of the
/// function's own in which they lie, if it is one.
pub(super) type Family = (Symbol, Vec<(Term, i64)>, Option<RegionId>);

/// What is known at one point of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) integers: Vec<Option<Sum>>,
    /// Of the registers for values.
    pub(super) values: Vec<Set>,
    /// By place without its constant, then by constant and width.
    pub(super) memory: BTreeMap<Family, BTreeMap<(i64, u32), Set>>,
    /// What was pushed, by distance from the stack pointer on entry.
    pub(super) pushed: BTreeMap<i64, Sum>,
    /// What the mask register is the mask of the first lanes of.
    pub(super) mask: Option<Sum>,
}

pub(super) fn sets(state: &mut State) -> impl Iterator<Item = &mut Set> {
    state.values.iter_mut().chain(state.memory.values_mut().flat_map(|group| group.values_mut()))
}

/// What is known before a loop and after it went round.
pub(super) fn meet(head: &State, back: &State, number: usize) -> State {
    common(head, back, |head, back| *back == head.plus(head.step(number)))
}

/// What is known in two states, with the integers of the first where they agree.
pub(super) fn common(head: &State, back: &State, agree: impl Fn(&Sum, &Sum) -> bool) -> State {
    let both = |a: &Set, b: &Set| -> Set { a.intersection(b).copied().collect() };
    let integers = head.integers.iter().zip(&back.integers).map(|(head, back)| {
        let (head, back) = (head.as_ref()?, back.as_ref()?);
        agree(head, back).then(|| head.clone())
    });
    let mut memory = BTreeMap::new();
    for (key, group) in &head.memory {
        let Some(other) = back.memory.get(key) else { continue };
        let mut kept = BTreeMap::new();
        for (place, set) in group {
            let set = other.get(place).map(|other| both(set, other)).unwrap_or_default();
            if !set.is_empty() {
                kept.insert(*place, set);
            }
        }
        if !kept.is_empty() {
            memory.insert(key.clone(), kept);
        }
    }
    let pushed = head.pushed.iter().filter(|(place, sum)| back.pushed.get(place) == Some(sum));
    State {
        integers: integers.collect(),
        values: head.values.iter().zip(&back.values).map(|(a, b)| both(a, b)).collect(),
        memory,
        pushed: pushed.map(|(place, sum)| (*place, sum.clone())).collect(),
        mask: head.mask.clone().filter(|mask| back.mask.as_ref() == Some(mask)),
    }
}
