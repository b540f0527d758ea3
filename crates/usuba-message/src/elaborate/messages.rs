//! All texts of this stage.

use crate::number::NumberError;
use usuba_lang::ast::{Definition, Name};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::source::Span;

type Text = Box<Diagnostic>;

pub(super) fn no_node(name: &str) -> Text {
    Box::new(Diagnostic::general("E1001", format!("the program has no node `{name}`")))
}

pub(super) fn open_cipher(parameter: &Name) -> Text {
    let message = format!("nothing says which cipher `{}` is", parameter.text);
    let rule = "code is made of a mode for one cipher";
    Box::new(Diagnostic::error("E1002", parameter.span, message).rule(rule))
}

pub(super) fn wrong_cipher(name: &str, place: Span) -> Text {
    Box::new(Diagnostic::error("E1002", place, format!("`{name}` is no cipher of blocks of bytes")))
}

pub(super) fn no_equations(definition: &Definition) -> Text {
    let message = format!("`{}` is no node with equations", definition.name.text);
    Box::new(Diagnostic::error("E1003", definition.name.span, message))
}

pub(super) fn too_deep(place: Span) -> Text {
    let message = "nodes with public lengths call one another too deep";
    Box::new(Diagnostic::error("E1003", place, message))
}

pub(super) fn unknown_number(name: &str, place: Span) -> Text {
    Box::new(Diagnostic::error("E1004", place, format!("`{name}` is no public number")))
}

pub(super) fn number(error: NumberError, place: Span) -> Text {
    let (message, rule) = match error {
        NumberError::Overflow => ("a public number does not fit in 64 bits", "public numbers have 64 bits"),
        NumberError::Division => {
            ("the divisor is not known", "public numbers are divided by positive constants only")
        }
        NumberError::Product => {
            ("neither factor is known", "public lengths are sums: a product has a constant")
        }
        NumberError::TrailingZeros => ("`Ntz` has no value here", "`Ntz` is for positive numbers"),
    };
    Box::new(Diagnostic::error("E1004", place, message).rule(rule))
}

pub(super) fn not_constant(shown: &str, place: Span) -> Text {
    let message = format!("`{shown}` is not known when code is made");
    let rule =
        "words of a constant number have constant indices and sizes; windows of bytes may have public ones";
    Box::new(Diagnostic::error("E1005", place, message).rule(rule))
}

pub(super) fn not_public(place: Span) -> Text {
    Box::new(Diagnostic::error("E1004", place, "a public number is wanted here"))
}

pub(super) fn unsupported(what: &str, place: Span) -> Text {
    let message = format!("{what} has no form among messages yet");
    Box::new(Diagnostic::error("E1006", place, message))
}

pub(super) fn unknown_name(name: &str, place: Span) -> Text {
    Box::new(Diagnostic::error("E1007", place, format!("`{name}` is not declared")))
}

pub(super) fn lengths_differ(left: &str, right: &str, place: Span) -> Text {
    let message = format!("one side has {left} bytes, the other {right}");
    let rule = "lengths must be equal for all messages that fulfil the conditions, by the laws of sums";
    Box::new(Diagnostic::error("E1008", place, message).rule(rule))
}

pub(super) fn open_size(place: Span) -> Text {
    let message = "it is not known how many bytes this has";
    Box::new(Diagnostic::error("E1009", place, message).help("annotate constants with a type: `0:u8`"))
}

pub(super) fn condition(callee: &Name, place: Span) -> Text {
    let message = format!("a condition of `{}` does not follow here", callee.text);
    let rule = "what a node asks for in `where` follows from what its callers ask for";
    Box::new(Diagnostic::error("E1010", place, message).rule(rule).also(callee.span, "its definition"))
}
