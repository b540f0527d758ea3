//! One program on its way through the front end.

use crate::args::{Entry, Search};
use crate::files::Disk;
use crate::output::{Failure, Output};
use usuba_lang::diagnostic::{Diagnostic, Severity};
use usuba_lang::elaborate::{self, Options};
use usuba_lang::load::{Loaded, load};
use usuba_lang::syntax::PRECEDENCE;
use usuba_lang::typed::{Atoms, Direction, Program};

/// Reads a program and what it includes, with what was found. Under `--strict` a mix of operators that groups otherwise than in C
/// is an error.
pub fn loaded(file: &str, search: &Search) -> Loaded {
    let mut loaded = load(file, &search.include, &Disk);
    for finding in loaded.diagnostics.iter_mut().filter(|one| search.strict && one.code == PRECEDENCE) {
        finding.severity = Severity::Error;
    }
    loaded
}

/// The same. Findings are printed at once; an error ends the command.
pub fn read(file: &str, search: &Search, output: &Output) -> Result<Loaded, Failure> {
    let loaded = loaded(file, search);
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        output.diagnostics(&loaded.diagnostics, &loaded.sources);
        return Err(Failure::Said);
    }
    Ok(loaded)
}

/// The options of the front end for an entry.
pub fn options(
    entry: &Entry,
    search: &Search,
    atoms: Atoms,
    direction: Option<Direction>,
) -> Result<Options, Failure> {
    let mut options = Options::new();
    if let Some(name) = &entry.entry {
        let (name, element) = split_element(name)?;
        options.entry = Some(name);
        options.element = element;
    }
    options.atoms = atoms;
    options.direction = direction;
    options.word = entry.word;
    options.nats = entry.nats.clone();
    options.strict = search.strict;
    options.bitslice_arithmetic = entry.bitslice_arith;
    Ok(options)
}

/// `S<2>` is element 2 of the array `S`.
fn split_element(name: &str) -> Result<(String, Option<u32>), Failure> {
    match name.split_once('<') {
        None => Ok((name.to_owned(), None)),
        Some((name, rest)) => {
            let element = rest.strip_suffix('>').and_then(|digits| digits.parse().ok());
            let element = element.ok_or_else(|| {
                Failure::general(format!(
                    "`{name}<{rest}` is no entry: write the element of an array as `{name}<2>`"
                ))
            })?;
            Ok((name.to_owned(), Some(element)))
        }
    }
}

/// Elaborates; findings are printed, those of reading too; an error ends the command.
pub fn elaborate(loaded: &Loaded, options: &Options, output: &Output) -> Result<Program, Failure> {
    let (program, findings) = elaborate::elaborate(&loaded.program, options);
    let all: Vec<Diagnostic> = loaded.diagnostics.iter().cloned().chain(findings).collect();
    let failed = program.is_none();
    if failed || (!all.is_empty() && !output.is_json()) {
        output.diagnostics(&all, &loaded.sources);
    }
    program.ok_or(Failure::Said)
}

/// Checks every definition of a program that is compiled or evaluated in parts. Findings are printed, those of reading too; an
/// error ends the command.
pub fn check(loaded: &Loaded, search: &Search, output: &Output) -> Result<(), Failure> {
    let mut all = all(loaded, elaborate::check(&loaded.program, search.strict));
    // Whether a table is compiled by words is said where it is compiled.
    all.retain(|finding| finding.code != elaborate::TABLE_OF_WORDS);
    let failed = all.iter().any(Diagnostic::is_error);
    if failed || (!all.is_empty() && !output.is_json()) {
        output.diagnostics(&all, &loaded.sources);
    }
    if failed { Err(Failure::Said) } else { Ok(()) }
}

/// What was found on reading, then these.
pub fn all(loaded: &Loaded, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    loaded.diagnostics.iter().cloned().chain(findings).collect()
}
