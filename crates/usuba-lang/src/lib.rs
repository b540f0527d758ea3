//! The Usuba language: from source text to a typed program, and the reference interpreter that is its meaning.
//!
//! Floors, in reading order:
//! [`source`] (texts and spans), [`diagnostic`] (what can be said about them), [`syntax`] (text → [`ast`]),
//! [`load`] (includes), [`elaborate`] (ast → [`typed`]), [`interpret`] (the semantics), [`message`] (byte strings).
//!
//! The crate is pure: it reads no file and knows no machine.

pub mod ast;
pub mod diagnostic;
pub mod elaborate;
pub mod format;
pub mod interpret;
pub mod load;
pub mod message;
pub mod render;
pub mod source;
pub mod syntax;
pub mod typed;
