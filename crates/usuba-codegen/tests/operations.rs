//! Every operation in every slicing and width that a target admits, on random lanes, against the interpreter:
//! in process after every pass, and in C.

mod harness;

use harness::passes::check_passes;
use harness::{Case, case, compare, compilers, is_admitted};
use std::fmt::Write;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_target::{Target, all, by_name};

/// The types, in the text form, with their layouts.
fn types() -> Vec<(String, Layout)> {
    let mut types = vec![("b1".into(), Layout::BIT)];
    for width in [2, 5, 8, 12, 16, 24, 32, 48, 64] {
        types.push((format!("v{width}"), Layout::of(Slicing::V, width)));
    }
    for width in [2, 4, 8, 16, 32, 64] {
        types.push((format!("h{width}"), Layout::of(Slicing::H, width)));
    }
    for words in [2, 4, 8, 16] {
        types.push((format!("<{},{words},1>", 128 / words), Layout::of(Slicing::Packed(words), 128)));
    }
    types
}

/// The operations on atoms of a type: what they are called and how they are written, `%0` and `%1` being the operands, `%2`
/// a uniform one.
fn operations(ty: &str, layout: Layout) -> Vec<(String, String)> {
    let width = layout.width();
    // Shifts act on the words of packed atoms, and shuffles move such words.
    let (word, unit) = if layout.has_lanes() { (layout.word, layout.word) } else { (width, 1) };
    let mut random = Random::new(u64::from(width));
    let mut list: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, text: String| list.push((name.into(), text));
    for name in ["and", "or", "xor", "andnot", "add", "subtract", "multiply"] {
        add(name, format!("{name} %0, %1"));
    }
    add("not", "not %0".into());
    add("uniform", "xor %0, %2".into());
    for number in
        [0, 1, 0x9234_5678_9abc_def5 & usuba_ir::evaluate::ones(width), usuba_ir::evaluate::ones(width)]
            .into_iter()
            .chain(layout.has_lanes().then_some(0x1234_5678_1234_5678_1234_5678_1234_5678))
    {
        add("constant", format!("constant {number:#x}"));
    }
    for name in ["shift_left", "shift_right", "shift_right_arithmetic", "rotate_left", "rotate_right"] {
        let mut amounts = vec![1, 3, 7, 8, 9, word / 2, word.saturating_sub(8), word.saturating_sub(1)];
        amounts.retain(|&amount| amount > 0 && amount < word);
        amounts.sort_unstable();
        amounts.dedup();
        for amount in amounts {
            add(name, format!("{name} %0, {amount}"));
        }
    }
    for bit in [0, width / 2, width - 1].into_iter().filter(|_| unit == 1) {
        add("bitmask", format!("bitmask %0, {bit}"));
    }
    let words = |pattern: Vec<Option<u32>>| {
        let pattern: Vec<Option<u32>> = pattern
            .iter()
            .flat_map(|entry| (0..unit).map(move |bit| entry.map(|word| word * unit + bit)))
            .collect();
        let entries: Vec<String> =
            pattern.iter().map(|entry| entry.map_or("_".into(), |bit| bit.to_string())).collect();
        format!("shuffle %0, [{}]", entries.join(", "))
    };
    let width = width / unit;
    add("shuffle", words((0..width).map(Some).collect()));
    add("shuffle", words((0..width).rev().map(Some).collect()));
    add("shuffle", words((0..width).map(|_| Some(random.below(width))).collect()));
    add("shuffle", words((0..width).map(|bit| Some(bit ^ 1).filter(|&bit| bit < width)).collect()));
    add("shuffle", words((0..width).map(|bit| (bit % 2 == 0).then_some(bit)).collect()));
    add("shuffle", words((0..width).map(|_| (!random.once_in(3)).then(|| random.below(width))).collect()));
    add("shuffle", words((0..width).map(|_| None).collect()));
    if layout.word == 8 && layout.instances == 1 {
        add("mapbytes", "mapbytes %0, 0x0123456789abcdef, 0x1d".into());
        add("mapbytes", "mapbytes %0, 0x0001020408102040, 0x00".into());
        add("invertbytes", "invertbytes %0, 0xf1e3c78f1f3e7cf8, 0x63".into());
        add("invertbytes", "invertbytes %0, 0x0123456789abcdef, 0x1d".into());
    }
    if layout.pack == 1 && width <= 32 && width > 1 {
        add("pack", "pack %0, %1".into());
    }
    if layout == Layout::BLOCK {
        for name in ["aesencrypt", "aesencryptlast", "aesdecrypt", "aesdecryptlast"] {
            add("round", format!("{name} %0, %2"));
            add("round", format!("{name} %0, %1"));
        }
        add("unmix", "inversemixcolumns %0".into());
        for halves in ["0x00", "0x01", "0x10", "0x11"] {
            add("carryless", format!("carryless {halves} %0, %1"));
        }
        for half in ["first", "later"] {
            add("halves", format!("{half}halves %0, %1"));
        }
        for bits in [16, 32, 64] {
            add("addwords", format!("addwords {bits} %0, %1"));
        }
    }
    let _ = ty;
    list
}

/// A program that does these operations.
fn program(ty: &str, width: u32, operations: &[&(String, String)]) -> Program {
    let mut text = format!("node Operations (%0 a: {ty}, %1 b: {ty}, %2 u: uniform {ty}) -> (");
    let mut body = String::new();
    for (number, (name, operation)) in operations.iter().enumerate() {
        let result = if name == "pack" { format!("v{}", 2 * width) } else { ty.to_string() };
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}r{number}: {result}");
        let _ = writeln!(body, "  %{}: {result} = {operation}", number + 3);
    }
    let results: Vec<String> = (0..operations.len()).map(|number| format!("%{}", number + 3)).collect();
    let _ = write!(text, ") {{\n{body}  return {}\n}}\n", results.join(", "));
    Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The cases of a target, a type each, and the operations that it lacks.
fn cases(target: &Target) -> (Vec<Case>, String) {
    let mut cases = Vec::new();
    let mut lacking = String::new();
    for (ty, layout) in types() {
        let all = operations(&ty, layout);
        let (had, missing): (Vec<_>, Vec<_>) = all
            .iter()
            .partition(|operation| is_admitted(&program(&ty, layout.width(), &[operation]), target));
        let mut names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        if had.is_empty() {
            let _ = writeln!(lacking, "{ty}: everything");
        } else {
            if !names.is_empty() {
                let _ = writeln!(lacking, "{ty}: {}", names.join(" "));
            }
            // Packing doubles the width of the lanes: it stands for itself.
            let (packs, others): (Vec<_>, Vec<_>) = had.into_iter().partition(|(name, _)| name == "pack");
            for (kind, list) in [("", others), ("_pack", packs)] {
                if !list.is_empty() {
                    let name: String = ty.chars().filter(char::is_ascii_alphanumeric).collect();
                    let symbol = format!("operations_{name}{kind}");
                    cases.push(case(program(&ty, layout.width(), &list), target, &symbol));
                }
            }
        }
    }
    (cases, lacking)
}

fn check(name: &str, expected: expect_test::Expect) {
    let target = by_name(name).expect("a target");
    let (cases, lacking) = cases(target);
    expected.assert_eq(&lacking);
    for case in &cases {
        check_passes(&case.kernel.symbol, &case.program, target);
    }
    // In C each target goes one of four ways, neighbours different ones: one compiler, with or without optimisation.
    let folder = tempfile::tempdir().expect("a folder");
    let place = all().iter().position(|other| other.name == name).unwrap_or(0);
    let compilers = compilers(target);
    let compiler = compilers.iter().cycle().nth(place % 2);
    for compiler in compiler.into_iter() {
        compare(&cases, compiler, ["-O3", "-O0"][place / 2 % 2], folder.path());
    }
}

macro_rules! targets {
    ($($test:ident $name:literal $expected:expr;)*) => {
        $(#[test]
        fn $test() {
            check($name, $expected);
        })*
    };
}

use expect_test::expect;

targets! {
    gp64 "gp64" expect![[r#"
        b1: add subtract multiply
        v8: mapbytes invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: add subtract multiply
        <64,2,1>: everything
        <32,4,1>: everything
        <16,8,1>: everything
        <8,16,1>: everything
    "#]];
    sse2 "sse2" expect![[r#"
        b1: add subtract multiply
        v8: mapbytes invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply shift_left shift_right shift_right_arithmetic rotate_left rotate_right bitmask shuffle
        h16: add subtract multiply shift_left shift_right shift_right_arithmetic rotate_left rotate_right bitmask shuffle
        h32: everything
        h64: everything
        <16,8,1>: shuffle
        <8,16,1>: shuffle mapbytes invertbytes round unmix carryless
    "#]];
    ssse3 "ssse3" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    sse42 "sse4.2" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx "avx" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx_aes "avx-aes" expect![[r#"
        b1: add subtract multiply
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
    "#]];
    avx2 "avx2" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx2_vaes "avx2-vaes" expect![[r#"
        b1: add subtract multiply
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: everything
    "#]];
    avx512_128 "avx512-128" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx512_gfni "avx512-gfni" expect![[r#"
        b1: add subtract multiply
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: add subtract multiply
        <8,16,1>: round unmix carryless
    "#]];
    avx512_256 "avx512-256" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx512 "avx512" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: add subtract multiply
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    avx512_vaes "avx512-vaes" expect![[r#"
        b1: add subtract multiply
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: add subtract multiply
        h64: add subtract multiply
    "#]];
    neon "neon" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless
    "#]];
    neon_aes "neon-aes" expect![[r#"
        b1: add subtract multiply
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
    "#]];
    altivec "altivec" expect![[r#"
        b1: add subtract multiply
        v8: invertbytes
        h2: add subtract multiply
        h4: add subtract multiply
        h8: add subtract multiply
        h16: add subtract multiply
        h32: everything
        h64: everything
        <8,16,1>: invertbytes round unmix carryless addwords
    "#]];
}
