//! Programs run on bits of a graph: [`usuba0`] runs the normal form, [`source`] the typed program as the reference interpreter does.
//!
//! Both take and give one instance: for each input or output its atoms, and for each atom its bits from the least
//! significant. One instance is enough, as nothing in either form reads another one: an operation of Usuba0 or of the typed
//! program computes atoms of an instance from atoms of the same instance, and what is uniform is an input like others.

pub mod cut;
pub mod source;
pub mod usuba0;

use crate::graph::{Edge, Graph, Vertex};
use std::collections::HashSet;
use usuba_ir::random::Random;

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

/// The first named value on one side after the last of those that the other side has too, by their values for these inputs and 255
/// random ones. A guess that helps to find a mistake: nothing rests on it.
pub(crate) fn first_signal(
    graph: &Graph,
    inputs: &[bool],
    signals: &[Signal],
    other: &Values,
) -> Option<String> {
    let mut random = Random::new(17);
    let rounds: Vec<Vec<u64>> = (0..4)
        .map(|_| {
            let column = |number| {
                let bit = u64::from(inputs.get(number as usize) == Some(&true));
                random.bits() & !1 | bit
            };
            let columns: Vec<u64> = (0..graph.inputs()).map(column).collect();
            graph.evaluate(|number| columns[number as usize])
        })
        .collect();
    let class = |vertex: Vertex| {
        let flip = if rounds[0][vertex.index()] & 1 == 1 { u64::MAX } else { 0 };
        let mut words = rounds.iter().map(|values| values[vertex.index()] ^ flip);
        std::array::from_fn::<u64, 4, _>(|_| words.next().unwrap_or(0))
    };
    let cone = graph.cone(other.iter().flatten().flatten().copied());
    let there: HashSet<[u64; 4]> = cone.into_iter().map(class).collect();
    let is_there = |signal: &&Signal| {
        signal.bits.iter().all(|bit| bit.known().is_some() || there.contains(&class(bit.vertex())))
    };
    let last = signals.iter().rposition(|signal| is_there(&signal));
    signals.get(last.map_or(0, |place| place + 1)).map(|signal| signal.name.clone())
}
