//! What elaboration has to say. One room per family of codes: E03xx [`names`], E04xx [`types`], E05xx [`statics`],
//! E06xx [`assignment`], E07xx [`tables`], E08xx [`entry`], E10xx [`public`].

mod assignment;
mod entry;
mod names;
mod public;
mod statics;
mod tables;
mod types;

pub(super) use assignment::*;
pub(super) use entry::*;
pub(super) use names::*;
pub(super) use public::*;
pub(super) use statics::*;
pub(super) use tables::*;
pub(super) use types::*;

use crate::ast::{BinaryOp, Integer};

/// `1 word`, `2 words`.
fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ if noun.ends_with(['s', 'x']) => format!("{count} {noun}es"),
        _ if noun.ends_with('y') => format!("{count} {}ies", &noun[..noun.len() - 1]),
        _ => format!("{count} {noun}s"),
    }
}

/// The spelling of an operator.
fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
    }
}

/// A literal as the author wrote it, or its size if it is so long that nobody wants to read it (or wait for its digits).
fn literal(integer: &Integer) -> String {
    match integer.value.bits() {
        bits if bits > 160 => format!("a number of {bits} bits"),
        _ if integer.hexadecimal => format!("0x{:x}", integer.value),
        _ => integer.value.to_string(),
    }
}

/// The longest word in a message.
const LONGEST_WORD: usize = 80;

/// Cuts words of a message that are too long to read, such as names that a program wrote.
pub(super) fn shorten(text: &mut String) {
    if text.split(' ').any(|word| word.chars().count() > LONGEST_WORD) {
        let cut = |word: &str| match word.char_indices().nth(LONGEST_WORD) {
            Some((end, _)) => format!("{}…", &word[..end]),
            None => word.to_string(),
        };
        *text = text.split(' ').map(cut).collect::<Vec<_>>().join(" ");
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn long_words_are_cut() {
        let mut text = format!("there is no `{}` here", "é".repeat(200));
        shorten(&mut text);
        assert_eq!(text, format!("there is no `{}… here", "é".repeat(79)));
    }
}
