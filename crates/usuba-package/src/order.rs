//! What the bytes of a block, key or state mean: the place of every bit of every word.
//!
//! The text of a specification numbers words and bits; a byte string in memory numbers bytes. An [`Order`] connects the
//! two. It is the model that the C of `runtime/usuba_transpose.h` is tested against.

use serde::Deserialize;
use std::fmt;
use thiserror::Error;

/// How a sequence of words of m bits lies in a byte string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The bits of the words, each from the most significant, in sequence; byte by byte from its most significant bit.
    /// For m a multiple of 8: consecutive big-endian words.
    Big,
    /// For m a multiple of 8: consecutive little-endian words. For m = 1: bit i is bit i mod 8 (from the least
    /// significant) of byte i div 8. No other m.
    Little,
    /// Bit planes: m bytes make 8 words of m bits. Bit i, counted from the most significant, of word k of the 8 is bit
    /// 7 - k of byte i. AES in rows: `u16x8` from 16 bytes. The number of words is a multiple of 8.
    Planes,
    /// Planes of cells of 4 bits: m nibbles make 4 words of m bits; the upper nibble of a byte comes before the lower. Bit
    /// i, counted from the most significant, of word k of the 4 is bit 3 - k of nibble i. SKINNY-64 and GIFT-64 in rows:
    /// `u16x4` from 8 bytes. The number of words is a multiple of 4, and m is even.
    Nibbles,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Big => "big",
            Order::Little => "little",
            Order::Planes => "planes",
            Order::Nibbles => "nibbles",
        })
    }
}

/// Why bytes cannot be read as words, or the reverse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum OrderError {
    /// The order says nothing about words of this size.
    #[error("the order `little` has no meaning for words of {0} bits: only for 1 bit or a multiple of 8")]
    Width(u32),
    /// Words are 1 to 128 bits wide.
    #[error("words of {0} bits: a word has 1 to 128 bits")]
    Wide(u32),
    /// Planes come in groups of 8 words.
    #[error("the order `planes` makes 8 words at a time, and {0} is not a multiple of 8")]
    Planes(usize),
    /// Planes of nibbles come in groups of 4 words that fill whole bytes.
    #[error(
        "the order `nibbles` makes 4 words of an even number of bits at a time, and there are {words} words of {width} bits"
    )]
    Nibbles {
        /// Number of words.
        words: usize,
        /// Bits of a word.
        width: u32,
    },
    /// The sizes disagree.
    #[error("{words} words of {width} bits fill {expected} bytes, not {bytes}")]
    Size {
        /// Number of words.
        words: usize,
        /// Bits of a word.
        width: u32,
        /// The bytes that they need.
        expected: usize,
        /// The bytes that there are.
        bytes: usize,
    },
}

impl Order {
    /// The order of planes of bits that are made of the bytes of a program, whose words lie in this order. Consecutive bytes
    /// make planes; where bytes of the program are planes already, there is no order for planes of these.
    pub fn in_planes(self) -> Option<Order> {
        match self {
            Order::Big | Order::Little => Some(Order::Planes),
            Order::Planes | Order::Nibbles => None,
        }
    }

    /// Checks that `words` words of `width` bits are a meaning of `bytes` bytes. The last byte may have unused bits,
    /// which are zero.
    pub fn check(self, width: u32, words: usize, bytes: usize) -> Result<(), OrderError> {
        if !(1..=128).contains(&width) {
            return Err(OrderError::Wide(width));
        }
        if self == Order::Little && width != 1 && !width.is_multiple_of(8) {
            return Err(OrderError::Width(width));
        }
        if self == Order::Planes && !words.is_multiple_of(8) {
            return Err(OrderError::Planes(words));
        }
        if self == Order::Nibbles && !(words.is_multiple_of(4) && width.is_multiple_of(2)) {
            return Err(OrderError::Nibbles { words, width });
        }
        let expected = words.saturating_mul(width as usize).div_ceil(8);
        if expected != bytes {
            return Err(OrderError::Size { words, width, expected, bytes });
        }
        Ok(())
    }

    /// The place of bit `bit`, counted from the most significant, of word `word`: the byte, and the bit in it counted
    /// from the least significant.
    pub fn place(self, width: u32, word: usize, bit: u32) -> (usize, u32) {
        let m = width as usize;
        let flat = word * m + bit as usize;
        match self {
            Order::Big => (flat / 8, 7 - (flat % 8) as u32),
            Order::Little if width == 1 => (word / 8, (word % 8) as u32),
            Order::Little => {
                let weight = width - 1 - bit;
                (word * (m / 8) + weight as usize / 8, weight % 8)
            }
            Order::Planes => (word / 8 * m + bit as usize, 7 - (word % 8) as u32),
            Order::Nibbles => {
                let nibble = word / 4 * m + bit as usize;
                (nibble / 2, 7 - 4 * (nibble % 2) as u32 - (word % 4) as u32)
            }
        }
    }

    /// The `words` words of `width` bits that `bytes` stand for.
    pub fn decode(self, width: u32, words: usize, bytes: &[u8]) -> Result<Vec<u128>, OrderError> {
        self.check(width, words, bytes.len())?;
        let bit_at = |word, bit| {
            let (byte, shift) = self.place(width, word, bit);
            bytes.get(byte).map_or(0, |b| u128::from(b >> shift & 1))
        };
        Ok((0..words).map(|word| (0..width).fold(0, |value, bit| value << 1 | bit_at(word, bit))).collect())
    }

    /// The bytes that stand for `words`, each of `width` bits.
    pub fn encode(self, width: u32, words: &[u128]) -> Result<Vec<u8>, OrderError> {
        let size = words.len().saturating_mul(width as usize).div_ceil(8);
        self.check(width, words.len(), size)?;
        let mut bytes = vec![0u8; size];
        for (number, word) in words.iter().enumerate() {
            for bit in 0..width {
                let (byte, shift) = self.place(width, number, bit);
                if let Some(b) = bytes.get_mut(byte) {
                    *b |= ((word >> (width - 1 - bit) & 1) as u8) << shift;
                }
            }
        }
        Ok(bytes)
    }
}

/// The bits of `words`, each of `width` bits from the most significant.
pub fn bits(width: u32, words: &[u128]) -> Vec<u128> {
    words.iter().flat_map(|word| (0..width).rev().map(move |shift| word >> shift & 1)).collect()
}

/// The words of `width` bits whose bits, from the most significant, are `bits`.
pub fn words(width: u32, bits: &[u128]) -> Vec<u128> {
    bits.chunks(width.max(1) as usize)
        .map(|word| word.iter().fold(0, |value, bit| value << 1 | bit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(order: Order, width: u32, bytes: &[u8], words: &[u128]) {
        assert_eq!(order.decode(width, words.len(), bytes).as_deref(), Ok(words), "decode {order} {width}");
        assert_eq!(order.encode(width, words).as_deref(), Ok(bytes), "encode {order} {width}");
    }

    #[test]
    fn words_of_whole_bytes() {
        check(Order::Big, 16, &[1, 2, 3, 4], &[0x0102, 0x0304]);
        check(Order::Little, 16, &[1, 2, 3, 4], &[0x0201, 0x0403]);
        check(Order::Big, 64, &[1, 2, 3, 4, 5, 6, 7, 8], &[0x0102030405060708]);
        check(Order::Little, 32, &[1, 2, 3, 4, 5, 6, 7, 8], &[0x04030201, 0x08070605]);
        check(Order::Big, 48, &[1, 2, 3, 4, 5, 6], &[0x010203040506]);
        check(Order::Little, 8, &[9, 7], &[9, 7]);
    }

    #[test]
    fn single_bits() {
        check(Order::Big, 1, &[0b1010_0001], &[1, 0, 1, 0, 0, 0, 0, 1]);
        check(Order::Little, 1, &[0b1010_0001], &[1, 0, 0, 0, 0, 1, 0, 1]);
        check(Order::Little, 1, &[0xff, 1], &[1; 9]);
        check(Order::Big, 4, &[0x12, 0x34], &[1, 2, 3, 4]);
    }

    #[test]
    fn planes() {
        let mut bytes = [0u8; 16];
        bytes[0] = 0x80; // bit 7 of byte 0: the most significant bit of word 0
        bytes[15] = 0x01; // bit 0 of byte 15: the least significant bit of word 7
        bytes[3] = 0x10; // bit 4 of byte 3: word 3, fourth bit from the top
        check(Order::Planes, 16, &bytes, &[0x8000, 0, 0, 0x1000, 0, 0, 0, 1]);
        check(Order::Planes, 2, &[0x80, 0x01, 0x40, 0], &[2, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn planes_of_nibbles() {
        // The first nibble is 8: the most significant bit of word 0. The last is 1: the least significant bit of word 3.
        // The fourth is 2: word 2, fourth bit from the top.
        check(Order::Nibbles, 16, &[0x80, 0x02, 0, 0, 0, 0, 0, 0x01], &[0x8000, 0, 0x1000, 1]);
        check(Order::Nibbles, 2, &[0x84, 0x12], &[2, 1, 0, 0, 0, 0, 1, 2]);
    }

    #[test]
    fn every_order_is_a_bijection() {
        for (order, width) in [
            (Order::Big, 1),
            (Order::Big, 32),
            (Order::Little, 1),
            (Order::Little, 24),
            (Order::Planes, 5),
            (Order::Nibbles, 6),
        ] {
            let mut places: Vec<_> = (0..16)
                .flat_map(|word| (0..width).map(move |bit| order.place(width, word, bit)))
                .map(|(byte, bit)| byte * 8 + bit as usize)
                .collect();
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..16 * width as usize), "{order} {width}");
        }
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert_eq!(Order::Little.check(12, 2, 3), Err(OrderError::Width(12)));
        assert_eq!(Order::Planes.check(16, 4, 8), Err(OrderError::Planes(4)));
        assert_eq!(Order::Nibbles.check(16, 6, 12), Err(OrderError::Nibbles { words: 6, width: 16 }));
        assert_eq!(Order::Nibbles.check(5, 8, 5), Err(OrderError::Nibbles { words: 8, width: 5 }));
        assert_eq!(
            Order::Big.check(32, 4, 15),
            Err(OrderError::Size { words: 4, width: 32, expected: 16, bytes: 15 })
        );
        assert_eq!(Order::Big.check(0, 4, 0), Err(OrderError::Wide(0)));
    }

    #[test]
    fn bits_and_words_are_inverse() {
        assert_eq!(bits(4, &[0b1010, 1]), [1, 0, 1, 0, 0, 0, 0, 1]);
        assert_eq!(words(4, &bits(4, &[10, 1])), [10, 1]);
    }
}
