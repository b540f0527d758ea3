//! From a cipher folder to a library: manifest, transposition, modes, packaging.
//!
//! Floors, in reading order: [`order`] (what bytes mean), [`manifest`] (what a cipher consists of), [`vectors`] (known
//! answers), [`driver`] (the C around a kernel).
//!
//! The crate is pure: it reads no file and starts no process.

pub mod manifest;
pub mod order;
pub mod vectors;

mod messages;
