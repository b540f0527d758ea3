//! Blocks that a linear scan has not added yet: what does not fill a register waits for what follows.
//!
//! A queue has room for a register of blocks behind as many zeros. Of n blocks the scan is given those that end with the last
//! one, so that zeros come first, which add nothing; what is carried is added to the first block. Loops that go on with what
//! another one carries take over its queue.

use crate::glue::{BLOCK, LoopKind, Queue, Writer, Written, refuse};
use crate::linear::{Linear, linear};
use crate::loops::{makes_next, reads};
use crate::place::{self, Places};
use crate::plan::{Action, Given, Plan};
use crate::step::in_memory;
use std::rc::Rc;
use usuba_message::form::{Loop, Source, Statement, Step, Target, VariableId};

/// The last step of a loop as a linear scan of blocks as they are.
pub(crate) struct Plain {
    pub(crate) linear: Linear,
    /// The input that is added.
    pub(crate) added: usize,
    /// Where the bits of each input lie.
    pub(crate) places: Vec<Places>,
}

impl Writer<'_> {
    /// A linear scan whose positions beyond whole registers are queued.
    pub(crate) fn queued(&mut self, one: &Loop) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let register = wide.in_register() as i64;
        if register == 1 {
            return refuse("registers of one block");
        }
        let [carried] = &one.carried[..] else { return refuse("not one thing is carried") };
        let place = one.body.iter().position(|statement| makes_next(one, statement));
        let Some((place, Statement::Step(last))) = place.map(|place| (place, &one.body[place])) else {
            return refuse("no step makes what is carried alone");
        };
        let (before, after) = (&one.body[..place], &one.body[place + 1..]);
        let plain = self.plain(last, carried.variable, carried.next)?;
        let powers = self.prepared_powers(last, &plain)?;
        let flush = self.flush(&plain)?;
        let queue = Queue { variable: carried.variable, flush: (flush.clone(), powers.clone()) };
        // What waits is of this chain, or is done first.
        let goes_on = self
            .queue
            .as_ref()
            .is_some_and(|open| open.variable == carried.first && open.flush == queue.flush);
        if !goes_on {
            self.empty();
        }
        self.copy(carried.variable, carried.first)?;
        self.queue = Some(queue);
        let name = self.name(carried.variable);
        let emptied = format!("{flush}({name}, queue, &queued, {powers});");
        self.head(one);
        let (text, fresh) = (self.text.len(), self.fresh);
        let rest = match self.whole_registers(one, &emptied) {
            Ok(rest) => Some(rest),
            Err(_) => {
                self.text.truncate(text);
                self.fresh = fresh;
                self.line("const int64_t whole = 0;");
                self.line("(void)many;");
                None
            }
        };
        // A string that is written may be one that is read: what comes first in the loop does so here.
        let rest_text = rest.clone().filter(|text| !text.is_empty());
        if let (Some(text), false) = (&rest_text, before.is_empty()) {
            self.line(text);
        }
        let (index, stop) = (one.index, self.number(&one.stop));
        // The name of the first position is taken inside.
        self.line(&format!("const int64_t rest = i{index} + whole;"));
        self.line(&format!("for (int64_t i{index} = rest; i{index} < {stop}; i{index}++) {{"));
        self.depth += 1;
        if rest.is_none() {
            self.statements(before)?;
        }
        let block = match &last.inputs[plain.added] {
            Source::Text(text) => self.block(text, BLOCK as u32)?,
            Source::Variable(id) => self.name(*id),
            _ => return refuse("what is added is no block"),
        };
        let room = 16 * register;
        self.line(&format!("memcpy(queue + {room} + 16 * queued, {block}, 16);"));
        self.line(&format!("if (++queued == {register}) {emptied}"));
        if rest.is_none() {
            self.statements(after)?;
        }
        self.foot();
        if let (Some(text), true) = (&rest_text, before.is_empty()) {
            self.line(text);
        }
        self.foot();
        self.coded(one, LoopKind::Linear);
        Ok(())
    }

    /// Empties the queue, if one is open.
    pub(crate) fn empty(&mut self) {
        if let Some(Queue { variable, flush: (flush, powers) }) = self.queue.take() {
            let name = self.name(variable);
            self.line(&format!("{flush}({name}, queue, &queued, {powers});"));
        }
    }

    /// Empties the queue before a statement that needs what is carried; loops see to it themselves.
    pub(crate) fn empty_before(&mut self, statement: &Statement) {
        let Some(Queue { variable, .. }) = self.queue else { return };
        let needs = match statement {
            Statement::Loop(one) => {
                let goes_on = matches!(&one.carried[..], [carried] if carried.first == variable);
                !goes_on && (!one.carried.is_empty() || one.body.iter().any(|inner| reads(inner, variable)))
            }
            other => reads(other, variable),
        };
        if needs {
            self.empty();
        }
    }

    /// The last step of a loop, if it adds a block as it is.
    pub(crate) fn plain(&mut self, step: &Step, carried: VariableId, next: VariableId) -> Written<Plain> {
        let form = self.form(&step.node)?;
        let output = step.outputs.iter().position(|target| *target == Target::Variable(next));
        let at = step.inputs.iter().position(|source| *source == Source::Variable(carried));
        let (Some(output), Some(at)) = (output, at) else {
            return refuse("another step makes the next value");
        };
        let of_key = |source: &Source| matches!(source, Source::Variable(id) if self.of_key.contains(id));
        let is_fixed = |place: usize| step.inputs.get(place).is_some_and(of_key);
        let Some(linear) = linear(&form, at, output, &is_fixed) else { return refuse("no linear scan") };
        let is_added = |input: &usize| {
            let turned = crate::linear::turned(&linear.product, false);
            let moved = turned.outputs[0].iter().map(|bit| {
                let mut bit = bit.clone();
                bit.terms.iter_mut().for_each(|term| term.0 = *input);
                bit
            });
            moved.eq(linear.addend.outputs[0].iter().cloned())
        };
        let Some(added) = (0..step.inputs.len()).find(is_added) else {
            return refuse("what is added is made first");
        };
        if form.inputs.get(added) != Some(&place::BITS) || step.outputs.len() != 1 {
            return refuse("what is added is no block");
        }
        let places = step.inputs.iter().zip(&form.inputs).map(|(source, &bits)| match source {
            Source::Variable(id) => in_memory(bits, self.message.variable(*id).words.width),
            _ => place::as_is(bits),
        });
        Ok(Plain { places: places.collect(), linear, added })
    }

    /// The prepared powers of the factor.
    fn prepared_powers(&mut self, step: &Step, plain: &Plain) -> Written<String> {
        let mut given = Vec::new();
        for (place, source) in step.inputs.iter().enumerate() {
            let Source::Variable(id) = source else { continue };
            if plain.linear.factor.uses(place) && self.of_key.contains(id) {
                let bits = self.bits(*id);
                let kind = if bits > place::BITS { Given::Keys(bits / place::BITS) } else { Given::Same };
                given.push((place, kind, self.name(*id)));
            }
        }
        let (place, of_key) = self.powers(&plain.linear, &given, &plain.places)?;
        if of_key { Ok(place) } else { refuse("powers that are not of the key") }
    }

    /// The function that adds what waits to what is carried.
    fn flush(&mut self, plain: &Plain) -> Written<String> {
        let Some((wide, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let inputs = plain.places.iter().enumerate();
        let inputs = inputs
            .map(|(place, places)| (if place == plain.added { 0 } else { usize::MAX }, places.clone()))
            .collect();
        let plan = Plan {
            given: vec![Given::Each],
            actions: vec![Action::Step(Rc::new(plain.linear.addend.clone()), inputs)],
            next: vec![1],
            ..Plan::default()
        };
        let (product, groups) = (plain.linear.product, self.scanned());
        let kernel =
            self.kernel(format!("linear {plan:?}"), |name| wide.linear(&plan, &product, groups, name))?;
        let alone = self.kernel(format!("alone {plan:?}"), |name| narrow.linear(&plan, &product, 1, name))?;
        let name = format!("{kernel}_flush");
        if self.kernels.iter().all(|(known, _)| *known != name) {
            let blocks = wide.in_register();
            let bytes = 16 * blocks;
            let text = format!(
                "/* Adds the blocks that wait. */\n\
                 static void {name}(uint8_t *carried, uint8_t *queue, int64_t *queued, const uint8_t *powers) {{\n  \
                 if (*queued == 0) return;\n  \
                 if (*queued == 1) {{\n    \
                 {alone}(queue + {bytes}, powers + {}, powers + {bytes}, 16, carried);\n    \
                 *queued = 0;\n    \
                 return;\n  }}\n  \
                 for (int at = 0; at < 16; at++) queue[{bytes} + at] ^= carried[at];\n  \
                 memset(carried, 0, 16);\n  \
                 {kernel}(queue + 16 * *queued, powers, powers + {bytes}, {bytes}, carried);\n  \
                 *queued = 0;\n}}\n\n",
                bytes - 16
            );
            self.kernels.push((name.clone(), text));
        }
        self.queue_bytes = 32 * wide.in_register();
        Ok(name)
    }
}
