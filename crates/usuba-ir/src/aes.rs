//! The rounds of AES on a block, as x86 has instructions for them; Arm's are made of the same steps.
//!
//! A block is 16 bytes in memory order. Byte i of a state of AES is in row i mod 4 and column i / 4 (FIPS 197, section 3.4).

use crate::bytes::{ByteAffine, inverse, multiply};
use std::sync::LazyLock;

/// A round of AES without the exclusive or that begins the cipher; the round key is added last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Round {
    /// `SubBytes`, `ShiftRows`, `MixColumns`, `AddRoundKey` (FIPS 197, section 5.1).
    Encrypt,
    /// The same without `MixColumns`.
    EncryptLast,
    /// `InvSubBytes`, `InvShiftRows`, `InvMixColumns`, `AddRoundKey`: a round of the equivalent inverse cipher (section 5.3.5),
    /// whose round keys have gone through `InvMixColumns`.
    Decrypt,
    /// The same without `InvMixColumns`; its round key is as it is.
    DecryptLast,
}

impl Round {
    /// All of them.
    pub const ALL: [Round; 4] = [Round::Encrypt, Round::EncryptLast, Round::Decrypt, Round::DecryptLast];

    /// Whether it is one of encryption.
    pub fn encrypts(self) -> bool {
        matches!(self, Round::Encrypt | Round::EncryptLast)
    }

    /// Whether it mixes columns.
    pub fn mixes(self) -> bool {
        matches!(self, Round::Encrypt | Round::Decrypt)
    }

    /// What the round makes of a state and a round key.
    pub fn of(self, state: [u8; 16], key: [u8; 16]) -> [u8; 16] {
        let substituted = substitute(shift_rows(state, self.encrypts()), self.encrypts());
        let mixed = match self {
            Round::Encrypt => mix_columns(substituted),
            Round::Decrypt => inverse_mix_columns(substituted),
            Round::EncryptLast | Round::DecryptLast => substituted,
        };
        std::array::from_fn(|place| mixed[place] ^ key[place])
    }
}

/// `SubBytes`, or `InvSubBytes`, of every byte.
pub fn substitute(state: [u8; 16], forward: bool) -> [u8; 16] {
    let table = if forward { &TABLES.0 } else { &TABLES.1 };
    state.map(|byte| table[usize::from(byte)])
}

/// `ShiftRows`, or `InvShiftRows`: row r goes by r columns to the left, or to the right.
pub fn shift_rows(state: [u8; 16], forward: bool) -> [u8; 16] {
    std::array::from_fn(|place| {
        let (row, column) = (place % 4, place / 4);
        let from = if forward { column + row } else { column + 4 - row };
        state[row + 4 * (from % 4)]
    })
}

/// `MixColumns`.
pub fn mix_columns(state: [u8; 16]) -> [u8; 16] {
    mixed(state, [2, 3, 1, 1])
}

/// `InvMixColumns`.
pub fn inverse_mix_columns(state: [u8; 16]) -> [u8; 16] {
    mixed(state, [14, 11, 13, 9])
}

/// Every column times the circulant matrix with this first row.
fn mixed(state: [u8; 16], row: [u8; 4]) -> [u8; 16] {
    std::array::from_fn(|place| {
        let (to, column) = (place % 4, place / 4);
        (0..4).fold(0, |sum, from| sum ^ multiply(row[(from + 4 - to) % 4], state[4 * column + from]))
    })
}

/// What comes after the inversion in the S-box of FIPS 197, section 5.1.1: bit i is the sum of bits i, i+4, i+5, i+6 and
/// i+7, and of bit i of 0x63.
pub fn after_inversion() -> ByteAffine {
    ByteAffine::of_function(|x| (0..5).fold(0x63, |sum, by| sum ^ x.rotate_left(by)))
}

/// The S-box and its inverse: the affine map of FIPS 197, section 5.1.1, after inversion in the field.
static TABLES: LazyLock<([u8; 256], [u8; 256])> = LazyLock::new(|| {
    let affine = after_inversion();
    let forward: [u8; 256] = std::array::from_fn(|byte| affine.of(inverse(byte as u8)));
    let mut backward = [0; 256];
    for (from, &to) in (0..=255).zip(&forward) {
        backward[usize::from(to)] = from;
    }
    (forward, backward)
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const ZERO: [u8; 16] = [0; 16];

    fn block(number: u128) -> [u8; 16] {
        number.to_be_bytes()
    }

    fn add(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        std::array::from_fn(|place| a[place] ^ b[place])
    }

    /// Single bits, and random blocks.
    fn samples() -> impl Iterator<Item = [u8; 16]> {
        let mut random = Random::new(197);
        (0..128).map(|bit| block(1 << bit)).chain((0..200).map(move |_| block(random.wide())))
    }

    /// The round keys of AES-128 (FIPS 197, section 5.2).
    fn schedule(key: [u8; 16]) -> [[u8; 16]; 11] {
        let mut keys = [key; 11];
        let mut constant = 1;
        for round in 1..11 {
            let before = keys[round - 1];
            let last = substitute(before, true);
            let mut word = [last[13] ^ constant, last[14], last[15], last[12]];
            for place in 0..16 {
                word[place % 4] ^= before[place];
                keys[round][place] = word[place % 4];
            }
            constant = multiply(2, constant);
        }
        keys
    }

    #[test]
    fn rounds_make_the_cipher() {
        // FIPS 197, appendix B and appendix C.1.
        let vectors: [[u128; 3]; 2] = [
            [
                0x2b7e151628aed2a6abf7158809cf4f3c,
                0x3243f6a8885a308d313198a2e0370734,
                0x3925841d02dc09fbdc118597196a0b32,
            ],
            [
                0x000102030405060708090a0b0c0d0e0f,
                0x00112233445566778899aabbccddeeff,
                0x69c4e0d86a7b0430d8cdb78070b4c55a,
            ],
        ];
        for [key, plain, cipher] in vectors {
            let keys = schedule(block(key));
            let middle = keys[1..10].iter();
            let state = middle.fold(add(block(plain), keys[0]), |state, &key| Round::Encrypt.of(state, key));
            assert_eq!(Round::EncryptLast.of(state, keys[10]), block(cipher));
            let middle = keys[1..10].iter().rev().map(|&key| inverse_mix_columns(key));
            let state = middle.fold(add(block(cipher), keys[10]), |state, key| Round::Decrypt.of(state, key));
            assert_eq!(Round::DecryptLast.of(state, keys[0]), block(plain));
        }
    }

    #[test]
    fn a_round_of_the_example_is_as_printed() {
        // FIPS 197, appendix B, round 1.
        let round = Round::Encrypt
            .of(block(0x193de3bea0f4e22b9ac68d2ae9f84808), block(0xa0fafe1788542cb123a339392a6c7605));
        assert_eq!(round, block(0xa49c7ff2689f352b6b5bea43026a5049));
        // Section 4.3 with the columns of section 5.1.3.
        assert_eq!(mix_columns(block(0xd4bf5d30 << 96))[..4], [0x04, 0x66, 0x81, 0xe5]);
    }

    /// What the expansions of the rounds rest on.
    #[test]
    fn rounds_undo_each_other() {
        for state in samples() {
            assert_eq!(inverse_mix_columns(mix_columns(state)), state);
            assert_eq!(shift_rows(shift_rows(state, true), false), state);
            assert_eq!(substitute(shift_rows(state, true), true), shift_rows(substitute(state, true), true));
            let last = Round::EncryptLast.of(state, ZERO);
            assert_eq!(Round::DecryptLast.of(last, ZERO), state);
            assert_eq!(Round::Decrypt.of(last, ZERO), inverse_mix_columns(state));
            assert_eq!(Round::Encrypt.of(state, ZERO), mix_columns(last));
        }
    }

    #[test]
    fn mixing_is_linear() {
        let samples: Vec<_> = samples().collect();
        for pair in samples.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            for mix in [mix_columns, inverse_mix_columns] {
                assert_eq!(mix(add(a, b)), add(mix(a), mix(b)));
            }
        }
    }
}
