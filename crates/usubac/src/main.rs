//! The Usuba compiler.
fn main() {}
