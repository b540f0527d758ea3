//! Another number in the place of a loop variable, throughout statements.

use crate::form::{Piece, Source, Step, Target, Text, Window};
use crate::number::{Number, NumberError, Term};

type Result<T> = std::result::Result<T, NumberError>;

/// What stands in the place of what.
pub(crate) struct Substitution<'s> {
    pub(crate) term: Term,
    pub(crate) value: &'s Number,
}

impl Substitution<'_> {
    pub(crate) fn number(&self, number: &Number) -> Result<Number> {
        number.substitute(&|term| (*term == self.term).then(|| self.value.clone()))
    }

    pub(crate) fn window(&self, window: &Window) -> Result<Window> {
        let (start, length) = (self.number(&window.start)?, self.number(&window.length)?);
        Ok(Window { start, length, ..window.clone() })
    }

    pub(crate) fn text(&self, text: &Text) -> Result<Text> {
        text.iter().map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece) -> Result<Piece> {
        Ok(match piece {
            Piece::Window(window) => Piece::Window(self.window(window)?),
            Piece::Padding { length, first, last } => {
                Piece::Padding { length: self.number(length)?, first: *first, last: *last }
            }
            Piece::Map { operation, operands } => {
                let operands = operands.iter().map(|text| self.text(text)).collect::<Result<_>>()?;
                Piece::Map { operation: *operation, operands }
            }
        })
    }

    pub(crate) fn source(&self, source: &Source) -> Result<Source> {
        Ok(match source {
            Source::Variable(id) => Source::Variable(*id),
            Source::Element(id, index) => Source::Element(*id, self.number(index)?),
            Source::Text(text) => Source::Text(self.text(text)?),
            Source::Words { text, width, order } => {
                Source::Words { text: self.text(text)?, width: *width, order: *order }
            }
            Source::Word { number, width } => Source::Word { number: self.number(number)?, width: *width },
        })
    }

    pub(crate) fn step(&self, step: &Step) -> Result<Step> {
        let outputs = step.outputs.iter().map(|target| {
            Ok(match target {
                Target::Variable(id) => Target::Variable(*id),
                Target::Element(id, index) => Target::Element(*id, self.number(index)?),
                Target::Window(window) => Target::Window(self.window(window)?),
            })
        });
        let inputs = step.inputs.iter().map(|source| self.source(source)).collect::<Result<_>>()?;
        Ok(Step { node: step.node.clone(), inputs, outputs: outputs.collect::<Result<_>>()? })
    }
}
