//! One module a command.

pub mod bench;
pub mod build;
pub mod check;
pub mod completions;
pub mod engines;
pub mod explain;
pub mod fmt;
pub mod man;
pub mod new;
mod one_level;
pub mod packages;
pub mod run;
pub mod synth;
pub mod targets;
pub mod test;
pub mod tune;
pub mod verify;
