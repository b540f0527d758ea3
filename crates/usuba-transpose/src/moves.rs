//! What the instructions of a target do to the bits of an address.
//!
//! A register of `8 * 2^k` bits has `3 + k` *positions*, the bits of the number of a bit in it: 0 to 2 in the byte, 3 to 6 the
//! byte in a group of 16, then the group. Which register it is, among several, is told by *slots*. A move takes what is in
//! positions to other positions, and what is in one slot to a position, for which something else leaves to that slot.

use usuba_target::{Instruction, Meaning, Target};

/// In [`Move::from`], what comes from the slot.
pub const ENTERS: u8 = 15;

/// The instructions of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Two registers by lanes of `8 * 2^k` bits in turn.
    Interleave(u8),
    /// Even and odd lanes of two registers.
    Deinterleave(u8),
    /// Lanes of even and odd number exchanged between two registers.
    Exchange(u8),
    /// Position `p` for the slot, by shifts and masks.
    Shift(u8),
    /// Position `p` for the slot, by shifts and blends.
    Blend(u8),
    /// Position `p` for the slot, by merged shuffles.
    Merge(u8),
    /// Groups of two registers of two groups.
    Groups,
    /// 64-bit lanes of two registers.
    Lanes,
    /// Bytes of a group.
    Bytes,
    /// 32-bit lanes of a group.
    Words,
    /// 64-bit lanes of a register of two groups.
    Quads,
    /// 16-bit lanes of 64-bit ones.
    HalfWords,
    /// Each byte of a 16-bit lane for the other.
    SwapBytes,
    /// 32-bit lanes of a register.
    AllWords,
    /// Bits of bytes for the bytes of 64-bit lanes: bytes taken as a matrix.
    Matrix,
    /// Bits of bytes.
    Bits,
    /// Two positions in 64-bit lanes, by shifts and masks; or each for the complement of the other.
    Swap(u8, u8, bool),
}

/// A move.
#[derive(Clone, Debug)]
pub struct Move {
    /// Its instructions.
    pub action: Action,
    /// Where what is in each position comes from: a position, or [`ENTERS`].
    pub from: Vec<u8>,
    /// Positions whose content may be complemented at no cost.
    pub choice: u16,
    /// Positions whose content is complemented.
    pub toggle: u16,
    /// Cost per register, in twelfths of a cycle and beyond.
    pub cost: u32,
}

impl Move {
    /// Whether two registers take part.
    pub fn has_slot(&self) -> bool {
        self.from.contains(&ENTERS)
    }

    /// The position whose content goes to the slot.
    pub fn leaves(&self) -> Option<usize> {
        (0..self.from.len()).find(|p| self.has_slot() && !self.from.contains(&(*p as u8)))
    }
}

/// The instructions of a machine with vectors, with those that only move bits.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The target.
    pub target: &'static Target,
    /// Whether words in memory begin with the most significant byte.
    pub big_endian: bool,
}

impl Machine {
    /// Bytes of a register.
    pub fn register(&self) -> usize {
        self.target.register_bits as usize / 8
    }

    /// Positions of a register.
    pub fn positions(&self) -> usize {
        self.target.register_bits.trailing_zeros() as usize
    }

    /// The preferred row of a meaning.
    pub fn row(&self, meaning: Meaning, lane: u32) -> Option<&'static Instruction> {
        let mut rows = self.target.all_instructions();
        rows.find(|row| row.meaning == meaning && (row.lane == 0 || row.lane == lane))
    }

    /// All moves, with costs for each case that there is: where shuffles have fewer ports than others, a way with fewer of them
    /// may be the cheaper one.
    pub fn moves(&self) -> Vec<Moves> {
        let shuffle = self.row(Meaning::InterleaveLow, 8);
        let fewer = shuffle.is_some_and(|row| (1..3).contains(&row.ports.count_ones()));
        let cases = if fewer { &[false, true][..] } else { &[false] };
        let of = |busy| Moves { machine: *self, busy, list: Costs { machine: *self, busy }.moves() };
        cases.iter().map(|busy| of(*busy)).collect()
    }
}

/// The moves of a machine, with what they cost in one case.
#[derive(Clone, Debug)]
pub struct Moves {
    /// The machine.
    pub machine: Machine,
    /// Whether shuffles are dear.
    pub busy: bool,
    /// The moves.
    pub list: Vec<Move>,
}

fn is_shuffle(meaning: Meaning) -> bool {
    use Meaning::*;
    matches!(
        meaning,
        InterleaveLow
            | InterleaveHigh
            | EvenLanes
            | OddLanes
            | PermuteTwoGroups
            | PermuteQuads
            | PermuteLanes
            | PermuteLanesOfTwo
            | MergeShuffledBytes
            | ShuffleBytes
            | ShuffleWords
    )
}

/// What moves cost.
struct Costs {
    machine: Machine,
    busy: bool,
}

impl std::ops::Deref for Costs {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl Costs {
    /// Half the time on its own ports and half that on all of three, in twelfths of a cycle, and latency. Of shuffles, twice the
    /// time on their own ports if these are `busy`.
    fn cost(&self, meaning: Meaning, lane: u32) -> Option<u32> {
        self.row(meaning, lane).map(|row| {
            let ports = if row.ports == 0 { 2 } else { row.ports.count_ones() };
            let own = 6 / ports.min(6) * if self.busy && is_shuffle(meaning) { 2 } else { 1 };
            u32::from(row.uops) * (own + 2) + u32::from(row.latency)
        })
    }

    fn moves(&self) -> Vec<Move> {
        let mut list = List { positions: self.positions(), moves: Vec::new() };
        let logic = self.cost(Meaning::Xor, 64).unwrap_or(4);
        let shift = self.cost(Meaning::ShiftLeft, 64).unwrap_or(4);
        let ternary = self.cost(Meaning::Ternary, 64);
        // In vectors of big-endian words shifts go the other way through bytes.
        for p in 0..3 {
            let cost = ternary.map_or(shift + 2 * logic, |ternary| shift + ternary);
            list.exchange(Action::Shift(p), p, cost);
        }
        let swapped = if self.big_endian { 3 } else { 6 };
        // Bytes are for shuffles, where there are any.
        let bytes = self.row(Meaning::ShuffleBytes, 0).is_none();
        let pairs = (0..swapped).flat_map(|b| (0..b).map(move |a| (a, b)));
        // Bits of bytes are for matrices, where there are any.
        let matrices = self.row(Meaning::MapBytes, 8).is_some();
        for (a, b) in pairs.filter(|(a, _)| !matrices && (*a < 3 || bytes)) {
            for anti in [false, true] {
                let mut from = list.identity();
                from.swap(a as usize, b as usize);
                let toggle = if anti { 1 << a | 1 << b } else { 0 };
                list.add(Action::Swap(a, b, anti), from, 0, toggle, 2 * shift + 4 * logic);
            }
        }
        self.lanes(&mut list, shift);
        self.crossing(&mut list);
        self.shuffles(&mut list);
        self.bits(&mut list);
        list.moves
    }

    /// Two registers by lanes in groups.
    fn lanes(&self, list: &mut List, shift: u32) {
        for k in 0..4u8 {
            let (lane, p) = (8 << k, 3 + usize::from(k));
            if let Some(cost) = self.cost(Meaning::InterleaveLow, lane) {
                let mut from = list.identity();
                from[p..7].rotate_right(1);
                from[p] = ENTERS;
                list.add(Action::Interleave(k), from, 1 << p, 0, cost);
            }
            if let Some(cost) = self.cost(Meaning::EvenLanes, lane) {
                let mut from = list.identity();
                from[p..7].rotate_left(1);
                from[6] = ENTERS;
                list.add(Action::Deinterleave(k), from, 1 << 6, 0, cost);
            }
            if let Some(cost) = self.cost(Meaning::ExchangeLow, lane) {
                list.exchange(Action::Exchange(k), p as u8, cost);
            }
            if let Some(cost) = self.cost(Meaning::MergeShuffledBytes, 0) {
                list.exchange(Action::Merge(p as u8), p as u8, cost);
            }
            if let Some(cost) = self.cost(Meaning::Blend, lane).filter(|_| !self.big_endian) {
                list.exchange(Action::Blend(p as u8), p as u8, cost + shift);
            }
        }
    }

    /// Two registers or one, across groups.
    fn crossing(&self, list: &mut List) {
        if let Some(cost) = self.cost(Meaning::PermuteTwoGroups, 0) {
            list.exchange(Action::Groups, 7, cost);
        }
        if let Some(cost) = self.cost(Meaning::PermuteLanesOfTwo, 64) {
            for order in permutations_of(&[6, 7, 8, ENTERS]) {
                if order[3] != ENTERS {
                    list.permute(Action::Lanes, &[6, 7, 8], &order[..3], cost);
                }
            }
        }
        let mut single = |action, meaning, lane, positions: &[u8]| {
            if let Some(cost) = self.cost(meaning, lane) {
                // What stays in groups is for shuffles.
                let crosses =
                    |order: &Vec<u8>| positions.iter().zip(order).any(|(p, from)| *p > 6 && from != p);
                for order in permutations_of(positions).into_iter().filter(crosses) {
                    list.permute(action, positions, &order, cost);
                }
            }
        };
        let top = self.positions() as u8;
        let words: Vec<u8> = (5..top).collect();
        // Beyond two groups `PermuteLanes` moves as much, and more.
        if top == 8 {
            single(Action::Quads, Meaning::PermuteQuads, 64, &[6, 7]);
        }
        single(Action::AllWords, Meaning::PermuteLanes, 32, &words);
    }

    /// One register, in groups.
    fn shuffles(&self, list: &mut List) {
        for (action, meaning, positions) in [
            (Action::Words, (Meaning::ShuffleWords, 32), &[5, 6][..]),
            (Action::HalfWords, (Meaning::PermuteQuads, 16), &[4, 5]),
            (Action::Bytes, (Meaning::ShuffleBytes, 8), &[3, 4, 5, 6]),
        ] {
            if let Some(cost) = self.cost(meaning.0, meaning.1) {
                for order in permutations_of(positions) {
                    list.permute(action, positions, &order, cost);
                }
            }
        }
        // Where bytes are shuffled, that is a shuffle.
        if let (Some(cost), None) = (self.cost(Meaning::RotateLeft, 16), self.row(Meaning::ShuffleBytes, 8)) {
            list.add(Action::SwapBytes, list.identity(), 0, 1 << 3, cost);
        }
    }

    /// One register, bits of bytes.
    fn bits(&self, list: &mut List) {
        let Some(cost) = self.cost(Meaning::MapBytes, 8) else { return };
        list.permute(Action::Bits, &[0, 1, 2], &[0, 1, 2], cost);
        for order in permutations_of(&[0, 1, 2]) {
            let mut from = list.identity();
            from[..3].copy_from_slice(&[3, 4, 5]);
            from[3..6].copy_from_slice(&order);
            list.add(Action::Matrix, from, 0b11_1000, 0b111, cost);
        }
    }
}

struct List {
    positions: usize,
    moves: Vec<Move>,
}

impl List {
    fn identity(&self) -> Vec<u8> {
        (0..self.positions as u8).collect()
    }

    fn add(&mut self, action: Action, from: Vec<u8>, choice: u16, toggle: u16, cost: u32) {
        self.moves.push(Move { action, from, choice, toggle, cost });
    }

    fn exchange(&mut self, action: Action, position: u8, cost: u32) {
        let mut from = self.identity();
        from[usize::from(position)] = ENTERS;
        self.add(action, from, 1 << position, 0, cost);
    }

    fn permute(&mut self, action: Action, positions: &[u8], order: &[u8], cost: u32) {
        let mut from = self.identity();
        for (p, source) in positions.iter().zip(order) {
            from[usize::from(*p)] = *source;
        }
        let choice = positions.iter().fold(0, |mask, p| mask | 1 << p);
        self.add(action, from, choice, 0, cost);
    }
}

/// All orders of some items.
fn permutations_of(items: &[u8]) -> Vec<Vec<u8>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (k, first) in items.iter().enumerate() {
        let rest: Vec<u8> =
            items.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, item)| *item).collect();
        for mut order in permutations_of(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}
