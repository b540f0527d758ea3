//! The choice problems that covering meets in this repository.

use crate::ciphers::Cipher;
use std::ops::ControlFlow;
use usuba_codegen::covers::{Covered, Gate, LARGEST, Problem, Solved, Way, functions, problems};
use usuba_ir::check;
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_kit::pipeline::{Observer, Product, Settings, compile, stages};
use usuba_lower::circuits::database;
use usuba_synth::choice::{self, Cheapest};
use usuba_target::{Target, by_name};

/// So many conflicts the solver may have with a problem.
pub const CONFLICTS: u64 = 20_000;

/// A target for each set of functions that are one instruction: the first that has it.
pub fn machines() -> Vec<&'static Target> {
    let mut found: Vec<&'static Target> = Vec::new();
    for target in usuba_target::all() {
        if found.iter().all(|known| functions(known) != functions(target)) {
            found.push(target);
        }
    }
    found
}

/// A problem and where it is met.
#[derive(Clone, Debug)]
pub struct Met {
    /// Circuit and target; or cipher, node, slicing, target, and the number of the block.
    pub place: String,
    /// What it is.
    pub covered: Covered,
}

/// The problems of the circuits of the database on one target.
pub fn of_circuits(target: &Target) -> Vec<Met> {
    let mut found = Vec::new();
    for one in database() {
        let program = one.circuit.program();
        let checked = check::check(&program).expect("the circuit has no flaw");
        let covered = problems(checked, target).expect("the target has gates");
        found.extend(
            covered
                .into_iter()
                .map(|covered| Met { place: format!("{}/{}", one.file, target.name), covered }),
        );
    }
    found
}

/// The targets whose blocks of ciphers are taken: those with functions of three bits.
pub fn ternary() -> Vec<&'static Target> {
    ["avx512", "neon", "altivec"].iter().filter_map(|name| by_name(name)).collect()
}

/// Keeps the program that code is generated of, and stops before that.
#[derive(Default)]
struct Optimised(Option<Program>);

impl Observer for Optimised {
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        let is_last = stages().iter().rev().nth(1) == Some(&stage);
        match product {
            Product::Usuba0(program) if is_last => {
                self.0 = Some(program.clone());
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The problems of a cipher in bitsliced and vertical slicing on one target.
pub fn of_cipher(name: &str, cipher: &Cipher, target: &Target) -> Vec<Met> {
    let mut found = Vec::new();
    for (node, slicings) in cipher.nodes() {
        for slicing in slicings.into_iter().filter(|slicing| matches!(slicing, Slicing::B | Slicing::V)) {
            let mut optimised = Optimised::default();
            let settings = Settings::new(slicing, Some(&node));
            let naming = usuba_codegen::Options::default();
            // Where the target has no code for the slicing there are no blocks.
            let _ = compile(&cipher.loaded, &settings, target, &naming, &mut optimised);
            let Some(program) = optimised.0 else { continue };
            let checked = check::check(&program).expect("passes leave no flaw");
            let Ok(covered) = problems(checked, target) else { continue };
            for (block, covered) in covered.into_iter().enumerate() {
                if covered.problem.gates.len() <= LARGEST {
                    found.push(Met {
                        place: format!("{name}/{node}/{slicing}/{}/{block}", target.name),
                        covered,
                    });
                }
            }
        }
    }
    found
}

/// The problem as the exact solver takes it.
pub fn gates(problem: &Problem) -> Vec<choice::Gate> {
    let way = |way: &Way| choice::Way { needs: way.needs.clone(), cost: way.cost };
    let gate =
        |gate: &Gate| choice::Gate { ways: gate.ways.iter().map(way).collect(), is_root: gate.is_root };
    problem.gates.iter().map(gate).collect()
}

/// The line of the table for a problem.
///
/// # Panics
/// If it is malformed, which the compiler's own problems are not.
pub fn solve(met: &Met) -> Solved {
    let Covered { problem, searched, .. } = &met.covered;
    let (at_least, at_most, ways) = match choice::cheapest(&gates(problem), CONFLICTS) {
        Cheapest::Least { cost, ways } => (cost, cost, ways),
        Cheapest::Open { at_least, at_most, ways } => (at_least, at_most, ways),
        Cheapest::Malformed { gate } => panic!("{}: gate {gate} has no ways", met.place),
    };
    let [at_least, at_most] = [at_least, at_most].map(|cost| u32::try_from(cost).expect("a cost"));
    let is_cheaper = at_most < *searched;
    Solved {
        digest: problem.digest(),
        gates: problem.gates.len(),
        at_least,
        at_most: at_most.min(*searched),
        ways: is_cheaper.then_some(ways),
        place: met.place.clone(),
    }
}

/// Holds a line of the table to the problem that it is about, and to what the compiler reaches. If `proves`, the solver is
/// asked again.
///
/// # Errors
/// What is wrong with it.
pub fn check(line: &Solved, met: &Met, proves: bool) -> Result<(), String> {
    let Covered { problem, searched, cost } = &met.covered;
    if (line.digest, line.gates) != (problem.digest(), problem.gates.len()) {
        return Err("it is about another problem".into());
    }
    if line.at_least > line.at_most {
        return Err(format!("the bounds are {} and {}", line.at_least, line.at_most));
    }
    if line.at_most != *cost {
        return Err(format!("the compiler reaches {cost}, not {}", line.at_most));
    }
    match &line.ways {
        None if cost != searched => {
            return Err("the line has no cover, and the compiler has one of it".into());
        }
        Some(ways) => match problem.cost(ways) {
            Err(flaw) => return Err(format!("its cover is none: {flaw:?}")),
            Ok(cost) if cost != line.at_most => return Err(format!("its cover costs {cost}")),
            Ok(cost) if cost >= *searched => return Err(format!("the search finds {searched} itself")),
            Ok(_) => {}
        },
        None => {}
    }
    if proves {
        let again = solve(met);
        if (again.at_least, again.at_most) != (line.at_least, line.at_most) {
            return Err(format!("the solver proves {} and finds {}", again.at_least, again.at_most));
        }
    }
    Ok(())
}
