//! Tests that cross crates: layering, known answers, random programs.

pub mod answers;
pub mod apart;
pub mod ciphers;
pub mod covers;
pub mod decoders;
pub mod faults;
pub mod instructions;
pub mod lifted;
pub mod lines;
pub mod messages;
pub mod mode_lines;
pub mod mutants;
pub mod objects;
pub mod pieces;
pub mod proof_page;
pub mod proof_table;
pub mod random;
pub mod renewal;
pub mod round_keys;
pub mod sample;
pub mod sums;
pub mod ways;
pub mod wycheproof;
