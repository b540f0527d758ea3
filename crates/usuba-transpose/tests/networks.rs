//! Every format and layout of the runtime's transpositions has programs that move each bit where it belongs, or is one of the
//! few whose bits are no bijection of address bits.

mod cases;

use usuba_transpose::moves::Machine;
use usuba_transpose::network::{Operation, Region, Statement};
use usuba_transpose::{Arrangement, Image, Plan, PlanError, execute};

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
fn general_purpose_registers() {
    check("gp64", false);
    check("gp64", true);
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

/// The check finds a program that is wrong in one instruction.
#[test]
fn a_wrong_program_is_found() {
    let machine = Machine { target: usuba_target::by_name("avx2").expect("a target"), big_endian: false };
    let arrangement = cases::cases(false)
        .into_iter()
        .find(|one| one.register == 32 && matches!(one.image, Image::H { .. }))
        .expect("a case");
    let plan = Plan::of(arrangement, machine).expect("a plan");
    let column = usuba_transpose::arrangement::columns(&arrangement, 64).remove(0);
    let (from, to) = ((&column.blocks, Region::Blocks), (&column.image, Region::Image));
    assert_eq!(execute::check(&plan.pack, &machine, from, to), Ok(()));
    let mut wrong = plan.pack.clone();
    let shift = wrong.iter_mut().flat_map(|phase| &mut phase.body).find_map(|statement| match statement {
        Statement::Apply(_, operation @ Operation::Right(_), _) => Some(operation),
        _ => None,
    });
    *shift.expect("a shift") = Operation::Right(3);
    assert!(execute::check(&wrong, &machine, from, to).is_err());
}
