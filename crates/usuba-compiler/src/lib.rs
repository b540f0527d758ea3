//! The compiler as one function: [`pipeline::compile`] takes a loaded program to the code of a kernel, with the choices of
//! [`pipeline::Settings`].
//!
//! Whoever needs the compiler and no libraries (an editor, a browser, the Python package) needs this crate alone: the
//! stages whose types its functions take and give are here under shorter names. [`lang`] loads, formats, diagnoses and
//! interprets programs.
//!
//! The crate is pure: it reads no file and starts no process.

mod circuits;
pub mod pipeline;

pub use usuba_codegen as codegen;
pub use usuba_ir as ir;
pub use usuba_lang as lang;
pub use usuba_target as target;
