//! Unification of word sizes and directions within one definition (D24, D25).

use super::types::{Direction, Width, Word};

/// What two words disagree in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conflict {
    Width,
    Direction,
}

/// The size and direction variables of one definition and of the calls in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Unifier {
    widths: Vec<Option<Width>>,
    directions: Vec<Option<Direction>>,
    /// Variables below this number are size variables that the definition itself declares.
    own_widths: u32,
}

impl Unifier {
    /// A new size variable.
    pub(super) fn fresh_width(&mut self) -> Width {
        self.widths.push(None);
        Width::Variable(self.widths.len() as u32 - 1)
    }

    /// A new direction variable.
    pub(super) fn fresh_direction(&mut self) -> Direction {
        self.directions.push(None);
        Direction::Variable(self.directions.len() as u32 - 1)
    }

    /// Declares all size variables made so far to be the definition's own.
    pub(super) fn own_widths_end_here(&mut self) {
        self.own_widths = self.widths.len() as u32;
    }

    /// What `width` stands for.
    pub(super) fn width(&self, mut width: Width) -> Width {
        while let Width::Variable(variable) = width {
            match self.widths.get(variable as usize).copied().flatten() {
                Some(next) => width = next,
                None => break,
            }
        }
        width
    }

    /// What `direction` stands for.
    pub(super) fn direction(&self, mut direction: Direction) -> Direction {
        while let Direction::Variable(variable) = direction {
            match self.directions.get(variable as usize).copied().flatten() {
                Some(next) => direction = next,
                None => break,
            }
        }
        direction
    }

    /// `word` with what is known about it filled in.
    pub(super) fn word(&self, word: Word) -> Word {
        Word { width: self.width(word.width), direction: self.direction(word.direction) }
    }

    /// Whether the author left the size of a word to the caller.
    pub(super) fn is_polymorphic(&self, mut width: Width) -> bool {
        loop {
            match width {
                Width::Bits(_) => return false,
                Width::Chosen(_) => return true,
                Width::Variable(variable) if variable < self.own_widths => return true,
                Width::Variable(variable) => match self.widths.get(variable as usize).copied().flatten() {
                    Some(next) => width = next,
                    None => return true,
                },
            }
        }
    }

    /// Makes two sizes equal; false if they cannot be.
    pub(super) fn unify_width(&mut self, left: Width, right: Width) -> bool {
        match (self.width(left), self.width(right)) {
            // A younger variable points to an older one, so that what a call leaves open becomes the caller's own.
            (Width::Variable(a), Width::Variable(b)) if a != b => {
                self.bind_width(a.max(b), Width::Variable(a.min(b)))
            }
            (Width::Variable(a), Width::Variable(b)) => a == b,
            (Width::Variable(a), known) | (known, Width::Variable(a)) => self.bind_width(a, known),
            (a, b) => a.bits() == b.bits(),
        }
    }

    fn bind_width(&mut self, variable: u32, width: Width) -> bool {
        match self.widths.get_mut(variable as usize) {
            Some(cell) => {
                *cell = Some(width);
                true
            }
            None => false,
        }
    }

    /// Makes two directions equal; false if they cannot be.
    pub(super) fn unify_direction(&mut self, left: Direction, right: Direction) -> bool {
        let (variable, other) = match (self.direction(left), self.direction(right)) {
            (Direction::Variable(a), Direction::Variable(b)) if a == b => return true,
            (Direction::Variable(a), Direction::Variable(b)) => (a.max(b), Direction::Variable(a.min(b))),
            (Direction::Variable(a), known) | (known, Direction::Variable(a)) => (a, known),
            (a, b) => return a == b,
        };
        match self.directions.get_mut(variable as usize) {
            Some(cell) => {
                *cell = Some(other);
                true
            }
            None => false,
        }
    }

    /// Makes two words equal. One-bit words have every direction at once (D35).
    pub(super) fn unify_word(&mut self, left: Word, right: Word) -> Result<(), Conflict> {
        if !self.unify_width(left.width, right.width) {
            return Err(Conflict::Width);
        }
        if self.width(left.width).bits() == Some(1) || self.unify_direction(left.direction, right.direction) {
            return Ok(());
        }
        Err(Conflict::Direction)
    }
}
