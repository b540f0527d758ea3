//! Kernels of the repository's ciphers, compiled to objects.

use crate::ciphers::Cipher;
use crate::decoders::{aarch64_disagreements, disagreements};
use usuba_codegen::Options as Naming;
use usuba_compiler::pipeline::Settings;
use usuba_target::Target;
use usuba_trial::proof::Subject;
use usuba_trial::run::{Compiler, Family};
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::kernel::Verdict;
use usuba_verify::prove::Limits;
use usuba_verify::taint::{self, Secret};

/// The name of the function.
pub const SYMBOL: &str = "kernel";

/// A kernel, and what a compiler made of it.
pub struct Built {
    /// The kernel, and the text that it is to be.
    pub subject: Subject,
    /// The bytes of the object file.
    pub object: Vec<u8>,
}

/// A node of a cipher folder, compiled with `-O2`.
///
/// # Panics
/// If there is no code for it, or the compiler is not installed.
pub fn build(name: &str, settings: &Settings, target: &Target, compiler: &str) -> Built {
    let cipher = Cipher::read(name);
    let naming = Naming { symbol: SYMBOL.into(), header_name: format!("{SYMBOL}.h"), ..Naming::default() };
    let subject = Subject::of(&cipher.loaded, settings, target, &naming).expect("it compiles");
    let object = subject.object(&compiler_of(compiler, target), &["-O2"]).expect("an object");
    Built { subject, object }
}

/// A compiler for a target, whether or not this machine can run what it makes.
///
/// # Panics
/// If it is not installed.
pub fn compiler_of(name: &str, target: &Target) -> Compiler {
    let family = Family::named(name).expect("a compiler");
    Compiler::of(&target.toolchains[0], family).expect("it is installed")
}

/// What was found of an object.
pub enum Found {
    /// It computes what the text says; whether another way to look for secrets sees one where there is none.
    Proved {
        /// The instructions of a call.
        instructions: u64,
        /// What that way says.
        alarm: Option<String>,
    },
    /// Neither that nor the opposite, and why.
    NotProved(String),
    /// It does not, or two decoders read different instructions.
    Wrong(String),
}

/// Proves that an object is its kernel, reads it with another decoder, and looks for secrets another way.
pub fn examine(subject: &Subject, target: &Target, object: &[u8]) -> Found {
    let platform = target.toolchains[0].platform;
    let architecture = Architecture::of_platform(platform).expect("an architecture");
    let parsed = match Object::parse_for(object, architecture) {
        Ok(parsed) => parsed,
        Err(error) => return Found::Wrong(error.to_string()),
    };
    let (verdict, report) = match subject.prove(&parsed, SYMBOL, Limits::default()) {
        Ok(decided) => decided,
        Err(why) => return Found::NotProved(why.to_string()),
    };
    match verdict {
        Verdict::Proved => {}
        Verdict::Unknown => return Found::NotProved("the limits of the prover".into()),
        Verdict::Unfounded => return Found::NotProved("bits of which nothing is known".into()),
        Verdict::Refuted(example) => return Found::Wrong(format!("{example:?}")),
    }
    let disagreements = match architecture {
        Architecture::X86_64 => disagreements(object, SYMBOL),
        Architecture::Aarch64 => aarch64_disagreements(object),
    };
    if let Some((count, differences)) = disagreements
        && (count == 0 || !differences.is_empty())
    {
        return Found::Wrong(format!("of {count} instructions, {differences:#?}"));
    }
    // The other way to look for secrets knows x86-64 only.
    if architecture != Architecture::X86_64 {
        return Found::Proved { instructions: report.instructions, alarm: None };
    }
    let parameters = subject.compiled.kernel.parameters.len() as u8;
    let secrets: Vec<Secret> = (0..parameters).map(Secret::Pointee).collect();
    let alarm = match taint::check(&parsed, SYMBOL, &secrets) {
        Ok(found) => match (found.leaks.first(), found.unknown.first()) {
            (None, None) => None,
            (leak, unknown) => Some(format!("{leak:?} {unknown:?}")),
        },
        Err(why) => return Found::Wrong(why.to_string()),
    };
    Found::Proved { instructions: report.instructions, alarm }
}
