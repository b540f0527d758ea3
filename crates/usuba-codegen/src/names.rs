//! C identifiers.

use crate::messages;
use std::collections::{BTreeMap, BTreeSet};

/// Words that generated identifiers stay clear of: keywords of C and C++, and words that compilers or their headers define
/// as macros.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "const",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "pixel",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "size_t",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "vector",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    "xor_eq",
];

/// Functions that generated code or its tests call, and what C or C++ gives a meaning to that is no word of [`RESERVED`].
const FOREIGN: &[&str] = &[
    "char8_t",
    "co_await",
    "co_return",
    "co_yield",
    "concept",
    "const_cast",
    "consteval",
    "constinit",
    "dynamic_cast",
    "main",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "requires",
    "static_assert",
    "static_cast",
    "thread_local",
    "typeof_unqual",
];

/// Why a function cannot have this name, to follow the name; `None` if it can.
pub fn unfit_for_a_function(name: &str) -> Option<&'static str> {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some(messages::NO_IDENTIFIER);
    }
    if RESERVED.contains(&name) || FOREIGN.contains(&name) {
        return Some(messages::TAKEN_BY_C);
    }
    if name.ends_with("_t") {
        return Some(messages::ENDS_AS_A_TYPE);
    }
    let second = name.strip_prefix('_').and_then(|rest| rest.chars().next());
    let of_compilers = second.is_some_and(|c| c == '_' || c.is_ascii_uppercase()) || name.starts_with("_mm");
    of_compilers.then_some(messages::BELONGS_TO_COMPILERS)
}

/// Gives out identifiers, each once.
#[derive(Clone, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    next: BTreeMap<String, u32>,
    short: usize,
}

/// The digits of short names. Without vowels no name is a word, nor a function of C's.
const DIGITS: &[u8] = b"0123456789bcdfghjkmnpqrsvwxz";

impl Names {
    /// The next short identifier that is free: `t0`, `t1`.
    pub(crate) fn short(&mut self) -> String {
        loop {
            let mut digits = Vec::new();
            let mut number = self.short;
            loop {
                digits.push(DIGITS[number % DIGITS.len()]);
                number /= DIGITS.len();
                if number == 0 {
                    break;
                }
            }
            self.short += 1;
            let name: String =
                std::iter::once('t').chain(digits.iter().rev().map(|&digit| digit.into())).collect();
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// An identifier like `name`, as it is if that is free.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let base = identifier(name);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let count = self.next.entry(base.clone()).or_insert(1);
        loop {
            let tried = format!("{base}_{count}");
            *count += 1;
            if self.taken.insert(tried.clone()) {
                return tried;
            }
        }
    }
}

/// `name` with every character that C does not allow replaced: `st[3][1]` becomes `st_3_1`, `W'` becomes `W_`.
pub(crate) fn identifier(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        match character {
            ']' => {}
            _ if character.is_ascii_alphanumeric() => text.push(character),
            _ => text.push('_'),
        }
    }
    // Identifiers that start with `_`, or with the names of fixed-width types and intrinsics, belong to others.
    let foreign = text.starts_with('_')
        || text.starts_with(|first: char| first.is_ascii_digit())
        || text.ends_with("_t")
        || RESERVED.contains(&text.as_str());
    if text.is_empty() || foreign {
        text.insert_str(0, "v_");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names_of_their_own() {
        for name in ["aes", "usuba_f", "_f", "t", "int_", "mainly"] {
            assert_eq!(unfit_for_a_function(name), None, "{name}");
        }
        for name in ["int", "bool", "class", "main", "memcpy"] {
            assert_eq!(unfit_for_a_function(name), Some(messages::TAKEN_BY_C), "{name}");
        }
        for name in ["uint8_t", "size_t", "my_t"] {
            assert!(unfit_for_a_function(name).is_some(), "{name}");
        }
        for name in ["__m128i", "_Bool", "__x", "_mm_xor_si128"] {
            assert_eq!(unfit_for_a_function(name), Some(messages::BELONGS_TO_COMPILERS), "{name}");
        }
        for name in ["", "9x", "a-b", "é"] {
            assert_eq!(unfit_for_a_function(name), Some(messages::NO_IDENTIFIER), "{name}");
        }
    }

    #[test]
    fn short_names_are_those_that_are_free() {
        let mut names = Names::default();
        names.fresh("t1");
        let given: Vec<String> = (0..29).map(|_| names.short()).collect();
        assert_eq!(
            (&*given[0], &*given[1], &*given[9], &*given[26], &*given[27]),
            ("t0", "t2", "tb", "tz", "t10")
        );
    }

    #[test]
    fn identifiers_are_legal_and_unique() {
        let mut names = Names::default();
        let given: Vec<String> = ["st[3]", "st_3", "st[3]", "W'", "int", "_x", "9", "", "a[1][2]"]
            .map(|name| names.fresh(name))
            .into();
        assert_eq!(given, ["st_3", "st_3_1", "st_3_2", "W_", "v_int", "v__x", "v_9", "v_", "a_1_2"]);
    }
}
