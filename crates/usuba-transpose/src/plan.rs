//! From an arrangement and a machine to checked programs for both directions.

use crate::arrangement::{Arrangement, Column, columns};
use crate::execute;
use crate::moves::{Machine, Move};
use crate::network::{Phase, Region, Statement, phases};
use crate::way::{Request, Way, natural};

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
