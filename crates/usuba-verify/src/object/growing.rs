//! The text of a message for any number of turns of a loop, run before the first turn, before one of those that follow, and before the
//! last one.
//!
//! The text is elaborated for a few numbers of turns. Its own loops that make more turns for longer messages are cut
//! ([`crate::symbolic::cut`]): what their turns have made before is symbols, as is the message that they have read. That the text
//! computes the same of these symbols in each turn, and at its end, is seen at all of these numbers; that it does for all numbers is
//! caveat C16.

use super::batches::FEWEST;
use super::constants::{Numbers, Phase, Point};
use super::message::{Message, bits, string};
use super::named::Named;
use super::number::LONGEST;
use super::value::Byte;
use crate::graph::{Edge, Graph, Vertex, VertexMap};
use crate::symbolic::Values;
use crate::symbolic::cut::{self, Constants, Cut, Looped, Made, Place, Value};
use crate::symbolic::source::{self, Opaque};
use std::collections::BTreeMap;
use usuba_lang::typed::{Constant, Program};

/// The numbers of turns for which the text is there, where the head of the loop is looked at so many turns later.
pub fn turns(delay: usize) -> [usize; 3] {
    [FEWEST - 1, FEWEST, FEWEST + 1].map(|turns| turns + delay)
}

/// Bytes of a string: those before the turns, those of each turn, and those after them. One that does not grow has its own after them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bytes {
    pub lead: usize,
    pub turn: usize,
    pub rest: usize,
}

impl Bytes {
    /// Where it is after so many turns.
    pub fn after(self, turns: usize) -> usize {
        self.lead + turns * self.turn
    }
}

/// Bytes of outputs.
pub(super) type Outputs = Vec<Vec<[Edge; 8]>>;

/// What the text says.
pub(super) struct Growing {
    pub inputs: Vec<Bytes>,
    pub outputs: Vec<Bytes>,
    /// The bytes of inputs that grow, from the first on, from a turn on that is neither the first nor the last, and after all turns.
    pub begin: Vec<Vec<Byte>>,
    pub window: Vec<Vec<Byte>>,
    pub tail: Vec<Vec<Byte>>,
    /// The bytes of inputs and outputs that grow, of the turn before that.
    pub before: Vec<Vec<Byte>>,
    pub past: Outputs,
    /// Bytes of outputs that grow: from the first on, and from a turn on that is neither the first nor the last, to the end of as many
    /// turns as are the same however many there are; and from the last turn on. Of outputs that do not grow `last` has all bytes.
    pub first: Outputs,
    pub next: Outputs,
    pub last: Outputs,
    /// What has to be the same for a message to be accepted, as it is before the last turn; nothing if no message is refused.
    pub accepted: Vec<(Edge, Edge)>,
    pub names: Named,
    /// What is known before the last turn.
    pub end: End,
    /// What stands for something else in each turn.
    pub changing: Vec<Vertex>,
    /// There are so many turns at least, if the code asks for more than the text shows.
    pub least: usize,
    /// There are no more turns, as strings are shorter than [`LONGEST`] too.
    pub most: i64,
}

/// What is known before the last turn, counted from the end.
pub(super) struct End {
    /// The loops, and the last turns of each that are run.
    loops: Vec<(Place, i64)>,
    /// What their turns have made and make.
    made: Made,
    /// The bytes of inputs that grow, to their end.
    inputs: Vec<Vec<Byte>>,
}

impl End {
    /// What the symbols of another text are here: of the same message, which goes on by less in each turn.
    pub fn of(&self, other: &End) -> VertexMap<Edge> {
        let mut found = VertexMap::default();
        for (value, atoms) in other.made.iter().filter(|(value, _)| value.turn < 0) {
            let (place, turns) = &other.loops[value.of];
            let Some(of) = self.loops.iter().position(|(here, _)| here == place) else { continue };
            let here = Value { of, turn: value.turn - turns + self.loops[of].1, ..*value };
            let here = self.made.get(&here).map(|atoms| atoms.concat()).unwrap_or_default();
            found.extend(atoms.concat().into_iter().map(Edge::vertex).zip(here));
        }
        for (here, other) in self.inputs.iter().zip(&other.inputs) {
            for (here, other) in here.iter().rev().zip(other.iter().rev()) {
                found.extend(other.bits.into_iter().map(Edge::vertex).zip(here.bits));
            }
        }
        found
    }
}

/// Which turn of a loop of the text is that of the first bytes of the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begins {
    /// The first one that depends on the message, if there is one.
    WithMessage,
    /// The first one of all.
    AtOnce,
}

/// What a text has made.
struct Ran {
    outputs: Outputs,
    accepted: Vec<(Edge, Edge)>,
    made: Made,
    /// How many turns of the code are cut off.
    skipped: usize,
}

/// A loop of the text that makes more turns for longer messages.
#[derive(Clone, Debug)]
struct Grown {
    place: Place,
    /// The turns that it makes before the first turn of the code.
    offset: usize,
    /// The turns that it makes in one of the code.
    turn: usize,
    /// The turns that it makes for a few of the code.
    all: usize,
}

/// The text, and what is the same in all its runs.
struct Runs<'a> {
    texts: [&'a Program; 3],
    opaque: Vec<Opaque>,
    loops: Vec<Grown>,
    /// The inputs, as the text has them; nothing for those that grow.
    fixed: Values,
    inputs: Vec<Bytes>,
    outputs: Vec<Bytes>,
    before: Made,
    /// The constants that grow.
    numbers: Numbers,
    /// So many turns are run after those that are cut off, before the head of the loop.
    delay: usize,
    /// The bytes of inputs that grow: from the first on; from a turn that is neither the first nor the last; those after all turns; of
    /// the turns before that, the next one first; and of what is before these.
    begin: Vec<Vec<Byte>>,
    window: Vec<Vec<Byte>>,
    tail: Vec<Vec<Byte>>,
    past: [Vec<Vec<Byte>>; 3],
    lead: Vec<Vec<Byte>>,
}

impl Runs<'_> {
    /// The bytes of an input that grows, for so many turns, of which some are cut off.
    fn input(&self, number: usize, turns: usize, skipped: usize) -> Vec<Byte> {
        let bytes = self.inputs[number];
        let tail = &self.tail[number];
        if skipped == 0 {
            return self.begin[number][..bytes.after(turns)].iter().chain(tail).copied().collect();
        }
        let head = skipped + self.delay;
        let past = self.past[..head].iter().rev().flat_map(|turn| &turn[number]);
        let window = &self.window[number][..(turns - head) * bytes.turn];
        self.lead[number].iter().chain(past).chain(window).chain(tail).copied().collect()
    }

    /// The loops where so many turns are cut off.
    fn looped(&self, skipped: usize) -> Vec<Looped> {
        let of = |one: &Grown| {
            let origin = one.offset + skipped * one.turn;
            Looped { place: one.place.clone(), skipped: if skipped == 0 { 0 } else { origin }, origin }
        };
        self.loops.iter().map(of).collect()
    }

    /// The constants of the text for so many turns, of which some are cut off.
    fn constants(&self, turns: usize, skipped: usize) -> (Point, Constants<Vec<Constant>>) {
        let number = turns + 1 - FEWEST - self.delay;
        let (text, opaque) = (self.texts[number], &self.opaque[number]);
        let found = cut::constants(text, &|node| opaque.has(text, node), &self.looped(skipped));
        let head = skipped + self.delay;
        (((turns - head) as i64, head as i64), found)
    }

    /// Runs the text for so many turns, of which some are cut off.
    fn run(
        &mut self,
        graph: &mut Graph,
        (turns, skipped): (usize, usize),
        phase: Phase,
    ) -> Result<Ran, &'static str> {
        let number = turns + 1 - FEWEST - self.delay;
        let inputs: Values = (0..self.inputs.len())
            .map(|input| match self.inputs[input].turn {
                0 => self.fixed[input].clone(),
                _ => self.input(input, turns, skipped).iter().map(|byte| byte.bits.to_vec()).collect(),
            })
            .collect();
        let numbers = self.numbers.bits(graph, phase, self.delay as i64);
        let mut cut = Cut::new(self.looped(skipped), std::mem::take(&mut self.before), numbers);
        let opened = source::open_cut(graph, self.texts[number], &inputs, &self.opaque[number], &mut cut);
        self.before = cut.before;
        let outputs = opened.outputs.iter().map(|atoms| atoms.iter().map(|atom| bits(atom)).collect());
        Ok(Ran { outputs: outputs.collect(), accepted: opened.accepted, made: cut.made, skipped })
    }

    /// What is written after the turns that are cut off: in so many turns of those that grow, or to the end, where strings are looked at
    /// that do not grow too.
    fn written(&self, ran: &Ran, turns: Option<usize>) -> Outputs {
        let of = |(bytes, all): (&Bytes, &Vec<[Edge; 8]>)| {
            let (begin, head) = match ran.skipped {
                0 => (0, 0),
                skipped => (bytes.after(skipped + self.delay), skipped + self.delay),
            };
            match (bytes.turn, turns) {
                (0, None) => all.clone(),
                (0, Some(_)) => Vec::new(),
                (_, None) => all[begin..].to_vec(),
                (_, Some(turns)) => all[begin..bytes.after(head + turns)].to_vec(),
            }
        };
        self.outputs.iter().zip(&ran.outputs).map(of).collect()
    }

    /// The bytes of outputs of the last turn that is cut off.
    fn past(&self, ran: &Ran) -> Outputs {
        let of = |(bytes, all): (&Bytes, &Vec<[Edge; 8]>)| match bytes.turn {
            0 => Vec::new(),
            turn => all[bytes.after(ran.skipped + self.delay - 1)..][..turn].to_vec(),
        };
        self.outputs.iter().zip(&ran.outputs).map(of).collect()
    }

    /// What is known before the last turn, of a run for one turn less than a few of which one is cut off.
    fn end(&self, made: Made, few: usize) -> End {
        let left = |one: &Grown| one.all as i64 - (one.offset + 2 * one.turn) as i64;
        let grows = |number: usize| self.inputs[number].turn > 0;
        let string = |number: usize| {
            let all = self.input(number, few - 1, 1);
            all[self.inputs[number].lead..].to_vec()
        };
        End {
            loops: self.loops.iter().map(|one| (one.place.clone(), left(one))).collect(),
            made: self.before.iter().map(|(value, atoms)| (*value, atoms.clone())).chain(made).collect(),
            inputs: (0..self.inputs.len())
                .map(|number| if grows(number) { string(number) } else { Vec::new() })
                .collect(),
        }
    }

    /// Whether two runs, of which as many turns are cut off or none, have made the same to the end of so many turns more: nothing that
    /// a name says goes beyond.
    fn are_alike(&self, one: &Ran, other: &Ran, turns: usize) -> bool {
        let made = |ran: &Ran| -> Made {
            let is_soon = |(value, _): &(&Value, _)| {
                let Grown { offset, turn, .. } = self.loops[value.of];
                value.turn < (turns * turn + if ran.skipped == 0 { offset } else { self.delay * turn }) as i64
            };
            let soon = ran.made.iter().filter(is_soon);
            soon.map(|(value, atoms)| (*value, atoms.clone())).collect()
        };
        let written = |ran: &Ran| self.written(ran, Some(turns));
        made(one) == made(other) && written(one) == written(other)
    }

    /// What a value is after so many turns of the code, of a run of which nothing is cut off.
    fn after<'a>(&self, ran: &'a Ran, value: Value, turns: usize) -> Option<&'a Vec<Vec<Edge>>> {
        let Grown { offset, turn, .. } = self.loops[value.of];
        ran.made.get(&Value { turn: value.turn + (offset + turns * turn) as i64, ..value })
    }

    /// The names of data: values of loops, bytes of inputs, and of outputs, of the turn before and of the one that follows.
    fn names(&self, graph: &mut Graph, first: &Ran, next: &Ran) -> Named {
        let mut named = Named::after(1 + self.delay as i64);
        let flat = |atoms: &Vec<Vec<Edge>>| atoms.concat();
        // The same bits may have several names; the later text is made of the nearest.
        let mut before: Vec<(&Value, &Vec<Vec<Edge>>)> = self.before.iter().collect();
        before.sort_by_key(|(value, _)| -value.turn);
        let of_turns = |value: &Value| ((1 + self.delay) * self.loops[value.of].turn) as i64;
        let soon = next.made.iter().filter(|(value, _)| value.turn < of_turns(value));
        for (&value, here) in before.into_iter().chain(soon) {
            let later = Value { turn: value.turn + self.loops[value.of].turn as i64, ..value };
            let later = next.made.get(&later).or_else(|| self.before.get(&later));
            let (Some(one), Some(two), Some(later)) =
                (self.after(first, value, 1), self.after(first, value, 2), later)
            else {
                continue;
            };
            let (one, two) = (flat(one), flat(two));
            for (place, (here, later)) in flat(here).into_iter().zip(flat(later)).enumerate() {
                named.add(graph, here, [one[place], two[place]], later);
            }
        }
        let bits = |bytes: Vec<Byte>| -> Vec<[Edge; 8]> { bytes.into_iter().map(|byte| byte.bits).collect() };
        let grows = |number: &usize| self.inputs[*number].turn > 0;
        let inputs = (0..self.inputs.len()).filter(grows).map(|number| {
            (
                self.inputs[number],
                [0, 1].map(|skipped| bits(self.input(number, FEWEST + self.delay, skipped))),
            )
        });
        let outputs = self.outputs.iter().zip(first.outputs.iter().zip(&next.outputs));
        let outputs = outputs.map(|(bytes, (first, next))| (*bytes, [first.clone(), next.clone()]));
        for (bytes, [first, next]) in inputs.chain(outputs).collect::<Vec<_>>() {
            let places =
                if bytes.turn == 0 { 0..0 } else { bytes.lead..bytes.after(FEWEST - 1 + self.delay) };
            for place in places {
                let (one, here) = (first[place], next[place]);
                let (two, later) = (first[place + bytes.turn], next[place + bytes.turn]);
                for bit in 0..8 {
                    named.add(graph, here[bit], [one[bit], two[bit]], later[bit]);
                }
            }
        }
        named
    }
}

impl Growing {
    /// The text of a message of which a turn of the code has as much as texts for [`turns`] say, `by` of a number of which `lead` is
    /// before the turns. `fixed` are its inputs as the text has them; those that grow are not looked at.
    ///
    /// # Errors
    /// It is not the same in each turn: in words.
    pub fn of(
        graph: &mut Graph,
        message: &Message<'_>,
        texts: [&Program; 3],
        ((lead, by), begins, delay): ((usize, usize), Begins, usize),
        (fixed, most): (Values, u64),
    ) -> Result<Growing, &'static str> {
        let few = FEWEST + delay;
        let inputs = bytes(texts.map(source::inputs), (lead, by, few))?;
        let outputs = bytes(texts.map(source::outputs), (lead, by, few))?;
        let longest = inputs.iter().chain(&outputs).map(|one| one.turn as i64).max().unwrap_or(0).max(1);
        let most = (most as i64).min(LONGEST / longest);
        let cipher = message.cipher.map(|(nodes, _)| nodes.to_vec()).unwrap_or_default();
        let opaque = texts.map(|text| Opaque { product: source::product(text), cipher: cipher.clone() });
        let loops = loops(
            [0, 1, 2]
                .map(|number| cut::loops(texts[number], &|node| opaque[number].has(texts[number], node))),
        )?;
        let mut grown = |turns: usize| -> Vec<Vec<Byte>> {
            let of = |one: &Bytes| if one.turn == 0 { 0 } else { one.after(turns) };
            inputs.iter().map(|one| string(graph, of(one))).collect()
        };
        let (begin, window) = (grown(few + 1), grown(FEWEST));
        let mut part = |size: fn(&Bytes) -> usize| -> Vec<Vec<Byte>> {
            inputs.iter().map(|one| string(graph, size(one))).collect()
        };
        let past = [0; 3].map(|_| part(|one| one.turn));
        let before_turns = part(|one| one.lead);
        let tail = part(|one| if one.turn == 0 { 0 } else { one.rest });
        let mut runs = Runs {
            texts,
            opaque: opaque.into(),
            loops,
            fixed,
            inputs,
            outputs,
            before: Made::new(),
            numbers: Numbers::default(),
            delay,
            begin,
            window,
            tail,
            past,
            lead: before_turns,
        };
        let mut first = runs.run(graph, (few, 0), Phase::First)?;
        let given = runs.begin.iter().flatten().flat_map(|byte| byte.bits).map(Edge::vertex);
        let depends = graph.depend_on(given);
        for (number, one) in runs.loops.iter_mut().enumerate() {
            let is_of_message =
                |atoms: &[Vec<Edge>]| atoms.iter().flatten().any(|bit| depends[bit.vertex().index()]);
            let made = first.made.iter().filter(|(value, atoms)| value.of == number && is_of_message(atoms));
            one.offset = match begins {
                Begins::WithMessage => made.map(|(value, _)| value.turn as usize).min().unwrap_or(0),
                Begins::AtOnce => 0,
            };
            // Where a turn of the text begins before one of the code, it is the next one.
            one.offset += (lead * one.turn).div_ceil(by);
        }
        let cuts = [(few, 2), (few + 1, 2)];
        let points = [0, 1].into_iter().flat_map(|cut| turns(delay).map(|turns| (turns, cut))).chain(cuts);
        runs.numbers =
            Numbers::of(&points.map(|(turns, skipped)| runs.constants(turns, skipped)).collect::<Vec<_>>())?;
        if !runs.numbers.is_empty() {
            first = runs.run(graph, (few, 0), Phase::First)?;
        }
        let next = runs.run(graph, (few, 1), Phase::Next)?;
        let last = runs.run(graph, (few - 1, 1), Phase::Last)?;
        // Whatever the numbers of turns are that are done and left.
        for skipped in [1, 2] {
            let other = runs.run(graph, (few + 1, skipped), Phase::Next)?;
            if !runs.are_alike(&next, &other, FEWEST - 1) || runs.past(&next) != runs.past(&other) {
                return Err("the text is not the same in each turn");
            }
        }
        let other = runs.run(graph, (few, 2), Phase::Last)?;
        if runs.past(&next) != runs.past(&last)
            || !runs.are_alike(&last, &other, 1)
            || runs.written(&last, None) != runs.written(&other, None)
            || last.accepted != other.accepted
        {
            return Err("the text does not end in the same way after more turns");
        }
        let other = runs.run(graph, (few + 1, 0), Phase::First)?;
        if !runs.are_alike(&first, &other, few - 1) {
            return Err("the text does not begin in the same way before more turns");
        }
        let is_wide = runs.written(&first, Some(few)) == runs.written(&other, Some(few));
        let names = runs.names(graph, &first, &next);
        let end = runs.end(last.made.clone(), few);
        let [before, ..] = runs.past.clone();
        let bytes = runs.past.iter().chain([&runs.window, &runs.lead]).flatten().flatten();
        let made = runs.before.values().flatten().flatten().copied();
        let changing = bytes.flat_map(|byte| byte.bits).chain(made).map(Edge::vertex).collect();
        Ok(Growing {
            past: runs.past(&next),
            first: runs.written(&first, Some(if is_wide { few } else { few - 1 })),
            next: runs.written(&next, Some(FEWEST - 1)),
            last: runs.written(&last, None),
            accepted: last.accepted,
            names,
            end,
            changing,
            least: 0,
            most,
            inputs: runs.inputs,
            outputs: runs.outputs,
            before,
            begin: runs.begin,
            window: runs.window,
            tail: runs.tail,
        })
    }
}

impl Growing {
    /// Whether what is seen of strings before the last turn is seen in greater turns too.
    pub fn is_within(&self, other: &Growing) -> bool {
        let own = self.inputs.iter().chain(&self.outputs);
        let sees = |one: &Bytes| 2 * one.turn + one.rest;
        own.zip(other.inputs.iter().chain(&other.outputs)).all(|(own, other)| sees(own) <= sees(other))
    }

    /// The text of a message of one length, which is all of it after no turns, with what loops of it make. Some of the inputs and
    /// outputs would grow with its length.
    pub fn fixed(
        graph: &mut Graph,
        message: &Message<'_>,
        text: &Program,
        fixed: &Values,
        [of_inputs, of_outputs]: [&[bool]; 2],
    ) -> Growing {
        let cipher = message.cipher.map(|(nodes, _)| nodes.to_vec()).unwrap_or_default();
        let opaque = Opaque { product: source::product(text), cipher };
        let places = cut::loops(text, &|node| opaque.has(text, node));
        let bytes = |sizes: Vec<(u32, u32)>| -> Vec<Bytes> {
            sizes.into_iter().map(|(_, atoms)| Bytes { lead: 0, turn: 0, rest: atoms as usize }).collect()
        };
        let (inputs, outputs) = (bytes(source::inputs(text)), bytes(source::outputs(text)));
        let mut tail = Vec::new();
        let mut values = fixed.clone();
        for (number, one) in inputs.iter().enumerate() {
            tail.push(if of_inputs[number] { string(graph, one.rest) } else { Vec::new() });
            if of_inputs[number] {
                values[number] = tail[number].iter().map(|byte| byte.bits.to_vec()).collect();
            }
        }
        let looped = |place: &Place| Looped { place: place.clone(), skipped: 0, origin: 0 };
        let mut cut = Cut::new(places.keys().map(looped).collect(), Made::new(), Constants::new());
        let opened = source::open_cut(graph, text, &values, &opaque, &mut cut);
        let all = opened.outputs.iter().map(|atoms| atoms.iter().map(|atom| bits(atom)).collect());
        let changing = tail.iter().flatten().flat_map(|byte| byte.bits).map(Edge::vertex).collect();
        Growing {
            begin: vec![Vec::new(); of_inputs.len()],
            window: vec![Vec::new(); of_inputs.len()],
            before: vec![Vec::new(); of_inputs.len()],
            past: vec![Vec::new(); of_outputs.len()],
            first: vec![Vec::new(); of_outputs.len()],
            next: vec![Vec::new(); of_outputs.len()],
            last: all.collect(),
            accepted: opened.accepted,
            names: Named::after(1),
            end: End {
                loops: places.iter().map(|(place, turns)| (place.clone(), *turns as i64)).collect(),
                made: cut.made,
                inputs: tail.clone(),
            },
            changing,
            least: 0,
            most: 0,
            tail,
            inputs,
            outputs,
        }
    }
}

/// How strings grow, of which sizes are given for [`turns`].
fn bytes(
    sizes: [Vec<(u32, u32)>; 3],
    (lead, by, few): (usize, usize, usize),
) -> Result<Vec<Bytes>, &'static str> {
    let of = |number: usize| {
        let [fewer, some, more] = [0, 1, 2].map(|text| sizes[text].get(number).map(|size| size.1 as usize));
        let (fewer, some, more) = (fewer?, some?, more?);
        let turn = some.checked_sub(fewer)?;
        let is_even = more.checked_sub(some)? == turn && (lead * turn).is_multiple_of(by);
        let lead = lead * turn / by;
        let rest = some.checked_sub(few * turn + lead)?;
        is_even.then_some(Bytes { lead, turn, rest })
    };
    let all: Option<_> = (0..sizes[1].len()).map(of).collect();
    all.ok_or("strings do not grow by as much in each turn")
}

/// The loops that grow, of which the numbers of turns are given for [`turns`].
fn loops([fewer, some, more]: [BTreeMap<Place, usize>; 3]) -> Result<Vec<Grown>, &'static str> {
    if !fewer.keys().eq(some.keys()) || !some.keys().eq(more.keys()) {
        return Err("the text has other loops for more turns");
    }
    let of = |(place, &some): (&Place, &usize)| {
        let turn = some.checked_sub(fewer[place])?;
        (more[place].checked_sub(some)? == turn).then_some(Grown {
            place: place.clone(),
            offset: 0,
            turn,
            all: some,
        })
    };
    let all: Option<Vec<Grown>> = some.iter().map(of).collect();
    let all = all.ok_or("loops of the text do not grow by as much in each turn")?;
    Ok(all.into_iter().filter(|one| one.turn > 0).collect())
}
