//! Kernels to be proved: a text, what is compiled of it for a target, and the object code of that.

use crate::run::{Compiler, RunError};
use usuba_codegen::Options as Naming;
use usuba_compiler::pipeline::{Compiled, Failure, Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate::elaborate;
use usuba_lang::load::Loaded;
use usuba_lang::typed;
use usuba_package::OutputFile;
use usuba_target::Target;
use usuba_verify::equal::{Atoms, Meaning};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::{Lifted, NoProof, Report, Verdict};
use usuba_verify::prove::Limits;

pub mod engine;
pub mod message;

/// Something that a proof of object code rests on. `SOUNDNESS.md` has the same table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caveat {
    /// Its code.
    pub code: &'static str,
    /// What is assumed, or not said.
    pub says: &'static str,
}

/// All caveats, by their codes.
pub const CAVEATS: [Caveat; 16] = [
    Caveat { code: "C1", says: "that the source is the standard is tested, not proved" },
    Caveat { code: "C2", says: "parser and elaboration are trusted: they say what the source means" },
    Caveat {
        code: "C3",
        says: "the meanings of instructions are tested against a processor (AArch64: an emulator), not proved",
    },
    Caveat { code: "C4", says: "the decoder is trusted" },
    Caveat { code: "C5", says: "the prover and its SAT solver are trusted" },
    Caveat {
        code: "C6",
        says: "the caller gives parameters that are aligned and neither overlap nor touch, 512 KiB of stack, and a clear \
               direction flag (AArch64: `FPCR.AH` clear)",
    },
    Caveat {
        code: "C7",
        says: "the caller gives masks of all zeros or all ones for bits that instances share",
    },
    Caveat { code: "C8", says: "the upper halves of vector registers at the return are not looked at" },
    Caveat {
        code: "C9",
        says: "parameters lie in memory in their order or the opposite one, where code compares addresses",
    },
    Caveat { code: "C10", says: "what is linked and loaded is what the object has" },
    Caveat { code: "C11", says: "it is about the kernel: transposition, drivers and modes are other code" },
    Caveat { code: "C12", says: "speculation, power and frequency are not in the model" },
    Caveat {
        code: "C13",
        says: "the functions around a kernel are proved for the numbers of blocks and bytes, and the ends of counters, that are said, \
               of strings shorter than 2^47 bytes, with round keys in the form that is proved of them; the kernel that they call is the one that is proved, with 512 KiB of stack of its own",
    },
    Caveat {
        code: "C14",
        says: "a mode is proved for the lengths that are said; S-boxes of 256 bytes are the same symbols for the same index; \
               polynomials modulo 2 of degree d are equal if they are at so many random points that others differ at one of \
               them with a probability of 1 - 2^-128, the points being those of a fixed generator",
    },
    Caveat {
        code: "C15",
        says: "a mode around engines is proved for any functions of a block and round keys in place of the cipher's, and code \
               that makes a key of its own for round keys as the text makes them: that engines are those is proved by \
               itself, that schedules are and that public functions put all together is tested",
    },
    Caveat {
        code: "C16",
        says: "a mode is proved for any length of strings shorter than 2^47 bytes if its text is the same for all numbers of turns, \
               its constants growing by as much in each, which is seen at some from two to five, if a value that a loop of the text \
               has so many turns before its end is the same value whatever turns the text is looked at in, and if the lengths that \
               it has are all below a greatest one",
    },
];

/// A node for a slicing and a target, and what says what its object code is to compute.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The node as its text has it, tables as they are: no lowering, pass or selection is between the text and it.
    pub text: typed::Program,
    /// What is compiled of it.
    pub compiled: Compiled,
    /// The file of the kernel: the symbol with the ending of its language.
    pub file: String,
}

impl Subject {
    /// Compiles a node; the code is not compiled further.
    ///
    /// # Errors
    /// As for [`compile`].
    pub fn of(
        loaded: &Loaded,
        settings: &Settings,
        target: &Target,
        naming: &Naming,
    ) -> Result<Subject, Failure> {
        let compiled = compile(loaded, settings, target, naming, &mut ())?;
        let (text, findings) = elaborate(&loaded.program, &settings.as_written());
        let text = text.ok_or(Failure::Program(findings))?;
        let file = format!("{}.{}", compiled.kernel.symbol, naming.backend.extension());
        Ok(Subject { text, compiled, file })
    }

    /// What a C compiler makes of the kernel: the bytes of an object file.
    ///
    /// # Errors
    /// The compiler said something, or the system refused something.
    pub fn object(&self, compiler: &Compiler, flags: &[&str]) -> Result<Vec<u8>, RunError> {
        let kernel = &self.compiled.kernel;
        let files = [
            OutputFile { path: self.file.clone(), contents: kernel.source.clone() },
            OutputFile { path: format!("{}.h", kernel.symbol), contents: kernel.header.clone() },
        ];
        compiler.objects(&files, flags, None)?.content(&self.file)
    }

    /// What one batch is to compute.
    pub fn meaning(&self) -> Meaning<'_> {
        let atoms = if self.compiled.in_planes() { Atoms::Planes } else { Atoms::InOrder };
        Meaning::Text(&self.text, atoms)
    }

    /// The codes of what a proof of its object code rests on.
    pub fn caveats(&self) -> Vec<&'static str> {
        let has_masks = self.compiled.kernel.shape.slicing == Slicing::B
            && self.compiled.kernel.parameters.iter().any(|parameter| parameter.uniform);
        // What is said of engines and of modes is not said of kernels.
        let is_of_others = |code: &str| ["C13", "C14", "C15", "C16"].contains(&code);
        let applies = |caveat: &&Caveat| !is_of_others(caveat.code) && (has_masks || caveat.code != "C7");
        CAVEATS.iter().filter(applies).map(|caveat| caveat.code).collect()
    }

    /// Runs a function of an object on symbols, to be compared with the text.
    ///
    /// # Errors
    /// As for [`Lifted::of`].
    pub fn lift(&self, object: &Object, function: &str) -> Result<Lifted<'_>, NoProof> {
        let Compiled { program, kernel, hoisted, .. } = &self.compiled;
        let prepared = (hoisted.as_ref(), kernel.rounds);
        Lifted::of(object, function, self.meaning(), program, prepared, &kernel.shape)
    }

    /// Proves that a function of an object is the kernel of the text, or refutes it.
    ///
    /// # Errors
    /// As for [`Lifted::of`].
    pub fn prove(
        &self,
        object: &Object,
        function: &str,
        limits: Limits,
    ) -> Result<(Verdict, Report), NoProof> {
        Ok(self.lift(object, function)?.decide(limits))
    }
}
