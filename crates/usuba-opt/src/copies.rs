//! Read what is carried or stored from where it comes from.
//!
//! In: any program. Out: the same, where
//! - loops do not carry values that stay what they were before the loop, and what is made outside of a loop is not
//!   handed out by it;
//! - an atom that was put into an array, or taken from one, is used itself where the array is read, if its index there
//!   is the same or known to be another one than those written since;
//! - an array that was taken apart and put together again is the array.
//!
//! Cost: one walk, and for each read as many steps as there are writes to the array before, at most [`REACH`].
//!
//! Laws used, for arrays a, b, atoms x and indices i, j:
//! `get(set(a,i,x),i) = x`, `get(set(a,i,x),j) = get(a,j)` if i ≠ j, `get(slice(a,i),j) = get(a,i+j)`,
//! `get(splice(a,i,b),j) = get(b,j-i)` if j is in i .. i + len(b), else `get(a,j)`, `get([x,…],j)` = its j-th;
//! `set(a,i,get(a,i)) = a`, also where a has been written at other indices since it was read, `set(set(a,i,x),i,y) = set(a,i,y)`; `slice(a,0) = a` and `splice(a,0,b) = b` at full length,
//! `slice(slice(a,i),j) = slice(a,i+j)`, `slice([x,…],i)` = those atoms, `slice(splice(a,i,b),i) = b` if b is as long,
//! `splice(a,i,slice(a,i)) = a`; `[get(a,0),get(a,1),…] = a` at full length.
//!
//! Two indices are compared as expressions of the inductions. Both are visible where they meet, so inductions that both
//! name have one value: what an earlier trip has made is only seen through carried values, which are opaque here.
//!
//! A read is not moved to an older version of its array than the one it names (through slices only): that would keep two
//! versions alive at once, and the write between them would have to copy.

use crate::dead::retain;
use crate::forward::Forward;
use crate::pass::{Settings, open_nodes};
use std::rc::Rc;
use usuba_ir::check::range;
use usuba_ir::program::{Affine, Block, Loop, Node, Op, Operation, Program, ValueId};

/// How many writes a read looks through.
const REACH: usize = 4096;

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    for node in open_nodes(program) {
        let mut body = std::mem::take(&mut node.body);
        let mut copies = Copies {
            node,
            forward: Forward::new(node),
            known: vec![Known::Nothing; node.values.len()],
            depths: vec![0; node.values.len()],
            depth: 0,
            trips: vec![None; node.inductions as usize],
        };
        copies.block(&mut body);
        // That a value is carried in vain can show when its uses have been passed.
        copies.forward.block(&mut body);
        node.body = body;
        node.renumber();
    }
}

/// How an array, or an atom of one, was made.
#[derive(Clone)]
enum Known {
    Nothing,
    Array(Rc<[ValueId]>),
    Get(ValueId, Affine),
    Set(ValueId, Affine, ValueId),
    Slice(ValueId, Affine),
    Splice(ValueId, Affine, ValueId),
}

struct Copies<'a> {
    node: &'a Node,
    forward: Forward,
    known: Vec<Known>,
    /// How many loops are around the definition of each value.
    depths: Vec<u32>,
    depth: u32,
    /// The trips of each loop met so far.
    trips: Vec<Option<u32>>,
}

impl Copies<'_> {
    fn block(&mut self, block: &mut Block) {
        for parameter in &block.parameters {
            self.depths[parameter.index()] = self.depth;
        }
        block.operations.retain_mut(|operation| self.keep(operation));
        self.forward.all(&mut block.results);
    }

    /// Simplifies an operation; whether it stays.
    fn keep(&mut self, operation: &mut Operation) -> bool {
        let Operation { results, op } = operation;
        for result in results.iter() {
            self.depths[result.index()] = self.depth;
        }
        self.forward.operands(op);
        if let Op::Loop(inner) = op {
            self.cycle(inner, results);
            return true;
        }
        let &[result] = results.as_slice() else { return true };
        if let Some(value) = self.simplify(op, self.len(result)) {
            self.forward.replace(result, value);
            return false;
        }
        self.known[result.index()] = match op {
            Op::Array(atoms) => Known::Array(atoms.as_slice().into()),
            Op::Get(array, index) => Known::Get(*array, index.clone()),
            Op::Set(array, index, atom) => Known::Set(*array, index.clone(), *atom),
            Op::Slice(array, index) => Known::Slice(*array, index.clone()),
            Op::Splice(array, index, part) => Known::Splice(*array, index.clone(), *part),
            _ => Known::Nothing,
        };
        true
    }

    fn cycle(&mut self, inner: &mut Loop, results: &mut Vec<ValueId>) {
        let Loop { induction, trips, initial, body } = inner;
        self.trips[induction.index()] = Some(*trips);
        for (place, &first) in initial.iter().enumerate() {
            let (parameter, next) = (body.parameters[place], self.forward.resolve(body.results[place]));
            if next == parameter || next == first {
                self.forward.replace(parameter, first);
            }
        }
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
        let mut kept = vec![true; initial.len()];
        for (place, &first) in initial.iter().enumerate() {
            let (parameter, next) = (body.parameters[place], body.results[place]);
            if next == parameter || next == first {
                // Perhaps it is known already, then this changes nothing.
                self.forward.replace(parameter, first);
                self.forward.replace(results[place], first);
                kept[place] = false;
            } else if self.depths[next.index()] <= self.depth {
                // The first trip sees another value, if it looks.
                self.forward.replace(results[place], next);
            }
        }
        for values in [initial, &mut body.parameters, &mut body.results, results] {
            retain(values, &kept);
        }
    }

    fn len(&self, value: ValueId) -> u32 {
        self.node.ty(value).atoms()
    }

    /// Simplifies an array operation with a result of `len` atoms; the value that it gives, if there is one already.
    fn simplify(&self, op: &mut Op, len: u32) -> Option<ValueId> {
        match op {
            Op::Get(array, index) => match self.find(*array, index) {
                Found::Atom(atom) => return Some(atom),
                Found::In(read, at) => (*array, *index) = (read, at),
            },
            Op::Set(array, index, atom) => {
                if let Known::Get(from, at) = &self.known[atom.index()]
                    && at == index
                    && self.is_as_in(*array, *from, index)
                {
                    return Some(*array);
                }
                if let Known::Set(older, at, _) = &self.known[array.index()]
                    && at == index
                {
                    *array = *older;
                }
            }
            Op::Slice(array, index) => {
                if len == self.len(*array) {
                    return Some(*array);
                }
                match &self.known[array.index()] {
                    Known::Slice(whole, start) => (*array, *index) = (*whole, index.plus(start)),
                    Known::Splice(_, at, part) if at == index && self.len(*part) == len => {
                        return Some(*part);
                    }
                    Known::Array(atoms) => {
                        let start = index.as_constant().and_then(|start| usize::try_from(start).ok());
                        let atoms = start.and_then(|start| atoms.get(start..start + len as usize));
                        if let Some(atoms) = atoms {
                            *op = Op::Array(atoms.to_vec());
                        }
                    }
                    _ => {}
                }
            }
            Op::Splice(array, index, part) => {
                if self.len(*part) == len {
                    return Some(*part);
                }
                if let Known::Slice(from, at) = &self.known[part.index()]
                    && from == array
                    && at == index
                {
                    return Some(*array);
                }
            }
            Op::Array(atoms) => return self.reassembled(atoms),
            _ => {}
        }
        None
    }

    /// The array that these atoms are, in order and altogether.
    fn reassembled(&self, atoms: &[ValueId]) -> Option<ValueId> {
        let source = |(place, atom): (i64, &ValueId)| match &self.known[atom.index()] {
            Known::Get(array, index) if index.as_constant() == Some(place) => Some(*array),
            _ => None,
        };
        let array = source((0, atoms.first()?))?;
        let whole = self.len(array) as usize == atoms.len();
        (whole && (0..).zip(atoms).all(|element| source(element) == Some(array))).then_some(array)
    }

    /// Where the atom at an index of an array comes from.
    fn find(&self, array: ValueId, index: &Affine) -> Found {
        let (mut array, mut index) = (array, index.clone());
        let mut read = (array, index.clone());
        let mut sliced = true;
        for _ in 0..REACH {
            match &self.known[array.index()] {
                Known::Array(atoms) => {
                    let place = index.as_constant().and_then(|place| usize::try_from(place).ok());
                    if let Some(&atom) = place.and_then(|place| atoms.get(place)) {
                        return Found::Atom(atom);
                    }
                    break;
                }
                Known::Set(older, place, atom) => match self.within(&index.minus(place), 1) {
                    Some(true) => return Found::Atom(*atom),
                    Some(false) => array = *older,
                    None => break,
                },
                Known::Slice(whole, start) => (array, index) = (*whole, index.plus(start)),
                Known::Splice(whole, start, part) => {
                    let distance = index.minus(start);
                    match self.within(&distance, self.len(*part)) {
                        Some(true) => (array, index) = (*part, distance),
                        Some(false) => array = *whole,
                        None => break,
                    }
                    sliced = false;
                }
                Known::Nothing | Known::Get(..) => break,
            }
            sliced &= matches!(self.known[read.0.index()], Known::Slice(..));
            if sliced {
                read = (array, index.clone());
            }
        }
        Found::In(read.0, read.1)
    }

    /// Whether an array is known to have at an index what the older version `from` has there.
    fn is_as_in(&self, mut array: ValueId, from: ValueId, index: &Affine) -> bool {
        for _ in 0..REACH {
            if array == from {
                return true;
            }
            match &self.known[array.index()] {
                Known::Set(older, place, _) if self.within(&index.minus(place), 1) == Some(false) => {
                    array = *older;
                }
                Known::Splice(whole, start, part)
                    if self.within(&index.minus(start), self.len(*part)) == Some(false) =>
                {
                    array = *whole;
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether an index is always, or never, among the first `len`.
    fn within(&self, index: &Affine, len: u32) -> Option<bool> {
        let (low, high) = range(index, |induction| self.trips[induction.index()])?;
        let len = i128::from(len);
        if low >= 0 && high < len {
            Some(true)
        } else if high < 0 || low >= len {
            Some(false)
        } else {
            None
        }
    }
}

/// Where an atom of an array comes from.
enum Found {
    /// It is this value.
    Atom(ValueId),
    /// It is in this array at this index.
    In(ValueId, Affine),
}
