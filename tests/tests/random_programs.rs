//! Random programs mean the same in every way to run them.
//!
//! A program of a seed goes through the reference interpreter (on words and on bits), the lowering, the interpreter of
//! Usuba0, its text form and the passes, then, for two machines that change from seed to seed, through selection and every pass on
//! machine programs, each interpreted on registers in which neighbouring instances have different inputs. One program in
//! five goes through C as well: compiled by gcc and by clang, without and with optimisation, for three machines. What that adds
//! is the printer, the C of the rows and the compilers; a program by itself (`USUBA_PROGRAMS=1`) goes every way.
//!
//! - `USUBA_SEED=n`: begin with seed n (default 0).
//! - `USUBA_PROGRAMS=n`: that many seeds (default below). A long run: `USUBA_SEED=1000000 USUBA_PROGRAMS=100000`.
//! - `USUBA_TARGETS=a,b`: other machines, such as `neon`, if a cross compiler and an emulator are installed; none if empty.
//!
//! A program that fails is made smaller and printed with both answers. `USUBA_SEED=n USUBA_PROGRAMS=1` repeats it.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use usuba_ir::layout::Slicing;
use usuba_target::Target;
use usuba_tests::random::comparison::{Agreed, Case, Failure, agree, in_mode};
use usuba_tests::random::kernels::{self, Way};
use usuba_tests::random::passes;
use usuba_tests::random::program::{Profile, generate};
use usuba_tests::random::shrink::shrink;
use usuba_trial::run::{Compiler, Family};

/// How many programs are run by default.
const PROGRAMS: u64 = 360;

/// How many programs are held in memory at once.
const PORTION: u64 = 3000;

/// One program in so many goes through C.
const THROUGH_C: u64 = 5;

/// How many programs share a C file.
const BATCH: usize = 42;

/// How many failures are made small and printed.
const TOLD: usize = 5;

/// A machine and its compilers.
type Machine = (&'static Target, Vec<(Family, Compiler)>);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The machines to run on, and for each the compilers; what is missing is said.
fn machines() -> Vec<Machine> {
    let names = std::env::var("USUBA_TARGETS").unwrap_or_else(|_| "gp64,avx2,avx512".into());
    let mut machines = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        let Some(target) = usuba_target::machines::by_name(name) else {
            panic!("USUBA_TARGETS: there is no target `{name}`");
        };
        let mut compilers = Vec::new();
        for family in [Family::Gcc, Family::Clang] {
            match Compiler::find(target, family) {
                Ok(compiler) => compilers.push((family, compiler)),
                Err(error) => println!("SKIPPED: {family:?} for {name}: {error}"),
            }
        }
        machines.push((target, compilers));
    }
    machines
}

/// Ways for a slicing, in an order in which neighbours differ in machine, compiler and level.
fn ways(slicing: Slicing, machines: &[Machine]) -> Vec<(Way, Compiler)> {
    let mut ways = Vec::new();
    for turn in 0..4 {
        for (place, (target, compilers)) in machines.iter().enumerate() {
            let wanted = [Family::Gcc, Family::Clang][(turn + place) % 2];
            let level = ["-O3", "-O0"][(turn / 2 + place) % 2];
            if let Some((family, compiler)) = compilers.iter().find(|(family, _)| *family == wanted) {
                ways.push((Way { slicing, target, family: *family, level }, compiler.clone()));
            }
        }
    }
    ways
}

#[test]
fn random_programs_mean_the_same_everywhere() {
    let (start, count) = (number("USUBA_SEED", 0), number("USUBA_PROGRAMS", PROGRAMS));
    println!("seeds {start} to {} (USUBA_SEED, USUBA_PROGRAMS)", start + count - 1);
    std::panic::set_hook(Box::new(|_| {}));
    let begun = Instant::now();
    let machines = machines();
    let mut failures: Vec<(u64, Failure, Option<Way>)> = Vec::new();
    let end = start + count;
    for from in (start..end).step_by(PORTION as usize) {
        let seeds = from..end.min(from + PORTION);
        failures.extend(portion(seeds.clone(), &machines));
        println!("seeds {seeds:?}: {} failures so far, {:.1?}", failures.len(), begun.elapsed());
    }
    failures.sort_by_key(|(seed, ..)| *seed);
    for (seed, failure, way) in failures.iter().take(TOLD) {
        println!("{}", told(*seed, failure, *way, &machines));
    }
    for (seed, failure, _) in failures.iter().skip(TOLD) {
        println!("seed {seed}: {}: {}", failure.stage, failure.message.lines().next().unwrap_or(""));
    }
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{} of {count} programs differ; see above", failures.len());
}

/// The failures of some seeds, first those up to Usuba0, then those in C.
fn portion(seeds: Range<u64>, machines: &[Machine]) -> Vec<(u64, Failure, Option<Way>)> {
    let lone = seeds.end - seeds.start == 1;
    let mut failures = Vec::new();
    let mut agreed: Vec<(u64, Agreed)> = Vec::new();
    for seed in seeds {
        let one = agree(&Case::of(&generate(seed, Profile::of(seed))));
        let one = one.and_then(|one| machine_programs(seed, &one, lone).map(|()| one));
        match one {
            Ok(one) if lone || seed.is_multiple_of(THROUGH_C) => agreed.push((seed, one)),
            Ok(_) => {}
            Err(failure) => failures.push((seed, failure, None)),
        }
    }
    let mut jobs = Vec::new();
    for slicing in [Slicing::B, Slicing::V, Slicing::H] {
        let ways = ways(slicing, machines);
        if ways.is_empty() {
            println!("SKIPPED: C for slicing {slicing}");
            continue;
        }
        let admitting: Vec<(u64, &Agreed)> = agreed
            .iter()
            .filter(|(_, one)| one.programs.iter().any(|(s, _)| *s == slicing))
            .map(|(seed, one)| (*seed, one))
            .collect();
        for (turn, batch) in admitting.chunks(BATCH).enumerate() {
            // A lone program goes every way; others as many as time allows. Bits make the most code.
            let each = match slicing {
                _ if lone => ways.len(),
                Slicing::B => 1,
                Slicing::V | Slicing::H | Slicing::Packed(_) => 2,
            };
            let chosen = (0..each.min(ways.len())).map(|n| ways[(turn * each + n) % ways.len()].clone());
            jobs.extend(chosen.map(|way| (batch.to_vec(), way)));
        }
    }
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((batch, (way, compiler))) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let clock = Instant::now();
                    let result = run_apart(batch, *way, compiler);
                    println!("{way}: {} programs, {:.1?}", batch.len(), clock.elapsed());
                    if let Ok(mut found) = found.lock() {
                        let result = result.into_iter();
                        found.extend(result.map(|(number, failure)| (batch[number].0, failure, Some(*way))));
                    }
                }
            });
        }
    });
    failures.extend(found.into_inner().unwrap_or_default());
    failures
}

/// Puts the machine programs of a seed, for two targets or for all, to the test after every pass.
fn machine_programs(seed: u64, one: &Agreed, every: bool) -> Result<(), Failure> {
    let targets = usuba_target::all();
    let turn = 2 * seed as usize % targets.len();
    let chosen = targets.iter().cycle().skip(turn).take(if every { targets.len() } else { 2 });
    for target in chosen {
        passes::examined(seed, one, target)?;
    }
    Ok(())
}

/// Nothing of the language is lost from the generator unnoticed.
#[test]
fn random_programs_use_the_whole_language() {
    use usuba_ir::program::Op;
    let seeds = 0..1500;
    let all: String = seeds.clone().map(|seed| generate(seed, Profile::of(seed)).text).collect();
    for construct in [
        "table ",
        "table[] ",
        "perm ",
        "perm[] ",
        "node ",
        "node[] ",
        "_lsb ",
        "_msb ",
        "_inline ",
        "_no_inline ",
        "_no_opt ",
        "_interleave(2) ",
        "_unroll ",
        "_no_unroll ",
        "_pipelined ",
        "const ",
        ": nat",
        "vars ",
        "v4",
        "u'm[",
        "b4",
        "<'D>",
        "x2[3]",
        "u16",
        "u3",
        "forall i",
        "forall j",
        "in [0, 26]",
        "in [3, 0]",
        "[i + 1] =",
        "[i - 3]",
        " % ",
        "..i",
        "(i / 2)",
        "Shuffle(",
        "]{",
        "Bitmask(",
        "Pack(",
        "refresh(",
        " <<< ",
        " >>> ",
        " << ",
        " >> ",
        " >>! ",
        " + ",
        " - ",
        " * ",
        " & ",
        " | ",
        " ^ ",
        "~",
        "!",
        " := ",
        " ^:= ",
        " +:= ",
        " &= ",
        ">(",
        "0x",
        ":u8",
        ":b",
        "y0'",
    ] {
        assert!(all.contains(construct), "no program has `{construct}`");
    }
    // Loops are kept, with arrays that they carry, and calls are left.
    let (mut loops, mut sets, mut calls) = (0, 0, 0);
    for seed in 0..300 {
        let Ok(one) = agree(&Case::of(&generate(seed, Profile::of(seed)))) else { continue };
        for (_, program) in &one.programs {
            let text = program.to_string();
            loops += usize::from(text.contains("= loop "));
            sets += usize::from(text.contains("= set "));
            let called = |node: &usuba_ir::program::Node| {
                node.body.operations.iter().any(|operation| matches!(operation.op, Op::Call(..)))
            };
            calls += usize::from(program.nodes.iter().any(called));
        }
    }
    assert!(
        loops > 60 && sets > 30 && calls > 60,
        "{loops} programs with loops, {sets} with carried arrays, {calls} with calls"
    );
}

/// The comparison in C notices every kind of difference: programs that are not what they claim to be are found.
#[test]
fn a_wrong_program_is_found_in_c() {
    use usuba_ir::program::{BinaryOp, Op};
    let machines = machines();
    let mut tried = 0;
    for slicing in [Slicing::B, Slicing::V, Slicing::H] {
        let Some((way, compiler)) = ways(slicing, &machines).into_iter().find(|(way, _)| way.level == "-O0")
        else {
            continue;
        };
        let mut right: Vec<(u64, Agreed)> = Vec::new();
        let mut wrong: Vec<(u64, Agreed)> = Vec::new();
        let profile = match slicing {
            Slicing::B => Profile::B,
            Slicing::V | Slicing::Packed(_) => Profile::V,
            Slicing::H => Profile::H(8),
        };
        for seed in 0..60 {
            let case = Case { slicings: vec![slicing], ..Case::of(&generate(seed, profile)) };
            let Ok(one) = agree(&case) else { continue };
            let mut other = one.clone();
            let first = other.programs.first_mut().filter(|(_, program)| program.interleave == 1);
            let Some((_, program)) = first else { continue };
            // The last exclusive or of the entry becomes something else, if that shows in the interpreter of Usuba0.
            let Some(entry) = program.nodes.last_mut() else { continue };
            let last = entry.body.operations.iter_mut().rev().find_map(|operation| match &mut operation.op {
                Op::Binary(op @ BinaryOp::Xor, ..) => Some(op),
                _ => None,
            });
            let Some(op) = last else { continue };
            *op = BinaryOp::Or;
            let mut interpreter = usuba_ir::interpret::Interpreter::new(program);
            let bits = slicing == Slicing::B;
            let shows = one.arguments.iter().zip(&one.results).any(|(arguments, results)| {
                let arguments = in_mode(&one.inputs, arguments, bits);
                interpreter.run(&arguments) != in_mode(&one.outputs, results, bits)
            });
            if shows {
                right.push((seed, one));
                wrong.push((seed, other));
            }
        }
        assert!(wrong.len() > 5, "{} programs for {slicing}", wrong.len());
        let right: Vec<(u64, &Agreed)> = right.iter().map(|(seed, one)| (*seed, one)).collect();
        let wrong: Vec<(u64, &Agreed)> = wrong.iter().map(|(seed, one)| (*seed, one)).collect();
        assert_eq!(kernels::run(&right, way, &compiler), Ok(vec![]), "{way}");
        let found = kernels::run(&wrong, way, &compiler).map(|found| found.len());
        assert_eq!(found, Ok(wrong.len()), "{way}: all are wrong");
        tried += 1;
    }
    assert!(tried > 0, "no compiler at all: nothing was compared");
}

/// Runs a batch; if the file does not compile, its halves, down to the programs that are to blame.
fn run_apart(batch: &[(u64, &Agreed)], way: Way, compiler: &Compiler) -> Vec<(usize, Failure)> {
    match kernels::run(batch, way, compiler) {
        Ok(failures) => failures,
        Err(message) if batch.len() == 1 => {
            vec![(0, Failure::new(format!("C for {}", way.target.name), message))]
        }
        Err(_) => {
            let (left, right) = batch.split_at(batch.len() / 2);
            let mut failures = run_apart(left, way, compiler);
            let right = run_apart(right, way, compiler);
            failures.extend(right.into_iter().map(|(number, failure)| (left.len() + number, failure)));
            failures
        }
    }
}

/// The failure of a case, if it has one, the given way included.
fn failure(case: &Case, way: Option<(Way, &Compiler)>) -> Option<Failure> {
    match (agree(case), way) {
        (Err(failure), _) => Some(failure),
        (Ok(one), None) => machine_programs(case.seed, &one, true).err(),
        (Ok(one), Some((way, compiler))) => {
            run_apart(&[(case.seed, &one)], way, compiler).into_iter().next().map(|(_, failure)| failure)
        }
    }
}

/// The shrunk program and its answers.
fn told(seed: u64, failure: &Failure, way: Option<Way>, machines: &[Machine]) -> String {
    let generated = generate(seed, Profile::of(seed));
    let mut case = Case::of(&generated);
    let compiler = way.and_then(|way| {
        let (_, compilers) = machines.iter().find(|(target, _)| target.name == way.target.name)?;
        let (_, compiler) = compilers.iter().find(|(family, _)| *family == way.family)?;
        Some((way, compiler))
    });
    if let Some(way) = way {
        case.slicings = vec![way.slicing];
    }
    let text = shrink(&generated.text, Duration::from_secs(30), |text| {
        let smaller = Case { text: text.to_string(), ..case.clone() };
        self::failure(&smaller, compiler).is_some_and(|found| found.stage == failure.stage)
    });
    let small = Case { text: text.clone(), ..case };
    let message =
        self::failure(&small, compiler).map_or_else(|| failure.message.clone(), |found| found.message);
    let message: String = message.lines().take(40).map(|line| format!("{line}\n")).collect();
    let inputs = agree(&small).map(|one| format!("inputs: {:x?}\n", one.arguments)).unwrap_or_default();
    format!("---- seed {seed}, {}\n{text}\n{message}{inputs}", failure.stage)
}
