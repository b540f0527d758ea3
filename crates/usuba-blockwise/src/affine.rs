//! Linear maps of blocks as shuffles of bytes, shifts and masks.

use crate::place::BITS;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::builder::NodeBuilder;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, ShiftOp, ValueId};

/// A linear map: to each bit of the result the bits of the argument that are added up, as pairs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Map {
    pairs: BTreeSet<(u32, u32)>,
}

/// Bytes that move together: to each byte of the result its source, and which bits of it are wanted.
type Layer = BTreeMap<u32, (u32, u8)>;

impl Map {
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

    /// The operations that make the image of a block.
    pub fn apply(&self, node: &mut NodeBuilder, block: ValueId) -> ValueId {
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
