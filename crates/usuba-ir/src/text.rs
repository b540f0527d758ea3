//! The form of programs that prints and parses.
//!
//! ```text
//! file "toy.ua"
//!
//! node Round (%0 st: b1[64], %1 k: uniform b1[64]) -> (r: b1[64]) {
//!   %2: b1 = get %0[3]  @12:5 "st[3]"
//!   %3: b1 = constant 0x1
//!   %4: b1 = xor %2, %3
//!   %5: b1[64] = loop i0 < 25 carry (%6: b1[64] = %0) {
//!     %7: b1 = get %1[2*i0 + 1]
//!     %8: b1[64] = set %6[i0], %7
//!     yield %8
//!   }
//!   return %5
//! }
//! ```
//!
//! - `aesencrypt %s, %k` and its like are rounds of AES, `carryless 0x10 %a, %b` the carry-less product of halves, `addwords 32 %a,
//!   %b` sums of words, `firsthalves %a, %b` and `laterhalves %a, %b` halves side by side, of blocks ([`crate::block`]).
//! - A type is a layout and, for an array, its length: `b1` one bit, `v16` a vertical word, `h16` a horizontal one,
//!   `<32,4,1>` any layout by its word, pack and instances.
//! - After a definition may come its origin: `@line:column` in the first file, `@file/line:column` in another (counted
//!   from 0), and the source name in quotes.
//! - After the name of a node may come `inline`, `no_inline`, `no_opt` and `interleave(n)`; before the type of an input
//!   `uniform`; after the type of a parameter its dimensions in the source, `as [2][32]`, if they are not simply its length.
//! - After the files may come `interleaved n`: the entry computes n batches of instances.
//! - `//` starts a comment.
//!
//! Parsing what was printed gives the same program, value numbers included, if it passes the checker.

mod parse;
mod print;
pub mod reader;

use crate::aes::Round;
pub use crate::messages::{TextError, TextMessage};
use crate::program::{BinaryOp, ShiftOp};

/// How the binary operators are written.
const BINARY: [(&str, BinaryOp); 7] = [
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("xor", BinaryOp::Xor),
    ("andnot", BinaryOp::AndNot),
    ("add", BinaryOp::Add),
    ("subtract", BinaryOp::Subtract),
    ("multiply", BinaryOp::Multiply),
];

/// How the rounds of AES are written.
const ROUNDS: [(&str, Round); 4] = [
    ("aesencrypt", Round::Encrypt),
    ("aesencryptlast", Round::EncryptLast),
    ("aesdecrypt", Round::Decrypt),
    ("aesdecryptlast", Round::DecryptLast),
];

/// How the shifts are written.
const SHIFTS: [(&str, ShiftOp); 5] = [
    ("shift_left", ShiftOp::Left),
    ("shift_right", ShiftOp::Right),
    ("shift_right_arithmetic", ShiftOp::RightArithmetic),
    ("rotate_left", ShiftOp::RotateLeft),
    ("rotate_right", ShiftOp::RotateRight),
];
