//! Random programs of shuffles, masks and sums, in process after every pass and in C: what only moves bytes is made of fewer
//! instructions.

mod harness;

use harness::passes::check_passes;
use harness::{case, compare, compilers, is_admitted};
use std::fmt::Write;
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_target::all;

/// Random shuffles, masks and sums of H-sliced atoms of 16 bits. Half of the moves are by whole words of four elements, and half
/// of the sums have parts that do not meet.
fn program(random: &mut Random) -> Program {
    let mut body = String::new();
    let mut next = 3;
    let define = |body: &mut String, next: &mut u32, operation: String| {
        let _ = writeln!(body, "  %{next}: h16 = {operation}");
        *next += 1;
        *next - 1
    };
    for _ in 0..8 {
        let [a, b] = [0; 2].map(|_| random.below(next));
        let unit = *random.choose(&[1, 4]);
        let kept: Vec<bool> = (0..16 / unit).map(|_| random.once_in(2)).collect();
        let kept = |place: u32| kept[(place / unit) as usize];
        let sources: Vec<u32> = (0..16 / unit).map(|_| random.below(16 / unit)).collect();
        let shuffle = |of: u32, wanted: bool| {
            let from = |place: u32| match kept(place) == wanted {
                true => (sources[(place / unit) as usize] * unit + place % unit).to_string(),
                false => "_".into(),
            };
            format!("shuffle %{of}, [{}]", (0..16).map(from).collect::<Vec<_>>().join(", "))
        };
        let mask = (0..16).filter(|&place| kept(place)).fold(0u32, |mask, place| mask | 0x8000 >> place);
        match random.below(4) {
            0 => _ = define(&mut body, &mut next, shuffle(a, true)),
            1 => _ = define(&mut body, &mut next, format!("xor %{a}, %{b}")),
            _ => {
                let mask = define(&mut body, &mut next, format!("constant {mask:#x}"));
                let first = define(&mut body, &mut next, format!("and %{a}, %{mask}"));
                let second = define(&mut body, &mut next, shuffle(b, false));
                let sum = *random.choose(&["xor", "or"]);
                define(&mut body, &mut next, format!("{sum} %{first}, %{second}"));
            }
        }
    }
    let results: Vec<String> = (next - 3..next).map(|value| format!("%{value}")).collect();
    let text = format!(
        "node Moves (%0 a: h16, %1 b: h16, %2 c: h16) -> (x: h16, y: h16, z: h16) {{\n{body}  return {}\n}}\n",
        results.join(", ")
    );
    Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn random_moves_are_what_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    for target in all().iter().filter(|target| !target.single_lane) {
        let mut random = Random::new(16);
        let programs: Vec<Program> = (0..40).map(|_| program(&mut random)).collect();
        let admitted: Vec<Program> =
            programs.into_iter().filter(|program| is_admitted(program, target)).collect();
        for (number, program) in admitted.iter().enumerate() {
            check_passes(&format!("moves_{number}"), program, target);
        }
        let some = admitted.into_iter().take(8).enumerate();
        let cases: Vec<_> =
            some.map(|(number, program)| case(program, target, &format!("moves_{number}"))).collect();
        if let Some(compiler) = compilers(target).into_iter().next() {
            compare(&cases, &compiler, "-O1", folder.path());
        }
    }
}
