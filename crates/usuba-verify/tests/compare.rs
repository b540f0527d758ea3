//! Verdicts on small programs.

use usuba_ir::program::Program;
use usuba_ir::random::{self, Atoms};
use usuba_verify::compare::{Effort, Verdict, compare};

fn parse(text: &str) -> Program {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(usuba_ir::check::check(&program).err(), None);
    program
}

/// The verdict on two bodies of a node with inputs `a` and `b` of one type and a result of the same type.
fn check(ty: &str, left: &str, right: &str, verdict: &str) {
    let program = |body: &str| parse(&format!("node N (%0 a: {ty}, %1 b: {ty}) -> (r: {ty}) {{ {body} }}"));
    assert_eq!(compare(&program(left), &program(right), Effort::default()).to_string(), verdict);
}

#[test]
fn verdicts() {
    let or = "%2: b1 = or %0, %1 return %2";
    let by_de_morgan = "%2: b1 = not %0 %3: b1 = not %1 %4: b1 = and %2, %3 %5: b1 = not %4 return %5";
    check("b1", or, by_de_morgan, "equal (all inputs tried)");
    check(
        "b1",
        or,
        "%2: b1 = xor %0, %1 return %2",
        "differ\n  inputs: [1] [1]\n  first: [1]\n  second: [0]\n",
    );
    let sum = "%2: v8 = add %0, %1 return %2";
    check(
        "v8",
        sum,
        "%2: v8 = subtract %1, %0 return %2",
        "differ\n  inputs: [1] [0]\n  first: [1]\n  second: [ff]\n",
    );
    check("v8", sum, "%2: v8 = add %1, %0 return %2", "equal (all inputs tried)");
    let wide = "%2: v32 = add %0, %1 return %2";
    check("v32", wide, "%2: v32 = add %1, %0 return %2", "agree on the 1024 inputs tried");
    let bits = |a, b| format!("%2: b1 = get %{a}[69] %3: b1[70] = set %{b}[0], %2 return %3");
    check("b1[70]", &bits(0, 1), &bits(0, 1), "agree on the 1024 inputs tried");
}

#[test]
fn other_interfaces_cannot_be_compared() {
    let one = parse("node N (%0 a: v8) -> () { return }");
    let two = parse("node N (%0 a: v8, %1 b: v8) -> () { return }");
    let other = parse("node N (%0 a: v16) -> () { return }");
    let same = parse("node M (%0 z: h8) -> () { return }");
    let verdict = |a, b| compare(a, b, Effort::default()).to_string();
    assert_eq!(verdict(&one, &two), "cannot be compared: the first entry has 1 inputs, the second 2");
    assert_eq!(
        verdict(&one, &other),
        "cannot be compared: `a` is v8 in the first entry and v16 in the second"
    );
    assert_eq!(verdict(&one, &same), "equal (all inputs tried)");
}

/// A change on a single input among 2^18 is found, sliced or not.
#[test]
fn exhaustive_search_finds_needles() {
    let ands: String =
        (0..17).map(|i| format!("%{}: b1 = and %{}, %{} ", 36 + i + 1, 36 + i, 18 + i + 1)).collect();
    let gets: String = (0..18).map(|i| format!("%{}: b1 = get %0[{i}] ", 18 + i)).collect();
    let spare: String = (1..18).map(|i| format!("%{i}: b1 = constant 0x0 ")).collect();
    let needle = format!("{spare}{gets}%36: b1 = refresh %18 {ands}return %53");
    let node = |body: &str| parse(&format!("node N (%0 a: b1[18]) -> (r: b1) {{ {body} }}"));
    let never = node("%1: b1 = constant 0x0 return %1");
    let Verdict::Differ { inputs, left, right } = compare(&node(&needle), &never, Effort::default()) else {
        panic!("the needle is not found")
    };
    assert_eq!((inputs, left, right), (vec![vec![1; 18]], vec![vec![1]], vec![vec![0]]));
    let words = |constant: &str| parse(&format!("node N (%0 a: v16) -> (r: v16) {{ {constant} }}"));
    // The disjunction of the bits of a ^ 0x1234, as masks, is zero for one a and all ones for the others.
    let masks: String = (0..16).map(|bit| format!("%{}: v16 = bitmask %2, {bit} ", 3 + bit)).collect();
    let disjunction: String = (0..15)
        .map(|i| format!("%{}: v16 = or %{}, %{} ", 19 + i, if i == 0 { 3 } else { 18 + i }, 4 + i))
        .collect();
    let needle =
        words(&format!("%1: v16 = constant 0x1234 %2: v16 = xor %0, %1 {masks}{disjunction}return %33"));
    let never = words("%1: v16 = constant 0xffff return %1");
    let Verdict::Differ { inputs, .. } = compare(&needle, &never, Effort::default()) else {
        panic!("the needle is not found")
    };
    assert_eq!(inputs, [[0x1234]]);
}

/// Batches are compared one by one, and the second counts as much as the first.
#[test]
fn interleaved() {
    let one = parse("node N (%0 a: v8, %1 k: uniform v8) -> (r: v8) { %2: v8 = xor %0, %1 return %2 }");
    let two = |second: &str| {
        parse(&format!(
            "interleaved 2 node N (%0 a: v8[2] as [2], %1 k: uniform v8) -> (r: v8[2] as [2]) {{
               %2: v8 = get %0[0] %3: v8 = get %0[1] %4: v8 = xor %2, %1 %5: v8 = {second} %3, %1
               %6: v8[2] = array [%4, %5] return %6 }}"
        ))
    };
    assert!(compare(&one, &two("xor"), Effort::default()).is_agreement());
    assert!(compare(&two("xor"), &two("xor"), Effort::default()).is_agreement());
    assert!(matches!(compare(&one, &two("or"), Effort::default()), Verdict::Differ { .. }));
}

/// Comparing runs on every kind of program.
#[test]
fn random_programs_agree_with_themselves() {
    for seed in 0..100 {
        let program = random::program(seed, if seed % 2 == 0 { Atoms::Bits } else { Atoms::Mixed });
        let effort = Effort { exhaustive_bits: 8, cases: 64, seed };
        assert!(compare(&program, &program, effort).is_agreement(), "seed {seed}");
    }
}

/// Changes that show on a sixteenth of the inputs are found, whichever.
#[test]
fn random_cases_differ() {
    for pattern in 0..16u32 {
        // All ones if bits 13 to 16 of the input are the pattern.
        let bits: String = (0..4)
            .map(|i| {
                let flip = if pattern >> i & 1 == 1 { "refresh" } else { "not" };
                let (mask, bit) = (1 + 2 * i, 2 + 2 * i);
                format!("%{mask}: v64 = bitmask %0, {} %{bit}: v64 = {flip} %{mask} ", 13 + i)
            })
            .collect();
        let and = "%9: v64 = and %2, %4 %10: v64 = and %6, %8 %11: v64 = and %9, %10 return %11";
        let left = parse(&format!("node N (%0 a: v64) -> (r: v64) {{ {bits}{and} }}"));
        let right = parse("node N (%0 a: v64) -> (r: v64) { %1: v64 = constant 0x0 return %1 }");
        let verdict = compare(&left, &right, Effort::default());
        assert!(matches!(verdict, Verdict::Differ { .. }), "pattern {pattern:04b}: {verdict}");
    }
}
