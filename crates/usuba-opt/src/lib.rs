//! Passes from Usuba0 to Usuba0.
//!
//! [`passes`] has the list of them, in order, and the function that runs it. A pass is a function that takes a program that
//! passes the checker and leaves one that computes the same function; nodes with `no_opt` are left as they are.
//!
//! Passes search nothing and hold no state; each is about linear in the program, and its head says what it does. Two choices ask a
//! model of the machine, if there is one: whether calls stay (`calls`), and how many batches are computed at once (`factor`).

mod arrays;
mod bytes;
mod calls;
mod copies;
mod dead;
mod factor;
mod fold;
mod forward;
pub mod hoist;
mod inline;
mod interleave;
pub mod pass;
pub mod passes;
mod pieces;
mod share;
mod variance;
