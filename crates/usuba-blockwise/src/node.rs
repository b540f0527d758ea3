//! Steps as a node of Usuba0 on blocks: so many registers of positions of the message at once.

use crate::affine::Map;
use crate::montgomery::{self, montgomery, preparation};
use crate::place::{self, BITS, Places};
use crate::step::{Bit, Step, Value};
use std::collections::BTreeMap;
use usuba_algebra::product::Product;
use usuba_ir::block::BlockOp;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, BinaryOp, Node, NodeId, Parameter, Type, ValueId};
use usuba_lang::typed::ArithmeticOp;

/// The type of a block.
pub const BLOCK: Type = Type { layout: Layout::BLOCK, len: None };

/// A block: the same for all positions, or one register for each group of positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocks {
    /// The same.
    Same(ValueId),
    /// A register for each group.
    Each(Vec<ValueId>),
}

/// An input of a step.
#[derive(Clone, Debug)]
pub struct StepInput {
    /// The block; `None` for round keys.
    pub blocks: Option<Blocks>,
    /// Where its bits lie.
    pub places: Places,
    /// Whether all other bits of the block are zero.
    pub clean: bool,
}

/// Where the bits of a value lie.
struct Home {
    places: Places,
    /// Whether all other bits are zero.
    clean: bool,
}

/// How bits are wanted.
#[derive(Clone)]
struct Wanted<'a> {
    /// Where each of them.
    places: Places,
    /// Whether all others must be zero.
    exact: bool,
    /// A map that the block goes through then.
    then: Option<&'a Map>,
}

impl Wanted<'_> {
    fn exactly(places: Places) -> Self {
        Wanted { places, exact: true, then: None }
    }
}

/// The nodes that the cipher is, for one register and for all.
#[derive(Clone, Copy, Debug)]
pub struct CipherNodes {
    /// For one register.
    pub one: NodeId,
    /// For as many as the node has.
    pub many: NodeId,
    /// For one register, up to the first round, if there is such a part.
    pub first: Option<NodeId>,
    /// From there on, for as many as the node has.
    pub rest: Option<NodeId>,
}

/// A part of what a cipher does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// All of it.
    Whole,
    /// What it does up to the first round.
    First,
    /// What it does from there on, of what the first round has made.
    Rest(Blocks),
}

impl Blocks {
    /// The registers.
    pub fn values(&self) -> &[ValueId] {
        match self {
            Blocks::Same(value) => std::slice::from_ref(value),
            Blocks::Each(values) => values,
        }
    }
}

/// A node in the making.
#[derive(Debug)]
pub struct Maker {
    /// The node.
    pub node: NodeBuilder,
    groups: usize,
    ciphers: BTreeMap<String, CipherNodes>,
    /// What is done of a cipher.
    pub part: Part,
    /// Numbers from [`Maker::numbers`], and the first of them with what is added to it for each of the others.
    counted: Vec<(Vec<ValueId>, ValueId, Vec<ValueId>)>,
}

impl Maker {
    /// An empty node that computes so many registers of positions.
    pub fn new(name: &str, groups: usize, ciphers: BTreeMap<String, CipherNodes>) -> Maker {
        Maker { node: NodeBuilder::new(name), groups, ciphers, part: Part::Whole, counted: Vec::new() }
    }

    /// How many registers of positions it computes.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// An input that is the same for all positions.
    pub fn same(&mut self, name: &str) -> Blocks {
        Blocks::Same(self.input(name, BLOCK, false))
    }

    /// An input of a register for each group.
    pub fn each(&mut self, name: &str) -> Blocks {
        let ty = Type::array(Layout::BLOCK, self.groups as u32);
        let array = self.input(name, ty, false);
        let get = |group| self.node.get(array, Affine::constant(group));
        Blocks::Each((0..self.groups as i64).map(get).collect())
    }

    /// An input of so many registers.
    pub fn several(&mut self, name: &str, count: u32) -> Vec<ValueId> {
        let array = self.input(name, Type::array(Layout::BLOCK, count), false);
        (0..i64::from(count)).map(|number| self.node.get(array, Affine::constant(number))).collect()
    }

    /// Round keys: so many rows of 16 bytes.
    pub fn keys(&mut self, name: &str, rows: u32) -> ValueId {
        self.input(name, Type::array(Layout::BLOCK, rows), true)
    }

    fn input(&mut self, name: &str, ty: Type, uniform: bool) -> ValueId {
        let shape = ty.len.into_iter().collect();
        self.node.input(Parameter { name: name.into(), ty, shape, uniform })
    }

    /// An output: an array of a register for each group, or one block.
    pub fn output(&mut self, name: &str, blocks: &Blocks) {
        let (ty, value) = match blocks {
            Blocks::Same(value) => (BLOCK, *value),
            Blocks::Each(values) => {
                let array = self.node.array(values.clone());
                (Type::array(Layout::BLOCK, values.len() as u32), array)
            }
        };
        let shape = ty.len.into_iter().collect();
        self.node.output(Parameter { name: name.into(), ty, shape, uniform: false }, value);
    }

    /// The node.
    pub fn finish(self) -> Node {
        self.node.finish()
    }

    /// Numbers, the lowest byte first in each half of a block, that go up by `pace` from group to group; and the next after
    /// the last group.
    pub fn numbers(&mut self, first: &Blocks, pace: u64) -> (Blocks, Blocks) {
        let mut distances = Vec::new();
        let mut at = |maker: &mut Maker, group: usize| {
            if group == 0 {
                return first.clone();
            }
            let bytes = u128::from(pace * group as u64).to_le_bytes();
            let more = maker.node.constant(Layout::BLOCK, u128::from_be_bytes(bytes));
            distances.push(more);
            let more = Blocks::Same(more);
            maker.two(first, &more, |node, a, b| node.block_of(BlockOp::AddWords(64), a, b))
        };
        let all = (0..self.groups).map(|group| at(self, group));
        let all: Vec<ValueId> = all.flat_map(|blocks| blocks.values().to_vec()).collect();
        let next = at(self, self.groups);
        self.counted.push((all.clone(), first.values()[0], distances));
        (Blocks::Each(all), next)
    }

    /// The sum of numbers and a block that is the same for all positions, in words of so many bits, at most 64: it is added to the
    /// first number, so that there is one addition for each of the others. `None` if the numbers are not those of positions.
    fn counted(&mut self, numbers: &Blocks, same: &Blocks, width: u32) -> Option<Blocks> {
        let (Blocks::Each(numbers), Blocks::Same(same)) = (numbers, same) else { return None };
        let (_, first, distances) = self.counted.iter().find(|(known, ..)| known == numbers)?.clone();
        let add = |node: &mut NodeBuilder, a, b| node.block_of(BlockOp::AddWords(width), a, b);
        let first = (width <= 64).then(|| add(&mut self.node, first, *same))?;
        let others = distances.into_iter().take(numbers.len() - 1);
        let others: Vec<ValueId> = others.map(|more| add(&mut self.node, first, more)).collect();
        Some(Blocks::Each([first].into_iter().chain(others).collect()))
    }

    /// An operation on a block.
    pub fn one(&mut self, a: &Blocks, op: impl Fn(&mut NodeBuilder, ValueId) -> ValueId) -> Blocks {
        match a {
            Blocks::Same(a) => Blocks::Same(op(&mut self.node, *a)),
            Blocks::Each(all) => Blocks::Each(all.iter().map(|&a| op(&mut self.node, a)).collect()),
        }
    }

    /// The sum modulo 2.
    pub fn xor(&mut self, a: &Blocks, b: &Blocks) -> Blocks {
        self.two(a, b, |node, a, b| node.binary(BinaryOp::Xor, a, b))
    }

    /// An operation on two blocks.
    pub fn two(
        &mut self,
        a: &Blocks,
        b: &Blocks,
        op: impl Fn(&mut NodeBuilder, ValueId, ValueId) -> ValueId,
    ) -> Blocks {
        match (a, b) {
            (Blocks::Same(a), Blocks::Same(b)) => Blocks::Same(op(&mut self.node, *a, *b)),
            (Blocks::Same(a), Blocks::Each(b)) => {
                Blocks::Each(b.iter().map(|b| op(&mut self.node, *a, *b)).collect())
            }
            (Blocks::Each(a), Blocks::Same(b)) => {
                Blocks::Each(a.iter().map(|a| op(&mut self.node, *a, *b)).collect())
            }
            (Blocks::Each(a), Blocks::Each(b)) => {
                Blocks::Each(a.iter().zip(b).map(|(a, b)| op(&mut self.node, *a, *b)).collect())
            }
        }
    }

    /// The outputs of a step, each in the first bytes of a block or of several, zeros behind them. `inputs`: what it is given and where its
    /// bits lie, which are all that is not zero if it is `clean`; `keys`: the round keys among the inputs.
    ///
    /// `None`: an operation that blocks do not have.
    pub fn step(
        &mut self,
        step: &Step,
        inputs: &[StepInput],
        keys: &BTreeMap<usize, ValueId>,
    ) -> Option<Vec<Blocks>> {
        let places: Vec<Places> = inputs.iter().map(|input| input.places.clone()).collect();
        let home = |value: &Value| Home {
            places: of_value(value, &places),
            clean: match value {
                Value::Input(input) => inputs.get(*input).is_some_and(|input| input.clean),
                Value::Cipher { .. } | Value::Product { .. } | Value::And { .. } => true,
                Value::Word { .. } | Value::Xor { .. } | Value::Call { .. } => false,
            },
        };
        let homes: Vec<Home> = step.values.iter().map(home).collect();
        let mut known: Vec<Option<Blocks>> = Vec::new();
        for value in &step.values {
            let made = match value {
                Value::Input(input) => inputs.get(*input)?.blocks.clone(),
                Value::Cipher { node, block, keys: given } => {
                    let block = self.sum(block, &Wanted::exactly(place::as_is(BITS)), &known, &homes)?;
                    Some(self.cipher(node, &block, *keys.get(given)?)?)
                }
                Value::Product { product, left, right } => {
                    Some(self.product(product, [left, right], &known, &homes)?)
                }
                Value::Call { .. } | Value::Xor { .. } => return None,
                // What nothing depends on.
                Value::And { left, .. } if left.is_empty() => None,
                Value::And { left, right } => {
                    (left.len() <= BITS as usize).then_some(())?;
                    let wanted = Wanted::exactly(place::as_is(left.len() as u32));
                    let left = self.sum(left, &wanted, &known, &homes)?;
                    let right = self.sum(right, &wanted, &known, &homes)?;
                    Some(self.two(&left, &right, |node, a, b| node.binary(BinaryOp::And, a, b)))
                }
                Value::Word { op, .. } if *op != ArithmeticOp::Add => return None,
                Value::Word { left, right, .. } => {
                    let width = left.len() as u32;
                    let places = place::little_words(width, width);
                    let wanted = Wanted { exact: false, ..Wanted::exactly(places) };
                    let left = self.sum(left, &wanted, &known, &homes)?;
                    let right = self.sum(right, &wanted, &known, &homes)?;
                    let counted = self.counted(&left, &right, width);
                    let counted = counted.or_else(|| self.counted(&right, &left, width));
                    Some(counted.unwrap_or_else(|| {
                        self.two(&left, &right, |node, a, b| node.block_of(BlockOp::AddWords(width), a, b))
                    }))
                }
            };
            known.push(made);
        }
        let mut outputs = Vec::new();
        for bits in step.outputs.iter().flat_map(|bits| bits.chunks(BITS as usize)) {
            let wanted = Wanted::exactly(place::as_is(bits.len() as u32));
            outputs.push(self.sum(bits, &wanted, &known, &homes)?);
        }
        Some(outputs)
    }

    /// Bits in a block.
    fn sum(
        &mut self,
        bits: &[Bit],
        wanted: &Wanted<'_>,
        known: &[Option<Blocks>],
        homes: &[Home],
    ) -> Option<Blocks> {
        let mut constant = 0u128;
        let mut maps: BTreeMap<usize, Map> = BTreeMap::new();
        for (bit, &to) in bits.iter().zip(&wanted.places) {
            constant |= u128::from(bit.constant) << (BITS - 1 - to);
            for &(value, bit) in &bit.terms {
                maps.entry(value).or_default().add(to, *homes.get(value)?.places.get(bit as usize)?);
            }
        }
        if let Some(then) = wanted.then {
            constant = then.of(constant);
            maps.values_mut().for_each(|map| *map = then.after(map));
        }
        maps.retain(|_, map| !map.is_zero());
        // What goes through one map is added up before it.
        let mut through: BTreeMap<(bool, Map), Blocks> = BTreeMap::new();
        for (value, map) in maps {
            let blocks = known.get(value)?.clone()?;
            // What is the same for all positions is added up by itself.
            let same = matches!(blocks, Blocks::Same(_));
            // What has zeros behind it, or what may have anything there, stays as it is.
            let home = homes.get(value)?;
            let stays = map.is_identity(&sorted(match wanted.exact {
                true => &home.places,
                false => &wanted.places,
            }));
            let fits = !wanted.exact || home.clean || home.places.len() == BITS as usize;
            let map = if stays && fits { Map::default() } else { map };
            let sum = match through.get(&(same, map.clone())) {
                None => blocks,
                Some(sum) => {
                    let sum = sum.clone();
                    self.xor(&sum, &blocks)
                }
            };
            through.insert((same, map), sum);
        }
        let mut sums: [Option<Blocks>; 2] = [None, None];
        for ((same, map), blocks) in through {
            let image =
                if map.is_zero() { blocks } else { self.one(&blocks, |node, block| map.apply(node, block)) };
            let place = &mut sums[usize::from(same)];
            *place = Some(match place.take() {
                None => image,
                Some(sum) => self.xor(&sum, &image),
            });
        }
        let [each, mut same] = sums;
        if constant != 0 {
            let constant = Blocks::Same(self.node.constant(Layout::BLOCK, constant));
            same = Some(match same {
                None => constant,
                Some(same) => self.xor(&same, &constant),
            });
        }
        Some(match (each, same) {
            (Some(each), Some(same)) => self.xor(&each, &same),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Blocks::Same(self.node.constant(Layout::BLOCK, 0)),
        })
    }

    /// What the cipher makes of blocks, or the part of it that is done.
    pub(crate) fn cipher(&mut self, node: &str, block: &Blocks, keys: ValueId) -> Option<Blocks> {
        let nodes = *self.ciphers.get(node)?;
        let (one, many, block) = match &self.part {
            Part::Whole => (nodes.one, nodes.many, block.clone()),
            Part::First if self.groups == 1 => (nodes.first?, nodes.many, block.clone()),
            Part::Rest(made @ Blocks::Each(_)) if self.groups > 1 => (nodes.one, nodes.rest?, made.clone()),
            Part::First | Part::Rest(_) => return None,
        };
        Some(match &block {
            Blocks::Same(block) => Blocks::Same(*self.node.call(one, vec![*block, keys], &[BLOCK]).first()?),
            Blocks::Each(blocks) if self.groups == 1 => {
                let result = self.node.call(one, vec![*blocks.first()?, keys], &[BLOCK]);
                Blocks::Each(result)
            }
            Blocks::Each(blocks) => {
                let array = self.node.array(blocks.clone());
                let ty = self.node.ty(array);
                let result = *self.node.call(many, vec![array, keys], &[ty]).first()?;
                let get = |group| self.node.get(result, Affine::constant(group));
                Blocks::Each((0..blocks.len() as i64).map(get).collect())
            }
        })
    }

    fn product(
        &mut self,
        product: &Product,
        factors: [&Vec<Bit>; 2],
        known: &[Option<Blocks>],
        homes: &[Home],
    ) -> Option<Blocks> {
        let places = montgomery::of_product(product);
        let power = preparation(product)?;
        // The factor that is the same for all positions is multiplied by x; it is so once.
        let is_same = |bits: &[Bit]| {
            let mut values = bits.iter().flat_map(|bit| &bit.terms);
            values.all(|(value, _)| matches!(known.get(*value), Some(Some(Blocks::Same(_)))))
        };
        let [first, second] = if is_same(factors[0]) { factors } else { [factors[1], factors[0]] };
        let wanted = Wanted::exactly(places);
        let first = self.sum(first, &Wanted { then: Some(&power), ..wanted.clone() }, known, homes)?;
        let second = self.sum(second, &wanted, known, homes)?;
        Some(self.two(&second, &first, montgomery))
    }
}

fn sorted(places: &[u32]) -> Vec<u32> {
    let mut places = places.to_vec();
    places.sort_unstable();
    places
}

/// Where a value of a step lies; `inputs`: where the inputs do.
fn of_value(value: &Value, inputs: &[Places]) -> Places {
    match value {
        Value::Input(input) => inputs.get(*input).cloned().unwrap_or_default(),
        Value::Cipher { block, .. } => place::as_is(block.len() as u32),
        Value::Product { product, .. } => montgomery::of_product(product),
        Value::And { left, .. } | Value::Xor { left, .. } => place::as_is(left.len() as u32),
        Value::Word { left, .. } => place::little_words(left.len() as u32, left.len() as u32),
        Value::Call { bits, .. } => place::as_is(*bits),
    }
}
