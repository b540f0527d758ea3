//! A text through the stages of the compiler, every error as text.

use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::{self, elaborate};
use usuba_lang::source::{SourceId, Sources};
use usuba_lang::{ast, syntax, typed};

/// Reads a text without includes.
///
/// # Errors
/// What the parser says.
pub fn parsed(text: &str) -> Result<(Sources, ast::Program), String> {
    let mut sources = Sources::default();
    let id = sources.add("random.ua", text);
    let (program, diagnostics) = syntax_only(id, text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        Err(told(&sources, &diagnostics))
    } else {
        Ok((sources, program))
    }
}

/// The definitions of a text and what the parser says about it.
pub fn syntax_only(id: SourceId, text: &str) -> (ast::Program, Vec<Diagnostic>) {
    let (file, diagnostics) = syntax::parse(id, text);
    let mut program = ast::Program::default();
    file.items.into_iter().for_each(|item| program.add(item));
    (program, diagnostics)
}

/// How a slicing elaborates.
pub fn elaboration(slicing: Slicing) -> elaborate::Options {
    let (atoms, direction) = usuba_lower::elaborated_for(slicing);
    elaborate::Options { atoms, direction, bitslice_arithmetic: true, ..elaborate::Options::new() }
}

/// Elaborates for a slicing.
///
/// # Errors
/// What elaboration says.
pub fn typed(sources: &Sources, program: &ast::Program, slicing: Slicing) -> Result<typed::Program, String> {
    let (typed, diagnostics) = elaborate(program, &elaboration(slicing));
    typed.ok_or_else(|| told(sources, &diagnostics))
}

/// Lowers and checks.
///
/// # Errors
/// What the lowering or the checker says.
pub fn lowered(
    sources: &Sources,
    typed: &typed::Program,
    options: &usuba_lower::Options,
) -> Result<Program, String> {
    let program = usuba_lower::lower(typed, sources, options).map_err(|found| told(sources, &found))?;
    checked(&program)?;
    Ok(program)
}

/// Checks the invariants of Usuba0.
///
/// # Errors
/// The flaws.
pub fn checked(program: &Program) -> Result<(), String> {
    match usuba_ir::check::check(program) {
        Ok(_) => Ok(()),
        Err(flaws) => {
            let flaws: Vec<_> = flaws.iter().map(|flaw| format!("{flaw:?}")).collect();
            Err(format!("not Usuba0: {}", flaws.join("; ")))
        }
    }
}

/// Errors in words, each with its line and column.
pub fn told(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|d| d.is_error()).map(|d| {
        let place = d.span.map_or(String::new(), |span| {
            let (line, column) = sources.line_column(span);
            format!("{line}:{column}: ")
        });
        format!("{place}{} {}", d.code, d.message)
    });
    errors.collect::<Vec<_>>().join("\n")
}
