//! Kernels of the repository's ciphers, compiled to objects.

use crate::ciphers::Cipher;
use usuba_codegen::Options as Naming;
use usuba_compiler::pipeline::Settings;
use usuba_target::Target;
use usuba_trial::proof::Subject;
use usuba_trial::run::{Compiler, Family};

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
