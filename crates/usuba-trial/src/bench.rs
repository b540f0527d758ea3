//! Measuring: the C programs that time built primitives, kernel only and whole path, in core cycles per byte.
//!
//! The core clock of a machine moves with its neighbours' load, the time-stamp counter does not. Every sample therefore
//! stands between two chains of dependent additions, one core cycle each; it is dropped if they disagree by more than 1 %.
//! What is reported is the tenth percentile and the median of the samples that remain.
//!
//! Whatever is to be compared runs in one process, sample by sample in turn, and each round begins with another one:
//! [`functions`] makes a file for each library, [`program`] the `main` that calls them.

use std::fmt::Write;
use usuba_codegen::{Access, Kernel};
use usuba_package::OutputFile;
use usuba_package::library::OneLevel;
use usuba_package::manifest::{Function, Mode, Primitive};

/// Bytes that the whole path works on unless it is said how many blocks: they stay in the first or second cache.
const BUFFER: u32 = 16 << 10;

/// A measured function.
#[derive(Clone, PartialEq, Debug)]
pub struct Measurement {
    /// The name of the [`Work`], or `clock`: ticks of the machine's counter per core cycle.
    pub what: String,
    /// Core cycles per byte, tenth percentile.
    pub low: f64,
    /// Core cycles per byte, median.
    pub median: f64,
    /// Samples that were kept.
    pub samples: u32,
}

/// The file of a library that has what is to be timed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// To be compiled as the library is.
    pub file: OutputFile,
    /// The C function that prepares them; it returns 0 if all is well.
    pub prepare: String,
    /// The functions to time.
    pub works: Vec<Work>,
}

/// A function to time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// What it does: `kernel`, `ecb`, `ctr`, `xor` or `permute`.
    pub what: &'static str,
    /// The C function, without parameters.
    pub symbol: String,
    /// Bytes that a call works on.
    pub bytes: u32,
}

/// Bytes of a block, of a block of keystream, or of a state.
pub fn block_bytes(primitive: &Primitive) -> u32 {
    match &primitive.function {
        Function::BlockCipher(cipher) => cipher.block.bytes,
        Function::Stream(cipher) => cipher.keystream.bytes,
        Function::Generator(cipher) => cipher.keystream.bytes,
        Function::Permutation(permutation) => permutation.state.bytes,
    }
}

/// The kernel that a primitive spends its time in, with what is known of it.
pub fn main_kernel(library: &OneLevel) -> Option<&Kernel> {
    let main = library.kernels.iter().find(|(role, _)| !matches!(*role, "decrypt" | "initialise"));
    main.map(|(_, compiled)| &compiled.kernel)
}

/// The C file with the functions to time, to be compiled with the files of the library. `prefix` is that of the library;
/// `blocks` is how many blocks a call of the whole path gets, 16 KiB of them if `None`.
pub fn functions(primitive: &Primitive, library: &OneLevel, prefix: &str, blocks: Option<u32>) -> Timed {
    let stem = format!("{prefix}{}", primitive.identifier());
    let block = block_bytes(primitive);
    let blocks = blocks.unwrap_or(BUFFER / block).max(1);
    let bytes = blocks * block;
    let mut text = format!("/* Functions to time. Generated. */\n#include \"{stem}.h\"\n");
    let mut works = Vec::new();
    let mut bodies = String::new();
    let mut add = |what: &'static str, bytes: u32, body: &str| {
        let symbol = format!("{stem}_time_{what}");
        let _ = write!(bodies, "void {symbol}(void);\nvoid {symbol}(void) {{ {body} }}\n");
        works.push(Work { what, symbol, bytes });
    };
    if let Some(kernel) = main_kernel(library) {
        text.push_str(&kernel.header);
        let (buffers, call) = kernel_call(kernel);
        text.push_str(&buffers);
        add("kernel", kernel.instances * block, &call);
    }
    let _ = writeln!(text, "static unsigned char text[{bytes}];");
    let mut preparation = String::from("return 0;");
    match &primitive.function {
        Function::BlockCipher(cipher) => {
            let _ = writeln!(text, "static {stem}_ctx ctx;");
            let _ = writeln!(text, "static unsigned char key[{}];", cipher.key.bytes);
            preparation = format!("return {stem}_init(&ctx, key) != USUBA_OK;");
            if cipher.modes.contains(&Mode::Ecb) {
                let mut given = "";
                if let Some(tweak) = cipher.tweak {
                    given = "tweaks, ";
                    let _ = writeln!(text, "static unsigned char tweaks[{}];", blocks * tweak.bytes);
                }
                add(
                    "ecb",
                    bytes,
                    &format!("(void){stem}_encrypt_blocks(&ctx, {given}text, text, {blocks});"),
                );
            }
            if cipher.modes.contains(&Mode::Ctr) {
                let _ = writeln!(text, "static unsigned char counter[{block}];");
                add("ctr", bytes, &format!("(void){stem}_ctr_xor(&ctx, counter, text, text, {bytes});"));
            }
        }
        Function::Stream(cipher) => {
            let _ = writeln!(text, "static unsigned char key[{}];", cipher.key.bytes);
            let _ = writeln!(text, "static unsigned char nonce[{}];", cipher.nonce.bytes);
            add("xor", bytes, &format!("(void){stem}_xor(key, nonce, 1, text, text, {bytes});"));
        }
        Function::Generator(cipher) => {
            let _ = writeln!(text, "static {stem}_ctx ctx;");
            let _ = writeln!(text, "static unsigned char key[{}];", cipher.key.bytes);
            let _ = writeln!(text, "static unsigned char nonce[{}];", cipher.nonce.bytes);
            preparation = format!("return {stem}_init(&ctx, key, nonce) != USUBA_OK;");
            add("xor", bytes, &format!("(void){stem}_xor(&ctx, text, text, {bytes});"));
        }
        Function::Permutation(_) => {
            add("permute", bytes, &format!("(void){stem}_permute(text, {blocks});"));
        }
    }
    let prepare = format!("{stem}_time_prepare");
    let _ = write!(text, "{bodies}int {prepare}(void);\nint {prepare}(void) {{ {preparation} }}\n");
    Timed { file: OutputFile { path: format!("{stem}_time.c"), contents: text }, prepare, works }
}

/// The buffers of a kernel and a call on them.
fn kernel_call(kernel: &Kernel) -> (String, String) {
    let mut text = String::new();
    let mut arguments = Vec::new();
    for (number, parameter) in kernel.parameters.iter().enumerate() {
        let _ = writeln!(
            text,
            "static {} buffer_{number}[{}] __attribute__((aligned(64)));",
            parameter.element,
            parameter.count.max(1)
        );
        let cast = if parameter.access == Access::Read { "" } else { "/* out */ " };
        arguments.push(format!("{cast}buffer_{number}"));
    }
    (text, format!("{}({});", kernel.symbol, arguments.join(", ")))
}

/// The C file with `main`, which prints what [`parse`] reads: for the work `what` of library number n the name `n:what`.
/// Its one argument, if there is one, is the number of the work that begins. With two, a work and a number, it only does the
/// work so often. With `only` it knows just the works of this name.
pub fn program(timed: &[&Timed], only: Option<&str>) -> OutputFile {
    let mut text = String::from(include_str!("harness/bench.c"));
    let mut rows = String::new();
    let mut preparation = String::new();
    for (number, timed) in timed.iter().enumerate() {
        let _ = writeln!(text, "int {}(void);", timed.prepare);
        let _ = writeln!(preparation, "    if ({}()) return 1;", timed.prepare);
        for work in timed.works.iter().filter(|work| only.is_none_or(|only| only == work.what)) {
            let _ = writeln!(text, "void {}(void);", work.symbol);
            let _ = writeln!(rows, "    {{\"{number}:{}\", {}, {}}},", work.what, work.symbol, work.bytes);
        }
    }
    let _ = write!(
        text,
        "\nstatic const struct work works[] = {{\n{rows}}};\nenum {{ COUNT = sizeof works / sizeof *works }};\n\n\
         int main(int argc, char **argv) {{\n{preparation}    unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 0;\n    \
         return argc > 2 ? repeat(works, COUNT, first, (unsigned)atoi(argv[2])) : measure(works, COUNT, first);\n}}\n"
    );
    OutputFile { path: "bench.c".into(), contents: text }
}

/// The measurements that the program of [`program`] has printed; lines of another form are left out.
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

/// The middle one of some figures, the upper one of the two if their number is even; `None` if there is none.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
