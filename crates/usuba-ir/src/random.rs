//! Random programs and numbers, the same for the same seed, to test with.

use crate::aes::Round;
use crate::block::BlockOp;
use crate::builder::NodeBuilder;
use crate::bytes::{ByteAffine, ByteMap};
use crate::carryless::Halves;
use crate::check;
use crate::layout::{Layout, Slicing};
use crate::program::{
    Affine, BinaryOp, FileId, InductionId, Inline, Node, NodeId, Origin, Parameter, Program, ShiftOp, Type,
    ValueId,
};

/// Pseudo-random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence that `seed` starts.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// The next 128 bits.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.bits()) << 64 | u128::from(self.bits())
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of `items`, which are not none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }
}

/// What atoms a random program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atoms {
    /// All are one bit.
    Bits,
    /// Layouts of several widths and slicings.
    Mixed,
    /// All are bytes in lanes, of which some are mapped.
    Bytes,
    /// All are blocks ([`Layout::BLOCK`]), which move by whole bytes.
    Blocks,
}

/// A random program that passes the checker: a few nodes, with calls, loops and arrays, none of it simplified.
pub fn program(seed: u64, atoms: Atoms) -> Program {
    let mut random = Random::new(seed);
    let layouts = match atoms {
        Atoms::Bits => vec![Layout::BIT],
        Atoms::Bytes => vec![Layout::of(Slicing::V, 8)],
        Atoms::Blocks => vec![Layout::BLOCK],
        Atoms::Mixed => {
            let width = 2 + random.below(7);
            let double = Layout::of(Slicing::V, 2 * width);
            vec![
                Layout::of(Slicing::V, width),
                Layout::BIT,
                Layout::of(Slicing::H, 1 + random.below(16)),
                double,
                Layout { word: 2 + random.below(7), pack: 4, instances: 1 },
            ]
        }
    };
    let mut program = Program {
        files: vec!["first.ua".to_owned(), "second.ua".to_owned()],
        nodes: Vec::new(),
        interleave: 1,
    };
    for number in 0..1 + random.below(4) {
        let name = format!("N{number}'");
        let writer = Writer {
            builder: NodeBuilder::raw(name),
            random: &mut random,
            layouts: &layouts,
            nodes: &program.nodes,
            visible: Vec::new(),
            loops: Vec::new(),
            budget: 30,
            maps_bytes: atoms == Atoms::Bytes,
            blocks: atoms == Atoms::Blocks,
        };
        let node = writer.node();
        program.nodes.push(node);
    }
    debug_assert_eq!(check::check(&program).err(), None, "seed {seed}");
    program
}

/// Inputs for the entry of a program: for each its atoms, below 2^width, or any 128 instances if `sliced`.
pub fn inputs(random: &mut Random, program: &Program, sliced: bool) -> Vec<Vec<u128>> {
    let numbers = |input: &Parameter| {
        let mask = if sliced { u128::MAX } else { crate::evaluate::ones(input.ty.layout.width()) };
        (0..input.ty.atoms()).map(|_| random.wide() & mask).collect()
    };
    program.entry().inputs.iter().map(numbers).collect()
}

struct Writer<'a> {
    builder: NodeBuilder,
    random: &'a mut Random,
    layouts: &'a [Layout],
    nodes: &'a [Node],
    visible: Vec<ValueId>,
    /// Whether bytes are mapped.
    maps_bytes: bool,
    /// Whether atoms are blocks.
    blocks: bool,
    /// The open loops with their trips.
    loops: Vec<(InductionId, u32)>,
    /// Operations still to be written.
    budget: u32,
}

impl Writer<'_> {
    fn node(mut self) -> Node {
        self.builder.attributes.inline =
            *self.random.choose(&[Inline::Auto, Inline::Auto, Inline::Always, Inline::Never]);
        self.builder.attributes.no_opt = self.random.once_in(8);
        self.builder.attributes.interleave = if self.random.once_in(8) { Some(2) } else { None };
        for number in 0..1 + self.random.below(4) {
            let ty = self.ty();
            let uniform = self.random.once_in(4);
            self.origin();
            let value = self.builder.input(Parameter { uniform, ..parameter(format!("in{number}"), ty) });
            self.visible.push(value);
        }
        self.operations();
        for number in 0..2 + self.random.below(5) {
            let value = self.recent(&self.visible.clone());
            self.builder.output(parameter(format!("out{number}"), self.builder.ty(value)), value);
        }
        self.builder.finish()
    }

    fn origin(&mut self) {
        let place = (FileId(self.random.below(2)), 1 + self.random.below(99), 1 + self.random.below(99));
        self.builder.at(Origin {
            place: if self.random.once_in(3) { None } else { Some(place) },
            name: if self.random.once_in(2) { None } else { Some(format!("x'[{}]", place.1).into()) },
        });
    }

    fn ty(&mut self) -> Type {
        let layout = *self.random.choose(self.layouts);
        if self.random.once_in(2) {
            Type::atom(layout)
        } else {
            Type::array(layout, 1 + self.random.below(6))
        }
    }

    fn operations(&mut self) {
        for _ in 0..4 + self.random.below(12) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.origin();
            self.operation();
        }
    }

    /// One of these values, rather a late one, so that much of a program matters to its outputs.
    fn recent(&mut self, values: &[ValueId]) -> ValueId {
        let place = |random: &mut Random| random.below(values.len() as u32) as usize;
        values[place(self.random).max(place(self.random))]
    }

    /// A value of this type: one that is there, or a new one.
    fn value(&mut self, ty: Type) -> ValueId {
        let fitting: Vec<_> =
            self.visible.iter().copied().filter(|&value| self.builder.ty(value) == ty).collect();
        if !fitting.is_empty() && !self.random.once_in(8) {
            return self.recent(&fitting);
        }
        let value = match ty.len {
            None => {
                let number =
                    *self.random.choose(&[0, 1, u128::MAX, 0x0123_4567_89ab_cdef_5555_aaaa_3333_cccc]);
                self.builder.constant(ty.layout, number)
            }
            Some(len) => {
                let atoms = (0..len).map(|_| self.value(Type::atom(ty.layout))).collect();
                self.builder.array(atoms)
            }
        };
        self.visible.push(value);
        value
    }

    fn array(&mut self, layout: Layout) -> (ValueId, u32) {
        let len = 1 + self.random.below(6);
        let arrays: Vec<_> = self
            .visible
            .iter()
            .copied()
            .filter(|&value| self.builder.ty(value).len.is_some() && self.builder.ty(value).layout == layout)
            .collect();
        match arrays.is_empty() || self.random.once_in(6) {
            true => (self.value(Type::array(layout, len)), len),
            false => {
                let array = self.recent(&arrays);
                (array, self.builder.ty(array).atoms())
            }
        }
    }

    /// An index at which `part` of `len` elements are.
    fn index(&mut self, len: u32, part: u32) -> Affine {
        let room = i64::from(len - part);
        let mut index = Affine::constant(0);
        let (mut low, mut high) = (0, 0);
        for &(induction, trips) in &self.loops {
            let coefficient = i64::from(self.random.below(5)) - 2;
            let extreme = coefficient * i64::from(trips - 1);
            let (lower, higher) = (low + extreme.min(0), high + extreme.max(0));
            if coefficient != 0 && higher - lower <= room {
                (low, high) = (lower, higher);
                index.terms.push((induction, coefficient));
            }
        }
        index.constant = -low + i64::from(self.random.below((room - (high - low) + 1) as u32));
        index
    }

    fn operation(&mut self) {
        let layout = *self.random.choose(self.layouts);
        let atom = Type::atom(layout);
        if self.maps_bytes && self.random.once_in(3) {
            let affine = ByteAffine::of_matrix(self.random.bits(), self.random.bits() as u8);
            let (value, inverts) = (self.value(atom), self.random.once_in(2));
            let value = self.builder.map_bytes(value, ByteMap { inverts, affine });
            self.visible.push(value);
            return;
        }
        if self.blocks && self.random.once_in(3) {
            let value = self.block(atom);
            self.visible.push(value);
            return;
        }
        let width = layout.width();
        let value = match self.random.below(23) {
            0..=5 => {
                let logic = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::AndNot];
                let arithmetic = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply];
                let op = match (layout.pack == 1 || layout.has_lanes()) && self.random.once_in(3) {
                    true => *self.random.choose(&arithmetic),
                    false => *self.random.choose(&logic),
                };
                let (a, b) = (self.value(atom), self.value(atom));
                self.builder.binary(op, a, b)
            }
            6 => {
                let a = self.value(atom);
                self.builder.not(a)
            }
            22 => {
                let of = [self.value(atom), self.value(atom), self.value(atom)];
                let table = self.random.below(256) as u8;
                self.builder.ternary(table, of)
            }
            7 => {
                let op = *self.random.choose(&[
                    ShiftOp::Left,
                    ShiftOp::Right,
                    ShiftOp::RightArithmetic,
                    ShiftOp::RotateLeft,
                    ShiftOp::RotateRight,
                ]);
                let a = self.value(atom);
                let amount = self.random.below(width + 2);
                self.builder.shift(op, a, amount)
            }
            8 => {
                let a = self.value(atom);
                let unit = if self.blocks { layout.word } else { 1 };
                let entry = |random: &mut Random| (!random.once_in(4)).then(|| random.below(width / unit));
                let units: Vec<_> = (0..width / unit).map(|_| entry(self.random)).collect();
                let bits = |from: Option<u32>| (0..unit).map(move |bit| from.map(|from| from * unit + bit));
                let pattern = units.into_iter().flat_map(bits).collect();
                self.builder.shuffle(a, pattern)
            }
            9 if self.blocks => return,
            9 => {
                let a = self.value(atom);
                let bit = self.random.below(width);
                self.builder.bitmask(a, bit)
            }
            10 => {
                let double = Layout { word: 2 * layout.word, ..layout };
                if layout.pack != 1 || !self.layouts.contains(&double) {
                    return;
                }
                let (high, low) = (self.value(atom), self.value(atom));
                self.builder.pack(high, low)
            }
            11 => {
                let a = self.value(atom);
                self.builder.refresh(a)
            }
            12..=14 => {
                let (array, len) = self.array(layout);
                let index = self.index(len, 1);
                self.builder.get(array, index)
            }
            15 | 16 => {
                let (array, len) = self.array(layout);
                let (index, a) = (self.index(len, 1), self.value(atom));
                self.builder.set(array, index, a)
            }
            17 => {
                let (array, len) = self.array(layout);
                let part = 1 + self.random.below(len);
                let index = self.index(len, part);
                self.builder.slice(array, index, part)
            }
            18 => {
                let (array, len) = self.array(layout);
                let part = 1 + self.random.below(len);
                let (index, part) = (self.index(len, part), self.value(Type::array(layout, part)));
                self.builder.splice(array, index, part)
            }
            19 => return self.call(),
            _ => return self.cycle(),
        };
        self.visible.push(value);
    }

    /// An operation on blocks.
    fn block(&mut self, atom: Type) -> ValueId {
        let a = self.value(atom);
        let op = match self.random.below(5) {
            0 => return self.builder.inverse_mix_columns(a),
            1 => BlockOp::Aes(*self.random.choose(&Round::ALL)),
            2 => BlockOp::Product(*self.random.choose(&Halves::ALL)),
            3 => BlockOp::JoinHalves(self.random.below(2) == 1),
            _ => BlockOp::AddWords(*self.random.choose(&[16, 32, 64])),
        };
        let b = self.value(atom);
        self.builder.block_of(op, a, b)
    }

    fn call(&mut self) {
        if self.nodes.is_empty() {
            return;
        }
        let callee = self.random.below(self.nodes.len() as u32);
        let node = &self.nodes[callee as usize];
        let arguments = node.inputs.iter().map(|input| self.value(input.ty)).collect();
        let types: Vec<_> = node.outputs.iter().map(|output| output.ty).collect();
        let results = self.builder.call(NodeId(callee), arguments, &types);
        self.visible.extend(results);
    }

    fn cycle(&mut self) {
        if self.loops.len() == 3 {
            return;
        }
        let trips = 1 + self.random.below(4);
        let types: Vec<_> = (0..self.random.below(4)).map(|_| self.ty()).collect();
        let initial = types.iter().map(|&ty| self.value(ty)).collect();
        let (induction, parameters) = self.builder.begin_loop(trips, initial);
        let outside = self.visible.len();
        self.loops.push((induction, trips));
        self.visible.extend(parameters);
        self.operations();
        let results = types.iter().map(|&ty| self.value(ty)).collect();
        self.visible.truncate(outside);
        self.loops.pop();
        let results = self.builder.end_loop(results);
        self.visible.extend(results);
    }
}

fn parameter(name: String, ty: Type) -> Parameter {
    Parameter { name, ty, shape: ty.len.as_slice().to_vec(), uniform: false }
}
