//! Chains: linear scans of one factor that go on one after the other, as sections whose products are added up before anything is
//! reduced. A message that is short enough is one section, whatever strings it has, and is reduced once.
//!
//! The scans of whole blocks of a string and of a last block that may be shorter, with the maps in them, are one loop over bytes:
//! what is not there of the last block is loaded as zeros, and not stored.

use crate::draft::{Draft, Draw, Pending};
use crate::glue::{BLOCK, LoopKind, Writer, Written, refuse};
use crate::linear::Linear;
use crate::long::PAIRED;
use crate::loops::makes_next;
use crate::place::Places;
use crate::plan::{Given, Plan, Refusal};
use crate::queue::Plain;
use crate::section::{HIGHEST, LONGEST, PARTS, TABLE, TABLES};
use crate::segment::{Body, Segment, uses};
use crate::step::Bit;
use std::fmt::Write;
use std::rc::Rc;
use usuba_message::form::{
    self, Define, Loop, Piece, Source, Statement, Step, Target, Text, VariableId, Window,
};
use usuba_message::number::{Number, Term};
use usuba_message::passes::shifted;

impl Writer<'_> {
    /// The chain that a list of statements begins with; how many statements it has.
    pub(crate) fn chain(&mut self, body: &[Statement]) -> Written<usize> {
        let Some(_) = self.blocks.filter(|(wide, _)| wide.has_sections()) else {
            return refuse("a machine without sections");
        };
        if self.queue.is_some() {
            return refuse("blocks wait");
        }
        let (mut segments, mut at): (Vec<Segment>, usize) = (Vec::new(), 0);
        let mut powers: Option<(String, Linear)> = None;
        while let Some(Statement::Loop(one)) = body.get(at) {
            let last = segments.last().and_then(|segment| segment.loops.last());
            let [carried] = &one.carried[..] else { break };
            if last.is_some_and(|last| last.carried[0].variable != carried.first) {
                break;
            }
            let next = match body.get(at + 1) {
                Some(Statement::Loop(next)) => Some(next),
                _ => None,
            };
            let (text, fresh) = (self.text.len(), self.fresh);
            // Positions are counted from the first one.
            let shifted = |one: &Loop, by: &Number| {
                shifted(one, by).map_err(|_| Refusal("a number that does not fit".into()))
            };
            let start = one.start.clone();
            let (one, next) = (shifted(one, &start)?, next.map(|next| shifted(next, &start)).transpose()?);
            let Ok(segment) = self.segment(&one, next.as_ref()) else {
                self.text.truncate(text);
                self.fresh = fresh;
                break;
            };
            let table = self.table(&segment.step, &segment.plain)?;
            if powers.as_ref().is_some_and(|(known, _)| *known != table) {
                break;
            }
            powers = Some((table, segment.plain.linear.clone()));
            at += segment.loops.len();
            segments.push(segment);
        }
        let (Some((powers, linear)), Some(first), Some(last)) = (powers, segments.first(), segments.last())
        else {
            return refuse("no chain");
        };
        let (initial, carried) =
            (first.loops[0].carried[0].first, last.loops.last().map(|one| one.carried[0].variable));
        let Some(carried) = carried else { return refuse("no loop") };
        if !self.is_zero(initial) {
            return refuse("a chain that does not begin with zero");
        }
        // Nothing else may want what the segments leave.
        let inside = segments.iter().flat_map(|segment| &segment.loops).flat_map(|one| &one.carried);
        let hidden: Vec<VariableId> =
            inside.flat_map(|one| [one.variable, one.next]).filter(|&id| id != carried).collect();
        let wanted = |statement: &Statement, of: &[Loop]| hidden.iter().any(|&id| uses(statement, id, of));
        let all: Vec<Loop> = segments.iter().flat_map(|segment| segment.loops.clone()).collect();
        if self.message.body.iter().any(|statement| wanted(statement, &all)) {
            return refuse("a sum inside of a chain is used");
        }

        let row = self.row(&segments, body.get(at), carried)?;
        match &row {
            Some(row) => self.rows(&segments, row, (&powers, &linear))?,
            None if self.is_rare => self.in_turn(&segments, (&powers, &linear), carried)?,
            None => self.sections(&segments, (&powers, &linear), carried)?,
        }
        for statement in &body[..at] {
            if let Statement::Loop(one) = statement {
                self.coded(one, LoopKind::Linear);
            }
        }
        Ok(at + usize::from(row.is_some()))
    }

    /// The first position of a segment, and what stands before all of them.
    pub(crate) fn enter(&mut self, segment: &Segment) {
        let one = &segment.loops[0];
        let start = self.number(&one.start);
        self.line("{");
        self.depth += 1;
        self.line(&format!("const int64_t i{} = {start};", one.index));
        self.line(&format!("(void)i{};", one.index));
        self.text += &segment.head;
    }

    /// What `now` bytes of a segment add from byte `done` on. `inside`: the code is a part of the message's.
    pub(crate) fn add(
        &mut self,
        segment: &Segment,
        linear: &Linear,
        (now, done): (&str, Option<&str>),
        (powers, parts): (&str, &str),
        inside: bool,
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let product = linear.product;
        let Body::Positions { plan, given, goals } = &segment.body else {
            let Body::Block(block) = &segment.body else { return Ok(()) };
            let kernel = self
                .inline_kernel(format!("added block {product:?}"), |name| wide.added_block(&product, name))?;
            self.line(&format!("{kernel}((const void *)({block}), {powers}, {parts});"));
            return Ok(());
        };
        let key = format!("added {plan:?} {product:?}");
        let kernel = match inside {
            true => self.inline_kernel(key, |name| wide.added(plan, &product, name))?,
            false => self.apart_kernel(key, |name| wide.added(plan, &product, name))?,
        };
        let mut arguments = Vec::new();
        let moved = |expression: &str| match done {
            Some(done) => format!("{expression} + {done}"),
            None => expression.to_owned(),
        };
        for (kind, expression) in plan.given.iter().zip(given) {
            if let (Given::Number, Some(done)) = (kind, done) {
                self.line(&format!("number({expression}, {expression}_value + (uint64_t)({done} >> 4));"));
            }
            let expression = if *kind == Given::Each { moved(expression) } else { expression.clone() };
            arguments.push(format!("(const void *)({expression})"));
        }
        arguments.extend([powers.to_owned(), "ones".into(), format!("(size_t)({now})"), parts.to_owned()]);
        arguments.extend(goals.iter().map(|goal| format!("(void *)({})", moved(goal))));
        self.line(&format!("{kernel}({});", arguments.join(", ")));
        Ok(())
    }

    /// The end of a chain.
    pub(crate) fn fold(&mut self, linear: &Linear, sum: &str, block: &str) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let product = linear.product;
        let folded =
            self.inline_kernel(format!("folded {product:?}"), |name| wide.folded(&product, false, name))?;
        self.line(&format!("{folded}({sum}, {block});"));
        Ok(())
    }

    /// The code of a chain. `from`: the blocks from each segment on. Whole pieces come first, and strings that are sections of their
    /// own, as long as what is left is more than one section.
    fn sections(
        &mut self,
        segments: &[Segment],
        (powers, linear): (&str, &Linear),
        carried: VariableId,
    ) -> Written<()> {
        // The blocks from each segment on.
        let mut from = vec!["0".to_owned()];
        for segment in segments.iter().rev() {
            let name = self.fresh("from");
            let behind = from[from.len() - 1].clone();
            self.line(&format!("const int64_t {name} = {behind} + {};", segment.blocks));
            self.line(&format!("(void){name};"));
            from.push(name);
        }
        from.reverse();
        let from = &from[..];
        let names = self.sums()?;
        let (parts, sum) = (names[..PARTS.len()].join(", "), names[PARTS.len()].clone());
        let (longest, _) = self.longest()?;
        self.line(&format!("if ({} > {longest}) {{", from[0]));
        self.depth += 1;
        let (done, blocks) = self.before(segments, from, (powers, linear), (&parts, &sum))?;
        for ((segment, done), blocks) in segments.iter().zip(&done).zip(&blocks) {
            self.last_section(segment, linear, (Some(done), blocks), (powers, &parts))?;
        }
        self.depth -= 1;
        // The same without anything done before: code of its own, in which nothing has to be added to that.
        self.line("} else {");
        self.depth += 1;
        for (segment, from) in segments.iter().zip(from) {
            self.last_section(segment, linear, (None, from), (powers, &parts))?;
        }
        self.foot();
        let reduced = self.reduced()?;
        self.line(&format!("{reduced}({parts}, {sum});"));
        let carried = self.name(carried);
        self.fold(linear, &sum, &carried)
    }

    /// The code of a chain that is rare: section by section, each reduced.
    fn in_turn(
        &mut self,
        segments: &[Segment],
        (powers, linear): (&str, &Linear),
        carried: VariableId,
    ) -> Written<()> {
        let names = self.sums()?;
        for segment in segments {
            let bytes = segment.bytes.clone();
            self.by_sections(segment, &bytes, (powers, linear), &names)?;
        }
        let carried = self.name(carried);
        self.fold(linear, &names[PARTS.len()], &carried)
    }

    /// What the first so many bytes of a segment add to a sum, section by section. `names`: the parts of a sum, and the sum.
    pub(crate) fn by_sections(
        &mut self,
        segment: &Segment,
        bytes: &str,
        (powers, linear): (&str, &Linear),
        names: &[String],
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let (longest, register) = self.longest()?;
        let [done, now, own] = ["done", "now", "powers"].map(|name| self.fresh(name));
        let (parts, sum) = (names[..PARTS.len()].join(", "), &names[PARTS.len()]);
        self.line(&format!("for (int64_t {done} = 0; {done} < {bytes};) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {now} = minimum({bytes} - {done}, {});", 16 * longest));
        self.line(&format!(
            "const uint8_t *const {own} = {powers} + 16 * ({longest} - (({now} + 15) >> 4));"
        ));
        for part in &names[..PARTS.len()] {
            self.line(&format!("memset({part}, 0, {register});"));
        }
        let added_sum = self.inline_kernel("added sum".into(), |name| wide.added_sum(name))?;
        self.line(&format!("{added_sum}({sum}, {own}, {parts});"));
        self.enter(segment);
        // What several strings need is one function where code is to be small.
        self.add(segment, linear, (&now, Some(&done)), (&own, &parts), !wide.choices.is_small)?;
        self.foot();
        let reduced = self.reduced()?;
        self.line(&format!("{reduced}({parts}, {sum});"));
        self.line(&format!("{done} += {now};"));
        self.foot();
        Ok(())
    }

    /// The blocks of the longest section, and the bytes of a register.
    pub(crate) fn longest(&self) -> Written<(i64, usize)> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        Ok((i64::from(LONGEST) * wide.in_register() as i64, 16 * wide.in_register()))
    }

    /// Room for the parts of a sum and for the sum.
    pub(crate) fn sums(&mut self) -> Written<Vec<String>> {
        let (_, bytes) = self.longest()?;
        let names: Vec<String> = PARTS.iter().chain(&["sum"]).map(|name| self.fresh(name)).collect();
        for name in &names {
            self.line(&format!("_Alignas(64) uint8_t {name}[{bytes}] = {{0}};"));
        }
        Ok(names)
    }

    pub(crate) fn reduced(&mut self) -> Written<String> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        self.inline_kernel("reduced".into(), |name| wide.reduced(name))
    }

    /// What is done of a chain before its last section: the bytes that are done of each segment, and the blocks from each on. What
    /// has been added up is in the parts of the sum then.
    fn before(
        &mut self,
        segments: &[Segment],
        from: &[String],
        (powers, linear): (&str, &Linear),
        (parts, sum): (&str, &str),
    ) -> Written<(Vec<String>, Vec<String>)> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let ((longest, bytes), product) = (self.longest()?, linear.product);
        let reduced = self.reduced()?;
        let added_sum = self.inline_kernel("added sum".into(), |name| wide.added_sum(name))?;
        let done: Vec<String> = segments.iter().map(|_| self.fresh("done")).collect();
        let blocks: Vec<String> = segments.iter().map(|_| self.fresh("blocks")).collect();
        for done in &done {
            self.line(&format!("int64_t {done} = 0;"));
        }
        let before = self.fresh("before");
        self.line(&format!("_Alignas(64) uint8_t {before}[{bytes}] = {{0}};"));
        for (place, (((segment, done), from), behind)) in
            segments.iter().zip(&done).zip(from).zip(&from[1..]).enumerate()
        {
            self.enter(segment);
            let mut inside = true;
            if let Body::Positions { plan, given, goals } = &segment.body {
                let pieces = self.fresh("pieces");
                // Something is left for the section at the end.
                self.line(&format!(
                    "const int64_t {pieces} = minimum(({}) / {}, ({from} - 1) / {longest});",
                    segment.bytes,
                    16 * longest,
                ));
                let paired = self.paired(powers)?;
                let kernel = self.apart_kernel(format!("pieces {plan:?} {product:?}"), |name| {
                    wide.pieces(plan, &product, false, name)
                })?;
                let mut arguments: Vec<String> =
                    given.iter().map(|one| format!("(const void *)({one})")).collect();
                arguments.extend([powers.to_owned(), paired, format!("(size_t){pieces}"), before.clone()]);
                arguments.extend(goals.iter().map(|goal| format!("(void *)({goal})")));
                self.line(&format!("if ({pieces} > 0) {kernel}({});", arguments.join(", ")));
                self.line(&format!("{done} = {} * {pieces};", 16 * longest));
                inside = plan.ciphers().is_empty();
            }
            // What is left and does not fit with what follows is a section of its own.
            let left = self.fresh("left");
            self.line(&format!("const int64_t {left} = {} - {done};", segment.bytes));
            self.line(&format!("if ({left} > 0 && (({left} + 15) >> 4) + {behind} > {longest}) {{"));
            self.depth += 1;
            let own = self.fresh("powers");
            self.line(&format!(
                "const uint8_t *const {own} = {powers} + 16 * ({longest} - (({left} + 15) >> 4));"
            ));
            let names: Vec<String> = PARTS.iter().map(|name| self.fresh(name)).collect();
            for name in &names {
                self.line(&format!("_Alignas(64) uint8_t {name}[{bytes}] = {{0}};"));
            }
            let own_parts = names.join(", ");
            // Before the first segment there is nothing but its pieces.
            let unless = if place == 0 { format!("if ({done} > 0) ") } else { String::new() };
            self.line(&format!("{unless}{added_sum}({before}, {own}, {own_parts});"));
            self.add(segment, linear, (&left, Some(done)), (&own, &own_parts), inside)?;
            self.line(&format!("{reduced}({own_parts}, {before});"));
            self.line(&format!("{done} += {left};"));
            self.depth -= 1;
            self.line("}");
            self.depth -= 1;
            self.line("}");
        }
        // What is left is one section.
        let mut after = "0".to_owned();
        for ((segment, done), blocks) in segments.iter().zip(&done).zip(&blocks).rev() {
            self.line(&format!(
                "const int64_t {blocks} = {after} + (({} - {done} + 15) >> 4);",
                segment.bytes
            ));
            after.clone_from(blocks);
        }
        self.line(&format!("memcpy({sum}, {before}, {bytes});"));
        self.line(&format!("{added_sum}({sum}, {powers} + 16 * ({longest} - {}), {parts});", blocks[0]));
        Ok((done, blocks))
    }

    /// What is left of a segment, in the section that ends the chain: `from`, the blocks from there on.
    fn last_section(
        &mut self,
        segment: &Segment,
        linear: &Linear,
        (done, from): (Option<&str>, &str),
        (powers, parts): (&str, &str),
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let longest = i64::from(LONGEST) * wide.in_register() as i64;
        self.enter(segment);
        let powers = format!("{powers} + 16 * ({longest} - {from})");
        let now = match done {
            Some(done) => format!("{} - {done}", segment.bytes),
            None => segment.bytes.clone(),
        };
        let is_block = matches!(segment.body, Body::Block(_));
        match done.filter(|_| is_block) {
            None => self.add(segment, linear, (&now, done), (&powers, parts), true)?,
            // It may have been a section of its own.
            Some(done) => {
                self.line(&format!("if ({done} == 0) {{"));
                self.depth += 1;
                self.add(segment, linear, (&now, None), (&powers, parts), true)?;
                self.foot();
            }
        }
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    /// A loop as a segment, with the loop behind it if that is of the string's last block.
    fn segment(&mut self, one: &Loop, next: Option<&Loop>) -> Written<Segment> {
        let place = one.body.iter().position(|statement| makes_next(one, statement));
        let Some(Statement::Step(last)) = place.map(|place| &one.body[place]) else {
            return refuse("no step makes what is carried alone");
        };
        let [carried] = &one.carried[..] else { return refuse("not one thing is carried") };
        let plain = self.plain(last, carried.variable, carried.next)?;
        let fits = |_| Refusal("a number that does not fit".into());
        let trips = one.stop.plus(&one.start, -1).map_err(fits)?;
        let step = last.clone();
        if trips.as_constant() == Some(1) && one.body.len() == 1 {
            let text = self.text.len();
            let block = match &last.inputs[plain.added] {
                Source::Text(text) => self.block(text, BLOCK as u32)?,
                Source::Variable(id) => self.name(*id),
                _ => return refuse("what is added is no block"),
            };
            let head = self.text.split_off(text);
            let (bytes, blocks) = ("16".into(), "1".into());
            return Ok(Segment {
                loops: vec![one.clone()],
                bytes,
                blocks,
                head,
                body: Body::Block(block),
                plain,
                step,
            });
        }
        let (plan, given, goals, head) = self.drafted(one, &plain)?;
        let mut loops = vec![one.clone()];
        let (mut bytes, mut blocks) = (trips.times(&BLOCK.into()).map_err(fits)?, trips);
        if let Some(next) = next
            && let Some((whole, rest)) = widened(next)
            && next.carried.len() == 1
            && next.carried[0].first == carried.variable
            && next.start == one.stop
            && next.index == one.index
        {
            let trips = next.stop.plus(&next.start, -1).map_err(fits)?;
            let first = |term: &Term| (*term == Term::Index(next.index)).then(|| next.start.clone());
            let rest = rest.substitute(&first).map_err(fits)?;
            let quotient = |number: &Number| number.quotient(&BLOCK.into());
            let up = rest.plus(&(BLOCK - 1).into(), 1).and_then(|up| quotient(&up)).map_err(fits)?;
            // The rest is less than a block.
            let is_part = quotient(&rest).map_err(fits)?.as_constant() == Some(0);
            let (text, fresh) = (self.text.len(), self.fresh);
            let same = is_part && up == trips && {
                let place = whole.body.iter().position(|statement| makes_next(&whole, statement));
                match place.map(|place| &whole.body[place]) {
                    Some(Statement::Step(last)) => {
                        let made = self
                            .plain(last, whole.carried[0].variable, whole.carried[0].next)
                            .and_then(|plain| self.drafted(&whole, &plain));
                        made.is_ok_and(|(other, other_given, other_goals, _)| {
                            let apart = |kinds: &Plan, all: &[String]| -> Vec<String> {
                                let known =
                                    kinds.given.iter().zip(all).filter(|(kind, _)| **kind != Given::Number);
                                known.map(|(_, one)| one.clone()).collect()
                            };
                            format!("{plan:?}") == format!("{other:?}")
                                && goals == other_goals
                                && apart(&plan, &given) == apart(&other, &other_given)
                                && same_numbers(one, &whole)
                        })
                    }
                    _ => false,
                }
            };
            self.text.truncate(text);
            self.fresh = fresh;
            if same {
                bytes = bytes.plus(&rest, 1).map_err(fits)?;
                blocks = blocks.plus(&trips, 1).map_err(fits)?;
                loops.push(next.clone());
            }
        }
        let (bytes, blocks) = (self.number(&bytes), self.number(&blocks));
        Ok(Segment { loops, bytes, blocks, head, body: Body::Positions { plan, given, goals }, plain, step })
    }

    /// The plan of a loop, which makes its results and the block that it adds; and the C before it.
    fn drafted(&mut self, one: &Loop, plain: &Plain) -> Written<(Plan, Vec<String>, Vec<String>, String)> {
        if usuba_message::classes::reads_itself(&one.body) {
            return refuse("a position reads what another one writes");
        }
        let text = self.text.len();
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let Some(Pending::Step(_, inputs)) = draft.pending.pop() else { return refuse("no step") };
        let Some(&(added, _)) = inputs.get(plain.added) else { return refuse("nothing is added") };
        let before = draft.makes();
        if results.iter().any(|draw| matches!(draw, Draw::Made(slot) if *slot >= before)) {
            return refuse("the step of a linear scan has results");
        }
        let all: Vec<Draw> = results.into_iter().chain([added]).collect();
        let (mut plan, given, goals) = draft.finish(&all, &[]);
        plan.next = plan.results.pop().into_iter().collect();
        let is_each = |slot: &usize| *slot >= plan.given.len() || plan.given[*slot] == Given::Each;
        if !plan.next.iter().all(is_each) || plan.given.contains(&Given::Carried) {
            return refuse("what is added is the same for all positions");
        }
        Ok((plan, given, goals, self.text.split_off(text)))
    }

    /// Where the powers of the factor are, from the highest to the first.
    fn table(&mut self, step: &Step, plain: &Plain) -> Written<String> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let mut factor = Draft::default();
        let mut inputs: Vec<(Draw, Places)> = Vec::new();
        for (place, (source, places)) in step.inputs.iter().zip(&plain.places).enumerate() {
            let draw = match source {
                Source::Variable(id) if plain.linear.factor.uses(place) && self.of_key.contains(id) => {
                    let (bits, name) = (self.bits(*id), self.name(*id));
                    let given = if bits > 128 { Given::Keys(bits / 128) } else { Given::Same };
                    factor.give(given, name)
                }
                _ => Draw::Nothing,
            };
            inputs.push((draw, places.clone()));
        }
        factor.pending.push(Pending::Step(Rc::new(plain.linear.factor.clone()), inputs));
        let (plan, given, _) = factor.finish(&[Draw::Made(0)], &[]);
        if !given.iter().all(|one| one.starts_with("(prepared + ")) {
            return refuse("powers that are not of the key");
        }
        let key = format!("descending {} {plan:?} {given:?}", wide.target.name);
        if let Some(known) = self.powers.get(&key) {
            return Ok(known.clone());
        }
        let product = plain.linear.product;
        let maker = self.kernel(key.clone(), |name| wide.descending(&plan, &product, name))?;
        let register = 16 * wide.in_register();
        let place = self.room(TABLES as usize * register);
        let call = self.call(&maker, (&plan, &given), None, &[format!("(prepared + {place})")]);
        let _ = writeln!(self.preparation, "  {call}");
        for (first, end) in [(HIGHEST, TABLE), (TABLE + HIGHEST, TABLES)] {
            let [first, end] = [first, end].map(|at| at as usize * register);
            let _ = writeln!(self.preparation, "  memset(prepared + {}, 0, {});", place + first, end - first);
        }
        // What follows begins with the powers of the longest section.
        let name = format!("(prepared + {})", place + (HIGHEST - LONGEST) as usize * register);
        self.powers.insert(key, name.clone());
        Ok(name)
    }

    /// Where the powers of a table lie two by two.
    pub(crate) fn paired(&mut self, powers: &str) -> Written<String> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let key = format!("paired {powers}");
        if let Some(known) = self.powers.get(&key) {
            return Ok(known.clone());
        }
        let maker = self.kernel("paired".into(), |name| wide.paired(name))?;
        let place = self.room(PAIRED as usize * 16 * wide.in_register());
        let name = format!("(prepared + {place})");
        let _ = writeln!(self.preparation, "  {maker}({powers}, {name});");
        self.powers.insert(key, name.clone());
        Ok(name)
    }

    /// Whether a variable is made of zeros, by a step that needs nothing.
    fn is_zero(&mut self, id: VariableId) -> bool {
        let Some(node) = maker(&self.message.body, id) else { return false };
        self.form(&node).is_ok_and(|form| {
            form.inputs.is_empty() && form.outputs.iter().flatten().all(|bit| *bit == Bit::default())
        })
    }
}

/// The node of the step that makes a variable alone, from nothing.
fn maker(body: &[Statement], id: VariableId) -> Option<String> {
    body.iter().find_map(|statement| match statement {
        Statement::Step(step) if step.inputs.is_empty() && step.outputs[..] == [Target::Variable(id)] => {
            Some(step.node.clone())
        }
        Statement::If { then, otherwise, .. } => maker(then, id).or_else(|| maker(otherwise, id)),
        Statement::Loop(one) => maker(&one.body, id),
        _ => None,
    })
}

/// Whether the numbers in the steps of two loops are the same.
fn same_numbers(one: &Loop, other: &Loop) -> bool {
    let numbers = |one: &Loop| -> Vec<(Number, u32)> {
        let steps = one.body.iter().filter_map(|statement| match statement {
            Statement::Step(step) => Some(step),
            _ => None,
        });
        let number = |source: &Source| match source {
            Source::Word { number, width } => Some((number.clone(), *width)),
            _ => None,
        };
        steps.flat_map(|step| &step.inputs).filter_map(number).collect()
    };
    numbers(one) == numbers(other)
}

/// A loop of the last block of a string as if that were whole, and how many bytes it has. Zeros behind it may stand in what is
/// added only.
fn widened(one: &Loop) -> Option<(Loop, Number)> {
    let mut whole = one.clone();
    let mut rest: Option<Number> = None;
    let mut lengths = |window: &mut Window| {
        if window.length.as_constant().is_some() {
            return true;
        }
        let same = rest.as_ref().is_none_or(|rest| *rest == window.length);
        rest = Some(window.length.clone());
        window.length = BLOCK.into();
        same
    };
    for (place, statement) in one.body.iter().enumerate() {
        let adds = makes_next(one, statement);
        match &mut whole.body[place] {
            Statement::Step(step) => {
                for source in &mut step.inputs {
                    if let Source::Text(text) | Source::Words { text, .. } = source {
                        // There is one position at most.
                        let only = |term: &Term| {
                            (*term == Term::Index(one.index))
                                .then(|| one.stop.plus(&1.into(), -1).unwrap_or_default())
                        };
                        let length = form::length(text).substitute(&only).ok()?;
                        widen(text, adds && length.as_constant() == Some(BLOCK), &mut lengths)?;
                    }
                }
                for target in &mut step.outputs {
                    if let Target::Window(window) = target {
                        lengths(window).then_some(())?;
                    }
                }
            }
            Statement::Define(Define { target, value, .. }) => {
                lengths(target).then_some(())?;
                widen(value, false, &mut lengths)?;
            }
            _ => return None,
        }
    }
    Some((whole, rest?))
}

/// Takes a text to a whole block; `may_end`: zeros may stand at its end.
fn widen(text: &mut Text, may_end: bool, lengths: &mut dyn FnMut(&mut Window) -> bool) -> Option<()> {
    let padded = matches!(text[..], [_, Piece::Padding { first: 0, last: 0, .. }]);
    if padded {
        may_end.then_some(())?;
        text.pop();
    }
    for piece in text.iter_mut() {
        match piece {
            Piece::Window(window) => lengths(window).then_some(())?,
            Piece::Padding { .. } => return None,
            Piece::Map { operands, .. } => {
                for operand in operands {
                    widen(operand, false, lengths)?;
                }
            }
        }
    }
    Some(())
}
