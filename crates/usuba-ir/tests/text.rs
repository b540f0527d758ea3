//! The text form: programs print as they were written, flaws and bad texts are told.

use expect_test::{Expect, expect, expect_file};
use usuba_ir::check::check;
use usuba_ir::program::Program;
use usuba_ir::random::{self, Atoms};

/// The file is its own golden: what it says, printed, then the flaws of the program as comments.
fn check_file(text: &str, golden: expect_test::ExpectFile) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let comments = text.lines().take_while(|line| line.starts_with("//")).map(|line| format!("{line}\n"));
    let flaws = check(&program).err().unwrap_or_default();
    let flaws: String = flaws.iter().map(|flaw| format!("// {flaw}\n")).collect();
    let gap = if flaws.is_empty() { "" } else { "\n" };
    golden.assert_eq(&format!("{}{program}{gap}{flaws}", comments.collect::<String>()));
}

macro_rules! files {
    ($($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                let path = concat!("text/", stringify!($test), ".u0");
                check_file(include_str!(concat!("text/", stringify!($test), ".u0")), expect_file![path]);
            }
        )*
    };
}

files! { round operations blocks flaws }

fn check_error(text: &str, expected: Expect) {
    let error = Program::parse(text).expect_err("the text is no program");
    expected.assert_eq(&error.to_string());
}

#[test]
fn bad_texts() {
    check_error("nod", expect!["1:1: expected `node`, found `nod`"]);
    check_error("node A (", expect!["1:9: expected a value, found the end of the text"]);
    check_error(
        "node A (%0 x: q7) -> () { return }",
        expect![
            "1:15: `q7` is no type; types are such as b1, v16, h16, <32,4,1>, and arrays b1[64] with at most 16777216 elements"
        ],
    );
    check_error("node A (%0 x: b200) -> () { return }", expect!["1:15: an atom has from 1 to 128 bits"]);
    check_error("node A (%0 x: <1,0,1>) -> () { return }", expect!["1:15: an atom has from 1 to 128 bits"]);
    check_error(
        "node A (%0 x: b1[99999999]) -> () { return }",
        expect!["1:18: the number is too large here; the largest is 16777216"],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %1: b1 = nand %0, %0\n  return }",
        expect!["2:12: `nand` is no operation"],
    );
    check_error(
        "node A (%0 x: <8,16,1>) -> () {\n  %1: <8,16,1> = carryless 0x02 %0, %0\n  return }",
        expect!["2:28: 0x02 names no halves; there are 0x00, 0x01, 0x10 and 0x11"],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %1: b1 = not %2\n  return }",
        expect!["2:16: %2 is used, but never defined"],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %0: b1 = not %0\n  return }",
        expect!["2:3: %0 is defined twice; a value has one definition"],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %7: b1 = not %0\n  return %7 }",
        expect![
            "3:10: the numbers of values leave gaps: %7 is used, but the values below it are not all defined"
        ],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %1: b1 = constant 0xg\n  return }",
        expect!["2:21: expected a number, found `0xg`"],
    );
    check_error(
        "node A (%0 x: b1) -> () {\n  %1: b1 = call É()\n  return }",
        expect!["2:17: `É` is no node of the program"],
    );
    check_error(
        "node A (%0 x: b1[2]) -> () {\n  %1: b1 = get %0[9999999999999999999]\n  return }",
        expect!["2:19: the number is too large here; the largest is 9223372036854775807"],
    );
    check_error("file \"é\nnode", expect!["1:6: the text in quotes has no end on its line"]);
    let deep = "loop i0 < 1 carry () {".repeat(100);
    check_error(&format!("node A () -> () {{ {deep}"), expect!["1:1432: loops are nested more than 64 deep"]);
}

#[test]
fn printed_random_programs_parse_to_themselves() {
    for seed in 0..500 {
        for atoms in [Atoms::Bits, Atoms::Mixed, Atoms::Bytes, Atoms::Blocks] {
            let program = random::program(seed, atoms);
            assert_eq!(check(&program).err(), None, "seed {seed}");
            let text = program.to_string();
            assert_eq!(Program::parse(&text).as_ref(), Ok(&program), "seed {seed}\n{text}");
        }
    }
}

/// Texts near to good ones: a character replaced, removed or repeated. They may parse or not, but neither the parser nor
/// the checker panics, and what parses and is sound prints to a text of the same program.
#[test]
fn no_text_panics() {
    let alphabet: Vec<char> = "%@[](){}<>-*+,:=/\"0123456789abihvé_'\n ".chars().collect();
    for seed in 0..500 {
        let mut random = random::Random::new(seed);
        let atoms = if seed % 2 == 0 { Atoms::Mixed } else { Atoms::Blocks };
        let text: Vec<char> = random::program(seed % 20, atoms).to_string().chars().collect();
        for _ in 0..20 {
            let mut changed = text.clone();
            let at = random.below(changed.len() as u32) as usize;
            match random.below(4) {
                0 => changed[at] = *random.choose(&alphabet),
                1 => _ = changed.remove(at),
                2 => changed.insert(at, *random.choose(&alphabet)),
                _ => changed.truncate(at),
            }
            let changed: String = changed.into_iter().collect();
            let Ok(program) = Program::parse(&changed) else { continue };
            let sound = check(&program).is_ok();
            let again = Program::parse(&program.to_string());
            assert!(!sound || again == Ok(program), "seed {seed}\n{changed}");
        }
    }
}
