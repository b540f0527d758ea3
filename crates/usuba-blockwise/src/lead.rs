//! The block before a text: whether what the cipher adds to the sum of a message is what it would make at the position before the
//! text's first one, as E(K, J0) of GCM is. Then a row of blocks may begin with it.
//!
//! That is proved of the forms of both steps: where the number of the position is zero, the block that is encrypted in the loop is the
//! block that is encrypted after it, by the same keys; and the number before the first one is zero.

use crate::glue::{Writer, Written};
use crate::plan::{Action, Given, Plan};
use crate::segment::{Body, Segment};
use crate::step::{Bit, Step, Value, in_memory};
use usuba_ir::program::BinaryOp;
use usuba_lang::typed::ArithmeticOp;
use usuba_message::form::{self, Source, Statement, VariableId};
use usuba_message::number::{Number, Term};

impl Writer<'_> {
    /// Whether a step adds to the sum what the cipher makes at the position before the first of a text.
    pub(crate) fn leads(
        &mut self,
        text: &Segment,
        after: &form::Step,
        carried: VariableId,
    ) -> Written<Option<Lead>> {
        let Body::Positions { plan, given, .. } = &text.body else { return Ok(None) };
        let (one, other) = (self.form(&after.node)?, text.loops[0].clone());
        let sources: Vec<&Source> = after.inputs.iter().collect();
        let Some(inside) = stream(plan) else { return Ok(None) };
        let Some(outside) = added(&one, &|input| sources.get(input) == Some(&&Source::Variable(carried)))
        else {
            return Ok(None);
        };
        // The same cipher of the same block by the same keys.
        let named = |input: usize| match sources.get(input) {
            Some(Source::Variable(id)) => Some(self.name(*id)),
            _ => None,
        };
        let places = |input: usize| match sources.get(input) {
            Some(Source::Variable(id)) => {
                Some(in_memory(self.bits(*id), self.message.variable(*id).words.width))
            }
            _ => None,
        };
        let of = |slot: usize| given.get(slot).cloned();
        let same = inside.node == outside.node
            && of(inside.block) == named(outside.block)
            && of(inside.keys) == named(outside.keys)
            && places(outside.block).as_ref() == Some(&inside.places)
            && places(outside.sum) == Some(crate::place::as_is(crate::place::BITS))
            && plan.given.get(inside.block) == Some(&Given::Same);
        // The number before the first position is zero.
        let words = other.body.iter().flat_map(|statement| match statement {
            Statement::Step(step) => &step.inputs[..],
            _ => &[],
        });
        let mut numbers = words.filter_map(|source| match source {
            Source::Word { number, .. } => Some(number.clone()),
            _ => None,
        });
        let (Some(number), None) = (numbers.next(), numbers.next()) else { return Ok(None) };
        let before = other.start.plus(&Number::from(1), -1);
        let at = |term: &Term| match (term, &before) {
            (Term::Index(index), Ok(before)) if *index == other.index => Some(before.clone()),
            _ => None,
        };
        let is_zero = number.substitute(&at).is_ok_and(|number| number.as_constant() == Some(0));
        let number = of(inside.number);
        let Some(Source::Variable(start)) = sources.get(outside.block) else { return Ok(None) };
        let lead = |number| Lead { number, sum: outside.sum, start: *start };
        Ok(number.filter(|_| same && is_zero).map(lead))
    }
}

/// The block before a text.
pub(crate) struct Lead {
    /// The number of the text's positions, in C.
    pub(crate) number: String,
    /// The input that is the sum, of the step that adds what the cipher makes.
    pub(crate) sum: usize,
    /// What the cipher gets then.
    pub(crate) start: VariableId,
}

/// The keystream of a plan: what the cipher makes of a block that is the same for all positions and a number.
pub(crate) struct Stream {
    pub(crate) node: String,
    /// Among what the plan is given.
    pub(crate) block: usize,
    pub(crate) number: usize,
    pub(crate) keys: usize,
    /// Where the bits lie that are encrypted where the number is zero.
    places: Vec<u32>,
}

/// The keystream of a plan whose only result is a text with that added to it.
pub(crate) fn stream(plan: &Plan) -> Option<Stream> {
    let each = plan.given.iter().position(|given| *given == Given::Each)?;
    let [step_action, Action::Binary(BinaryOp::Xor, a, b)] = &plan.actions[..] else { return None };
    let Action::Step(step, inputs) = step_action else { return None };
    let (made, result) = (plan.given.len(), plan.given.len() + step.blocks());
    if plan.results[..] != [result]
        || step.blocks() != 1
        || [(*a, *b), (*b, *a)].iter().all(|one| *one != (each, made))
    {
        return None;
    }
    let [output] = &step.outputs[..] else { return None };
    let Value::Cipher { node, block, keys } = whole(step, output)? else { return None };
    let is_number = |input: usize| {
        inputs.get(input).is_some_and(|(slot, _)| plan.given.get(*slot) == Some(&Given::Number))
    };
    let at_zero: Vec<Bit> = block.iter().map(|bit| without(step, bit, &is_number)).collect::<Option<_>>()?;
    let mut source = None;
    let mut places = Vec::new();
    for bit in &at_zero {
        let [(value, number)] = bit.terms[..] else { return None };
        let Some(Value::Input(input)) = step.values.get(value) else { return None };
        if bit.constant || source.is_some_and(|known| known != *input) {
            return None;
        }
        source = Some(*input);
        places.push(*inputs.get(*input)?.1.get(number as usize)?);
    }
    let number = (0..step.inputs.len()).find(|&input| is_number(input) && step.uses(input))?;
    let slot = |input: usize| inputs.get(input).map(|(slot, _)| *slot);
    Some(Stream {
        node: node.clone(),
        block: slot(source?)?,
        number: slot(number)?,
        keys: slot(*keys)?,
        places,
    })
}

/// A bit where a number is zero: a sum of words with it is the other word.
fn without(step: &Step, bit: &Bit, is_number: &dyn Fn(usize) -> bool) -> Option<Bit> {
    let of_number = |bit: &Bit| {
        !bit.constant
            && bit.terms.iter().all(|(value, _)| {
                matches!(step.values.get(*value), Some(Value::Input(input)) if is_number(*input))
            })
    };
    let mut made = Bit { constant: bit.constant, terms: Vec::new() };
    for &(value, number) in &bit.terms {
        let one = match step.values.get(value)? {
            Value::Word { op: ArithmeticOp::Add, left, right } => {
                let other = match (left.iter().all(of_number), right.iter().all(of_number)) {
                    (true, _) => right,
                    (_, true) => left,
                    _ => return None,
                };
                other.get(number as usize)?.clone()
            }
            Value::Input(input) if is_number(*input) => Bit::default(),
            Value::Input(_) => Bit { constant: false, terms: vec![(value, number)] },
            _ => return None,
        };
        made.constant ^= one.constant;
        for term in one.terms {
            match made.terms.iter().position(|known| *known == term) {
                Some(twice) => drop(made.terms.remove(twice)),
                None => made.terms.push(term),
            }
        }
    }
    Some(made)
}

/// The value that bits are, one by one.
fn whole<'s>(step: &'s Step, bits: &[Bit]) -> Option<&'s Value> {
    let (value, _) = *bits.first()?.terms.first()?;
    let same = bits.iter().zip(0..).all(|(bit, number)| !bit.constant && bit.terms[..] == [(value, number)]);
    let is_all = step.values.get(value).is_some_and(|value| step.width(value) as usize == bits.len());
    step.values.get(value).filter(|_| same && is_all)
}

/// What a step adds to a block that it is given: its input, and what the cipher makes of another.
struct Added {
    node: String,
    sum: usize,
    block: usize,
    keys: usize,
}

/// What a step with one output adds to its input that `is_sum` names.
fn added(step: &Step, is_sum: &dyn Fn(usize) -> bool) -> Option<Added> {
    let [output] = &step.outputs[..] else { return None };
    let mut sum = None;
    let mut rest: Vec<Bit> = Vec::new();
    for (bit, number) in output.iter().zip(0..) {
        let [one, other] = bit.terms[..] else { return None };
        let of = |(value, at): (usize, u32)| match step.values.get(value) {
            Some(Value::Input(input)) if is_sum(*input) && at == number => Some(*input),
            _ => None,
        };
        let (input, term) = match (of(one), of(other)) {
            (Some(input), None) => (input, other),
            (None, Some(input)) => (input, one),
            _ => return None,
        };
        if bit.constant || sum.is_some_and(|known| known != input) {
            return None;
        }
        sum = Some(input);
        rest.push(Bit { constant: false, terms: vec![term] });
    }
    let Value::Cipher { node, block, keys } = whole(step, &rest)? else { return None };
    let Value::Input(block) = whole(step, block)? else { return None };
    Some(Added { node: node.clone(), sum: sum?, block: *block, keys: *keys })
}
