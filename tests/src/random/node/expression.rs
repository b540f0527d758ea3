//! Expressions: text for so many atoms of one width.

use super::{Body, Untyped, adds};
use crate::random::has_gap;
use crate::random::program::{Callable, Demand, Profile};
use crate::random::reference::{Reference, Selection, Static};
use crate::random::scope::Width;

#[derive(Clone, Copy)]
enum Kind {
    Variable,
    Constant,
    Not,
    Logic,
    Arithmetic,
    Shift,
    Shuffle,
    Bitmask,
    Pack,
    Call,
    Tuple,
    Refresh,
}

impl Body<'_> {
    /// An expression for `count` atoms of `width`.
    pub(super) fn expression(&mut self, count: u32, width: Width, depth: u32, untyped: Untyped) -> String {
        if depth == 0 || !self.rich() {
            return self.leaf(count, width, untyped);
        }
        let bits = match width {
            Width::Bits(bits) => bits,
            Width::Open => 0,
        };
        let one = count == 1;
        let add = self.profile.arithmetic() && adds(width) && count <= 4;
        let half = bits / 2;
        let pack = one && bits % 2 == 0 && bits > 0 && self.widths.contains(&Width::Bits(half));
        let kind = self.random.weighted(&[
            (14, Kind::Variable),
            (5, Kind::Constant),
            (8, Kind::Not),
            (26, Kind::Logic),
            (if add { 14 } else { 0 }, Kind::Arithmetic),
            (15, Kind::Shift),
            (if bits > 1 { 6 } else { 0 }, Kind::Shuffle),
            (if one && bits > 1 { 4 } else { 0 }, Kind::Bitmask),
            (if pack && self.profile.packs() { 12 } else { 0 }, Kind::Pack),
            (14, Kind::Call),
            (if one { 0 } else { 9 }, Kind::Tuple),
            (2, Kind::Refresh),
        ]);
        match kind {
            Kind::Variable => self.leaf(count, width, Untyped::No),
            Kind::Constant => {
                self.constant(count, width, untyped).unwrap_or_else(|| self.leaf(count, width, Untyped::No))
            }
            Kind::Not => {
                self.charge(count, width);
                let sign = if self.random.chance(80) { '~' } else { '!' };
                let inside = if untyped == Untyped::Word
                    && has_gap("untyped constants under a complement in a tuple")
                {
                    Untyped::No
                } else {
                    untyped
                };
                format!("{sign}{}", self.operand(count, width, depth - 1, inside))
            }
            Kind::Logic => self.logic(count, width, depth, untyped),
            Kind::Arithmetic => {
                self.arithmetic = true;
                let op = self.random.pick(&["+", "+", "-", "*"]);
                let cost = if op == "*" { 4 * bits } else { 6 };
                self.charge(cost * count, width);
                let left = self.operand(count, width, depth - 1, Untyped::No);
                let right = self.operand(count, width, depth - 1, untyped.min_word());
                format!("({left} {op} {right})")
            }
            Kind::Shift => self.shift(count, width, depth),
            Kind::Shuffle => {
                self.shuffle(count, width, bits).unwrap_or_else(|| self.leaf(count, width, untyped))
            }
            Kind::Bitmask => {
                let value = self.expression(1, width, depth - 1, Untyped::No);
                let bit = self.scope.index(self.random, bits);
                format!("Bitmask({value}, {bit})")
            }
            Kind::Pack => {
                let high = self.expression(1, Width::Bits(half), depth - 1, Untyped::No);
                let low = self.expression(1, Width::Bits(half), depth - 1, Untyped::No);
                let ty = if self.random.chance(70) { format!(":u{bits}") } else { String::new() };
                self.charge(1, width);
                format!("Pack({high}, {low}){ty}")
            }
            Kind::Call => {
                self.call(count, width, depth).unwrap_or_else(|| self.logic(count, width, depth, untyped))
            }
            Kind::Tuple => {
                let left = self.random.between(1, count - 1);
                let first = self.expression(left, width, depth - 1, untyped.min_word());
                let second = self.expression(count - left, width, depth - 1, untyped.min_word());
                format!("({first}, {second})")
            }
            Kind::Refresh => {
                self.charge(count, width);
                format!("refresh({})", self.expression(count, width, depth - 1, Untyped::No))
            }
        }
    }

    /// An expression that binds tighter than any operator.
    fn operand(&mut self, count: u32, width: Width, depth: u32, untyped: Untyped) -> String {
        let text = self.expression(count, width, depth, untyped);
        if text.starts_with(['~', '!']) { format!("({text})") } else { text }
    }

    fn logic(&mut self, count: u32, width: Width, depth: u32, untyped: Untyped) -> String {
        let op = self.random.pick(&["^", "^", "^", "&", "&", "|"]);
        self.charge(count, width);
        let left = self.operand(count, width, depth - 1, Untyped::No);
        let right = self.operand(
            count,
            width,
            depth - 1,
            if untyped == Untyped::No { Untyped::Word } else { untyped },
        );
        // Now and then the constant, if it is one, stands first.
        let (left, right) = if self.random.chance(20) { (right, left) } else { (left, right) };
        if self.random.chance(15) {
            self.charge(count, width);
            let third = self.operand(count, width, depth - 1, Untyped::No);
            return format!("({left} {op} {right} {op} {third})");
        }
        format!("({left} {op} {right})")
    }

    fn shift(&mut self, count: u32, width: Width, depth: u32) -> String {
        let unit = if count > 1 { count } else { width.bits() };
        let mut ops = vec!["<<", ">>", "<<<", "<<<", ">>>", ">>>"];
        if count == 1 {
            ops.push(">>!");
        } else {
            // Vectors have no sign.
            self.charge(0, width);
        }
        let op = self.random.pick(&ops);
        let amount = if self.random.chance(4) {
            Static::Number(i64::from(unit + self.random.between(0, 2)))
        } else {
            self.scope.index(self.random, unit)
        };
        let amount = match amount {
            Static::Binary(..) => format!("({amount})"),
            _ => amount.to_string(),
        };
        self.charge(count, width);
        let value = self.operand(count, width, depth - 1, Untyped::No);
        format!("({value} {op} {amount})")
    }

    fn shuffle(&mut self, count: u32, width: Width, bits: u32) -> Option<String> {
        let reference = self.reading(count, width)?;
        let lengths: Vec<u32> = (2..=bits).filter(|k| bits.is_multiple_of(*k)).collect();
        let length = self.random.pick(&lengths);
        let mut pattern: Vec<u32> = (0..length).collect();
        if self.random.chance(75) {
            self.random.shuffle(&mut pattern);
        } else {
            pattern = pattern.iter().map(|_| self.random.between(0, length - 1)).collect();
        }
        self.charge(count * if self.profile == Profile::B { 1 } else { 2 }, width);
        let entries: Vec<_> = pattern.iter().map(u32::to_string).collect();
        let entries = entries.join(if self.random.chance(50) { ", " } else { "," });
        Some(if self.random.chance(50) {
            format!("Shuffle({reference}, [{entries}])")
        } else {
            format!("{reference}{{{entries}}}")
        })
    }

    fn call(&mut self, count: u32, width: Width, depth: u32) -> Option<String> {
        let callables = self.callables;
        let fitting: Vec<&Callable> =
            callables.iter().filter(|c| c.results(width) == Some(count) && self.affordable(c)).collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.random.pick(&fitting).clone();
        let arguments = self.arguments(&callee.inputs, width, &callee, depth - 1);
        Some(self.applied(&callee, &arguments))
    }

    /// The call, its weight charged.
    pub(super) fn applied(&mut self, callee: &Callable, arguments: &str) -> String {
        self.weight += callee.weight * self.scope.repetitions();
        self.arithmetic |= callee.arithmetic;
        let element = match callee.elements {
            Some(elements) => {
                // `f<(i % 2)>`: a `>` cannot occur inside.
                let index = self.scope.index(self.random, elements);
                format!("<{index}>")
            }
            None => String::new(),
        };
        format!("{}{element}({arguments})", callee.name)
    }

    /// Arguments that are, all together, what `demands` says; where one ends does not follow the inputs.
    pub(super) fn arguments(
        &mut self,
        demands: &[Demand],
        open: Width,
        callee: &Callable,
        depth: u32,
    ) -> String {
        let mut arguments = Vec::new();
        // Which arguments are for `nat` parameters is certain if there are as many as parameters.
        let parted = callee.inputs.iter().any(|d| matches!(d, Demand::Nat(_)));
        let typed = callee.inputs.iter().any(|d| matches!(d, Demand::Atoms(Width::Open, _)));
        let untyped = if typed { Untyped::No } else { Untyped::Word };
        let mut runs: Vec<(Width, u32)> = Vec::new();
        for demand in demands {
            match demand {
                Demand::Nat(values) => {
                    self.argument_pieces(&mut runs, untyped, depth, &mut arguments);
                    arguments.push(self.scope.index(self.random, *values).to_string());
                }
                Demand::Atoms(_, 0) => {}
                Demand::Atoms(width, count) => {
                    let width = if *width == Width::Open { open } else { *width };
                    match runs.last_mut() {
                        _ if parted => arguments.push(self.expression(*count, width, depth.min(2), untyped)),
                        Some((last, n)) if *last == width => *n += count,
                        _ => runs.push((width, *count)),
                    }
                }
            }
        }
        self.argument_pieces(&mut runs, untyped, depth, &mut arguments);
        arguments.join(", ")
    }

    fn argument_pieces(
        &mut self,
        runs: &mut Vec<(Width, u32)>,
        untyped: Untyped,
        depth: u32,
        arguments: &mut Vec<String>,
    ) {
        let mut pieces = Vec::new();
        for (width, mut count) in runs.drain(..) {
            while count > 0 {
                let piece = if self.random.chance(55) { count } else { self.random.between(1, count) };
                pieces.push(self.expression(piece, width, depth.min(2), untyped));
                count -= piece;
            }
        }
        if pieces.len() > 1 && self.random.chance(25) {
            let last = pieces.pop().unwrap_or_default();
            let before = pieces.pop().unwrap_or_default();
            pieces.push(format!("({before}, {last})"));
        }
        arguments.extend(pieces);
    }

    fn leaf(&mut self, count: u32, width: Width, untyped: Untyped) -> String {
        if self.random.chance(8)
            && let Some(constant) = self.constant(count, width, untyped)
        {
            return constant;
        }
        if let Some(reference) = self.reading(count, width) {
            return reference.to_string();
        }
        if count > 1 {
            let left = self.random.between(1, count - 1);
            let first = self.leaf(left, width, untyped.min_word());
            let second = self.leaf(count - left, width, untyped.min_word());
            return format!("({first}, {second})");
        }
        if let Some(constant) = self.constant(1, width, untyped) {
            return constant;
        }
        // Only for an open width, of which every node has an input.
        let found = self.scope.variables.iter().position(|v| v.width == width).unwrap_or(0);
        let variable = &self.scope.variables[found];
        let selections = variable.dimensions.iter().map(|_| Selection::Index(Static::Number(0))).collect();
        Reference { variable: found, name: variable.name.clone(), selections }.to_string()
    }

    /// Atoms that have a value.
    fn reading(&mut self, count: u32, width: Width) -> Option<Reference> {
        for _ in 0..14 {
            let n = self.scope.variables.len();
            let variable =
                self.random.below(n).max(if self.random.chance(50) { self.random.below(n) } else { 0 });
            let known = &self.scope.variables[variable];
            if known.width != width {
                continue;
            }
            let (name, dimensions) = (known.name.clone(), known.dimensions.clone());
            let Some(selections) = self.scope.select(self.random, &dimensions, count, false) else {
                continue;
            };
            let reference = Reference { variable, name, selections };
            if self.scope.readable(&reference, &self.targets) {
                return Some(reference);
            }
        }
        None
    }

    fn constant(&mut self, count: u32, width: Width, untyped: Untyped) -> Option<String> {
        let Width::Bits(bits) = width else { return None };
        if bits == 1 {
            let value = self.random.word(count.min(60)) as u64;
            let value = self.number(value);
            return Some(if untyped == Untyped::Any && self.random.chance(60) {
                value
            } else {
                format!("{value}:b{count}")
            });
        }
        let each: Vec<String> = (0..count)
            .map(|_| {
                let value = match self.random.below(6) {
                    0 => 0,
                    1 => (u128::MAX >> (128 - bits)) as u64,
                    2 => 1 << (bits - 1),
                    _ => self.random.word(bits) as u64,
                };
                let value = self.number(value);
                if untyped == Untyped::No || self.random.chance(30) {
                    format!("{value}:u{bits}")
                } else {
                    value
                }
            })
            .collect();
        match each.as_slice() {
            [one] => Some(one.clone()),
            _ if count > 6 => None,
            several => Some(format!("({})", several.join(", "))),
        }
    }

    fn number(&mut self, value: u64) -> String {
        if self.random.chance(60) { format!("{value:#x}") } else { value.to_string() }
    }
}

impl Untyped {
    /// The same inside a tuple.
    fn min_word(self) -> Untyped {
        if self == Untyped::Any { Untyped::Word } else { self }
    }
}
