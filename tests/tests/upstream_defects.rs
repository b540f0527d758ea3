//! What the published compiler got wrong: each a small program with the right answer, through the reference interpreter,
//! Usuba0 and C by gcc and clang on general-purpose and vector registers; or the message that it deserves.

use usuba_compiler::pipeline::{Failure, Settings, optimised};
use usuba_ir::layout::Slicing::{self, B, H, V};
use usuba_lang::interpret::interpret;
use usuba_lang::load::{Text, load};
use usuba_tests::random::comparison::{Agreed, Case, agree};
use usuba_tests::random::kernels::{self, Way};
use usuba_tests::random::stages;
use usuba_trial::run::{Compiler, Family};

/// Programs with their right answers.
#[derive(Default)]
struct Answers {
    agreed: Vec<Agreed>,
}

impl Answers {
    /// The outputs of the entry for these inputs, in words; in each slicing all other ways must agree with that one.
    #[track_caller]
    fn computes(&mut self, text: &str, slicings: &[Slicing], inputs: &[&[u128]], outputs: &[&[u128]]) {
        let (sources, program) = stages::parsed(text).expect("it parses");
        let typed = stages::typed(&sources, &program, V).expect("it has types");
        let inputs: Vec<Vec<u128>> = inputs.iter().map(|atoms| atoms.to_vec()).collect();
        assert_eq!(interpret(&typed, &inputs), outputs, "the reference interpreter on {text}");
        let case = Case { text: text.into(), seed: 1, slicings: slicings.to_vec() };
        self.agreed.push(agree(&case).unwrap_or_else(|failure| panic!("{failure:?} in {text}")));
    }

    /// Compiles all programs, a file per slicing, machine and compiler, and compares them on every instance.
    fn in_c(&self) {
        let programs: Vec<(u64, &Agreed)> = self.agreed.iter().map(|agreed| (1, agreed)).collect();
        for (name, slicings) in [("gp64", &[B, V, H][..]), ("avx2", &[B, V, H]), ("avx512", &[B, V, H])] {
            let target = usuba_target::by_name(name).expect("it exists");
            for family in [Family::Gcc, Family::Clang] {
                let compiler = match Compiler::find(target, family) {
                    Ok(compiler) => compiler,
                    Err(error) => {
                        println!("SKIPPED: {error}");
                        continue;
                    }
                };
                for &slicing in slicings {
                    let way = Way { slicing, target, family, level: "-O1" };
                    let failures = kernels::run(&programs, way, &compiler).expect("it compiles and runs");
                    assert!(failures.is_empty(), "{way}: {failures:?}");
                }
            }
        }
    }
}

/// The program is refused in a slicing with a message that has these words.
#[track_caller]
fn refused(text: &str, slicing: Slicing, words: &[&str]) {
    let loaded = load("main.ua", &[], &Text(text));
    let findings = if loaded.diagnostics.iter().any(|finding| finding.is_error()) {
        loaded.diagnostics
    } else {
        match optimised(&loaded, &Settings::new(slicing, None), &mut ()) {
            Err(Failure::Program(findings)) => findings,
            other => panic!("it is not refused: {:?}", other.map(|_| ())),
        }
    };
    let message = format!("{findings:?}");
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

fn equal_equations_keep_both_outputs(answers: &mut Answers) {
    answers.computes(
        "node f (x:u16) returns (y,z:u16) let y = ~x; z = ~x tel",
        &[B, V, H],
        &[&[0x00ff]],
        &[&[0xff00], &[0xff00]],
    );
    answers.computes(
        "node f (x:u16) returns (y,z:u16) let y = x; z = x tel",
        &[B, V, H],
        &[&[0x1234]],
        &[&[0x1234], &[0x1234]],
    );
    answers.computes(
        "perm P (x:b2) returns (y:b4) { 2,2,1,2 }\nnode f (x:b2) returns (y:b4) let y = P(x) tel",
        &[B],
        &[&[1, 0]],
        &[&[0, 0, 1, 0]],
    );
}

fn horizontal_shifts_keep_the_order_of_bits(answers: &mut Answers) {
    answers.computes(
        "node f (x:u16) returns (y,z,r,s:u16) let y = x << 2; z = x >> 3; r = x <<< 5; s = x >>! 4 tel",
        &[H, V, B],
        &[&[0x8003]],
        &[&[0x000c], &[0x1000], &[0x0070], &[0xf800]],
    );
}

fn horizontal_constants_fill_their_elements(answers: &mut Answers) {
    answers.computes(
        "node f (x:u16) returns (y:u16) let y = x ^ 0x1234 tel",
        &[H, V, B],
        &[&[0xffff]],
        &[&[0xedcb]],
    );
    answers.computes("node f (x:u8) returns (y:u8) let y = x & 0xa5 tel", &[H, V, B], &[&[0xf0]], &[&[0xa0]]);
}

fn arithmetic_needs_its_carries(answers: &mut Answers) {
    let sum = "node f (x,y:u8) returns (z:u8)\nlet\n    z = x + y\ntel";
    answers.computes(sum, &[V], &[&[200], &[100]], &[&[44]]);
    refused(sum, B, &["`+`", "--slicing v"]);
    refused(sum, H, &["`+`"]);
}

fn accumulators_accumulate_in_kept_loops(answers: &mut Answers) {
    let text = "node f (x:u32[64]) returns (y:u32)\nvars acc:u32\nlet\n    acc := 0;\n    \
                _no_unroll forall i in [0,63] { acc := (acc <<< 1) ^ x[i] }\n    y = acc\ntel";
    let inputs: Vec<u128> = (0..64).map(|i| i * 0x0101_0101).collect();
    let expected = inputs.iter().fold(0u32, |acc, &x| acc.rotate_left(1) ^ x as u32);
    answers.computes(text, &[V, B], &[&inputs], &[&[u128::from(expected)]]);
}

fn descending_loops_run(answers: &mut Answers) {
    let text = "node f (x:u16[9]) returns (y:u16[9])\nlet\n    y[8] = x[8];\n    \
                _no_unroll forall i in [7,0] { y[i] = (y[i+1] <<< 3) ^ x[i] }\ntel";
    let inputs: Vec<u128> = (1..=9).collect();
    let mut outputs = vec![0u128; 9];
    outputs[8] = 9;
    for i in (0..8).rev() {
        outputs[i] = u128::from((outputs[i + 1] as u16).rotate_left(3)) ^ inputs[i];
    }
    answers.computes(text, &[V, B, H], &[&inputs], &[&outputs]);
}

fn word_sizes_mix_and_directions_do_not(answers: &mut Answers) {
    answers.computes(
        "node f (a,b:u16, c:u32) returns (p:u32, q:u16) let p = Pack(a ^ b, b):u32 ^ (c <<< 7); q = ~a tel",
        &[V, B],
        &[&[0x8001], &[0x0002], &[0x0200_0000]],
        &[&[0x8003_0003], &[0x7ffe]],
    );
    refused("node f (x:u<V>16, y:u<H>16) returns (z:u<V>16)\nlet\n    z = x & y\ntel", V, &["<H>"]);
}

fn equations_hold_in_any_order(answers: &mut Answers) {
    answers.computes(
        "node f (x:u16) returns (z:u16) vars a,b:u16 let z = ~b; b = a <<< 1; a = x ^ 1 tel",
        &[V, B, H],
        &[&[0x8000]],
        &[&[0xfffc]],
    );
    answers.computes(
        "node f (x:u8[4]) returns (y:u8[4]) vars t:u8[4]\n\
         let forall i in [0,3] { y[i] = t[3-i] }  forall i in [0,3] { t[i] = x[i] ^ 0x0f } tel",
        &[V, B],
        &[&[1, 2, 3, 4]],
        &[&[0x0b, 0x0c, 0x0d, 0x0e]],
    );
    refused("node f (x:b1) returns (y,z:b1)\nlet\n    y = x\ntel", B, &["z"]);
    refused("node f (x:b1) returns (y:b1) vars a,b:b1\nlet\n    a = b; b = a; y = a\ntel", B, &["a"]);
}

fn composed_selections_are_row_major(answers: &mut Answers) {
    answers.computes(
        "node f (x:u8[2][4]) returns (y:u8[4]) let y = x[0..1][2,3] tel",
        &[V, B],
        &[&[0, 1, 2, 3, 4, 5, 6, 7]],
        &[&[2, 3, 6, 7]],
    );
}

fn static_numbers_are_checked(answers: &mut Answers) {
    refused("node f (x:u8[4]) returns (y:u8)\nlet\n    y = x[0-1]\ntel", V, &["-1"]);
    refused("node f (x:u8) returns (y:u8)\nlet\n    y = x << (0-1)\ntel", V, &["-1"]);
    refused("node f (x:u8[4]) returns (y:u8)\nlet\n    y = x[1/0]\ntel", V, &["zero"]);
    answers.computes(
        "node f (x:u8[4]) returns (y:u8[4]) let forall i in [0,3] { y[i] = x[(i-5)%4] } tel",
        &[V, B],
        &[&[10, 11, 12, 13]],
        &[&[13, 10, 11, 12]],
    );
    answers.computes(
        "node f (x:u16) returns (y,z:u16) let y = x <<< 0; z = x << 16 tel",
        &[V, B, H],
        &[&[7]],
        &[&[7], &[0]],
    );
}

fn crashes_are_messages(answers: &mut Answers) {
    answers.computes(
        "node f (x:u<'D>32) returns (y:u<'D>32) let y = ~x tel",
        &[V, B],
        &[&[0]],
        &[&[0xffff_ffff]],
    );
    refused("node f (x:v4) returns (y:v4)\nlet\n    y = ~x\ntel", V, &["--word"]);
    refused("table T (x:b2) returns (y:b2) { 3, 2, 1 }", V, &["4"]);
    refused("node f (n:nat, x:u8[n]) returns (y:u8)\nlet\n    y = x[0]\ntel", V, &["n"]);
    answers.computes(
        "node R (n:nat, x:u16) returns (y:u16) let y = x <<< n tel\n\
         node f (x:u16) returns (y:u16[5]) let _no_unroll forall i in [0,4] { y[i] = R(i+1, x) } tel",
        &[V, B, H],
        &[&[0x8001]],
        &[&[0x0003, 0x0006, 0x000c, 0x0018, 0x0030]],
    );
}

fn typed_constants_keep_all_their_bits(answers: &mut Answers) {
    answers.computes(
        "node f (a:b3) returns (b:b8) let b = (a, 6:b5) tel",
        &[B, V],
        &[&[1, 0, 1]],
        &[&[1, 0, 1, 0, 0, 1, 1, 0]],
    );
}

fn large_literals_are_themselves(answers: &mut Answers) {
    answers.computes(
        "node f (x:u64) returns (y,z:u64) let y = x ^ 0x5555555555555555; z = x ^ 0x8000000000000001 tel",
        &[V, B],
        &[&[0]],
        &[&[0x5555_5555_5555_5555], &[0x8000_0000_0000_0001]],
    );
    answers.computes(
        "node f (x:u64) returns (y:u64) let y = x ^ 18446744073709551615 tel",
        &[V, B],
        &[&[1]],
        &[&[0xffff_ffff_ffff_fffe]],
    );
}

fn vector_machines_have_every_operator(answers: &mut Answers) {
    for width in [8u32, 16, 32, 64] {
        let mask = (1u128 << width) - 1;
        let (a, b) = (0xfedc_ba98_7654_3211 & mask, 0x0123_4567_89ab_cdef & mask);
        let text = format!(
            "node f (a,b:u{width}) returns (p,q,r,s,t:u{width})\n\
             let p = a - b; q = a * b; r = a <<< 3; s = a >>> 3; t = Bitmask(a, {}) tel",
            width - 1
        );
        let rotate = |k: u32| ((a << k) | (a >> (width - k))) & mask;
        let top = if a >> (width - 1) & 1 == 1 { mask } else { 0 };
        let outputs = [a.wrapping_sub(b) & mask, a.wrapping_mul(b) & mask, rotate(3), rotate(width - 3), top];
        let outputs: Vec<Vec<u128>> = outputs.iter().map(|&word| vec![word]).collect();
        let outputs: Vec<&[u128]> = outputs.iter().map(Vec::as_slice).collect();
        answers.computes(&text, &[V], &[&[a], &[b]], &outputs);
    }
    answers.computes(
        "node f (a,b:u8) returns (p:u16) let p = Pack(a, b):u16 tel",
        &[V, B],
        &[&[0x12], &[0x34]],
        &[&[0x1234]],
    );
}

#[test]
fn circuits_do_not_change_the_meaning_of_tables() {
    use usuba_verify::compare::{Effort, compare};
    for name in ["rectangle", "serpent", "aes", "des"] {
        let cipher = usuba_tests::ciphers::Cipher::read(name);
        let entry = match name {
            "aes" => "Encrypt128",
            _ => "Encrypt",
        };
        let slicing = if name == "des" { B } else { V };
        let settings = usuba_compiler::pipeline::Settings::new(slicing, Some(entry));
        let mut own = settings.clone();
        own.lowering.published_circuits = false;
        let (_, published, _) =
            usuba_compiler::pipeline::optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
        let (_, synthesised, _) =
            usuba_compiler::pipeline::optimised(&cipher.loaded, &own, &mut ()).expect("it compiles");
        let verdict = compare(&published, &synthesised, Effort { cases: 64, ..Effort::default() });
        assert!(verdict.is_agreement(), "{name}: {verdict}");
    }
}

fn precedence_that_surprises_is_named(answers: &mut Answers) {
    let (_, program) =
        stages::parsed("node f (a,b,c:b1) returns (y:b1) let y = a ^ b & c tel").expect("it parses");
    assert_eq!(program.definitions.len(), 1);
    let mut sources = usuba_lang::source::Sources::default();
    let id = sources.add("main.ua", "node f (a,b,c:b1) returns (y:b1) let y = a ^ b & c tel");
    let (_, findings) = usuba_lang::syntax::parse(id, &sources.get(id).text);
    assert!(
        findings.iter().any(|finding| finding.code == "W-precedence" && finding.edit.is_some()),
        "{findings:?}"
    );
    answers.computes(
        "node f (a,b,c:b1) returns (y:b1) let y = a ^ b & c tel",
        &[B],
        &[&[1], &[1], &[0]],
        &[&[0]],
    );
}

#[test]
fn right_answers() {
    let mut answers = Answers::default();
    for defect in [
        equal_equations_keep_both_outputs,
        horizontal_shifts_keep_the_order_of_bits,
        horizontal_constants_fill_their_elements,
        arithmetic_needs_its_carries,
        accumulators_accumulate_in_kept_loops,
        descending_loops_run,
        word_sizes_mix_and_directions_do_not,
        equations_hold_in_any_order,
        composed_selections_are_row_major,
        static_numbers_are_checked,
        crashes_are_messages,
        typed_constants_keep_all_their_bits,
        large_literals_are_themselves,
        vector_machines_have_every_operator,
        precedence_that_surprises_is_named,
    ] {
        defect(&mut answers);
    }
    assert!(answers.agreed.len() > 20);
    answers.in_c();
}
