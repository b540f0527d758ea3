//! `usubac check`.

use crate::args::Check;
use crate::front_end;
use crate::output::{Failure, Output, print_json};
use serde_json::json;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::typed::Atoms;
use usuba_lang::{elaborate, render};

/// Checks every file; an error in one does not keep the others from being checked.
pub fn run(check: &Check, output: &Output) -> Result<(), Failure> {
    let slicing = check.slicing.and_then(|argument| argument.0);
    let (atoms, _) = slicing.map_or((Atoms::Words, None), usuba_lower::elaborated_for);
    let mut failed = false;
    let mut documents = Vec::new();
    for file in &check.files {
        let loaded = front_end::loaded(file, &check.search);
        let mut findings = loaded.diagnostics;
        if !findings.iter().any(Diagnostic::is_error) {
            findings.extend(elaborate::check_in(&loaded.program, atoms, check.search.strict));
        }
        failed |= findings.iter().any(Diagnostic::is_error);
        if output.is_json() {
            documents.push(json!({
                "file": file,
                "valid": !findings.iter().any(Diagnostic::is_error),
                "definitions": loaded.program.definitions.len(),
                "diagnostics": render::to_json(&findings, &loaded.sources),
            }));
        } else {
            output.diagnostics(&findings, &loaded.sources);
        }
    }
    if output.is_json() {
        print_json(&documents.into());
    }
    if failed { Err(Failure::Said) } else { Ok(()) }
}
