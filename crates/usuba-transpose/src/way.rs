//! The cheapest way of a column from one memory to another: which moves, and which bit of the address each of them takes where.

use crate::arrangement::Side;
use crate::moves::{ENTERS, Machine, Move, Moves};
use crate::search::{ANY, ENTERING, FIXED, Query, Taken, known};

/// A bit of an address, or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bit {
    /// Its number.
    pub label: usize,
    /// Whether it is complemented.
    pub flip: bool,
}

/// A move with all that is chosen about it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The move.
    pub taken: Move,
    /// Positions whose content it complements.
    pub flips: u16,
    /// The slot of two registers.
    pub slot: Option<usize>,
}

/// A way from one memory to another.
#[derive(Clone, Debug)]
pub struct Way {
    /// Where bits are at first.
    pub from: Side,
    /// Where they are to be.
    pub to: Side,
    /// How many positions of a register follow each other in memory, at first and in the end; the others are of pieces.
    pub natural: (usize, usize),
    /// What is in positions at first.
    pub start_positions: Vec<Bit>,
    /// What slots tell at first.
    pub start_slots: Vec<Bit>,
    /// What is in positions in the end.
    pub end_positions: Vec<Bit>,
    /// What slots tell in the end.
    pub end_slots: Vec<Bit>,
    /// The moves.
    pub steps: Vec<Step>,
    /// Cost per register.
    pub cost: u32,
}

/// A register from pieces: a load each, and what joins them; or the reverse.
fn piece_cost(positions: usize, natural: usize, store: bool) -> u32 {
    let groups = 1u32 << positions.saturating_sub(natural.max(7));
    let each = if store { 14 } else { 8 };
    let halves = if natural < 7.min(positions) { 10 * groups } else { 0 };
    6 + (groups - 1) * each + halves
}

/// The bits of the address that are the positions of a register from the lowest, as far as they follow each other in memory.
pub fn natural(side: &Side, positions: usize) -> Vec<usize> {
    let at = |p: usize| side.deltas.iter().position(|delta| delta.abs() == 1 << p);
    (0..positions).map_while(at).collect()
}

/// How registers can be loaded or stored: positions that follow each other.
fn kinds(natural: usize, positions: usize) -> Vec<usize> {
    [positions, 7, 6].into_iter().filter(|kind| *kind <= natural.min(positions)).fold(
        Vec::new(),
        |mut kinds, kind| {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            kinds
        },
    )
}

/// A way is much dearer than another if it costs more by this part of it: the costs of moves add up, which those of instructions
/// that go to different ports do not.
const MUCH: u32 = 4;

/// What is asked about a way.
pub struct Request<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its moves.
    pub moves: &'a Moves,
    /// Where bits are.
    pub from: &'a Side,
    /// Where they are to be.
    pub to: &'a Side,
}

impl Request<'_> {
    /// The cheapest way of each kind of loads and stores, of those that are not much dearer than another.
    pub fn ways(&self) -> Vec<Way> {
        let positions = self.machine.positions();
        let (starts, ends) = (natural(self.from, positions), natural(self.to, positions));
        let mut ways: Vec<Way> = Vec::new();
        for start in kinds(starts.len(), positions) {
            for end in kinds(ends.len(), positions) {
                let memory = piece_cost(positions, start, false) + piece_cost(positions, end, true);
                for upper in uppers(positions - start) {
                    let least = ways.iter().map(|way| way.cost).min();
                    let limit = least.map_or(1000, |cost| cost + cost / MUCH);
                    if memory >= limit {
                        continue;
                    }
                    let found = self.of_kind(&starts[..start], &ends[..end], &upper, limit - memory - 1);
                    ways.extend(found.map(|way| Way { cost: way.cost + memory, ..way }));
                }
            }
        }
        ways
    }

    fn of_kind(&self, starts: &[usize], ends: &[usize], upper: &[u8], limit: u32) -> Option<Way> {
        let labels = self.from.deltas.len();
        let mut classes = Vec::new();
        let mut counts = vec![0u8; usize::from(FIXED)];
        for label in 0..labels {
            let class = match (starts.contains(&label), ends.contains(&label)) {
                (true, true) => {
                    counts.push(0);
                    (counts.len() - 1) as u8
                }
                (false, true) => ENTERING,
                _ => ANY,
            };
            counts[usize::from(class)] += 1;
            classes.push(class);
        }
        let mut start: Vec<(u8, bool)> = Vec::new();
        for label in starts {
            let wrong = (self.from.deltas[*label] < 0) != (self.to.deltas[*label] < 0);
            start.push((classes[*label], wrong));
        }
        let mut outside = counts.clone();
        for (class, _) in &start {
            outside[usize::from(*class)] -= 1;
        }
        for class in upper {
            outside[usize::from(*class)] = outside[usize::from(*class)].checked_sub(1)?;
            start.push((*class, false));
        }
        let mut accepted: Vec<u16> = ends.iter().map(|label| 1u16 << classes[*label]).collect();
        accepted.resize(start.len(), u16::MAX);
        // Whole registers are what nearly always costs least.
        let patience = if upper.is_empty() && ends.len() == self.machine.positions() { 4_000 } else { 200 };
        let query = Query { start, classes: counts, accepted, limit, patience };
        let (cost, taken) = known(&query, self.moves)?;
        let trace = Trace { request: self, classes: &classes, starts, ends, query: &query };
        trace.way(&taken, cost)
    }
}

/// Classes of the positions of pieces.
fn uppers(count: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |start: Vec<u8>| {
            [ANY, ENTERING].map(|class| start.iter().copied().chain([class]).collect::<Vec<u8>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// From classes to bits of the address.
struct Trace<'a> {
    request: &'a Request<'a>,
    classes: &'a [u8],
    starts: &'a [usize],
    ends: &'a [usize],
    query: &'a Query,
}

impl Trace<'_> {
    fn way(&self, taken: &[Taken], cost: u32) -> Option<Way> {
        // A token for each content of a position; its label may be known later.
        let mut tokens: Vec<(u8, Option<usize>)> = Vec::new();
        for (p, (class, _)) in self.query.start.iter().enumerate() {
            tokens.push((*class, self.starts.get(p).copied()));
        }
        let mut positions: Vec<usize> = (0..tokens.len()).collect();
        let mut entered = Vec::new();
        for step in taken {
            let one = &self.request.moves.list[step.number];
            if let Some(class) = step.class {
                let label = if class >= FIXED { self.classes.iter().position(|c| *c == class) } else { None };
                tokens.push((class, label));
            }
            entered.push(step.class.map(|_| tokens.len() - 1));
            let content = |from: &u8| {
                if *from == ENTERS { tokens.len() - 1 } else { positions[usize::from(*from)] }
            };
            positions = one.from.iter().map(content).collect();
        }
        for (p, wanted) in self.ends.iter().enumerate() {
            tokens[positions[p]].1.get_or_insert(*wanted);
        }
        let slots = self.assign(taken, &mut tokens, &entered)?;
        let labels = tokens.iter().map(|(_, label)| *label).collect::<Option<Vec<usize>>>()?;
        self.flip(taken, &labels, &entered, slots, cost)
    }

    /// Gives labels to the other tokens: what is in a slot at that time, if possible one that was in use last. Returns, for
    /// every step, its slot, and what the slots tell at first.
    fn assign(
        &self,
        taken: &[Taken],
        tokens: &mut [(u8, Option<usize>)],
        entered: &[Option<usize>],
    ) -> Option<(Vec<Option<usize>>, Vec<usize>)> {
        for token in self.starts.len()..self.query.start.len() {
            if tokens[token].1.is_none() {
                let class = tokens[token].0;
                let open = |label: &usize| {
                    self.classes[*label] == class && !tokens.iter().any(|(_, known)| *known == Some(*label))
                };
                tokens[token].1 = (0..self.classes.len()).rev().find(open);
            }
        }
        let first: Vec<usize> =
            tokens[..self.query.start.len()].iter().filter_map(|(_, label)| *label).collect();
        let initial: Vec<usize> = (0..self.classes.len()).filter(|label| !first.contains(label)).collect();
        let mut slots: Vec<usize> = initial.clone();
        let mut positions: Vec<usize> = (0..self.query.start.len()).collect();
        let mut last_used: Vec<usize> = Vec::new();
        let mut used = Vec::new();
        for (number, step) in taken.iter().enumerate() {
            let one = &self.request.moves.list[step.number];
            let Some(token) = entered[number] else {
                positions = one.from.iter().map(|from| positions[usize::from(*from)]).collect();
                used.push(None);
                continue;
            };
            let later: Vec<usize> =
                entered[number + 1..].iter().flatten().filter_map(|t| tokens[*t].1).collect();
            let (class, label) = tokens[token];
            let slot = if let Some(label) = label {
                slots.iter().position(|one| *one == label)?
            } else {
                let fits = |slot: &usize| self.classes[slots[*slot]] == class;
                let calm = |slot: &usize| fits(slot) && !later.contains(&slots[*slot]);
                let recent = last_used.iter().rev().copied().find(calm);
                recent.or_else(|| (0..slots.len()).find(calm)).or_else(|| (0..slots.len()).find(fits))?
            };
            tokens[token].1 = Some(slots[slot]);
            let leaves = positions[one.leaves()?];
            slots[slot] = tokens[leaves].1?;
            let content = |from: &u8| if *from == ENTERS { token } else { positions[usize::from(*from)] };
            positions = one.from.iter().map(content).collect();
            last_used.push(slot);
            used.push(Some(slot));
        }
        Some((used, initial))
    }

    /// Chooses complements, and puts it all together.
    fn flip(
        &self,
        taken: &[Taken],
        labels: &[usize],
        entered: &[Option<usize>],
        (slots, initial): (Vec<Option<usize>>, Vec<usize>),
        cost: u32,
    ) -> Option<Way> {
        let (from, to) = (self.request.from, self.request.to);
        let count = self.query.start.len();
        // What each position must hold before each step, if that matters.
        let mut needs: Vec<Vec<Option<bool>>> = Vec::new();
        let mut need: Vec<Option<bool>> = vec![None; count];
        for (p, wanted) in self.ends.iter().enumerate() {
            need[p] = Some(to.deltas[*wanted] < 0);
        }
        for step in taken.iter().rev() {
            needs.push(need.clone());
            let one = &self.request.moves.list[step.number];
            let mut before = vec![None; count];
            for (p, source) in one.from.iter().enumerate() {
                if one.choice >> p & 1 == 0 {
                    before[usize::from(*source)] = need[p].map(|flip| flip ^ (one.toggle >> p & 1 == 1));
                }
            }
            need = before;
        }
        needs.reverse();
        let natural_flip = |p: usize, label: usize| p < self.starts.len() && from.deltas[label] < 0;
        let start_positions: Vec<Bit> =
            (0..count).map(|p| Bit { label: labels[p], flip: natural_flip(p, labels[p]) }).collect();
        let start_slots: Vec<Bit> = initial.iter().map(|label| Bit { label: *label, flip: false }).collect();
        let (mut positions, mut told) = (start_positions.clone(), start_slots.clone());
        let mut steps = Vec::new();
        for (number, step) in taken.iter().enumerate() {
            let one = &self.request.moves.list[step.number];
            let before = positions.clone();
            let mut flips = 0u16;
            for (p, source) in one.from.iter().enumerate() {
                let content = match (source, slots[number]) {
                    (&ENTERS, Some(slot)) => told[slot],
                    (&ENTERS, None) => return None,
                    _ => before[usize::from(*source)],
                };
                let flip = if one.choice >> p & 1 == 1 {
                    needs[number][p].is_some_and(|need| need != content.flip)
                } else {
                    one.toggle >> p & 1 == 1
                };
                flips |= u16::from(flip) << p;
                positions[p] = Bit { label: content.label, flip: content.flip ^ flip };
            }
            if let (Some(slot), Some(leaves), Some(token)) = (slots[number], one.leaves(), entered[number]) {
                if told[slot].label != labels[token] {
                    return None;
                }
                told[slot] = before[leaves];
            }
            steps.push(Step { taken: one.clone(), flips, slot: slots[number] });
        }
        Some(Way {
            from: from.clone(),
            to: to.clone(),
            natural: (self.starts.len(), self.ends.len()),
            start_positions,
            start_slots,
            end_positions: positions,
            end_slots: told,
            steps,
            cost,
        })
    }
}
