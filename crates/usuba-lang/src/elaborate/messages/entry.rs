//! E08xx: the entry, what it leaves open, and the slicing.

use super::plural;
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::elaborate::types::Direction;
use crate::source::Span;

pub(in crate::elaborate) fn empty_program() -> Diagnostic {
    Diagnostic::general("E0801", "the program defines nothing")
        .rule("the entry is the last definition")
        .help("write a node")
}

pub(in crate::elaborate) fn unknown_entry(name: &str, known: &[&str]) -> Diagnostic {
    let finding = Diagnostic::general("E0802", format!("there is no definition `{name}` to start from"));
    let mut list = known.iter().rev().take(8).map(|name| format!("`{name}`")).collect::<Vec<_>>();
    list.reverse();
    if list.is_empty() { finding } else { finding.help(format!("defined are {}", list.join(", "))) }
}

pub(in crate::elaborate) fn entry_element(name: &Name, text: &str) -> Diagnostic {
    Diagnostic::error(
        "E0803",
        name.span,
        format!("`{text}` is not the number of an element of `{}`", name.text),
    )
    .label("the entry")
    .help(format!("write `--entry '{}<0>'` for its first element", name.text))
}

pub(in crate::elaborate) fn entry_is_array(
    name: &Name,
    array: bool,
    element: Option<u32>,
    count: usize,
) -> Diagnostic {
    let text = &name.text;
    let elements = plural(count as u64, "element");
    let (message, help) = match (array, element) {
        (true, Some(element)) => (
            format!("the entry `{text}` has no element {element}"),
            format!("choose among its {elements}, counted from 0"),
        ),
        (true, None) => (
            format!("the entry `{text}` is an array of {elements}"),
            format!("choose one: `--entry '{text}<0>'`"),
        ),
        (false, _) => (
            format!("the entry `{text}` is not an array, but an element is asked for"),
            format!("write `--entry {text}`"),
        ),
    };
    Diagnostic::error("E0803", name.span, message)
        .label("the entry")
        .rule("the entry is a definition, or one element of an array of definitions")
        .help(help)
}

pub(in crate::elaborate) fn entry_nat(name: &Name) -> Diagnostic {
    let text = &name.text;
    Diagnostic::error("E0804", name.span, format!("the entry needs a value for `{text}`"))
        .label("a `nat` parameter of the entry")
        .rule("`nat` parameters are known when compiling")
        .help(format!("pass `--nat {text}=N`"))
}

pub(in crate::elaborate) fn unknown_nat(name: &str, entry: &Name) -> Diagnostic {
    Diagnostic::error(
        "E0805",
        entry.span,
        format!("the entry `{}` has no `nat` parameter `{name}`", entry.text),
    )
    .label("the entry")
    .help(format!("leave `--nat {name}=…` out"))
}

pub(in crate::elaborate) fn open_word(definition: &Name, size: &str, span: Span) -> Diagnostic {
    let name = &definition.text;
    let finding = Diagnostic::error("E0806", span, format!("the size `'{size}` of `{name}` is not known"))
        .label("as wide as the caller likes, but there is none")
        .rule("all word sizes are known when compiling");
    if size == "m" {
        finding.help("pass `--word N` to compile for words of N bits")
    } else {
        finding.help("write the number of bits, or call the variable `'m` and pass `--word N`")
    }
}

pub(in crate::elaborate) fn entry_word(word: u32, limit: u32) -> Diagnostic {
    Diagnostic::general("E0807", format!("there are no words of {word} bits"))
        .rule(format!("words have 1 to {limit} bits"))
        .help("pass another `--word`")
}

/// The letter of a direction.
fn letter(direction: Direction) -> String {
    match direction {
        Direction::V => "V".into(),
        Direction::H => "H".into(),
        Direction::B => "B".into(),
        Direction::Packed(words) => words.to_string(),
        Direction::Variable(_) => "'D".into(),
    }
}

pub(in crate::elaborate) fn entry_direction(
    name: &Name,
    entry: &Name,
    fixed: Direction,
    chosen: Direction,
) -> Diagnostic {
    let slicing = match fixed {
        Direction::Packed(words) => format!("v{words}"),
        _ => letter(fixed).to_lowercase(),
    };
    let (fixed, chosen) = (letter(fixed), letter(chosen));
    Diagnostic::error("E0808", name.span, format!("`{}` has direction {fixed}, but {chosen} is asked for", name.text))
        .label(format!("declared with <{fixed}>"))
        .also(entry.span, "the entry")
        .rule("`--slicing` binds the direction that the entry leaves open; only `--slicing b` overrides what is written")
        .help(format!("compile with `--slicing {slicing}`, or leave the direction out of the type"))
}

pub(in crate::elaborate) fn unexplained() -> Diagnostic {
    Diagnostic::general("E0899", "this program could not be elaborated, and the compiler does not know why")
        .help("this is a defect of the compiler: please report it with the program")
}
