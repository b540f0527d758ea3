//! Passes on random programs: what comes out passes the checker and means the same.

use std::ops::ControlFlow;
use usuba_ir::check::check;
use usuba_ir::interpret::{Interpreter, join, part};
use usuba_ir::program::Program;
use usuba_ir::random::{self, Atoms, Random};
use usuba_opt::pass::{Observer, Pass, Settings};
use usuba_opt::passes::{PASSES, optimise};

/// How many random programs each test runs.
const PROGRAMS: u64 = 500;

fn atoms(seed: u64) -> Atoms {
    match seed % 6 {
        0 | 2 => Atoms::Bits,
        1 | 3 => Atoms::Mixed,
        4 => Atoms::Blocks,
        _ => Atoms::Bytes,
    }
}

fn assert_same(before: &Program, after: &Program, what: &str, seed: u64) {
    let told = || format!("{what}, seed {seed}\n{before}\nbecame\n{after}");
    assert_eq!(check(after).err(), None, "{}", told());
    let (mut one, mut other) = (Interpreter::new(before), Interpreter::new(after));
    let mut random = Random::new(seed);
    for _ in 0..4 {
        if before.interleave == after.interleave {
            let inputs = random::inputs(&mut random, before, false);
            assert_eq!(one.run(&inputs), other.run(&inputs), "{}", told());
            continue;
        }
        let mut batches: Vec<_> =
            (0..after.interleave).map(|_| random::inputs(&mut random, before, false)).collect();
        for number in (0..before.entry().inputs.len()).filter(|&number| before.entry().inputs[number].uniform)
        {
            for batch in 1..batches.len() {
                batches[batch][number] = batches[0][number].clone();
            }
        }
        let alone: Vec<_> = batches.iter().map(|inputs| one.run(inputs)).collect();
        let together = part(after, &other.run(&join(after, &batches)));
        assert_eq!(alone, together, "{}", told());
    }
    for node in after.nodes.iter().filter(|node| node.attributes.no_opt) {
        let same = before.nodes.iter().find(|other| other.name == node.name);
        let same = same.map(|other| other.values.len());
        assert_eq!(same, Some(node.values.len()), "{} was changed: {}", node.name, told());
    }
}

fn settings(seed: u64) -> Settings {
    let inline_limit = if seed.is_multiple_of(3) { 10 } else { Settings::default().inline_limit };
    Settings {
        inline_all: seed.is_multiple_of(5),
        no_inline: seed.is_multiple_of(7),
        inline_limit,
        interleave: (!seed.is_multiple_of(4)).then_some(1 + (seed / 2 % 3) as u32),
        granularity: (!seed.is_multiple_of(3)).then_some(1 + (seed % 11) as u32),
        carried_atoms: 1 + (seed % 4) as usize,
        ..Settings::default()
    }
}

#[test]
fn each_pass_keeps_the_meaning() {
    for pass in PASSES {
        for seed in 0..PROGRAMS {
            let before = random::program(seed, atoms(seed));
            let mut after = before.clone();
            (pass.run)(&mut after, &settings(seed));
            assert_same(&before, &after, pass.name, seed);
        }
    }
}

/// Each pass as it is met in the list, twice, so that all meet what the others leave.
#[test]
fn the_list_keeps_the_meaning() {
    struct Check {
        before: Program,
        seed: u64,
    }
    impl Observer for Check {
        fn before(&mut self, _: &Pass, program: &Program) {
            self.before = program.clone();
        }
        fn after(&mut self, pass: &Pass, program: &Program) -> ControlFlow<()> {
            assert_same(&self.before, program, pass.name, self.seed);
            ControlFlow::Continue(())
        }
    }
    let (mut operations, mut left) = (0, 0);
    for seed in 0..PROGRAMS {
        let mut program = random::program(seed, atoms(seed));
        operations += program.nodes.iter().map(|node| node.body.size()).sum::<usize>();
        let mut observer = Check { before: program.clone(), seed };
        optimise(&mut program, &settings(seed), &mut observer);
        optimise(&mut program, &settings(seed), &mut observer);
        left += program.nodes.iter().map(|node| node.body.size()).sum::<usize>();
    }
    assert!(left < operations / 2, "{left} of {operations} operations are left");
}

/// Running a pass twice in a row changes nothing more, but for what one pass leaves to another.
#[test]
fn dead_and_fold_and_share_are_done_at_once() {
    for pass in PASSES.iter().filter(|pass| ["dead", "fold", "share"].contains(&pass.name)) {
        for seed in 0..PROGRAMS {
            let mut once = random::program(seed, atoms(seed));
            (pass.run)(&mut once, &Settings::default());
            let mut twice = once.clone();
            (pass.run)(&mut twice, &Settings::default());
            assert_eq!(once, twice, "{}, seed {seed}\n{once}\nbecame\n{twice}", pass.name);
        }
    }
}
