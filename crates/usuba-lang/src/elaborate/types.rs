//! Words and the types of declarations, while sizes and directions may still be unknown.

use crate::ast;
use crate::source::Span;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// The widest word, in bits.
pub(super) const MAX_WORD: u32 = 128;

/// The most words a variable may have.
pub(super) const MAX_WORDS: u64 = 1 << 20;

/// Public numbers by name. `C.block` and `C.key` are among them.
pub(super) type Numbers = BTreeMap<String, i64>;

/// The size of a word within one definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Written in the source.
    Bits(u32),
    /// A size variable whose value the caller or the command line chose: known, but not to the author, who may
    /// therefore write no constant against it.
    Chosen(u32),
    /// A variable of the [`super::unify::Unifier`].
    Variable(u32),
}

impl Width {
    /// The number of bits, if known.
    pub(super) fn bits(self) -> Option<u32> {
        match self {
            Width::Bits(bits) | Width::Chosen(bits) => Some(bits),
            Width::Variable(_) => None,
        }
    }
}

/// The direction of a word within one definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Direction {
    /// Vertical.
    V,
    /// Horizontal.
    H,
    /// Bitsliced.
    B,
    /// Vertical, so many words of one instance side by side in 128 bits.
    Packed(u32),
    /// A variable of the [`super::unify::Unifier`].
    Variable(u32),
}

/// The type of one word of the source (one atom where atoms are words, `width` atoms where atoms are bits).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word {
    /// Its size.
    pub(super) width: Width,
    /// Its direction.
    pub(super) direction: Direction,
}

impl Word {
    /// A bit, of any direction that `direction` is.
    pub(super) fn bit(direction: Direction) -> Word {
        Word { width: Width::Bits(1), direction }
    }
}

/// How two lists of words differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Disagreement {
    /// In number.
    Length,
    /// In number of bits, which is all that counts where atoms are bits.
    Bits,
    /// In number of words, but not of bits: where atoms are bits they would agree.
    LengthButNotBits,
    /// In the size of the word at this position.
    Width(usize),
    /// In the direction of the word at this position.
    Direction(usize),
}

/// A size as declared: a number, or an entry of [`Variables::sizes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SizeTerm {
    Bits(u32),
    Variable(usize),
}

/// A direction as declared: fixed, or an entry of [`Variables::directions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DirectionTerm {
    V,
    H,
    B,
    Packed(u32),
    Variable(usize),
}

/// A type as declared, its dimensions evaluated.
#[derive(Clone, Debug)]
pub(super) struct WordType {
    /// Sizes, outermost first, length of the matrix included.
    pub(super) dimensions: Vec<u32>,
    /// Product of the dimensions.
    pub(super) words: u32,
    pub(super) size: SizeTerm,
    pub(super) direction: DirectionTerm,
}

/// The size and direction variables of one definition, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    pub(super) sizes: IndexMap<String, Span>,
    pub(super) directions: IndexMap<String, Span>,
}

/// A parameter, a result or a local.
#[derive(Clone, Debug)]
pub(super) struct Declared<'p> {
    pub(super) name: &'p ast::Name,
    pub(super) ty: DeclaredType,
    pub(super) constant: Option<Span>,
    pub(super) uniform: Option<Span>,
}

/// What is declared.
#[derive(Clone, Debug)]
pub(super) enum DeclaredType {
    Nat,
    Words(WordType),
}

/// What a definition shows its callers, and the locals of each of its bodies.
#[derive(Clone, Debug)]
pub(super) struct Interface<'p> {
    pub(super) inputs: Vec<Declared<'p>>,
    pub(super) outputs: Vec<Declared<'p>>,
    /// One list for every body of a node (or array of nodes); empty for tables and permutations.
    pub(super) locals: Vec<Vec<Declared<'p>>>,
    pub(super) variables: Variables,
    /// The first so many size variables appear in inputs or outputs, the rest in locals only.
    pub(super) visible_sizes: usize,
    /// The same for directions.
    pub(super) visible_directions: usize,
    /// The public numbers: constants of the program, `nat` parameters and lengths.
    pub(super) numbers: Numbers,
}

impl<'p> Interface<'p> {
    /// The `nat` parameters in order.
    pub(super) fn nats(&self) -> impl Iterator<Item = &Declared<'p>> {
        self.inputs.iter().filter(|input| matches!(input.ty, DeclaredType::Nat))
    }
}

/// The words of a type as the author would write it: `u16x4`, `(u16x4, u8)`; with directions, `u<V>16x4`.
pub(super) fn describe(words: &[Word], size_names: &dyn Fn(Width) -> String, directed: bool) -> String {
    let mut runs: Vec<(Word, usize)> = Vec::new();
    for &word in words {
        match runs.last_mut() {
            Some((last, count)) if last.width == word.width && (!directed || *last == word) => *count += 1,
            _ => runs.push((word, 1)),
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for &(word, count) in runs.iter().take(4) {
        let direction = match word.direction {
            _ if !directed => String::new(),
            Direction::V => "<V>".into(),
            Direction::H => "<H>".into(),
            Direction::B => "<B>".into(),
            Direction::Packed(words) => format!("<{words}>"),
            Direction::Variable(_) => "<'D>".into(),
        };
        let text = match (word.width.bits(), count) {
            (Some(1), count) => format!("b{direction}{count}"),
            (Some(bits), 1) => format!("u{direction}{bits}"),
            (Some(bits), count) => format!("u{direction}{bits}x{count}"),
            (None, 1) => format!("u{direction}{}", size_names(word.width)),
            (None, count) => format!("u{direction}{}[{count}]", size_names(word.width)),
        };
        parts.push(text);
    }
    if runs.len() > 4 {
        parts.push("…".to_string());
    }
    match parts.len() {
        0 => "()".to_string(),
        1 => parts.remove(0),
        _ => format!("({})", parts.join(", ")),
    }
}
