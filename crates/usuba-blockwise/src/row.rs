//! Rows of a chain in C: what is left of a message, or all of it, block beside block ([`crate::stretch`]).
//!
//! A chain is computed in rows if it is associated data, a text that goes through the cipher with counters, and a block, and if what
//! follows adds a block to its sum that the cipher makes of the number before the first one (`lead.rs` has the proof).

use crate::draft::{Draft, Pending};
use crate::glue::{BLOCK, Writer, Written, refuse};
use crate::linear::Linear;
use crate::plan::Given;
use crate::section::{LONGEST, PARTS};
use crate::segment::{Body, Segment, uses};
use crate::step::{Step, Value, in_memory};
use crate::stretch::{LAST, STRETCH, Stretch, is_loaded};
use std::rc::Rc;
use usuba_message::form::{self, Loop, Source, Statement, Target, VariableId};

/// A chain in rows.
pub(crate) struct Row {
    /// The segment of the associated data, if there is one, and that of the text.
    front: Option<usize>,
    text: usize,
    /// The number of the text's positions, in C.
    number: String,
    /// What adds a block of the cipher to the sum, and the variable that it makes.
    after: form::Step,
    result: VariableId,
    /// The input of that step that is the sum.
    sum: usize,
}

impl State<'_> {
    /// The segment of the text.
    pub(crate) fn text(&self) -> usize {
        self.row.text
    }
}

impl Writer<'_> {
    /// The chain in rows, if it can be: in no choice, so that short messages can have a function of their own.
    pub(crate) fn row(
        &mut self,
        segments: &[Segment],
        after: Option<&Statement>,
        carried: VariableId,
    ) -> Written<Option<Row>> {
        let (front, text) = match segments {
            [text, _] => (None, text),
            [front, text, _] => (Some(front), text),
            _ => return Ok(None),
        };
        let Some(Body::Block(_)) = segments.last().map(|last| &last.body) else { return Ok(None) };
        if self.depth != 1 {
            return Ok(None);
        }
        let is_plain = |segment: &Segment| match &segment.body {
            Body::Positions { plan, .. } => {
                plan.given[..] == [Given::Each] && plan.results.is_empty() && is_loaded(plan)
            }
            Body::Block(_) => false,
        };
        let Some(Statement::Step(after)) = after else { return Ok(None) };
        if front.is_some_and(|front| !is_plain(front)) {
            return Ok(None);
        }
        // Nothing else may want the sum.
        let loops: Vec<Loop> = segments.iter().flat_map(|segment| segment.loops.clone()).collect();
        let wants = |statement: &&Statement| match statement {
            Statement::Step(step) if step.outputs == after.outputs => false,
            other => uses(other, carried, &loops),
        };
        if self.message.body.iter().any(|statement| wants(&statement)) {
            return Ok(None);
        }
        let Some((number, sum)) = self.leads(text, after, carried)? else { return Ok(None) };
        let [Target::Variable(result)] = after.outputs[..] else { return Ok(None) };
        if self.message.outputs.contains(&result) {
            return Ok(None);
        }
        let place = usize::from(front.is_some());
        let front = front.map(|_| 0);
        Ok(Some(Row { front, text: place, number, after: after.clone(), result, sum }))
    }

    /// The code of a chain in rows, and of the step behind it. `from`: the blocks from each segment on. A short message is one row,
    /// the code of [`Writer::short`] alone; all other messages are taken for longer ones.
    pub(crate) fn rows(
        &mut self,
        segments: &[Segment],
        row: &Row,
        from: &[String],
        (powers, linear): (&str, &Linear),
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (longest, bytes) = self.longest()?;
        let (register, product) = (wide.in_register() as i64, linear.product);
        let (text, end) = (&segments[row.text], &segments[row.text + 1]);
        let Body::Block(block) = &end.body else { return refuse("a chain without an end") };
        let names = self.sums()?;
        let (parts, sum) = (names[..3].join(", "), names[3].clone());
        let [lead, at, left, place, next] =
            ["lead", "at", "left", "place", "next"].map(|name| self.fresh(name));
        self.line(&format!("_Alignas(64) uint8_t {lead}[{bytes}] = {{0}};"));
        self.text += &end.head;
        // Where the text of the next register is, the registers that are left, the place of the last block in the last of them, and
        // the next powers.
        self.line(&format!("int64_t {at} = 0, {left}, {place};"));
        self.line(&format!("const uint8_t *{next};"));
        let state = State {
            row,
            linear,
            powers,
            sum: &sum,
            lead: &lead,
            at: &at,
            left: &left,
            place: &place,
            next: &next,
            parts: &parts,
            block,
        };
        let front = row.front.map(|front| format!(" && {} <= {BLOCK}", segments[front].bytes));
        let is_short = format!("{} + 2 <= {longest}{}", text.blocks, front.unwrap_or_default());
        match &mut self.short {
            Some(conditions) => {
                conditions.push(is_short);
                self.begin(segments, &state)?;
            }
            None => {
                self.has_rows = true;
                self.longer(segments, from, &state)?;
                self.stretches(text, &state)?;
                self.lead(row, &lead)?;
            }
        }
        // The last block, if there was no place for it.
        let added =
            self.inline_kernel(format!("added block {product:?}"), |name| wide.added_block(&product, name))?;
        self.line(&format!("if ({place} == {register}) {{"));
        self.depth += 1;
        self.line(&format!("{added}((const void *)({block}), {powers} + {}, {parts});", 16 * (longest - 1)));
        self.foot();
        let reduced = self.reduced()?;
        self.line(&format!("{reduced}({parts}, {sum});"));
        let folded =
            self.inline_kernel(format!("folded {product:?} lead"), |name| wide.folded(&product, true, name))?;
        let result = self.name(row.result);
        self.line(&format!("{folded}({sum}, {lead}, {result});"));
        Ok(())
    }

    /// What comes before the last row of a message that is longer than a row.
    fn longer(&mut self, segments: &[Segment], from: &[String], state: &State<'_>) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let State { row, linear, powers, sum, at, left, place, next, parts, .. } = state;
        let ((longest, bytes), register) = (self.longest()?, wide.in_register());
        let text = &segments[row.text];
        let (done, blocks) = self.before(segments, from, (powers, linear), (parts, sum), Some(state))?;
        if let Some(front) = row.front {
            let place = (Some(&done[front][..]), &blocks[front][..]);
            self.last_section(&segments[front], linear, place, (powers, parts))?;
        }
        let rest = self.fresh("blocks");
        self.line(&format!("{at} = {};", done[row.text]));
        self.line(&format!("const int64_t {rest} = ({} - {at} + 15) >> 4;", text.bytes));
        let shift = bytes.trailing_zeros();
        self.line(&format!("{left} = {rest} == 0 ? 0 : (({} - {at}) >> {shift}) + 1;", text.bytes));
        self.line(&format!("{place} = {rest} == 0 ? {register} : {rest} - {register} * ({left} - 1);"));
        self.line(&format!("{next} = {powers} + 16 * ({} - {rest});", longest - 1));
        Ok(())
    }

    /// The first registers of a row, or all of them, with a block before the text.
    fn begin(&mut self, segments: &[Segment], state: &State<'_>) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let State { row, powers, at, left, place, next, .. } = state;
        let ((longest, bytes), register) = (self.longest()?, wide.in_register() as i64);
        let text = &segments[row.text];
        let mut front = ("ones".to_owned(), "0".to_owned());
        if let Some(place) = row.front {
            let segment = &segments[place];
            let Body::Positions { given, .. } = &segment.body else { return refuse("no associated data") };
            let pointer = self.fresh("front");
            self.line(&format!("const uint8_t *{pointer};"));
            self.enter(segment);
            self.line(&format!("{pointer} = {};", given[0]));
            self.foot();
            front = (pointer, segment.bytes.clone());
        }
        let shift = bytes.trailing_zeros();
        // A text that fills its registers has no room for a block before it.
        self.line(&format!("if ({} > 0 && ({} & {}) == 0) {{", text.bytes, text.bytes, bytes - 1));
        self.depth += 1;
        self.filled(text, state, &front)?;
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.line(&format!("{left} = (({} + {BLOCK}) >> {shift}) + 1;", text.bytes));
        self.line(&format!("{place} = {} + 1 - {register} * ({left} - 1);", text.blocks));
        self.line(&format!("{next} = {powers} + 16 * ({} - {});", longest - 2, text.blocks));
        let most = i64::from(STRETCH);
        let outer = |registers, ends| Stretch { registers, begins: true, ends };
        self.line(&format!("switch ({left}) {{"));
        for registers in 1..=LAST {
            self.line(&format!("case {registers}: {{"));
            self.depth += 1;
            self.stretch(text, outer(registers, true), state, Some(&front))?;
            self.line(&format!("{left} = 0;"));
            self.line("break;");
            self.foot();
        }
        self.line("default: {");
        self.depth += 1;
        self.stretch(text, outer(STRETCH, false), state, Some(&front))?;
        self.line(&format!("{at} = {};", 16 * (register * most - 1)));
        self.line(&format!("{next} += {};", 16 * register * most));
        self.line(&format!("{left} -= {most};"));
        self.foot();
        self.line("}");
        self.foot();
        self.line(&format!("if ({left} > 0) {{"));
        self.depth += 1;
        self.stretches(text, state)?;
        self.foot();
        Ok(())
    }

    /// A row that is the text alone, which fills its registers, and the blocks before and behind it by themselves.
    fn filled(&mut self, text: &Segment, state: &State<'_>, front: &(String, String)) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let ((longest, bytes), register) = (self.longest()?, wide.in_register());
        let State { row, linear, powers, left, place, next, parts, .. } = *state;
        let product = linear.product;
        if row.front.is_some() {
            let added = self
                .inline_kernel(format!("added part {product:?}"), |name| wide.added_part(&product, name))?;
            let (from, count) = front;
            self.line(&format!(
                "{added}((const void *)({from}), (size_t)({count}), {powers} + 16 * ({} - {}), {parts});",
                longest - 2,
                text.blocks
            ));
        }
        self.line(&format!("{place} = {register};"));
        self.line(&format!("{next} = {powers} + 16 * ({} - {});", longest - 1, text.blocks));
        let shift = bytes.trailing_zeros();
        self.line(&format!("{left} = {} >> {shift};", text.bytes));
        for registers in [STRETCH, 1] {
            self.line(&format!("for (; {left} >= {registers}; {left} -= {registers}) {{"));
            self.depth += 1;
            self.full(text, registers, state)?;
            self.foot();
        }
        self.lead(row, state.lead)?;
        Ok(())
    }

    /// The registers of a row that are left.
    fn stretches(&mut self, text: &Segment, state: &State<'_>) -> Written<()> {
        let left = state.left;
        self.line(&format!("for (; {left} > {LAST}; {left} -= {STRETCH}) {{"));
        self.depth += 1;
        self.full(text, STRETCH, state)?;
        self.foot();
        self.line(&format!("switch ({left}) {{"));
        for registers in 1..=LAST {
            self.line(&format!("case {registers}: {{"));
            self.depth += 1;
            self.stretch(text, Stretch { registers, begins: false, ends: true }, state, None)?;
            self.line("break;");
            self.foot();
        }
        self.line("default: break;");
        self.line("}");
        Ok(())
    }

    /// A stretch of full registers, and what comes after it.
    fn full(&mut self, text: &Segment, registers: u32, state: &State<'_>) -> Written<()> {
        let (_, register) = self.longest()?;
        let bytes = registers as usize * register;
        self.stretch(text, Stretch { registers, begins: false, ends: false }, state, None)?;
        self.line(&format!("{} += {bytes};", state.at));
        self.line(&format!("{} += {bytes};", state.next));
        Ok(())
    }

    /// A piece of a text by itself, in stretches, added to the sum `before`: turns of long strings would have nothing to stand
    /// beside.
    pub(crate) fn piece(&mut self, text: &Segment, before: &str, state: &State<'_>) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (_, register) = self.longest()?;
        let added_sum = self.inline_kernel("added sum".into(), |name| wide.added_sum(name))?;
        let [at, next, stretch] = ["at", "next", "stretch"].map(|name| self.fresh(name));
        let names: Vec<String> = PARTS.iter().map(|name| self.fresh(name)).collect();
        for name in &names {
            self.line(&format!("_Alignas(64) uint8_t {name}[{register}] = {{0}};"));
        }
        let parts = names.join(", ");
        self.line(&format!("int64_t {at} = 0;"));
        self.line(&format!("const uint8_t *{next} = {};", state.powers));
        self.line(&format!("{added_sum}({before}, {next}, {parts});"));
        self.line(&format!("for (int {stretch} = 0; {stretch} < {}; {stretch}++) {{", LONGEST / STRETCH));
        self.depth += 1;
        self.full(text, STRETCH, &State { at: &at, next: &next, parts: &parts, ..*state })?;
        self.foot();
        let reduced = self.reduced()?;
        self.line(&format!("{reduced}({parts}, {before});"));
        Ok(())
    }

    /// What the cipher adds to the sum, by itself.
    fn lead(&mut self, row: &Row, lead: &str) -> Written<()> {
        let Some((_, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let form = self.form(&row.after.node)?;
        let mut alone = Step::clone(&form);
        for bit in alone.outputs.iter_mut().flatten() {
            bit.terms.retain(|(value, _)| alone.values.get(*value) != Some(&Value::Input(row.sum)));
        }
        let mut draft = Draft::default();
        let mut inputs = Vec::new();
        for source in &row.after.inputs {
            let Source::Variable(id) = source else { return refuse("what is no variable") };
            let bits = self.bits(*id);
            let given = if bits > 128 { Given::Keys(bits / 128) } else { Given::Same };
            let places = in_memory(bits, self.message.variable(*id).words.width);
            inputs.push((draft.give(given, self.name(*id)), places));
        }
        draft.pending.push(Pending::Step(Rc::new(alone.needed()), inputs));
        let (plan, given, _) = draft.finish(&[crate::draft::Draw::Made(0)], &[]);
        let kernel = self.inline_kernel(format!("single {plan:?}"), |name| narrow.single(&plan, name))?;
        let call = self.call(&kernel, (&plan, &given), None, &[lead.to_owned()]);
        self.line(&call);
        Ok(())
    }

    /// The call of a stretch.
    fn stretch(
        &mut self,
        text: &Segment,
        of: Stretch,
        state: &State<'_>,
        front: Option<&(String, String)>,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let Body::Positions { plan, given, goals } = &text.body else { return refuse("no text") };
        let (register, product) = (wide.bytes(), &state.linear.product);
        let kernel = self.inline_kernel(format!("stretch {of:?} {plan:?} {product:?}"), |name| {
            wide.stretch(plan, product, of, name)
        })?;
        self.enter(text);
        let State { row, lead, at, place, next, parts, block, .. } = state;
        // Numbers are counted from the block that the row begins with.
        let number = &row.number;
        let first = if of.begins { "- 1".to_owned() } else { format!("+ (uint64_t)({at} >> 4)") };
        self.line(&format!("number({number}, {number}_value {first});"));
        let rest = self.fresh("rest");
        let behind = i64::from(of.text(register));
        let behind = if of.begins { behind.to_string() } else { format!("{at} + {behind}") };
        self.line(&format!("const int64_t {rest} = {behind};"));
        let string = |one: &str, kind: &str, arguments: &mut Vec<String>| {
            if of.full() > 0 {
                let start = if of.begins { one.to_owned() } else { format!("{one} + {at}") };
                arguments.push(format!("({kind}*)({start})"));
            }
            if of.ends {
                arguments.push(format!("({kind}*)({one} + {rest})"));
            }
        };
        let mut arguments = Vec::new();
        for (kind, one) in plan.given.iter().zip(given) {
            match kind {
                Given::Each => string(one, "const void ", &mut arguments),
                _ => arguments.push(format!("(const void *)({one})")),
            }
        }
        arguments.push((*next).to_owned());
        if let Some((from, bytes)) = front.filter(|_| of.begins) {
            arguments.extend([format!("(const void *)({from})"), format!("(size_t)({bytes})")]);
            if !is_loaded(plan) {
                arguments.push("leading".into());
            }
        }
        if of.ends {
            let blocks = wide.in_register();
            arguments.push(format!("(const void *)({block})"));
            arguments.push(format!("places + 16 * ({blocks} - {place})"));
            if of.has_ones(plan) {
                arguments.push("ones".into());
            }
            arguments.push(format!("(size_t)({} - {rest})", text.bytes));
        } else {
            self.line(&format!("(void){rest};"));
        }
        arguments.push((*parts).to_owned());
        goals.iter().for_each(|goal| string(goal, "void ", &mut arguments));
        if of.begins {
            arguments.push((*lead).to_owned());
        }
        self.line(&format!("{kernel}({});", arguments.join(", ")));
        self.foot();
        Ok(())
    }
}

/// What goes from stretch to stretch, in C.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    row: &'a Row,
    linear: &'a Linear,
    powers: &'a str,
    sum: &'a str,
    lead: &'a str,
    at: &'a str,
    left: &'a str,
    place: &'a str,
    next: &'a str,
    parts: &'a str,
    block: &'a str,
}
