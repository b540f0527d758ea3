//! Arrays of which a step makes one element after the other: their elements become variables.
//!
//! An element that the next iteration reads is carried. One that goes to an output, perhaps through an operation on bytes, goes
//! there where it is made.

use super::views::{assume_range, part};
use super::{Stuck, texts, variable_of, windows};
use crate::facts::Facts;
use crate::form::{
    Carried, Define, Loop, Message, Piece, Source, Statement, Step, Target, Text, VariableId, Window, length,
};
use crate::number::{Number, Term};
use usuba_lang::source::Span;

/// Replaces all arrays of public length that are no parameters.
pub(super) fn replace(message: &mut Message) -> Result<()> {
    let body = std::mem::take(&mut message.body);
    let mut facts = Facts::default();
    for condition in &message.conditions {
        facts.assume(condition);
    }
    let mut replacer = Replacer { message, stores: Vec::new() };
    let body = replacer.take_stores(body, &mut Vec::new(), &facts)?;
    let body = replacer.statements(body, &mut Vec::new(), &facts)?;
    let mut left: Option<VariableId> = None;
    texts(&body, &mut |text| {
        windows(text, &mut |window| {
            if message.is_local_array(window.variable) {
                left = Some(window.variable);
            }
        });
    });
    if let Some(id) = left {
        return Err(message.stuck(id, "it is read otherwise than element by element"));
    }
    message.body = body;
    crate::prune::prune(message);
    Ok(())
}

/// An element whose value a variable has.
#[derive(Clone, Debug)]
struct Element {
    array: VariableId,
    /// Where it begins: in bytes for arrays of bytes, else counted in elements.
    start: Number,
    /// Its size, in the same unit.
    size: i64,
    variable: VariableId,
}

/// An element of which each iteration of a loop makes the next one.
struct Handed {
    array: VariableId,
    /// Where that begins which an iteration makes.
    start: Number,
    size: i64,
    /// The variable of the element before the first.
    first: VariableId,
    /// Where the last one begins.
    last: Number,
}

/// A part of an output that is made of a local array.
struct Store {
    array: VariableId,
    /// The bytes of the array that are read.
    start: Number,
    length: Number,
    /// Where they go.
    target: Window,
    /// What goes there: a text of the length of the part, in which the array is read once.
    piece: Piece,
    span: Span,
}

struct Replacer<'m> {
    message: &'m mut Message,
    stores: Vec<Store>,
}

type Result<T> = std::result::Result<T, Stuck>;

impl Replacer<'_> {
    /// Takes definitions of outputs apart, and those pieces out that are made of local arrays. A piece of an element that is
    /// still known where it is defined stays there: whatever stands before it reads an input that the output is written over.
    fn take_stores(
        &mut self,
        body: Vec<Statement>,
        known: &mut Vec<Element>,
        facts: &Facts,
    ) -> Result<Vec<Statement>> {
        let mut made = Vec::new();
        for statement in body {
            match statement {
                Statement::Define(define) => self.take_define(define, known, facts, &mut made)?,
                Statement::If { condition, then, otherwise } => {
                    let before = self.stores.len();
                    let (mut yes, mut no) = (facts.clone(), facts.clone());
                    yes.assume(&condition);
                    no.assume(&condition.negated());
                    let then = self.take_stores(then, &mut known.clone(), &yes)?;
                    let one: Vec<Store> = self.stores.split_off(before);
                    let otherwise = self.take_stores(otherwise, &mut known.clone(), &no)?;
                    let two: Vec<Store> = self.stores.split_off(before);
                    let same = one.len() == two.len()
                        && one.iter().zip(&two).all(|(a, b)| {
                            a.target.start == b.target.start
                                && facts.same(&a.target.length, &b.target.length)
                                && a.piece == b.piece
                        });
                    if !same {
                        let id = one.iter().chain(&two).next().map_or(VariableId(0), |store| store.array);
                        return Err(self.message.stuck(id, "it goes to an output in one of two cases only"));
                    }
                    self.stores.extend(one);
                    made.push(Statement::If { condition, then, otherwise });
                }
                Statement::Step(step) => {
                    for target in &step.outputs {
                        if let Some((array, start, size)) = self.element(target, facts)? {
                            known.push(Element { array, start, size, variable: array });
                        }
                    }
                    made.push(Statement::Step(step));
                }
                Statement::Loop(one) => {
                    for Handed { array, size, last, .. } in self.handed(&one, known, facts)? {
                        known.push(Element { array, start: last, size, variable: array });
                    }
                    made.push(Statement::Loop(one));
                }
                other => made.push(other),
            }
        }
        Ok(made)
    }

    fn take_define(
        &mut self,
        define: Define,
        known: &[Element],
        facts: &Facts,
        made: &mut Vec<Statement>,
    ) -> Result<()> {
        let is_output = self.message.outputs.contains(&define.target.variable);
        let mut at = define.target.start.clone();
        let mut kept: Vec<(Number, Text)> = Vec::new();
        for piece in define.value {
            let size = piece.length();
            let mut local: Vec<&Window> = Vec::new();
            let text = [piece.clone()];
            windows(&text, &mut |window| {
                if self.message.is_local_array(window.variable) {
                    local.push(window);
                }
            });
            let end = at.plus(&size, 1)?;
            match local.as_slice() {
                [window] if is_output && !self.is_known(window, known, facts)? => {
                    self.stores.push(Store {
                        array: window.variable,
                        start: window.start.clone(),
                        length: window.length.clone(),
                        target: Window { start: at, length: size, ..define.target.clone() },
                        piece,
                        span: define.span,
                    });
                }
                _ if facts.same(&size, &Number::default()) => {}
                _ => match kept.last_mut() {
                    Some((start, text)) if facts.same(&start.plus(&length(text), 1)?, &at) => {
                        text.push(piece)
                    }
                    _ => kept.push((at, vec![piece])),
                },
            }
            at = end;
        }
        for (start, value) in kept {
            let target = Window { start, length: length(&value), ..define.target.clone() };
            made.push(Statement::Define(Define { target, value, span: define.span }));
        }
        Ok(())
    }

    fn statements(
        &mut self,
        body: Vec<Statement>,
        known: &mut Vec<Element>,
        facts: &Facts,
    ) -> Result<Vec<Statement>> {
        let mut made = Vec::new();
        for statement in body {
            match statement {
                Statement::Step(step) => self.step(step, known, facts, &mut made)?,
                Statement::Define(define) => {
                    let value = self.text(&define.value, known, facts)?;
                    made.push(Statement::Define(Define { value, ..define }));
                }
                Statement::Accept { left, right, span } => {
                    let (left, right) = (self.text(&left, known, facts)?, self.text(&right, known, facts)?);
                    made.push(Statement::Accept { left, right, span });
                }
                Statement::If { condition, then, otherwise } => {
                    let (mut yes, mut no) = (facts.clone(), facts.clone());
                    yes.assume(&condition);
                    no.assume(&condition.negated());
                    let then = self.statements(then, &mut known.clone(), &yes)?;
                    let otherwise = self.statements(otherwise, &mut known.clone(), &no)?;
                    made.push(Statement::If { condition, then, otherwise });
                }
                Statement::Loop(one) => made.push(Statement::Loop(self.in_loop(one, known, facts)?)),
            }
        }
        Ok(made)
    }

    fn step(
        &mut self,
        mut step: Step,
        known: &mut Vec<Element>,
        facts: &Facts,
        made: &mut Vec<Statement>,
    ) -> Result<()> {
        for source in &mut step.inputs {
            let made = match &*source {
                Source::Element(id, index) => match find(known, *id, index, &1.into(), facts)? {
                    Some((element, _)) => Source::Variable(element.variable),
                    None => return Err(self.message.stuck(*id, "an element is read that no step leaves")),
                },
                Source::Text(text) => {
                    let text = self.text(text, known, facts)?;
                    match text.as_slice() {
                        [Piece::Window(window)] if self.is_all(window) => Source::Variable(window.variable),
                        _ => Source::Text(text),
                    }
                }
                Source::Words { text, width, order } => {
                    Source::Words { text: self.text(text, known, facts)?, width: *width, order: *order }
                }
                other => other.clone(),
            };
            *source = made;
        }
        let mut stores = Vec::new();
        for target in &mut step.outputs {
            let Some((array, start, size)) = self.element(target, facts)? else { continue };
            let variable = self.message.element_variable(array, u32::try_from(size).unwrap_or(0));
            stores.extend(self.stored(array, &start, variable, facts)?);
            known.push(Element { array, start, size, variable });
            *target = Target::Variable(variable);
        }
        made.push(Statement::Step(step));
        made.extend(stores);
        Ok(())
    }

    /// What a step makes of a local array: the array, where it begins, and its size.
    fn element(&self, target: &Target, facts: &Facts) -> Result<Option<(VariableId, Number, i64)>> {
        let array = variable_of(target);
        if !self.message.is_local_array(array) {
            return Ok(None);
        }
        Ok(match target {
            Target::Element(_, index) => Some((array, index.clone(), 1)),
            Target::Window(window) => {
                let size = facts.simplified(&window.length)?.as_constant();
                let size = size.ok_or_else(|| self.message.stuck(array, "a part of public size is made"))?;
                Some((array, window.start.clone(), size))
            }
            Target::Variable(_) => None,
        })
    }

    /// Whether an element that is known has all of a window of a local array.
    fn is_known(&self, window: &Window, known: &[Element], facts: &Facts) -> Result<bool> {
        let (start, size) = self.unit(window)?;
        let variable = self.message.variable(window.variable);
        if variable.words.width != 8 {
            // A whole word.
            let bytes = i64::from(variable.words.bytes().unwrap_or(1));
            let is_one = facts.same(&window.length, &bytes.into())
                && facts.same(&window.start, &start.times(&bytes.into())?);
            if !is_one {
                return Ok(false);
            }
        }
        Ok(find(known, window.variable, &start, &size, facts)?.is_some())
    }

    /// Where a window of a local array begins and its size, in the units of its elements.
    fn unit(&self, window: &Window) -> Result<(Number, Number)> {
        let variable = self.message.variable(window.variable);
        if variable.words.width == 8 {
            return Ok((window.start.clone(), window.length.clone()));
        }
        let bytes = i64::from(variable.words.bytes().unwrap_or(1));
        Ok((window.start.quotient(&bytes.into())?, 1.into()))
    }

    /// Whether a window is all of a variable of a constant size.
    fn is_all(&self, window: &Window) -> bool {
        let variable = self.message.variable(window.variable);
        variable.count.is_none()
            && variable.words.width == 8
            && window.start.as_constant() == Some(0)
            && window.length.as_constant() == variable.words.bytes().map(i64::from)
    }

    /// The definitions of outputs by an element, which begins at `start` and is in `variable`.
    fn stored(
        &mut self,
        array: VariableId,
        start: &Number,
        variable: VariableId,
        facts: &Facts,
    ) -> Result<Vec<Statement>> {
        let Some(bytes) = self.message.variable(variable).words.bytes() else { return Ok(Vec::new()) };
        let size = Number::from(i64::from(bytes));
        // Elements of words are counted, not their bytes.
        let of_bytes = self.message.variable(array).words.width == 8;
        let start = if of_bytes { start.clone() } else { start.times(&size)? };
        let end = start.plus(&size, 1)?;
        let mut made = Vec::new();
        for store in &self.stores {
            if store.array != array {
                continue;
            }
            let last = store.start.plus(&store.length, 1)?;
            let from = facts.maximum(&start, &store.start)?;
            let to = facts.minimum(&end, &last)?;
            let size = facts.maximum(&to.plus(&from, -1)?, &Number::default())?;
            if facts.same(&size, &Number::default()) {
                continue;
            }
            let offset = from.plus(&store.start, -1)?;
            let value = part(&vec![store.piece.clone()], &offset, &size, facts)?;
            let value = value.ok_or_else(|| self.message.stuck(array, "its padding is cut"))?;
            let shift = from.plus(&start, -1)?;
            let value = instead(&value, array, variable, &shift);
            let target =
                Window { start: store.target.start.plus(&offset, 1)?, length: size, ..store.target.clone() };
            made.push(Statement::Define(Define { target, value, span: store.span }));
        }
        Ok(made)
    }

    fn text(&self, text: &Text, known: &[Element], facts: &Facts) -> Result<Text> {
        let mut made = Text::new();
        for piece in text {
            made.push(match piece {
                Piece::Window(window) if self.message.is_local_array(window.variable) => {
                    let (start, size) = self.unit(window)?;
                    match find(known, window.variable, &start, &size, facts)? {
                        Some((element, offset)) => Piece::Window(Window {
                            variable: element.variable,
                            start: offset,
                            ..window.clone()
                        }),
                        None => {
                            return Err(self
                                .message
                                .stuck(window.variable, "a part is read that no step leaves"));
                        }
                    }
                }
                Piece::Map { operation, operands } => {
                    let operands =
                        operands.iter().map(|text| self.text(text, known, facts)).collect::<Result<_>>()?;
                    Piece::Map { operation: *operation, operands }
                }
                other => other.clone(),
            });
        }
        Ok(made)
    }

    /// What the body of a loop makes of local arrays such that an iteration may find what the one before has made: what lies
    /// before the first of them is known.
    fn handed(&self, one: &Loop, known: &[Element], facts: &Facts) -> Result<Vec<Handed>> {
        let index = Term::Index(one.index);
        let mut handed = Vec::new();
        for statement in &one.body {
            let Statement::Step(step) = statement else { continue };
            for target in &step.outputs {
                let (array, start, size) = match target {
                    Target::Element(id, start) => (*id, start.clone(), 1),
                    Target::Window(window) => match window.length.as_constant() {
                        Some(size) => (window.variable, window.start.clone(), size),
                        None => continue,
                    },
                    Target::Variable(_) => continue,
                };
                let (rest, pace) = start.split(&index);
                if !self.message.is_local_array(array) || pace != size || rest.mentions(&index) {
                    continue;
                }
                let at_start = rest.plus(&one.start, pace)?.plus(&size.into(), -1)?;
                let Some((first, offset)) = find(known, array, &at_start, &size.into(), facts)? else {
                    continue;
                };
                if offset.as_constant() != Some(0) || first.size != size {
                    continue;
                }
                let last = rest.plus(&one.stop, pace)?.plus(&size.into(), -1)?;
                handed.push(Handed { array, start, size, first: first.variable, last });
            }
        }
        Ok(handed)
    }

    fn in_loop(&mut self, one: Loop, known: &mut Vec<Element>, facts: &Facts) -> Result<Loop> {
        let mut inside = facts.clone();
        assume_range(&mut inside, one.index, &one.start, &one.stop)?;
        let mut carried: Vec<(Carried, Handed)> = Vec::new();
        let mut within = known.clone();
        for handed in self.handed(&one, known, facts)? {
            let Handed { array, size, first, .. } = handed;
            let before = handed.start.plus(&size.into(), -1)?;
            let variable = self.message.element_variable(array, u32::try_from(size).unwrap_or(0));
            within.push(Element { array, start: before, size, variable });
            carried.push((Carried { variable, first, next: variable }, handed));
        }
        let body = self.statements(one.body, &mut within, &inside)?;
        let mut kept = Vec::new();
        for (mut carry, Handed { array, start, size, last, .. }) in carried {
            let made = find(&within, array, &start, &size.into(), &inside)?;
            let (element, _) =
                made.ok_or_else(|| self.message.stuck(array, "an iteration does not leave its element"))?;
            carry.next = element.variable;
            // After the loop the carried variable is the last element.
            known.push(Element { array, start: last, size, variable: carry.variable });
            kept.push(carry);
        }
        Ok(Loop { body, carried: kept, ..one })
    }
}

/// The youngest element that has a part of an array, and where in it that begins.
fn find<'k>(
    known: &'k [Element],
    array: VariableId,
    start: &Number,
    size: &Number,
    facts: &Facts,
) -> Result<Option<(&'k Element, Number)>> {
    for element in known.iter().rev().filter(|element| element.array == array) {
        let offset = start.plus(&element.start, -1)?;
        let rest = Number::from(element.size).plus(&offset, -1)?.plus(size, -1)?;
        if facts.not_negative(&offset) && facts.not_negative(&rest) {
            let offset = if facts.same(&offset, &Number::default()) { Number::default() } else { offset };
            return Ok(Some((element, offset)));
        }
    }
    Ok(None)
}

/// A text that reads an element, which begins `shift` bytes before what is read, for the array.
fn instead(text: &Text, array: VariableId, variable: VariableId, shift: &Number) -> Text {
    let piece = |piece: &Piece| match piece {
        Piece::Window(window) if window.variable == array => {
            Piece::Window(Window { variable, start: shift.clone(), ..window.clone() })
        }
        Piece::Map { operation, operands } => Piece::Map {
            operation: *operation,
            operands: operands.iter().map(|text| instead(text, array, variable, shift)).collect(),
        },
        other => other.clone(),
    };
    text.iter().map(piece).collect()
}
