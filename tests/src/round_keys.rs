//! The key schedule of AES-128, for programs that take round keys.

use usuba_ir::aes::substitute;
use usuba_ir::bytes::multiply;

/// The eleven round keys of a key of 16 bytes, one after the other (FIPS 197, section 5.2).
pub fn round_keys(key: &[u8]) -> Vec<u8> {
    let (mut keys, mut constant) = (key.to_vec(), 1_u8);
    for word in 4..44 {
        let mut last: Vec<u8> = keys[4 * word - 4..].to_vec();
        if word % 4 == 0 {
            last.rotate_left(1);
            let mut block = [0; 16];
            block[..4].copy_from_slice(&last);
            last.copy_from_slice(&substitute(block, true)[..4]);
            last[0] ^= constant;
            constant = multiply(2, constant);
        }
        let next: Vec<u8> = (0..4).map(|at| keys[4 * (word - 4) + at] ^ last[at]).collect();
        keys.extend(next);
    }
    keys
}
