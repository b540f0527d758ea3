//! Loops around a cipher that is a function, of which no call needs another: calls on many blocks at once. The same serves where the
//! machine has rounds of the cipher, and what is around them is not on blocks side by side: the function is a kernel then.
//!
//! What is before a call is computed for many positions, then the function is called on all their blocks, then comes what is behind
//! it. A loop may carry what needs no result of the cipher, as the tweaks of XTS and the offsets of OCB: where blocks need that, it
//! goes on in both passes over the positions of a batch. Whatever else is carried goes on in the second.

use crate::draft::{Draft, Draw, Pending};
use crate::glue::{LoopKind, Parts, Writer, Written, refuse};
use crate::helpers::BATCH;
use crate::loops::{GROUPS, reads, source_reads};
use crate::phases::CipherCall;
use crate::place::{self, as_is};
use crate::plan::{Given, Plan};
use crate::step::{Bit, Step, Value};
use std::collections::BTreeSet;
use std::rc::Rc;
use usuba_message::classes::reads_itself;
use usuba_message::facts::Facts;
use usuba_message::form::{self, Carried, Loop, Statement, Target, VariableId};

/// The longest block.
const LONGEST: usize = 64;

/// What the first pass over a batch goes on with.
struct Ahead {
    /// What is carried.
    carried: Vec<Carried>,
    /// What makes the blocks for the cipher, and then what is carried next.
    step: Step,
    /// What is behind the cipher.
    last: Step,
}

impl Writer<'_> {
    /// A loop of which the cipher is called for many positions at once.
    pub(crate) fn batches(&mut self, one: &Loop) -> Written<()> {
        let has_cipher = self.functions || self.blocks.is_some();
        if !has_cipher || self.lane.is_some() || reads_itself(&one.body) {
            return refuse("a position needs another one");
        }
        if self.is_once(one) {
            return refuse("there is one position at most");
        }
        let (place, call) = self.call_inside(one)?;
        let Some(Statement::Step(step)) = one.body.get(place) else { return refuse("no step") };
        let ahead = self.ahead(one, (place, step))?;
        let is_carried = |id: VariableId| one.carried.iter().any(|carried| carried.variable == id);
        if one.carried.iter().any(|carried| is_carried(carried.next)) {
            return refuse("what is carried changes places");
        }
        let mut own = Vec::new();
        for carried in &one.carried {
            let bits = self.bits(carried.variable);
            let name =
                self.declare("carried", bits.div_ceil(8).next_multiple_of(16), !bits.is_multiple_of(64));
            self.copy_named(&name, &self.name(carried.first), bits);
            own.push((carried.variable, self.name(carried.variable), name, bits));
        }
        let outer = (self.carried.clone(), self.in_loop);
        self.carried.extend(own.iter().map(|(id, _, name, _)| (*id, name.clone())));
        self.in_loop |= !one.carried.is_empty();
        let (start, stop, index) = (self.number(&one.start), self.number(&one.stop), one.index);
        let [from, to, blocks] = ["from", "to", "blocks"].map(|name| self.fresh(name));
        let positions = format!("{BATCH} / {}", call.bytes);
        self.line(&format!("for (int64_t {from} = {start}; {from} < {stop}; {from} += {positions}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {to} = minimum({from} + {positions}, {stop});"));
        // A block is written and read in whole words.
        let behind = self.blocks.map_or(16, |(wide, _)| wide.bytes());
        self.line(&format!("_Alignas(64) uint8_t {blocks}[{BATCH} + {behind}];"));
        self.line(&format!("memset({blocks}, 0, {} * (size_t)({to} - {from}) + {behind});", call.bytes));
        let at = format!("{blocks} + {} * (i{index} - {from})", call.bytes);
        let each = format!("for (int64_t i{index} = {from}; i{index} < {to}; i{index}++) {{");
        let mut kept = Vec::new();
        for carried in &ahead.carried {
            let bits = self.bits(carried.variable);
            let bytes = bits.div_ceil(8).next_multiple_of(16);
            let [name, next] = ["ahead", "next"].map(|name| self.fresh(name));
            self.line(&format!("_Alignas(16) uint8_t {name}[{bytes}], {next}[{bytes}];"));
            self.copy_named(&name, &self.name(carried.variable), bits);
            kept.push((carried.variable, name, next, bits));
        }
        self.line(&each);
        self.depth += 1;
        let second = self.carried.clone();
        self.carried.extend(kept.iter().map(|(id, name, ..)| (*id, name.clone())));
        self.statements(&one.body[..place])?;
        let parts = self.parts_for(step, &|input| ahead.step.uses(input))?;
        let goals: Vec<String> =
            [at.clone()].into_iter().chain(kept.iter().map(|(.., next, _)| next.clone())).collect();
        self.phase_by(&parts, &ahead.step, (0, "ahead"), &[], &goals)?;
        for (_, name, next, bits) in &kept {
            self.copy_named(name, next, *bits);
        }
        self.carried = second;
        self.foot();
        let count = format!("{to} - {from}");
        match self.functions {
            true => self.cipher(&parts, &call, (&blocks, &blocks), &count)?,
            false => self.cipher_on_blocks(&parts, &call, &blocks, &count)?,
        }
        self.line(&each);
        self.depth += 1;
        for statement in needed_behind(&one.body, place, &ahead.last) {
            self.statements(std::slice::from_ref(statement))?;
        }
        let parts = self.parts_for(step, &|input| ahead.last.uses(input))?;
        let (goals, after) = self.results(step, &parts)?;
        self.phase(&parts, 1, &[at], &goals)?;
        after.iter().for_each(|line| self.line(line));
        self.statements(&one.body[place + 1..])?;
        for carried in &one.carried {
            self.copy(carried.variable, carried.next)?;
        }
        self.foot();
        self.foot();
        (self.carried, self.in_loop) = outer;
        for (_, to, from, bits) in own {
            self.copy_named(&to, &from, bits);
        }
        self.coded(one, LoopKind::Batches);
        Ok(())
    }

    /// Whether a loop has one position at most.
    pub(crate) fn is_once(&self, one: &Loop) -> bool {
        let mut facts = Facts::default();
        self.message.conditions.iter().for_each(|condition| facts.assume(condition));
        let left = one.start.plus(&1.into(), 1).and_then(|end| end.plus(&one.stop, -1));
        left.is_ok_and(|left| facts.not_negative(&left))
    }

    /// The cipher as a map over so many blocks, in place. What fills the last register goes through it as well.
    fn cipher_on_blocks(
        &mut self,
        parts: &Parts,
        call: &CipherCall,
        blocks: &str,
        count: &str,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (plan, given) = self.cipher_plan(parts, call, blocks)?;
        let kernel = self.kernel(format!("wide {plan:?}"), |name| wide.positions(&plan, name, GROUPS))?;
        let register = wide.in_register();
        let bytes =
            format!("(16 * (size_t)({count}) + {}) & ~(size_t){}", 16 * register - 1, 16 * register - 1);
        let call = self.call(&kernel, (&plan, &given), Some(&bytes), &[blocks.to_owned()]);
        self.line(&call);
        Ok(())
    }

    /// The cipher on so many blocks, few of them.
    pub(crate) fn cipher_on_few(
        &mut self,
        parts: &Parts,
        call: &CipherCall,
        (from, to): (&str, &str),
        count: usize,
    ) -> Written<()> {
        let Some((_, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let (plan, given) = self.cipher_plan(parts, call, from)?;
        let kernel = self.kernel(format!("narrow {plan:?}"), |name| narrow.positions(&plan, name, 1))?;
        let call = self.call(&kernel, (&plan, &given), Some(&(16 * count).to_string()), &[to.to_owned()]);
        self.line(&call);
        Ok(())
    }

    /// The cipher as a plan for blocks at a place, and what it is given.
    fn cipher_plan(
        &mut self,
        parts: &Parts,
        call: &CipherCall,
        blocks: &str,
    ) -> Written<(Plan, Vec<String>)> {
        let bits = 8 * call.bytes as u32;
        let first = parts.form.phases.phases.first();
        let known = call.keys.and_then(|keys| Some((first?.inputs.get(keys)?, parts.given.get(keys)?)));
        let Some((&key_bits, keys)) = known else { return refuse("a cipher without keys") };
        if bits != place::BITS {
            return refuse("a cipher whose block is no register's");
        }
        let all = |value: usize| -> Vec<Bit> {
            (0..bits).map(|bit| Bit { constant: false, terms: vec![(value, bit)] }).collect()
        };
        // On blocks it is what stands inside of the node that modes call.
        let form = self.form(&parts.node)?;
        let inside = form.values.iter().find_map(|value| match value {
            Value::Cipher { node, .. } => Some(node.clone()),
            _ => None,
        });
        let Some(node) = inside else { return refuse("the cipher is not on blocks") };
        let cipher = Value::Cipher { node, block: all(0), keys: 1 };
        let step = Step {
            inputs: vec![bits, key_bits],
            values: vec![Value::Input(0), Value::Input(1), cipher],
            outputs: vec![all(2)],
            schedules: Vec::new(),
        };
        let mut draft = Draft::default();
        let inputs = [(Given::Each, blocks, bits), (Given::Keys(key_bits / place::BITS), keys, key_bits)];
        let inputs = inputs.map(|(given, name, bits)| (draft.give(given, name.to_owned()), as_is(bits)));
        draft.pending.push(Pending::Step(Rc::new(step), inputs.to_vec()));
        let (plan, given, _) = draft.finish(&[Draw::Made(0)], &[]);
        Ok((plan, given))
    }

    /// Where the only step of a loop that calls the cipher stands, and its only call.
    pub(crate) fn call_inside(&mut self, one: &Loop) -> Written<(usize, CipherCall)> {
        let mut found = None;
        for (place, statement) in one.body.iter().enumerate() {
            let (text, fresh) = (self.text.len(), self.fresh);
            let calls = match statement {
                Statement::Step(step) => self.parts(step)?.form.phases.calls.clone(),
                Statement::Define(_) => Vec::new(),
                _ => return refuse("a loop or a choice inside"),
            };
            self.text.truncate(text);
            self.fresh = fresh;
            match (&calls[..], &found) {
                ([], _) => {}
                ([calls], None) if calls.len() == 1 => found = Some((place, calls[0].clone())),
                _ => return refuse("the cipher is called more than once"),
            }
        }
        let Some((place, call)) = found else { return refuse("the cipher is not called") };
        if call.bytes > LONGEST { refuse("a block is too long") } else { Ok((place, call)) }
    }

    /// What the blocks of a step need of what its loop carries.
    fn ahead(&mut self, one: &Loop, (place, step): (usize, &form::Step)) -> Written<Ahead> {
        let (text, fresh) = (self.text.len(), self.fresh);
        let parts: Parts = self.parts(step)?;
        self.text.truncate(text);
        self.fresh = fresh;
        let phases = &parts.form.phases;
        let (Some(first), Some(last)) = (phases.phases.first(), phases.phases.last()) else {
            return refuse("no phase");
        };
        // What the results of the cipher are, beside what is known before.
        let known = first.inputs.len();
        let is_early = |output: usize| {
            let mut alone = last.clone();
            alone.outputs = vec![last.outputs[output].clone()];
            let alone = alone.needed();
            !(known..last.inputs.len()).any(|input| alone.uses(input))
        };
        let output_of = |next: VariableId| {
            let mut outputs = step.outputs.iter();
            outputs.position(|target| *target == Target::Variable(next))
        };
        let mut made = first.clone();
        let mut carried: Vec<Carried> = Vec::new();
        let mut seen: BTreeSet<VariableId> = BTreeSet::new();
        loop {
            let needed = made.clone().needed();
            let uses = |id: VariableId| {
                let mut sources = step.inputs.iter().enumerate();
                sources.any(|(input, source)| needed.uses(input) && source_reads(source, id))
            };
            let wanted: Vec<Carried> = one
                .carried
                .iter()
                .filter(|one| !seen.contains(&one.variable) && uses(one.variable))
                .cloned()
                .collect();
            if wanted.is_empty() {
                break;
            }
            for each in wanted {
                let Some(output) = output_of(each.next).filter(|&output| is_early(output)) else {
                    return refuse("a block needs a result of the cipher");
                };
                seen.insert(each.variable);
                made.outputs.push(last.outputs[output].clone());
                carried.push(each);
            }
        }
        // Statements before the step run in both passes: of what is carried they may read nothing.
        for statement in &one.body[..place] {
            if one.carried.iter().any(|carried| reads(statement, carried.variable)) {
                return refuse("a statement before the cipher needs what is carried");
            }
        }
        Ok(Ahead { carried, step: made.needed(), last: last.clone() })
    }
}

/// What the second pass needs of the statements before the cipher's.
fn needed_behind<'a>(body: &'a [Statement], place: usize, last: &Step) -> Vec<&'a Statement> {
    let mut kept: Vec<&Statement> = Vec::new();
    let (before, rest) = body.split_at(place);
    for statement in before.iter().rev() {
        let is_read = |id: VariableId| {
            let by_step = |statement: &Statement| match statement {
                Statement::Step(step) => {
                    let mut sources = step.inputs.iter().enumerate();
                    sources.any(|(input, source)| last.uses(input) && source_reads(source, id))
                }
                _ => true,
            };
            rest.first().is_some_and(by_step)
                || rest.iter().skip(1).any(|other| reads(other, id))
                || kept.iter().any(|other| reads(other, id))
        };
        let is_needed = match statement {
            Statement::Step(step) => step.outputs.iter().any(|target| match target {
                Target::Variable(id) => is_read(*id),
                _ => true,
            }),
            _ => true,
        };
        if is_needed {
            kept.push(statement);
        }
    }
    kept.reverse();
    kept
}
