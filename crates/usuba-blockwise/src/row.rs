//! Rows of a chain in C: what is left of a message, or all of it, block beside block ([`crate::stretch`]).
//!
//! A chain is computed in rows if it is associated data, a text that goes through the cipher with counters, and a block, and if what
//! follows adds a block to its sum that the cipher makes of the number before the first one (`lead.rs` has the proof).

use crate::draft::{Draft, Pending};
use crate::first_round::{self, BASES, FIRST, RUN, change_bytes};
use crate::glue::{BLOCK, Writer, Written, refuse};
use crate::group;
use crate::lead::{Lead, stream};
use crate::linear::Linear;
use crate::plan::Given;
use crate::section::PARTS;
use crate::segment::{Body, Segment, uses};
use crate::step::{Step, Value, in_memory};
use crate::stretch::{LAST, STRETCH, Stretch, is_loaded};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use usuba_message::form::{self, Loop, Source, Statement, Target, VariableId};

/// Blocks of the longest text that is computed in groups where it could be in pieces, if it is sealed, and if it is opened, on cores
/// whose rounds and products do not share ports (Intel): there groups are ahead by a twentieth if they seal. Where they do (Zen 4),
/// pieces are ahead by 4 to 15 % from 4 KiB on: `USUBA_GROUPED`.
const LONG: [i64; 2] = [512, 240];

/// A chain in rows.
pub(crate) struct Row {
    /// The segment of the associated data, if there is one, and that of the text.
    front: Option<usize>,
    pub(crate) text: usize,
    /// The number of the text's positions, in C.
    number: String,
    /// What adds a block of the cipher to the sum, and the variable that it makes.
    after: form::Step,
    result: VariableId,
    /// The input of that step that is the sum.
    sum: usize,
    /// What the cipher gets in it.
    start: VariableId,
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
        let Some(lead) = self.leads(text, after, carried)? else { return Ok(None) };
        let [Target::Variable(result)] = after.outputs[..] else { return Ok(None) };
        if self.message.outputs.contains(&result) {
            return Ok(None);
        }
        let place = usize::from(front.is_some());
        let front = front.map(|_| 0);
        let Lead { number, sum, start } = lead;
        Ok(Some(Row { front, text: place, number, after: after.clone(), result, sum, start }))
    }

    /// The code of a chain in rows, and of the step behind it. Of texts of more than a stretch it is a function of its own, in which
    /// loops have the registers.
    pub(crate) fn rows(
        &mut self,
        segments: &[Segment],
        row: &Row,
        (powers, linear): (&str, &Linear),
    ) -> Written<()> {
        if self.blocks.is_some_and(|(wide, _)| wide.choices.is_small) {
            return self.small_rows(segments, row, (powers, linear));
        }
        let (_, bytes) = self.longest()?;
        let (text, end) = (&segments[row.text], &segments[row.text + 1]);
        let size = &text.bytes;
        let front = self.front(segments, row, (powers, linear))?;
        let given = [("const uint8_t *", front.0.clone()), ("int64_t ", front.1.clone())];
        let is_name = |(_, name): &&(&str, String)| !["ones", "0"].contains(&&name[..]);
        let given: Vec<(&str, String)> = given.iter().filter(is_name).cloned().collect();
        let result = self.name(row.result);
        self.hidden.insert(row.result);
        let call = self.function_apart(std::slice::from_ref(&result), &given, &BTreeSet::new(), |writer| {
            writer.row_of(end, row, (powers, linear), |writer, state| {
                writer.long_text(text, state, &front)?;
                writer.switch(text, Stretch { registers: 1, begins: false, ends: true }, state, None)
            })
        });
        self.hidden.remove(&row.result);
        let call = call?;
        let register = bytes as i64;
        let most = i64::from(LAST) * register - BLOCK;
        self.line(&format!("if ({size} >= {most}) {{"));
        self.text += &call;
        self.line("} else {");
        self.depth += 1;
        self.row_of(end, row, (powers, linear), |writer, state| {
            // A text that fills its registers has no room for a block before it.
            writer.line(&format!("if ({size} > 0 && ({size} & {}) == 0) {{", bytes - 1));
            writer.depth += 1;
            writer.filled(text, state, &front)?;
            writer.depth -= 1;
            writer.line("} else {");
            writer.depth += 1;
            writer.begin(text, state)?;
            writer.switch(text, Stretch { registers: 1, begins: true, ends: true }, state, Some(&front))?;
            writer.foot();
            Ok(())
        })?;
        self.foot();
        Ok(())
    }

    /// A text of more than a stretch, but for what is left of it at the end; with the first round that is kept, where that pays.
    pub(crate) fn long_text(
        &mut self,
        text: &Segment,
        state: &State<'_>,
        front: &(String, String),
    ) -> Written<()> {
        let Some((condition, kept)) = self.kept(text, state.row)? else {
            return self.longer(text, state, front, None);
        };
        let ([least, most], blocks) = (first_round::TEXTS, &text.blocks);
        self.line(&format!("if ({condition} && {blocks} >= {least} && {blocks} <= {most}) {{"));
        self.depth += 1;
        self.longer(text, state, front, Some(&kept))?;
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.longer(text, state, front, None)?;
        self.foot();
        Ok(())
    }

    /// A text of more than a stretch, but for what is left of it at the end.
    fn longer(
        &mut self,
        text: &Segment,
        state: &State<'_>,
        front: &(String, String),
        kept: Option<&Kept>,
    ) -> Written<()> {
        if self.blocks.is_some_and(|(wide, _)| wide.choices.is_small) {
            return self.groups(text, state, front, kept);
        }
        let Body::Positions { plan, .. } = &text.body else { return refuse("no text") };
        self.line(&format!(
            "if ({} <= USUBA_GROUPED({})) {{",
            text.blocks,
            LONG[usize::from(is_loaded(plan))]
        ));
        self.depth += 1;
        self.groups(text, state, front, kept)?;
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.long(text, state, front, kept)?;
        self.foot();
        Ok(())
    }

    /// What rows have around their registers, which `write` makes.
    pub(crate) fn row_of(
        &mut self,
        end: &Segment,
        row: &Row,
        (powers, linear): (&str, &Linear),
        write: impl FnOnce(&mut Self, &State<'_>) -> Written<()>,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (longest, bytes) = self.longest()?;
        let (register, product) = (wide.in_register() as i64, linear.product);
        let Body::Block(block) = &end.body else { return refuse("a chain without an end") };
        let names = self.sums()?;
        let (parts, sum) = (names[..PARTS.len()].join(", "), names[PARTS.len()].clone());
        let [lead, at, left, place, next] =
            ["lead", "at", "left", "place", "next"].map(|name| self.fresh(name));
        self.line(&format!("_Alignas(64) uint8_t {lead}[{bytes}] = {{0}};"));
        self.text += &end.head;
        // Where the text of the next register is, the registers that are left, the place of the last block in the last of them, and
        // the next powers, counted in blocks.
        self.line(&format!("int64_t {at} = 0, {left}, {place}, {next};"));
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
        write(self, &state)?;
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

    /// A stretch of as many registers as are left, up to [`LAST`].
    fn switch(
        &mut self,
        text: &Segment,
        of: Stretch,
        state: &State<'_>,
        front: Option<&(String, String)>,
    ) -> Written<()> {
        self.line(&format!("switch ({}) {{", state.left));
        for registers in 1..=LAST {
            self.line(&format!("case {registers}: {{"));
            self.depth += 1;
            self.stretch(text, Stretch { registers, ..of }, state, front)?;
            self.line("break;");
            self.foot();
        }
        self.line("default: break;");
        self.line("}");
        Ok(())
    }

    /// What stands for the associated data before a text, and its bytes: itself, or the block that it becomes.
    pub(crate) fn front(
        &mut self,
        segments: &[Segment],
        row: &Row,
        (powers, linear): (&str, &Linear),
    ) -> Written<(String, String)> {
        let Some(place) = row.front else { return Ok(("ones".to_owned(), "0".to_owned())) };
        let segment = &segments[place];
        let Body::Positions { given, .. } = &segment.body else { return refuse("no associated data") };
        let [front, bytes, block] = ["front", "front_bytes", "hashed"].map(|name| self.fresh(name));
        self.line(&format!("const uint8_t *{front};"));
        self.line(&format!("int64_t {bytes} = {};", segment.bytes));
        self.enter(segment);
        self.line(&format!("{front} = {};", given[0]));
        self.foot();
        self.line(&format!("_Alignas(16) uint8_t {block}[16];"));
        let call = self.function_apart(std::slice::from_ref(&block), &[], &BTreeSet::new(), |writer| {
            writer.hashed(segment, &block, (powers, linear))
        })?;
        self.line(&format!("if ({bytes} > {BLOCK}) {{"));
        self.text += &call;
        self.depth += 1;
        self.line(&format!("{front} = {block};"));
        self.line(&format!("{bytes} = {BLOCK};"));
        self.foot();
        Ok((front, bytes))
    }

    /// The block that a string of more than one becomes: the sum of all but the last, and that.
    fn hashed(&mut self, segment: &Segment, block: &str, (powers, linear): (&str, &Linear)) -> Written<()> {
        let Body::Positions { given, .. } = &segment.body else { return refuse("no associated data") };
        let before = self.fresh("before");
        let names = self.sums()?;
        let sum = names[PARTS.len()].clone();
        self.line(&format!("const int64_t {before} = ({} - 1) & -16;", segment.bytes));
        self.by_sections(segment, &before, (powers, linear), &names)?;
        self.fold(linear, &sum, block)?;
        self.enter(segment);
        self.line(&format!(
            "for (int64_t at = {before}; at < {}; at++) {block}[at - {before}] ^= ({})[at];",
            segment.bytes, given[0]
        ));
        self.foot();
        Ok(())
    }

    /// Pieces of a long text, and whole stretches behind them.
    fn long(
        &mut self,
        text: &Segment,
        state: &State<'_>,
        front: &(String, String),
        kept: Option<&Kept>,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let Body::Positions { plan, given, goals } = &text.body else { return refuse("no text") };
        let State { row, linear, powers, lead, at, left, place, next, parts, .. } = *state;
        let ((longest, bytes), register, product) = (self.longest()?, wide.in_register(), linear.product);
        let [before, pieces, rest] = ["before", "pieces", "rest"].map(|name| self.fresh(name));
        self.line(&format!("_Alignas(64) uint8_t {before}[{bytes}] = {{0}};"));
        let reduced = self.reduced()?;
        if row.front.is_some() {
            let names: Vec<String> = PARTS.iter().map(|name| self.fresh(name)).collect();
            for name in &names {
                self.line(&format!("_Alignas(64) uint8_t {name}[{bytes}] = {{0}};"));
            }
            let own = names.join(", ");
            self.add_front(front, &format!("{}", longest - 1), &own, state)?;
            self.line(&format!("{reduced}({own}, {before});"));
        }
        self.line(&format!("const int64_t {pieces} = {} / {};", text.bytes, 16 * longest));
        let (paired, keeps) = (self.paired(powers)?, kept.is_some());
        let kernel = self.apart_kernel(format!("pieces {keeps} {plan:?} {product:?}"), |name| {
            wide.pieces(plan, &product, keeps, name)
        })?;
        self.enter(text);
        let number = &row.number;
        let room = self.bases(kept, number, &pieces, 16 * register as i64)?;
        self.line(&format!("number({number}, {number}_value);"));
        let mut arguments: Vec<String> = given.iter().map(|one| format!("(const void *)({one})")).collect();
        arguments.extend([powers.to_owned(), paired]);
        arguments.extend(room.into_iter().flatten());
        arguments.extend([format!("(size_t){pieces}"), before.clone()]);
        arguments.extend(goals.iter().map(|goal| format!("(void *)({goal})")));
        self.line(&format!("{kernel}({});", arguments.join(", ")));
        self.foot();
        self.line(&format!("{at} = {} * {pieces};", 16 * longest));
        self.line(&format!("const int64_t {rest} = {} - {longest} * {pieces};", text.blocks));
        let shift = bytes.trailing_zeros();
        self.line(&format!("{left} = {rest} == 0 ? 0 : (({} - {at}) >> {shift}) + 1;", text.bytes));
        self.line(&format!("{place} = {rest} == 0 ? {register} : {rest} - {register} * ({left} - 1);"));
        self.line(&format!("{next} = {} - {rest};", longest - 1));
        let added_sum = self.inline_kernel("added sum".into(), |name| wide.added_sum(name))?;
        self.line(&format!("{added_sum}({before}, {powers} + 16 * {next}, {parts});"));
        self.lead(row, lead)?;
        self.line(&format!("for (; {left} > {LAST}; {left} -= {STRETCH}) {{"));
        self.depth += 1;
        self.full(text, STRETCH, state)?;
        self.foot();
        Ok(())
    }

    /// The product of what stands before a text with a power, by its place in the table.
    fn add_front(
        &mut self,
        front: &(String, String),
        power: &str,
        parts: &str,
        state: &State<'_>,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (product, powers) = (state.linear.product, state.powers);
        let added =
            self.inline_kernel(format!("added part {product:?}"), |name| wide.added_part(&product, name))?;
        let (from, count) = front;
        self.line(&format!(
            "{added}((const void *)({from}), (size_t)({count}), {powers} + 16 * ({power}), {parts});"
        ));
        Ok(())
    }

    /// What there is of a row with a block before its text.
    pub(crate) fn begin(&mut self, text: &Segment, state: &State<'_>) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let State { left, place, next, .. } = *state;
        let ((longest, bytes), register) = (self.longest()?, wide.in_register() as i64);
        let shift = bytes.trailing_zeros();
        self.line(&format!("{left} = (({} + {BLOCK}) >> {shift}) + 1;", text.bytes));
        self.line(&format!("{place} = {} + 1 - {register} * ({left} - 1);", text.blocks));
        self.line(&format!("{next} = {} - {};", longest - 2, text.blocks));
        Ok(())
    }

    /// If the first round is kept for a key: where it can be used, a condition in C, and how.
    fn kept(&mut self, text: &Segment, row: &Row) -> Written<Option<(String, Kept)>> {
        let Some((wide, _)) = self.blocks.filter(|(wide, _)| wide.choices.keeps_first_round) else {
            return Ok(None);
        };
        let Body::Positions { plan, given, .. } = &text.body else { return Ok(None) };
        let (Some(condition), Some(stream)) = (self.first_counter_is_public(row.start), stream(plan)) else {
            return Ok(None);
        };
        let of = |slot: usize| format!("(const void *)({})", given[slot]);
        let (block, number, keys) = (of(stream.block), of(stream.number), of(stream.keys));
        let name = format!("changes {plan:?} {keys}");
        let changes = match self.powers.get(&name) {
            Some(known) => known.clone(),
            None => {
                let maker = self.kernel(name.clone(), |name| wide.changes(plan, name))?;
                let place = self.room(change_bytes(wide.bytes()) as usize);
                let made = format!("(prepared + {place})");
                let _ = writeln!(self.preparation, "  {maker}({keys}, {made});");
                self.powers.insert(name, made.clone());
                made
            }
        };
        let bases = self.inline_kernel(format!("bases {plan:?}"), |name| wide.bases(plan, name))?;
        Ok(Some((condition, Kept { changes, bases, given: [block, number, keys] })))
    }

    /// The bases of a text of so many turns of blocks, if the first round is kept: the changes and these, in C.
    fn bases(
        &mut self,
        kept: Option<&Kept>,
        number: &str,
        turns: &str,
        blocks: i64,
    ) -> Written<Option<[String; 2]>> {
        let Some(Kept { changes, bases, given: [block, number_of, keys] }) = kept else { return Ok(None) };
        let ((_, register), room) = (self.longest()?, self.fresh("bases"));
        self.line(&format!("_Alignas(64) uint8_t {room}[{}];", BASES as usize * register));
        self.line(&format!("number({number}, {number}_value - {});", 1 + i64::from(FIRST)));
        let runs = format!("{turns} / {} + 1", i64::from(RUN) / blocks);
        self.line(&format!("{bases}({block}, {number_of}, {keys}, (size_t)({runs}), {room});"));
        Ok(Some([changes.clone(), room]))
    }

    /// The first groups of a text that is more than a stretch, with the block before it, and what is left then.
    fn groups(
        &mut self,
        text: &Segment,
        state: &State<'_>,
        front: &(String, String),
        kept: Option<&Kept>,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let State { row, lead, at, left, next, parts, powers, sum, .. } = *state;
        let Body::Positions { plan, given, goals } = &text.body else { return refuse("no text") };
        let ((longest, register), product) = (self.longest()?, &state.linear.product);
        let group = group::blocks(wide.in_register());
        let keeps = kept.is_some();
        let key = format!("groups {keeps} {plan:?} {product:?}");
        let make = |name: &str| wide.in_groups(plan, product, keeps, name);
        let kernel = match wide.choices.is_assembly {
            true => self.apart_kernel(key, make)?,
            false => self.inline_kernel(key, make)?,
        };
        self.begin(text, state)?;
        let [groups, pending] = ["groups", "pending"].map(|name| self.fresh(name));
        let least = group::least(plan);
        // Rounds of one register by itself wait for one another; in a long text what else there is fills their time.
        let few = LAST + STRETCH;
        self.line(&format!("const int64_t {groups} = {left} <= {few} ? 1 : ({left} - {least}) / {STRETCH};"));
        let is_pending = !is_loaded(plan);
        if is_pending {
            self.line(&format!("_Alignas(64) uint8_t {pending}[{}];", STRETCH as usize * register));
        }
        self.enter(text);
        let number = &row.number;
        let room = self.bases(kept, number, &groups, group as i64)?;
        self.line(&format!("number({number}, {number}_value - 1);"));
        let start = 16 * (group - 1);
        let string = |one: &str, kind: &str, arguments: &mut Vec<String>| {
            arguments.extend([format!("({kind}*)({one})"), format!("({kind}*)({one} + {start})")]);
        };
        let mut arguments = Vec::new();
        for (kind, one) in plan.given.iter().zip(given) {
            match kind {
                Given::Each => string(one, "const void ", &mut arguments),
                _ => arguments.push(format!("(const void *)({one})")),
            }
        }
        arguments.push(format!("{powers} + {}", 16 * (longest as usize - group)));
        arguments.extend(room.into_iter().flatten());
        arguments.extend([format!("(const void *)({})", front.0), format!("(size_t)({})", front.1)]);
        if is_pending {
            arguments.push("leading".into());
        }
        arguments.extend([format!("(size_t)({groups} - 1)"), sum.to_owned()]);
        if is_pending {
            arguments.push(pending.clone());
        }
        goals.iter().for_each(|goal| string(goal, "void ", &mut arguments));
        arguments.push(lead.to_owned());
        self.line(&format!("{kernel}({});", arguments.join(", ")));
        self.foot();
        self.line(&format!("{at} = {} * {groups} - {BLOCK};", 16 * group));
        self.line(&format!("{left} -= {STRETCH} * {groups};"));
        let pended = self.inline_kernel(format!("pended {is_pending}"), |name| wide.pended(plan, name))?;
        let mut arguments = vec![sum.to_owned()];
        self.line(&format!("{next} += {group} * {groups};"));
        if is_pending {
            arguments.push(pending);
            arguments.push(format!("{powers} + 16 * ({next} - {group})"));
        } else {
            arguments.push(format!("{powers} + 16 * {next}"));
        }
        arguments.push(parts.to_owned());
        self.line(&format!("{pended}({});", arguments.join(", ")));
        Ok(())
    }

    /// A row that is the text alone, which fills its registers, and the blocks before and behind it by themselves.
    fn filled(&mut self, text: &Segment, state: &State<'_>, front: &(String, String)) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let ((longest, bytes), register) = (self.longest()?, wide.in_register());
        let State { row, left, place, next, parts, .. } = *state;
        if row.front.is_some() {
            self.add_front(front, &format!("{} - {}", longest - 2, text.blocks), parts, state)?;
        }
        self.line(&format!("{place} = {register};"));
        self.line(&format!("{next} = {} - {};", longest - 1, text.blocks));
        let shift = bytes.trailing_zeros();
        self.line(&format!("{left} = {} >> {shift};", text.bytes));
        self.line(&format!("for (; {left} > 0; {left}--) {{"));
        self.depth += 1;
        self.full(text, 1, state)?;
        self.foot();
        self.lead(row, state.lead)?;
        Ok(())
    }

    /// A stretch of full registers, and what comes after it.
    pub(crate) fn full(&mut self, text: &Segment, registers: u32, state: &State<'_>) -> Written<()> {
        let (_, register) = self.longest()?;
        let bytes = registers as usize * register;
        self.stretch(text, Stretch { registers, begins: false, ends: false }, state, None)?;
        self.line(&format!("{} += {bytes};", state.at));
        self.line(&format!("{} += {};", state.next, bytes / BLOCK as usize));
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
    pub(crate) fn stretch(
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
        arguments.push(format!("{} + 16 * {next}", state.powers));
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

/// What is kept for a key of a text's first round, in C.
struct Kept {
    changes: String,
    /// The function that makes the bases, and what it is given.
    bases: String,
    given: [String; 3],
}

/// What goes from stretch to stretch, in C.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    row: &'a Row,
    linear: &'a Linear,
    powers: &'a str,
    sum: &'a str,
    lead: &'a str,
    pub(crate) at: &'a str,
    pub(crate) left: &'a str,
    place: &'a str,
    pub(crate) next: &'a str,
    parts: &'a str,
    block: &'a str,
}
