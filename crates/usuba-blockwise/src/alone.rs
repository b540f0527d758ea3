//! Loops of which all that is carried goes on without the results of the rest, in registers beside it: what goes through the same
//! linear map at every position, as the tweaks of XTS do, what is added up, as checksums are, and sums of entries of a table that
//! the position's number chooses by the zeros at its end, as the offsets of OCB are.
//!
//! A turn is as many positions as are computed at once, a power of two. With the value at the end of a turn that at each of its
//! positions is a power of the map, or the same sum of entries in all turns but for the last position: numbers that differ by a
//! multiple of the turn have as many zeros at their end, unless they are multiples themselves.

use crate::affine::Map;
use crate::draft::{Draft, Draw, Pending};
use crate::glue::{LoopKind, Writer, Written, refuse};
use crate::loops::GROUPS;
use crate::place::{self, as_is};
use crate::plan::{Given, Plan, Refusal};
use crate::step::{Bit, Step, Value};
use std::rc::Rc;
use usuba_ir::program::BinaryOp;
use usuba_message::form::{Loop, VariableId};

/// Turns whose first values lie in memory at once.
const TURNS: usize = 64;

/// How something that is carried goes on.
pub(crate) enum Course {
    /// Through a map.
    Orbit(Map),
    /// What a position makes is added.
    Sum(Draw),
    /// Entries of a table are added, which are given at this place.
    Prefix(usize),
}

/// Where the results of positions go, and what is added up, in C.
pub(crate) struct Goals {
    pub(crate) results: Vec<String>,
    pub(crate) sums: Vec<String>,
}

impl Goals {
    fn all(&self) -> Vec<String> {
        self.results.iter().chain(&self.sums).cloned().collect()
    }
}

/// Sums of entries of a table, in C.
struct Prefix {
    variable: VariableId,
    /// Where it is given.
    slot: usize,
    /// The entry of position `i`.
    entry: String,
    /// What is added in a turn up to each of its positions, the values at the beginnings of turns, and those at positions that are no
    /// whole turn.
    pattern: String,
    starts: String,
    values: String,
}

impl Writer<'_> {
    /// A loop of which all that is carried goes on by itself.
    pub(crate) fn alone(&mut self, one: &Loop) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        for carried in &one.carried {
            self.copy(carried.variable, carried.first)?;
        }
        let (start, stop, index) = (self.number(&one.start), self.number(&one.stop), one.index);
        let turn = GROUPS * wide.in_register();
        let mut draft = Draft::default();
        let mut results = self.draft(one, &mut draft)?;
        let next = self.next(one, &draft)?;
        let (mut prefixes, mut sums) = (Vec::new(), Vec::new());
        for (carried, next) in one.carried.iter().zip(&next) {
            let slot = *draft
                .carried
                .get(&carried.variable)
                .ok_or_else(|| Refusal::new("what is carried is not known"))?;
            match course(&mut draft, slot, *next, &results) {
                Some(Course::Orbit(map)) => draft.plan.given[slot] = Given::Orbit(map),
                Some(Course::Sum(sum)) => sums.push((carried.variable, sum)),
                Some(Course::Prefix(place)) => prefixes.push(Prefix {
                    variable: carried.variable,
                    slot,
                    entry: draft.given[place].clone(),
                    pattern: self.fresh("pattern"),
                    starts: self.fresh("starts"),
                    values: self.fresh("values"),
                }),
                _ => return refuse("what is carried does not go on by itself"),
            }
        }
        if results.is_empty() && sums.is_empty() {
            return refuse("nothing is left for a map");
        }
        if draft.plan.given.contains(&Given::Number) {
            return refuse("a number beside what is carried");
        }
        let added: Vec<String> = sums.iter().map(|(variable, _)| self.name(*variable)).collect();
        let goals = Goals { results: draft.results.clone(), sums: added };
        results.extend(sums.iter().map(|(_, sum)| *sum));
        let draft = draft.only(&results);
        let finish = |draft: Draft, results: &[Draw]| {
            let (mut plan, given, _) = draft.finish(results, &[]);
            plan.sums = plan.results.split_off(plan.results.len() - sums.len());
            (plan, given)
        };
        self.line(&format!("if ({stop} > {start}) {{"));
        self.depth += 1;
        let first = self.fresh("first");
        self.line(&format!("const int64_t {first} = {start}, many = {stop} - {first};"));
        if prefixes.is_empty() {
            self.line(&format!("const int64_t i{index} = {first};"));
            let (plan, given) = finish(draft, &results);
            self.registers((&plan, &given), GROUPS, "many", &goals)?;
        } else {
            let mut at_each = draft.clone();
            for prefix in &prefixes {
                at_each.plan.given[prefix.slot] = Given::Each;
                at_each.given[prefix.slot].clone_from(&prefix.values);
            }
            let at_each = finish(at_each, &results);
            let (mut in_turns, mut made) = (draft, results);
            for prefix in &prefixes {
                let at = in_turns.give(Given::Turn, prefix.starts.clone());
                let more = in_turns.give(Given::Pattern, prefix.pattern.clone());
                let end = in_turns.give(Given::Turn, format!("{} + 16", prefix.starts));
                let value = [Pending::Binary(BinaryOp::Xor, at, more), Pending::Last(Draw::Made(0), end)];
                let by = in_turns.replace(prefix.slot, &value);
                made = moved(&made, by);
            }
            let in_turns = finish(in_turns, &made);
            // Up to the first turn, the turns, and what is left.
            let mut behind = first.clone();
            if one.start.as_constant() != Some(0) {
                let lead = self.fresh("lead");
                self.line(&format!(
                    "const int64_t {lead} = minimum(many, ({turn} - {first} % {turn}) % {turn});"
                ));
                self.ragged(&prefixes, (index, &first), &lead, (turn, &at_each, &goals))?;
                behind = format!("{first} + {lead}");
            }
            let [turns, rest] = ["turns", "rest"].map(|name| self.fresh(name));
            let left = format!("({first} + many - ({behind}))");
            self.line(&format!("const int64_t {turns} = {left} / {turn}, {rest} = {left} % {turn};"));
            self.turns(&prefixes, (index, &behind), &turns, (turn, &in_turns, &goals))?;
            let place = format!("{behind} + {turn} * {turns}");
            self.ragged(&prefixes, (index, &place), &rest, (turn, &at_each, &goals))?;
        }
        self.foot();
        self.coded(one, LoopKind::Alone);
        Ok(())
    }

    /// So many positions from a place on, fewer than a turn: what is carried lies in memory for each.
    fn ragged(
        &mut self,
        prefixes: &[Prefix],
        (index, place): (u32, &str),
        count: &str,
        (turn, (plan, given), goals): (usize, &(Plan, Vec<String>), &Goals),
    ) -> Written<()> {
        self.line(&format!("if ({count} > 0) {{"));
        self.depth += 1;
        for prefix in prefixes {
            let (values, name) = (&prefix.values, self.name(prefix.variable));
            self.line(&format!("_Alignas(64) uint8_t {values}[{}];", 16 * turn));
            self.added_up((&prefix.entry, values), (index, place, count), Some(&name));
        }
        self.line(&format!("const int64_t i{index} = {place};"));
        self.line(&format!("(void)i{index};"));
        self.registers((plan, given), 1, count, goals)?;
        self.foot();
        Ok(())
    }

    /// So many turns from a place on.
    fn turns(
        &mut self,
        prefixes: &[Prefix],
        (index, place): (u32, &str),
        turns: &str,
        (turn, (plan, given), goals): (usize, &(Plan, Vec<String>), &Goals),
    ) -> Written<()> {
        let Some((wide, _)) = self.blocks else { return refuse("no machine of blocks") };
        let last = 16 * (turn - 1);
        self.line(&format!("if ({turns} > 0) {{"));
        self.depth += 1;
        for Prefix { entry, pattern, starts, .. } in prefixes {
            self.line(&format!("_Alignas(64) uint8_t {pattern}[{}];", 16 * turn));
            self.line(&format!("_Alignas(16) uint8_t {starts}[{}];", 16 * (TURNS + 1)));
            self.added_up((entry, pattern), (index, "0", &(turn - 1).to_string()), None);
            // The last position has an entry that is not the same in all turns.
            self.line(&format!("memcpy({pattern} + {last}, {pattern} + {}, 16);", last - 16));
        }
        let [from, some, at] = ["from", "some", "at"].map(|name| self.fresh(name));
        self.line(&format!("for (int64_t {from} = 0; {from} < {turns}; {from} += {TURNS}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {some} = minimum({TURNS}, {turns} - {from});"));
        let place = format!("{place} + {turn} * {from}");
        for Prefix { variable, entry, pattern, starts, .. } in prefixes {
            let name = self.name(*variable);
            self.line(&format!("memcpy({starts}, {name}, 16);"));
            self.line(&format!("for (int64_t {at} = 0; {at} < {some}; {at}++) {{"));
            self.line(&format!("  const int64_t i{index} = {place} + {turn} * {at} + {};", turn - 1));
            self.line(&format!("  summed({name}, {name}, {pattern} + {last});"));
            self.line(&format!("  summed({name}, {name}, {entry});"));
            self.line(&format!("  memcpy({starts} + 16 * {at} + 16, {name}, 16);"));
            self.line("}");
        }
        self.line(&format!("const int64_t i{index} = {place};"));
        self.line(&format!("(void)i{index};"));
        let kernel = self.kernel(format!("wide {plan:?}"), |name| wide.positions(plan, name, GROUPS))?;
        let call = self.call(&kernel, (plan, given), Some(&format!("(size_t){some}")), &goals.all());
        self.line(&call);
        self.foot();
        self.foot();
        Ok(())
    }

    /// The sums of the entries of so many positions from a place on, up to each of them; from what is carried on, if that goes on.
    pub(crate) fn added_up(
        &mut self,
        (entry, sums): (&str, &str),
        (index, place, count): (u32, &str, &str),
        carried: Option<&str>,
    ) {
        let (sum, one, end) = (self.fresh("sum"), self.fresh("entry"), self.fresh("end"));
        self.line("{");
        self.depth += 1;
        self.line(&format!("summed_words {sum} = {{0}}, {one};"));
        carried.iter().for_each(|name| self.line(&format!("memcpy(&{sum}, {name}, 16);")));
        self.line(&format!("const int64_t {end} = {place} + {count};"));
        self.line(&format!("for (int64_t i{index} = {place}; i{index} < {end}; i{index}++) {{"));
        self.line(&format!("  memcpy(&{one}, {entry}, 16);"));
        self.line(&format!("  {sum} ^= {one};"));
        self.line(&format!("  memcpy({sums} + 16 * (i{index} - ({place})), &{sum}, 16);"));
        self.line("}");
        carried.iter().for_each(|name| self.line(&format!("memcpy({name}, &{sum}, 16);")));
        self.foot();
    }

    /// The kernels of so many positions: whole registers of them, then block by block. `goals`: where results go, and sums.
    pub(crate) fn registers(
        &mut self,
        (plan, given): (&Plan, &[String]),
        groups: usize,
        many: &str,
        goals: &Goals,
    ) -> Written<()> {
        let Some((wide, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let fast =
            self.kernel(format!("wide {groups} {plan:?}"), |name| wide.positions(plan, name, groups))?;
        let (register, whole) = (wide.in_register(), self.fresh("whole"));
        self.line(&format!("const int64_t {whole} = {many} - {many} % {register};"));
        let all = goals.all();
        let call = self.call(&fast, (plan, given), Some(&format!("(size_t)(16 * {whole})")), &all);
        self.line(&format!("if ({whole} > 0) {call}"));
        if register == 1 {
            return Ok(());
        }
        let slow = self.kernel(format!("narrow {plan:?}"), |name| narrow.positions(plan, name, 1))?;
        self.line(&format!("if ({many} > {whole}) {{"));
        self.depth += 1;
        let behind = |(kind, expression): (&Given, &String)| match kind {
            Given::Each => format!("{expression} + 16 * {whole}"),
            _ => expression.clone(),
        };
        let rest: Vec<String> = plan.given.iter().zip(given).map(behind).collect();
        let behind = goals.results.iter().map(|goal| format!("{goal} + 16 * {whole}"));
        let all: Vec<String> = behind.chain(goals.sums.iter().cloned()).collect();
        let bytes = format!("(size_t)(16 * ({many} - {whole}))");
        let call = self.call(&slow, (plan, &rest), Some(&bytes), &all);
        self.line(&call);
        self.foot();
        Ok(())
    }
}

/// What is made, with so many actions before it.
fn moved(draws: &[Draw], by: usize) -> Vec<Draw> {
    let moved = |draw: &Draw| match draw {
        Draw::Made(slot) => Draw::Made(slot + by),
        other => *other,
    };
    draws.iter().map(moved).collect()
}

/// How what is carried goes on, if it does so without the results of the rest. What is added up is made by the draft alone then,
/// and of entries of a table the value at the position stands for that before it and the entry.
pub(crate) fn course(draft: &mut Draft, slot: usize, next: Draw, results: &[Draw]) -> Option<Course> {
    if let Some(map) = map_of(&draft.only(&[next]), slot, next) {
        return Some(Course::Orbit(map));
    }
    let Draw::Made(made) = next else { return None };
    // One step has it.
    let mut first = 0;
    let mut found = None;
    for (at, action) in draft.pending.iter().enumerate() {
        let (draws, blocks): (Vec<Draw>, usize) = match action {
            Pending::Step(step, inputs) => (inputs.iter().map(|(draw, _)| *draw).collect(), step.blocks()),
            Pending::Binary(_, a, b) | Pending::Last(a, b) => (vec![*a, *b], 1),
            Pending::Not(a) => (vec![*a], 1),
        };
        if draws.contains(&Draw::Given(slot)) {
            if found.is_some() || !(first..first + blocks).contains(&made) {
                return None;
            }
            found = Some((at, made - first));
        }
        if draws.contains(&next) {
            return None;
        }
        first += blocks;
    }
    let (at, output) = found?;
    let Pending::Step(step, inputs) = &draft.pending[at] else { return None };
    let of_blocks = step.blocks() == step.outputs.len();
    if !of_blocks || results.contains(&Draw::Given(slot)) {
        return None;
    }
    let value_of = |wanted: &dyn Fn(Draw) -> bool| {
        let mut places = inputs.iter().enumerate().filter(|(_, (draw, _))| wanted(*draw));
        let (input, (draw, places)) = match (places.next(), places.next()) {
            (Some(one), None) => one,
            _ => return None,
        };
        let whole = *places == as_is(place::BITS);
        let value = step.values.iter().position(|value| *value == Value::Input(input))?;
        whole.then_some((value, *draw))
    };
    let (own, _) = value_of(&|draw| draw == Draw::Given(slot))?;
    let bits = step.outputs.get(output).filter(|bits| bits.len() == place::BITS as usize)?;
    // The bits of two values, one after the other, and nothing else.
    let chosen =
        |draw: Draw| matches!(draw, Draw::Given(slot) if draft.plan.given.get(slot) == Some(&Given::Chosen));
    if let Some((entry, Draw::Given(place))) = value_of(&chosen)
        && bits.iter().zip(0..).all(|(bit, at)| is_sum(bit, &[(own, at), (entry, at)]))
    {
        let step = with_sums(step, own, entry)?;
        draft.pending[at] = Pending::Step(Rc::new(step), inputs.clone());
        return Some(Course::Prefix(place));
    }
    // Each bit is the own one and others.
    let mut alone = Step::clone(step);
    for (bit, at) in alone.outputs[output].iter_mut().zip(0..) {
        let place = bit.terms.iter().position(|term| *term == (own, at))?;
        bit.terms.remove(place);
    }
    if results.contains(&next) || mentions(&alone, own) {
        return None;
    }
    draft.pending[at] = Pending::Step(Rc::new(alone), inputs.clone());
    Some(Course::Sum(next))
}

fn is_sum(bit: &Bit, terms: &[(usize, u32)]) -> bool {
    !bit.constant && bit.terms.len() == terms.len() && terms.iter().all(|term| bit.terms.contains(term))
}

/// All bits of the values of a step, and of its outputs.
fn all_bits(step: &mut Step) -> Vec<&mut Bit> {
    let mut all: Vec<&mut Bit> = Vec::new();
    for value in &mut step.values {
        match value {
            Value::Input(_) => {}
            Value::Cipher { block, .. } => all.extend(block),
            Value::Product { left, right, .. }
            | Value::And { left, right }
            | Value::Xor { left, right }
            | Value::Word { left, right, .. } => all.extend(left.iter_mut().chain(right)),
            Value::Call { arguments, .. } => all.extend(arguments),
        }
    }
    all.extend(step.outputs.iter_mut().flatten());
    all
}

fn mentions(step: &Step, value: usize) -> bool {
    let mut step = step.clone();
    all_bits(&mut step).iter().any(|bit| bit.terms.iter().any(|(of, _)| *of == value))
}

/// A step in which a value stands for its sum with another one, if neither is anywhere by itself.
fn with_sums(step: &Step, own: usize, other: usize) -> Option<Step> {
    let mut step = step.clone();
    for bit in all_bits(&mut step) {
        let places = |of: usize| {
            let mut places: Vec<u32> =
                bit.terms.iter().filter(|(value, _)| *value == of).map(|(_, place)| *place).collect();
            places.sort_unstable();
            places
        };
        (places(own) == places(other)).then_some(())?;
        bit.terms.retain(|(value, _)| *value != other);
    }
    Some(step)
}

/// The map from what is carried to its next value, if it is linear.
fn map_of(draft: &Draft, slot: usize, next: Draw) -> Option<Map> {
    let ([Pending::Step(step, inputs)], Draw::Made(output)) = (&draft.pending[..], next) else {
        return None;
    };
    if step.blocks() != step.outputs.len() {
        return None;
    }
    let bits = step.outputs.get(output).filter(|bits| bits.len() == place::BITS as usize)?;
    let mut map = Map::default();
    for (bit, to) in bits.iter().zip(0..) {
        for (value, bit) in &bit.terms {
            let Value::Input(input) = step.values.get(*value)? else { return None };
            let (Draw::Given(given), places) = inputs.get(*input)? else { return None };
            (*given == slot).then_some(())?;
            map.add(to, *places.get(*bit as usize)?);
        }
        (!bit.constant).then_some(())?;
    }
    Some(map)
}
