//! Source texts and places in them.

use std::fmt;

/// One text of a [`Sources`] collection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceId(pub u32);

/// A range of bytes in one source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `source`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span { source, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `self` if they lie in different texts.
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.source.0, self.start, self.end)
    }
}

/// One text with the name under which it is reported.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user wrote it, or as it was resolved from an `include`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// Every text of a program: the main file and what it includes.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

impl Sources {
    /// Adds a text and gives it a number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.texts.push(Source { name: name.into(), text: text.into() });
        SourceId(self.texts.len() as u32 - 1)
    }

    /// The text numbered `id`.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.texts[id.0 as usize]
    }

    /// All texts in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.texts.iter().enumerate().map(|(i, s)| (SourceId(i as u32), s))
    }

    /// Line and column (both from 1, columns in characters) of the first byte of `span`.
    pub fn line_column(&self, span: Span) -> (u32, u32) {
        let text = &self.get(span.source).text;
        let mut at = (span.start as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        (line, column)
    }
}
