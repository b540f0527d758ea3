//! `usubac completions`.

use crate::args::{CommandLine, Completions};
use crate::output::{Failure, print_text};
use clap::CommandFactory;

/// Prints the completions of a shell on standard output.
pub fn run(completions: &Completions) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(completions.shell, &mut CommandLine::command(), "usubac", &mut text);
    print_text(&String::from_utf8_lossy(&text));
    Ok(())
}
