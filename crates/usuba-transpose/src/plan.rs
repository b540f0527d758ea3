//! From an arrangement and a machine to checked programs for both directions.

use crate::arrangement::{Arrangement, Column, Image, Side, columns};
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
    /// No moves were found, or none that are right.
    NoWay,
}

/// Programs in both directions.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What they are about.
    pub arrangement: Arrangement,
    /// The first bytes of a block, which the programs take: all of them, but that in `B` some may be left.
    pub covered: usize,
    /// From blocks to registers.
    pub pack: Vec<Phase>,
    /// From registers, which are changed, to blocks.
    pub unpack: Vec<Phase>,
    /// Of both directions.
    pub price: Price,
}

/// Both directions of every column, blocks in one order.
struct Found {
    columns: Vec<[Vec<Phase>; 2]>,
    price: Price,
}

/// Programs, and the columns that they are for.
type Candidate = (Found, Vec<Column>);

/// The cheapest phases from one side to the other that are right, as running them on numbered bits shows.
fn cheapest(
    machine: &Machine,
    moves: &[Vec<Move>],
    (from, source): (&Side, Region),
    (to, target): (&Side, Region),
) -> Option<(Price, Vec<Phase>)> {
    let ways = moves.iter().flat_map(|moves| Request { machine, moves, from, to }.ways());
    let cut = |way| cut(&Cutting::of(&way, machine, (source, target)), machine);
    let mut programs: Vec<(Price, Vec<Phase>)> = ways.filter_map(cut).collect();
    programs.sort_by_key(|(price, _)| *price);
    // A search is never trusted.
    let is_right = |phases: &[Phase]| execute::check(phases, machine, (from, source), (to, target)).is_ok();
    programs.into_iter().find(|(_, phases)| is_right(phases))
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

impl Plan {
    /// The cheapest programs. Blocks go to instances as [`Arrangement::instance_of_block`] says.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn of(arrangement: Arrangement, machine: Machine) -> Result<Plan, PlanError> {
        let moves = machine.moves();
        let (mut best, mut shapes): (Option<Candidate>, usize) = (None, 0);
        let mut tried: Vec<Vec<Column>> = Vec::new();
        let bytes = arrangement.format.bytes();
        for most in [64, 32, 16, 8] {
            let mut columns = columns(&arrangement, most);
            // Registers are loaded and stored by 8 bytes at least.
            let long = |column: &Column| {
                let sides = [&column.blocks, &column.image];
                let parts = sides.iter().all(|side| natural(side, machine.positions()).len() >= 6);
                parts && column.blocks.deltas.len() >= machine.positions()
            };
            columns.truncate(columns.iter().take_while(|column| long(column)).count());
            let covered: usize = columns.iter().map(|column| column.width).sum();
            // In B the bits of the last bytes have registers of their own.
            let enough = covered == bytes || (arrangement.image == Image::B && covered > 0);
            if !enough || tried.contains(&columns) || (most == 8 && shapes > 0) {
                continue;
            }
            tried.push(columns.clone());
            shapes += 1;
            if let Some(found) = both(&machine, &moves, &columns)
                && best.as_ref().is_none_or(|(one, _)| found.price < one.price)
            {
                best = Some((found, columns));
            }
        }
        let Some((found, columns)) = best else {
            return Err(if shapes == 0 { PlanError::Shape } else { PlanError::NoWay });
        };
        let (packs, unpacks): (Vec<_>, Vec<_>) =
            found.columns.into_iter().map(|[one, other]| (one, other)).unzip();
        let (pack, unpack) = (packs.concat(), unpacks.concat());
        let covered = columns.iter().map(|column| column.width).sum();
        Ok(Plan { arrangement, covered, pack, unpack, price: found.price })
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
