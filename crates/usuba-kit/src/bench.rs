//! Measuring: the C program that times a built primitive, kernel only and whole path, in core cycles per byte.
//!
//! The core clock of a machine moves with its neighbours' load, the time-stamp counter does not. Every sample therefore
//! stands between two chains of dependent additions, one core cycle each; it is dropped if they disagree by more than 1 %.
//! What is reported is the tenth percentile and the median of the samples that remain.

use crate::OutputFile;
use crate::library::Library;
use crate::manifest::{Function, Mode, Primitive};
use std::fmt::Write;
use usuba_codegen::{Direction, Kernel};

/// Bytes that the whole path works on: they stay in the first or second cache.
const BUFFER: u32 = 16 << 10;

/// A measured function.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    /// `kernel`, `ecb`, `ctr`, `xor` or `permute`.
    pub what: String,
    /// Core cycles per byte, tenth percentile.
    pub low: f64,
    /// Core cycles per byte, median.
    pub median: f64,
    /// Samples that were kept.
    pub samples: u32,
}

/// The C file with `main`, to be compiled with the files of the library. It runs on x86-64 and prints what [`parse`]
/// reads.
pub fn harness(primitive: &Primitive, library: &Library, prefix: &str) -> OutputFile {
    let stem = format!("{prefix}{}", primitive.identifier());
    let mut text = String::from(include_str!("harness/bench.c"));
    let mut works = String::new();
    let mut calls = String::new();
    let _ = write!(text, "\n#include \"{stem}.h\"\n");
    let (role, block) = match &primitive.function {
        Function::BlockCipher(cipher) => ("encrypt", cipher.block.bytes),
        Function::Stream(cipher) => ("block", cipher.keystream.bytes),
        Function::Permutation(permutation) => ("kernel", permutation.state.bytes),
    };
    if let Some((_, compiled)) = library.kernels.iter().find(|(known, _)| *known == role) {
        let _ = writeln!(text, "#include \"{}.h\"", compiled.kernel.symbol);
        works.push_str(&kernel_work(&compiled.kernel));
        let bytes = compiled.kernel.instances * block;
        let _ = writeln!(calls, "    measure(\"kernel\", run_kernel, {bytes});");
    }
    let blocks = BUFFER / block;
    let bytes = blocks * block;
    let _ = writeln!(works, "static unsigned char text[{bytes}];");
    match &primitive.function {
        Function::BlockCipher(cipher) => {
            let _ = writeln!(works, "static {stem}_ctx ctx;");
            let _ = writeln!(works, "static unsigned char key[{}], counter[{block}];", cipher.key.bytes);
            let _ = writeln!(calls, "    if ({stem}_init(&ctx, key) != USUBA_OK) return 1;");
            if cipher.modes.contains(&Mode::Ecb) {
                let _ = writeln!(
                    works,
                    "static void run_ecb(void) {{ (void){stem}_encrypt_blocks(&ctx, text, text, {blocks}); }}"
                );
                let _ = writeln!(calls, "    measure(\"ecb\", run_ecb, {bytes});");
            }
            if cipher.modes.contains(&Mode::Ctr) {
                let _ = writeln!(
                    works,
                    "static void run_ctr(void) {{ (void){stem}_ctr_xor(&ctx, counter, text, text, {bytes}); }}"
                );
                let _ = writeln!(calls, "    measure(\"ctr\", run_ctr, {bytes});");
            }
        }
        Function::Stream(cipher) => {
            let _ = writeln!(
                works,
                "static unsigned char key[{}], nonce[{}];\n\
                 static void run_xor(void) {{ (void){stem}_xor(key, nonce, 1, text, text, {bytes}); }}",
                cipher.key.bytes, cipher.nonce.bytes
            );
            let _ = writeln!(calls, "    measure(\"xor\", run_xor, {bytes});");
        }
        Function::Permutation(_) => {
            let _ =
                writeln!(works, "static void run_permute(void) {{ (void){stem}_permute(text, {blocks}); }}");
            let _ = writeln!(calls, "    measure(\"permute\", run_permute, {bytes});");
        }
    }
    let _ = write!(text, "\n{works}\nint main(void) {{\n{calls}    return 0;\n}}\n");
    OutputFile { path: "bench.c".into(), contents: text }
}

/// The buffers of a kernel and a function that calls it on them.
fn kernel_work(kernel: &Kernel) -> String {
    let mut text = String::new();
    let mut arguments = Vec::new();
    for (number, parameter) in kernel.parameters.iter().enumerate() {
        let _ = writeln!(
            text,
            "static {} buffer_{number}[{}] __attribute__((aligned(64)));",
            parameter.element,
            parameter.count.max(1)
        );
        let cast = if parameter.direction == Direction::Input { "" } else { "/* out */ " };
        arguments.push(format!("{cast}buffer_{number}"));
    }
    let _ = writeln!(text, "static void run_kernel(void) {{ {}({}); }}", kernel.symbol, arguments.join(", "));
    text
}

/// The measurements that the program of [`harness`] has printed; lines of another form are left out.
pub fn parse(output: &str) -> Vec<Measurement> {
    output
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(Measurement {
                what: words.next()?.to_owned(),
                low: words.next()?.parse().ok()?,
                median: words.next()?.parse().ok()?,
                samples: words.next()?.parse().ok()?,
            })
        })
        .collect()
}
