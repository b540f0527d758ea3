//! References: `x[1][0..3]` as a list of atoms.

use super::messages;
use super::node::{Binding, Body};
use super::types::Word;
use crate::ast::{Name, Reference, Selection, Static};
use crate::typed::VariableId;

/// Atoms of one variable.
#[derive(Clone, Debug)]
pub(super) struct Selected {
    pub(super) variable: VariableId,
    /// Row-major positions.
    pub(super) atoms: Vec<u32>,
    pub(super) words: Vec<Word>,
}

impl<'p> Body<'p, '_> {
    /// Evaluates the selections of a reference to a variable. Composed selections are row-major (D17); both bounds of
    /// every index are checked (D16).
    pub(super) fn select(&mut self, reference: &Reference) -> Option<Selected> {
        let name = &reference.name;
        if self.nat(&name.text).is_some() {
            self.report_here(messages::nat_as_word(name));
            return None;
        }
        let Some(Binding::Variable(variable)) = self.binding(&name.text) else { return None };
        let local = self.variables.get(variable.0 as usize)?.clone();
        let bits = self.bits();
        let mut positions: Vec<u32> = vec![0];
        let mut remaining = local.dimensions.as_slice();
        let mut word = local.word;
        let mut atoms_per_word = local.atoms_per_word;
        let mut of_bits = false;
        for selection in &reference.selections {
            let dimension = match remaining.split_first() {
                Some((&dimension, rest)) => {
                    remaining = rest;
                    dimension
                }
                // Where atoms are bits an atom is a vector of bits, most significant first.
                None if bits && !of_bits => {
                    of_bits = true;
                    let dimension = std::mem::replace(&mut atoms_per_word, 1);
                    word = Word::bit(word.direction);
                    dimension
                }
                None => {
                    let declared = self.describe(&[local.word]);
                    let finding = messages::atom_indexed(reference, &declared, bits, local.dimensions.len());
                    self.report_here(finding);
                    return None;
                }
            };
            let indices = self.indices(selection, dimension, name)?;
            self.charge(positions.len().saturating_mul(indices.len()))?;
            positions = positions
                .iter()
                .flat_map(|&position| indices.iter().map(move |&index| position * dimension + index))
                .collect();
        }
        let words_each: u32 = remaining.iter().product();
        let count = positions.len().saturating_mul(words_each as usize);
        let atoms_each = words_each * atoms_per_word;
        self.charge(count.saturating_mul(atoms_per_word as usize))?;
        let atoms = positions
            .iter()
            .flat_map(|&position| (0..atoms_each).map(move |atom| position * atoms_each + atom))
            .collect();
        Some(Selected { variable, atoms, words: vec![word; count] })
    }

    /// The row-major positions that selections choose of an array, and the dimensions that are left of it.
    pub(super) fn positions<'d>(
        &mut self,
        selections: &[Selection],
        dimensions: &'d [u32],
        name: &Name,
    ) -> Option<(Vec<u32>, &'d [u32])> {
        let mut positions: Vec<u32> = vec![0];
        let mut remaining = dimensions;
        for selection in selections {
            let Some((&dimension, rest)) = remaining.split_first() else {
                self.report_here(messages::word_indexed(name));
                return None;
            };
            remaining = rest;
            let indices = self.indices(selection, dimension, name)?;
            self.charge(positions.len().saturating_mul(indices.len()))?;
            positions = positions
                .iter()
                .flat_map(|&position| indices.iter().map(move |&index| position * dimension + index))
                .collect();
        }
        Some((positions, remaining))
    }

    fn indices(&mut self, selection: &Selection, dimension: u32, name: &Name) -> Option<Vec<u32>> {
        match selection {
            Selection::Index(index) => Some(vec![self.index(index, dimension, name)?]),
            Selection::HalfOpen(from, to) => {
                let (start, end) = (self.static_value(from), self.static_value(to));
                let (start, end) = (start?, end?);
                let within = 0 <= start && start <= end && end <= i64::from(dimension);
                if !within {
                    let note = self.iteration_of_both(from, to);
                    let span = from.span.to(to.span);
                    self.report(messages::range_out_of_range(span, name, start, end, dimension), note);
                    return None;
                }
                Some((start as u32..end as u32).collect())
            }
            Selection::Range(from, to) => {
                let from = self.index(from, dimension, name);
                let to = self.index(to, dimension, name);
                let (from, to) = (from?, to?);
                Some(if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() })
            }
            Selection::Slice(indices) => {
                let found: Vec<Option<u32>> =
                    indices.iter().map(|index| self.index(index, dimension, name)).collect();
                found.into_iter().collect()
            }
        }
    }

    fn index(&mut self, index: &Static, dimension: u32, name: &Name) -> Option<u32> {
        let value = self.static_value(index)?;
        match u32::try_from(value) {
            Ok(value) if value < dimension => Some(value),
            _ => {
                let note = self.iteration_of(index);
                let finding = messages::index_out_of_range(index.span, name, value, dimension);
                self.report(finding, note);
                None
            }
        }
    }
}
