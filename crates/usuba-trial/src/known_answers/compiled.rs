//! Requests answered by compiled C: one process for all tests of a primitive.
//!
//! The functions under test have a name of their own, not that of the primitive: what primitives have in common (the
//! rounds of a cipher with keys of three sizes) is then the same text, and [`crate::run::SharedObjects`] compiles it once.

use super::{Answers, CipherFunction, Path, Plan, Request, Test, WayError, explain};
use crate::harness::{self, MESSAGE};
use crate::run::{Compiler, Program};
use crate::variant::Variant;
use usuba_codegen::Backend;
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_package::OutputFile;
use usuba_package::engine::BuildError;
use usuba_package::library;
use usuba_package::manifest::{Function, Mode, Primitive};

/// The tests through C; the slicing is that of the way, or of its variant.
pub fn answers(
    primitive: &Primitive,
    loaded: &Loaded,
    slicing: Option<Slicing>,
    path: Path,
    tests: &[Test],
    plan: &Plan,
) -> Result<Answers, WayError> {
    let (target, variant, optimisation) = match (path, slicing) {
        (Path::C { target, family, optimisation }, Some(slicing)) => {
            (target, Variant::new(slicing).by(family), optimisation)
        }
        (Path::Assembly { target, family, optimisation }, Some(slicing)) => {
            (target, Variant::new(slicing).by(family).through(Backend::Assembly), optimisation)
        }
        (Path::Variant { target, variant, optimisation }, _) => (target, variant, optimisation),
        _ => return Err(WayError::Absent("nothing is compiled".into())),
    };
    let compiler = if plan.runner.is_empty() {
        Compiler::find(target, variant.compiler())?
    } else {
        Compiler::with_runner(target, variant.compiler(), &plan.runner)?
    };
    let choices = variant.choices_over(&plan.overrides);
    let primitive = &Primitive { name: "cipher".into(), ..primitive.clone() };
    let library = library::one_level(primitive, loaded, target, &choices).map_err(|error| match &error {
        BuildError::Node { node, failure, .. } => explain(node, failure),
        BuildError::Driver { .. } | BuildError::Portable { .. } | BuildError::Message { .. } => {
            WayError::Broken(error.to_string())
        }
    })?;
    let (included, mut files): (Vec<OutputFile>, Vec<OutputFile>) =
        library.files.into_iter().partition(|file| file.path == library.source);
    files.push(harness::generate(primitive, &choices.prefix, library.batch));
    let program = plan.objects.compile(&compiler, &files, &included, &[optimisation])?;
    let longest =
        if compiler.runner.is_empty() { plan.compiled_iterations } else { plan.interpreted_iterations };
    asked(primitive, tests, &program, &[], longest, plan.modes)
}

/// The tests through a program made around a [`harness`]; chains longer than `longest` are left out.
pub fn asked(
    primitive: &Primitive,
    tests: &[Test],
    program: &Program,
    environment: &[(&str, &str)],
    longest: u32,
    modes: bool,
) -> Result<Answers, WayError> {
    let (input, sizes) = requests(primitive, tests, longest, modes);
    let output = program.run_asked(&[], &input, environment)?;
    let mut rest = &output[..];
    let mut take = |size: usize| -> Result<Vec<u8>, WayError> {
        let (answer, more) = rest
            .split_at_checked(size)
            .ok_or_else(|| WayError::Broken("the compiled program answers less than it was asked".into()))?;
        rest = more;
        Ok(answer.to_vec())
    };
    let mut answers = Vec::new();
    for size in sizes {
        let Size { before, answer, after } = size;
        take(before)?;
        answers.push(answer.map(&mut take).transpose()?);
        take(after)?;
    }
    let modes = if modes {
        let message = take(MESSAGE)?;
        Some(String::from_utf8_lossy(&message).trim_end_matches('\0').to_owned())
    } else {
        None
    };
    Ok(Answers { tests: answers, modes })
}

/// Bytes that the harness writes for a test.
struct Size {
    /// What is not looked at, before the answer: round keys.
    before: usize,
    /// The answer, if the test is asked.
    answer: Option<usize>,
    /// What is not looked at, after the answer: the counter.
    after: usize,
}

/// What the harness is to read, and what it will write. Chains of more than `longest` applications are not asked.
fn requests(primitive: &Primitive, tests: &[Test], longest: u32, modes: bool) -> (Vec<u8>, Vec<Size>) {
    let mut input = Vec::new();
    let mut sizes = Vec::new();
    let (block, round_keys, decrypts) = match &primitive.function {
        Function::BlockCipher(cipher) => {
            // Without functions for blocks, the harness encrypts them by counter mode, which decrypts none.
            let decrypts = cipher.decrypt.is_some() && cipher.modes.contains(&Mode::Ecb);
            (cipher.block.bytes as usize, cipher.round_keys.bytes as usize, decrypts)
        }
        Function::Stream(cipher) => (cipher.keystream.bytes as usize, 0, false),
        Function::Generator(cipher) => (cipher.keystream.bytes as usize, 0, false),
        Function::Permutation(permutation) => (permutation.state.bytes as usize, 0, false),
    };
    let keyed = matches!(primitive.function, Function::BlockCipher(_));
    let mut current: Option<&[u8]> = None;
    for test in tests {
        let mut size = Size { before: 0, answer: None, after: 0 };
        // Setting a key is answered by its round keys.
        if let Request::RoundKeys { key } = &test.request {
            input.push(b'K');
            input.extend(key);
            current = Some(key);
            size.answer = Some(round_keys);
        }
        if let Request::Blocks { key, .. } | Request::Chain { key, .. } | Request::Counter { key, .. } =
            &test.request
            && keyed
            && current != Some(key)
        {
            input.push(b'K');
            input.extend(key);
            current = Some(key);
            size.before = round_keys;
        }
        match &test.request {
            Request::Blocks { direction: CipherFunction::Inverse, .. } if !decrypts => {}
            Request::Blocks { direction, tweak, blocks, .. } => {
                input.push(match direction {
                    _ if !keyed => b'P',
                    CipherFunction::Forward => b'E',
                    CipherFunction::Inverse => b'D',
                });
                input.extend(((blocks.len() / block) as u64).to_le_bytes());
                for _ in 0..blocks.len() / block {
                    input.extend(tweak);
                }
                input.extend(blocks);
                size.answer = Some(blocks.len());
            }
            Request::Chain { iterations, .. } if *iterations > longest => {}
            Request::Chain { iterations, block, .. } => {
                input.push(b'N');
                input.extend(u64::from(*iterations).to_le_bytes());
                input.extend(block);
                size.answer = Some(block.len());
            }
            Request::Counter { counter, data, .. } => {
                input.push(b'C');
                input.extend((data.len() as u64).to_le_bytes());
                input.extend(counter);
                input.extend(data);
                size.answer = Some(data.len());
                size.after = counter.len();
            }
            Request::Stream { key, nonce, counter, data } => {
                input.push(b'X');
                input.extend(counter.to_le_bytes());
                input.extend((data.len() as u64).to_le_bytes());
                input.extend(key);
                input.extend(nonce);
                input.extend(data);
                size.answer = Some(data.len());
            }
            Request::RoundKeys { .. } => {}
        }
        sizes.push(size);
    }
    if modes {
        input.push(b'M');
    }
    (input, sizes)
}
