//! Between the bytes of blocks and the registers of sliced code: networks of vector instructions, found by search.
//!
//! Where sizes are powers of two, the way from one to the other is a permutation of the bits of an address ([`arrangement`]).
//! Vector instructions permute some of them ([`moves`]); a search finds the cheapest sequence ([`search`], [`way`]), of which
//! phases are made ([`network`]), and of these a machine program ([`program`]), which is checked bit by bit ([`check`]); [`plan`]
//! is all of it.

pub mod arrangement;
pub mod check;
pub mod moves;
pub mod network;
pub mod plan;
pub mod price;
pub mod program;
pub mod search;
pub mod way;

pub use arrangement::{Arrangement, Column, Format, Image, Order};
pub use plan::{Plan, PlanError};
pub use program::Transfer;
