//! The loops of a message: which kernel each is, and the C that calls it.

use crate::draft::{Draft, Draw, Pending};
use crate::glue::{BLOCK, LoopCode, LoopKind, Writer, Written, refuse, words};
use crate::linear::{Linear, linear};
use crate::place::{self, Places};
use crate::plan::{Given, Plan, Refusal};
use crate::scan::Table;
use crate::step::in_memory;
use std::fmt::Write;
use std::rc::Rc;
use usuba_ir::program::BinaryOp;
use usuba_message::classes::reads_itself;
use usuba_message::form::{self, ByteOperation, Loop, Piece, Source, Statement, Text, VariableId, Window};
use usuba_message::number::{Number, Term};

/// Registers of positions that a loop computes at once.
pub(crate) const GROUPS: usize = 8;

/// Registers of positions that a linear scan adds up before it reduces, where there are 32 registers; else half as many.
const SCANNED: usize = 8;

/// Bytes that are copied word by word at most.
const COPIED: u32 = 64;

impl Writer<'_> {
    pub(crate) fn repeat(&mut self, one: &Loop) -> Written<()> {
        let (text, fresh, depth) = (self.text.len(), self.fresh, self.depth);
        let queue = self.queue.clone();
        // What never runs says what a variable is at the beginning.
        if one.body.is_empty() {
            self.empty();
            return one.carried.iter().try_for_each(|carried| self.copy(carried.variable, carried.first));
        }
        let drafted = match one.carried[..] {
            _ if reads_itself(&one.body) => refuse("a position reads what another one writes"),
            [] => self.positions(one),
            _ => self
                .queued(one)
                .or_else(|_| {
                    self.text.truncate(text);
                    (self.fresh, self.depth) = (fresh, depth);
                    self.queue = queue;
                    self.empty();
                    self.linear(one)
                })
                .or_else(|why| {
                    self.text.truncate(text);
                    (self.fresh, self.depth) = (fresh, depth);
                    self.alone(one).or(Err(why))
                })
                .or_else(|why| {
                    self.text.truncate(text);
                    (self.fresh, self.depth) = (fresh, depth);
                    self.scan(one, why)
                }),
        };
        let drafted = drafted.or_else(|why| {
            self.text.truncate(text);
            (self.fresh, self.depth) = (fresh, depth);
            self.around(one)
                .or_else(|_| {
                    self.text.truncate(text);
                    (self.fresh, self.depth) = (fresh, depth);
                    self.batches(one)
                })
                .map_err(|_| why)
        });
        if let Err(why) = drafted {
            self.text.truncate(text);
            (self.fresh, self.depth) = (fresh, depth);
            self.coded(one, LoopKind::OneByOne(why));
            return self.one_by_one(one);
        }
        Ok(())
    }

    fn one_by_one(&mut self, one: &Loop) -> Written<()> {
        let once = one.stop.plus(&one.start, -1).is_ok_and(|trips| trips.as_constant() == Some(1));
        // What a loop of steps on words carries is a variable of the loop alone, so that compilers keep it in registers.
        let (mut own, mut names) = (Vec::new(), Vec::new());
        for carried in &one.carried {
            let to = self.name(carried.variable);
            match self.blocks {
                None => {
                    let bits = self.bits(carried.variable);
                    let bytes = bits.div_ceil(8).next_multiple_of(16);
                    let name = self.declare("carried", bytes, !bits.is_multiple_of(64));
                    self.copy_named(&name, &self.name(carried.first), self.bits(carried.variable));
                    names.push((carried.variable, name.clone()));
                    own.push((to, name, self.bits(carried.variable)));
                }
                Some(_) => self.copy(carried.variable, carried.first)?,
            }
        }
        let outer = (self.carried.clone(), self.in_loop);
        self.carried.extend(names);
        self.in_loop |= !once && self.blocks.is_none() && self.lane.is_none();
        let (index, start, stop) = (one.index, self.number(&one.start), self.number(&one.stop));
        match (once, self.lane.is_some()) {
            (true, false) => self.line("{"),
            (true, true) => self.line(&format!("s->i{index} = {start}; {{")),
            (false, false) => {
                self.line(&format!("for (int64_t i{index} = {start}; i{index} < {stop}; i{index}++) {{"));
            }
            (false, true) => {
                self.line(&format!("for (s->i{index} = {start}; s->i{index} < {stop}; s->i{index}++) {{"))
            }
        }
        self.depth += 1;
        if once && self.lane.is_none() {
            self.line(&format!("const int64_t i{index} = {start};"));
            self.line(&format!("(void)i{index};"));
        }
        self.statements(&one.body)?;
        let carried: Vec<VariableId> = one.carried.iter().map(|one| one.variable).collect();
        let mut late = Vec::new();
        for carried_one in &one.carried {
            if carried.contains(&carried_one.next) && carried_one.next != carried_one.variable {
                let bits = self.bits(carried_one.next);
                let name = self.declare("kept", bits.div_ceil(8).next_multiple_of(16), false);
                self.copy_named(&name, &self.name(carried_one.next), bits);
                late.push((self.name(carried_one.variable), name, bits));
            }
        }
        for one in &one.carried {
            if !carried.contains(&one.next) {
                self.copy(one.variable, one.next)?;
            }
        }
        for (to, from, bits) in late {
            self.copy_named(&to, &from, bits);
        }
        self.depth -= 1;
        self.line("}");
        (self.carried, self.in_loop) = outer;
        for (to, from, bits) in own {
            self.copy_named(&to, &from, bits);
        }
        Ok(())
    }

    /// A copy of so many bits: by words where they are few, since compilers do not keep in registers what is copied as a whole.
    pub(crate) fn copy_named(&mut self, to: &str, from: &str, bits: u32) {
        let bytes = bits.div_ceil(8);
        if self.blocks.is_some() || bytes > COPIED || !bytes.is_multiple_of(8) {
            return self.line(&format!("memcpy({to}, {from}, {bytes});"));
        }
        for at in (0..bytes).step_by(8) {
            self.line(&format!("memcpy({to} + {at}, {from} + {at}, 8);"));
        }
    }

    pub(crate) fn copy(&mut self, to: VariableId, from: VariableId) -> Written<()> {
        if to == from {
            return Ok(());
        }
        let (name, bytes) = (self.name(to), self.bits(to).div_ceil(8));
        // Kernels read whole blocks; locals are zero behind their bytes from the beginning.
        if self.kept.contains_key(&to) && !bytes.is_multiple_of(16) {
            self.line(&format!("memset({name}, 0, {});", bytes.next_multiple_of(16)));
        }
        self.copy_named(&name, &self.name(from), self.bits(to));
        Ok(())
    }

    /// What the body of a loop does, as a plan whose `next` is what is carried; and the slots of the variables.
    pub(crate) fn draft(&mut self, one: &Loop, draft: &mut Draft) -> Written<Vec<Draw>> {
        let index = Term::Index(one.index);
        let mut results = Vec::new();
        for carried in &one.carried {
            if self.bits(carried.variable) > place::BITS {
                return refuse("more than a block is carried");
            }
            let Draw::Given(slot) = draft.give(Given::Carried, self.name(carried.variable)) else { continue };
            draft.carried.insert(carried.variable, slot);
        }
        // What makes the next value comes last: registers are loaded before anything is stored.
        let makes = |statement: &&Statement| makes_next(one, statement);
        let ordered = one.body.iter().filter(|one| !makes(one)).chain(one.body.iter().filter(makes));
        for statement in ordered {
            match statement {
                Statement::Step(step) => {
                    let form = self.form(&step.node)?;
                    let mut inputs = Vec::new();
                    for (source, &bits) in step.inputs.iter().zip(&form.inputs) {
                        inputs.push(self.source(source, bits, &index, draft)?);
                    }
                    let first = draft.makes();
                    draft.pending.push(Pending::Step(form, inputs));
                    for (target, slot) in step.outputs.iter().zip(first..) {
                        match target {
                            form::Target::Variable(id) if self.bits(*id) > place::BITS => {
                                return refuse("a position makes more than a block");
                            }
                            form::Target::Variable(id) => {
                                draft.made.insert(*id, slot);
                            }
                            form::Target::Window(window) => {
                                let place = self.strided(window, &index)?;
                                draft.written.push((place.clone(), Draw::Made(slot)));
                                draft.results.push(place);
                                results.push(Draw::Made(slot));
                            }
                            form::Target::Element(..) => return refuse("an element of an array"),
                        }
                    }
                }
                Statement::Define(define) => {
                    let place = self.strided(&define.target, &index)?;
                    let value = self.value(&define.value, &index, draft)?;
                    draft.written.push((place.clone(), value));
                    draft.results.push(place);
                    results.push(value);
                }
                Statement::Loop(_) | Statement::If { .. } | Statement::Accept { .. } => {
                    return refuse("a loop or a choice inside");
                }
            }
        }
        Ok(results)
    }

    /// Notes what a loop is.
    pub(crate) fn coded(&mut self, one: &Loop, kind: LoopKind) {
        let message = self.message;
        let name = message.indices.get(one.index as usize).map_or("", String::as_str);
        let range = format!("{name} in [{}, {})", message.show(&one.start), message.show(&one.stop));
        self.loops.push(LoopCode { span: one.span, range, kind });
    }

    /// The head of a loop that is a kernel: whether it runs at all, its first position and their number.
    pub(crate) fn head(&mut self, one: &Loop) {
        let (start, stop) = (self.number(&one.start), self.number(&one.stop));
        self.line(&format!("if ({stop} > {start}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t i{} = {start}, many = {stop} - i{};", one.index, one.index));
    }

    pub(crate) fn foot(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A loop whose positions do not depend on one another.
    fn positions(&mut self, one: &Loop) -> Written<()> {
        self.head(one);
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let (plan, given, results) = draft.finish(&results, &[]);
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        self.map(wide.in_register(), &plan, &given, &results)?;
        self.foot();
        self.coded(one, LoopKind::Map);
        Ok(())
    }

    /// The kernels of a map: `many` positions, whole registers of them first.
    fn map(&mut self, register: usize, plan: &Plan, given: &[String], goals: &[String]) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let fast = self.kernel(format!("wide {plan:?}"), |name| wide.positions(plan, name, GROUPS))?;
        let call = self.call(&fast, (plan, given), Some("(size_t)(16 * whole)"), goals);
        self.line(&format!("const int64_t whole = many - many % {register};"));
        self.line(&call);
        if register > 1 {
            self.line("if (many > whole) {");
            self.depth += 1;
            self.rest(plan, given, goals)?;
            self.foot();
        }
        Ok(())
    }

    /// A loop that goes on position by position.
    fn scan(&mut self, one: &Loop, why: Refusal) -> Written<()> {
        for carried in &one.carried {
            self.copy(carried.variable, carried.first)?;
        }
        self.head(one);
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let next = self.next(one, &draft)?;
        let (plan, given, results) = draft.finish(&results, &next);
        let Some((_, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let name = self.kernel(format!("scan {plan:?}"), |name| narrow.one_by_one(&plan, name))?;
        let call = self.call(&name, (&plan, &given), Some("(size_t)(16 * many)"), &results);
        self.line(&call);
        self.foot();
        self.coded(one, LoopKind::Scan(why));
        Ok(())
    }

    pub(crate) fn next(&self, one: &Loop, draft: &Draft) -> Written<Vec<Draw>> {
        let next = one.carried.iter().map(|carried| {
            let made = draft.made.get(&carried.next).map(|&slot| Draw::Made(slot));
            made.or_else(|| draft.carried.get(&carried.next).map(|&slot| Draw::Given(slot)))
        });
        next.collect::<Option<_>>().ok_or_else(|| Refusal("what is carried is not made in the loop".into()))
    }

    /// What a linear scan does with whole registers of positions, the head of the loop being written; the plan of one position,
    /// and where its results go. `first`: what is done before, if there are any.
    fn by_powers(&mut self, one: &Loop, first: &str) -> Written<(Plan, Vec<String>, Vec<String>)> {
        let [carried] = &one.carried[..] else { return refuse("not one thing is carried") };
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let [Draw::Made(next)] = self.next(one, &draft)?[..] else { return refuse("nothing is made") };
        // The step that makes the next value is the last one.
        let slow_plan = draft.clone().finish(&results, &[Draw::Made(next)]);
        let goals = draft.results.clone();
        let Some(Pending::Step(step, inputs)) = draft.pending.pop() else { return refuse("no step") };
        let before = draft.makes();
        let output = next.checked_sub(before).filter(|output| *output < step.outputs.len());
        let input = draft.carried.get(&carried.variable).copied();
        let at = inputs.iter().position(|(draw, _)| Some(*draw) == input.map(Draw::Given));
        let (Some(output), Some(at)) = (output, at) else {
            return refuse("another step makes the next value");
        };
        let is_fixed = |place: usize| match inputs.get(place) {
            Some((Draw::Given(slot), _)) => {
                matches!(draft.plan.given.get(*slot), Some(Given::Same | Given::Keys(_)))
            }
            _ => false,
        };
        let Some(linear) = linear(&step, at, output, &is_fixed) else { return refuse("no linear scan") };

        // The powers of the factor.
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let fixed = inputs.iter().enumerate().filter_map(|(place, (draw, _))| match draw {
            Draw::Given(slot) if is_fixed(place) => {
                Some((place, draft.plan.given[*slot].clone(), draft.given[*slot].clone()))
            }
            _ => None,
        });
        let fixed: Vec<(usize, Given, String)> = fixed.collect();
        let places: Vec<Places> = inputs.iter().map(|(_, places)| places.clone()).collect();
        let (powers, _) = self.powers(&linear, &fixed, &places)?;
        let (product, scanned) = (linear.product, self.scanned());

        // What is added for each position.
        let addend = inputs
            .into_iter()
            .enumerate()
            .map(|(place, (draw, places))| (if place == at { Draw::Nothing } else { draw }, places));
        let addend = Pending::Step(Rc::new(linear.addend.clone()), addend.collect());
        draft.pending.push(addend);
        let of_this = |draw: &Draw| matches!(draw, Draw::Made(slot) if *slot >= before);
        if results.iter().any(of_this) {
            return refuse("the step of a linear scan has results");
        }
        let all: Vec<Draw> = results.iter().copied().chain([Draw::Made(before)]).collect();
        let (mut plan, given, _) = draft.finish(&all, &[]);
        // What is added comes after the results.
        plan.next = plan.results.pop().into_iter().collect();
        let fast =
            self.kernel(format!("linear {plan:?}"), |name| wide.linear(&plan, &product, scanned, name))?;
        let name = self.name(carried.variable);
        let register = wide.in_register();
        self.line(&format!("const int64_t whole = many - many % {register};"));
        let bytes = format!("{powers}, {powers} + {}, (size_t)(16 * whole)", 16 * wide.in_register());
        let written: Vec<String> = [name].iter().chain(&goals).cloned().collect();
        let call = self.call(&fast, (&plan, &given), Some(&bytes), &written);
        self.line(&match first {
            "" => format!("if (whole > 0) {call}"),
            _ => format!("if (whole > 0) {{ {first} {call} }}"),
        });
        let (plan, given, _) = slow_plan;
        Ok((plan, given, goals))
    }

    /// The same; the C of what is mapped at the positions that are left.
    pub(crate) fn whole_registers(&mut self, one: &Loop, first: &str) -> Written<String> {
        self.by_powers(one, first)?;
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        draft.pending.pop();
        let (plan, given, goals) = draft.finish(&results, &[]);
        if results.is_empty() {
            return Ok(String::new());
        }
        let text = self.text.len();
        self.rest(&plan, &given, &goals)?;
        let rest: String = self.text.split_off(text).split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(format!("if (many > whole) {{ {rest} }}"))
    }

    /// The positions behind whole registers of a map.
    fn rest(&mut self, plan: &Plan, given: &[String], goals: &[String]) -> Written<()> {
        let Some((_, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let slow = self.kernel(format!("narrow {plan:?}"), |name| narrow.positions(plan, name, 1))?;
        let moved = |(given, expression): (&Given, &String)| match given {
            Given::Each => format!("{expression} + 16 * whole"),
            _ => expression.clone(),
        };
        let rest: Vec<String> = plan.given.iter().zip(given).map(moved).collect();
        let goals: Vec<String> = goals.iter().map(|goal| format!("{goal} + 16 * whole")).collect();
        for (given, expression) in plan.given.iter().zip(given) {
            if *given == Given::Number {
                self.line(&format!("number({expression}, {expression}_value + (uint64_t)whole);"));
            }
        }
        let call = self.call(&slow, (plan, &rest), Some("(size_t)(16 * (many - whole))"), &goals);
        self.line(&call);
        Ok(())
    }

    /// A loop that is a linear scan: many positions by powers, the rest one by one.
    fn linear(&mut self, one: &Loop) -> Written<()> {
        let [carried] = &one.carried[..] else { return refuse("not one thing is carried") };
        let Some((wide, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        self.copy(carried.variable, carried.first)?;
        self.head(one);
        let (plan, given, goals) = self.by_powers(one, "")?;
        let register = wide.in_register();
        if register > 1 {
            let slow = self.kernel(format!("scan {plan:?}"), |name| narrow.one_by_one(&plan, name))?;
            let moved = |(given, expression): (&Given, &String)| match given {
                Given::Each => format!("{expression} + 16 * whole"),
                _ => expression.clone(),
            };
            let rest: Vec<String> = plan.given.iter().zip(&given).map(moved).collect();
            let goals: Vec<String> = goals.iter().map(|goal| format!("{goal} + 16 * whole")).collect();
            self.line("if (many > whole) {");
            for (given, expression) in plan.given.iter().zip(&given) {
                if *given == Given::Number {
                    self.line(&format!("  number({expression}, {expression}_value + (uint64_t)whole);"));
                }
            }
            let call = self.call(&slow, (&plan, &rest), Some("(size_t)(16 * (many - whole))"), &goals);
            self.line(&format!("  {call}"));
            self.line("}");
        }
        self.foot();
        self.coded(one, LoopKind::Linear);
        Ok(())
    }

    /// Registers of positions that a linear scan adds up before it reduces.
    pub(crate) fn scanned(&self) -> usize {
        let registers = self.blocks.map_or(0, |(wide, _)| wide.target.register_count);
        if registers >= 32 { SCANNED } else { SCANNED / 2 }
    }

    /// Where the powers of the factor of a linear scan are, and whether they are made once for a key. `fixed`: the inputs that it
    /// is made of, with their C; `places`: where the bits of all inputs lie.
    pub(crate) fn powers(
        &mut self,
        linear: &Linear,
        fixed: &[(usize, Given, String)],
        places: &[Places],
    ) -> Written<(String, bool)> {
        let Some((wide, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let mut factor = Draft::default();
        let mut inputs = Vec::new();
        for (place, places) in places.iter().enumerate() {
            let draw = match fixed.iter().find(|(number, ..)| *number == place) {
                Some((_, given, name)) => factor.give(given.clone(), name.clone()),
                None => Draw::Nothing,
            };
            inputs.push((draw, places.clone()));
        }
        factor.pending.push(Pending::Step(Rc::new(linear.factor.clone()), inputs));
        let (plan, given, _) = factor.finish(&[Draw::Made(0)], &[]);
        let counts = (wide.in_register(), self.scanned());
        let key = format!("{} {plan:?} {given:?}", wide.target.name);
        let product = linear.product;
        let maker =
            self.kernel(format!("powers {key}"), |name| narrow.powers(&plan, &product, counts, name))?;
        if let Some(known) = self.powers.get(&key) {
            return Ok((known.clone(), true));
        }
        let bytes = 16 * (counts.0 + Table::of(wide.target, counts.1).rows() as usize);
        let of_key = given.iter().all(|one| one.starts_with("(prepared + "));
        let place = match of_key {
            true => format!("(prepared + {})", self.room(bytes)),
            false => self.fresh("powers"),
        };
        let call = self.call(&maker, (&plan, &given), None, std::slice::from_ref(&place));
        if of_key {
            let _ = writeln!(self.preparation, "  {call}");
            self.powers.insert(key, place.clone());
        } else {
            self.line(&format!("_Alignas(64) uint8_t {place}[{bytes}];"));
            self.line(&call);
        }
        Ok((place, of_key))
    }

    /// The first place of a window that goes on by a block from position to position.
    fn strided(&self, window: &Window, index: &Term) -> Written<String> {
        let (_, pace) = window.start.split(index);
        if window.length.as_constant() != Some(BLOCK) || pace != BLOCK {
            return refuse("a window that is not a block further for each position");
        }
        self.window(window)
    }

    fn source(
        &mut self,
        source: &Source,
        bits: u32,
        index: &Term,
        draft: &mut Draft,
    ) -> Written<(Draw, Places)> {
        Ok(match source {
            Source::Variable(id) => {
                let bits = self.bits(*id);
                let draw = match draft.made.get(id) {
                    Some(&slot) => Draw::Made(slot),
                    None if draft.carried.contains_key(id) => Draw::Given(draft.carried[id]),
                    None if bits > place::BITS => draft.give(Given::Keys(bits / place::BITS), self.name(*id)),
                    None => draft.give(Given::Same, self.name(*id)),
                };
                (draw, in_memory(bits, self.message.variable(*id).words.width))
            }
            Source::Text(text) => (self.value(text, index, draft)?, place::as_is(bits)),
            Source::Words { text, width, order } => {
                (self.value(text, index, draft)?, words(bits, *width, *order))
            }
            Source::Word { number, width } => {
                let (_, pace) = number.split(index);
                if pace != 1 && pace != 0 {
                    return refuse("a number that does not go up by one");
                }
                let name = self.fresh("number");
                let value = self.number(number);
                self.line(&format!("const uint64_t {name}_value = (uint64_t)({value});"));
                self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                self.line(&format!("number({name}, {name}_value);"));
                if pace == 0 {
                    return refuse("a number that is the same for all positions");
                }
                (draft.give(Given::Number, name), place::little_words(*width, *width))
            }
            Source::Element(..) => return refuse("an element of an array"),
        })
    }

    /// A block that a text is, at each position.
    fn value(&mut self, text: &Text, index: &Term, draft: &mut Draft) -> Written<Draw> {
        let [piece] = &text[..] else { return refuse("a block of several pieces") };
        match piece {
            Piece::Window(window) => {
                let made = draft.made.get(&window.variable).map(|&slot| Draw::Made(slot));
                let carried = draft.carried.get(&window.variable).map(|&slot| Draw::Given(slot));
                if let Some(draw) = made.or(carried) {
                    let whole =
                        window.start.as_constant() == Some(0) && window.length.as_constant() == Some(BLOCK);
                    return if whole { Ok(draw) } else { refuse("a part of a block") };
                }
                if is_chosen(&window.start, index) && window.length.as_constant() == Some(BLOCK) {
                    let place = self.window(window)?;
                    return Ok(draft.give(Given::Chosen, place));
                }
                if window.start.mentions(index) {
                    let place = self.strided(window, index)?;
                    // What the position itself has written is at hand.
                    let written = draft.written.iter().rev().find(|(written, _)| *written == place);
                    if let Some((_, draw)) = written {
                        return Ok(*draw);
                    }
                    return Ok(draft.give(Given::Each, place));
                }
                let bytes = window.length.as_constant().and_then(|bytes| u32::try_from(bytes).ok());
                let Some(bytes) = bytes else { return refuse("a part of a block") };
                let block = self.block(text, bytes)?;
                Ok(draft.give(Given::Same, block))
            }
            Piece::Padding { .. } => refuse("a block of zeros"),
            Piece::Map { operation, operands } => {
                let mut draws = Vec::new();
                for operand in operands {
                    draws.push(self.value(operand, index, draft)?);
                }
                let made = draft.makes();
                draft.pending.push(match (operation, &draws[..]) {
                    (ByteOperation::Not, [a]) => Pending::Not(*a),
                    (ByteOperation::And, [a, b]) => Pending::Binary(BinaryOp::And, *a, *b),
                    (ByteOperation::Or, [a, b]) => Pending::Binary(BinaryOp::Or, *a, *b),
                    (ByteOperation::Xor, [a, b]) => Pending::Binary(BinaryOp::Xor, *a, *b),
                    _ => return refuse("an operation on a wrong number of strings"),
                });
                Ok(Draw::Made(made))
            }
        }
    }
}

/// Whether a place is that of the block of a table whose number is that of zeros at the end of an index and 1.
fn is_chosen(place: &Number, index: &Term) -> bool {
    let mut terms = place.terms();
    match (terms.next(), terms.next()) {
        (Some((Term::TrailingZeros(of), BLOCK)), None) if place.constant() == 0 => {
            let (rest, pace) = of.split(index);
            pace == 1 && rest.as_constant() == Some(1)
        }
        _ => false,
    }
}

/// Whether a statement does nothing but make the only thing that a loop carries, for the next position alone.
pub(crate) fn makes_next(one: &Loop, statement: &Statement) -> bool {
    match (&one.carried[..], statement) {
        ([carried], Statement::Step(step)) => {
            step.outputs[..] == [form::Target::Variable(carried.next)]
                && !one.body.iter().any(|other| reads(other, carried.next))
        }
        _ => false,
    }
}

/// Whether a statement needs a variable, or may.
pub(crate) fn reads(statement: &Statement, variable: VariableId) -> bool {
    match statement {
        Statement::Step(step) => step.inputs.iter().any(|source| source_reads(source, variable)),
        Statement::Define(define) => form::reads(&define.value, variable),
        Statement::Loop(_) | Statement::If { .. } | Statement::Accept { .. } => true,
    }
}

/// Whether a source is a variable, or has bytes of it.
pub(crate) fn source_reads(source: &Source, variable: VariableId) -> bool {
    match source {
        Source::Variable(id) | Source::Element(id, _) => *id == variable,
        Source::Text(text) | Source::Words { text, .. } => form::reads(text, variable),
        Source::Word { .. } => false,
    }
}
