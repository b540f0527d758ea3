//! Where the bits of a value lie in a block.
//!
//! Bit p of a block is bit 7 - p mod 8 of byte p / 8 in memory: bits are counted from the most significant of the first byte.

/// Bits of a block.
pub const BITS: u32 = 128;

/// The place of each bit of a value, from the first.
pub type Places = Vec<u32>;

/// Bytes one after the other, each from its most significant bit.
pub fn as_is(bits: u32) -> Places {
    (0..bits).collect()
}

/// Words one after the other, the bytes of each from the least significant.
pub fn little_words(bits: u32, width: u32) -> Places {
    (0..bits).map(|bit| bit / width * width + little(bit % width, width)).collect()
}

/// A word as a little-endian number.
fn little(bit: u32, width: u32) -> u32 {
    width - 8 - bit / 8 * 8 + bit % 8
}
