//! AES by its rounds and GHASH by carry-less products, written in Usuba0: through the passes, interleaved, and selection for every
//! target that has instructions for them; in C by both compilers and in assembly, with known answers and against the
//! interpreter.

use std::fmt::Write;
use usuba_codegen::{Access, Backend, Kernel, Options, admits, generate};
use usuba_ir::aes::inverse_mix_columns;
use usuba_ir::check::check;
use usuba_ir::interpret::{interpret, join, part};
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_opt::hoist::halve;
use usuba_opt::pass::Settings;
use usuba_opt::passes::optimise;
use usuba_package::OutputFile;
use usuba_target::machines::{AVX_AES, AVX2_VAES, AVX512_VAES, NEON_AES};
use usuba_target::{ByteOrder, Meaning, Target};
use usuba_tests::ciphers::root;
use usuba_tests::round_keys::round_keys;
use usuba_trial::run::{Compiler, Family};

const TARGETS: [&Target; 4] = [&AVX_AES, &AVX2_VAES, &AVX512_VAES, &NEON_AES];

type Block = [u8; 16];

fn read(name: &str) -> Program {
    let text = std::fs::read_to_string(root().join("tests/blocks").join(name)).expect("a program");
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(check(&program).err(), None, "{name}");
    program
}

/// The program after all passes, for so many batches.
fn optimised(program: &Program, batches: u32) -> Program {
    let mut program = program.clone();
    optimise(&mut program, &Settings { interleave: Some(batches), ..Settings::default() }, &mut ());
    assert_eq!(check(&program).err(), None);
    assert_eq!(program.interleave, batches);
    program
}

fn block(number: u128) -> Block {
    number.to_be_bytes()
}

fn numbers(blocks: &[Block]) -> Vec<u128> {
    blocks.iter().map(|&block| u128::from_be_bytes(block)).collect()
}

/// The round keys of AES-128.
fn schedule(key: Block) -> Vec<Block> {
    let keys = round_keys(&key);
    keys.as_chunks().0.to_vec()
}

/// Key, plain text, cipher text: FIPS 197, appendices B and C.1; NIST SP 800-38A, section F.1.1.
const KNOWN: [[u128; 3]; 6] = [
    [
        0x2b7e151628aed2a6abf7158809cf4f3c,
        0x3243f6a8885a308d313198a2e0370734,
        0x3925841d02dc09fbdc118597196a0b32,
    ],
    [
        0x000102030405060708090a0b0c0d0e0f,
        0x00112233445566778899aabbccddeeff,
        0x69c4e0d86a7b0430d8cdb78070b4c55a,
    ],
    [
        0x2b7e151628aed2a6abf7158809cf4f3c,
        0x6bc1bee22e409f96e93d7e117393172a,
        0x3ad77bb40d7a3660a89ecaf32466ef97,
    ],
    [
        0x2b7e151628aed2a6abf7158809cf4f3c,
        0xae2d8a571e03ac9c9eb76fac45af8e51,
        0xf5d3d58503b9699de785895a96fdbaaf,
    ],
    [
        0x2b7e151628aed2a6abf7158809cf4f3c,
        0x30c81c46a35ce411e5fbc1191a0a52ef,
        0x43b1cd7f598ece23881b00e3ed030688,
    ],
    [
        0x2b7e151628aed2a6abf7158809cf4f3c,
        0xf69f2445df4f9b17ad2b417be66c3710,
        0x7b0c785e27e8ad3f8223207104725dd4,
    ],
];

/// The product in GF(2^128) of NIST SP 800-38D, algorithm 1.
fn product(x: u128, y: u128) -> u128 {
    let (mut z, mut v) = (0, y);
    for bit in (0..128).rev() {
        if x >> bit & 1 == 1 {
            z ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z
}

/// The powers as the program takes them, highest first.
fn powers(h: u128) -> Vec<u128> {
    let mut powers: Vec<u128> =
        std::iter::successors(Some(h), |&power| Some(product(power, h))).take(4).collect();
    powers.reverse();
    let doubled = |power: u128| {
        // Little-endian, the coefficient of x^0 lowest: modulo x^128 + x^127 + x^126 + x^121 + 1.
        let number = power;
        let reduction = if number >> 127 == 1 { 1 | 1 << 121 | 1 << 126 | 1 << 127 } else { 0 };
        number << 1 ^ reduction
    };
    // The bytes of the power reversed, as a little-endian number, are the power as it stands; so is the result.
    powers.into_iter().map(|power| doubled(power).swap_bytes()).collect()
}

/// What a kernel is given, and what it must give: inputs and outputs of each instance of each batch. Uniform inputs are those of
/// the first.
struct Case {
    program: Program,
    inputs: Vec<Vec<Vec<u128>>>,
    outputs: Vec<Vec<Vec<u128>>>,
}

impl Case {
    /// With outputs by the interpreter.
    fn new(program: Program, inputs: Vec<Vec<Vec<u128>>>) -> Case {
        let batches = program.interleave as usize;
        let mut outputs = Vec::new();
        for inputs in inputs.chunks(batches) {
            outputs.extend(part(&program, &interpret(&program, &join(&program, inputs))));
        }
        Case { program, inputs, outputs }
    }

    /// The bytes of the parameters of a kernel: what it reads, and what it must write. Instance i of batch b is number
    /// b + i * batches.
    fn bytes(&self, kernel: &Kernel) -> [Vec<u8>; 2] {
        let (shape, batches) = (&kernel.shape, self.program.interleave as usize);
        let instances = (kernel.instances as usize) / batches;
        let of = |values: &[Vec<Vec<u128>>], number: usize, uniform: bool| -> Vec<u8> {
            let atoms = values[0][number].len();
            if uniform {
                let all = values[0][number].iter();
                return all.flat_map(|&atom| shape.pack_uniform(ByteOrder::Little, atom)).collect();
            }
            let place = |batch: usize, atom: usize| {
                let same: Vec<u128> = (0..instances)
                    .map(|instance| values[(batch + instance * batches) % values.len()][number][atom])
                    .collect();
                shape.pack(ByteOrder::Little, &same)
            };
            (0..batches).flat_map(|batch| (0..atoms).flat_map(move |atom| place(batch, atom))).collect()
        };
        let entry = self.program.entry();
        let inputs = entry.inputs.iter().enumerate();
        let inputs = inputs.flat_map(|(number, input)| of(&self.inputs, number, input.uniform));
        let outputs = (0..entry.outputs.len()).flat_map(|number| of(&self.outputs, number, false));
        [inputs.collect(), outputs.collect()]
    }
}

/// A C program that reads what the kernel reads, calls it and writes what it writes.
fn driver(kernel: &Kernel) -> String {
    let mut text = String::from("#include <stdio.h>\n#include \"kernel.h\"\n");
    let (mut before, mut after, mut arguments) = (String::new(), String::new(), Vec::new());
    for (place, parameter) in kernel.parameters.iter().enumerate() {
        let _ = writeln!(text, "static {} p{place}[{}];", parameter.element, parameter.count);
        let _ = match parameter.access {
            Access::Read => {
                writeln!(
                    before,
                    "  if (fread(p{place}, 1, sizeof p{place}, stdin) != sizeof p{place}) return 3;"
                )
            }
            Access::Write => writeln!(after, "  fwrite(p{place}, 1, sizeof p{place}, stdout);"),
        };
        arguments.push(format!("p{place}"));
    }
    let call = format!("  {}({});\n", kernel.symbol, arguments.join(", "));
    let _ = write!(text, "int main(void) {{\n{before}{call}{after}  return 0;\n}}\n");
    text
}

fn kernel(program: &Program, target: &'static Target, backend: Backend) -> Kernel {
    let options =
        Options { symbol: "kernel".into(), header_name: "kernel.h".into(), backend, ..Options::default() };
    let checked = check(program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
    generate(checked, target, &options).unwrap_or_else(|no_code| panic!("{}: {no_code}", target.name))
}

/// Every way to make a program of the kernel of a case that there is here; how many they were.
fn check_compiled(name: &str, case: &Case, target: &'static Target) -> usize {
    let mut ways = vec![(Family::Gcc, Backend::C), (Family::Clang, Backend::C)];
    if target.encoding().is_some() {
        ways.push((Family::Gcc, Backend::Assembly));
    }
    let mut checked = 0;
    for (family, backend) in ways {
        let told = format!(
            "{name} times {} on {}, {} {backend:?}",
            case.program.interleave,
            target.name,
            family.name()
        );
        let kernel = kernel(&case.program, target, backend);
        let Some(compiler) = Compiler::find(target, family).ok().filter(|one| one.available().is_ok()) else {
            println!("skipped: {told}");
            continue;
        };
        let file = |path: &str, contents: &str| OutputFile { path: path.into(), contents: contents.into() };
        let source = if backend == Backend::C { "kernel.c" } else { "kernel.S" };
        let files = [
            file(source, &kernel.source),
            file("kernel.h", &kernel.header),
            file("main.c", &driver(&kernel)),
        ];
        let compiled = compiler.compile(&files, &["-O2"]).unwrap_or_else(|error| panic!("{told}: {error}"));
        let [inputs, expected] = case.bytes(&kernel);
        let found = compiled.run(&inputs).unwrap_or_else(|error| panic!("{told}: {error}"));
        assert_eq!(found, expected, "{told}");
        checked += 1;
    }
    checked
}

/// The known answers with the key of the most, repeated for so many instances, and random blocks beside them.
fn plain_texts(count: usize) -> Vec<Block> {
    let mut random = Random::new(197);
    let known = KNOWN.iter().filter(|[key, ..]| *key == KNOWN[0][0]).map(|[_, plain, _]| block(*plain));
    known.chain(std::iter::repeat_with(|| block(random.wide()))).take(count).collect()
}

#[test]
fn rounds_are_the_cipher() {
    let (forward, backward) = (read("aes-128.u0"), read("aes-128-inverse.u0"));
    for [key, plain, cipher] in KNOWN {
        let keys = numbers(&schedule(block(key)));
        assert_eq!(interpret(&forward, &[vec![plain], keys.clone()]), [[cipher]]);
        assert_eq!(interpret(&backward, &[vec![cipher], keys]), [[plain]]);
    }
}

/// Compiles the cipher in these numbers of batches, and its inverse in the last of them.
fn compile_rounds(target: &'static Target, batches: &[u32]) {
    let (forward, backward) = (read("aes-128.u0"), read("aes-128-inverse.u0"));
    let keys = schedule(block(KNOWN[0][0]));
    let of = |state: u128| vec![vec![state], numbers(&keys)];
    let mut checked = 0;
    for &count in batches {
        let plain = numbers(&plain_texts(4 * count as usize));
        let case = Case::new(optimised(&forward, count), plain.iter().map(|&plain| of(plain)).collect());
        let known = KNOWN.iter().filter(|[key, ..]| *key == KNOWN[0][0]);
        for (output, [_, _, cipher]) in case.outputs.iter().zip(known) {
            assert_eq!(*output, [[*cipher]]);
        }
        checked += check_compiled("AES-128", &case, target);
        if Some(&count) == batches.last() {
            let ciphers = case.outputs.iter().map(|output| of(output[0][0])).collect();
            let inverse = Case::new(optimised(&backward, count), ciphers);
            assert!(inverse.outputs.iter().zip(&plain).all(|(output, &plain)| *output == [[plain]]));
            checked += check_compiled("the inverse of AES-128", &inverse, target);
        }
    }
    println!("{checked} kernels compared");
}

#[test]
fn rounds_of_128_bits() {
    compile_rounds(&AVX_AES, &[1, 8]);
}

#[test]
fn rounds_of_256_bits() {
    compile_rounds(&AVX2_VAES, &[1, 8]);
}

#[test]
fn rounds_of_512_bits() {
    compile_rounds(&AVX512_VAES, &[8, 4]);
}

#[test]
fn rounds_of_arm() {
    compile_rounds(&NEON_AES, &[1, 4]);
}

/// Arm adds the key first: of the keys of a chain only the last takes an exclusive or.
#[test]
fn keys_are_added_by_the_next_round() {
    let text = "node N (%0 x: <8,16,1>, %1 k: uniform <8,16,1>[4]) -> (r: <8,16,1>) {
          %2: <8,16,1> = get %1[0]
          %3: <8,16,1> = get %1[1]
          %4: <8,16,1> = get %1[2]
          %5: <8,16,1> = get %1[3]
          %6: <8,16,1> = xor %0, %2
          %7: <8,16,1> = aesencrypt %6, %3
          %8: <8,16,1> = aesencrypt %7, %4
          %9: <8,16,1> = aesencryptlast %8, %5
          return %9
        }";
    let program = Program::parse(text).expect("a program");
    let kernel = kernel(&program, &NEON_AES, Backend::C);
    let count = |meaning| {
        let rows = kernel.report.instructions.iter();
        rows.filter(|(row, _)| row.0.meaning == meaning).map(|(_, count)| count.run).sum::<u64>()
    };
    let meanings = [Meaning::AesAddSubstitute, Meaning::AesMixColumns, Meaning::Xor];
    assert_eq!(meanings.map(count), [3, 2, 1], "{}", kernel.source);
}

/// The keys of decryption are made once a key: nothing else is left of them in the kernel.
#[test]
fn keys_are_mixed_once() {
    let program = read("aes-128-inverse.u0");
    let halves = halve(&program, 64).expect("keys are computed on");
    let unmixes = |program: &Program| program.to_string().contains("inversemixcolumns");
    assert!(unmixes(&halves.hoisted) && !unmixes(&halves.rest), "{}\n{}", halves.hoisted, halves.rest);
    let keys = schedule(block(KNOWN[1][0]));
    let hoisted = interpret(&halves.hoisted, &[numbers(&keys)]);
    let middle = numbers(&keys[1..10].iter().map(|&key| inverse_mix_columns(key)).collect::<Vec<_>>());
    assert!(middle.iter().all(|key| hoisted.concat().contains(key)), "{}", halves.hoisted);
}

#[test]
fn sums_are_those_of_the_standard() {
    let program = read("ghash.u0");
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 2: a block of cipher text, and the lengths.
    let h = 0x66e94bd4ef8a2c3b884cfa59ca342b2e;
    let blocks = vec![0, 0, 0x0388dace60b6a392f328c2b971b2fe78, 0x80];
    let sum = interpret(&program, &[blocks, powers(h), vec![0]]);
    assert_eq!(sum, [[0xf38cbb1ad69223dcc3457ae5b6b0f885]]);
    let mut random = Random::new(38);
    for _ in 0..50 {
        let (h, before) = (random.wide(), random.wide());
        let blocks: Vec<u128> = (0..4).map(|_| random.wide()).collect();
        let expected = blocks.iter().fold(before, |sum, block| product(sum ^ block, h));
        assert_eq!(interpret(&program, &[blocks, powers(h), vec![before]]), [[expected]]);
    }
}

#[test]
fn sums_are_compiled() {
    let program = read("ghash.u0");
    let mut random = Random::new(4);
    let mut checked = 0;
    for target in TARGETS {
        for batches in [1, 2] {
            let powers = powers(random.wide());
            let inputs = (0..4 * batches)
                .map(|_| vec![(0..4).map(|_| random.wide()).collect(), powers.clone(), vec![random.wide()]])
                .collect();
            checked += check_compiled("GHASH", &Case::new(optimised(&program, batches), inputs), target);
        }
    }
    println!("{checked} kernels compared");
}

/// Where there are no instructions for them, the targets that have some are named.
#[test]
fn others_are_told_who_has_rounds() {
    let program = read("aes-128.u0");
    let checked = check(&program).expect("a program");
    for target in usuba_target::all() {
        let has = TARGETS.iter().any(|one| one.name == target.name);
        match admits(checked, target) {
            Ok(()) => assert!(has, "{}", target.name),
            Err(missing) if target.single_lane => assert!(!has, "{missing}"),
            Err(missing) => {
                let named = "there is no round of AES on";
                let others = "avx-aes, avx2-vaes, avx512-vaes, neon-aes have one";
                let text = missing.to_string();
                assert!(!has && text.contains(named) && text.contains(others), "{text}");
            }
        }
    }
}
