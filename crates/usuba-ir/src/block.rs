//! Operations on a block as a whole: the atom of [`Layout::BLOCK`], 16 bytes of one instance side by side.
//!
//! Byte 0 is the first in memory and the most significant of the atom's number.

use crate::aes::Round;
use crate::carryless::Halves;

/// An operation on two blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockOp {
    /// A round of AES: of a state, with a round key.
    Aes(Round),
    /// The carry-less product of a half of each.
    Product(Halves),
    /// Sums of the numbers of so many bits, 16, 32 or 64, that lie side by side, little-endian, each modulo its width.
    AddWords(u32),
    /// The same half of each, one after the other: the later eight bytes in memory if true.
    JoinHalves(bool),
}

impl BlockOp {
    /// What it makes of two blocks in memory order. Of words that do not fill a block nothing is left.
    pub fn of(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        match self {
            BlockOp::Aes(round) => round.of(a, b),
            BlockOp::Product(halves) => halves.product(a, b),
            BlockOp::AddWords(bits) => add_words(bits, a, b),
            BlockOp::JoinHalves(later) => {
                let from = if later { 8 } else { 0 };
                std::array::from_fn(|place| if place < 8 { a[from + place] } else { b[from + place - 8] })
            }
        }
    }

    /// The operation that gives the same of the operands in the other order, if there is one.
    pub fn exchanged(self) -> Option<BlockOp> {
        match self {
            BlockOp::Aes(_) | BlockOp::JoinHalves(_) => None,
            BlockOp::Product(Halves { first, second }) => {
                Some(BlockOp::Product(Halves { first: second, second: first }))
            }
            BlockOp::AddWords(_) => Some(self),
        }
    }
}

fn add_words(bits: u32, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    let mut sum = [0; 16];
    let size = (bits / 8).clamp(1, 16) as usize;
    for ((a, b), to) in a.chunks_exact(size).zip(b.chunks_exact(size)).zip(sum.chunks_exact_mut(size)) {
        let mut carry = 0;
        for ((a, b), to) in a.iter().zip(b).zip(to) {
            let digit = u16::from(*a) + u16::from(*b) + carry;
            *to = digit as u8;
            carry = digit >> 8;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn words_are_added_each_for_itself() {
        let mut random = Random::new(32);
        for _ in 0..200 {
            let (a, b) = (random.wide(), random.wide());
            let mut expected = 0;
            for place in 0..4 {
                let word = |number: u128| (number >> (32 * place)) as u32;
                expected |= u128::from(word(a).wrapping_add(word(b))) << (32 * place);
            }
            let sum = BlockOp::AddWords(32).of(a.to_le_bytes(), b.to_le_bytes());
            assert_eq!(sum, expected.to_le_bytes());
        }
    }

    #[test]
    fn halves_are_joined() {
        let (a, b) =
            (std::array::from_fn(|place| place as u8), std::array::from_fn(|place| 16 + place as u8));
        let first = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
        assert_eq!(BlockOp::JoinHalves(false).of(a, b), first);
        assert_eq!(BlockOp::JoinHalves(true).of(a, b), first.map(|byte| byte + 8));
    }

    #[test]
    fn operands_are_exchanged() {
        let mut random = Random::new(2);
        let products = Halves::ALL.map(BlockOp::Product);
        for op in products.into_iter().chain([16, 32, 64].map(BlockOp::AddWords)) {
            let (a, b) = (random.wide().to_le_bytes(), random.wide().to_le_bytes());
            let exchanged = op.exchanged().expect("it commutes");
            assert_eq!(op.of(a, b), exchanged.of(b, a), "{op:?}");
        }
    }
}
