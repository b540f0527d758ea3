//! The values of a function, each held as it is or complemented, and what that costs.
//!
//! A *vertex* is a value that something other than a complement makes. Its *polarity* says how it is held: complemented or not. A
//! conjunction takes its operands and gives its result in one of two ways, by De Morgan's law, and where the target complements an
//! operand of it by itself, one of its operands is *free*: it is taken as it is held. A sum, a rotation and a shuffle is held as
//! follows from its operands, or takes one of them the other way than that is held; what a loop leaves is held as what it carries;
//! what is read from memory and what other instructions make is held as it is. A use that wants a value the other way costs a
//! complement where the value is made, once for all such uses.

use super::Rows;
use std::sync::Arc;
use usuba_ir::random::Random;
use usuba_machine::program::{Block, Function, Loop, Parameter, RegisterId, Step};
use usuba_target::Meaning;

/// A use of a vertex, complemented or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Use {
    pub(super) vertex: usize,
    pub(super) complemented: bool,
}

/// What decides how a value is held.
#[derive(Debug)]
enum Kind {
    /// It is held as it is.
    Fixed,
    /// What a loop carried in the end, held as that is.
    Left,
    /// A sum, a rotation or a shuffle, of which one operand may be taken the other way than it is held.
    Sum { of: Vec<Use> },
    /// A conjunction of two operands, each complemented if `inputs` says so, as the result is then.
    Gate { of: [Use; 2], inputs: bool },
    /// What a loop carries: its first value and its next one.
    Carried { of: [Use; 2] },
}

/// What stays.
#[derive(Debug)]
struct Vertex {
    kind: Kind,
    /// How often it is made.
    weight: u64,
    /// The sums, rotations and gates of this one, and what a loop leaves of it.
    followers: Vec<usize>,
}

/// What is chosen, and what follows from that.
#[derive(Clone, Copy, Default, Debug)]
struct Held {
    polarity: bool,
    /// Of a gate: whether it is computed as a disjunction of complements.
    dual: bool,
    /// Of a gate: which operand is free, where one is.
    free: u8,
    /// Of a sum: the operand that is taken the other way than it is held, counted from one; zero if none is.
    takes: u32,
    /// How many uses want it as it is, and complemented.
    wanted: [u32; 2],
    /// How many sums want it the other way than it is held.
    turned: u32,
}

impl Held {
    fn takes(self) -> Option<usize> {
        (self.takes as usize).checked_sub(1)
    }
}

/// What a step uses and makes, in the order of the steps; a loop has one record for its beginning and one for its end.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) uses: Vec<Use>,
    pub(super) makes: Vec<usize>,
}

/// The values of a function.
#[derive(Debug)]
pub(super) struct Values {
    vertices: Vec<Vertex>,
    pub(super) records: Vec<Record>,
    /// The constants and the registers that the function is given, with their vertices.
    pub(super) given: Vec<(RegisterId, usize)>,
    /// The cost of the complements of the function as it is.
    pub(super) before: u64,
    /// Whether a conjunction has a free operand, and a disjunction.
    frees: [bool; 2],
    /// Instructions on registers, as often as they are done.
    pub(super) instructions: u64,
}

/// The values of a function, and how they are held. Clones have the values in common.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) values: Arc<Values>,
    held: Vec<Held>,
    cost: u64,
    /// The changes since [`Network::keep`], the last one last.
    journal: Vec<Change>,
    /// The number of walks through sums, and the last one that came to each vertex.
    walk: u64,
    seen: Vec<u64>,
}

impl Network {
    /// Of a function; nothing if it reads a register that nothing makes.
    pub(super) fn of(function: &Function, rows: &Rows) -> Option<Network> {
        let mut reader = Reader {
            rows,
            values: Values {
                vertices: Vec::new(),
                records: Vec::new(),
                given: Vec::new(),
                before: 0,
                frees: [rows.and_not.is_some(), rows.or_not.is_some()],
                instructions: 0,
            },
            held: Vec::new(),
            now: vec![None; function.registers.len()],
            weight: 1,
        };
        let constants = function.constants.iter().filter_map(|step| match step {
            Step::Constant { result, .. } => Some(*result),
            _ => None,
        });
        let parameters = function.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Register(register) => Some(*register),
            Parameter::Region(_) => None,
        });
        for register in constants.chain(parameters) {
            let vertex = reader.define(register, Kind::Fixed);
            reader.values.given.push((register, vertex));
        }
        reader.block(&function.body)?;
        let Reader { values, held, .. } = reader;
        let seen = vec![0; held.len()];
        let values = Arc::new(values);
        let mut network = Network { values, held, cost: 0, journal: Vec::new(), walk: 0, seen };
        network.cost = (0..network.held.len()).map(|vertex| network.cost_of(vertex)).sum();
        Some(network)
    }

    /// How often complements are computed.
    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.held.len()
    }

    fn kind(&self, vertex: usize) -> &Kind {
        &self.values.vertices[vertex].kind
    }

    /// The vertices whose polarity can be chosen.
    pub(super) fn choices(&self) -> Vec<usize> {
        let is_choice = |&vertex: &usize| !matches!(self.kind(vertex), Kind::Fixed | Kind::Left);
        (0..self.vertices()).filter(is_choice).collect()
    }

    /// The greatest weight of a vertex.
    pub(super) fn heaviest(&self) -> u64 {
        self.values.vertices.iter().map(|vertex| vertex.weight).max().unwrap_or(1)
    }

    /// Whether a vertex is held complemented.
    pub(super) fn polarity(&self, vertex: usize) -> bool {
        self.held[vertex].polarity
    }

    /// Whether a vertex is needed the other way as well.
    pub(super) fn is_complemented(&self, vertex: usize) -> bool {
        let Held { wanted, polarity, turned, .. } = self.held[vertex];
        turned > 0 || wanted[usize::from(!polarity)] > 0
    }

    /// Whether a vertex is held as follows from its operands.
    pub(super) fn is_sum(&self, vertex: usize) -> bool {
        matches!(self.kind(vertex), Kind::Sum { .. })
    }

    /// The operand of a sum that is taken the other way than it is held.
    pub(super) fn turned(&self, vertex: usize) -> Option<usize> {
        self.held[vertex].takes()
    }

    /// How a gate is computed: as a disjunction or not, the polarities of its operands, and the operand that the instruction
    /// complements, if it does.
    pub(super) fn gate(&self, vertex: usize) -> Option<(bool, [bool; 2], Option<usize>)> {
        let Kind::Gate { of, inputs } = self.kind(vertex) else { return None };
        let (dual, free) = (self.held[vertex].dual, usize::from(self.held[vertex].free));
        let mut polarities = of.map(|operand| operand.complemented ^ inputs ^ dual);
        let turned = self.is_free(vertex, free) && self.is_unlike(vertex, free);
        polarities[free] ^= turned;
        Some((dual, polarities, turned.then_some(free)))
    }

    /// Whether an operand of a gate is taken as it is held.
    fn is_free(&self, vertex: usize, place: usize) -> bool {
        let Held { dual, free, .. } = self.held[vertex];
        matches!(self.kind(vertex), Kind::Gate { .. })
            && self.values.frees[usize::from(dual)]
            && place == usize::from(free)
    }

    /// Whether an operand of a gate is held the other way than the gate is written with.
    fn is_unlike(&self, vertex: usize, place: usize) -> bool {
        match self.kind(vertex) {
            Kind::Gate { of, inputs } => {
                self.polarity(of[place].vertex) != of[place].complemented ^ inputs ^ self.held[vertex].dual
            }
            _ => false,
        }
    }

    /// What a gate, or what a loop carries, wants held: vertices and polarities, of which there are two at most.
    fn wants(&self, vertex: usize) -> [Option<(usize, bool)>; 2] {
        match self.kind(vertex) {
            Kind::Gate { of, inputs } => [0, 1].map(|place| {
                let wanted = (of[place].vertex, of[place].complemented ^ inputs ^ self.held[vertex].dual);
                (!self.is_free(vertex, place)).then_some(wanted)
            }),
            Kind::Carried { of } => {
                let polarity = self.polarity(vertex);
                of.map(|used| Some((used.vertex, used.complemented ^ polarity)))
            }
            Kind::Fixed | Kind::Left | Kind::Sum { .. } => [None; 2],
        }
    }

    /// Whether a vertex has an operand that another one can stand in for.
    pub(super) fn can_exchange(&self, vertex: usize) -> bool {
        self.turned(vertex).is_some() || self.is_free(vertex, 0) || self.is_free(vertex, 1)
    }

    fn cost_of(&self, vertex: usize) -> u64 {
        if self.is_complemented(vertex) { self.values.vertices[vertex].weight } else { 0 }
    }

    /// What has been changed so far, to go back to.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Undoes the changes since a mark.
    pub(super) fn undo_to(&mut self, mark: usize) {
        while self.journal.len() > mark {
            match self.journal.pop() {
                Some(Change::Flipped(vertex)) => self.hold_other_way(vertex),
                Some(Change::Turned(sum, before)) => self.set_turned(sum, before),
                Some(Change::Freed(gate)) => self.free_other(gate),
                None => {}
            }
        }
    }

    /// Forgets the changes so far, which are not undone then.
    pub(super) fn keep(&mut self) {
        self.journal.clear();
    }

    /// Holds a vertex the other way.
    pub(super) fn flip(&mut self, vertex: usize, random: &mut Random) {
        if self.is_sum(vertex) {
            self.mend(vertex, random);
        }
        self.journal.push(Change::Flipped(vertex));
        self.hold_other_way(vertex);
        self.mend_gate(vertex);
        self.mend_followers(vertex, random);
    }

    /// Flips a vertex, and the sums of it that would take an operand the other way for that.
    pub(super) fn flip_with_sums(&mut self, vertex: usize, random: &mut Random) {
        self.walk += 1;
        let mut open = vec![vertex];
        while let Some(vertex) = open.pop() {
            if std::mem::replace(&mut self.seen[vertex], self.walk) == self.walk {
                continue;
            }
            let mark = self.mark();
            self.flip(vertex, random);
            for change in &self.journal[mark..] {
                if let Change::Turned(sum, None) = *change
                    && sum != vertex
                    && self.turned(sum).is_some()
                {
                    open.push(sum);
                }
            }
        }
    }

    /// Has a sum take another operand the other way, if it takes one, and a gate be free to take another as it is held.
    pub(super) fn exchange(&mut self, vertex: usize) {
        if matches!(self.kind(vertex), Kind::Gate { .. }) {
            self.take_free(vertex);
        } else if let Some(place) = self.turned(vertex)
            && let Kind::Sum { of } = self.kind(vertex)
            && of.len() == 2
        {
            let other = 1 - place;
            self.take_turned(vertex, Some(other));
        }
    }

    /// Flips a vertex and what loops leave of it, but no sum of them.
    fn hold_other_way(&mut self, vertex: usize) {
        let before = self.wants(vertex);
        let is_gate = matches!(self.kind(vertex), Kind::Gate { .. });
        self.change(vertex, |held| {
            held.polarity = !held.polarity;
            held.dual ^= is_gate;
        });
        self.want_instead(vertex, before);
        // What a loop carries is what it leaves in the end; nothing else is.
        if matches!(self.kind(vertex), Kind::Carried { .. }) {
            for place in 0..self.values.vertices[vertex].followers.len() {
                let follower = self.values.vertices[vertex].followers[place];
                if matches!(self.kind(follower), Kind::Left) {
                    self.hold_other_way(follower);
                }
            }
        }
    }

    /// Notes what a vertex wants now, for what it wanted before.
    fn want_instead(&mut self, vertex: usize, before: [Option<(usize, bool)>; 2]) {
        for (operand, wanted) in before.into_iter().flatten() {
            self.change(operand, |held| held.wanted[usize::from(wanted)] -= 1);
        }
        for (operand, wanted) in self.wants(vertex).into_iter().flatten() {
            self.change(operand, |held| held.wanted[usize::from(wanted)] += 1);
        }
    }

    /// A gate of which an operand, or the result, is now held the other way: the operand that is held the other way is the free one.
    fn mend_gate(&mut self, gate: usize) {
        let strict = (0..2).find(|&place| self.is_free(gate, 1 - place));
        if strict.is_some_and(|place| self.is_unlike(gate, place) && !self.is_unlike(gate, 1 - place)) {
            self.take_free(gate);
        }
    }

    fn take_free(&mut self, gate: usize) {
        self.journal.push(Change::Freed(gate));
        self.free_other(gate);
    }

    /// Frees the other operand of a gate.
    fn free_other(&mut self, gate: usize) {
        let before = self.wants(gate);
        if matches!(self.kind(gate), Kind::Gate { .. }) {
            self.held[gate].free ^= 1;
        }
        self.want_instead(gate, before);
    }

    /// Has the sums of a vertex that was flipped, and of what loops leave of it, take an operand the other way, or no longer one.
    fn mend_followers(&mut self, vertex: usize, random: &mut Random) {
        for place in 0..self.values.vertices[vertex].followers.len() {
            let follower = self.values.vertices[vertex].followers[place];
            match self.kind(follower) {
                Kind::Sum { .. } => self.mend(follower, random),
                Kind::Gate { .. } => self.mend_gate(follower),
                Kind::Left => self.mend_followers(follower, random),
                _ => {}
            }
        }
    }

    /// A sum of which one operand, or the result, is now held the other way: it takes an operand the other way, or no longer one. If
    /// it can, one that is needed the other way already.
    fn mend(&mut self, sum: usize, random: &mut Random) {
        let Kind::Sum { of } = self.kind(sum) else { return };
        let now = match self.turned(sum) {
            Some(_) => None,
            None => {
                let there = of.iter().position(|operand| self.is_complemented(operand.vertex));
                Some(there.unwrap_or_else(|| random.below(of.len() as u32) as usize))
            }
        };
        self.take_turned(sum, now);
    }

    fn take_turned(&mut self, sum: usize, now: Option<usize>) {
        self.journal.push(Change::Turned(sum, self.turned(sum)));
        self.set_turned(sum, now);
    }

    fn set_turned(&mut self, sum: usize, now: Option<usize>) {
        let before = self.turned(sum);
        let Kind::Sum { of } = self.kind(sum) else { return };
        let [operand_before, operand_now] = [before, now].map(|place| Some(of.get(place?)?.vertex));
        self.held[sum].takes = now.map_or(0, |place| place as u32 + 1);
        if let Some(operand) = operand_before {
            self.change(operand, |held| held.turned -= 1);
        }
        if let Some(operand) = operand_now {
            self.change(operand, |held| held.turned += 1);
        }
    }

    /// Changes a vertex, and the cost with it.
    fn change(&mut self, vertex: usize, by: impl FnOnce(&mut Held)) {
        self.cost -= self.cost_of(vertex);
        by(&mut self.held[vertex]);
        self.cost += self.cost_of(vertex);
    }
}

/// What was changed, and how it was before.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The vertex was held the other way.
    Flipped(usize),
    /// The sum took this operand the other way.
    Turned(usize, Option<usize>),
    /// The other operand of the gate was free.
    Freed(usize),
}

/// The complement of what is used.
fn turned(used: Use) -> Use {
    Use { complemented: !used.complemented, ..used }
}

/// Reads a function.
struct Reader<'a> {
    rows: &'a Rows,
    values: Values,
    held: Vec<Held>,
    /// What each register holds at this point.
    now: Vec<Option<Use>>,
    weight: u64,
}

impl Reader<'_> {
    fn vertex(&mut self, kind: Kind) -> usize {
        self.values.vertices.push(Vertex { kind, weight: self.weight, followers: Vec::new() });
        self.held.push(Held::default());
        self.held.len() - 1
    }

    fn define(&mut self, register: RegisterId, kind: Kind) -> usize {
        let vertex = self.vertex(kind);
        self.now[register.index()] = Some(Use { vertex, complemented: false });
        vertex
    }

    /// A conjunction, or a disjunction, of which one operand is free if the target has such an instruction.
    fn gate(&mut self, result: RegisterId, of: [Use; 2], or: bool, free: usize) -> usize {
        let vertex = self.define(result, Kind::Gate { of, inputs: or });
        self.held[vertex] = Held { dual: or, free: free as u8, ..Held::default() };
        for (place, operand) in of.iter().enumerate() {
            // The gate is computed as it is written, so that complements of operands are as they are.
            if !self.values.frees[usize::from(or)] || place != free {
                self.held[operand.vertex].wanted[usize::from(operand.complemented)] += 1;
            }
            self.values.vertices[operand.vertex].followers.push(vertex);
        }
        vertex
    }

    fn sum(&mut self, result: RegisterId, of: &[Use]) -> usize {
        let vertex = self.define(result, Kind::Sum { of: of.to_vec() });
        self.follow(vertex, of);
        vertex
    }

    /// A value that is made of others as a sum is.
    fn follow(&mut self, vertex: usize, of: &[Use]) {
        for operand in of {
            self.values.vertices[operand.vertex].followers.push(vertex);
            let polarity = self.held[operand.vertex].polarity ^ operand.complemented;
            self.held[vertex].polarity ^= polarity;
        }
    }

    /// What registers hold.
    fn used(&self, registers: impl IntoIterator<Item = RegisterId>) -> Option<Vec<Use>> {
        registers.into_iter().map(|register| self.now[register.index()]).collect()
    }

    fn wants(&mut self, used: Use, complemented: bool) {
        self.held[used.vertex].wanted[usize::from(used.complemented ^ complemented)] += 1;
    }

    fn record(&mut self, uses: Vec<Use>, makes: Vec<usize>) {
        self.values.records.push(Record { uses, makes });
    }

    fn block(&mut self, block: &Block) -> Option<()> {
        for step in &block.steps {
            match step {
                Step::Loop(looped) => self.looped(looped)?,
                Step::Compute { row, result, operands, .. } => {
                    let of = self.used(operands.iter().copied())?;
                    self.values.instructions += self.weight;
                    if let Some(place) = self.rows.complemented(step) {
                        self.now[result.index()] = Some(turned(of[place]));
                        self.values.before += self.weight;
                        self.record(of, Vec::new());
                        continue;
                    }
                    let makes = match (row.meaning, of.as_slice()) {
                        (Meaning::And, &[a, b]) => vec![self.gate(*result, [a, b], false, 1)],
                        (Meaning::Or, &[a, b]) => vec![self.gate(*result, [a, b], true, 1)],
                        (Meaning::NotAnd, &[a, b]) => vec![self.gate(*result, [turned(a), b], false, 0)],
                        (Meaning::AndNot, &[a, b]) => vec![self.gate(*result, [a, turned(b)], false, 1)],
                        (Meaning::OrNot, &[a, b]) => vec![self.gate(*result, [a, turned(b)], true, 1)],
                        (
                            Meaning::Xor
                            | Meaning::RotateLeft
                            | Meaning::ShuffleWords
                            | Meaning::PermuteGroups,
                            _,
                        ) => {
                            vec![self.sum(*result, &of)]
                        }
                        (Meaning::ShuffleBytes, &[a, index]) if self.rows.keeps_all(operands[1]) => {
                            self.wants(index, false);
                            vec![self.sum(*result, &[a])]
                        }
                        _ => {
                            of.iter().for_each(|&operand| self.wants(operand, false));
                            vec![self.define(*result, Kind::Fixed)]
                        }
                    };
                    self.record(of, makes);
                }
                step => {
                    let mut read = Vec::new();
                    step.reads(&mut |register| read.push(register));
                    let uses = self.used(read)?;
                    uses.iter().for_each(|&used| self.wants(used, false));
                    let mut makes = Vec::new();
                    step.defines(&mut |register| makes.push(self.define(register, Kind::Fixed)));
                    self.record(uses, makes);
                }
            }
        }
        Some(())
    }

    fn looped(&mut self, looped: &Loop) -> Option<()> {
        let initial = self.used(looped.carried.iter().map(|carried| carried.initial))?;
        initial.iter().for_each(|&used| self.wants(used, false));
        let outside = self.weight;
        self.weight = outside.saturating_mul(looped.trips.estimate().max(1));
        let inside: Vec<usize> = looped
            .carried
            .iter()
            .zip(&initial)
            .map(|(carried, &of)| self.define(carried.register, Kind::Carried { of: [of; 2] }))
            .collect();
        self.record(initial, inside.clone());
        self.block(&looped.body)?;
        let next = self.used(looped.carried.iter().map(|carried| carried.next))?;
        self.weight = outside;
        let mut after = Vec::new();
        for ((carried, &vertex), &next) in looped.carried.iter().zip(&inside).zip(&next) {
            self.wants(next, false);
            if let Kind::Carried { of } = &mut self.values.vertices[vertex].kind {
                of[1] = next;
            }
            let left = self.define(carried.register, Kind::Left);
            self.follow(left, &[Use { vertex, complemented: false }]);
            after.push(left);
        }
        self.record(next, after);
        Some(())
    }
}
