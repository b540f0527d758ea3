//! Linear maps of blocks as shuffles of bytes, shifts and masks, and carry-less products with constants.

use crate::place::BITS;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::block::BlockOp;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::carryless::Halves;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, ShiftOp, ValueId};

/// A linear map: to each bit of the result the bits of the argument that are added up, as pairs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Map {
    pairs: BTreeSet<(u32, u32)>,
}

/// Bytes that move together: to each byte of the result its source, and which bits of it are wanted.
type Layer = BTreeMap<u32, (u32, u8)>;

/// A carry-less product of bytes that stand one after the other and a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Multiple {
    /// The first of the bytes, eight at most: the last of the block, or the first if it is `reversed`.
    bytes: u32,
    /// The constant, below 2^64.
    factor: u128,
    /// Whether the first byte of the block has the highest coefficients, as in the number that it is from there on.
    reversed: bool,
}

impl Map {
    /// This map so many times, one after the other.
    pub fn power(&self, exponent: u32) -> Map {
        let mut power = Map { pairs: (0..BITS).map(|bit| (bit, bit)).collect() };
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            power = power.after(&power);
            if exponent >> bit & 1 == 1 {
                power = power.after(self);
            }
        }
        power
    }

    /// Adds bit `from` of the argument to bit `to` of the result.
    pub fn add(&mut self, to: u32, from: u32) {
        if !self.pairs.remove(&(to, from)) {
            self.pairs.insert((to, from));
        }
    }

    /// Whether nothing is left of the argument.
    pub fn is_zero(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether the first bytes stay as they are, and the others are zero in every argument, of which `bits` bits may be set.
    pub fn is_identity(&self, bits: &[u32]) -> bool {
        let all: BTreeSet<(u32, u32)> = bits.iter().map(|&bit| (bit, bit)).collect();
        self.pairs == all
    }

    /// This map after another.
    pub fn after(&self, first: &Map) -> Map {
        let mut of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(to, from) in &first.pairs {
            of.entry(to).or_default().push(from);
        }
        let mut map = Map::default();
        for &(to, through) in &self.pairs {
            of.get(&through).into_iter().flatten().for_each(|&from| map.add(to, from));
        }
        map
    }

    /// The image of a block.
    pub fn of(&self, block: u128) -> u128 {
        let set = self.pairs.iter().filter(|(_, from)| block >> (BITS - 1 - from) & 1 == 1);
        set.fold(0, |sum, (to, _)| sum ^ 1 << (BITS - 1 - to))
    }

    /// The layers for each distance, to the left if it is positive.
    fn layers(&self) -> Vec<(i32, Layer)> {
        let mut masks: BTreeMap<(i32, u32, u32), u8> = BTreeMap::new();
        for &(to, from) in &self.pairs {
            let distance = (from % 8) as i32 - (to % 8) as i32;
            *masks.entry((distance, to / 8, from / 8)).or_default() |= 0x80 >> (to % 8);
        }
        let mut layers: Vec<(i32, Layer)> = Vec::new();
        for ((distance, to, from), mask) in masks {
            // What stays in its byte goes together, so that nothing is shuffled.
            let fits = |one: &&mut (i32, Layer)| {
                let stays = one.1.iter().next().is_some_and(|(to, (from, _))| to == from);
                one.0 == distance && !one.1.contains_key(&to) && stays == (to == from)
            };
            let found = match layers.iter_mut().find(fits) {
                Some(layer) => layer,
                None => {
                    layers.push((distance, Layer::new()));
                    let last = layers.len() - 1;
                    &mut layers[last]
                }
            };
            found.1.insert(to, (from, mask));
        }
        layers
    }

    /// Bytes that move as they are, and a product that makes the rest, if the map is that: a power of doubling that moves whole bytes.
    fn moved_and_multiplied(&self) -> Option<(Map, Multiple)> {
        let whole =
            |to: u32, from: u32| (0..8).all(|bit| self.pairs.contains(&(8 * to + bit, 8 * from + bit)));
        let mut moved = Map::default();
        for to in 0..BITS / 8 {
            // One byte for each, so that all of them are one shuffle.
            if let Some(from) = (0..BITS / 8).find(|&from| whole(to, from)) {
                (0..8).for_each(|bit| moved.add(8 * to + bit, 8 * from + bit));
            }
        }
        let rest: BTreeSet<(u32, u32)> = self.pairs.difference(&moved.pairs).copied().collect();
        let multiple = [false, true].into_iter().find_map(|reversed| Multiple::of(&rest, reversed))?;
        Some((moved, multiple))
    }

    /// The operations that make the image of a block, on a machine with carry-less products.
    pub fn apply(&self, node: &mut NodeBuilder, block: ValueId) -> ValueId {
        match self.moved_and_multiplied() {
            Some((moved, multiple)) => {
                let moved = moved.shifted(node, block);
                let multiple = multiple.apply(node, block);
                node.binary(BinaryOp::Xor, moved, multiple)
            }
            None => self.shifted(node, block),
        }
    }

    /// The same by shuffles, shifts and masks alone.
    fn shifted(&self, node: &mut NodeBuilder, block: ValueId) -> ValueId {
        let mut sum: Option<ValueId> = None;
        for (distance, layer) in self.layers() {
            let source = |byte: u32| layer.get(&byte).map(|(from, _)| *from);
            let pattern: Vec<Option<u32>> =
                (0..BITS).map(|bit| source(bit / 8).map(|from| 8 * from + bit % 8)).collect();
            let stays = layer.iter().all(|(to, (from, _))| to == from);
            let mut value = if stays { block } else { node.shuffle(block, pattern) };
            let survivors = match distance {
                0 => 0xff,
                1.. => {
                    value = node.shift(ShiftOp::Left, value, distance.unsigned_abs());
                    0xffu8 << distance
                }
                _ => {
                    value = node.shift(ShiftOp::Right, value, distance.unsigned_abs());
                    0xff >> distance.unsigned_abs()
                }
            };
            let wanted: [u8; 16] =
                std::array::from_fn(|byte| layer.get(&(byte as u32)).map_or(0, |(_, mask)| *mask));
            let there: [u8; 16] =
                std::array::from_fn(
                    |byte| {
                        if stays || layer.contains_key(&(byte as u32)) { survivors } else { 0 }
                    },
                );
            if wanted != there {
                let mask = node.constant(Layout::BLOCK, u128::from_be_bytes(wanted));
                value = node.binary(BinaryOp::And, value, mask);
            }
            sum = Some(match sum {
                None => value,
                Some(sum) => node.binary(BinaryOp::Xor, sum, value),
            });
        }
        sum.unwrap_or_else(|| node.constant(Layout::BLOCK, 0))
    }
}

impl Multiple {
    /// The product that makes exactly these bits of these, at least two of each.
    fn of(pairs: &BTreeSet<(u32, u32)>, reversed: bool) -> Option<Multiple> {
        let number = |place: u32| match reversed {
            true => BITS - 1 - place,
            false => place / 8 * 8 + 7 - place % 8,
        };
        let pairs: BTreeSet<(u32, u32)> =
            pairs.iter().map(|&(to, from)| (number(to), number(from))).collect();
        // The bytes are the last of the number.
        let lowest = pairs.iter().map(|(_, from)| *from).min()?;
        let bytes = (BITS - lowest).div_ceil(8);
        if lowest % 8 != 0 || bytes > 8 {
            return None;
        }
        let exponents = pairs.iter().filter(|(_, from)| *from == lowest).map(|(to, _)| *to);
        let exponents: BTreeSet<u32> = exponents.collect();
        let product =
            (lowest..BITS).flat_map(|from| exponents.iter().map(move |to| (from - lowest + to, from)));
        let fits = exponents.iter().all(|&exponent| exponent < 64) && exponents.len() > 1;
        (fits && product.collect::<BTreeSet<_>>() == pairs).then(|| Multiple {
            bytes,
            factor: exponents.iter().fold(0, |factor, exponent| factor | 1 << exponent),
            reversed,
        })
    }

    fn apply(&self, node: &mut NodeBuilder, block: ValueId) -> ValueId {
        let shuffled = |node: &mut NodeBuilder, block: ValueId, source: &dyn Fn(u32) -> Option<u32>| {
            let pattern = (0..BITS).map(|bit| source(bit / 8).map(|from| 8 * from + bit % 8)).collect();
            node.shuffle(block, pattern)
        };
        let all = BITS / 8;
        let low = |byte: u32| {
            let from = if self.reversed {
                self.bytes - 1 - byte.min(self.bytes - 1)
            } else {
                all - self.bytes + byte
            };
            (byte < self.bytes).then_some(from)
        };
        let factor = node.constant(Layout::BLOCK, self.factor.swap_bytes());
        let low = shuffled(node, block, &low);
        let product = node.block_of(BlockOp::Product(Halves { first: false, second: false }), low, factor);
        match self.reversed {
            true => shuffled(node, product, &|byte| Some(all - 1 - byte)),
            false => product,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::interpret::interpret;
    use usuba_ir::program::{Op, Parameter, Program, Type};

    /// Multiplication by x modulo x^128 + x^7 + x^2 + x + 1.
    fn doubling(reversed: bool) -> Map {
        let place = |number: u32| if reversed { BITS - 1 - number } else { number / 8 * 8 + 7 - number % 8 };
        let mut map = Map::default();
        (0..BITS - 1).for_each(|bit| map.add(place(bit + 1), place(bit)));
        [0, 1, 2, 7].iter().for_each(|&bit| map.add(place(bit), place(BITS - 1)));
        map
    }

    #[test]
    fn powers_of_doubling_are_what_is_computed() {
        for reversed in [false, true] {
            for exponent in [1, 2, 3, 4, 7, 8, 9, 16, 32, 40, 56, 64, 72, 127] {
                let map = doubling(reversed).power(exponent);
                let mut node = NodeBuilder::new("Map");
                let parameter = |name: &str| Parameter {
                    name: name.into(),
                    ty: Type::atom(Layout::BLOCK),
                    shape: Vec::new(),
                    uniform: false,
                };
                let block = node.input(parameter("block"));
                let image = map.apply(&mut node, block);
                node.output(parameter("image"), image);
                let node = node.finish();
                // A few operations where whole bytes move, fewer than eight.
                let is_product = node.body.operations.iter().any(|one| matches!(one.op, Op::Block(..)));
                assert_eq!(is_product, exponent % 8 == 0 && exponent <= 64, "{reversed} {exponent}");
                assert!(!is_product || node.body.operations.len() <= 6 + usize::from(reversed));
                let program = Program { files: Vec::new(), nodes: vec![node], interleave: 1 };
                for bit in 0..BITS {
                    for block in [1 << bit, 0x0123_4567_89ab_cdef_0fed_cba9_8765_4321 << bit] {
                        let made = interpret(&program, &[vec![block]]);
                        assert_eq!(made, [[map.of(block)]], "{reversed} {exponent} {block:x}");
                    }
                }
            }
        }
    }
}
