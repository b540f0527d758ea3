//! The key schedule of AES, for programs that take round keys.

use usuba_ir::aes::substitute;
use usuba_ir::bytes::multiply;

/// The round keys of a key of 16, 24 or 32 bytes, one after the other (FIPS 197, section 5.2).
pub fn round_keys(key: &[u8]) -> Vec<u8> {
    let (mut keys, mut constant) = (key.to_vec(), 1_u8);
    let words = key.len() / 4;
    for word in words..4 * (words + 7) {
        let mut last: Vec<u8> = keys[4 * word - 4..].to_vec();
        if word % words == 0 {
            last.rotate_left(1);
        }
        if word % words == 0 || (words > 6 && word % words == 4) {
            let mut block = [0; 16];
            block[..4].copy_from_slice(&last);
            last.copy_from_slice(&substitute(block, true)[..4]);
        }
        if word % words == 0 {
            last[0] ^= constant;
            constant = multiply(2, constant);
        }
        let next: Vec<u8> = (0..4).map(|at| keys[4 * (word - words) + at] ^ last[at]).collect();
        keys.extend(next);
    }
    keys
}
