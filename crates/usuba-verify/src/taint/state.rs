//! What is known of registers and memory at a place of a function.

use super::Secret;
use iced_x86::{ConditionCode, Register};
use std::collections::BTreeMap;

/// Where a secret came through: a number of [`super::flow`].
pub(super) type Trail = u32;

/// A place of the stack below all others.
pub(super) const LOWEST: i64 = i64::MIN / 4;

/// What memory a value may point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Pointer {
    /// None that is known: a number, or memory that is reached through memory.
    #[default]
    Elsewhere,
    /// A number that is a constant.
    Constant(i64),
    /// The stack, so many bytes from the pointer at the call; somewhere at or above that place if not `exact`.
    Stack { from: i64, exact: bool },
    /// Some of the regions: a bit for each.
    Regions(u64),
}

impl Pointer {
    pub(super) fn met(self, other: Pointer) -> Pointer {
        use Pointer::*;
        match (self, other) {
            (a, b) if a == b => a,
            // What goes down time and again goes down for ever.
            (Stack { from: a, exact: p }, Stack { from: b, exact: q }) => {
                let is_lower = (!p && b < a) || (!q && a < b);
                Stack { from: if is_lower { LOWEST } else { a.min(b) }, exact: false }
            }
            (Regions(a), Regions(b)) => Regions(a | b),
            (Regions(a), _) | (_, Regions(a)) => Regions(a),
            (Stack { from, .. }, _) | (_, Stack { from, .. }) => Stack { from, exact: false },
            _ => Elsewhere,
        }
    }

    /// The pointer that is `by` bytes further; by a number that is not known if `None`.
    pub(super) fn moved(self, by: Option<i64>) -> Pointer {
        match (self, by) {
            (Pointer::Stack { from, exact }, Some(by)) => {
                Pointer::Stack { from: from.wrapping_add(by), exact }
            }
            (Pointer::Stack { from, .. }, None) => Pointer::Stack { from, exact: false },
            (Pointer::Constant(number), Some(by)) => Pointer::Constant(number.wrapping_add(by)),
            (Pointer::Constant(_), None) => Pointer::Elsewhere,
            (other, _) => other,
        }
    }

    /// The sum of two values, one of which may be an address.
    pub(super) fn plus(self, other: Pointer) -> Pointer {
        match (self, other) {
            (pointer, Pointer::Constant(by)) | (Pointer::Constant(by), pointer) => pointer.moved(Some(by)),
            // A number may be what an argument is, too: which of them is the address is not known.
            (Pointer::Regions(a), Pointer::Regions(b)) => Pointer::Regions(a | b),
            (stack @ Pointer::Stack { .. }, _) | (_, stack @ Pointer::Stack { .. }) => stack.moved(None),
            (regions @ Pointer::Regions(_), _) | (_, regions @ Pointer::Regions(_)) => regions,
            _ => Pointer::Elsewhere,
        }
    }
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Value {
    /// Whether it may depend on a secret, and where that came through.
    pub(super) secret: Option<Trail>,
    pub(super) pointer: Pointer,
}

impl Value {
    pub(super) fn number(secret: Option<Trail>) -> Value {
        Value { secret, pointer: Pointer::Elsewhere }
    }

    pub(super) fn constant(number: i64) -> Value {
        Value { secret: None, pointer: Pointer::Constant(number) }
    }

    pub(super) fn met(self, other: Value) -> Value {
        Value { secret: self.secret.or(other.secret), pointer: self.pointer.met(other.pointer) }
    }
}

/// What the flags were set by, where it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Compared {
    /// The first number or place.
    pub(super) a: i64,
    /// The second one, of the same kind.
    pub(super) b: i64,
    /// Bits of both.
    pub(super) bits: u32,
    /// Whether the carry and the overflow are those of the difference.
    pub(super) is_difference: bool,
}

impl Compared {
    /// Whether a condition holds, if that is known.
    pub(super) fn holds(self, code: ConditionCode) -> Option<bool> {
        let shift = 64 - self.bits;
        let (a, b) = ((self.a as u64) << shift, (self.b as u64) << shift);
        let (p, q) = (a as i64, b as i64);
        let is_sign = self.is_difference || b == 0;
        Some(match code {
            ConditionCode::e => a == b,
            ConditionCode::ne => a != b,
            ConditionCode::s if is_sign => (p.wrapping_sub(q)) < 0,
            ConditionCode::ns if is_sign => (p.wrapping_sub(q)) >= 0,
            _ if !self.is_difference => return None,
            ConditionCode::b => a < b,
            ConditionCode::ae => a >= b,
            ConditionCode::be => a <= b,
            ConditionCode::a => a > b,
            ConditionCode::l => p < q,
            ConditionCode::ge => p >= q,
            ConditionCode::le => p <= q,
            ConditionCode::g => p > q,
            _ => return None,
        })
    }
}

/// Registers and memory.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    registers: BTreeMap<Register, Value>,
    /// The carry flag, and the other status flags.
    pub(super) flags: [Option<Trail>; 2],
    /// What was compared last, if that is known.
    pub(super) compared: Option<Compared>,
    /// What is on the stack, by place, with its number of bytes.
    slots: BTreeMap<i64, (i64, Value)>,
    /// A secret that was stored somewhere at or above a place.
    arrays: BTreeMap<i64, Trail>,
    /// Secrets in regions.
    regions: BTreeMap<u32, Trail>,
    /// A secret that was stored where nothing is known.
    elsewhere: Option<Trail>,
}

impl State {
    pub(super) fn register(&self, register: Register) -> Value {
        self.registers.get(&register.full_register()).copied().unwrap_or_default()
    }

    pub(super) fn set_register(&mut self, register: Register, value: Value) {
        self.registers.insert(register.full_register(), value);
    }

    /// Makes the content of a region secret.
    pub(super) fn taint(&mut self, region: u32, trail: Trail) {
        self.regions.entry(region).or_insert(trail);
    }

    /// What an access reads.
    pub(super) fn load(&self, pointer: Pointer, bytes: i64) -> Value {
        match pointer {
            Pointer::Stack { from, exact: true } => {
                let above = self.arrays.range(..from + bytes).next().map(|(_, &trail)| trail);
                let mut touched = self
                    .slots
                    .iter()
                    .filter(|(start, (size, _))| **start < from + bytes && **start + size > from);
                let mut value = match (touched.next(), touched.next()) {
                    (Some((&start, &(size, value))), None) if start == from && size == bytes => value,
                    _ => Value::number(self.slots_in(from, from + bytes)),
                };
                value.secret = value.secret.or(above).or(self.elsewhere);
                value
            }
            Pointer::Stack { from, exact: false } => {
                let stored = self.slots_in(from, i64::MAX);
                Value::number(stored.or_else(|| self.arrays.values().next().copied()).or(self.elsewhere))
            }
            Pointer::Regions(set) => {
                let secret = self.regions.iter().find(|(region, _)| set >> **region & 1 == 1);
                Value::number(secret.map(|(_, &trail)| trail).or(self.elsewhere))
            }
            // Perhaps memory of a region, reached in another way.
            Pointer::Elsewhere | Pointer::Constant(_) => Value::number(self.elsewhere),
        }
    }

    /// Secrets in what is stored between two places.
    fn slots_in(&self, from: i64, to: i64) -> Option<Trail> {
        let touched = self.slots.iter().filter(|(start, (size, _))| **start < to && **start + size > from);
        touched.into_iter().find_map(|(_, (_, value))| value.secret)
    }

    pub(super) fn store(&mut self, pointer: Pointer, bytes: i64, value: Value) {
        match (pointer, value.secret) {
            (Pointer::Stack { from, exact: true }, _) => {
                let touched: Vec<i64> = self
                    .slots
                    .iter()
                    .filter(|(start, (size, _))| **start < from + bytes && **start + size > from)
                    .map(|(&start, _)| start)
                    .collect();
                for start in touched {
                    let Some((size, old)) = self.slots.remove(&start) else { continue };
                    // What is left of what is partly overwritten.
                    let rest = Value::number(old.secret);
                    if start < from {
                        self.slots.insert(start, (from - start, rest));
                    }
                    if start + size > from + bytes {
                        self.slots.insert(from + bytes, (start + size - from - bytes, rest));
                    }
                }
                self.slots.insert(from, (bytes, value));
            }
            (Pointer::Stack { from, exact: false }, secret) => {
                if let Some(trail) = secret {
                    self.arrays.entry(from).or_insert(trail);
                }
                // Addresses that may have been overwritten are not known any more.
                for (_, (_, old)) in self.slots.range_mut(from..) {
                    old.pointer = old.pointer.met(Pointer::Elsewhere);
                }
            }
            (Pointer::Regions(set), Some(trail)) => {
                (0..64).filter(|region| set >> region & 1 == 1).for_each(|region| self.taint(region, trail));
            }
            (Pointer::Elsewhere | Pointer::Constant(_), Some(trail)) => {
                self.elsewhere = self.elsewhere.or(Some(trail));
            }
            (Pointer::Regions(_) | Pointer::Elsewhere | Pointer::Constant(_), None) => {}
        }
    }

    /// Whether what a pointer points to may be secret.
    pub(super) fn secret_behind(&self, pointer: Pointer) -> Option<Trail> {
        match pointer {
            Pointer::Constant(_) => None,
            Pointer::Stack { from, .. } => self.load(Pointer::Stack { from, exact: false }, 1).secret,
            other => self.load(other, 1).secret,
        }
    }

    /// Joins what another path brings; whether that is new.
    pub(super) fn join(&mut self, other: &State) -> bool {
        let mut is_new = false;
        let mut met = |old: Value, new: Value| {
            let both = old.met(new);
            is_new |= both.secret.is_some() != old.secret.is_some() || both.pointer != old.pointer;
            both
        };
        let registers: Vec<Register> = self.registers.keys().chain(other.registers.keys()).copied().collect();
        for register in registers {
            let value = met(self.register(register), other.register(register));
            self.registers.insert(register, value);
        }
        let mut slots = BTreeMap::new();
        let places: Vec<i64> = self.slots.keys().chain(other.slots.keys()).copied().collect();
        for place in places {
            let (old, new) = (self.slots.get(&place), other.slots.get(&place));
            let joined = match (old, new) {
                (Some(&(size, a)), Some(&(other_size, b))) if size == other_size => (size, met(a, b)),
                (Some(&(size, a)), Some(&(other_size, b))) => {
                    (size.max(other_size), met(a, Value::number(a.secret.or(b.secret))))
                }
                // On the other path there is what was there before, of which nothing is known.
                (Some(&(size, a)), None) => (size, met(a, Value::number(a.secret))),
                (None, Some(&(size, b))) if b.secret.is_some() => {
                    (size, met(Value::default(), Value::number(b.secret)))
                }
                _ => continue,
            };
            slots.insert(place, joined);
        }
        self.slots = slots;
        for (&place, &trail) in &other.arrays {
            is_new |= !self.arrays.contains_key(&place);
            self.arrays.entry(place).or_insert(trail);
        }
        for (&region, &trail) in &other.regions {
            is_new |= !self.regions.contains_key(&region);
            self.regions.entry(region).or_insert(trail);
        }
        if self.compared != other.compared {
            is_new |= self.compared.is_some();
            self.compared = None;
        }
        for (flag, new) in self.flags.iter_mut().zip(other.flags) {
            is_new |= flag.is_none() && new.is_some();
            *flag = flag.or(new);
        }
        is_new |= self.elsewhere.is_none() && other.elsewhere.is_some();
        self.elsewhere = self.elsewhere.or(other.elsewhere);
        is_new
    }
}

/// What a secret came through first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Step {
    /// It is this one.
    From(Secret),
    /// An instruction, by section and place, and what came before.
    At(usize, u64, Trail),
}
