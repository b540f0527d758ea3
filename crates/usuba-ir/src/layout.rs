//! How the atoms of many parallel instances lie in registers.

use std::fmt;

/// The three ways to slice that have a surface syntax.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slicing {
    /// Bitsliced: a register holds one bit of each instance.
    B,
    /// Vertical: a lane holds a word of one instance.
    V,
    /// Horizontal: the bits of a word are spread over the elements of a register.
    H,
}

impl fmt::Display for Slicing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Slicing::B => "b",
            Slicing::V => "v",
            Slicing::H => "h",
        })
    }
}

/// The layout of one atom: `pack` words of `word` bits of one instance, `batch` instances side by side.
///
/// A *chunk* is `pack` elements of `word * batch` bits; element e, in memory order, holds word e of the atom for each of
/// the `batch` instances, instance j in bits `j * word ..`. A register holds as many chunks as fit.
/// The atom has `word * pack` bits and word 0 is the most significant.
///
/// | slicing | word | pack | batch |
/// |---|---|---|---|
/// | B | 1 | 1 | 1 |
/// | V | m | 1 | 1 |
/// | H | 1 | m | max(8, 128 / m): the chunk is one 128-bit group for m ≤ 16, and 8m bits beyond |
/// | hybrid (later) | w | p | 1 |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layout {
    /// Bits of a word.
    pub word: u32,
    /// Words of one instance that make up an atom.
    pub pack: u32,
    /// Instances side by side in each element.
    pub batch: u32,
}

impl Layout {
    /// One bit of each instance.
    pub const BIT: Layout = Layout { word: 1, pack: 1, batch: 1 };

    /// The layout of an atom of `width` bits in `slicing`; bits are laid out the same in all of them (D35).
    pub fn of(slicing: Slicing, width: u32) -> Layout {
        match slicing {
            _ if width == 1 => Layout::BIT,
            Slicing::B | Slicing::V => Layout { word: width, pack: 1, batch: 1 },
            Slicing::H => Layout { word: 1, pack: width, batch: (128 / width).max(8) },
        }
    }

    /// Bits of the atom.
    pub fn width(self) -> u32 {
        self.word * self.pack
    }

    /// Bits of a chunk.
    pub fn chunk(self) -> u32 {
        self.word * self.pack * self.batch
    }
}
