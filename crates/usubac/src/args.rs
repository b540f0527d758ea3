//! The command line, as clap reads it.

use crate::metric::Metric;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use usuba_codegen::Scheduling;
use usuba_ir::layout::Slicing;
use usuba_target::core::TOLD_APART;
use usuba_verify::taint::Secret;

/// The Usuba compiler: a symmetric cipher, written once, to constant-time code for every machine.
#[derive(Parser, Debug)]
#[command(name = "usubac", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  usubac check ciphers/aes/aes.ua
  usubac run toy.ua --word 16 plain=0001,0203,0405,0607 key=0000,1111,2222,3333
  usubac build ciphers/aes --slicing h --target avx2 -o out
  usubac test ciphers/serpent --target native
  usubac explain ciphers/rectangle/rectangle.ua --entry Encrypt

Exit status: 0 all is well; 1 the input is wrong (or a test failed); 2 the command line is wrong; 3 `verify`
neither proved nor refuted what it was asked.")]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How results and diagnostics are printed.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// How results and diagnostics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check programs: syntax, names, types, every rule of the language.
    Check(Check),
    /// Format programs in place.
    Fmt(Fmt),
    /// Evaluate a program on one instance with the reference interpreter.
    Run(Run),
    /// Compile a node to C, or a cipher folder with its manifest to everything that encrypts bytes.
    Build(Build),
    /// Run known answers through a cipher: interpreters, and the compiled code on each target.
    Test(Test),
    /// Say which slicings and targets a program admits, why not the others, and what it costs.
    Explain(Explain),
    /// Measure a cipher: core cycles per byte, kernel only and whole path, beside what the ports allow.
    Bench(Bench),
    /// Find the fastest way to compile a cipher by measurement, and write it down for build, bench and test.
    Tune(Tune),
    /// Measure what batches of each engine of a library take, and write it down for build, which keeps the best.
    Engines(Engines),
    /// Search a small circuit for a table: exact where it can be, and it says so.
    Synth(Synth),
    /// Prove that two programs compute the same for all inputs, or show inputs for which they do not.
    Verify(Verify),
    /// List the machines that code is made for.
    Targets(Targets),
    /// Begin a cipher: a folder with a manifest, a text and known answers, which pass.
    New(New),
    /// Print completions for a shell.
    Completions(Completions),
    /// Print a manual page, or write those of all commands.
    Man(Man),
}

/// Where programs come from.
#[derive(Args, Clone, Debug, Default)]
pub struct Search {
    /// A folder in which to look for included files (repeatable).
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<String>,
    /// Turn the warnings about legacy meanings, and about mixes of operators that group otherwise than in C, into errors.
    #[arg(long)]
    pub strict: bool,
}

/// Which node, and what its parameters are.
#[derive(Args, Clone, Debug, Default)]
pub struct Entry {
    /// The node to take instead of the last definition; `S<2>` for an element of an array.
    #[arg(long, value_name = "NODE")]
    pub entry: Option<String>,
    /// The word size of polymorphic atoms (`v4`, `u'm`).
    #[arg(long, short = 'm', value_name = "M")]
    pub word: Option<u32>,
    /// The value of a `nat` parameter of the entry (repeatable).
    #[arg(long = "nat", value_name = "NAME=N", value_parser = parse_nat)]
    pub nats: Vec<(String, i64)>,
    /// Under `--slicing b`, make adders and multipliers out of gates instead of rejecting arithmetic.
    #[arg(long)]
    pub bitslice_arith: bool,
}

fn parse_nat(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=N")?;
    let value = value.parse().map_err(|_| format!("`{value}` is not an integer"))?;
    Ok((name.to_owned(), value))
}

/// A slicing on the command line; `None` for `auto`, the one that is predicted fastest on the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlicingArg(pub Option<Slicing>);

/// That nothing was said about the slicing.
pub const AUTO: SlicingArg = SlicingArg(None);

impl ValueEnum for SlicingArg {
    fn value_variants<'a>() -> &'a [SlicingArg] {
        const COUNT: usize = Slicing::ALL.len();
        const VARIANTS: [SlicingArg; COUNT + 1] = {
            let mut variants = [AUTO; COUNT + 1];
            let mut place = 0;
            while place < COUNT {
                variants[place] = SlicingArg(Some(Slicing::ALL[place]));
                place += 1;
            }
            variants
        };
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let name = self.0.map_or(Some("auto"), Slicing::name)?;
        let help = match self.0 {
            Some(Slicing::B) => "Bitsliced: a register holds one bit of each instance",
            Some(Slicing::V) => "Vertical: a lane holds a word of one instance",
            Some(Slicing::Packed(2)) => "Vertical, two words of 64 bits of one instance side by side",
            Some(Slicing::Packed(4)) => {
                "Vertical, four words of 32 bits of one instance side by side: for few blocks"
            }
            Some(Slicing::Packed(8)) => "Vertical, eight words of 16 bits of one instance side by side",
            Some(Slicing::Packed(_)) => "Vertical, sixteen words of 8 bits of one instance side by side",
            Some(Slicing::H) => "Horizontal: the bits of a word are spread over a register",
            None => "The one that is predicted fastest on the target",
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// The language of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum BackendArg {
    /// C with intrinsics.
    #[default]
    C,
    /// Assembly for x86-64.
    Asm,
}

/// `usubac check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac check aes.ua
  usubac check --strict --format json *.ua
  usubac check --slicing b des.ua

Every definition is checked, polymorphic ones for all word sizes. The exit status is 1 if any file has an error.")]
pub struct Check {
    /// The programs.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Check with words as they are (no slicing, v, h) or as their bits (b), of which there is no arithmetic.
    #[arg(long, value_enum)]
    pub slicing: Option<SlicingArg>,
    #[command(flatten)]
    pub search: Search,
}

/// `usubac fmt`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac fmt aes.ua
  usubac fmt --check ciphers/*/*.ua
  usubac fmt - < aes.ua

Comments are kept. Formatting twice changes nothing.")]
pub struct Fmt {
    /// The programs; `-` reads standard input and writes standard output.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Change nothing; name the files that would change and fail if there are any.
    #[arg(long)]
    pub check: bool,
}

/// `usubac run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac run chacha20.ua --entry QuarterRound x=11111111,01020304,9b8d6f43,01234567
  usubac run rectangle.ua --slicing b --entry SubColumn s=…

  usubac run ciphers/aes --mode gcm-seal t=16 key=00… iv=… aad=… plain=…
  usubac run ciphers/ascon/aead.ua --bytes --entry SealAEAD128 key=… nonce=… aad= plain=…

Each input is written name=ATOMS: its atoms in hexadecimal, separated by commas, row-major. Outputs are printed the same
way, one line each. Under `--slicing b` the atoms are bits.

With `--mode` or `--bytes` a message is computed: each input is a string of bytes in hexadecimal, which may be empty, and
lengths follow from them; a `nat` parameter, such as the length t of a tag, is a decimal number. A message whose tag is
wrong is refused, and the exit status is 1.")]
pub struct Run {
    /// The program, or with `--mode` the folder of a cipher.
    #[arg(value_name = "FILE|FOLDER")]
    pub file: String,
    /// Run a mode of operation over the block cipher of a folder: `ctr`, `gcm-seal`, … (an unknown name lists them).
    #[arg(long, value_name = "MODE", conflicts_with_all = ["slicing", "entry", "word", "bitslice_arith"])]
    pub mode: Option<String>,
    /// The primitive of the folder, where the length of the key does not tell.
    #[arg(long, value_name = "NAME", requires = "mode")]
    pub primitive: Option<String>,
    /// The inputs are strings of bytes, whose lengths are those of the program.
    #[arg(long, conflicts_with_all = ["slicing", "word", "bitslice_arith"])]
    pub bytes: bool,
    #[command(flatten)]
    pub entry: Entry,
    /// Evaluate with words as they are (no slicing, v, h) or as their bits (b).
    #[arg(long, value_enum)]
    pub slicing: Option<SlicingArg>,
    #[command(flatten)]
    pub search: Search,
    /// The inputs.
    #[arg(value_name = "NAME=ATOMS")]
    pub inputs: Vec<String>,
}

/// How to compile.
#[derive(Args, Clone, Debug)]
pub struct Compile {
    /// The slicing.
    #[arg(long, value_enum, default_value_t = AUTO)]
    pub slicing: SlicingArg,
    /// How many blocks a caller has at a time: `--slicing auto` then picks what is fastest for them, not for any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub blocks: Option<u64>,
    /// The targets, separated by commas; `native` is the best of this machine, `all` all of them. For a program, `native` if
    /// nothing is said.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub target: Vec<String>,
    /// The language of the kernels: `c`, or `asm` on x86-64. Drivers and key schedules are C. C if nothing is
    /// said or tuned.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Ignore what `usubac tune` has chosen. It is also left aside where another option contradicts it.
    #[arg(long)]
    pub no_tuned: bool,
}

fn order(text: &str) -> Result<Scheduling, String> {
    text.parse()
}

/// What the passes on Usuba0 do, and in which order instructions come.
#[derive(Args, Clone, Debug, Default)]
pub struct Overrides {
    /// Keep every loop whose iterations have one shape.
    #[arg(long, conflicts_with = "unroll")]
    pub no_unroll: bool,
    /// Keep no loop.
    #[arg(long)]
    pub unroll: bool,
    /// Bitsliced: split every node that does the same with each bit of its words into calls of the node of one bit.
    #[arg(long, conflicts_with = "no_split_nodes")]
    pub split_nodes: bool,
    /// Bitsliced: split no node into its bits.
    #[arg(long)]
    pub no_split_nodes: bool,
    /// Inline every call.
    #[arg(long, conflicts_with = "no_inline")]
    pub inline_all: bool,
    /// Inline no call.
    #[arg(long)]
    pub no_inline: bool,
    /// How many batches of instances a kernel computes at once: 1 for one; by default what `_interleave(n)` in the source
    /// says, else what a model of the machine finds, or a rule.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub inter_factor: Option<u32>,
    /// How many operations of one batch come between those of the others (with a factor of 2 if none is given).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub inter_granul: Option<u32>,
    /// The order of instructions: `auto`, the one that a model of the machine finds best, or one by name: `source`, `demand`,
    /// `pressure`, `latency`, `behind`… (a wrong name lists all).
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order)]
    pub order: Scheduling,
    /// Leave out a pass (repeatable; `usubac build --dump-after list` names them; `hoist-keys` is that what depends on keys
    /// only is computed once a key).
    #[arg(long, value_name = "PASS")]
    pub disable_pass: Vec<String>,
}

/// A format of circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Emit {
    /// Binary AIGER: an and-inverter graph.
    Aiger,
    /// Berkeley Logic Interchange Format.
    Blif,
    /// SMT-LIB 2, with bit vectors.
    Smtlib,
    /// Bristol Fashion, for multi-party computation.
    Bristol,
}

/// `usubac build`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac build toy.ua --slicing v --target avx2 -o out          one node: a kernel and its header
  usubac build ciphers/aes -o out                               a library that picks code for the machine it runs on
  usubac build ciphers/aes ciphers/serpent --drop-in -o out     the same as files to add to a project
  usubac build ciphers/aes --target native,gp64 -o out          for each target a library of its own, with one level
  usubac build ciphers/aes --mode gcm-seal --target avx2-vaes -o out
                                                                a mode of operation: one function for messages of any length
  usubac build ciphers/ascon/aead.ua --bytes --entry SealAEAD128 --target gp64 -o out
  usubac build toy.ua --slicing b --dump-after lower -o out     print Usuba0 on the way
  usubac build toy.ua --slicing v --stop-after fold             print Usuba0 and stop
  usubac build ciphers/aes/aes.ua --entry Encrypt128 --emit bristol,aiger -o out
                                                                one instance as a circuit of gates

Nothing is left half-written: files appear when all of them are complete. A file that usubac has not generated is not
overwritten.")]
pub struct Build {
    /// A program, or folders with a manifest `usuba.toml`.
    #[arg(value_name = "FILE|DIR", required = true)]
    pub paths: Vec<String>,
    /// Build a mode of operation over a block cipher of a folder: `ctr`, `gcm-seal`, … (an unknown name lists them). The primitive
    /// is the first if none is named.
    #[arg(long, value_name = "MODE", conflicts_with_all = ["entry", "word", "bytes", "library", "drop_in", "threads"])]
    pub mode: Option<String>,
    /// The entry is a message: its inputs are strings of bytes, whose lengths are those of the program.
    #[arg(long, conflicts_with_all = ["word", "library", "drop_in", "threads", "primitive"])]
    pub bytes: bool,
    /// Less code for a message, without what is faster on some cores only: AES-GCM with AVX-512 takes a third less.
    #[arg(long)]
    pub small: bool,
    /// Keep with a key what the first round of AES makes of counters, in 4 KB more, so that blocks of long messages take a round
    /// less: AES-GCM with nonces of 12 bytes, on `avx512-vaes`.
    #[arg(long)]
    pub keep_first_round: bool,
    #[command(flatten)]
    pub entry: Entry,
    #[command(flatten)]
    pub compile: Compile,
    #[command(flatten)]
    pub search: Search,
    /// Only these primitives of the manifest (repeatable).
    #[arg(long, value_name = "NAME")]
    pub primitive: Vec<String>,
    /// The folder for the results, made if it is missing.
    #[arg(short = 'o', long = "output", value_name = "DIR", default_value = ".")]
    pub output: PathBuf,
    /// Overwrite files that usubac has not generated.
    #[arg(long)]
    pub force: bool,
    /// Of cipher folders, make a library even though targets are named: for these, and for what every machine runs.
    #[arg(long)]
    pub library: bool,
    /// Make a library whose files can be added to a project: no folders, and no includes but its own headers.
    #[arg(long)]
    pub drop_in: bool,
    /// Make a library whose functions share large inputs among the threads of OpenMP.
    #[arg(long)]
    pub threads: bool,
    /// What all public names of a library or of a mode begin with.
    #[arg(long, value_name = "NAME", default_value = "usuba_")]
    pub prefix: String,
    /// The name of the function; `{target}` and `{slicing}` are replaced.
    #[arg(long, value_name = "NAME")]
    pub symbol: Option<String>,
    /// Write the node as a circuit of gates, for no machine, in these formats: one instance, proved equal to the source before it is
    /// written. docs/circuits.md has names and the order of bits.
    #[arg(long, value_enum, value_name = "FORMAT,…", value_delimiter = ',',
        conflicts_with_all = ["mode", "bytes", "slicing", "target", "backend", "blocks", "primitive", "library", "drop_in", "threads",
            "dump_after", "stop_after", "time_passes", "verify_each"])]
    pub emit: Vec<Emit>,
    #[command(flatten)]
    pub passes: Passes,
}

/// Looking into the pipeline.
#[derive(Args, Clone, Debug, Default)]
pub struct Passes {
    /// Print the program after a pass (repeatable; `all` for every pass, `list` names them).
    #[arg(long, value_name = "PASS")]
    pub dump_after: Vec<String>,
    /// Stop after a pass and print the program.
    #[arg(long, value_name = "PASS")]
    pub stop_after: Option<String>,
    /// Print the time that each pass takes.
    #[arg(long)]
    pub time_passes: bool,
    /// Prove that each pass, and lowering, keeps what the program computes, and say so; machine programs, and what is not proved,
    /// are compared on all inputs if they are few, else on random ones.
    #[arg(long)]
    pub verify_each: bool,
}

/// What is secret, of one function or of all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecretArg {
    /// The function, if it is one.
    pub function: Option<String>,
    /// The secret.
    pub secret: Secret,
}

fn secret(text: &str) -> Result<SecretArg, String> {
    let (function, rest) = match text.rsplit_once(':') {
        Some((name, rest)) => (Some(name.to_owned()), rest),
        None => (None, text),
    };
    let (is_pointee, digits) = rest.strip_prefix('*').map_or((false, rest), |digits| (true, digits));
    match digits.parse::<u8>() {
        Ok(number @ 1..=6) => {
            let number = number - 1;
            let secret = if is_pointee { Secret::Pointee(number) } else { Secret::Argument(number) };
            Ok(SecretArg { function, secret })
        }
        _ => Err(format!("`{rest}` is none of the arguments 1 to 6, nor what one points to, as in `*2`")),
    }
}

/// `usubac verify`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac verify ciphers/aes/aes.ua mine.ua --entry Encrypt128
  usubac verify tables.ua circuits.ua --entry SubBytes --other-entry Circuit
  usubac verify ciphers/aes/aes.ua kernel.o --entry Encrypt128 --slicing b --target avx2 --certificate kernel.proof
  usubac verify ciphers/aes/aes.ua --cc clang --entry Encrypt128 --slicing b --target avx2
  usubac verify ciphers/present --primitive present-80 --slicing b --target avx2 --cc gcc
  usubac verify ciphers/aes aes_128_gcm_seal.o --mode gcm-seal --target avx-aes --lengths t=16,ivlen=12,alen=20,len=0..64
  usubac verify ciphers/keccak/sha3.ua sha3_256.o --bytes --entry SHA3_256 --target gp64 --lengths len=0..200
  usubac verify --audit kernel.proof
  usubac verify --ct aes.o --secret '*2' --function encrypt
The two nodes have inputs and outputs of the same sizes, in the same order; how these are cut into words does not matter.
The proof is about the programs as the reference interpreter runs them, for all inputs. Where they differ, the inputs
that are printed were run through the interpreter, and the exit status is 1. It is 3 if neither was shown in the limits;
`--effort 10` tries ten times as long.

With `--target`, the second file is an object for x86-64 or AArch64 with the kernel that `usubac build FILE` makes for this slicing and
target, by any compiler. Its bytes are decoded and proved to compute what the source says, from memory to memory, for all
inputs of every instance, with no access outside of its parameters and its stack, the registers of its caller as they were, and
no branch or address that depends on data. What cannot be followed, and what breaks these rules, is said with the
instruction, and the exit status is 3. A certificate says what was proved of which bytes; `--audit` proves it again, and says what
differs (1).

With a folder for the program, the object is the file that a library of this slicing and target has for a block cipher, a
stream cipher or a permutation: its kernels, and the functions around them. These are round keys; one block or state, a batch and the
block after it; any number of batches, by induction, with nothing or a batch but for a block after them (`--every-number`: with
each number of blocks after them); and counter mode.

With `--mode` or `--bytes`, the object is what `usubac build` makes of a message: it is proved for strings of the lengths that are said,
in another place and where the input is, with what is prepared for a key. `--around` is for code of libraries that calls engines.
With `+` behind a length, as in `len=5+`, it is proved for this one and all that are longer by turns of the loop of the code, by induction;
where turns are of 16 bytes, `len=0..15+` are all lengths.

With `--ct`, an object file for x86-64, of any compiler: each function is followed along all of its paths, with what it calls in
the object, and a jump, an address, or an instruction of variable time that may depend on a secret is printed, with the
instructions that the secret came through, and their lines of source if it was compiled with `-g`. Exit status 0: there is none;
1: there are some, perhaps false alarms; 3: there is code that is not followed.")]
pub struct Verify {
    /// The program that says what is right; with `--target` also a folder with a manifest, for the engine of a library.
    #[arg(value_name = "FILE|DIR", required_unless_present_any = ["ct", "audit"])]
    pub left: Option<String>,
    /// The program that is to compute the same, or with `--target` an object file.
    #[arg(value_name = "FILE|FILE.o", required_unless_present_any = ["ct", "audit", "cc"])]
    pub right: Option<String>,
    /// The slicing of the kernel in the object.
    #[arg(long, value_enum, requires = "target")]
    pub slicing: Option<SlicingArg>,
    /// The target of the kernel in the object.
    #[arg(long, value_name = "NAME", conflicts_with = "other_entry")]
    pub target: Option<String>,
    /// The object has the code of this mode over a block cipher of the folder, such as `gcm-seal`.
    #[arg(long, value_name = "MODE", group = "message", requires = "target", conflicts_with_all = ["slicing", "every_number", "inter_factor", "cc", "certificate", "entry"])]
    pub mode: Option<String>,
    /// The object has the code of a node that is a message: its inputs are strings of bytes, whose lengths are those of the program.
    #[arg(long, group = "message", requires = "target", conflicts_with_all = ["slicing", "every_number", "inter_factor", "cc", "certificate", "primitive", "word", "nats"])]
    pub bytes: bool,
    /// Lengths of a message, such as `t=16,ivlen=12,alen=20,len=100` (repeatable), where `len=0..32` are all from 0 to 32, and `len=5+`
    /// any number of turns of a loop more; some that fit if none are said.
    #[arg(long, value_name = "NAME=N,…", requires = "message")]
    pub lengths: Vec<String>,
    /// The code of a mode calls engines through `struct usuba_blocks`, as in libraries where a machine has no rounds of the cipher:
    /// it is proved for all ciphers with blocks of that size.
    #[arg(long, requires = "mode")]
    pub around: bool,
    /// The function in the object; the one that `usubac build` makes if nothing is said.
    #[arg(long, value_name = "NAME", requires = "target")]
    pub symbol: Option<String>,
    /// The primitive of the manifest; the first that is no generator if nothing is said.
    #[arg(long, value_name = "NAME", requires = "target", conflicts_with = "entry")]
    pub primitive: Option<String>,
    /// Of an engine, prove every number of blocks or states, not a few and those that leave nothing or a batch but for one for a
    /// last batch: as many proofs as a batch has blocks, and more.
    #[arg(long, requires = "target", conflicts_with_all = ["symbol", "entry"])]
    pub every_number: bool,
    /// How many batches the kernel computes, if it was built with this option.
    #[arg(long, value_name = "N", requires = "target", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub inter_factor: Option<u32>,
    /// Compile the kernel by this C compiler, `gcc` or `clang`, with -O2, instead of reading an object.
    #[arg(long, value_name = "CC", requires = "target", conflicts_with_all = ["right", "certificate"])]
    pub cc: Option<String>,
    /// Write what was proved, of which bytes, under which assumptions.
    #[arg(long, value_name = "FILE", requires = "target")]
    pub certificate: Option<PathBuf>,
    /// Prove again what a certificate says: its paths are taken from the current folder.
    #[arg(long, value_name = "CERTIFICATE",
        conflicts_with_all = ["left", "right", "entry", "other_entry", "word", "nats", "target", "ct", "effort"])]
    pub audit: Option<PathBuf>,
    /// Look for what depends on secrets in an object file.
    #[arg(long, value_name = "FILE.o", requires = "secret",
        conflicts_with_all = ["left", "right", "entry", "other_entry", "target"])]
    pub ct: Option<PathBuf>,
    /// What is secret (repeatable): `2`, the value of the second argument of every function; `*2`, what it points to;
    /// `NAME:*2`, of one function.
    #[arg(long, value_name = "[NAME:][*]N", requires = "ct", value_parser = secret)]
    pub secret: Vec<SecretArg>,
    /// Only these functions (repeatable); all that other objects see if none is named.
    #[arg(long, value_name = "NAME", requires = "ct")]
    pub function: Vec<String>,
    #[command(flatten)]
    pub entry: Entry,
    /// The node of the second program, if its name is another one.
    #[arg(long, value_name = "NODE")]
    pub other_entry: Option<String>,
    /// How many times as long as usual the solver tries.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub effort: u32,
    #[command(flatten)]
    pub search: Search,
}

/// `usubac test`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac test ciphers/aes                                        all that the manifest names, on this machine
  usubac test ciphers/des --target all --cc gcc,clang            every target; foreign ones under an emulator
  usubac test ciphers/aes --vectors mine.json --slicing h

The last line is `N passed, M failed`.")]
pub struct Test {
    /// A folder with a manifest `usuba.toml`.
    #[arg(value_name = "DIR")]
    pub path: String,
    /// Vector files to use instead of those that the manifest names (repeatable).
    #[arg(long, value_name = "FILE.json")]
    pub vectors: Vec<String>,
    /// Only these primitives and constructions of the manifest (repeatable).
    #[arg(long, value_name = "NAME")]
    pub primitive: Vec<String>,
    /// Only these slicings, separated by commas; `auto` is what is predicted fastest on the targets.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub slicing: Vec<SlicingArg>,
    /// The targets, separated by commas; `native` is the best of this machine, `here` all that it runs, `all` all, with
    /// emulators; `none` only the interpreters.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "native")]
    pub target: Vec<String>,
    /// The language of the kernels: `c`, or `asm` on x86-64.
    #[arg(long, value_enum, default_value_t = BackendArg::C)]
    pub backend: BackendArg,
    /// The C compilers, separated by commas: `gcc`, `clang`.
    #[arg(long, value_name = "CC,…", value_delimiter = ',', default_value = "gcc,clang")]
    pub cc: Vec<String>,
    /// The optimisation levels for the C compilers, separated by commas.
    #[arg(long, value_name = "O,…", value_delimiter = ',', default_value = "2")]
    pub opt: Vec<String>,
    /// Leave out what `usubac tune` has chosen; otherwise it is one more way for each target.
    #[arg(long)]
    pub no_tuned: bool,
    #[command(flatten)]
    pub overrides: Overrides,
    #[command(flatten)]
    pub search: Search,
}

/// `usubac explain`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac explain toy.ua
  usubac explain ciphers/rectangle/rectangle.ua --entry Encrypt --target avx2,avx512
  usubac explain ciphers/aes
  usubac explain ciphers/chacha20 --target avx2,avx512 --blocks 3
  usubac explain ciphers/aes --mode gcm-seal
  usubac explain ciphers/ascon/aead.ua --bytes --entry SealAEAD128 --form

First what the node is, where that is proved (rounds of AES, layers of byte tables, multiplication in GF(2^n)), or why it is none
of these. For each slicing and target: instances per call, instructions, what the execution ports allow in cycles per byte at best, or
why there is no code. With `--blocks N` all that has code is ranked for a caller with N blocks at a time: a call computes a
whole batch, so that few blocks may be cheaper on narrower registers or in another slicing.

With `--mode` or `--bytes` a message is explained: its loops, what each carries from one iteration to the next, and so what may be
computed at once.")]
pub struct Explain {
    /// A program, or a folder with a manifest `usuba.toml`.
    #[arg(value_name = "FILE|DIR")]
    pub path: String,
    /// Explain a mode of operation over a block cipher of a folder: `ctr`, `gcm-seal`, … (an unknown name lists them).
    #[arg(long, value_name = "MODE", conflicts_with_all = ["entry", "word", "blocks"])]
    pub mode: Option<String>,
    /// The primitive of the folder; the first if nothing is said.
    #[arg(long, value_name = "NAME", requires = "mode")]
    pub primitive: Option<String>,
    /// The entry is a message: its inputs are strings of bytes, whose lengths are those of the program.
    #[arg(long, conflicts_with_all = ["word", "blocks"])]
    pub bytes: bool,
    /// Print the message as well, as it is written and after the passes.
    #[arg(long)]
    pub form: bool,
    #[command(flatten)]
    pub entry: Entry,
    /// The targets, separated by commas.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "all")]
    pub target: Vec<String>,
    /// Rank everything for a caller with so many blocks at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub blocks: Option<u64>,
    #[command(flatten)]
    pub overrides: Overrides,
    #[command(flatten)]
    pub search: Search,
}

/// `usubac bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac bench ciphers/serpent
  usubac bench ciphers/aes --primitive aes-128 --target avx2,avx512 --backend c,asm --cc clang
  usubac bench ciphers/rectangle --slicing b --vary loops=all --vary inline=sized,all
  usubac bench ciphers/ascon --target neon --runner 'sh on-the-board.sh'
  usubac bench ciphers/ascon --target neon --metric instructions

All variants of a primitive are compiled first and timed in one process, sample by sample in turn. Every sample is calibrated
by chains of dependent additions beside it; figures are the median over processes of the tenth percentile of samples.
docs/bench.md explains every column and the JSON.")]
pub struct Bench {
    /// A folder with a manifest `usuba.toml`.
    #[arg(value_name = "DIR")]
    pub path: String,
    /// Only these primitives of the manifest (repeatable).
    #[arg(long, value_name = "NAME")]
    pub primitive: Vec<String>,
    /// Only these slicings, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub slicing: Vec<SlicingArg>,
    /// The targets, separated by commas; `here` is all that this machine runs. Others are compiled, not timed.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "here")]
    pub target: Vec<String>,
    /// The languages of the kernels, separated by commas: `c`, and `asm` on x86-64.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "c")]
    pub backend: Vec<BackendArg>,
    /// The C compilers, separated by commas: `gcc`, `clang`.
    #[arg(long, value_name = "CC,…", value_delimiter = ',', default_value = "gcc,clang")]
    pub cc: Vec<String>,
    /// Every variant with each of these values of something that can be chosen (repeatable; `all` for all values; a wrong
    /// name lists what there is).
    #[arg(long, value_name = "KNOB=VALUE,…")]
    pub vary: Vec<String>,
    /// The optimisation level for the C compilers.
    #[arg(long, value_name = "O", default_value = "3")]
    pub opt: String,
    #[command(flatten)]
    pub overrides: Overrides,
    /// How many processes run the variants.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// How many blocks a call of the whole path gets, instead of 16 KiB of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub blocks: Option<u32>,
    /// What is counted. Instructions are counted under QEMU: that of a foreign target, `qemu-x86_64`, or `--runner`.
    #[arg(long, value_enum, default_value_t = Metric::Cycles)]
    pub metric: Metric,
    /// A command that runs programs elsewhere: the path of the program, and its argument, come after its words.
    #[arg(long, value_name = "CMD", value_parser = words)]
    pub runner: Option<Words>,
    /// Leave out what `usubac tune` has chosen.
    #[arg(long)]
    pub no_tuned: bool,
    #[command(flatten)]
    pub search: Search,
}

/// A command: its words.
pub type Words = std::sync::Arc<[String]>;

fn words(text: &str) -> Result<Words, String> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() { Err("it has no word".into()) } else { Ok(words.into()) }
}

/// What is timed for a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Part {
    /// The kernel alone.
    Kernel,
    /// Bytes in, bytes out: counter mode if there is one.
    #[default]
    Whole,
}

impl Part {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Part::Kernel => "kernel",
            Part::Whole => "whole",
        }
    }
}

/// `usubac tune`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac tune ciphers/aes --primitive aes-128
  usubac tune ciphers/serpent --target avx2,avx512 --budget 300
  usubac tune ciphers/ascon --target neon --runner 'sh on-the-board.sh'
  usubac tune ciphers/des --resume                               goes on after an interruption

Slicings, backends, compilers, orders and whatever else can be chosen are tried step by step from the best so far. What the
model shows to be slower is not timed; the rest is, beside the default in the same process. What is clearly faster at the end,
and gives all known answers, is written to `tuned.toml` beside the manifest, which build, bench and test read. docs/bench.md
explains the search and the file.")]
pub struct Tune {
    /// A folder with a manifest `usuba.toml`.
    #[arg(value_name = "DIR")]
    pub path: String,
    /// Only these primitives of the manifest (repeatable).
    #[arg(long, value_name = "NAME")]
    pub primitive: Vec<String>,
    /// The targets, separated by commas; `here` is all that this machine runs.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "native")]
    pub target: Vec<String>,
    /// How many seconds to search for each primitive and target; the comparison at the end comes on top.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub budget: u64,
    /// What is timed.
    #[arg(long, value_enum, default_value_t = Part::Whole)]
    pub part: Part,
    /// How many blocks a call of the whole path gets, instead of 16 KiB of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub blocks: Option<u32>,
    /// Only these slicings, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub slicing: Vec<SlicingArg>,
    /// The C compilers, separated by commas: `gcc`, `clang`.
    #[arg(long, value_name = "CC,…", value_delimiter = ',', default_value = "gcc,clang")]
    pub cc: Vec<String>,
    /// Try only these values of something that can be chosen (repeatable; a wrong name lists what there is).
    #[arg(long, value_name = "KNOB=VALUE,…")]
    pub vary: Vec<String>,
    /// The optimisation level for the C compilers.
    #[arg(long, value_name = "O", default_value = "3")]
    pub opt: String,
    /// How many processes compare the best with the default at the end.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// What is counted. Instructions are counted under QEMU: that of a foreign target, `qemu-x86_64`, or `--runner`.
    #[arg(long, value_enum, default_value_t = Metric::Cycles)]
    pub metric: Metric,
    /// A command that runs programs elsewhere: the path of the program, and its argument, come after its words.
    #[arg(long, value_name = "CMD", value_parser = words)]
    pub runner: Option<Words>,
    /// Go on with the search that was interrupted.
    #[arg(long)]
    pub resume: bool,
    /// Print what would be chosen; write no choice.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub search: Search,
}

/// The cores that libraries tell apart.
fn core_names() -> PossibleValuesParser {
    TOLD_APART.iter().map(|core| core.id).collect::<Vec<&str>>().into()
}

/// `usubac engines`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac engines ciphers/aes
  usubac engines ciphers/gift --primitive gift-64 --target avx2 --dry-run
  usubac engines ciphers/gift --runner 'ssh zen5 run' --core zen-5

A library has several implementations of a primitive, its engines: one for each target, slicing and width that pays for some
number of blocks. Which ones, `usubac build` decides by what a batch of each costs. This command compiles all there could be,
times a call of one batch of each on this machine, and writes that to the table of its core in `engines.toml` beside the manifest;
tables of other cores stay. Engines that are not in it cost what is estimated from execution ports. Where there is assembly for the kernels of an engine, it is timed as well, and
libraries have it where it is faster. docs/manifest.md explains the file.")]
pub struct Engines {
    /// A folder with a manifest `usuba.toml`.
    #[arg(value_name = "DIR")]
    pub path: String,
    /// Only these primitives of the manifest (repeatable); the rest of the file stays.
    #[arg(long, value_name = "NAME")]
    pub primitive: Vec<String>,
    /// Only these targets, separated by commas; `here` is all that this machine runs.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "here")]
    pub target: Vec<String>,
    /// The C compiler.
    #[arg(long, value_name = "CC", default_value = "gcc")]
    pub cc: String,
    /// Its optimisation level.
    #[arg(long, value_name = "O", default_value = "2")]
    pub opt: String,
    /// How many processes: the figures are medians over them.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub runs: u32,
    /// A command that runs programs elsewhere: the path of the program, and its argument, come after its words.
    #[arg(long, value_name = "CMD", value_parser = words)]
    pub runner: Option<Words>,
    /// The core whose table is written [default: that of this machine].
    #[arg(long, value_name = "NAME", value_parser = core_names())]
    pub core: Option<String>,
    /// Compare kernels in assembly with those in C, and leave all else that the file says as it is.
    #[arg(long)]
    pub assembly: bool,
    /// Print what was measured; write no file.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub search: Search,
}

/// Which gates a circuit may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BasisArg {
    /// and, or, xor, a & ~b, not.
    TwoInput,
    /// These, and the choice between two bits by a third.
    Select,
    /// Every function of three bits.
    Ternary,
}

/// `usubac synth`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac synth serpent.ua --table 'S<3>' --target avx512
  usubac synth --hex c56b90ad3ef84712 --basis two-input
  usubac synth --hex 63,7c,77,7b,… --basis ternary --visits 100000 -o mine.json

The circuit is made of a decision diagram, and of the published circuit if there is one, by computing gates anew from other
wires. Up to 5 inputs a SAT solver then looks for smaller ones and tries to prove that there are none. Every circuit is
checked for all inputs. The file is as those of the database of circuits. Of a table of eight bits that is inversion in
GF(2^8) between affine maps, these are printed too.")]
pub struct Synth {
    /// The program that has the table.
    #[arg(value_name = "FILE", required_unless_present = "hex", requires = "table")]
    pub file: Option<String>,
    /// The table in it; `S<2>` for an element of an array.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// The table itself: a hexadecimal digit for each value, or values separated by commas.
    #[arg(long, value_name = "VALUES", conflicts_with = "file")]
    pub hex: Option<String>,
    /// Number of output bits of `--hex`; as many as the largest value needs if it is not given.
    #[arg(long, value_name = "N", requires = "hex", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub outputs: Option<u32>,
    /// The gates.
    #[arg(long, value_enum, conflicts_with = "target")]
    pub basis: Option<BasisArg>,
    /// The gates of this target.
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// So many gates are tried to be computed anew, for each start and seed.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub visits: u32,
    /// So many seeds of random numbers are tried.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub seeds: u32,
    /// So many conflicts of the solver are spent on each number of gates; 0 to prove nothing.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub conflicts: u32,
    /// Do not begin with the published circuit.
    #[arg(long)]
    pub no_database: bool,
    /// The file for the circuit.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub search: Search,
}

/// `usubac targets`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac targets
  usubac targets --here
  cc $(usubac targets --flags avx2) -O2 …")]
pub struct Targets {
    /// Only the names of those that run here without an emulator.
    #[arg(long)]
    pub here: bool,
    /// Only the name of the widest that runs here.
    #[arg(long, conflicts_with = "here")]
    pub native: bool,
    /// Only the compiler flags of this one.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["here", "native"])]
    pub flags: Option<String>,
}

/// `usubac completions`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  usubac completions bash > /etc/bash_completion.d/usubac")]
pub struct Completions {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// `usubac new`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac new pebble
  usubac new ciphers/pebble && usubac test ciphers/pebble

The last part of the path is the name: lower-case letters, digits and single hyphens. The folder must not be there.")]
pub struct New {
    /// The folder to make.
    #[arg(value_name = "NAME")]
    pub folder: PathBuf,
}

/// `usubac man`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  usubac man build | man -l -
  usubac man --output /usr/local/share/man/man1")]
pub struct Man {
    /// A command; without it, the page of usubac itself.
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    pub command: Option<String>,
    /// Write the pages of usubac and of all commands to this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
