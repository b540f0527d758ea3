//! Prints all known answers of ciphers, or of those that are named, a line each, for `tests/tests/provider/table.c`.
//!
//! The first argument is the number of applications of the longest chains.

use std::io::Write as _;
use std::process::ExitCode;
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::lines::lines;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(longest) = arguments.next().and_then(|number| number.parse().ok()) else {
        eprintln!("usage: known-answers LONGEST [CIPHER…]");
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = arguments.collect();
    if let Some(name) = wanted.iter().find(|name| !CIPHERS.contains(&name.as_str())) {
        eprintln!("known-answers: there is no cipher {name}");
        return ExitCode::from(2);
    }
    let mut output = std::io::stdout().lock();
    for name in CIPHERS.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|one| one == *name)) {
        for line in lines(&Cipher::read(name), longest).iter().filter(|line| line.for_table()) {
            // Whoever reads may have failed and be gone; it says so itself.
            if writeln!(output, "{line}").is_err() {
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
