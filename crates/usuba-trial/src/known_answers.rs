//! Known answers: the same tests through every way to run a primitive.
//!
//! [`tests_of`] turns the vector files of a primitive into [`Test`]s, each a [`Request`] and what it must give. [`run`]
//! puts all of them to each [`Path`]: the reference interpreter, the interpreter of Usuba0 after all passes, compiled C,
//! and assembly. [`constructions`] does the same for the C that is over primitives. Compiled C is also put through the check of its modes ([`Plan::modes`]): every length, in place and misaligned,
//! against a loop that takes one block at a time.

use crate::messages;
use crate::run::{self, Family, RunError, SharedObjects};
use crate::variant::Variant;
use crate::vectors::{Kind, RoundKeys, VectorFile};
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};
use thiserror::Error;
use usuba_compiler::pipeline::{Failure, Overrides};
use usuba_package::manifest::{Function, Mode, Primitive};

use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_target::Target;

mod compiled;
pub mod constructions;
mod interpreted;

/// One of the two functions of a block cipher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CipherFunction {
    /// The cipher, or the permutation.
    Forward,
    /// The inverse of the cipher.
    Inverse,
}

/// Something that a primitive can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// The round keys of a key, as bytes in the schedule's order.
    RoundKeys {
        /// The key.
        key: Vec<u8>,
    },
    /// Every block (or state) by itself.
    Blocks {
        /// The key; empty for a permutation.
        key: Vec<u8>,
        /// The tweak of every block; empty for a primitive without.
        tweak: Vec<u8>,
        /// Which way.
        direction: CipherFunction,
        /// The blocks, one after another.
        blocks: Vec<u8>,
    },
    /// A block again and again.
    Chain {
        /// The key; empty for a permutation.
        key: Vec<u8>,
        /// How often.
        iterations: u32,
        /// The first block.
        block: Vec<u8>,
    },
    /// Counter mode of a block cipher.
    Counter {
        /// The key.
        key: Vec<u8>,
        /// The first counter block.
        counter: Vec<u8>,
        /// The text.
        data: Vec<u8>,
    },
    /// A stream cipher.
    Stream {
        /// The key.
        key: Vec<u8>,
        /// The nonce.
        nonce: Vec<u8>,
        /// The number of the first block; a generator starts at its beginning.
        counter: u64,
        /// The text.
        data: Vec<u8>,
    },
}

impl Request {
    /// Whether the sizes of key, nonce and blocks are those of a primitive.
    pub fn fits(&self, primitive: &Primitive) -> bool {
        let is = |bytes: &[u8], size: u32| bytes.len() == size as usize;
        let blocks_of = |bytes: &[u8], size: u32| bytes.len().is_multiple_of(size.max(1) as usize);
        match (self, &primitive.function) {
            (Request::RoundKeys { key }, Function::BlockCipher(cipher)) => is(key, cipher.key.bytes),
            (Request::Blocks { key, tweak, blocks, .. }, Function::BlockCipher(cipher)) => {
                is(key, cipher.key.bytes)
                    && is(tweak, cipher.tweak.map_or(0, |tweak| tweak.bytes))
                    && blocks_of(blocks, cipher.block.bytes)
            }
            (Request::Chain { key, block, .. }, Function::BlockCipher(cipher)) => {
                // There is no saying what tweak a step has.
                cipher.tweak.is_none() && is(key, cipher.key.bytes) && is(block, cipher.block.bytes)
            }
            (Request::Counter { key, counter, .. }, Function::BlockCipher(cipher)) => {
                is(key, cipher.key.bytes) && is(counter, cipher.block.bytes)
            }
            (Request::Stream { key, nonce, .. }, Function::Stream(cipher)) => {
                is(key, cipher.key.bytes) && is(nonce, cipher.nonce.bytes)
            }
            (Request::Stream { key, nonce, .. }, Function::Generator(cipher)) => {
                is(key, cipher.key.bytes) && is(nonce, cipher.nonce.bytes)
            }
            (Request::Blocks { key, tweak, blocks, .. }, Function::Permutation(permutation)) => {
                key.is_empty() && tweak.is_empty() && blocks_of(blocks, permutation.state.bytes)
            }
            (Request::Chain { key, block, .. }, Function::Permutation(permutation)) => {
                key.is_empty() && is(block, permutation.state.bytes)
            }
            _ => false,
        }
    }
}

/// A request and its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The file and the name in it, such as `aes-128.json: fips197-appB`.
    pub name: String,
    /// What is asked.
    pub request: Request,
    /// What must be answered.
    pub answer: Vec<u8>,
}

/// A way to run a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Path {
    /// The reference interpreter on the typed program; if the primitive has several texts, on each.
    Interpreter,
    /// The interpreter of Usuba0, after all passes, in each slicing.
    Usuba0,
    /// Generated C, in each slicing.
    C {
        /// The machine.
        target: &'static Target,
        /// The compiler.
        family: Family,
        /// The level of optimisation, such as `-O2`.
        optimisation: &'static str,
    },
    /// Generated assembly with a driver in C, in each slicing.
    Assembly {
        /// The machine.
        target: &'static Target,
        /// The compiler of the driver, which assembles the kernels.
        family: Family,
        /// The level of optimisation of the driver, such as `-O2`.
        optimisation: &'static str,
    },
    /// What a variant makes; its slicing is part of it.
    Variant {
        /// The machine.
        target: &'static Target,
        /// What is chosen.
        variant: Variant,
        /// The level of optimisation, such as `-O2`.
        optimisation: &'static str,
    },
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Interpreter => f.write_str("interpreter"),
            Path::Usuba0 => f.write_str("Usuba0"),
            Path::C { target, family, optimisation } | Path::Assembly { target, family, optimisation } => {
                let compiler = family.name();
                let assembly = if matches!(self, Path::Assembly { .. }) { " assembly" } else { "" };
                write!(f, "{}{assembly} {compiler} {optimisation}", target.name)
            }
            Path::Variant { target, variant, optimisation } => {
                write!(f, "{} {optimisation} {variant}", target.name)
            }
        }
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ways.
    pub paths: Vec<Path>,
    /// The slicings; those of the manifest if `None`.
    pub slicings: Option<Vec<Slicing>>,
    /// The most applications of a primitive that one test of an interpreter, or under an emulator, may take: chains beyond
    /// are left out and counted as skipped.
    pub interpreted_iterations: u32,
    /// The same for compiled code that this machine runs itself.
    pub compiled_iterations: u32,
    /// Whether compiled code is also put through the check of its modes.
    pub modes: bool,
    /// What runs compiled code in place of this machine and of the target's emulator; empty for these.
    pub runner: Vec<String>,
    /// How nodes are compiled. The interpreters run one instance after another: they never interleave.
    pub overrides: Overrides,
    /// What was compiled so far: give the clones of one plan to all primitives of a cipher, which share kernels.
    pub objects: SharedObjects,
}

impl Plan {
    /// Everything on these ways, but for chains of more than 100 applications in interpreters and emulators.
    pub fn new(paths: Vec<Path>) -> Plan {
        Plan {
            paths,
            slicings: None,
            interpreted_iterations: 100,
            compiled_iterations: u32::MAX,
            modes: true,
            runner: Vec::new(),
            overrides: Overrides::default(),
            objects: SharedObjects::new(),
        }
    }
}

/// A test that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The way, with the slicing: `avx2 gcc -O2, slicing h`.
    pub way: String,
    /// The test.
    pub test: String,
    /// What was answered, in a few words.
    pub found: String,
    /// What should have been answered.
    pub expected: String,
}

/// How one way through the tests went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The way, with the slicing.
    pub way: String,
    /// Tests that gave what they should.
    pub passed: usize,
    /// Tests that did not, or that could not be run because the way is broken.
    pub failed: usize,
    /// Tests that this way was not asked.
    pub skipped: usize,
    /// Why the whole way was left out (a missing compiler, a target without the slicing), if it was.
    pub left_out: Option<String>,
    /// Why the whole way is broken, if it is.
    pub broken: Option<String>,
}

/// What came of a [`Plan`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// All that passed.
    pub passed: usize,
    /// All that failed.
    pub failed: usize,
    /// All that were skipped.
    pub skipped: usize,
    /// Way by way.
    pub outcomes: Vec<Outcome>,
    /// The failures, in order.
    pub failures: Vec<Mismatch>,
}

/// Why a way could not be gone.
#[derive(Debug, Error)]
pub(crate) enum WayError {
    /// It does not exist here: nothing is wrong.
    #[error("{0}")]
    Absent(String),
    /// Something is wrong.
    #[error("{0}")]
    Broken(String),
}

impl From<RunError> for WayError {
    fn from(error: RunError) -> WayError {
        match error {
            RunError::Missing { .. } | RunError::Features { .. } | RunError::Toolchain { .. } => {
                WayError::Absent(error.to_string())
            }
            _ => WayError::Broken(error.to_string()),
        }
    }
}

/// A failure of the pipeline in a few words.
pub(crate) fn explain(node: &str, failure: &Failure) -> WayError {
    match failure {
        Failure::Program(diagnostics) => {
            let first = diagnostics.iter().find(|d| d.is_error()).map_or("", |d| d.message.as_str());
            WayError::Broken(format!("`{node}` does not compile: {first}"))
        }
        Failure::Target(missing) => {
            let first = missing.first().map(ToString::to_string).unwrap_or_default();
            WayError::Absent(format!("`{node}` has no code: {first}"))
        }
        Failure::Internal(error) => WayError::Broken(format!("`{node}`: {error}")),
        Failure::Stopped => WayError::Broken(format!("the compilation of `{node}` was stopped")),
    }
}

/// The kind that a file of vectors of a primitive has, if it does not say.
pub fn kind_of(primitive: &Primitive) -> Kind {
    match &primitive.function {
        Function::BlockCipher(_) => Kind::BlockCipher,
        Function::Permutation(_) => Kind::Permutation,
        Function::Stream(_) | Function::Generator(_) => Kind::Stream,
    }
}

/// Whether a file of vectors is for a primitive, by its kind and by the name that it gives.
///
/// # Errors
/// Why not, to follow the name of the file.
pub fn is_for(primitive: &Primitive, file: &VectorFile) -> Result<(), String> {
    let kind = kind_of(primitive);
    // A block cipher has files of its counter mode, which serve all sizes of keys.
    let of_a_mode = kind == Kind::BlockCipher && file.kind == Kind::Stream;
    if file.kind != kind && !of_a_mode {
        return Err(messages::of_another_kind(&file.kind.to_string(), &kind.to_string(), &primitive.name));
    }
    if of_a_mode { Ok(()) } else { is_named(&primitive.name, file) }
}

/// Whether a file gives the name of a primitive or of a construction, or none. Names of people are compared by letters and
/// digits: up to a comma or a parenthesis either may go on where the other ends, as in `gift-64-fixsliced`, and that of the file may
/// have more words between, as in `Subterranean 2.0, 8 rounds`.
///
/// # Errors
/// Why not, to follow the name of the file.
pub fn is_named(name: &str, file: &VectorFile) -> Result<(), String> {
    let plain = |text: &str| -> String {
        let head = text.split([',', '(']).next().unwrap_or_default();
        head.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let Some(found) = &file.primitive else { return Ok(()) };
    let (own, theirs) = (plain(name), plain(found));
    // Words of the file that are not the primitive's are passed over.
    let mut left = own.as_str();
    for word in found.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        left = left.strip_prefix(word.to_ascii_lowercase().as_str()).unwrap_or(left);
    }
    let same =
        !theirs.is_empty() && (own.starts_with(&theirs) || theirs.starts_with(&own) || left.is_empty());
    if same { Ok(()) } else { Err(messages::of_another(found, name)) }
}

/// The tests in files of known answers that concern a primitive. `files` are the parsed files with their names.
///
/// A file of a stream cipher that a block cipher names holds vectors of its counter mode; those for keys of another size
/// are left out, and so are files of what is not a primitive.
pub fn tests_of(primitive: &Primitive, files: &[(String, VectorFile)]) -> Vec<Test> {
    let mut tests = Vec::new();
    for (file, content) in files.iter().filter(|(_, content)| is_for(primitive, content).is_ok()) {
        let mut add = |id: &str, request, answer: &[u8]| {
            tests.push(Test { name: format!("{file}: {id}"), request, answer: answer.to_vec() });
        };
        match &primitive.function {
            Function::BlockCipher(cipher) if content.kind == Kind::Stream => {
                for v in &content.vectors {
                    if v.key.len() == cipher.key.bytes as usize && cipher.modes.contains(&Mode::Ctr) {
                        let (key, counter) = (v.key.clone(), v.nonce.clone());
                        add(&v.id, Request::Counter { key, counter, data: v.input.clone() }, &v.output);
                    }
                }
            }
            Function::Stream(_) => {
                for v in &content.vectors {
                    let (key, nonce) = (v.key.clone(), v.nonce.clone());
                    let counter = v.counter.unwrap_or(0).into();
                    add(&v.id, Request::Stream { key, nonce, counter, data: v.input.clone() }, &v.output);
                }
            }
            // Files of generators have the keystream itself, which is what zeros are encrypted to.
            Function::Generator(_) => {
                for v in &content.vectors {
                    let (key, nonce) = (v.key.clone(), v.nonce.clone());
                    let data = if v.input.is_empty() { vec![0; v.output.len()] } else { v.input.clone() };
                    add(&v.id, Request::Stream { key, nonce, counter: 0, data }, &v.output);
                }
            }
            Function::BlockCipher(cipher) => {
                let both = cipher.decrypt.is_some();
                block_tests(content, both, &mut add);
                for trace in &content.traces {
                    let answer = match &trace.round_keys {
                        Some(RoundKeys::Bytes(bytes)) => bytes.clone(),
                        // Numbers say nothing of bytes: they are the words that the schedule makes, in order.
                        Some(RoundKeys::Words { width, words }) => {
                            match cipher.round_keys.schedule_order.encode(*width, words) {
                                Ok(bytes) => bytes,
                                Err(_) => continue,
                            }
                        }
                        None => continue,
                    };
                    add(&trace.id, Request::RoundKeys { key: trace.key.clone() }, &answer);
                }
            }
            Function::Permutation(_) => block_tests(content, false, &mut add),
        }
    }
    tests
}

fn block_tests(content: &VectorFile, both: bool, add: &mut impl FnMut(&str, Request, &[u8])) {
    let vectors = content.vectors.iter().map(|v| (&v.id, &v.key, &v.tweak, &v.input, &v.output));
    let bulk = content.bulk.iter().map(|b| (&b.id, &b.key, &b.tweak, &b.input, &b.output));
    for (id, key, tweak, input, output) in vectors.chain(bulk) {
        let request = |direction, blocks: &Vec<u8>| Request::Blocks {
            key: key.clone(),
            tweak: tweak.clone(),
            direction,
            blocks: blocks.clone(),
        };
        add(id, request(CipherFunction::Forward, input), output);
        if both {
            add(&format!("{id}, backward"), request(CipherFunction::Inverse, output), input);
        }
    }
    for chain in &content.chains {
        let request = Request::Chain {
            key: chain.key.clone(),
            iterations: chain.iterations,
            block: chain.start.clone(),
        };
        add(&chain.id, request, &chain.last);
    }
}

/// How far a way has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// The way, with the slicing.
    pub way: &'a str,
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub ways: usize,
}

/// Runs all tests on every way of a plan, several ways at a time. `progress` is called before each way.
///
/// `loaded` is the program of the manifest's source, free of errors.
pub fn run(
    primitive: &Primitive,
    loaded: &Loaded,
    tests: &[Test],
    plan: &Plan,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Report {
    let slicings = plan.slicings.as_ref().unwrap_or(&primitive.slicings);
    let mut ways: Vec<(Path, Option<Slicing>)> = Vec::new();
    for &path in &plan.paths {
        match path {
            Path::Interpreter | Path::Variant { .. } => ways.push((path, None)),
            _ => ways.extend(slicings.iter().map(|&slicing| (path, Some(slicing)))),
        }
    }
    let names: Vec<String> = ways
        .iter()
        .map(|(path, slicing)| match slicing {
            Some(slicing) => format!("{path}, slicing {slicing}"),
            None => path.to_string(),
        })
        .collect();
    let answered: Vec<OnceLock<Result<Answers, WayError>>> = ways.iter().map(|_| OnceLock::new()).collect();
    let progress = Mutex::new(progress);
    run::in_parallel(ways.len(), |number| {
        let (Some(&(path, slicing)), Some(way)) = (ways.get(number), names.get(number)) else { return };
        let at = Progress { way, number, ways: ways.len() };
        progress.lock().unwrap_or_else(PoisonError::into_inner)(at);
        let answers = match path {
            Path::Interpreter => interpreted::reference(primitive, loaded, tests, plan),
            Path::Usuba0 => {
                let slicing = slicing.unwrap_or(Slicing::V);
                interpreted::normal_form(primitive, loaded, slicing, tests, plan)
            }
            Path::C { .. } | Path::Assembly { .. } | Path::Variant { .. } => {
                compiled::answers(primitive, loaded, slicing, path, tests, plan)
            }
        };
        if let Some(place) = answered.get(number) {
            let _ = place.set(answers);
        }
    });
    let expected = expected(tests);
    let mut report = Report::default();
    for (way, answers) in names.into_iter().zip(answered) {
        let answers = answers.into_inner();
        report.add(
            way,
            &expected,
            answers.unwrap_or_else(|| Err(WayError::Broken("it was not gone".into()))),
        );
    }
    report
}

/// The longest chain that is asked of an emulator: SM4's of a million blocks takes seconds where nothing is emulated.
pub const LONGEST_EMULATED: u32 = 10_000;

/// The tests through a program that is there already, made around a [`crate::harness`]; `way` is what it is called. Chains
/// beyond [`LONGEST_EMULATED`] are left out under an emulator and counted as skipped.
pub fn run_program(
    primitive: &Primitive,
    tests: &[Test],
    program: &run::Program,
    environment: &[(&str, &str)],
    way: &str,
) -> Report {
    let mut report = Report::default();
    let longest = if program.is_emulated() { LONGEST_EMULATED } else { u32::MAX };
    let answers = compiled::asked(primitive, tests, program, environment, longest, true);
    report.add(way.into(), &expected(tests), answers);
    report
}

/// What a way answers: one entry per test, `None` for those that it was not asked, and then complaints about modes.
pub(crate) struct Answers {
    /// Test by test.
    pub(crate) tests: Vec<Option<Vec<u8>>>,
    /// What the check of the modes says, if it was made; empty if all is well.
    pub(crate) modes: Option<String>,
}

impl Report {
    /// Whether nothing failed and something passed.
    pub fn is_success(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Puts the outcomes of another report after those of this one.
    pub fn extend(&mut self, other: Report) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.outcomes.extend(other.outcomes);
        self.failures.extend(other.failures);
    }

    fn add(&mut self, way: String, tests: &[Expected<'_>], answers: Result<Answers, WayError>) {
        let mut outcome =
            Outcome { way: way.clone(), passed: 0, failed: 0, skipped: 0, left_out: None, broken: None };
        match answers {
            Err(WayError::Absent(why)) => {
                outcome.skipped = tests.len();
                outcome.left_out = Some(why);
            }
            Err(WayError::Broken(why)) => {
                outcome.failed = tests.len();
                outcome.broken = Some(why);
            }
            Ok(answers) => {
                for (&(name, expected), answer) in tests.iter().zip(answers.tests) {
                    match answer {
                        None => outcome.skipped += 1,
                        Some(answer) if answer == expected => outcome.passed += 1,
                        Some(answer) => {
                            outcome.failed += 1;
                            let (found, expected) = difference(&answer, expected);
                            let test = name.to_owned();
                            self.failures.push(Mismatch { way: way.clone(), test, found, expected });
                        }
                    }
                }
                match answers.modes {
                    Some(complaint) if complaint.is_empty() => outcome.passed += 1,
                    Some(found) => {
                        outcome.failed += 1;
                        let (test, expected) = ("modes".into(), "agreement with one block at a time".into());
                        self.failures.push(Mismatch { way, test, found, expected });
                    }
                    None => {}
                }
            }
        }
        self.passed += outcome.passed;
        self.failed += outcome.failed;
        self.skipped += outcome.skipped;
        self.outcomes.push(outcome);
    }
}

/// The name of a test, and what must be answered.
type Expected<'a> = (&'a str, &'a [u8]);

fn expected(tests: &[Test]) -> Vec<Expected<'_>> {
    tests.iter().map(|test| (test.name.as_str(), &test.answer[..])).collect()
}

/// Two byte strings in hexadecimal; of long ones the part where they begin to differ.
fn difference(found: &[u8], expected: &[u8]) -> (String, String) {
    const SHOWN: usize = 32;
    if found.len() != expected.len() {
        return (format!("{} bytes", found.len()), format!("{} bytes", expected.len()));
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(0);
    let start = if found.len() <= SHOWN { 0 } else { at / 16 * 16 };
    let show = |bytes: &[u8]| {
        let digits: String = bytes.iter().skip(start).take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
        if start == 0 && bytes.len() <= SHOWN { digits } else { format!("{digits} (from byte {start})") }
    };
    (show(found), show(expected))
}
