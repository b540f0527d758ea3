//! Where the bits of instances lie in the registers of a kernel's parameters.

use super::value::{Byte, Lane};
use crate::graph::Edge;
use crate::symbolic::Values;
use usuba_machine::Shape;
use usuba_target::ByteOrder;

/// A bit of a register, and what it is of an atom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub byte: usize,
    pub bit: usize,
    pub weight: usize,
    pub instance: u16,
}

/// A register has bits of instances that no [`Lane`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UnknownLayout;

/// Where the bits of atoms lie in memory.
#[derive(Clone, Debug)]
pub(super) struct Layout<'a> {
    pub shape: &'a Shape,
    /// The bits of a register that have an instance.
    pub bits: Vec<Place>,
    /// Whose the bits of each byte are.
    lanes: Vec<Lane>,
}

impl<'a> Layout<'a> {
    pub fn of(shape: &'a Shape) -> Result<Layout<'a>, UnknownLayout> {
        let (size, count) = (shape.register_bytes() as usize, shape.in_register());
        let mut instances: Vec<[Option<u16>; 8]> = vec![[None; 8]; size];
        let mut bits = Vec::new();
        let width = (8 * size / count).min(128);
        for instance in 0..count {
            for weight in 0..width {
                let mut atoms = vec![0; count];
                atoms[instance] = 1 << weight;
                let packed = shape.pack(ByteOrder::Little, &atoms);
                for (byte, value) in packed.iter().enumerate().filter(|(_, value)| **value != 0) {
                    for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                        bits.push(Place { byte, bit, weight, instance: instance as u16 });
                        instances[byte][bit] = Some(instance as u16);
                    }
                }
            }
        }
        let lanes = instances.into_iter().map(lane_of).collect::<Option<_>>().ok_or(UnknownLayout)?;
        Ok(Layout { shape, bits, lanes })
    }

    /// The bytes of a register in which every instance has the atom with these bits.
    pub fn register(&self, atom: &[Edge]) -> Vec<Byte> {
        let mut result: Vec<Byte> =
            self.lanes.iter().map(|&lane| Byte { bits: [Edge::FALSE; 8], lane }).collect();
        for &Place { byte, bit, weight, .. } in &self.bits {
            result[byte].bits[bit] = atom.get(weight).copied().unwrap_or(Edge::FALSE);
        }
        result
    }

    /// The instance that a bit of a register belongs to; the first for bits that belong to none.
    pub fn instance(&self, byte: usize, bit: usize) -> u16 {
        self.bits
            .iter()
            .find(|place| (place.byte, place.bit) == (byte, bit))
            .map_or(0, |place| place.instance)
    }

    /// The outputs of one instance of one batch among the bytes that a run has left, in the shape of what is expected.
    pub fn outputs(&self, expected: &[Values], found: &[Vec<Byte>], batch: usize, instance: u16) -> Values {
        let size = self.shape.register_bytes() as usize;
        let of = |(atoms, bytes): (&Vec<Vec<Edge>>, &Vec<Byte>)| {
            let atom = |(number, atom): (usize, &Vec<Edge>)| {
                let register = &bytes[(batch * atoms.len() + number) * size..][..size];
                let mut bits = vec![Edge::FALSE; atom.len()];
                let own = self.bits.iter().filter(|one| one.instance == instance && one.weight < atom.len());
                own.for_each(|one| bits[one.weight] = register[one.byte].bits[one.bit]);
                bits
            };
            atoms.iter().enumerate().map(atom).collect()
        };
        expected[batch].iter().zip(found).map(of).collect()
    }

    /// The bytes in memory of an atom that is the same for all instances.
    pub fn uniform(&self, atom: &[Edge]) -> Vec<Byte> {
        let none = self.shape.pack_uniform(ByteOrder::Little, 0);
        let mut result = vec![Byte::ZERO; none.len()];
        for (weight, &edge) in atom.iter().enumerate() {
            let packed = self.shape.pack_uniform(ByteOrder::Little, 1 << weight);
            for (byte, value) in packed.iter().enumerate() {
                for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                    result[byte].bits[bit] = edge;
                }
            }
        }
        result
    }
}

fn lane_of(instances: [Option<u16>; 8]) -> Option<Lane> {
    let mut known = instances.iter().flatten();
    let Some(&first) = known.next() else { return Some(Lane::All) };
    if known.all(|&instance| instance == first) {
        return Some(Lane::One(first));
    }
    let every = |&count: &u16| (0..8).all(|bit| instances[usize::from(bit)] == Some(bit % count));
    if let Some(count) = [2, 4].into_iter().find(every) {
        return Some(Lane::Every(count));
    }
    let begin = instances[0]?;
    let consecutive = (0..8).all(|bit| instances[usize::from(bit)] == Some(begin + bit));
    (begin % 8 == 0 && consecutive).then_some(Lane::Each(begin / 8))
}
