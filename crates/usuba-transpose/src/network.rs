//! Straight programs over registers, in loops, that move the bits of a column.

use crate::moves::{Action, Machine, Move};
use crate::way::{Bit, Way};
use usuba_target::Meaning;

/// What an instruction computes of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A meaning of two registers by lanes.
    Lanes(Meaning, u32),
    /// [`Meaning::PermuteTwoGroups`].
    TwoGroups(u8),
    /// 64-bit lanes of two registers.
    LanesOfTwo([u8; 8]),
    /// [`Meaning::MergeShuffledBytes`] with this index in every group, where the mask is 1.
    Merge([u8; 16], u16),
    /// Lanes of the second where the bit of the lane in its group is 1.
    Blend(u32, u8),
    /// 64-bit lanes shifted left.
    Left(u32),
    /// 64-bit lanes shifted right.
    Right(u32),
    /// A 64-bit mask.
    And(u64),
    /// Exclusive or.
    Xor,
    /// The first where the mask is 1, the second elsewhere.
    Select(u64),
    /// Bytes of every group.
    Bytes([u8; 16]),
    /// 32-bit words of every group, as an immediate.
    Words(u8),
    /// Lanes of so many bits of each four, as an immediate.
    Quads(u32, u8),
    /// 16-bit lanes rotated by 8 bits.
    SwapBytes,
    /// 32-bit words of the register.
    AllWords(Vec<u8>),
    /// The image of constant bytes under each 64-bit lane as a matrix.
    Matrix([u8; 8]),
    /// The image of bytes under a matrix.
    Bits(u64),
}

impl Operation {
    /// The meaning of its instruction, and the width of its lanes.
    pub fn row(&self) -> (Meaning, u32) {
        match self {
            Operation::Lanes(meaning, lane) => (*meaning, *lane),
            Operation::TwoGroups(_) => (Meaning::PermuteTwoGroups, 0),
            Operation::LanesOfTwo(_) => (Meaning::PermuteLanesOfTwo, 64),
            Operation::Merge(..) => (Meaning::MergeShuffledBytes, 0),
            Operation::Blend(lane, _) => (Meaning::Blend, *lane),
            Operation::Left(_) => (Meaning::ShiftLeft, 64),
            Operation::Right(_) => (Meaning::ShiftRight, 64),
            Operation::And(_) => (Meaning::And, 64),
            Operation::Xor => (Meaning::Xor, 64),
            Operation::Select(_) => (Meaning::Ternary, 64),
            Operation::Bytes(_) => (Meaning::ShuffleBytes, 0),
            Operation::Words(_) => (Meaning::ShuffleWords, 32),
            Operation::Quads(lane, _) => (Meaning::PermuteQuads, *lane),
            Operation::SwapBytes => (Meaning::RotateLeft, 16),
            Operation::AllWords(_) => (Meaning::PermuteLanes, 32),
            Operation::Matrix(_) | Operation::Bits(_) => (Meaning::MapBytes, 8),
        }
    }

    /// The constant that it reads, if it reads one, as bytes.
    pub fn constant(&self) -> Option<Vec<u8>> {
        match self {
            Operation::LanesOfTwo(index) => Some(index.to_vec()),
            Operation::Merge(index, _) | Operation::Bytes(index) => Some(index.to_vec()),
            Operation::AllWords(index) => Some(index.clone()),
            Operation::And(word) | Operation::Bits(word) => Some(word.to_le_bytes().to_vec()),
            // The select has the mask or its complement, so that bit 0 is set.
            Operation::Select(mask) => {
                Some((if mask & 1 == 1 { *mask } else { !mask }).to_le_bytes().to_vec())
            }
            Operation::Matrix(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

/// A statement; values are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// A register from pieces of memory, as many bytes from the start of the region.
    Load(usize, Vec<i64>),
    /// A value from others.
    Apply(usize, Operation, Vec<usize>),
    /// A register to pieces of memory.
    Store(usize, Vec<i64>),
}

/// Memory that a phase reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// Bytes of blocks.
    Blocks,
    /// Registers of sliced code.
    Image,
    /// As many bytes as the image has.
    Scratch,
}

/// A loop with a public number of trips, each of which goes on by so many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Trips.
    pub trips: usize,
    /// Bytes in what is read.
    pub from: i64,
    /// Bytes in what is written.
    pub to: i64,
}

/// Statements in loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phase {
    /// What is read.
    pub from: Region,
    /// What is written.
    pub to: Region,
    /// The outer loop first.
    pub loops: Vec<Loop>,
    /// What is done in them.
    pub body: Vec<Statement>,
}

/// How registers that differ in a slot lie in memory: where they are for 0, and how much further for 1; in bits.
#[derive(Clone, Copy)]
struct Apart {
    base: i64,
    step: i64,
}

fn apart(bit: Bit, deltas: &[i64]) -> Apart {
    let delta = deltas[bit.label];
    if bit.flip { Apart { base: delta, step: -delta } } else { Apart { base: 0, step: delta } }
}

/// Memory as a phase sees it.
#[derive(Clone)]
struct View {
    region: Region,
    base: i64,
    slots: Vec<Apart>,
    pieces: Vec<Apart>,
}

impl View {
    /// Bytes of every piece of the register with these slots.
    fn pieces(&self, inner: &[usize], key: usize) -> Vec<i64> {
        let mut at = self.base;
        for (k, slot) in inner.iter().enumerate() {
            at += self.slots[*slot].step * (key >> k & 1) as i64;
        }
        let further = |piece: usize| {
            let steps = self.pieces.iter().enumerate();
            steps.map(|(k, apart)| apart.step * (piece >> k & 1) as i64).sum::<i64>()
        };
        (0..1 << self.pieces.len()).map(|piece| (at + further(piece)) / 8).collect()
    }
}

fn view(way: &Way, end: bool, region: Region) -> View {
    let (side, positions, slots, natural) = if end {
        (&way.to, &way.end_positions, &way.end_slots, way.natural.1)
    } else {
        (&way.from, &way.start_positions, &way.start_slots, way.natural.0)
    };
    let slots: Vec<Apart> = slots.iter().map(|bit| apart(*bit, &side.deltas)).collect();
    let pieces: Vec<Apart> = positions[natural..].iter().map(|bit| apart(*bit, &side.deltas)).collect();
    let first: i64 = positions[..natural].iter().map(|bit| side.deltas[bit.label].min(0)).sum();
    let base = side.base + first + slots.iter().chain(&pieces).map(|apart| apart.base).sum::<i64>();
    View { region, base, slots, pieces }
}

/// The most registers of a phase, as the logarithm: more than 16 at once need more constants and names than there are registers,
/// even with 32.
const MOST: usize = 4;

/// The fewest, where there are as many, as the logarithm: loops have something to do.
const LEAST: usize = 2;

/// A way that is to be cut into phases.
pub struct Cutting<'a> {
    way: &'a Way,
    machine: &'a Machine,
    first: View,
    between: View,
    last: View,
}

impl<'a> Cutting<'a> {
    /// A way from one region to another.
    pub fn of(way: &'a Way, machine: &'a Machine, (from, to): (Region, Region)) -> Cutting<'a> {
        let (first, last) = (view(way, false, from), view(way, true, to));
        let full = |natural: usize| natural == machine.positions();
        // Between phases registers lie where they end, or where they began, if that is in the image; whole ones only.
        let between = match (from, to) {
            (Region::Blocks, _) if full(way.natural.1) => last.clone(),
            (_, Region::Blocks) if full(way.natural.0) => first.clone(),
            _ => {
                let bytes = |k: usize| (machine.register() as i64 * 8) << k;
                let slots = (0..first.slots.len()).map(|k| Apart { base: 0, step: bytes(k) }).collect();
                View { region: Region::Scratch, base: 0, slots, pieces: Vec::new() }
            }
        };
        Cutting { way, machine, first, between, last }
    }

    /// Steps that are to be cut.
    pub fn steps(&self) -> usize {
        self.way.steps.len()
    }

    /// The phase of some steps, one after another; `None` if it has too many registers.
    pub fn phase(&self, range: std::ops::Range<usize>) -> Option<Phase> {
        let from = if range.start == 0 { &self.first } else { &self.between };
        let to = if range.end == self.steps() { &self.last } else { &self.between };
        let mut inner: Vec<usize> = Vec::new();
        for step in &self.way.steps[range.clone()] {
            inner.extend(step.slot.filter(|slot| !inner.contains(slot)));
        }
        let mut others: Vec<usize> =
            (0..self.way.start_slots.len()).filter(|slot| !inner.contains(slot)).collect();
        others.sort_by_key(|slot| (from.slots[*slot].step.abs(), *slot));
        let wanted = LEAST.saturating_sub(inner.len());
        inner.extend(others.into_iter().take(wanted));
        let steps: Vec<&crate::way::Step> = self.way.steps[range].iter().collect();
        (inner.len() <= MOST).then(|| phase(self.way, self.machine, &steps, inner, from, to))
    }
}

fn phase(
    way: &Way,
    machine: &Machine,
    steps: &[&crate::way::Step],
    mut inner: Vec<usize>,
    from: &View,
    to: &View,
) -> Phase {
    // Registers far apart in what is read are taken last.
    inner.sort_by_key(|slot| (from.slots[*slot].step.abs(), *slot));
    let mut outer: Vec<usize> = (0..way.start_slots.len()).filter(|slot| !inner.contains(slot)).collect();
    outer.sort_by_key(|slot| (std::cmp::Reverse(to.slots[*slot].step.abs()), *slot));
    let mut nodes = Maker { machine, made: Vec::new(), values: 0 };
    let loaded: Vec<usize> = (0..1 << inner.len()).map(|_| nodes.value()).collect();
    let mut current = loaded.clone();
    for step in steps {
        nodes.step(step, &inner, &mut current);
    }
    // Step by step for all registers: neighbours do not wait for each other.
    let load = |(key, value): (usize, &usize)| Statement::Load(*value, from.pieces(&inner, key));
    let mut body: Vec<Statement> = loaded.iter().enumerate().map(load).collect();
    body.append(&mut nodes.made);
    let mut stores: Vec<(Vec<i64>, usize)> =
        current.iter().enumerate().map(|(key, value)| (to.pieces(&inner, key), *value)).collect();
    stores.sort();
    body.extend(stores.into_iter().map(|(pieces, value)| Statement::Store(value, pieces)));
    let mut loops: Vec<Loop> = Vec::new();
    for slot in outer {
        let one = Loop { trips: 2, from: from.slots[slot].step / 8, to: to.slots[slot].step / 8 };
        match loops.last_mut() {
            Some(last)
                if last.from == one.from * one.trips as i64 && last.to == one.to * one.trips as i64 =>
            {
                *last = Loop { trips: last.trips * 2, ..one };
            }
            _ => loops.push(one),
        }
    }
    Phase { from: from.region, to: to.region, loops, body }
}

/// The statements of a phase, as they are made.
struct Maker<'a> {
    machine: &'a Machine,
    made: Vec<Statement>,
    values: usize,
}

impl Maker<'_> {
    fn value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }

    fn make(&mut self, operation: Operation, arguments: &[usize]) -> usize {
        let result = self.value();
        self.made.push(Statement::Apply(result, operation, arguments.to_vec()));
        result
    }

    fn step(&mut self, step: &crate::way::Step, inner: &[usize], current: &mut [usize]) {
        let Some(slot) = step.slot else {
            for value in current {
                *value = self.one(&step.taken, step.flips, *value);
            }
            return;
        };
        let bit = inner.iter().position(|one| *one == slot).unwrap_or(0);
        let enters = step.taken.from.iter().position(|from| *from == crate::moves::ENTERS).unwrap_or(0);
        for key in (0..current.len()).filter(|key| key >> bit & 1 == 0) {
            let (mut x, mut y) = (current[key], current[key | 1 << bit]);
            if step.flips >> enters & 1 == 1 {
                (x, y) = (y, x);
            }
            let (low, high) = self.two(&step.taken, step.flips, x, y);
            (current[key], current[key | 1 << bit]) = (low, high);
        }
    }

    fn two(&mut self, one: &Move, flips: u16, x: usize, y: usize) -> (usize, usize) {
        let both = [x, y];
        let by_lanes = |low, high, k: u8| (Operation::Lanes(low, 8 << k), Operation::Lanes(high, 8 << k));
        let (low, high) = match one.action {
            Action::Interleave(k) => by_lanes(Meaning::InterleaveLow, Meaning::InterleaveHigh, k),
            Action::Deinterleave(k) => by_lanes(Meaning::EvenLanes, Meaning::OddLanes, k),
            Action::Exchange(k) => by_lanes(Meaning::ExchangeLow, Meaning::ExchangeHigh, k),
            Action::Groups => (Operation::TwoGroups(0x20), Operation::TwoGroups(0x31)),
            Action::Lanes => {
                (Operation::LanesOfTwo(lanes(one, flips, 0)), Operation::LanesOfTwo(lanes(one, flips, 1)))
            }
            Action::Shift(p) => return self.shift(p, x, y),
            Action::Blend(p) => {
                let (up, down) =
                    (self.make(Operation::Left(1 << p), &[y]), self.make(Operation::Right(1 << p), &[x]));
                let odd = Operation::Blend(1 << p, if p == 4 { 0b1010_1010 } else { 0b1010 });
                return (self.make(odd.clone(), &[x, up]), self.make(odd, &[down, y]));
            }
            Action::Merge(p) => {
                let index = std::array::from_fn(|byte| byte as u8 ^ 1 << (p - 3));
                let odd =
                    (0..16).filter(|byte| byte >> (p - 3) & 1 == 1).fold(0u16, |mask, byte| mask | 1 << byte);
                return (
                    self.make(Operation::Merge(index, odd), &[x, y]),
                    self.make(Operation::Merge(index, !odd), &[y, x]),
                );
            }
            // The others have no slot.
            _ => return (x, y),
        };
        (self.make(low, &both), self.make(high, &both))
    }

    fn shift(&mut self, p: u8, x: usize, y: usize) -> (usize, usize) {
        let (by, even) = (1 << p, clear(p));
        if self.machine.row(Meaning::Ternary, 0).is_some() {
            let (up, down) = (self.make(Operation::Left(by), &[y]), self.make(Operation::Right(by), &[x]));
            let low = self.make(Operation::Select(even), &[x, up]);
            return (low, self.make(Operation::Select(!even), &[y, down]));
        }
        let down = self.make(Operation::Right(by), &[x]);
        let differ = self.make(Operation::Xor, &[down, y]);
        let moved = self.make(Operation::And(even), &[differ]);
        let up = self.make(Operation::Left(by), &[moved]);
        (self.make(Operation::Xor, &[x, up]), self.make(Operation::Xor, &[y, moved]))
    }

    fn one(&mut self, one: &Move, flips: u16, x: usize) -> usize {
        let source = |out: usize, positions: std::ops::Range<usize>| source(one, flips, out, positions);
        let immediate = |low: usize, count: usize| {
            (0..count).map(|out| source(out, low..low + 2) << (2 * out)).sum::<usize>() as u8
        };
        let top = self.machine.positions();
        let operation = match one.action {
            Action::Bytes => Operation::Bytes(std::array::from_fn(|out| source(out, 3..7) as u8)),
            Action::Words => Operation::Words(immediate(5, 4)),
            Action::Quads => Operation::Quads(64, immediate(6, 4)),
            Action::HalfWords => Operation::Quads(16, immediate(4, 4)),
            Action::SwapBytes => Operation::SwapBytes,
            Action::AllWords => {
                Operation::AllWords((0..1 << (top - 5)).map(|out| source(out, 5..top) as u8).collect())
            }
            Action::Matrix => {
                // Byte i of the result has in bit j bit b of byte 7 - j, where b is the bit of byte i of the constant.
                let bit = |byte: usize| {
                    let wired = (0..3)
                        .map(|k| (byte >> k & 1 ^ usize::from(flips >> (3 + k) & 1)) << one.from[3 + k]);
                    1u8 << wired.sum::<usize>()
                };
                Operation::Matrix(std::array::from_fn(bit))
            }
            Action::Bits => {
                Operation::Bits((0..8).map(|bit| (1u64 << source(bit, 0..3)) << (8 * (7 - bit))).sum())
            }
            Action::Swap(a, b, anti) => return self.swap(a, b, anti, x),
            // The others have a slot.
            _ => return x,
        };
        self.make(operation, &[x])
    }

    fn swap(&mut self, a: u8, b: u8, anti: bool, x: usize) -> usize {
        let (by, low) = if anti {
            ((1 << b) + (1 << a), clear(a) & clear(b))
        } else {
            ((1 << b) - (1 << a), !clear(a) & clear(b))
        };
        let down = self.make(Operation::Right(by), &[x]);
        let differ = self.make(Operation::Xor, &[down, x]);
        let moved = self.make(Operation::And(low), &[differ]);
        let up = self.make(Operation::Left(by), &[moved]);
        let half = self.make(Operation::Xor, &[x, moved]);
        self.make(Operation::Xor, &[half, up])
    }
}

/// The bits of 64 whose number has 0 at a place.
fn clear(p: u8) -> u64 {
    (0..64).filter(|bit| bit >> p & 1 == 0).fold(0, |mask, bit| mask | 1 << bit)
}

/// Where what is at `out` comes from, both as numbers of the bits in a range of positions.
fn source(one: &Move, flips: u16, out: usize, positions: std::ops::Range<usize>) -> usize {
    let low = positions.start;
    let wired = positions
        .map(|p| (out >> (p - low) & 1 ^ usize::from(flips >> p & 1)) << (usize::from(one.from[p]) - low));
    wired.sum()
}

/// The index of register `high` of two, of 64-bit lanes; that of the second register is 8 more.
fn lanes(one: &Move, flips: u16, high: usize) -> [u8; 8] {
    let leaves = one.leaves().unwrap_or(8);
    std::array::from_fn(|out| {
        let mut from = high << (leaves - 6);
        for p in 6..9 {
            let bit = out >> (p - 6) & 1;
            // Whether the content is to be complemented where it enters, the order of the registers says.
            if one.from[p] == crate::moves::ENTERS {
                from |= bit << 3;
            } else {
                from |= (bit ^ usize::from(flips >> p & 1)) << (one.from[p] - 6);
            }
        }
        from as u8
    })
}
