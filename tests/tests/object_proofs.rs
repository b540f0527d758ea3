//! Object code, proved: what gcc and clang make of kernels computes what the text says, for all inputs and keys.
//!
//! Nothing is run here but patched objects that are proved to be unchanged: code for AVX-512 is proved on any machine.

use std::path::Path;
use std::process::Command;
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_target::{Target, machines};
use usuba_tests::faults::Code;
use usuba_tests::objects::{Built, Found, SYMBOL, build, compiler_of, examine};
use usuba_tests::ways;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::kernel::{NoProof, Report, Verdict};
use usuba_verify::prove::Limits;

/// Six rounds of Ascon on words, one batch. With BMI: without it gcc multiplies sums of products of two rounds, which is not proved in
/// the limits (twelve rounds, in a loop, are).
const SMALL: Small =
    Small { target: "gp64-bmi", compiler: "gcc", words: 5, gcc: "gcc", flags: &[], runner: &[] };

/// The same on AArch64, two instances in a register.
const SMALL_ON_AARCH64: Small = Small {
    target: "neon",
    compiler: "clang",
    words: 10,
    gcc: "aarch64-linux-gnu-gcc",
    flags: &["-static"],
    runner: &["qemu-aarch64"],
};

struct Small {
    target: &'static str,
    compiler: &'static str,
    /// Words of 64 bits that it takes and gives.
    words: usize,
    /// What makes programs for the machine, and what runs them.
    gcc: &'static str,
    flags: &'static [&'static str],
    runner: &'static [&'static str],
}

impl Small {
    fn target(&self) -> &'static Target {
        machines::by_name(self.target).expect("a target")
    }

    fn build(&self) -> Built {
        let mut settings = Settings::new(Slicing::V, Some("P6"));
        settings.passes.interleave = Some(1);
        build("ascon", &settings, self.target(), self.compiler)
    }
}

fn object(folder: &Path, file: &str, compiler: &str, target: &Target, flags: &[&str]) -> Vec<u8> {
    let compiler = compiler_of(compiler, target);
    let output = Command::new(&compiler.command)
        .args(["-c", file, "-o", "it.o"])
        .args(flags)
        .args(&compiler.flags)
        .current_dir(folder)
        .output()
        .expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.join("it.o")).expect("an object")
}

fn prove(built: &Built, object: &[u8]) -> Result<(Verdict, Report), NoProof> {
    let read = Object::parse(object).or_else(|_| Object::parse_for(object, Architecture::Aarch64));
    built.subject.prove(&read.expect("an object"), SYMBOL, Limits::default())
}

/// What a run proves, each by one compiler; `make prove` proves every kernel (`prove-kernels`).
const USUAL: [(&str, &str, Slicing, &str, &str); 22] = [
    ("rectangle", "Encrypt", Slicing::B, "gp64", "gcc"),
    ("rectangle", "Encrypt", Slicing::B, "avx2", "clang"),
    // It counts with lower halves of addresses, from a parameter's next multiple of eight on.
    ("rectangle", "KeySchedule128", Slicing::V, "gp64", "gcc"),
    ("rectangle", "Encrypt", Slicing::V, "avx2", "gcc"),
    ("rectangle", "Decrypt", Slicing::H, "avx512", "clang"),
    ("present", "Encrypt", Slicing::B, "gp64", "clang"),
    ("present", "Decrypt", Slicing::B, "avx2", "gcc"),
    ("ascon", "P12", Slicing::B, "gp64", "clang"),
    ("ascon", "P12", Slicing::V, "avx512", "gcc"),
    ("serpent", "Encrypt", Slicing::B, "avx2", "gcc"),
    ("serpent", "Encrypt", Slicing::V, "gp64", "gcc"),
    ("chacha20", "Block", Slicing::V, "avx2", "clang"),
    ("chacha20", "Block", Slicing::V, "gp64", "gcc"),
    ("speck", "Encrypt64_128", Slicing::V, "avx512", "clang"),
    ("aes", "Encrypt128", Slicing::B, "gp64", "gcc"),
    ("rectangle", "Encrypt", Slicing::H, "neon", "gcc"),
    ("present", "Encrypt", Slicing::B, "neon", "clang"),
    ("chacha20", "Block", Slicing::V, "neon", "clang"),
    ("simon", "Encrypt64_128", Slicing::V, "neon", "gcc"),
    // S-boxes of 16 instances by a round of AES and look-ups of nibbles.
    ("camellia", "F", Slicing::V, "neon-aes", "gcc"),
    // Masks as floating-point numbers, and words that are packed with saturation.
    ("gift", "FixslicedKeySchedule128", Slicing::V, "neon", "clang"),
    ("skinny", "KeySchedule64_192", Slicing::V, "gp64", "clang"),
];

#[test]
fn object_code_is_what_the_text_says() {
    for (name, node, slicing, target, compiler) in USUAL {
        let what = format!("{name}: {node} in {slicing} on {target} by {compiler}");
        let target = machines::by_name(target).expect("a target");
        let built = build(name, &Settings::new(slicing, Some(node)), target, compiler);
        match examine(&built.subject, target, &built.object) {
            Found::Proved { alarm: None, instructions } => println!("{what}: {instructions} instructions"),
            Found::Proved { alarm: Some(why), .. } | Found::NotProved(why) | Found::Wrong(why) => {
                panic!("{what}: {why}")
            }
        }
    }
}

/// A fault in the code, wherever it is, is refused or refuted; or the processor sees no difference either.
#[test]
fn patched_code_is_refuted() {
    let built = SMALL.build();
    let code = Code::of(&built.object, SYMBOL);
    faults_are_found(&SMALL, &built, |random| {
        let (fault, patched) = code.faulty(&built.object, random);
        (fault.to_string(), patched)
    });
}

/// The same on AArch64, one bit at a time.
#[test]
fn patched_code_of_aarch64_is_refuted() {
    let built = SMALL_ON_AARCH64.build();
    let object = Object::parse_for(&built.object, Architecture::Aarch64).expect("an object");
    let code = object.code(object.function(SYMBOL).expect("a function"));
    let start =
        built.object.windows(code.len()).position(|window| window == code).expect("it is in the file");
    faults_are_found(&SMALL_ON_AARCH64, &built, |random| {
        let (place, bit) = (random.below(code.len() as u32) as usize, random.below(8));
        let mut patched = built.object.clone();
        patched[start + place] ^= 1 << bit;
        (format!("bit {bit} of byte {place}"), patched)
    });
}

fn faults_are_found(small: &Small, built: &Built, mut fault: impl FnMut(&mut Random) -> (String, Vec<u8>)) {
    assert_eq!(prove(built, &built.object).expect("it is known").0, Verdict::Proved);
    let (mut refused, mut refuted, mut harmless) = (0, 0, Vec::new());
    let mut random = Random::new(64);
    let all = ways::all();
    let count = if all { 2_000 } else { 40 };
    for _ in 0..count {
        let (fault, patched) = fault(&mut random);
        match prove(built, &patched) {
            Err(_) | Ok((Verdict::Unfounded, _)) => refused += 1,
            Ok((Verdict::Refuted(_), _)) => refuted += 1,
            Ok((Verdict::Proved, _)) => harmless.push((patched, fault)),
            Ok((Verdict::Unknown, _)) => panic!("{fault} is not decided"),
        }
    }
    println!("{refused} refused, {refuted} refuted, {} without effect", harmless.len());
    assert!(refuted > count / 4 && harmless.len() < count / 4, "{refused}, {refuted}, {}", harmless.len());
    for (patched, fault) in harmless {
        assert_eq!(outputs(small, built, &patched), outputs(small, built, &built.object), "{fault}");
    }
}

/// What an object computes of a few inputs on its processor.
fn outputs(small: &Small, built: &Built, object: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("it.o"), object).expect("written");
    std::fs::write(path("kernel.h"), &built.subject.compiled.kernel.header).expect("written");
    let words = small.words;
    let main = format!(
        "#include <stdio.h>\n#include \"kernel.h\"\nint main(void) {{\n  \
         static uint64_t in[{words}] __attribute__((aligned(64))), out[{words}] __attribute__((aligned(64)));\n  uint64_t x = 1;\n  \
         for (int i = 0; i < 500; i++) {{\n    for (int j = 0; j < {words}; j++) in[j] = x = x * 6364136223846793005u + 1;\n    \
         kernel((const void *)in, (void *)out);\n    fwrite(out, 1, sizeof out, stdout);\n  }}\n}}\n"
    );
    std::fs::write(path("main.c"), main).expect("written");
    let arguments = [&["-O1", "main.c", "it.o", "-o", "it"], small.flags].concat();
    let linked = Command::new(small.gcc).args(arguments).current_dir(folder.path()).output().expect("gcc");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let program = path("it").to_string_lossy().into_owned();
    let words = [small.runner, &[&program]].concat();
    let output = Command::new(words[0]).args(&words[1..]).output().expect("it runs");
    assert!(output.status.success());
    output.stdout
}

/// Kernels that break a rule are refused with the instruction.
#[test]
fn kernels_that_break_rules_are_refused() {
    let kept = "a register that a function has to keep";
    // The linker writes where these have other fields.
    let linked = "what the linker fills in";
    let own = [
        ("keeps", "mov $1, %%r12", kept),
        ("has a distance elsewhere", "lea 0f(%%rip), %%rax; 0: .reloc . - 5, R_X86_64_PC32, kernel", linked),
        ("reads at twice an address", "mov (%%rdi, %%rdi), %%rax", "the address depends on data"),
        (
            "moves a part of an address by a mask",
            "mov $1, %%eax; kmovw %%eax, %%k1; vmovq %%rdi, %%xmm0; vmovaps %%xmm0, %%xmm1%{%%k1%}; \
             vmovq %%xmm1, %%rax; mov (%%rax), %%rax",
            "the address depends on data",
        ),
        (
            "adds addresses of two parameters",
            "lea (%%rdi, %%rdi), %%rax; sub %%rsi, %%rax; mov (%%rax), %%rax",
            "an address is computed with",
        ),
    ];
    rules_are_kept(&SMALL, &own);
    let own = [
        ("keeps", "mov x19, #1", kept),
        ("keeps a half", "movi v9.16b, #1", kept),
        (
            "loads without the field of the place",
            "adrp x9, kernel; ldur q16, [x9]; .reloc . - 4, R_AARCH64_LDST128_ABS_LO12_NC, kernel",
            linked,
        ),
        (
            "loads fewer bytes than the place counts in",
            "adrp x9, kernel; ldr d16, [x9]; .reloc . - 4, R_AARCH64_LDST128_ABS_LO12_NC, kernel",
            linked,
        ),
    ];
    rules_are_kept(&SMALL_ON_AARCH64, &own);
}

/// `own`: instructions of the machine that break a rule, and what is said of them.
fn rules_are_kept(small: &Small, own: &[(&str, &str, &str)]) {
    let built = small.build();
    let head = "#include <stdint.h>\n#include <string.h>\nextern uint64_t global;\n";
    let mut cases: Vec<(&str, String, &str)> = [
        (
            "branch",
            "if (a[0] & 1) for (int i = 0; i < N; i++) b[i] = a[i]; else memset(b, 0, 8 * N);",
            "whether this jumps depends on data",
        ),
        ("index", "for (int i = 0; i < N; i++) b[i] = a[a[i] & 3];", "the address depends on data"),
        ("beyond", "for (int i = 0; i < N + 1; i++) b[i] = a[i];", "are not inside of"),
        ("input", "memcpy(b, a, 8 * N); ((uint64_t *)a)[2] = 1;", "may not be written"),
        (
            "division",
            "for (int i = 0; i < N; i++) b[i] = a[i] / (a[0] | 1);",
            "the time of this instruction depends on its operands",
        ),
        ("state", "static uint64_t n; memcpy(b, a, 8 * N); n += a[0]; b[1] = n;", "may not be written"),
        ("forgets", "for (int i = 0; i < N - 1; i++) b[i] = a[i];", "holds nothing"),
    ]
    .map(|(name, body, expected)| (name, body.to_owned(), expected))
    .into();
    // Instructions for x86-64 find the parameters where they were at the call.
    let given = if small.target == "neon" { "" } else { "\"D\"(a), \"S\"(b)" };
    cases.extend(own.iter().map(|&(name, instruction, expected)| {
        let body =
            format!("memcpy(b, a, 8 * N); __asm__ volatile(\"{instruction}\" :: {given} : \"memory\");");
        (name, body, expected)
    }));
    for (name, body, expected) in cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let words = small.words;
        let text =
            format!("{head}#define N {words}\nvoid kernel(const uint64_t *a, uint64_t *b) {{ {body} }}\n");
        std::fs::write(folder.path().join("it.c"), text).expect("written");
        let object = object(
            folder.path(),
            "it.c",
            "gcc",
            small.target(),
            &["-O1", "-fno-builtin-memcpy", "-fno-inline-small-functions"],
        );
        let said = match prove(&built, &object) {
            Ok((verdict, _)) => format!("{verdict:?}"),
            Err(why) => why.to_string(),
        };
        assert!(said.contains(expected), "{} {name}: {said}", small.target);
    }
}
