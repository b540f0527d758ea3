//! Tables and permutations.

use super::messages::{Index, Positions};
use super::node::variable;
use super::types::{DeclaredType, Direction, DirectionTerm, Interface, SizeTerm, Width, Word};
use super::unify::{Conflict, Unifier};
use super::{Key, Session, attributes, messages, types};
use crate::ast::{self, AttributeKind, Bodies, List};
use crate::typed::{self, Lookup, VariableId};

/// The most index bits of a table: 2^16 values.
const MAX_INDEX: u32 = 16;

/// The S-boxes that the published compiler reads least significant atom first, because its circuits for them are
/// written so (D38): Serpent's eight, in order; RECTANGLE's; Clyde's.
const LSB_FIRST: [[u8; 16]; 10] = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
    [6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2],
    [0, 8, 1, 15, 2, 10, 7, 9, 4, 13, 5, 6, 14, 3, 11, 12],
];

/// Elaborates one element of a table or permutation. In generic checking, errors are reported and `None` returned.
pub(super) fn instance<'p>(
    session: &mut Session<'p>,
    definition: &'p ast::Definition,
    interface: &Interface<'p>,
    list: &'p List,
    key: &Key,
) -> Option<typed::Instance> {
    let mut unifier = Unifier::default();
    let sizes: Vec<Width> =
        key.sizes.iter().map(|bits| bits.map_or_else(|| unifier.fresh_width(), Width::Chosen)).collect();
    let directions: Vec<Direction> = key
        .directions
        .iter()
        .map(|direction| direction.unwrap_or_else(|| unifier.fresh_direction()))
        .collect();
    let word = |ty: &types::WordType| Word {
        width: match ty.size {
            SizeTerm::Bits(bits) => Width::Bits(bits),
            SizeTerm::Variable(index) => sizes.get(index).copied().unwrap_or(Width::Bits(1)),
        },
        direction: match ty.direction {
            DirectionTerm::V => Direction::V,
            DirectionTerm::H => Direction::H,
            DirectionTerm::B => Direction::B,
            DirectionTerm::Packed(words) => Direction::Packed(words),
            DirectionTerm::Variable(index) => directions.get(index).copied().unwrap_or(Direction::B),
        },
    };
    let words = |declared: &[types::Declared<'_>]| -> Vec<Word> {
        let types = declared.iter().filter_map(|d| match &d.ty {
            DeclaredType::Words(ty) => Some(ty),
            DeclaredType::Nat => None,
        });
        types.flat_map(|ty| std::iter::repeat_n(word(ty), ty.words as usize)).collect()
    };
    let inputs = words(&interface.inputs);
    let outputs = words(&interface.outputs);
    if !session.charge(inputs.len() + outputs.len() + list.entries.len(), definition.name.span, false) {
        return None;
    }
    if !session.generic
        && let Some((name, &span)) = interface
            .variables
            .sizes
            .iter()
            .zip(&sizes)
            .find_map(|(named, width)| width.bits().is_none().then_some(named))
    {
        session.report.add(messages::open_word(&definition.name, name, span));
        return None;
    }
    let before = session.report.failures();
    let mut reading = Reading { session, definition, list, unifier, inputs: &inputs, outputs: &outputs };
    let body = match &definition.bodies {
        Bodies::Table(_) => reading.table().map(typed::Body::Table),
        _ => reading.permutation().map(|sources| typed::Body::Permutation { sources }),
    };
    let unifier = reading.unifier;
    if session.generic || session.report.failures() > before {
        return None;
    }
    let bits = session.bits();
    let mut variables = Vec::new();
    let mut of = |declared: &[types::Declared<'_>]| -> Option<Vec<VariableId>> {
        let mut ids = Vec::new();
        for d in declared {
            let DeclaredType::Words(ty) = &d.ty else { continue };
            let word = unifier.word(word(ty));
            ids.push(VariableId(variables.len() as u32));
            variables.push(variable(
                d.name,
                &ty.dimensions,
                word.width.bits()?,
                word.direction,
                (d.constant.is_some(), d.uniform.is_some()),
                bits,
            )?);
        }
        Some(ids)
    };
    let input_ids = of(&interface.inputs)?;
    let output_ids = of(&interface.outputs)?;
    Some(typed::Instance {
        name: definition.name.text.clone(),
        symbol: String::new(),
        span: definition.span,
        attributes: attributes(definition),
        variables,
        inputs: input_ids,
        outputs: output_ids,
        body: body?,
    })
}

struct Reading<'r, 'p> {
    session: &'r mut Session<'p>,
    definition: &'p ast::Definition,
    list: &'p List,
    unifier: Unifier,
    inputs: &'r [Word],
    outputs: &'r [Word],
}

impl Reading<'_, '_> {
    fn describe(&self, words: &[Word]) -> String {
        let words: Vec<Word> = words.iter().map(|&word| self.unifier.word(word)).collect();
        types::describe(&words, &|_| "'m".to_string(), false)
    }

    fn known_bits(&self, words: &[Word]) -> Option<u32> {
        let mut sum = 0u32;
        for word in words {
            sum = sum.checked_add(self.unifier.width(word.width).bits()?)?;
        }
        Some(sum)
    }

    /// The 0-based sources of a permutation, over words or, where atoms are bits, over bits where words do not fit.
    fn permutation(&mut self) -> Option<Vec<u32>> {
        let (inputs, outputs) = (self.inputs.len() as u32, self.outputs.len() as u32);
        let bits = (self.known_bits(self.inputs), self.known_bits(self.outputs));
        let entries = &self.list.entries;
        let values: Vec<Option<u32>> = entries.iter().map(|entry| u32::try_from(&entry.value).ok()).collect();
        let fits = |inputs: u32, outputs: u32| {
            entries.len() as u32 == outputs && values.iter().all(|v| v.is_some_and(|v| 1 <= v && v <= inputs))
        };
        let on_bits = matches!(bits, (Some(i), Some(o)) if fits(i, o));
        if self.session.bits() {
            if fits(inputs, outputs)
                && let Some(sources) = self.spread(&values)
            {
                return Some(sources);
            }
            if on_bits {
                return values.into_iter().map(|v| v.and_then(|v| v.checked_sub(1))).collect();
            }
        }
        let sliced = on_bits && !self.session.bits();
        let from_zero = |inputs: u32| {
            values.contains(&Some(0)) && values.iter().all(|value| value.is_some_and(|value| value < inputs))
        };
        if let (Some(inputs), Some(outputs)) = bits
            && entries.len() == outputs as usize
            && entries.len() != self.outputs.len()
            && !on_bits
        {
            // As many entries as bits: what is wrong are the entries.
            let wrong = |value: &Option<u32>| !value.is_some_and(|value| 1 <= value && value <= inputs);
            for (entry, _) in entries.iter().zip(&values).filter(|(_, value)| wrong(value)) {
                let finding = messages::permutation_entry(entry, inputs, Positions::Bits, from_zero(inputs));
                self.session.report.add(finding);
            }
            return None;
        }
        let positions = if sliced { Positions::WordsOrBits } else { Positions::Words };
        if entries.len() as u32 != outputs {
            let outputs = self.describe(self.outputs);
            let count = self.outputs.len();
            self.session.report.add(messages::permutation_length(
                &self.definition.name,
                self.list,
                count,
                &outputs,
                sliced,
            ));
            return None;
        }
        let mut sources = Vec::with_capacity(entries.len());
        for (entry, value) in entries.iter().zip(&values) {
            match value.and_then(|v| v.checked_sub(1)).filter(|&v| v < inputs) {
                Some(source) => sources.push(source),
                None => {
                    let finding = messages::permutation_entry(entry, inputs, positions, from_zero(inputs));
                    self.session.report.add(finding);
                }
            }
        }
        if sources.len() < entries.len() {
            return None;
        }
        for ((source, output), entry) in sources.iter().zip(self.outputs).zip(entries) {
            let Some(&input) = self.inputs.get(*source as usize) else { continue };
            if let Err(conflict) = self.unifier.unify_word(input, *output) {
                let directions = conflict == Conflict::Direction;
                let (from, to) = (self.describe(&[input]), self.describe(&[*output]));
                self.session.report.add(messages::permutation_types(entry, &from, &to, directions));
                return None;
            }
        }
        Some(sources)
    }

    /// The sources of bits for a permutation of words; `None` if the words do not fit.
    fn spread(&self, values: &[Option<u32>]) -> Option<Vec<u32>> {
        let mut starts = Vec::with_capacity(self.inputs.len());
        let mut next = 0u32;
        for word in self.inputs {
            let bits = self.unifier.width(word.width).bits()?;
            starts.push((next, bits));
            next = next.checked_add(bits)?;
        }
        let mut sources = Vec::new();
        for (value, output) in values.iter().zip(self.outputs) {
            let &(start, bits) = starts.get(value.and_then(|v| v.checked_sub(1))? as usize)?;
            if self.unifier.width(output.width).bits() != Some(bits) {
                return None;
            }
            sources.extend(start..start + bits);
        }
        Some(sources)
    }

    fn table(&mut self) -> Option<typed::Table> {
        let entries = &self.list.entries;
        let count = entries.len() as u64;
        let bits = self.session.bits();
        let (inputs, outputs) = (self.inputs.len() as u32, self.outputs.len() as u32);
        let input_bits = self.known_bits(self.inputs);
        let output_bits = self.known_bits(self.outputs);
        let is = |n: u32| n <= MAX_INDEX && count == 1u64 << n;
        // One index bit for each word; otherwise, bit by bit, one for each bit of the words.
        let by_words = is(inputs) && self.alike();
        let by_bits = input_bits.is_some_and(is);
        let word_to_word = inputs == 1 && outputs == 1;
        let (lookup, index, value) = if by_words {
            let columns = if bits {
                self.unifier.width(self.inputs.first().or(self.outputs.first())?.width).bits()?
            } else {
                1
            };
            (Lookup::Columns { columns }, inputs, outputs)
        } else if by_bits && bits {
            (Lookup::Columns { columns: 1 }, input_bits?, output_bits?)
        } else if by_bits && word_to_word {
            // Some tables of bytes are arithmetic in GF(2^8): whether this one is, the lowering says.
            let of_bytes = (input_bits, output_bits) == (Some(8), Some(8));
            if !self.session.keep_tables && !of_bytes {
                let words = (self.describe(self.inputs), self.describe(self.outputs));
                let finding = messages::word_table(&self.definition.name, &words.0, &words.1);
                self.session.report.add(finding);
                return None;
            }
            if !self.session.generic && !of_bytes {
                self.session.report.add(messages::table_is_looked_up(&self.definition.name));
            }
            (Lookup::Word, input_bits?, output_bits?)
        } else {
            let words = self.describe(self.inputs);
            let of_word = word_to_word && !bits && input_bits.is_some_and(|bits| bits > 1);
            let size = input_bits.filter(|_| bits || of_word).unwrap_or(inputs);
            let indexed = match (of_word, by_bits) {
                (true, _) => Index::Word,
                (_, true) => Index::WordsOrBits,
                _ => Index::Words,
            };
            let finding = if is(inputs) {
                let outputs = self.describe(self.outputs);
                messages::table_types(&self.definition.name, &words, &outputs)
            } else {
                messages::table_length(&self.definition.name, self.list, size, &words, MAX_INDEX, indexed)
            };
            self.session.report.add(finding);
            return None;
        };
        let fits = |entry: &ast::Integer| value >= 64 || entry.value.bits() <= u64::from(value);
        if let Some(size) = input_bits.filter(|&size| by_words && word_to_word && size > 1)
            && !entries.iter().all(fits)
        {
            // Two values of more than a bit: a table of whole words that is cut short, not one of single bits.
            let words = self.describe(self.inputs);
            let finding = messages::table_length(
                &self.definition.name,
                self.list,
                size,
                &words,
                MAX_INDEX,
                Index::Word,
            );
            self.session.report.add(finding);
            return None;
        }
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            match u64::try_from(&entry.value) {
                Ok(number) if fits(entry) => values.push(number),
                _ => self.session.report.add(messages::table_entry(entry, value)),
            }
        }
        if values.len() < entries.len() || value > 64 {
            if value > 64 {
                self.session.report.add(messages::table_too_wide(&self.definition.name, value));
            }
            return None;
        }
        // The bits of one word are read as a number whatever the order of the atoms.
        let of_atoms = matches!(lookup, Lookup::Columns { .. }) && by_words;
        if of_atoms && self.least_significant_first(&values) {
            values = reversed(&values, index, value);
        }
        Some(typed::Table { lookup, inputs: index, outputs: value, entries: values })
    }

    /// Makes all words of a table equal; false if they are not. Where atoms are bits only the sizes count.
    fn alike(&mut self) -> bool {
        let Some(&model) = self.inputs.first().or(self.outputs.first()) else { return false };
        for &word in self.inputs.iter().chain(self.outputs) {
            let agree = if self.session.bits() {
                self.unifier.width(word.width).bits() == self.unifier.width(model.width).bits()
            } else {
                self.unifier.unify_word(model, word).is_ok()
            };
            if !agree {
                return false;
            }
        }
        true
    }

    /// Whether the first atom is the least significant: by attribute, or because it always was for this list (D38).
    fn least_significant_first(&mut self, values: &[u64]) -> bool {
        for attribute in &self.definition.attributes {
            match attribute.kind {
                AttributeKind::Lsb => return true,
                AttributeKind::Msb => return false,
                _ => {}
            }
        }
        let known =
            LSB_FIRST.iter().any(|list| list.iter().map(|&v| u64::from(v)).eq(values.iter().copied()));
        if known {
            self.session.report.add(messages::table_order(self.definition, self.list));
        }
        known
    }
}

/// The same table with the order of index bits and of value bits reversed.
fn reversed(values: &[u64], inputs: u32, outputs: u32) -> Vec<u64> {
    let reverse = |value: u64, bits: u32| if bits == 0 { 0 } else { value.reverse_bits() >> (64 - bits) };
    (0..values.len() as u64)
        .map(|index| {
            let source = reverse(index, inputs);
            reverse(values.get(source as usize).copied().unwrap_or(0), outputs)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::reversed;

    #[test]
    fn reversing_twice_is_nothing() {
        let table: Vec<u64> = vec![9, 4, 10, 11, 13, 1, 8, 5, 6, 2, 0, 3, 12, 14, 15, 7];
        assert_eq!(reversed(&reversed(&table, 4, 4), 4, 4), table);
        assert_eq!(reversed(&[0, 1, 2, 3], 2, 2), [0, 1, 2, 3]);
        assert_eq!(reversed(&[0, 0, 0, 1], 2, 1), [0, 0, 0, 1]);
        assert_eq!(reversed(&[0, 2, 0, 0], 2, 2), [0, 0, 1, 0]);
    }
}
