//! Texts that are nearly programs, and texts that are nothing like them.

use super::prng::Random;

/// What a text is made of: blanks, words, numbers and symbols, all bytes in order.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let kind = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if c.is_ascii_alphanumeric() || c == '_' || c == '\'' => 1,
        _ => 2,
    };
    for c in text.chars() {
        match tokens.last_mut() {
            Some(last) if kind(c) < 2 && last.chars().next_back().is_some_and(|d| kind(d) == kind(c)) => {
                last.push(c)
            }
            _ => tokens.push(c.to_string()),
        }
    }
    tokens
}

/// All words and symbols of the language, and some that are none.
const VOCABULARY: &[&str] = &[
    "node",
    "perm",
    "table",
    "returns",
    "vars",
    "let",
    "tel",
    "forall",
    "in",
    "include",
    "const",
    "lazyLift",
    "Shuffle",
    "Bitmask",
    "Pack",
    "refresh",
    "rand",
    "_inline",
    "_no_inline",
    "_unroll",
    "_no_unroll",
    "_interleave",
    "_pipelined",
    "_no_opt",
    "_lsb",
    "_msb",
    "where",
    "opens",
    "uniform",
    "cipher",
    "if",
    "else",
    "accept",
    "and",
    "or",
    "min",
    "max",
    "Ntz",
    "Bits",
    "Bytes",
    "Words",
    "Word",
    "Pad",
    "Zero",
    "big",
    "little",
    "C.encrypt",
    "C.keys",
    "C.block",
    "++",
    "==",
    "!=",
    "<=",
    ">=",
    "[0, n)",
    "u8[n]",
    "u8[n][16]",
    "n",
    "C",
    "nat",
    "u8",
    "u16x4",
    "b8",
    "b1",
    "v4",
    "u'm",
    "u<V>32",
    "u<H>16x2",
    "u<'D>8",
    "u0",
    "u8x0",
    "u'mx4",
    "bool",
    "x",
    "y",
    "z",
    "f",
    "i",
    "[]",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "=",
    "<<<",
    "<<",
    ">>>",
    ">>!",
    ">>",
    "<",
    ">",
    ",",
    ":",
    ";",
    "|",
    "..",
    "&",
    "~",
    "!",
    "^",
    "+",
    "-",
    "*",
    "/",
    "%",
    ":=",
    "0",
    "1",
    "7",
    "0xff",
    "007",
    "0x",
    "18446744073709551616",
    "0xffffffffffffffffffffffffffffffffff",
    "\"a.ua\"",
    "\"",
    "#",
    "//",
    "__END__",
    "'",
    "@",
    "?",
    "$",
    "\\",
    "é",
    "\u{1f512}",
    "\u{0}",
    "\t",
    "\n",
    " ",
];

/// `text` with a few things wrong. `other` is a source of foreign parts.
pub fn mutated(random: &mut Random, text: &str, other: &str) -> String {
    let mut parts = tokens(text);
    let foreign = tokens(other);
    for _ in 0..random.weighted(&[(50, 1), (25, 2), (15, 4), (10, 12)]) {
        if parts.is_empty() {
            break;
        }
        let at = random.below(parts.len());
        let solid: Vec<usize> = (0..parts.len()).filter(|&n| !parts[n].trim().is_empty()).collect();
        let at = if solid.is_empty() { at } else { random.pick(&solid) };
        match random.below(14) {
            0 | 1 => {
                parts.remove(at);
            }
            2 => {
                let copy = parts[at].clone();
                parts.insert(at, copy);
            }
            3 => {
                let with = random.below(parts.len());
                parts.swap(at, with);
            }
            4 | 5 => parts[at] = random.pick(VOCABULARY).to_string(),
            6 => parts.insert(at, format!(" {} ", random.pick(VOCABULARY))),
            7 | 8 => {
                let numbers: Vec<usize> = (0..parts.len())
                    .filter(|&n| parts[n].starts_with(|c: char| c.is_ascii_digit()))
                    .collect();
                if !numbers.is_empty() {
                    let at = random.pick(&numbers);
                    parts[at] = number(random, &parts[at]);
                }
            }
            9 if !foreign.is_empty() => {
                let from = random.below(foreign.len());
                let to = (from + random.below(30)).min(foreign.len());
                parts.splice(at..at, foreign[from..to].iter().cloned());
            }
            10 => {
                let words: Vec<usize> = (0..parts.len())
                    .filter(|&n| parts[n].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
                    .collect();
                if words.len() > 1 {
                    let (one, two) = (random.pick(&words), random.pick(&words));
                    parts[one] = parts[two].clone();
                }
            }
            11 => {
                let to = (at + random.below(25)).min(parts.len());
                parts.drain(at..to);
            }
            12 => {
                let to = (at + random.below(25)).min(parts.len());
                let copy: Vec<String> = parts[at..to].to_vec();
                for _ in 0..random.between(1, 3) {
                    parts.splice(at..at, copy.iter().cloned());
                }
            }
            _ => {
                let many = random.pick(&[2, 30, 3000]);
                let (open, close) =
                    random.pick(&[("(", ")"), ("~", ""), ("[", "]"), ("{", "}"), ("((", "))"), ("f(", ")")]);
                parts[at] = format!("{}{}{}", open.repeat(many), parts[at], close.repeat(many));
            }
        }
    }
    let mut result = parts.concat();
    if random.chance(10) {
        let end = random.below(result.len() + 1);
        let end = (0..=end).rev().find(|&end| result.is_char_boundary(end)).unwrap_or(0);
        result.truncate(end);
    }
    result
}

fn number(random: &mut Random, old: &str) -> String {
    let value: i128 = old.parse().unwrap_or(5);
    match random.below(9) {
        0 => "0".into(),
        1 => (value + 1).to_string(),
        2 => (value - 1).max(0).to_string(),
        3 => (value * 2 + 1).to_string(),
        4 => "4294967296".into(),
        5 => "340282366920938463463374607431768211456".into(),
        6 => format!("{}", random.between(0, 200)),
        7 => format!("1{}", "0".repeat(random.below(40))),
        _ => format!("{:#x}", random.bits()),
    }
}

/// `text` with other names, numbers and operators in some places: most of what comes out still parses.
pub fn bent(random: &mut Random, text: &str) -> String {
    const OPERATORS: &[&str] = &["&", "|", "^", "+", "-", "*", "/", "%"];
    let mut parts = tokens(text);
    let starts = |parts: &[String], test: fn(char) -> bool| -> Vec<usize> {
        (0..parts.len()).filter(|&n| parts[n].starts_with(test)).collect()
    };
    for _ in 0..random.weighted(&[(60, 1), (25, 2), (15, 5)]) {
        let names = starts(&parts, |c| c.is_ascii_alphabetic());
        let numbers = starts(&parts, |c| c.is_ascii_digit());
        let operators: Vec<usize> =
            (0..parts.len()).filter(|&n| OPERATORS.contains(&parts[n].as_str())).collect();
        match random.below(5) {
            0 | 1 if !numbers.is_empty() => {
                let at = random.pick(&numbers);
                parts[at] = number(random, &parts[at]);
            }
            2 if !operators.is_empty() => {
                let at = random.pick(&operators);
                parts[at] = random.pick(OPERATORS).to_string();
            }
            3 if numbers.len() > 1 => {
                let (one, two) = (random.pick(&numbers), random.pick(&numbers));
                parts.swap(one, two);
            }
            _ if names.len() > 1 => {
                let alike =
                    |n: usize| parts[n].len() <= 3 && !matches!(parts[n].as_str(), "let" | "tel" | "in");
                let short: Vec<usize> = names.iter().copied().filter(|&n| alike(n)).collect();
                if short.len() > 1 {
                    let (one, two) = (random.pick(&short), random.pick(&short));
                    parts[one] = parts[two].clone();
                }
            }
            _ => {}
        }
    }
    parts.concat()
}

/// Tokens without order.
pub fn soup(random: &mut Random) -> String {
    let count = random.between(0, 120);
    let mut text = String::new();
    if random.chance(50) {
        text.push_str("node f (x: u8, y: b4[2]) returns (z: u8) let ");
    }
    for _ in 0..count {
        text.push_str(random.pick(VOCABULARY));
        if random.chance(80) {
            text.push(' ');
        }
    }
    text
}

/// Characters without order.
pub fn noise(random: &mut Random) -> String {
    let count = random.between(0, 200);
    let mut one = || match random.below(10) {
        0 => char::from_u32(random.between(0, 0x2_ffff)).unwrap_or('\u{fffd}'),
        1 => char::from(random.between(0, 31) as u8),
        _ => char::from(random.between(32, 126) as u8),
    };
    (0..count).map(|_| one()).collect()
}
