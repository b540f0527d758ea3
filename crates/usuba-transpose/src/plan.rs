//! From an arrangement and a machine to checked programs for both directions.

use crate::arrangement::{Arrangement, Column, Side, columns};
use crate::execute;
use crate::moves::{ENTERS, Machine, Move};
use crate::network::{Phase, Region, Statement, phases};
use crate::search::{ANY, BLOCKS, ENTERING, FIXED, Query, Taken, search};

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
    /// For each bit of the address as it is at first, which it is in the end: not itself where blocks are in any order.
    pub matching: Vec<usize>,
}

/// Why there is no plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// Some bytes of a block are no bijection of address bits, or registers are shorter than those of the machine need.
    Shape,
    /// No moves were found.
    NoWay,
    /// What was found is not the arrangement: an error of this crate.
    Wrong,
}

/// Programs in both directions, and the order of blocks they are for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What they are about.
    pub arrangement: Arrangement,
    /// From blocks to registers.
    pub pack: Vec<Phase>,
    /// From registers, which are changed, to blocks.
    pub unpack: Vec<Phase>,
    /// The bit of the number of an instance that each bit of the number of a block is.
    pub order: Vec<usize>,
    /// Whether that is the order of the runtime.
    pub usual: bool,
    /// Costs of one register in and out, in twelfths of a cycle and beyond.
    pub cost: u32,
}

/// A register from pieces: a load each, and what joins them; or the reverse.
fn piece_cost(positions: usize, natural: usize, store: bool) -> u32 {
    let groups = 1u32 << positions.saturating_sub(natural.max(7));
    let each = if store { 14 } else { 8 };
    let halves = if natural < 7.min(positions) { 10 * groups } else { 0 };
    6 + (groups - 1) * each + halves
}

fn natural(side: &Side, positions: usize) -> Vec<usize> {
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

/// What is asked about a way.
struct Request<'a> {
    machine: &'a Machine,
    moves: &'a [Move],
    from: &'a Side,
    to: &'a Side,
    /// The bits of the address from which on they are of blocks, whose order is free.
    free: Option<usize>,
}

impl Request<'_> {
    /// The cheapest way of all kinds of loads and stores.
    fn way(&self) -> Option<Way> {
        let positions = self.machine.positions();
        let (starts, ends) = (natural(self.from, positions), natural(self.to, positions));
        let mut best: Option<(u32, Way)> = None;
        for start in kinds(starts.len(), positions) {
            for end in kinds(ends.len(), positions) {
                let memory = piece_cost(positions, start, false) + piece_cost(positions, end, true);
                for upper in uppers(positions - start) {
                    let limit = best.as_ref().map_or(1000, |(cost, _)| *cost);
                    if memory >= limit {
                        continue;
                    }
                    let found = self.of_kind(&starts[..start], &ends[..end], &upper, limit - memory - 1);
                    if let Some(way) = found {
                        best = Some((way.cost + memory, Way { cost: way.cost + memory, ..way }));
                    }
                }
            }
        }
        best.map(|(_, way)| way)
    }

    fn of_kind(&self, starts: &[usize], ends: &[usize], upper: &[u8], limit: u32) -> Option<Way> {
        let labels = self.from.deltas.len();
        let is_block = |label: usize| self.free.is_some_and(|first| label >= first);
        let mut classes = Vec::new();
        let mut counts = vec![0u8; usize::from(FIXED)];
        for label in 0..labels {
            let class = match (starts.contains(&label), ends.contains(&label)) {
                (true, _) if is_block(label) => BLOCKS,
                (false, _) if is_block(label) => ENTERING,
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
        let mut blocks = 0;
        let mut accepted = Vec::new();
        for (p, label) in ends.iter().enumerate() {
            if is_block(*label) {
                blocks |= 1 << p;
                accepted.push(1 << ENTERING | 1 << BLOCKS);
            } else {
                accepted.push(1u16 << classes[*label]);
            }
        }
        accepted.resize(start.len(), u16::MAX);
        let entering = (0..labels).filter(|label| is_block(*label) && !starts.contains(label)).count() as u8;
        // Whole registers are what nearly always costs least.
        let patience = if upper.is_empty() && ends.len() == self.machine.positions() { 8_000 } else { 800 };
        let query = Query { start, classes: counts, accepted, blocks: (blocks, entering), limit, patience };
        let (cost, taken) = search(&query, self.moves)?;
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
            let one = &self.request.moves[step.number];
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
        let mut matching: Vec<Option<usize>> = vec![None; self.classes.len()];
        self.name_ends(&mut tokens, &positions, &mut matching)?;
        let slots = self.assign(taken, &mut tokens, &entered)?;
        let labels = tokens.iter().map(|(_, label)| *label).collect::<Option<Vec<usize>>>()?;
        self.match_rest(&mut matching);
        let matching = matching.into_iter().collect::<Option<Vec<usize>>>()?;
        self.flip(taken, &labels, &entered, slots, matching, cost)
    }

    /// Gives labels to what is in positions in the end.
    fn name_ends(
        &self,
        tokens: &mut [(u8, Option<usize>)],
        positions: &[usize],
        matching: &mut [Option<usize>],
    ) -> Option<()> {
        let is_block = |label: usize| self.request.free.is_some_and(|first| label >= first);
        for (p, wanted) in self.ends.iter().enumerate() {
            let token = &mut tokens[positions[p]];
            if let Some(label) = token.1 {
                matching[label] = Some(*wanted);
            } else if !is_block(*wanted) {
                token.1 = Some(*wanted);
                matching[*wanted] = Some(*wanted);
            }
        }
        for (p, wanted) in self.ends.iter().enumerate().filter(|(_, wanted)| is_block(**wanted)) {
            let token = positions[p];
            if tokens[token].1.is_some() {
                continue;
            }
            let open = |label: &usize| {
                is_block(*label) && matching[*label].is_none() && !self.starts.contains(label)
            };
            let label = Some(*wanted).filter(open).or_else(|| (0..matching.len()).find(open))?;
            tokens[token].1 = Some(label);
            matching[label] = Some(*wanted);
        }
        Some(())
    }

    fn match_rest(&self, matching: &mut [Option<usize>]) {
        for label in 0..matching.len() {
            if matching[label].is_none() && !matching.contains(&Some(label)) {
                matching[label] = Some(label);
            }
        }
        for label in 0..matching.len() {
            if matching[label].is_none() {
                let open = (0..matching.len()).find(|other| !matching.contains(&Some(*other)));
                matching[label] = open;
            }
        }
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
            let one = &self.request.moves[step.number];
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
        matching: Vec<usize>,
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
            let one = &self.request.moves[step.number];
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
            let one = &self.request.moves[step.number];
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
        let deltas = (0..matching.len()).map(|label| to.deltas[matching[label]]).collect();
        Some(Way {
            from: from.clone(),
            to: Side { base: to.base, deltas },
            natural: (self.starts.len(), self.ends.len()),
            start_positions,
            start_slots,
            end_positions: positions,
            end_slots: told,
            steps,
            cost,
            matching,
        })
    }
}

/// Costs of loads and stores between phases, beside those of ways.
const BETWEEN: u32 = 16;

/// Both directions of every column, blocks in one order.
struct Found {
    ways: Vec<(Way, Way)>,
    cost: u32,
}

/// Ways, the columns that they are for, and the order of blocks.
type Candidate = (Found, Vec<Column>, Vec<usize>);

fn both(machine: &Machine, moves: &[Move], columns: &[Column]) -> Option<Found> {
    let mut found = Found { ways: Vec::new(), cost: 0 };
    for column in columns {
        let Column { blocks, image, .. } = column;
        let pack = Request { machine, moves, from: blocks, to: image, free: None }.way()?;
        let unpack = Request { machine, moves, from: image, to: blocks, free: None }.way()?;
        let registers = 1u32 << (blocks.deltas.len() - machine.positions());
        for (way, regions) in
            [(&pack, (Region::Blocks, Region::Image)), (&unpack, (Region::Image, Region::Blocks))]
        {
            let more = phases(way, machine, regions).len() as u32 - 1;
            found.cost += registers * (way.cost + more * BETWEEN);
        }
        found.ways.push((pack, unpack));
    }
    Some(found)
}

/// Columns with the blocks in another order: what was bit `matching[k]` of the number of a block is now bit `k`.
fn reordered(columns: &[Column], matching: &[usize]) -> Vec<Column> {
    let one = |column: &Column| {
        let inner = column.inner();
        let mut image = column.image.clone();
        for (k, other) in matching.iter().enumerate() {
            image.deltas[inner + k] = column.image.deltas[inner + other];
        }
        Column { image, ..column.clone() }
    };
    columns.iter().map(one).collect()
}

/// Orders of blocks that are good for one direction of the first column.
fn orders(machine: &Machine, moves: &[Move], columns: &[Column]) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let Some(column) = columns.first() else { return orders };
    let (inner, free) = (column.inner(), Some(column.inner()));
    let count = column.blocks.deltas.len() - inner;
    let mut add = |order: Vec<usize>| {
        if !orders.contains(&order) {
            orders.push(order);
        }
    };
    add((0..count).collect());
    let pack = Request { machine, moves, from: &column.blocks, to: &column.image, free }.way();
    if let Some(way) = pack {
        add((0..count).map(|k| way.matching[inner + k] - inner).collect());
    }
    let unpack = Request { machine, moves, from: &column.image, to: &column.blocks, free }.way();
    if let Some(way) = unpack {
        // Bit k of the image's number became bit matching[k] of the block's.
        let place = |k: usize| (0..count).find(|other| way.matching[inner + other] == inner + k);
        add((0..count).filter_map(place).collect());
    }
    orders
}

impl Plan {
    /// The cheapest programs. With `usual`, blocks go to instances in the order of the runtime; else in whichever costs least.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn of(arrangement: Arrangement, machine: Machine, usual: bool) -> Result<Plan, PlanError> {
        let moves = machine.moves();
        let (mut best, mut shapes): (Option<Candidate>, usize) = (None, 0);
        let mut tried: Vec<Vec<Column>> = Vec::new();
        for most in [64, 32, 16, 8] {
            let Some(columns) = columns(&arrangement, most) else { continue };
            // Registers are loaded and stored by 8 bytes at least.
            let short = columns.iter().any(|column| {
                let sides = [&column.blocks, &column.image];
                let parts = sides.iter().any(|side| natural(side, machine.positions()).len() < 6);
                parts || column.blocks.deltas.len() < machine.positions()
            });
            if short || tried.contains(&columns) || (most == 8 && shapes > 0) {
                continue;
            }
            tried.push(columns.clone());
            shapes += 1;
            let count = columns.first().map_or(0, |column| column.blocks.deltas.len() - column.inner());
            let orders = if usual { vec![(0..count).collect()] } else { orders(&machine, &moves, &columns) };
            for order in orders {
                let columns = reordered(&columns, &order);
                if let Some(found) = both(&machine, &moves, &columns)
                    && best.as_ref().is_none_or(|(one, _, _)| found.cost < one.cost)
                {
                    best = Some((found, columns, order));
                }
            }
        }
        let Some((found, columns, order)) = best else {
            return Err(if shapes == 0 { PlanError::Shape } else { PlanError::NoWay });
        };
        let (mut pack, mut unpack) = (Vec::new(), Vec::new());
        for ((one, other), column) in found.ways.iter().zip(&columns) {
            let packed = phases(one, &machine, (Region::Blocks, Region::Image));
            let unpacked = phases(other, &machine, (Region::Image, Region::Blocks));
            for (phases, from, to) in [
                (&packed, (&column.blocks, Region::Blocks), (&column.image, Region::Image)),
                (&unpacked, (&column.image, Region::Image), (&column.blocks, Region::Blocks)),
            ] {
                execute::check(phases, &machine, from, to).map_err(|_| PlanError::Wrong)?;
            }
            pack.extend(packed);
            unpack.extend(unpacked);
        }
        let usual = order.iter().copied().eq(0..order.len());
        let registers = (arrangement.image_bytes() / machine.register()) as u32;
        Ok(Plan { arrangement, pack, unpack, order, usual, cost: found.cost / registers.max(1) })
    }

    /// Instructions, loads and stores of a direction, all trips counted.
    pub fn count(phases: &[Phase]) -> (usize, usize) {
        let mut counts = (0, 0);
        for phase in phases {
            let trips: usize = phase.loops.iter().map(|one| one.trips).product();
            for statement in &phase.body {
                match statement {
                    Statement::Apply(..) => counts.0 += trips,
                    Statement::Load(_, pieces) | Statement::Store(_, pieces) => {
                        counts.1 += trips * pieces.len()
                    }
                }
            }
        }
        counts
    }
}
