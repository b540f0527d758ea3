//! What a program costs, as far as it chooses among programs that move the same bits.
//!
//! A phase is a loop whose trips do not wait for each other: it takes as long as what it needs most of, ports or memory, and a
//! part of the rest. Ports are those of the tables of the targets.

use crate::moves::Machine;
use crate::network::{Phase, Region, Statement};
use std::collections::{BTreeMap, BTreeSet};
use usuba_target::Meaning;

/// Hundredths of a cycle.
pub type Price = u64;

/// What is not the bottleneck still costs this part, in hundredths: trips overlap, but not wholly.
const BESIDE: u64 = 25;
/// For every instruction, and every value that has no register meanwhile. Compilers move that value to the stack and back once or
/// twice for many instructions; fitted to SM4 in H on AVX2.
const SPILLED: u64 = 6;
/// Where nothing around is of integers only, Clang takes the shuffles of floating-point numbers, which this port alone runs.
const FLOATING: u16 = 0b10_0000;
/// Of the second half of a piece that is loaded or stored in two.
const HALF: u64 = 50;
/// Of a trip, and of a phase: addresses, and the end of the loop.
const TRIP: u64 = 100;

/// The price of a phase.
pub fn price(phase: &Phase, machine: &Machine) -> Price {
    let trips: usize = phase.loops.iter().map(|one| one.trips).product();
    let wide = machine.target.register_bits > 256;
    let mut ports: BTreeMap<u16, u64> = BTreeMap::new();
    let (mut loads, mut stores, mut halves) = (0, 0, 0);
    // What brings a piece into a register that has others, and takes it out.
    let (logic, insert, half) = (0b10_0011u16, 0b10_0011u16, 0b10_0000u16);
    let groups = |pieces: usize| (machine.register() / 16).max(1).min(pieces) as u64;
    for statement in &phase.body {
        match statement {
            Statement::Load(_, pieces) => {
                let count = pieces.len() as u64;
                loads += count;
                halves += count - groups(pieces.len());
                *ports.entry(insert).or_default() += groups(pieces.len()) - 1;
                *ports.entry(half).or_default() += pieces.len() as u64 - groups(pieces.len());
            }
            Statement::Store(_, pieces) => {
                let count = pieces.len() as u64;
                stores += count;
                halves += count - groups(pieces.len());
                // Mostly, data is added in the store.
                if phase.to == Region::Blocks {
                    loads += count;
                    *ports.entry(logic).or_default() += groups(pieces.len());
                    *ports.entry(half).or_default() += count - groups(pieces.len());
                }
                // Groups of 512 bits are extracted by shuffles.
                if wide {
                    *ports.entry(half).or_default() += groups(pieces.len()) - 1;
                }
            }
            Statement::Apply(_, operation, _) => {
                let (meaning, lane) = operation.row();
                let Some(row) = machine.row(meaning, lane) else { continue };
                // Two ports for what the tables say nothing of.
                let mask = match (meaning, lane) {
                    (Meaning::InterleaveLow | Meaning::InterleaveHigh, 32 | 64) if row.ports != 0 => {
                        row.ports & FLOATING
                    }
                    _ if row.ports == 0 => 0b11,
                    _ => row.ports,
                };
                *ports.entry(mask).or_default() += u64::from(row.uops);
            }
        }
    }
    let computing = pressure(&ports);
    let memory = (100 * loads / 2).max(100 * stores);
    let bound = computing.max(memory) + computing.min(memory) * BESIDE / 100;
    trips as u64 * (bound + spilled(phase, machine) * SPILLED + halves * HALF + TRIP)
}

/// The time that ports need, each operation going to any port of its mask: that of the ports that are wanted most.
fn pressure(ports: &BTreeMap<u16, u64>) -> Price {
    let masks: BTreeSet<u16> = ports.keys().copied().collect();
    let mut unions: BTreeSet<u16> = masks.clone();
    for mask in &masks {
        let more: Vec<u16> = unions.iter().map(|union| union | mask).collect();
        unions.extend(more);
    }
    let needed = |union: &u16| {
        let inside = ports.iter().filter(|(mask, _)| *mask & !union == 0).map(|(_, count)| count);
        100 * inside.sum::<u64>() / u64::from(union.count_ones().max(1))
    };
    unions.iter().map(needed).max().unwrap_or(0)
}

/// For every statement, how many values there are beyond the registers, constants included.
fn spilled(phase: &Phase, machine: &Machine) -> u64 {
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    let mut constants: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (at, statement) in phase.body.iter().enumerate() {
        match statement {
            Statement::Load(..) => {}
            Statement::Apply(_, operation, arguments) => {
                last.extend(arguments.iter().map(|value| (*value, at)));
                constants.extend(operation.constant());
            }
            Statement::Store(value, _) => {
                last.insert(*value, at);
            }
        }
    }
    let limit = machine.target.register_count as usize;
    let (mut live, mut sum) = (0usize, 0);
    for (at, statement) in phase.body.iter().enumerate() {
        let (made, read): (usize, &[usize]) = match statement {
            Statement::Load(..) => (1, &[]),
            Statement::Apply(_, _, arguments) => (1, arguments),
            Statement::Store(value, _) => (0, std::slice::from_ref(value)),
        };
        let ended: BTreeSet<usize> =
            read.iter().copied().filter(|value| last.get(value) == Some(&at)).collect();
        live = live + made - ended.len();
        sum += (live + constants.len()).saturating_sub(limit) as u64;
    }
    sum
}
