//! The performance page: from measurements, which are data, to Markdown and SVG. Pure: the same data give the same bytes.
//! What measures is in the binary beside it.

pub mod chart;
pub mod data;
pub mod elsewhere;
pub mod expectations;
pub mod page;
pub mod query;
pub mod svg;
