//! Words of a group that differ in how their bits are moved.
//!
//! The four S-boxes of Camellia are one table with bits rotated before it or after it. Where planes are made of groups a rotation
//! is another plane, so that one look-up does for all four: what moves bits is taken off each word, what is left is
//! computed for the group, and masks choose from what the ways to move bits make of it.

use crate::sliced::{Expression, ExpressionKind};
use std::mem::discriminant;
use usuba_lang::ast::ShiftOp;
use usuba_lang::typed::{self, Body, Definition, ExpressionKind as Typed, Step};

/// A way to move the bits of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wiring {
    Shift(ShiftOp, u32),
    Shuffle(Vec<u32>),
    Bitmask(u32),
}

impl Wiring {
    /// The same of a whole group.
    pub(super) fn of(&self, value: Expression) -> ExpressionKind {
        let value = Box::new(value);
        match self {
            Wiring::Shift(op, amount) => ExpressionKind::Shift { op: *op, amount: *amount, value },
            Wiring::Shuffle(pattern) => ExpressionKind::Shuffle { pattern: pattern.clone(), value },
            Wiring::Bitmask(bit) => ExpressionKind::Bitmask { bit: *bit, value },
        }
    }
}

/// A word as wiring, the last first, of another one.
pub(super) struct Rewired {
    wiring: Vec<Wiring>,
    pub core: typed::Expression,
}

/// Whether expressions are the same operation, whatever its operands.
pub(super) fn have_one_head(all: &[&typed::Expression]) -> bool {
    let same = |kind: &Typed, other: &Typed| match (kind, other) {
        (Typed::Shift { op, amount, .. }, Typed::Shift { op: o, amount: n, .. }) => (op, amount) == (o, n),
        (Typed::Shuffle { pattern, .. }, Typed::Shuffle { pattern: other, .. }) => pattern == other,
        (Typed::Bitmask { bit, .. }, Typed::Bitmask { bit: other, .. }) => bit == other,
        (Typed::Call { callee, .. }, Typed::Call { callee: other, .. }) => callee == other,
        _ => discriminant(kind) == discriminant(other),
    };
    all.iter().all(|other| same(&all[0].kind, &other.kind))
}

/// Words without what moves their bits, if it is that in which they differ: calls of nodes of one equation are looked into.
pub(super) fn rewired(program: &typed::Program, all: &[&typed::Expression]) -> Option<Vec<Rewired>> {
    let has_wiring = |word: &Rewired| !word.wiring.is_empty();
    let direct: Vec<Rewired> = all.iter().map(|word| peeled((*word).clone())).collect();
    if direct.iter().any(has_wiring) {
        return Some(direct);
    }
    let opened: Vec<Option<typed::Expression>> = all.iter().map(|word| opened(program, word)).collect();
    if opened.iter().all(Option::is_none) {
        return None;
    }
    let words =
        all.iter().zip(opened).map(|(word, opened)| peeled(opened.unwrap_or_else(|| (*word).clone())));
    Some(words.collect())
}

/// The ways in which words are wired, the most frequent first, and the words of each.
pub(super) fn ways(words: &[Rewired]) -> Vec<(&[Wiring], Vec<usize>)> {
    let mut ways: Vec<(&[Wiring], Vec<usize>)> = Vec::new();
    for (number, word) in words.iter().enumerate() {
        match ways.iter_mut().find(|(wiring, _)| *wiring == word.wiring) {
            Some((_, of)) => of.push(number),
            None => ways.push((&word.wiring, vec![number])),
        }
    }
    ways.sort_by_key(|(_, words)| std::cmp::Reverse(words.len()));
    ways
}

fn peeled(mut core: typed::Expression) -> Rewired {
    let mut wiring = Vec::new();
    loop {
        let (of, value) = match core.kind {
            Typed::Shift { op, amount, value } => (Wiring::Shift(op, amount), value),
            Typed::Shuffle { pattern, value } => (Wiring::Shuffle(pattern), value),
            Typed::Bitmask { bit, value } => (Wiring::Bitmask(bit), value),
            kind => return Rewired { wiring, core: typed::Expression { kind, ..core } },
        };
        wiring.push(of);
        core = *value;
    }
}

/// What a call of a node of one equation, from one word to one, computes.
fn opened(program: &typed::Program, expression: &typed::Expression) -> Option<typed::Expression> {
    let Typed::Call { callee, arguments } = &expression.kind else { return None };
    let callee = program.instance(*callee);
    let Body::Equations(equations) = &callee.body else { return None };
    let [Step::Assign(assignment)] = &equations.steps[..] else { return None };
    let words = |ids: &[typed::VariableId]| ids.iter().map(|&id| callee.variable(id).atoms()).sum::<u32>();
    let is_one = words(&callee.inputs) == 1 && words(&callee.outputs) == 1 && assignment.targets.len() == 1;
    is_one.then(|| put(&assignment.value, arguments)).flatten()
}

/// An expression of one input word with another one in its place; none if it has more than wiring and one call in it.
fn put(expression: &typed::Expression, argument: &typed::Expression) -> Option<typed::Expression> {
    let of = |value: &typed::Expression| put(value, argument).map(Box::new);
    let kind = match &expression.kind {
        Typed::Atoms(uses) => {
            return matches!(uses[..], [typed::Use { definition: Definition::Input, .. }])
                .then(|| argument.clone());
        }
        Typed::Shift { op, amount, value } => Typed::Shift { op: *op, amount: *amount, value: of(value)? },
        Typed::Shuffle { pattern, value } => Typed::Shuffle { pattern: pattern.clone(), value: of(value)? },
        Typed::Bitmask { bit, value } => Typed::Bitmask { bit: *bit, value: of(value)? },
        Typed::Call { callee, arguments } => Typed::Call { callee: *callee, arguments: of(arguments)? },
        _ => return None,
    };
    Some(typed::Expression { kind, span: expression.span })
}
