//! Block ciphers of which nothing is known but that each of their functions has one value for an argument: what is proved with them
//! holds for every cipher.

use usuba_ir::random::Random;

/// A function of a block cipher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// From a block and round keys to a block.
    Encrypt,
    /// The same; that it undoes the other is not known.
    Decrypt,
    /// From a key to round keys.
    Schedule,
}

/// Where values are needed: what one cipher of many makes of 64 arguments, bit j of each number being that of argument j.
pub(super) fn some_function(role: Role, argument: &[u64], width: usize) -> Vec<u64> {
    let mut found = vec![0; width];
    for lane in 0..64 {
        let mut state = Random::new(role as u64);
        for bits in argument.chunks(64) {
            let word = bits.iter().rev().fold(0, |all, bits| all << 1 | (bits >> lane & 1));
            state = Random::new(state.bits() ^ word);
        }
        for bits in found.chunks_mut(64) {
            let word = state.bits();
            bits.iter_mut().enumerate().for_each(|(bit, all)| *all |= (word >> bit & 1) << lane);
        }
    }
    found
}
