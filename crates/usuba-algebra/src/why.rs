//! Why something was not recognised.

use std::fmt;
use usuba_lang::source::{Sources, Span};

/// A sentence for who wrote the program, and the place it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// The sentence, without a place and a full stop.
    pub message: String,
    /// The place.
    pub span: Option<Span>,
}

impl Why {
    /// A sentence about a place, if it has one.
    pub fn new(message: impl Into<String>, span: Option<Span>) -> Why {
        Why { message: message.into(), span }
    }

    /// The sentence with its place in front.
    pub fn at(&self, sources: &Sources) -> String {
        match self.span {
            None => self.message.clone(),
            Some(span) => {
                let (line, column) = sources.line_column(span);
                format!("{}:{line}:{column}: {}", sources.get(span.source).name, self.message)
            }
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Why {}
