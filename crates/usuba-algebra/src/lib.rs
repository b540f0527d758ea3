//! What typed programs are, by proof: the layers of a block cipher, rounds of AES, multiplication in GF(2^n).
//!
//! Nothing is tried on examples. A program is run on sums modulo 2 of symbols ([`mod@run`], [`sums`]), exact matrices are read off
//! the sums, and they are compared with those of what is recognised. No machine and no C is known here.

pub mod aes;
pub mod describe;
pub mod inversion;
pub mod layers;
pub mod run;
pub mod sums;
pub mod why;
