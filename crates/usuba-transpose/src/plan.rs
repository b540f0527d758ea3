//! From an arrangement and a machine to checked programs for both directions.

use crate::arrangement::{Arrangement, Column, Image, Side, columns};
use crate::check;
use crate::moves::{Machine, Moves};
use crate::network::{Cutting, Phase, Region};
use crate::price::{Price, price};
use crate::program::{Transfer, program};
use crate::way::{Request, natural};
use usuba_machine::Checked;

/// Why there is no plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// Some bytes of a block are no bijection of address bits, or registers are shorter than those of the machine need.
    Shape,
    /// No moves were found, or none that are right.
    NoWay,
}

/// Programs in both directions, checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What they are about.
    pub arrangement: Arrangement,
    /// The first bytes of a block, which the programs take: all of them, but that in `B` some may be left.
    pub covered: usize,
    /// In the order of [`Transfer::ALL`].
    programs: [Checked; 3],
    /// Of both directions.
    pub price: Price,
}

/// Both directions, blocks in one order, and the columns that they are for.
struct Candidate {
    pack: Vec<Phase>,
    unpack: Vec<Phase>,
    columns: Vec<Column>,
    price: Price,
}

/// The cheapest phases from one side to the other.
fn cheapest(
    machine: &Machine,
    moves: &[Moves],
    (from, source): (&Side, Region),
    (to, target): (&Side, Region),
) -> Option<(Price, Vec<Phase>)> {
    let ways = moves.iter().flat_map(|moves| Request { machine, moves, from, to }.ways());
    let cut = |way| cut(&Cutting::of(&way, machine, (source, target)), machine);
    ways.filter_map(cut).min_by_key(|(price, _)| *price)
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

fn both(machine: &Machine, moves: &[Moves], columns: Vec<Column>) -> Option<Candidate> {
    let mut found = Candidate { pack: Vec::new(), unpack: Vec::new(), columns, price: 0 };
    for Column { blocks, image, .. } in &found.columns {
        let (one, pack) = cheapest(machine, moves, (blocks, Region::Blocks), (image, Region::Image))?;
        let (other, unpack) = cheapest(machine, moves, (image, Region::Image), (blocks, Region::Blocks))?;
        found.price += one + other;
        found.pack.extend(pack);
        found.unpack.extend(unpack);
    }
    Some(found)
}

impl Candidate {
    /// Its plan, if its programs are right, as running them on numbered bits shows: a search is never trusted.
    fn plan(&self, arrangement: &Arrangement, machine: &Machine) -> Option<Plan> {
        let checked = |phases, transfer| {
            let program = usuba_machine::check(program(phases, arrangement, machine, transfer)?).ok()?;
            check::check(&program, arrangement, &self.columns, machine, transfer).ok()?;
            Some(program)
        };
        Some(Plan {
            arrangement: *arrangement,
            covered: self.columns.iter().map(|column| column.width).sum(),
            programs: [
                checked(&self.pack, Transfer::Pack)?,
                checked(&self.unpack, Transfer::Unpack)?,
                checked(&self.unpack, Transfer::UnpackAdd)?,
            ],
            price: self.price,
        })
    }
}

impl Plan {
    /// The program of a function.
    pub fn program(&self, transfer: Transfer) -> &Checked {
        let [pack, unpack, unpack_add] = &self.programs;
        match transfer {
            Transfer::Pack => pack,
            Transfer::Unpack => unpack,
            Transfer::UnpackAdd => unpack_add,
        }
    }

    /// The cheapest programs. Blocks go to instances as [`Arrangement::instance_of_block`] says.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn of(arrangement: Arrangement, machine: Machine) -> Result<Plan, PlanError> {
        let moves = machine.moves();
        let (mut found, mut shapes): (Vec<Candidate>, usize) = (Vec::new(), 0);
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
            found.extend(both(&machine, &moves, columns));
        }
        found.sort_by_key(|candidate| candidate.price);
        let plan = found.iter().find_map(|candidate| candidate.plan(&arrangement, &machine));
        plan.ok_or(if shapes == 0 { PlanError::Shape } else { PlanError::NoWay })
    }
}
