//! Programs run on bits of a graph: [`usuba0`] runs the normal form, [`source`] the typed program as the reference interpreter does.
//!
//! Both take and give one instance: for each input or output its atoms, and for each atom its bits from the least
//! significant. One instance is enough, as nothing in either form reads another one: an operation of Usuba0 or of the typed
//! program computes atoms of an instance from atoms of the same instance, and what is uniform is an input like others.

pub mod source;
pub mod usuba0;

use crate::graph::{Edge, Graph};

/// The atoms of parameters, each as its bits from the least significant.
pub type Values = Vec<Vec<Vec<Edge>>>;

/// A named value on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Where it is: the calls and turns of loops that it is in, then its name.
    pub name: String,
    /// Its bits, from the least significant.
    pub bits: Vec<Edge>,
}

/// New inputs for parameters of so many atoms of so many bits.
pub fn fresh(graph: &mut Graph, parameters: &[(u32, u32)]) -> Values {
    let mut atoms = |&(width, atoms): &(u32, u32)| {
        (0..atoms).map(|_| graph.input_bits(width as usize)).collect::<Vec<_>>()
    };
    parameters.iter().map(&mut atoms).collect()
}

/// The numbers that bits are, where `value` says what each of them is.
pub fn numbers(values: &Values, value: impl Fn(Edge) -> bool) -> Vec<Vec<u128>> {
    let number = |bits: &Vec<Edge>| bits.iter().rev().fold(0, |sum, &bit| sum << 1 | u128::from(value(bit)));
    values.iter().map(|atoms| atoms.iter().map(number).collect()).collect()
}
