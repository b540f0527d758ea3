//! E03xx: names, attributes, and what is never used.

use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

const ORDER: &str = "a definition may be used only after it: there is no recursion and no forward reference";

pub(in crate::elaborate) fn undeclared_variable(name: &str, span: Span, near: Option<&str>) -> Diagnostic {
    let finding =
        Diagnostic::error("E0301", span, format!("there is no variable `{name}`")).label("not declared");
    match near {
        Some(near) => finding.help(format!("did you mean `{near}`?")).edit(span, near),
        None => finding.help(format!(
            "declare it as an input, as an output, or after `vars`; a number before the node, `const {name} = …`"
        )),
    }
}

/// What gets a value has not been declared. `declared` is its type, if it can be guessed; the declaration goes to `place`,
/// behind others if `there_are_others`.
pub(in crate::elaborate) fn missing_declaration(
    name: &str,
    span: Span,
    declared: Option<&str>,
    place: Span,
    there_are_others: bool,
) -> Diagnostic {
    let finding =
        Diagnostic::error("E0301", span, format!("there is no variable `{name}`")).label("not declared");
    match declared {
        Some(ty) if there_are_others => finding
            .help(format!("declare it: `{name}:{ty}`, or with another type"))
            .edit(place, format!(", {name}:{ty}")),
        Some(ty) => finding
            .help(format!("declare it: `vars {name}:{ty}`, or with another type"))
            .edit(place, format!("vars {name}:{ty} ")),
        None => finding.help("declare it with its type, after `vars` and before `let`"),
    }
}

/// Functions of C and of other languages that are operators here, as their names begin, in small letters.
const OPERATORS: [(&str, &str); 12] = [
    ("rotl", "a rotation is an operator: write `x <<< 3`"),
    ("rol", "a rotation is an operator: write `x <<< 3`"),
    ("rotate_left", "a rotation is an operator: write `x <<< 3`"),
    ("rotr", "a rotation is an operator: write `x >>> 3`"),
    ("ror", "a rotation is an operator: write `x >>> 3`"),
    ("rotate_right", "a rotation is an operator: write `x >>> 3`"),
    ("shl", "a shift is an operator: write `x << 3`"),
    ("shr", "a shift is an operator: write `x >> 3`"),
    ("xor", "write `x ^ y`"),
    ("and", "write `x & y`"),
    ("or", "write `x | y`"),
    ("not", "write `~x`"),
];

/// What to write instead of a call of an operator: of one of the names, perhaps with a number of bits.
fn operator_called(callee: &str) -> Option<&'static str> {
    let name = callee.to_ascii_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, advice)| *advice)
}

pub(in crate::elaborate) fn undeclared_definition(callee: &Name, near: Option<&str>) -> Diagnostic {
    let name = &callee.text;
    let finding = Diagnostic::error("E0302", callee.span, format!("there is no definition `{name}`"))
        .label("not defined")
        .rule(ORDER);
    match (operator_called(name), near) {
        (Some(advice), _) => finding.help(advice),
        (None, Some(near)) => finding.help(format!("did you mean `{near}`?")).edit(callee.span, near),
        (None, None) => finding.help("define it, or include the file that does"),
    }
}

pub(in crate::elaborate) fn forward_call(callee: &Name, definition: &Name, recursive: bool) -> Diagnostic {
    let name = &callee.text;
    let message = if recursive {
        format!("`{name}` calls itself")
    } else {
        format!("`{name}` is called before its definition")
    };
    let finding = Diagnostic::error("E0303", callee.span, message)
        .label(if recursive { "recursive call" } else { "not defined yet" })
        .also(definition.span, "defined here")
        .rule(ORDER);
    if recursive {
        finding.help("repeat with `forall`, or write one node per step")
    } else {
        finding.help(format!("move the definition of `{name}` before this one"))
    }
}

pub(in crate::elaborate) fn duplicate_definition(name: &Name, first: &Name) -> Diagnostic {
    Diagnostic::error("E0304", name.span, format!("`{}` is defined twice", name.text))
        .label("defined again")
        .also(first.span, "first defined here")
        .rule("a program has one definition of each name")
        .help("rename one of them, or remove one")
}

pub(in crate::elaborate) fn duplicate_variable(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("E0305", name.span, format!("`{}` is declared twice", name.text))
        .label("declared again")
        .also(first, "first declared here")
        .rule("inputs, outputs and locals of a definition have different names")
        .help("rename one of them, or remove one")
}

pub(in crate::elaborate) fn reserved_name(name: &Name) -> Diagnostic {
    Diagnostic::error("E0306", name.span, format!("`{}` cannot be defined", name.text))
        .label("reserved")
        .rule("`refresh`, `rand`, `print` and `ref` belong to the language")
        .help("choose another name")
}

pub(in crate::elaborate) fn reserved_call(callee: &Name) -> Diagnostic {
    Diagnostic::error("E0306", callee.span, format!("`{}` cannot be called", callee.text))
        .label("reserved, without a meaning")
        .rule("of the reserved names only `refresh` can be called")
        .help("remove the call")
}

pub(in crate::elaborate) fn refresh_arguments(callee: &Name) -> Diagnostic {
    Diagnostic::error("E0307", callee.span, "`refresh` takes exactly one argument")
        .label("called differently")
        .rule("`refresh(e)` is `e`, with fresh masks where the code is masked")
        .help("write `refresh(e)`; for several values use one tuple, `refresh((a, b))`")
}

pub(in crate::elaborate) fn array_without_element(callee: &Name, definition: &Name) -> Diagnostic {
    let name = &callee.text;
    Diagnostic::error("E0308", callee.span, format!("`{name}` is an array, and the call names no element"))
        .label("which one?")
        .also(definition.span, "defined as an array here")
        .rule("an array of definitions is called element by element")
        .help(format!("write `{name}<0>(..)` for its first element"))
}

pub(in crate::elaborate) fn element_of_plain(callee: &Name, element: Span, definition: &Name) -> Diagnostic {
    let name = &callee.text;
    Diagnostic::error("E0309", element, format!("`{name}` is not an array, but the call names an element"))
        .label("no elements to choose from")
        .also(definition.span, "defined here, without `[]`")
        .rule("only an array of definitions (`node[]`, `perm[]`, `table[]`) has elements")
        .help(format!("write `{name}(..)`"))
}

pub(in crate::elaborate) fn contradictory_attributes(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error("E0310", second, "this attribute contradicts an earlier one")
        .label("the opposite")
        .also(first, "of this")
        .rule("a definition or loop has at most one of two opposite attributes")
        .help("remove one of them")
}

pub(in crate::elaborate) fn interleave_factor(span: Span) -> Diagnostic {
    Diagnostic::error("E0311", span, "this interleaving factor makes no sense")
        .label("not between 1 and 64")
        .rule("`_interleave(n)` computes n instances side by side, 1 <= n <= 64")
        .help("write a small factor, such as 2")
}

pub(in crate::elaborate) fn table_attribute(span: Span) -> Diagnostic {
    Diagnostic::error("E0312", span, "this attribute is for tables only")
        .label("not on a table")
        .rule("`_lsb` and `_msb` say which atom of a table is its least significant bit")
        .help("remove it")
}

pub(in crate::elaborate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("E0313", span, "this expression nests too deeply")
        .label("too many operators around this")
        .rule("an expression nests at most 500 deep, chains of operators included")
        .help("give a name to a part of it")
}

pub(in crate::elaborate) fn pipelined(span: Span) -> Diagnostic {
    Diagnostic::warning("W-pipelined", span, "`_pipelined` has no effect")
        .label("ignored")
        .help("remove it")
        .edit(span, "")
}

pub(in crate::elaborate) fn ineffective_const(span: Span, what: &str) -> Diagnostic {
    Diagnostic::warning("W-const", span, format!("`const` has no effect on {what}"))
        .label("ignored")
        .rule("`const` says that an input is the same for all parallel instances")
        .help("remove it")
        .edit(span, "")
}

pub(in crate::elaborate) fn hidden_variable(name: &Name, hidden: Span) -> Diagnostic {
    let message = format!("the loop variable `{}` hides another variable", name.text);
    Diagnostic::warning("W-shadow", name.span, message)
        .label("within the loop, the name means this")
        .also(hidden, "hidden")
        .help("rename the loop variable")
}

pub(in crate::elaborate) fn unused_local(name: &Name) -> Diagnostic {
    Diagnostic::warning("W-unused-local", name.span, format!("the local `{}` is never read", name.text))
        .label("never read")
        .help(format!("remove it, or call it `_{}` if it is there to take what nobody wants", name.text))
}

pub(in crate::elaborate) fn unused_const(name: &Name) -> Diagnostic {
    Diagnostic::warning(
        "W-unused-const",
        name.span,
        format!("the `const` input `{}` is never read", name.text),
    )
    .label("never read")
    .help("remove it, or use it")
}

pub(in crate::elaborate) fn unused_definition(name: &Name) -> Diagnostic {
    Diagnostic::warning("W-unused-definition", name.span, format!("`{}` is never called", name.text))
        .label("never called, and unlikely to be an entry")
        .help(format!("remove it, or call it `_{}` if it should stay", name.text))
}
