//! From an arrangement and a machine to checked programs for both directions.

use crate::arrangement::{Arrangement, Column, Side, columns};
use crate::execute;
use crate::moves::{Machine, Move};
use crate::network::{Cutting, Phase, Region, Statement};
use crate::price::{Price, price};
use crate::way::{Request, natural};

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
    /// Of both directions.
    pub price: Price,
}

/// Both directions of every column, blocks in one order.
struct Found {
    columns: Vec<[Vec<Phase>; 2]>,
    price: Price,
}

/// Programs, the columns that they are for, and the order of blocks.
type Candidate = (Found, Vec<Column>, Vec<usize>);

/// The cheapest phases from one side to the other.
fn cheapest(
    machine: &Machine,
    moves: &[Vec<Move>],
    (from, source): (&Side, Region),
    (to, target): (&Side, Region),
) -> Option<(Price, Vec<Phase>)> {
    let ways = moves.iter().flat_map(|moves| Request { machine, moves, from, to, free: None }.ways());
    let programs = ways.filter_map(|way| cut(&Cutting::of(&way, machine, (source, target)), machine));
    programs.min_by_key(|(price, _)| *price)
}

/// The cheapest phases of a way.
fn cut(cutting: &Cutting, machine: &Machine) -> Option<(Price, Vec<Phase>)> {
    let phase = |range| {
        let phase = cutting.phase(range)?;
        Some((price(&phase, machine), phase))
    };
    let count = cutting.steps();
    if count == 0 {
        return phase(0..0).map(|(price, phase)| (price, vec![phase]));
    }
    // For each number of steps, the cheapest phases of so many of the first.
    let mut best: Vec<Option<(Price, Vec<Phase>)>> = vec![Some((0, Vec::new()))];
    for end in 1..=count {
        let mut least: Option<(Price, Vec<Phase>)> = None;
        for start in (0..end).rev() {
            let (Some((before, phases)), Some((price, last))) = (&best[start], phase(start..end)) else {
                continue;
            };
            if least.as_ref().is_none_or(|(known, _)| before + price < *known) {
                least = Some((before + price, phases.iter().cloned().chain([last]).collect()));
            }
        }
        best.push(least);
    }
    best.pop()?
}

fn both(machine: &Machine, moves: &[Vec<Move>], columns: &[Column]) -> Option<Found> {
    let mut found = Found { columns: Vec::new(), price: 0 };
    for Column { blocks, image, .. } in columns {
        let (one, pack) = cheapest(machine, moves, (blocks, Region::Blocks), (image, Region::Image))?;
        let (other, unpack) = cheapest(machine, moves, (image, Region::Image), (blocks, Region::Blocks))?;
        found.price += one + other;
        found.columns.push([pack, unpack]);
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
fn orders(machine: &Machine, moves: &[Vec<Move>], columns: &[Column]) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let Some(column) = columns.first() else { return orders };
    let (inner, free, Some(moves)) = (column.inner(), Some(column.inner()), moves.first()) else {
        return orders;
    };
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
                    && best.as_ref().is_none_or(|(one, _, _)| found.price < one.price)
                {
                    best = Some((found, columns, order));
                }
            }
        }
        let Some((found, columns, order)) = best else {
            return Err(if shapes == 0 { PlanError::Shape } else { PlanError::NoWay });
        };
        let (mut pack, mut unpack) = (Vec::new(), Vec::new());
        for ([packed, unpacked], column) in found.columns.iter().zip(&columns) {
            for (phases, from, to) in [
                (packed, (&column.blocks, Region::Blocks), (&column.image, Region::Image)),
                (unpacked, (&column.image, Region::Image), (&column.blocks, Region::Blocks)),
            ] {
                execute::check(phases, &machine, from, to).map_err(|_| PlanError::Wrong)?;
            }
            pack.extend(packed.iter().cloned());
            unpack.extend(unpacked.iter().cloned());
        }
        let usual = order.iter().copied().eq(0..order.len());
        Ok(Plan { arrangement, pack, unpack, order, usual, price: found.price })
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
