//! What is said about files and their includes: `E0271` to `E0275`.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// At the include, or about the whole program when it is the main file.
fn at(included: Option<Span>, code: &'static str, message: String, label: &str) -> Diagnostic {
    match included {
        Some(span) => Diagnostic::error(code, span, message).label(label),
        None => Diagnostic::general(code, message),
    }
}

pub(super) fn not_found(span: Span, path: &str, candidates: &[String]) -> Diagnostic {
    let tried: Vec<String> = candidates.iter().map(|candidate| format!("`{candidate}`")).collect();
    Diagnostic::error("E0271", span, format!("there is no file `{path}` to include"))
        .label(format!("tried {}", tried.join(", ")))
        .rule("a path is relative to the folder of the including file, to a folder given with `-I`, or to the working directory, in this order")
        .help("correct the path, or give the folder with `-I`")
}

pub(super) fn unreadable(included: Option<Span>, path: &str, reason: &str) -> Diagnostic {
    at(included, "E0272", format!("cannot read `{path}`: {reason}"), "included here")
        .help("check that it is a file and may be read")
}

pub(super) fn not_utf8(included: Option<Span>, path: &str, offset: usize, line: usize) -> Diagnostic {
    let message =
        format!("`{path}` is not UTF-8: the byte at offset {offset}, in line {line}, begins no character");
    at(included, "E0273", message, "included here")
        .rule("source files are text in UTF-8")
        .help("save the file as UTF-8, and check that it is a source file")
}

/// `chain` are the files from the repeated one to the one that holds the include at `span`; `includes` are the
/// places where each but the first was included.
pub(super) fn cycle(span: Span, path: &str, chain: &[&str], includes: &[Span]) -> Diagnostic {
    let mut words: Vec<String> = chain.iter().map(|path| format!("`{path}`")).collect();
    words.extend(chain.first().map(|path| format!("`{path}`")));
    // A long cycle is told by its two ends.
    if words.len() > 10 {
        let left_out = words.len() - 9;
        words.splice(5..5 + left_out, [format!("{left_out} more")]);
    }
    let mut diagnostic = Diagnostic::error("E0274", span, format!("`{path}` includes itself"))
        .label("closes the cycle")
        .rule(format!("a file cannot include itself: {}", words.join(" → ")))
        .help("move what both files need into a third");
    for include in includes.iter().take(10) {
        diagnostic = diagnostic.also(*include, "through this include");
    }
    diagnostic
}

pub(super) fn too_large(included: Option<Span>, path: &str, largest: usize) -> Diagnostic {
    at(included, "E0275", format!("`{path}` is larger than {largest} bytes"), "included here")
        .rule("places in a source text are numbered with 32 bits")
        .help("check that it is a source file")
}
