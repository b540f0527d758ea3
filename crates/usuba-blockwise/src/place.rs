//! Where the bits of a value lie in a block.
//!
//! Bit p of a block is bit 7 - p mod 8 of byte p / 8 in memory: bits are counted from the most significant of the first byte.

use crate::step::Value;
use usuba_algebra::product::Product;

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

/// The coefficients of a factor or a product, so that Montgomery's product of little-endian numbers is what is wanted.
pub fn of_product(product: &Product) -> Places {
    let reflected = crate::node::is_reflected(product);
    let place = |bit: u32| {
        let power = product.order.place(BITS as usize, bit as usize) as u32;
        let number = if reflected { BITS - 1 - power } else { power };
        number / 8 * 8 + 7 - number % 8
    };
    (0..BITS).map(place).collect()
}

/// Where what a value of a step is lies; `inputs`: where the inputs do.
pub fn of_value(value: &Value, inputs: &[Places]) -> Places {
    match value {
        Value::Input(input) => inputs.get(*input).cloned().unwrap_or_default(),
        Value::Cipher { block, .. } => as_is(block.len() as u32),
        Value::Product { product, .. } => of_product(product),
        Value::Sum { left, .. } => little_words(left.len() as u32, left.len() as u32),
    }
}
