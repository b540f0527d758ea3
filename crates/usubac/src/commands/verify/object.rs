//! Object code is proved to be the kernel of a program.

use super::certificate::Certificate;
use super::question::Question;
use crate::args::Verify;
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::json;
use std::path::Path;
use usuba_verify::object::kernel::Report;

/// The bytes that an ELF file begins with.
const ELF: &[u8] = b"\x7fELF";

/// Whether a file begins as object files of ELF do.
pub fn is_object(file: &str) -> bool {
    files::read(Path::new(file)).is_ok_and(|bytes| bytes.starts_with(ELF))
}

/// Proves, prints, and writes a certificate if one is asked for.
pub fn run(verify: &Verify, output: &Output) -> Result<(), Failure> {
    let question = Question::read(verify, output)?;
    let (report, time) = question.prove(verify, output)?;
    if let Some(path) = &verify.certificate {
        Certificate::of(verify, &question, &report)?.write(path, time)?;
    }
    say(&question, &report, output);
    if let (Some(path), false) = (&verify.certificate, output.is_json()) {
        print_line(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn say(question: &Question, report: &Report, output: &Output) {
    let work = &report.work;
    let caveats = question.subject.caveats();
    if output.is_json() {
        print_json(&json!({
            "verdict": "proved", "symbol": question.symbol, "node": question.node(),
            "instructions": report.instructions, "vertices": report.vertices, "by_sums": work.by_sums,
            "by_tables": work.by_tables, "by_parts": work.by_parts, "by_solver": work.by_solver,
            "conflicts": work.conflicts,
            "caveats": caveats,
        }));
        return;
    }
    print_line(&format!(
        "proved: `{}` computes `{}` for all inputs, in memory of its own, with the registers of its caller kept, in constant time\n  \
         {} instructions, {} vertices; pairs of equal ones: {} by sums, {} by truth tables, {} by parts, {} by the solver ({} conflicts)\n  \
         caveats of SOUNDNESS.md: {}",
        question.symbol,
        question.node(),
        report.instructions,
        report.vertices,
        work.by_sums,
        work.by_tables,
        work.by_parts,
        work.by_solver,
        work.conflicts,
        caveats.join(" ")
    ));
}
