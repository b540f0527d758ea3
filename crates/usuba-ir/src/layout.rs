//! How the atoms of many parallel instances lie in registers.

use std::fmt;

/// The ways to slice that have a surface syntax.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slicing {
    /// Bitsliced: a register holds one bit of each instance.
    B,
    /// Vertical: a lane holds a word of one instance.
    V,
    /// Horizontal: the bits of a word are spread over the elements of a register.
    H,
    /// Vertical, with so many words of one instance in neighbouring lanes of a group of 128 bits.
    Packed(u32),
}

impl Slicing {
    /// All slicings that users can name.
    pub const ALL: [Slicing; 7] = [
        Slicing::B,
        Slicing::V,
        Slicing::Packed(2),
        Slicing::Packed(4),
        Slicing::Packed(8),
        Slicing::Packed(16),
        Slicing::H,
    ];

    /// Sixteen bytes of an instance side by side: [`Layout::BLOCK`].
    pub const BLOCKS: Slicing = Slicing::Packed(16);

    /// The names of [`Slicing::ALL`], in manifests and on the command line.
    pub const NAMES: [&str; 7] = ["b", "v", "v2", "v4", "v8", "v16", "h"];

    /// Its name; `None` for what users cannot name.
    pub fn name(self) -> Option<&'static str> {
        Slicing::ALL.iter().position(|known| *known == self).map(|place| Slicing::NAMES[place])
    }

    /// The slicing of a name of [`Slicing::NAMES`].
    pub fn named(name: &str) -> Option<Slicing> {
        Slicing::NAMES.iter().position(|known| *known == name).map(|place| Slicing::ALL[place])
    }
}

impl fmt::Display for Slicing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slicing::B => f.write_str("b"),
            Slicing::V => f.write_str("v"),
            Slicing::H => f.write_str("h"),
            Slicing::Packed(words) => write!(f, "v{words}"),
        }
    }
}

/// The layout of one atom: `pack` words of `word` bits of one instance, so many `instances` side by side.
///
/// A *chunk* is `pack` elements of `word * instances` bits; element e, in memory order, holds word e of the atom for each of
/// the instances, instance j in bits `j * word ..`. A register holds as many chunks as fit.
/// The atom has `word * pack` bits and word 0 is the most significant.
///
/// | slicing | word | pack | instances |
/// |---|---|---|---|
/// | B | 1 | 1 | 1 |
/// | V | m | 1 | 1 |
/// | H | 1 | m | max(8, 128 / m): the chunk is one 128-bit group for m ≤ 16, and 8m bits beyond |
/// | Packed(p) | 128 / p | p | 1: the chunk is one 128-bit group |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layout {
    /// Bits of a word.
    pub word: u32,
    /// Words of one instance that make up an atom.
    pub pack: u32,
    /// Instances side by side in each element.
    pub instances: u32,
}

impl Layout {
    /// One bit of each instance.
    pub const BIT: Layout = Layout { word: 1, pack: 1, instances: 1 };

    /// A block: 16 bytes of one instance side by side.
    pub const BLOCK: Layout = Layout { word: 8, pack: 16, instances: 1 };

    /// The layout of an atom of `width` bits in `slicing`; bits are laid out the same in all of them (D35). A packed atom
    /// is all the words of a group, so that `width` is that of the group.
    pub fn of(slicing: Slicing, width: u32) -> Layout {
        match slicing {
            _ if width == 1 => Layout::BIT,
            Slicing::B | Slicing::V => Layout { word: width, pack: 1, instances: 1 },
            Slicing::Packed(words) => {
                let pack = words.clamp(1, width);
                Layout { word: width / pack, pack, instances: 1 }
            }
            Slicing::H => Layout { word: 1, pack: width, instances: (128 / width).max(8) },
        }
    }

    /// Bits of the atom.
    pub fn width(self) -> u32 {
        self.word * self.pack
    }

    /// Whether an atom is several words of several bits: then arithmetic and shifts act on each of them.
    pub fn has_lanes(self) -> bool {
        self.word > 1 && self.pack > 1
    }

    /// Bits of a chunk.
    pub fn chunk(self) -> u32 {
        self.word * self.pack * self.instances
    }
}

#[cfg(test)]
mod tests {
    use super::Slicing;

    #[test]
    fn slicings_are_named_as_they_are_printed() {
        for (slicing, name) in Slicing::ALL.into_iter().zip(Slicing::NAMES) {
            assert_eq!(slicing.to_string(), name);
            assert_eq!(slicing.name(), Some(name));
            assert_eq!(Slicing::named(name), Some(slicing));
        }
        assert_eq!(Slicing::named("v3"), None);
    }
}
