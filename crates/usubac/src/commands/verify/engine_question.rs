//! What is to be proved of an engine of a library: read, and proved.

use super::limits;
use super::question::{UNFOUNDED, compiler, target};
use crate::args::{AUTO, Verify};
use crate::cipher::Cipher;
use crate::files;
use crate::output::{Failure, Output};
use std::path::Path;
use usuba_codegen::Backend;
use usuba_ir::layout::Slicing;
use usuba_package::engine::Choices;
use usuba_package::manifest::{self, Primitive};
use usuba_trial::proof::engine::{Claim, Extent, Subject};
use usuba_verify::object::batches::FEWEST;
use usuba_verify::object::blocks::{Task, Verdict};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::{self, Kept};

/// An engine that is to be proved.
pub struct Engine {
    /// The cipher.
    pub cipher: Cipher,
    /// The primitive.
    pub primitive: String,
    /// The slicing of the engine.
    pub slicing: Slicing,
    /// The object file.
    pub bytes: Vec<u8>,
    /// What is in it.
    pub object: Object,
    subject: Subject,
}

/// What was proved of a function.
pub struct Function {
    /// Its name.
    pub symbol: String,
    /// What it does, after its name.
    pub what: String,
    /// Instructions that were run.
    pub instructions: u64,
}

impl Engine {
    /// Reads the cipher and the object, or compiles one.
    pub fn read(verify: &Verify, output: &Output) -> Result<Engine, Failure> {
        let path = verify.left.as_deref().unwrap_or_default();
        let (Some(name), Some(slicing)) = (verify.target.as_deref(), verify.slicing.unwrap_or(AUTO).0) else {
            return Err(Failure::general(
                "an engine is that of a slicing and a target: name them with `--slicing` and `--target`",
            ));
        };
        if verify.symbol.is_some() || verify.entry.entry.is_some() {
            return Err(Failure::general(
                "an engine has several kernels: leave out `--entry` and `--symbol`",
            ));
        }
        let (target, architecture) = target(name)?;
        let cipher = Cipher::read(path, &verify.search, output)?;
        let primitive = primitive(&cipher, path, verify.primitive.as_ref())?;
        let mut choices = Choices::new(slicing);
        choices.settings.passes.interleave = verify.inter_factor;
        let subject = Subject::of(primitive, &cipher.loaded, target, &choices)
            .map_err(|why| Failure::general(format!("`{}` has no such engine: {why}", primitive.name)))?;
        let bytes = match &verify.right {
            Some(path) => files::read(Path::new(path))
                .map_err(|why| Failure::file("cannot read", Path::new(path), &why))?,
            None => compiler(target, verify.cc.as_deref().unwrap_or("gcc"))
                .and_then(|compiler| subject.object(&compiler, &["-O2"]))
                .map_err(|why| Failure::general(why.to_string()))?,
        };
        let object =
            Object::parse_for(&bytes, architecture).map_err(|why| Failure::general(why.to_string()))?;
        // Kernels of a library may be assembly, which names say, and of one with several sizes of keys they may take the number of
        // their rounds.
        let is_assembly = object.functions.iter().any(|function| function.name.contains("_asm_"));
        let backend = if is_assembly { Backend::Assembly } else { Backend::C };
        let others = [false, true].map(|turns| Choices { turns, backend, ..choices.clone() });
        let fitting =
            others.iter().filter(|_| verify.right.is_some() && !subject.fits(&object)).find_map(|other| {
                Subject::of(primitive, &cipher.loaded, target, other).ok().filter(|one| one.fits(&object))
            });
        let subject = fitting.unwrap_or(subject);
        let primitive = primitive.name.clone();
        Ok(Engine { cipher, primitive, slicing, bytes, object, subject })
    }

    /// Proves its functions, the kernels first, and says each.
    ///
    /// # Errors
    /// One is not proved, or refuted.
    pub fn prove(&self, verify: &Verify, mut say: impl FnMut(&Function)) -> Result<Vec<Function>, Failure> {
        let mut proved: Vec<Function> = Vec::new();
        let mut add = |symbol: &str, what: String, instructions: u64| {
            let function = Function { symbol: symbol.to_owned(), what, instructions };
            say(&function);
            proved.push(function);
        };
        let mut kept: Vec<(&str, Kept)> = Vec::new();
        for role in self.subject.roles() {
            let symbol = self.subject.symbol(role);
            // A kernel that compilers put into what calls it is proved as a part of that.
            if self.object.function(symbol).is_err() {
                continue;
            }
            let proof = self.subject.kernel(&self.object, role, limits(verify.effort));
            let (verdict, report) = proof.map_err(|why| not_proved(symbol, &why.to_string()))?;
            match verdict {
                kernel::Verdict::Proved => {}
                kernel::Verdict::Unknown => return Err(unknown(symbol, verify.effort)),
                kernel::Verdict::Unfounded => return Err(not_proved(symbol, UNFOUNDED)),
                kernel::Verdict::Refuted(found) => {
                    let what = format!("refuted: `{symbol}` differs from its text in {}", found.output);
                    return Err(Failure::general(what));
                }
            }
            kept.push((role, report.kept));
            add(symbol, format!("is the kernel of `{}`", self.subject.node(role)), report.instructions);
        }
        let extent = if verify.every_number { Extent::All } else { Extent::Some };
        // Functions of which each number of blocks is proved, with the instructions of all these proofs: said at their end.
        let mut of_all: Vec<(String, u64)> = Vec::new();
        for claim in self.subject.claims(&self.object, extent) {
            let of_role =
                kept.iter().find(|(role, _)| *role == claim.role).map_or(Kept::default(), |one| one.1);
            let proof = self.subject.prove(&self.object, &claim, of_role, limits(verify.effort));
            let (verdict, report) = proof.map_err(|why| not_proved(&claim.function, &why.to_string()))?;
            match verdict {
                Verdict::Proved if extent == Extent::All && is_of_a_number(claim.task) => {
                    match of_all.iter_mut().find(|(function, _)| *function == claim.function) {
                        Some((_, instructions)) => *instructions += report.instructions,
                        None => of_all.push((claim.function, report.instructions)),
                    }
                }
                Verdict::Proved => add(&claim.function, self.words(&claim), report.instructions),
                Verdict::Unknown => return Err(unknown(&claim.function, verify.effort)),
                Verdict::Unfounded => {
                    return Err(not_proved(&claim.function, UNFOUNDED));
                }
                Verdict::Refuted { byte } => {
                    let place = format!(
                        "byte {byte} of the output, or the block that begins there, is wrong for some inputs"
                    );
                    return Err(Failure::general(format!(
                        "refuted: `{}` does not do this: it {}; {place}",
                        claim.function,
                        self.words(&claim)
                    )));
                }
            }
        }
        for (function, instructions) in of_all {
            add(&function, "brings every number of blocks through the kernel".to_owned(), instructions);
        }
        Ok(proved)
    }

    /// What a function does, after its name.
    fn words(&self, claim: &Claim) -> String {
        let takes_tweaks = matches!(claim.task, Task::Apply { .. } | Task::Batches { .. });
        let more = if takes_tweaks && self.subject.has_tweaks() { ", each under its own tweak" } else { "" };
        format!("{}{more}", words(claim))
    }
}

/// Whether a task is about some number of blocks or states.
fn is_of_a_number(task: Task) -> bool {
    matches!(
        task,
        Task::Apply { .. } | Task::Permute { .. } | Task::Batches { .. } | Task::BatchesOfStates { .. }
    )
}

fn primitive<'a>(cipher: &'a Cipher, path: &str, name: Option<&String>) -> Result<&'a Primitive, Failure> {
    let named = cipher.primitives(name.map_or(&[], std::slice::from_ref))?;
    let is_proved = |one: &&Primitive| !matches!(one.function, manifest::Function::Generator(_));
    let missing = || {
        let rule = "engines of block ciphers, stream ciphers and permutations are proved";
        Failure::general(match name {
            Some(name) => format!("`{name}` is a generator: {rule}"),
            None => format!("`{path}` has generators only: {rule}"),
        })
    };
    named.into_iter().find(is_proved).ok_or_else(missing)
}

/// Any number of batches, and so many in a last one.
fn batches(rest: usize) -> String {
    format!("any number of batches, {FEWEST} or more, and {rest} ")
}

/// What a function does, after its name.
fn words(claim: &Claim) -> String {
    let place = |in_place: bool| if in_place { "in place" } else { "to another place" };
    match claim.task {
        Task::Load => format!("brings round keys into the form of the kernel that has to {}", claim.role),
        Task::Same => "takes round keys as they are".into(),
        Task::Apply { blocks, in_place } => {
            let s = if blocks == 1 { "" } else { "s" };
            format!("brings {blocks} block{s} through the kernel, {}", place(in_place))
        }
        Task::Batches { rest, in_place } => {
            format!("brings {}blocks, through the kernel, {}", batches(rest), place(in_place))
        }
        Task::BatchesOfStates { rest } => {
            format!("brings {}states, through the kernel, in place", batches(rest))
        }
        Task::Permute { states } => {
            let s = if states == 1 { "" } else { "s" };
            format!("brings {states} state{s} through the kernel, in place")
        }
        Task::Stream { length, from, in_place } => {
            format!("encrypts {length} bytes by counters from {from}, {}", place(in_place))
        }
        Task::Counter { length, from, in_place } => {
            format!("encrypts {length} bytes by counters from …{from:08x}, {}", place(in_place))
        }
    }
}

fn not_proved(function: &str, why: &str) -> Failure {
    Failure::Unknown(format!("`{function}` is not proved: {why}"))
}

fn unknown(function: &str, effort: u32) -> Failure {
    let more = effort.saturating_mul(10);
    Failure::Unknown(format!(
        "`{function}` is neither proved nor refuted in the limits\n  help: try `--effort {more}`"
    ))
}
