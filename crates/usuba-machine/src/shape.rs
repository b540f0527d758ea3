//! How the instances of a program lie in registers, and their values to and from the bytes of registers.

use crate::program::{Element, RegisterType};
use usuba_ir::layout::Slicing;
use usuba_target::ByteOrder;

/// The layout of all atoms of one program in the registers of one target: what a runtime needs to fill them.
///
/// A register holds `register_bits / chunk_bits` chunks of n = `chunk_instances` instances each. Instances are numbered chunk
/// by chunk in memory order, and inside a chunk
///
/// - `B`: instance j is bit j mod 8 of byte j / 8 in memory (on general-purpose registers: bit j of the integer);
/// - `V`: the chunk is a lane of `lane` bits, the atom in its least significant bits and zeros above, in the byte order of
///   the machine;
/// - `H`: the chunk is `pack` elements of n bits, in memory order; element e holds bit e, from the most significant,
///   of each atom, and instance j is bit j mod 8 of byte j / 8 of the element, whatever the byte order of the machine;
///   on general-purpose registers the words of the instances are interleaved bit by bit in one integer: bit i, from the
///   least significant, of instance j is bit i n + j of the register.
/// - `Packed`: the chunk is 128 bits, `pack` lanes of `lane` bits in memory order, each a word of the atom in the byte order
///   of the machine, the most significant word first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The slicing of every atom.
    pub slicing: Slicing,
    /// Bits of a register that holds an atom; of the one lane, on general-purpose registers.
    pub register_bits: u32,
    /// Bits of a lane (V); of the elements that constants are written in otherwise.
    pub lane: u32,
    /// Bits of a chunk: one bit (B), a lane (V), a group of 128 bits or more (H).
    pub chunk_bits: u32,
    /// Elements of a chunk: the width of the atoms for H, their words if packed, 1 otherwise.
    pub pack: u32,
    /// Instances in a chunk.
    pub chunk_instances: u32,
    /// Batches that one call computes: the outermost dimension of every parameter that is not uniform, if more than 1.
    pub interleave: u32,
    /// Instances that one call computes: those in a register, times the batches.
    pub instances: u32,
    /// Bits of a uniform atom in memory, all zeros or all ones (B).
    pub mask_bits: u32,
    /// C type of a register.
    pub register_type: &'static str,
    /// C type of an element of a uniform input: a lane (V, packed), a mask (B), a byte (H), a register (H, bit by bit).
    pub uniform_type: &'static str,
    /// Elements of a uniform input per atom: 1, the words if packed, or the bytes of a chunk for H in vectors.
    pub uniform_elements: u32,
}

impl Shape {
    /// The same for so many batches.
    pub fn interleaved(self, batches: u32) -> Shape {
        Shape { interleave: batches, instances: self.instances.saturating_mul(batches), ..self }
    }

    /// Whether the atoms of several instances are interleaved in an integer: H on general-purpose registers.
    pub fn is_bit_interleaved(&self) -> bool {
        self.slicing == Slicing::H && self.uniform_elements == 1
    }

    /// Bytes of a register.
    pub fn register_bytes(&self) -> u32 {
        self.register_bits / 8
    }

    /// Bits that a uniform atom takes in memory.
    pub fn uniform_bits(&self) -> u32 {
        match self.slicing {
            Slicing::B => self.mask_bits,
            Slicing::V => self.lane,
            Slicing::H | Slicing::Packed(_) => self.chunk_bits,
        }
    }

    /// The type of a register that holds an atom.
    pub fn register(&self) -> RegisterType {
        match self.register_bits {
            bits @ ..=64 => RegisterType::General { bits },
            bits if self.slicing == Slicing::B => RegisterType::Vector { bits, lane: 0 },
            bits => RegisterType::Vector { bits, lane: self.lane },
        }
    }

    /// What a uniform atom is in memory.
    pub fn uniform(&self) -> Element {
        Element::Scalars { bits: self.uniform_bits() / self.uniform_elements, count: self.uniform_elements }
    }

    /// Instances in one register.
    pub fn in_register(&self) -> usize {
        (self.instances / self.interleave) as usize
    }

    /// The register that holds one atom of each instance, as the documentation of [`Shape`] says.
    pub fn pack(&self, order: ByteOrder, atoms: &[u128]) -> Vec<u8> {
        let mut bytes = vec![0u8; self.register_bytes() as usize];
        for (instance, atom) in atoms.iter().enumerate() {
            self.for_bits(order, instance, |byte, bit, weight| {
                bytes[byte] |= ((atom >> weight & 1) as u8) << bit;
            });
        }
        bytes
    }

    /// The atom of an instance of a register.
    pub fn unpack(&self, order: ByteOrder, instance: usize, bytes: &[u8]) -> u128 {
        let mut atom = 0;
        self.for_bits(order, instance, |byte, bit, weight| {
            atom |= u128::from(bytes[byte] >> bit & 1) << weight;
        });
        atom
    }

    /// The bytes in memory of an atom that is the same for all instances.
    pub fn pack_uniform(&self, order: ByteOrder, atom: u128) -> Vec<u8> {
        let is_big = order == ByteOrder::Big;
        match self.slicing {
            Slicing::B => vec![if atom & 1 == 1 { 0xff } else { 0 }; (self.mask_bits / 8) as usize],
            Slicing::V => {
                let mut bytes = atom.to_le_bytes()[..(self.lane / 8) as usize].to_vec();
                if is_big {
                    bytes.reverse();
                }
                bytes
            }
            Slicing::Packed(_) => {
                let mut bytes = atom.to_be_bytes().to_vec();
                if !is_big {
                    bytes.chunks_mut((self.lane / 8) as usize).for_each(<[u8]>::reverse);
                }
                bytes
            }
            Slicing::H if self.is_bit_interleaved() => self.pack(order, &vec![atom; self.in_register()]),
            Slicing::H => {
                let element = (self.chunk_instances / 8) as usize;
                (0..(self.chunk_bits / 8) as usize)
                    .map(|byte| {
                        let weight = self.pack - 1 - (byte / element) as u32;
                        if atom >> weight & 1 == 1 { 0xff } else { 0 }
                    })
                    .collect()
            }
        }
    }

    /// Calls `see(byte, bit, weight)` for each bit of the register that belongs to an instance: bit `weight` of its atom.
    fn for_bits(&self, order: ByteOrder, instance: usize, mut see: impl FnMut(usize, u32, u32)) {
        let is_big = order == ByteOrder::Big;
        let in_word = |byte: usize, bytes: usize| if is_big { bytes - 1 - byte } else { byte };
        let lane = (self.lane / 8) as usize;
        match self.slicing {
            Slicing::B => {
                let byte = instance / 8;
                let byte = if self.register_bits <= 64 { in_word(byte, 8) } else { byte };
                see(byte, instance as u32 % 8, 0);
            }
            Slicing::V => {
                for weight in 0..self.lane {
                    see(instance * lane + in_word((weight / 8) as usize, lane), weight % 8, weight);
                }
            }
            Slicing::Packed(words) => {
                for weight in 0..128 {
                    let word = (words - 1 - weight / self.lane) as usize;
                    let byte = in_word((weight % self.lane / 8) as usize, lane);
                    see(instance * 16 + word * lane + byte, weight % 8, weight);
                }
            }
            Slicing::H if self.is_bit_interleaved() => {
                for weight in 0..self.pack {
                    let bit = weight * self.chunk_instances + instance as u32;
                    see(in_word((bit / 8) as usize, 8), bit % 8, weight);
                }
            }
            Slicing::H => {
                let count = self.chunk_instances as usize;
                let (chunk, within) = (instance / count, instance % count);
                for element in 0..self.pack as usize {
                    let byte = chunk * (self.chunk_bits / 8) as usize + element * count / 8 + within / 8;
                    see(byte, within as u32 % 8, self.pack - 1 - element as u32);
                }
            }
        }
    }
}
