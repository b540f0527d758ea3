//! E06xx: which definition a use denotes.

use super::plural;
use crate::ast::{Assignment, Name};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

const RULE: &str = "a use denotes the last definition before it, else the input, else the first definition after it if that is a plain `=`";

pub(in crate::elaborate) fn never_defined(span: Span, atom: &str) -> Diagnostic {
    Diagnostic::error("E0601", span, format!("`{atom}` is used, but never defined"))
        .label("has no value")
        .rule(RULE)
        .help("define it, or make it an input")
}

pub(in crate::elaborate) fn used_before_update(span: Span, atom: &str, update: Span) -> Diagnostic {
    Diagnostic::error("E0602", span, format!("`{atom}` is used before any definition"))
        .label("has no value yet")
        .also(update, "its first definition, a `:=`, counts only for what follows")
        .rule(RULE)
        .help("move the use after the definition, or define it with `=`")
}

pub(in crate::elaborate) fn defined_by_itself(span: Span, atom: &str) -> Diagnostic {
    Diagnostic::error("E0603", span, format!("`{atom}` is defined by itself"))
        .label("its value is needed to compute its value")
        .rule(RULE)
        .help("give it a first value before this equation")
}

pub(in crate::elaborate) fn cycle(places: &[Span]) -> Diagnostic {
    let mut places = places.iter();
    let Some(&first) = places.next() else {
        return Diagnostic::general("E0603", "equations define each other in a circle");
    };
    let mut finding = Diagnostic::error("E0603", first, "these equations define each other in a circle")
        .label("needs its own value");
    for &place in places.by_ref().take(4) {
        finding = finding.also(place, "by way of this");
    }
    finding
        .rule("equations may stand in any order, but some order must compute them all")
        .help("break the circle; a value that changes over time is updated with `:=`")
}

pub(in crate::elaborate) fn undefined_output(
    name: &Name,
    all: bool,
    examples: &[String],
    missing: usize,
) -> Diagnostic {
    let message = if all {
        format!("the output `{}` is never defined", name.text)
    } else {
        let are = if missing == 1 { "is" } else { "are" };
        format!("{} of the output `{}` {are} never defined", plural(missing as u64, "atom"), name.text)
    };
    let finding = Diagnostic::error("E0604", name.span, message).label("no value");
    let finding = finding.rule("a node defines every atom of its outputs");
    if all {
        finding.help("write an equation for it")
    } else {
        let list = examples.iter().map(|e| format!("`{e}`")).collect::<Vec<_>>().join(", ");
        let more = missing.saturating_sub(examples.len());
        let more =
            if more > 0 { format!(" and {} more", plural(more as u64, "atom")) } else { String::new() };
        finding.help(format!("define {list}{more}"))
    }
}

pub(in crate::elaborate) fn twice_on_the_left(assignment: &Assignment) -> Diagnostic {
    Diagnostic::error("E0605", assignment.span, "this equation defines an atom twice")
        .label("the same atom twice on the left")
        .rule("the left side of an equation names every atom at most once")
        .help("write two equations")
}

pub(in crate::elaborate) fn redefinition(
    assignment: &Assignment,
    of_input: bool,
    first: Option<Span>,
) -> Diagnostic {
    let message = if of_input {
        "this equation redefines an input"
    } else {
        "this equation redefines what has a value already"
    };
    let finding = Diagnostic::warning("W-redefinition", assignment.span, message).label("taken as `:=`");
    let finding = match first.filter(|&first| first != assignment.span) {
        Some(first) => finding.also(first, "first defined here"),
        None => finding,
    };
    finding
        .rule("with `=`, an atom is defined once; `:=` makes a new version for what follows")
        .help("write `:=`, or use another variable")
}

pub(in crate::elaborate) fn update_of_nothing(assignment: &Assignment) -> Diagnostic {
    Diagnostic::warning("W-update", assignment.span, "this `:=` updates what has no value yet")
        .label("taken as `=`")
        .rule("`:=` makes a new version of an atom that has one")
        .help("write `=`")
}
