//! Boolean logic as data: what S-boxes, technology mapping, the exact solver and the printers share.
//!
//! Reading order: [`truth`] (functions of three bits), [`formula`] (what they are in gates of two inputs), [`expression`] (the same
//! as text), [`netlist`] (circuits of them), [`choice`] (which way to compute each gate); apart from them [`linear`] (what follows from linear inequalities)
//! and [`matrix`] (linear maps over GF(2)).

pub mod choice;
pub mod expression;
pub mod formula;
pub mod linear;
pub mod matrix;
pub mod netlist;
pub mod truth;
