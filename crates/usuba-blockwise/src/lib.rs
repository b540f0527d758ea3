//! Messages whose steps are operations on blocks of 16 bytes, as machine programs.
//!
//! A step of a message is written in bytes, words and bits. Here it becomes blocks in registers: calls of the block cipher,
//! products in GF(2^128), sums of words, and linear maps of these, all found by proof ([`mod@usuba_algebra`]), never by name.
//!
//! Reading order: [`step`] (what a step is), [`place`] (where the bits of a value lie in a block), [`affine`] (linear maps as
//! operations on blocks), [`montgomery`] (products), [`node`] (steps as a node of Usuba0), [`plan`] (what a loop does),
//! [`machine`] (its code on a target), [`splice`] (that code in a loop), [`linear`] (scans by powers), [`kernel`], [`scan`]
//! and [`section`] (loops over a message as functions), `long`, `spread` and `overlap` (long strings of a linear scan: turns whose
//! products stand between rounds of the cipher, and that overlap), `stretch`, `group`, `row` and `lead` (short messages, and what is left of
//! long ones, block beside block), [`first_round`] and `cut` (what the first round makes of counters, kept for a key), [`words`] and `gather` (steps on words of general-purpose registers instead), [`phases`] (around a cipher that
//! is a function), `alone`, `turn` and `around` (loops of which all that is carried goes on by itself, in registers; around such a function), [`schedule`] (round keys that a message makes), [`message`], `steps` and
//! `loops` (the message around its kernels, in C), `apart` (what of it is rare), `pieces` (the same in parts), [`lanes`]
//! (the same for several messages side by side).

mod affine;
mod alone;
mod apart;
mod around;
mod batches;
mod chain;
mod cut;
mod draft;
pub mod first_round;
mod gather;
pub mod glue;
pub mod group;
mod helpers;
pub mod kernel;
pub mod lanes;
mod lead;
pub mod linear;
mod long;
mod loops;
pub mod machine;
pub mod message;
pub mod montgomery;
pub mod node;
mod overlap;
pub mod phases;
mod pieces;
pub mod place;
pub mod plan;
mod queue;
mod row;
pub mod scan;
pub mod schedule;
pub mod section;
mod segment;
mod small;
pub mod splice;
mod spread;
pub mod step;
mod steps;
mod stretch;
mod turn;
pub mod words;
mod writer;
