//! Register images, from the definition of the layouts alone.
//!
//! - B: instance j is bit j mod 64 of the little-endian 64-bit word j / 64.
//! - V: instance j is lane j, little-endian, zeros above the atom.
//! - H: chunks of max(128, 8m) bits, in memory order; a chunk is m elements; element e holds bit e, from the most
//!   significant, of each instance of the chunk, the first instance in the least significant bit of the first byte.
//! - H in single words of 64 bits: the words of k = 64 / m instances interleaved; bit i of instance j is bit k i + j.
//! - Packed: the 128 bits of instance j follow those of instance j - 1; an atom is its words in lanes, the most
//!   significant first, each little-endian.
//!
//! A uniform atom is as many bytes as a kernel's header says, 0 or all ones (B), one lane (V), one chunk (H), one word
//! (H in single words).

use usuba_ir::layout::Slicing;

/// How atoms lie in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packing {
    /// The slicing.
    pub slicing: Slicing,
    /// Bits of a register.
    pub register_bits: usize,
    /// Bits of a lane (V only).
    pub lane: usize,
    /// Bits of an atom (H only).
    pub width: usize,
    /// Whether the register is one word (H only).
    pub interleaved: bool,
}

impl Packing {
    /// The packing of a program whose atoms have the widths `widths`, lowered for `slicing`, in registers of
    /// `register_bits`, or in single words if that is `None`.
    pub fn new(slicing: Slicing, widths: &[u32], register_bits: Option<usize>) -> Packing {
        let widest = widths.iter().copied().max().unwrap_or(1) as usize;
        let slicing = if widest == 1 { Slicing::B } else { slicing };
        let lane = widest.next_power_of_two().max(8);
        let word = if slicing == Slicing::V { lane } else { 64 };
        let interleaved = slicing == Slicing::H && register_bits.is_none();
        Packing { slicing, register_bits: register_bits.unwrap_or(word), lane, width: widest, interleaved }
    }

    fn chunk(&self) -> usize {
        (8 * self.width).max(128)
    }

    /// Instances in a register.
    pub fn instances(&self) -> usize {
        match self.slicing {
            Slicing::B => self.register_bits,
            Slicing::V => self.register_bits / self.lane,
            Slicing::H => self.register_bits / self.width,
            Slicing::Packed(_) => self.register_bits / 128,
        }
    }

    /// The place of bit `bit`, counted from the least significant, of instance `instance`: a bit of the register.
    fn place(&self, instance: usize, bit: usize) -> usize {
        match self.slicing {
            Slicing::B => instance,
            Slicing::V => instance * self.lane + bit,
            Slicing::H if self.interleaved => bit * self.instances() + instance,
            Slicing::H => {
                let each = self.chunk() / self.width;
                let element = self.width - 1 - bit;
                instance / each * self.chunk() + element * each + instance % each
            }
            Slicing::Packed(words) => {
                let lane = 128 / words as usize;
                instance * 128 + (words as usize - 1 - bit / lane) * lane + bit % lane
            }
        }
    }

    /// The bytes of a register that holds one atom of every instance.
    pub fn register(&self, atoms: &[u128]) -> Vec<u8> {
        let mut bytes = vec![0; self.register_bits / 8];
        for (instance, atom) in atoms.iter().enumerate() {
            for bit in 0..128 {
                if atom >> bit & 1 == 1 {
                    let place = self.place(instance, bit);
                    bytes[place / 8] |= 1 << (place % 8);
                }
            }
        }
        bytes
    }

    /// The bytes of an atom that is the same for all instances; of a bit `mask` bytes.
    pub fn uniform(&self, atom: u128, mask: usize) -> Vec<u8> {
        match self.slicing {
            Slicing::B => vec![if atom == 0 { 0 } else { 0xff }; mask],
            Slicing::V => atom.to_le_bytes()[..self.lane / 8].to_vec(),
            Slicing::Packed(_) => Packing { register_bits: 128, ..*self }.register(&[atom]),
            Slicing::H if self.interleaved => self.register(&vec![atom; self.instances()]),
            Slicing::H => {
                let all = vec![atom; self.chunk() / self.width];
                let one = Packing { register_bits: self.chunk(), ..*self };
                one.register(&all)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images() {
        let v = Packing::new(Slicing::V, &[3, 12], Some(64));
        assert_eq!(
            (v.instances(), v.register(&[1, 0x234, 0xfff, 0])),
            (4, vec![1, 0, 0x34, 2, 0xff, 0x0f, 0, 0])
        );
        let b = Packing::new(Slicing::B, &[1], None);
        assert_eq!(b.register(&[0, 1, 0, 0, 0, 0, 0, 0, 1]), [2, 1, 0, 0, 0, 0, 0, 0]);
        let h = Packing::new(Slicing::H, &[16], Some(256));
        let mut expected = vec![0u8; 32];
        expected[0] = 0b10; // the top bit of instance 1
        expected[16 + 15] = 1; // the bottom bit of instance 8, the first of the second chunk
        let mut atoms = vec![0; 16];
        (atoms[1], atoms[8]) = (0x8000, 1);
        assert_eq!(h.register(&atoms), expected);
        let mut uniform = vec![0u8; 16];
        uniform[14] = 0xff;
        assert_eq!(h.uniform(2, 0), uniform);
        let interleaved = Packing::new(Slicing::H, &[16], None);
        assert_eq!(interleaved.register(&[0x8000, 1, 0, 3]), [0b1000_1010, 0, 0, 0, 0, 0, 0, 0x10]);
        assert_eq!(interleaved.uniform(2, 0), [0xf0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
