//! Types as written: the word before the brackets is re-read as a whole.

use super::lexer::{begins_identifier, continues_identifier};
use super::messages::types as messages;
use crate::ast::{BaseType, Direction, Size};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What a word in the place of a type says; a wrong word yields a guess for the parser to go on with.
pub(super) fn read(word: &str, span: Span) -> (BaseType, Option<Diagnostic>) {
    match whole(word, span) {
        Ok(base) => (base, None),
        Err(diagnostic) => (BaseType::Bits { direction: None, count: 1 }, Some(*diagnostic)),
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

fn whole(word: &str, span: Span) -> Read<BaseType> {
    if word == "nat" {
        return Ok(BaseType::Nat);
    }
    let malformed = || Box::new(messages::malformed(span, word, suggestion(word)));
    let letter = word.chars().next().filter(|c| matches!(c, 'u' | 'b' | 'v')).ok_or_else(malformed)?;
    let rest = word.get(1..).unwrap_or("");
    let (direction, rest) = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
        Some((direction, rest)) => (Some(self::direction(direction, word, span)?), rest),
        None => (None, rest),
    };
    if rest.is_empty() {
        return Err(Box::new(messages::missing_size(span, word, letter)));
    }
    if letter != 'u' {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(times) = rest.get(digits..).filter(|t| digits > 0 && matrix_suffix(t)) {
            return Err(Box::new(messages::matrix_of_vectors(
                span,
                word,
                &word[..word.len() - times.len()],
                &times[1..],
            )));
        }
        let count = number(rest, word, span)?.ok_or_else(malformed)?;
        return Ok(match letter {
            'b' => BaseType::Bits { direction, count },
            _ => BaseType::Atoms { direction, count },
        });
    }
    if let Some(variable) = rest.strip_prefix('\'') {
        if !is_identifier(variable) {
            return Err(malformed());
        }
        let name = variable.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &variable[name.len()..];
        if let Some(name) = name.strip_suffix('x').filter(|n| !n.is_empty() && !digits.is_empty())
            && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
        {
            let prefix = &word[..word.len() - variable.len()];
            return Err(Box::new(messages::matrix_of_variable(span, word, variable, prefix, name, digits)));
        }
        return Ok(BaseType::Word { direction, size: Size::Variable(variable.to_string()), count: None });
    }
    if let Some(digits) = rest.strip_prefix("0x").filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())) {
        let value = u32::from_str_radix(digits, 16).ok();
        return Err(Box::new(messages::hexadecimal_size(span, word, letter, value)));
    }
    let (size, count) = match rest.split_once('x') {
        Some((size, count)) => (size, Some(count)),
        None => (rest, None),
    };
    let size = number(size, word, span)?.ok_or_else(malformed)?;
    let count = match count {
        Some(count) => Some(number(count, word, span)?.ok_or_else(malformed)?),
        None => None,
    };
    if let Some(Direction::Packed(words)) = direction
        && size.checked_mul(words) != Some(128)
    {
        return Err(Box::new(messages::integer_direction(span, word, &words.to_string())));
    }
    Ok(BaseType::Word { direction, size: Size::Bits(size), count })
}

/// `x4`.
fn matrix_suffix(text: &str) -> bool {
    text.strip_prefix('x').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_identifier(text: &str) -> bool {
    text.bytes().next().is_some_and(begins_identifier) && text.bytes().all(continues_identifier)
}

fn direction(direction: &str, word: &str, span: Span) -> Read<Direction> {
    match direction {
        "V" => Ok(Direction::V),
        "H" => Ok(Direction::H),
        "B" => Ok(Direction::B),
        _ => match direction.strip_prefix('\'') {
            Some(name) if is_identifier(name) => Ok(Direction::Variable(name.to_string())),
            _ if matches!(direction, "2" | "4" | "8" | "16") => {
                Ok(direction.parse().map_or(Direction::V, Direction::Packed))
            }
            _ if !direction.is_empty() && direction.bytes().all(|b| b.is_ascii_digit()) => {
                Err(Box::new(messages::integer_direction(span, word, direction)))
            }
            _ => Err(Box::new(messages::unknown_direction(span, word, direction))),
        },
    }
}

/// A positive decimal number; `None` if `digits` are none.
fn number(digits: &str, word: &str, span: Span) -> Read<Option<u32>> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    if digits.bytes().all(|b| b == b'0') {
        return Err(Box::new(messages::zero_size(span, word)));
    }
    if digits.starts_with('0') {
        let plain = digits.trim_start_matches('0');
        return Err(Box::new(messages::leading_zero_size(span, word, &word.replacen(digits, plain, 1))));
    }
    match digits.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(Box::new(messages::size_too_large(span, word))),
    }
}

/// The type that a word of C, or a type of the language, stands for before a name.
pub(super) fn of_declaration(word: &str) -> Option<String> {
    match word {
        "int" | "unsigned" | "long" => Some("u32".to_string()),
        _ => match read(word, Span::new(crate::source::SourceId(0), 0, 0)) {
            (_, None) => Some(word.to_string()),
            _ => suggestion(word),
        },
    }
}

/// What the author of a word that is no type may have meant.
fn suggestion(word: &str) -> Option<String> {
    let fixed = match word {
        "bool" | "bit" | "boolean" => Some("b1".to_string()),
        "byte" | "char" => Some("u8".to_string()),
        "int" | "integer" | "natural" => Some("nat".to_string()),
        _ => None,
    };
    if fixed.is_some() {
        return fixed;
    }
    // `uint32_t`, `u32_t`, `U32`.
    let lower = word.to_ascii_lowercase();
    let stem = lower.strip_suffix("_t").unwrap_or(&lower);
    let stem = stem.strip_prefix("uint").map(|size| format!("u{size}")).unwrap_or(stem.to_string());
    if stem != word && matches!(stem.as_bytes().first(), Some(b'u' | b'b' | b'v')) {
        let (base, wrong) = read(&stem, Span::new(crate::source::SourceId(0), 0, 0));
        if wrong.is_none() && base != BaseType::Nat {
            return Some(stem);
        }
    }
    None
}
