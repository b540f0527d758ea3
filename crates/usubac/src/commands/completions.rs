//! `usubac completions`.

use crate::args::{CommandLine, Completions};
use crate::output::Failure;
use clap::CommandFactory;

/// Prints the completions of a shell on standard output.
pub fn run(completions: &Completions) -> Result<(), Failure> {
    clap_complete::generate(completions.shell, &mut CommandLine::command(), "usubac", &mut std::io::stdout());
    Ok(())
}
