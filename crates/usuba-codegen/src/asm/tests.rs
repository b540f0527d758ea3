//! The allocation and its checker, on random code: the code is also run on random numbers, beside what it was made from.

mod random_code;
mod simulate;

use super::allocate::{Plan, allocate};
use super::check::check;
use super::convention::SYSTEM_V;
use super::linear::Linear;
use super::machine::{Code, Gpr, Limit, Line, Source, Vector, VectorLine};
use super::{Machine, address};
use random_code::random_code;
use simulate::{Call, run_code, run_linear};
use usuba_ir::random::Random;
use usuba_target::Target;
use usuba_target::machines::{AVX2, AVX512, AVX512_256, GP64, GP64_BMI, SSE2};

/// The target of a seed, with uniform elements of so many bits.
fn machine(seed: u64) -> (&'static Target, Machine) {
    const MACHINES: [(&Target, u32, u32); 7] = [
        (&SSE2, 128, 64),
        (&AVX2, 256, 32),
        (&AVX512, 512, 64),
        (&AVX512_256, 256, 16),
        (&GP64, 64, 64),
        (&GP64_BMI, 64, 64),
        (&GP64_BMI, 32, 32),
    ];
    let (target, bits, uniform) = MACHINES[(seed % 7) as usize];
    (target, Machine::of(target, bits, uniform).expect("registers of x86"))
}

/// What functions are called with: a loop may run no times, and strings may be one.
const CALLS: [Call; 3] = [
    Call { count: 0, in_place: false },
    Call { count: 1, in_place: true },
    Call { count: 3, in_place: false },
];

/// The code, and the machine with its registers divided; nothing if it has more loops and distances than registers to count them in.
fn compile(linear: &Linear, machine: Machine) -> Option<(Code, Machine)> {
    machine.divisions(linear).find_map(|machine| {
        let allocated = allocate(linear, machine, &Plan::USUAL);
        let allocated = allocated.unwrap_or_else(|why| panic!("{why}: {:#?}", linear.items));
        match address::address(linear, allocated, machine, &SYSTEM_V) {
            Ok(code) => Some((code, machine)),
            Err(why) => {
                assert_eq!(why, address::FEW_REGISTERS);
                None
            }
        }
    })
}

/// Compiles, checks and runs so many random functions.
fn compile_many(first: u64, count: u64) {
    let mut refused = 0;
    for seed in first..first + count {
        let (target, machine) = machine(seed);
        let linear = random_code(seed, target, machine);
        let Some((code, machine)) = compile(&linear, machine) else {
            refused += 1;
            continue;
        };
        if let Err(fault) = check(&linear, &code, machine, &SYSTEM_V) {
            panic!("seed {seed}: {fault}");
        }
        for call in CALLS {
            let wanted = run_linear(&linear, machine, call);
            assert_eq!(
                run_code(&linear, &code, machine, call).as_ref(),
                Some(&wanted),
                "seed {seed}, {call:?}"
            );
        }
    }
    // Strings, views and copies of bytes leave few general-purpose registers for values.
    assert!(refused * 4 < count, "{refused} of {count} were refused");
}

#[test]
fn random_code_is_allocated_right() {
    compile_many(0, 1500);
}

/// A hundred thousand functions, in parts that the test runner does side by side: `make test-long`, or
/// `cargo test --release -p usuba-codegen --lib -- --ignored hundred_thousand`. A minute of one core in all with
/// optimisation, ten times that without.
mod hundred_thousand {
    macro_rules! parts {
        ($($name:ident $number:literal),*) => {
            $(#[test]
            #[ignore = "long"]
            fn $name() {
                super::compile_many($number * 12_500, 12_500);
            })*
        };
    }

    parts!(first 0, second 1, third 2, fourth 3, fifth 4, sixth 5, seventh 6, eighth 7);
}

/// Damages one line; `None` if the damage does not apply there.
fn mutant(code: &Code, random: &mut Random) -> Option<Code> {
    let mut code = code.clone();
    let at = random.below(code.lines.len() as u32) as usize;
    let other = Vector(random.below(8) as u8);
    match random.below(8) {
        0 => {
            code.lines.remove(at);
        }
        1 if at + 1 < code.lines.len() => code.lines.swap(at, at + 1),
        2 => {
            let line = code.lines[at].clone();
            code.lines.insert(at, line);
        }
        _ => match &mut code.lines[at] {
            Line::Vector(line) => match (line, random.below(4)) {
                (VectorLine::Compute { to, .. }, 0) => *to = other,
                (VectorLine::Compute { sources, .. }, 1) => sources.reverse(),
                (VectorLine::Compute { immediate: Some(immediate), .. }, 2) => *immediate ^= 1,
                (VectorLine::Compute { sources, .. }, _) => match sources.last_mut()? {
                    Source::Register(register) => *register = other,
                    Source::Memory(memory) | Source::Repeated(memory, _) => memory.displacement += 32,
                },
                (VectorLine::Copy { to, .. }, 0 | 1) => *to = other,
                (VectorLine::Copy { from, .. }, _) => *from = other,
                (VectorLine::Splat { ones, .. }, _) => *ones ^= true,
                (VectorLine::Load { to, .. }, 0) => *to = other,
                (VectorLine::Load { memory, .. }, 1) => memory.index = None,
                (VectorLine::Load { memory, .. }, _) => memory.displacement -= 16,
                (VectorLine::LoadPart { to, .. }, 0 | 1) => *to = other,
                (VectorLine::Store { from, .. } | VectorLine::StorePart { from, .. }, 0 | 1) => *from = other,
                (
                    VectorLine::LoadPart { memory, .. }
                    | VectorLine::Store { memory, .. }
                    | VectorLine::StorePart { memory, .. },
                    _,
                ) => memory.displacement += 64,
            },
            Line::Push(register) | Line::Pop(register) | Line::Zero(register) => *register = Gpr::RBX,
            Line::Add { amount, .. } => *amount += 64,
            Line::Branch { limit: Limit::Number(limit), .. } => *limit += 1,
            Line::Branch { limit: Limit::Count(count), .. } | Line::Skip { count, .. } => *count = Gpr::RBX,
            Line::Count { to, sources, .. } => match sources.first_mut() {
                Some(source) if random.once_in(2) => *source = Gpr(10),
                _ => *to = Gpr(11),
            },
            Line::Mask(count) => *count = Gpr(10),
            Line::CopyPart { to, from, .. } => std::mem::swap(to, from),
            Line::Align(bytes) | Line::Reserve(bytes) | Line::Release(bytes) => *bytes = 8,
            Line::Address { memory, .. } | Line::Fetch { memory, .. } => memory.displacement += 8,
            Line::Move { from, .. } => *from = Gpr::RDX,
            Line::LandingPad | Line::Label(_) | Line::ClearUpper | Line::Return => return None,
        },
    }
    Some(code)
}

/// Whatever the checker accepts computes what it should: a mutant that computes something else must be refused.
#[test]
fn mutants_of_the_allocation_are_refused() {
    let (mut wrong, mut refused, mut harmless) = (0, 0, 0);
    for seed in 0..150 {
        let (target, machine) = machine(seed);
        let linear = random_code(seed, target, machine);
        let Some((code, machine)) = compile(&linear, machine) else { continue };
        let wanted = CALLS.map(|call| run_linear(&linear, machine, call));
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let Some(mutant) = mutant(&code, &mut random) else { continue };
            let accepted = check(&linear, &mutant, machine, &SYSTEM_V);
            let right = CALLS
                .iter()
                .zip(&wanted)
                .all(|(&call, wanted)| run_code(&linear, &mutant, machine, call).as_ref() == Some(wanted));
            match (&accepted, right) {
                (Ok(()), true) => harmless += 1,
                (Err(_), true) => refused += 1,
                (Err(_), false) => wrong += 1,
                (Ok(()), false) => panic!("seed {seed}: accepted\n{:#?}\n{:#?}", linear.items, mutant.lines),
            }
        }
    }
    println!("{wrong} wrong mutants, all refused; {refused} more refused; {harmless} harmless ones accepted");
    assert!(wrong > 400, "{wrong} mutants were wrong");
}
