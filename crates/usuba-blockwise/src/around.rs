//! Batches for a cipher that is a function, with what is around it on blocks in registers: what is before a call for many positions,
//! the function on all their blocks, and what is behind it. Where its blocks are those of a string, it reads the string itself.

use crate::alone::{Course, Goals, course};
use crate::draft::{Draft, Draw, Pending};
use crate::glue::{LoopKind, Writer, Written, refuse};
use crate::helpers::BATCH;
use crate::loops::GROUPS;
use crate::place::{self, as_is};
use crate::plan::Given;
use crate::step::{Step, Value};
use std::rc::Rc;
use usuba_message::form::{Loop, Statement, VariableId};

/// What goes on before the cipher, and once more behind it.
struct Twice {
    variable: VariableId,
    slot: usize,
    ahead: String,
}

impl Writer<'_> {
    /// Batches on blocks, if all that is carried goes on by itself.
    pub(crate) fn around(&mut self, one: &Loop) -> Written<()> {
        if self.blocks.is_none() || !self.functions || self.lane.is_some() || self.is_once(one) {
            return refuse("no function on blocks");
        }
        let (place, call) = self.call_inside(one)?;
        if call.bytes as u32 * 8 != place::BITS {
            return refuse("a cipher whose block is no register's");
        }
        for carried in &one.carried {
            self.copy(carried.variable, carried.first)?;
        }
        let mut draft = Draft::default();
        let mut results = self.draft(one, &mut draft)?;
        let next = self.next(one, &draft)?;
        let blocks = self.fresh("blocks");
        let (mut sums, mut twice, mut chosen) = (Vec::new(), Vec::new(), Vec::new());
        for (carried, next) in one.carried.iter().zip(&next) {
            let slot = draft.carried.get(&carried.variable).copied();
            let Some(slot) = slot else { return refuse("what is carried is not known") };
            let variable = carried.variable;
            match course(&mut draft, slot, *next, &results) {
                Some(Course::Orbit(map)) => {
                    draft.plan.given[slot] = Given::Orbit(map);
                    twice.push(Twice { variable, slot, ahead: self.fresh("ahead") });
                }
                Some(Course::Sum(sum)) => sums.push((variable, sum)),
                Some(Course::Prefix(entry)) => {
                    let values = self.fresh("values");
                    let entry = draft.given[entry].clone();
                    draft.plan.given[slot] = Given::Each;
                    draft.given[slot].clone_from(&values);
                    chosen.push((variable, entry, values));
                }
                None => return refuse("what is carried does not go on by itself"),
            }
        }
        if draft.plan.given.contains(&Given::Number) {
            return refuse("a number in what is around a function");
        }
        let goals = draft.results.clone();
        results.extend(sums.iter().map(|(_, sum)| *sum));
        let added: Vec<String> = sums.iter().map(|(variable, _)| self.name(*variable)).collect();
        let Some((before, behind)) = halves(&draft, &blocks) else { return refuse("more than one call") };

        let (start, stop, index) = (self.number(&one.start), self.number(&one.stop), one.index);
        for one in &twice {
            let name = self.name(one.variable);
            self.line(&format!("_Alignas(16) uint8_t {}[16];", one.ahead));
            self.line(&format!("memcpy({}, {name}, 16);", one.ahead));
        }
        let [from, count] = ["from", "count"].map(|name| self.fresh(name));
        let positions = format!("{BATCH} / 16");
        self.line(&format!("for (int64_t {from} = {start}; {from} < {stop}; {from} += {positions}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {count} = minimum({positions}, {stop} - {from});"));
        self.line(&format!("_Alignas(64) uint8_t {blocks}[{BATCH}];"));
        for (variable, entry, values) in &chosen {
            let name = self.name(*variable);
            self.line(&format!("_Alignas(64) uint8_t {values}[{BATCH}];"));
            self.added_up((entry, values), (index, &from, &count), Some(&name));
        }
        self.line(&format!("const int64_t i{index} = {from};"));
        let text = match before {
            Before::Text(slot) => draft.given[slot].clone(),
            Before::Made(mut before, made) => {
                for one in &twice {
                    before.given[one.slot].clone_from(&one.ahead);
                }
                let before = before.only(&[made]);
                let (plan, given, _) = before.finish(&[made], &[]);
                let goals = Goals { results: vec![blocks.clone()], sums: Vec::new() };
                self.registers((&plan, &given), GROUPS, &count, &goals)?;
                blocks.clone()
            }
        };
        let Some(Statement::Step(step)) = one.body.get(place) else { return refuse("no step") };
        let parts = self.parts_for(step, &|_| false)?;
        self.cipher(&parts, &call, (&text, &blocks), &count)?;
        let (mut plan, given, _) = behind.only(&results).finish(&results, &[]);
        plan.sums = plan.results.split_off(plan.results.len() - sums.len());
        if twice.iter().any(|one| !given.contains(&self.name(one.variable))) {
            return refuse("what goes through a map is not needed behind the cipher");
        }
        self.registers((&plan, &given), GROUPS, &count, &Goals { results: goals, sums: added })?;
        self.foot();
        self.coded(one, LoopKind::Around);
        Ok(())
    }
}

/// What is before the cipher.
enum Before {
    /// Nothing: its blocks are those of a string that is given.
    Text(usize),
    /// What makes its blocks, and which these are.
    Made(Box<Draft>, Draw),
}

/// What is before and behind the only call of the cipher in a draft, whose results lie in memory then.
fn halves(draft: &Draft, blocks: &str) -> Option<(Before, Draft)> {
    let is_cipher = |value: &Value| matches!(value, Value::Cipher { .. });
    let mut found = None;
    let mut first = 0;
    for (at, action) in draft.pending.iter().enumerate() {
        let made = match action {
            Pending::Step(step, inputs) => {
                for (value, one) in step.values.iter().enumerate().filter(|(_, value)| is_cipher(value)) {
                    let Value::Cipher { block, .. } = one else { return None };
                    if found
                        .replace((at, first, Rc::clone(step), inputs.clone(), value, block.clone()))
                        .is_some()
                    {
                        return None;
                    }
                }
                step.blocks()
            }
            _ => 1,
        };
        first += made;
    }
    let (at, first, step, inputs, value, block) = found?;
    if block.len() != place::BITS as usize {
        return None;
    }
    let text = |(input, (draw, places)): (usize, &(Draw, Vec<u32>))| {
        let Draw::Given(slot) = draw else { return None };
        let own = step.values.iter().position(|value| *value == Value::Input(input))?;
        let as_it_is =
            block.iter().zip(0..).all(|(bit, place)| !bit.constant && bit.terms[..] == [(own, place)]);
        let is_text = draft.plan.given.get(*slot) == Some(&Given::Each) && *places == as_is(place::BITS);
        (as_it_is && is_text).then_some(*slot)
    };
    let before = match inputs.iter().enumerate().find_map(text) {
        Some(slot) => Before::Text(slot),
        None => {
            let mut before = draft.clone();
            before.pending.truncate(at);
            let alone = Step { outputs: vec![block], schedules: Vec::new(), ..Step::clone(&step) }.needed();
            before.pending.push(Pending::Step(Rc::new(alone), inputs.clone()));
            Before::Made(Box::new(before), Draw::Made(first))
        }
    };
    let mut behind = draft.clone();
    let (mut rest, mut inputs) = (Step::clone(&step), inputs);
    rest.values[value] = Value::Input(rest.inputs.len());
    rest.inputs.push(place::BITS);
    inputs.push((behind.give(Given::Each, blocks.to_owned()), as_is(place::BITS)));
    behind.pending[at] = Pending::Step(Rc::new(rest.needed()), inputs);
    Some((before, behind))
}
