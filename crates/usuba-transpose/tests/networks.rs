//! Every format and layout of the runtime's transpositions has programs that move each bit where it belongs, or is one of the
//! few whose bits are no bijection of address bits.

mod cases;

use usuba_machine::Program;
use usuba_machine::program::{Block, Step};
use usuba_target::Meaning;
use usuba_transpose::check::{self, Mistake};
use usuba_transpose::moves::Machine;
use usuba_transpose::{Arrangement, Image, Plan, PlanError, Transfer};

/// Cases that are left to functions that go word by word: words of 24 and 48 bits, lanes wider than words, a byte shared by words,
/// unused bits, 10 bytes, and fewer blocks than a register of the machine has bits for.
fn is_plain(arrangement: &Arrangement, machine: &Machine) -> bool {
    let format = arrangement.format;
    let lane = match arrangement.image {
        Image::V { lane } | Image::Packed { lane } => 8 * lane == format.width,
        _ => true,
    };
    let whole = (format.width * format.words).is_multiple_of(64);
    let bits = 8 * format.bytes().min(1 << format.bytes().trailing_zeros()) * arrangement.instances();
    lane && whole && format.width.is_power_of_two() && bits >= 8 * machine.register()
}

/// Makes the plans of a target for registers of its size, and of 8 bytes where it has vectors of 16.
fn check(name: &str, big_endian: bool) {
    let target = usuba_target::by_name(name).expect("a target");
    let machine = Machine { target, big_endian };
    let (mut made, mut missing) = (0, Vec::new());
    for arrangement in cases::cases(big_endian) {
        let own = arrangement.register == machine.register();
        let narrow = arrangement.register == 8 && arrangement.image == Image::B && machine.register() == 16;
        if !own && !narrow {
            continue;
        }
        // `Plan::of` runs the programs on the numbers of bits: what it returns is right.
        match Plan::of(arrangement, machine) {
            Ok(_) => made += 1,
            Err(PlanError::Shape) if !is_plain(&arrangement, &machine) => {}
            Err(error) => {
                missing.push(format!("{:?} {:?}: {error:?}", arrangement.image, arrangement.format))
            }
        }
    }
    assert!(missing.is_empty(), "{name}, big-endian {big_endian}: {missing:#?}");
    assert!(made > 8, "{name}: {made}");
}

#[test]
fn registers_of_16_bytes() {
    for name in ["sse2", "ssse3", "avx512-128", "neon", "altivec"] {
        check(name, false);
    }
    check("altivec", true);
}

#[test]
fn registers_of_32_bytes() {
    for name in ["avx2", "avx2-gfni"] {
        check(name, false);
    }
}

#[test]
fn registers_of_64_bytes() {
    for name in ["avx512", "avx512-gfni"] {
        check(name, false);
    }
}

/// The check finds a program that is wrong in one instruction, in each of the three functions.
#[test]
fn a_wrong_program_is_found() {
    let machine = Machine { target: usuba_target::by_name("avx2").expect("a target"), big_endian: false };
    let arrangement = cases::cases(false)
        .into_iter()
        .find(|one| one.register == 32 && matches!(one.image, Image::H { .. }))
        .expect("a case");
    let plan = Plan::of(arrangement, machine).expect("a plan");
    let columns = usuba_transpose::arrangement::columns(&arrangement, 64);
    let verdict = |program: Program, transfer| {
        let program = usuba_machine::check(program).expect("a sound program");
        check::check(&program, &arrangement, &columns, &machine, transfer)
    };
    for transfer in Transfer::ALL {
        let right = plan.program(transfer).clone().into_program();
        assert_eq!(verdict(right.clone(), transfer), Ok(()));
        let mut wrong = right.clone();
        let shift = first(&mut wrong.functions[0].body, &|step| match step {
            Step::Compute { row, immediate: Some(by), .. } if row.meaning == Meaning::ShiftRight => Some(by),
            _ => None,
        });
        *shift.expect("a shift") = 3;
        assert!(matches!(verdict(wrong, transfer), Err(Mistake::Bit { .. })), "{transfer:?}");
        let mut wrong = right;
        let address = first(&mut wrong.functions[0].body, &|step| match step {
            Step::Store { address, .. } => Some(address),
            Step::Scatter { addresses, .. } => addresses.first_mut(),
            _ => None,
        });
        address.expect("a store").index.constant += 1;
        assert!(verdict_of_unchecked(wrong, &verdict, transfer), "{transfer:?}");
    }
}

/// Whether a program is refused, by the checker of machine programs or by its bits.
fn verdict_of_unchecked(
    program: Program,
    verdict: &dyn Fn(Program, Transfer) -> Result<(), Mistake>,
    transfer: Transfer,
) -> bool {
    usuba_machine::check(program.clone()).is_err() || verdict(program, transfer).is_err()
}

/// The first thing of its kind in the steps of a block and of the loops in it.
fn first<'a, T>(block: &'a mut Block, find: &dyn Fn(&'a mut Step) -> Option<&'a mut T>) -> Option<&'a mut T> {
    for step in &mut block.steps {
        let found = match step {
            Step::Loop(looped) => first(&mut looped.body, find),
            step => find(step),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Nothing that a program does not write depends on data, and data is added: programs that leave something out are found.
#[test]
fn the_check_knows_what_a_function_is_for() {
    let machine = Machine { target: usuba_target::by_name("ssse3").expect("a target"), big_endian: false };
    let arrangement = cases::cases(false).into_iter().find(|one| one.register == 16).expect("a case");
    let plan = Plan::of(arrangement, machine).expect("a plan");
    let columns = usuba_transpose::arrangement::columns(&arrangement, 64);
    let verdict = |program: &usuba_machine::Checked, columns: &[_], transfer| {
        check::check(program, &arrangement, columns, &machine, transfer)
    };
    assert_eq!(verdict(plan.program(Transfer::Pack), &columns, Transfer::Pack), Ok(()));
    assert!(matches!(verdict(plan.program(Transfer::Pack), &[], Transfer::Pack), Err(Mistake::Stray { .. })));
    assert!(matches!(
        verdict(plan.program(Transfer::Unpack), &columns, Transfer::UnpackAdd),
        Err(Mistake::Fault(_))
    ));
}
