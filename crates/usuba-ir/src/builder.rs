//! The way to make nodes.
//!
//! The builder simplifies as it goes, looking at one operation and the definitions of its operands:
//! - operators on constants are folded, and the laws of [`crate::laws`] are applied: `x ^ 0`, `x & 1…1`, `x & 0`, `x | 0`,
//!   `x ^ x`, `x & x`, `~~x`, `x ^ 1…1 = ~x`, `a & ~b` as [`BinaryOp::AndNot`], and their like;
//! - shifts and rotations by 0, by the width and beyond become what they are ([`NodeBuilder::shift`] takes any amount),
//!   shuffles that move nothing vanish, and a bitmask of a bit is the bit;
//! - the atom that a constant index reads from an array is found through the `Array`, `Set`, `Slice` and `Splice` that
//!   made the array; slices and splices of a whole array vanish;
//! - a constant is made once per node, in the outermost block.
//!
//! In a node with [`Attributes::no_opt`] neither folding nor laws are applied: its gates are those that were asked for.
//!
//! A value defined in a loop body must not be used after the loop ends: hand it out through [`NodeBuilder::end_loop`].
//! Giving operands of wrong types or scopes is a bug of the caller, which [`crate::program`] and its checker name.

use crate::block::BlockOp;
use crate::bytes::{ByteAffine, ByteMap};
use crate::evaluate;
use crate::laws::{self, Facts, Simpler};
use crate::layout::Layout;
use crate::program::{
    Affine, Attributes, BinaryOp, Block, InductionId, Loop, Node, NodeId, Op, Operation, Origin, Parameter,
    ShiftOp, Type, Value, ValueId,
};
use std::collections::HashMap;
use std::rc::Rc;

/// How far a read looks through the `Set`s and `Splice`s that made an array; beyond, it is left as a `Get`.
const REACH: usize = 4096;

/// A node in the making.
#[derive(Debug)]
pub struct NodeBuilder {
    /// The attributes of the node. Set `no_opt` before making values.
    pub attributes: Attributes,
    name: String,
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    values: Vec<Value>,
    /// What is known of the definition of each value.
    known: Vec<Known>,
    inductions: u32,
    origin: Origin,
    /// The outermost block.
    top: Block,
    /// The loops that are open, outermost first.
    open: Vec<Loop>,
    constants: HashMap<(Layout, u128), ValueId>,
    /// Nothing is simplified, arrays included: for making programs that passes can get their teeth into.
    raw: bool,
}

/// What is known of the definition of a value.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    Constant(u128),
    Not(ValueId),
    Array(Rc<[ValueId]>),
    Set(ValueId, i64, ValueId),
    Slice(ValueId, i64),
    Splice(ValueId, i64, ValueId),
}

impl Facts for NodeBuilder {
    fn constant(&self, value: ValueId) -> Option<u128> {
        match self.known[value.index()] {
            Known::Constant(number) => Some(number),
            _ => None,
        }
    }

    fn complement(&self, value: ValueId) -> Option<ValueId> {
        match self.known[value.index()] {
            Known::Not(operand) => Some(operand),
            _ => None,
        }
    }
}

impl NodeBuilder {
    /// An empty node.
    pub fn new(name: impl Into<String>) -> Self {
        NodeBuilder {
            attributes: Attributes::default(),
            name: name.into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            values: Vec::new(),
            known: Vec::new(),
            inductions: 0,
            origin: Origin::default(),
            top: Block::default(),
            open: Vec::new(),
            constants: HashMap::new(),
            raw: false,
        }
    }

    /// An empty node in which nothing will be simplified.
    pub(crate) fn raw(name: impl Into<String>) -> Self {
        NodeBuilder { raw: true, ..NodeBuilder::new(name) }
    }

    /// The node.
    ///
    /// # Panics
    /// If a loop is still open.
    pub fn finish(self) -> Node {
        assert!(self.open.is_empty(), "node `{}`: a loop is still open", self.name);
        Node {
            name: self.name,
            attributes: self.attributes,
            inputs: self.inputs,
            outputs: self.outputs,
            values: self.values,
            inductions: self.inductions,
            body: self.top,
        }
    }

    /// Gives a value a source name.
    pub fn name(&mut self, value: ValueId, name: &str) {
        self.values[value.index()].origin.name = Some(name.into());
    }

    /// Sets the origin of the values made from now on.
    pub fn at(&mut self, origin: Origin) {
        self.origin = origin;
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value.index()].ty
    }

    /// Adds an input; its value.
    pub fn input(&mut self, parameter: Parameter) -> ValueId {
        let value = self.fresh(parameter.ty, Known::Nothing);
        self.inputs.push(parameter);
        self.top.parameters.push(value);
        value
    }

    /// Adds an output.
    pub fn output(&mut self, parameter: Parameter, value: ValueId) {
        debug_assert_eq!(parameter.ty, self.ty(value), "output `{}`", parameter.name);
        self.outputs.push(parameter);
        self.top.results.push(value);
    }

    /// A constant; bits of `number` beyond the width are dropped.
    pub fn constant(&mut self, layout: Layout, number: u128) -> ValueId {
        let number = number & evaluate::ones(layout.width());
        if let Some(&value) = self.constants.get(&(layout, number)) {
            return value;
        }
        let value = self.fresh(Type::atom(layout), Known::Constant(number));
        // An open loop joins its block when it ends, so whatever is in the outermost block now comes before it.
        self.top.operations.push(Operation { results: vec![value], op: Op::Constant(number) });
        self.constants.insert((layout, number), value);
        value
    }

    /// The complement.
    pub fn not(&mut self, value: ValueId) -> ValueId {
        self.atom(Op::Not(value), value)
    }

    /// A binary operator on atoms of one layout.
    pub fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        debug_assert_eq!(self.ty(a), self.ty(b), "operands of {op:?}");
        self.atom(Op::Binary(op, a, b), a)
    }

    /// The function of three bits with this truth table, bit by bit, of atoms of one layout.
    pub fn ternary(&mut self, table: u8, of: [ValueId; 3]) -> ValueId {
        self.atom(Op::Ternary(table, of), of[0])
    }

    /// A shift or rotation, of each word of an atom that has lanes, by any amount: shifts by the width or more give zero (or copies of the sign), rotations are
    /// modulo the width.
    pub fn shift(&mut self, op: ShiftOp, value: ValueId, amount: u32) -> ValueId {
        let layout = self.ty(value).layout;
        let width = if layout.has_lanes() { layout.word } else { layout.width() };
        let amount = match op {
            ShiftOp::Left | ShiftOp::Right if amount >= width => return self.constant(layout, 0),
            ShiftOp::Left | ShiftOp::Right => amount,
            ShiftOp::RightArithmetic => amount.min(width - 1),
            ShiftOp::RotateLeft | ShiftOp::RotateRight => amount % width,
        };
        if amount == 0 {
            return value;
        }
        self.atom(Op::Shift(op, value, amount), value)
    }

    /// Bit i of the result, from the most significant, is bit `pattern[i]` of the operand, or zero.
    pub fn shuffle(&mut self, value: ValueId, pattern: Vec<Option<u32>>) -> ValueId {
        self.atom(Op::Shuffle(value, pattern), value)
    }

    /// All ones if bit `bit`, from the least significant, is set, else zero.
    pub fn bitmask(&mut self, value: ValueId, bit: u32) -> ValueId {
        self.atom(Op::Bitmask(value, bit), value)
    }

    /// The image of every byte; the atom has words of eight bits. Nothing for the identity.
    pub fn map_bytes(&mut self, value: ValueId, map: ByteMap) -> ValueId {
        if map == (ByteMap { inverts: false, affine: ByteAffine::IDENTITY }) {
            return value;
        }
        self.atom(Op::MapBytes(value, map), value)
    }

    /// An operation on two blocks, atoms of [`Layout::BLOCK`].
    pub fn block_of(&mut self, op: BlockOp, a: ValueId, b: ValueId) -> ValueId {
        debug_assert_eq!([self.ty(a), self.ty(b)], [Type::atom(Layout::BLOCK); 2], "operands of {op:?}");
        self.atom(Op::Block(op, a, b), a)
    }

    /// `InvMixColumns` of AES, of a block.
    pub fn inverse_mix_columns(&mut self, block: ValueId) -> ValueId {
        debug_assert_eq!(self.ty(block), Type::atom(Layout::BLOCK), "operand of InvMixColumns");
        self.atom(Op::InverseMixColumns(block), block)
    }

    /// `high` above `low`: the word of the result is twice as long.
    pub fn pack(&mut self, high: ValueId, low: ValueId) -> ValueId {
        let layout = self.ty(high).layout;
        debug_assert_eq!(self.ty(high), self.ty(low), "operands of a pack");
        let op = Op::Pack(high, low);
        let result = Layout { word: 2 * layout.word, ..layout };
        match self.simpler(&op, layout) {
            Some(Simpler::Constant(number)) => self.constant(result, number),
            _ => self.emit(op, Type::atom(result), Known::Nothing),
        }
    }

    /// The identity, but for masking.
    pub fn refresh(&mut self, value: ValueId) -> ValueId {
        self.emit(Op::Refresh(value), self.ty(value), Known::Nothing)
    }

    /// An array of atoms of one layout.
    ///
    /// # Panics
    /// If there are no atoms.
    pub fn array(&mut self, atoms: Vec<ValueId>) -> ValueId {
        let layout = self.ty(atoms[0]).layout;
        debug_assert!(atoms.iter().all(|&atom| self.ty(atom) == Type::atom(layout)), "atoms of an array");
        let ty = Type::array(layout, atoms.len() as u32);
        let known = Known::Array(atoms.as_slice().into());
        self.emit(Op::Array(atoms), ty, known)
    }

    /// The atom of an array at an index.
    pub fn get(&mut self, array: ValueId, index: Affine) -> ValueId {
        let layout = self.ty(array).layout;
        if self.raw || !index.terms.is_empty() {
            return self.emit(Op::Get(array, index), Type::atom(layout), Known::Nothing);
        }
        let (array, index) = match self.find(array, index.constant) {
            Found::Atom(atom) => return atom,
            Found::In(array, index) => (array, index),
        };
        self.emit(Op::Get(array, Affine::constant(index)), Type::atom(layout), Known::Nothing)
    }

    /// The array with the atom at an index replaced.
    pub fn set(&mut self, array: ValueId, index: Affine, atom: ValueId) -> ValueId {
        let known = match index.terms.is_empty() {
            true => Known::Set(array, index.constant, atom),
            false => Known::Nothing,
        };
        self.emit(Op::Set(array, index, atom), self.ty(array), known)
    }

    /// The `len` elements of an array from an index on.
    pub fn slice(&mut self, array: ValueId, index: Affine, len: u32) -> ValueId {
        let ty = self.ty(array);
        let fixed = !self.raw && index.terms.is_empty();
        if fixed && index.constant == 0 && ty.len == Some(len) {
            return array;
        }
        let known = if fixed { Known::Slice(array, index.constant) } else { Known::Nothing };
        self.emit(Op::Slice(array, index), Type::array(ty.layout, len), known)
    }

    /// The array with the elements from an index on replaced by those of `part`.
    pub fn splice(&mut self, array: ValueId, index: Affine, part: ValueId) -> ValueId {
        let ty = self.ty(array);
        let fixed = !self.raw && index.terms.is_empty();
        if fixed && index.constant == 0 && ty == self.ty(part) {
            return part;
        }
        let known = if fixed { Known::Splice(array, index.constant, part) } else { Known::Nothing };
        self.emit(Op::Splice(array, index, part), ty, known)
    }

    /// A call; the values of the outputs. `result_types` are the types of the callee's outputs.
    pub fn call(&mut self, node: NodeId, arguments: Vec<ValueId>, result_types: &[Type]) -> Vec<ValueId> {
        let results: Vec<_> = result_types.iter().map(|&ty| self.fresh(ty, Known::Nothing)).collect();
        let operation = Operation { results: results.clone(), op: Op::Call(node, arguments) };
        self.block().operations.push(operation);
        results
    }

    /// Opens a loop; its induction variable and the parameters of its body. Values are made in the body until
    /// [`NodeBuilder::end_loop`].
    pub fn begin_loop(&mut self, trips: u32, initial: Vec<ValueId>) -> (InductionId, Vec<ValueId>) {
        let induction = InductionId(self.inductions);
        self.inductions += 1;
        let types: Vec<_> = initial.iter().map(|&value| self.ty(value)).collect();
        let parameters: Vec<_> = types.into_iter().map(|ty| self.fresh(ty, Known::Nothing)).collect();
        let body = Block { parameters: parameters.clone(), ..Block::default() };
        self.open.push(Loop { induction, trips, initial, body });
        (induction, parameters)
    }

    /// Closes the innermost open loop; `results` are the next carried values. The values of the carried values after
    /// the last time.
    ///
    /// # Panics
    /// If no loop is open.
    pub fn end_loop(&mut self, results: Vec<ValueId>) -> Vec<ValueId> {
        let mut ended = self.open.pop().expect("a loop is open");
        debug_assert!(
            results.iter().map(|&v| self.ty(v)).eq(ended.initial.iter().map(|&v| self.ty(v))),
            "carried values of a loop"
        );
        let types: Vec<_> = results.iter().map(|&value| self.ty(value)).collect();
        ended.body.results = results;
        let values: Vec<_> = types.into_iter().map(|ty| self.fresh(ty, Known::Nothing)).collect();
        self.block().operations.push(Operation { results: values.clone(), op: Op::Loop(ended) });
        values
    }

    /// The innermost open block.
    fn block(&mut self) -> &mut Block {
        match self.open.last_mut() {
            Some(open) => &mut open.body,
            None => &mut self.top,
        }
    }

    fn fresh(&mut self, ty: Type, known: Known) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(Value { ty, origin: self.origin.clone() });
        self.known.push(known);
        id
    }

    fn emit(&mut self, op: Op, ty: Type, known: Known) -> ValueId {
        let value = self.fresh(ty, known);
        self.block().operations.push(Operation { results: vec![value], op });
        value
    }

    fn simpler(&self, op: &Op, layout: Layout) -> Option<Simpler> {
        if self.attributes.no_opt || self.raw { None } else { laws::simplify(op, layout, self) }
    }

    /// An operation whose result has the type of its operand `like`.
    fn atom(&mut self, op: Op, like: ValueId) -> ValueId {
        let ty = self.ty(like);
        match self.simpler(&op, ty.layout) {
            Some(Simpler::Value(value)) => value,
            Some(Simpler::Constant(number)) => self.constant(ty.layout, number),
            Some(Simpler::Op(op)) => self.atom(op, like),
            None => {
                let known = if let Op::Not(operand) = op { Known::Not(operand) } else { Known::Nothing };
                self.emit(op, ty, known)
            }
        }
    }

    /// Where the atom at a constant index of an array comes from.
    ///
    /// Whatever is found is visible here: the operands of a definition are visible wherever its value is.
    fn find(&self, mut array: ValueId, mut index: i64) -> Found {
        // The last place that is reached through slices alone. To read an older version of an array from beyond a `Set`
        // would keep it alive next to the newer one, and the `Set` would have to copy.
        let mut read = (array, index);
        let mut sliced = true;
        for _ in 0..REACH {
            let known = &self.known[array.index()];
            match *known {
                Known::Array(ref atoms) => {
                    if let Some(&atom) = usize::try_from(index).ok().and_then(|index| atoms.get(index)) {
                        return Found::Atom(atom);
                    }
                    break;
                }
                Known::Set(_, place, atom) if place == index => return Found::Atom(atom),
                Known::Set(older, ..) => array = older,
                Known::Slice(whole, start) => (array, index) = (whole, index + start),
                Known::Splice(whole, start, part) => {
                    let len = i64::from(self.ty(part).atoms());
                    if (start..start + len).contains(&index) {
                        (array, index) = (part, index - start);
                    } else {
                        array = whole;
                    }
                }
                Known::Nothing | Known::Constant(_) | Known::Not(_) => break,
            }
            sliced &= matches!(known, Known::Slice(..));
            if sliced {
                read = (array, index);
            }
        }
        Found::In(read.0, read.1)
    }
}

/// Where an atom of an array comes from.
enum Found {
    /// It is this value.
    Atom(ValueId),
    /// It is in this array at this index.
    In(ValueId, i64),
}
