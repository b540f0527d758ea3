//! What elaboration has to say. One room per family of codes: E03xx [`names`], E04xx [`types`], E05xx [`statics`],
//! E06xx [`assignment`], E07xx [`tables`], E08xx [`entry`].

mod assignment;
mod entry;
mod names;
mod statics;
mod tables;
mod types;

pub(super) use assignment::*;
pub(super) use entry::*;
pub(super) use names::*;
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

/// A literal as the author wrote it, cut short if it is very long.
fn literal(integer: &Integer) -> String {
    let text = if integer.hexadecimal { format!("0x{:x}", integer.value) } else { integer.value.to_string() };
    if text.len() > 40 { format!("{}…", text.chars().take(40).collect::<String>()) } else { text }
}
