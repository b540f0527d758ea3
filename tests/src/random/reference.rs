//! Static expressions, and references to atoms of variables by them.

use std::fmt;

/// A static expression over the names of a node.
#[derive(Clone, Debug)]
pub enum Static {
    /// A literal.
    Number(i64),
    /// A loop variable or `nat` parameter: its number among the names in scope, and its spelling.
    Name(usize, String),
    /// Two expressions under one of `+ - * / %`.
    Binary(char, Box<Static>, Box<Static>),
}

impl Static {
    /// `left op right`.
    pub fn binary(op: char, left: Static, right: Static) -> Static {
        Static::Binary(op, Box::new(left), Box::new(right))
    }

    /// Its value when the names have these values. Division is Euclidean.
    pub fn at(&self, values: &[i64]) -> i64 {
        match self {
            Static::Number(n) => *n,
            Static::Name(number, _) => values[*number],
            Static::Binary(op, left, right) => {
                let (a, b) = (left.at(values), right.at(values));
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a.div_euclid(b),
                    _ => a.rem_euclid(b),
                }
            }
        }
    }
}

impl fmt::Display for Static {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Static::Number(n) => write!(f, "{n}"),
            Static::Name(_, name) => f.write_str(name),
            Static::Binary(op, left, right) => {
                let side = |side: &Static| match side {
                    Static::Binary(..) => format!("({side})"),
                    _ => side.to_string(),
                };
                write!(f, "{} {op} {}", side(left), side(right))
            }
        }
    }
}

/// One pair of brackets.
#[derive(Clone, Debug)]
pub enum Selection {
    /// `[e]`.
    Index(Static),
    /// `[a..b]`.
    Range(Static, Static),
    /// `[e, f, …]`.
    Slice(Vec<Static>),
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::Index(e) => write!(f, "[{e}]"),
            Selection::Range(a, b) => write!(f, "[{a}..{b}]"),
            Selection::Slice(entries) => {
                let entries: Vec<_> = entries.iter().map(Static::to_string).collect();
                write!(f, "[{}]", entries.join(", "))
            }
        }
    }
}

/// A variable with its selections.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its number in the node.
    pub variable: usize,
    /// Its name.
    pub name: String,
    /// The selections.
    pub selections: Vec<Selection>,
}

impl Reference {
    /// The row-major positions it denotes in a variable of these dimensions; `None` if an index is out of range.
    pub fn atoms(&self, dimensions: &[u32], values: &[i64]) -> Option<Vec<usize>> {
        let mut positions = vec![0usize];
        for (number, &size) in dimensions.iter().enumerate() {
            let chosen: Vec<i64> = match self.selections.get(number) {
                None => (0..i64::from(size)).collect(),
                Some(Selection::Index(e)) => vec![e.at(values)],
                Some(Selection::Range(a, b)) => {
                    let (a, b) = (a.at(values), b.at(values));
                    if a <= b { (a..=b).collect() } else { (b..=a).rev().collect() }
                }
                Some(Selection::Slice(entries)) => entries.iter().map(|e| e.at(values)).collect(),
            };
            if chosen.iter().any(|&index| index < 0 || index >= i64::from(size)) {
                return None;
            }
            positions = positions
                .iter()
                .flat_map(|p| chosen.iter().map(move |&index| p * size as usize + index as usize))
                .collect();
        }
        Some(positions)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.selections.iter().try_for_each(|selection| write!(f, "{selection}"))
    }
}
