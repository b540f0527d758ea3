//! Engines to be proved: what a library has for a primitive on a target, and the object code of that.

use super::CAVEATS;
use crate::run::{Compiler, RunError};
use thiserror::Error;
use usuba_compiler::pipeline::Failure;
use usuba_lang::elaborate::elaborate;
use usuba_lang::load::Loaded;
use usuba_package::OutputFile;
use usuba_package::engine::{BuildError, Choices};
use usuba_package::library::one_level;
use usuba_package::manifest::{BlockCipher, Bytes, Function, Mode, Permutation, Primitive, Stream};
use usuba_target::Target;
use usuba_verify::object::batches::FEWEST;
use usuba_verify::object::blocks::{Format, Kernel, Report, Task, Unfit, Verdict};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::{self, Kept, NoProof};
use usuba_verify::prove::Limits;
use usuba_verify::symbolic::source;

/// The codes of what a proof of an engine rests on: masks are proved to be some, and what is around a kernel is not other code.
pub fn caveats() -> Vec<&'static str> {
    CAVEATS
        .iter()
        .map(|caveat| caveat.code)
        .filter(|code| !["C7", "C11", "C14", "C15", "C16"].contains(code))
        .collect()
}

/// Why an engine is not looked at.
#[derive(Debug, Error)]
pub enum NoEngine {
    /// It does not compile.
    #[error(transparent)]
    Build(#[from] Box<BuildError>),
    /// The text does not elaborate.
    #[error("the text does not elaborate")]
    Text(Box<Failure>),
    /// It is a generator.
    #[error("generators are not proved from bytes to bytes")]
    Function,
}

/// A direction of an engine.
#[derive(Clone, Debug)]
struct Direction {
    /// `encrypt` or `decrypt`; `kernel` of a permutation, `block` of a stream cipher.
    role: &'static str,
    /// Its kernel.
    kernel: super::Subject,
}

/// A function of an engine around a kernel, and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// `encrypt` or `decrypt`; `kernel` of a permutation, `block` of a stream cipher.
    pub role: &'static str,
    /// The function.
    pub function: String,
    /// What it does.
    pub task: Task,
}

/// How much is claimed of the numbers of blocks that a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A few, and all that leave nothing or a batch but for a block for a last batch.
    Some,
    /// All.
    All,
}

/// A number of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blocks {
    /// So many.
    These(usize),
    /// All that are so many more than a number of whole batches, if these are [`FEWEST`] or more.
    Batches(usize),
}

/// What an engine does.
#[derive(Clone, Debug)]
enum Doing {
    Blocks(Box<BlockCipher>),
    States(Permutation),
    Keystream(Stream),
}

/// An engine of a block cipher, a stream cipher or a permutation, and the texts that it has to be.
#[derive(Clone, Debug)]
pub struct Subject {
    doing: Doing,
    /// What its functions begin with.
    stem: String,
    /// The file of it, and what that includes or calls.
    source: String,
    files: Vec<OutputFile>,
    batch: usize,
    directions: Vec<Direction>,
}

impl Subject {
    /// Builds the library of one primitive for one target; the code is not compiled further.
    ///
    /// # Errors
    /// It does not compile, or nothing is known of engines of its kind.
    pub fn of(
        primitive: &Primitive,
        loaded: &Loaded,
        target: &'static Target,
        choices: &Choices,
    ) -> Result<Subject, NoEngine> {
        let seen = primitive.in_slicing(choices.slicing(), Some(target));
        let doing = match &seen.function {
            Function::BlockCipher(cipher) => Doing::Blocks(Box::new(cipher.clone())),
            Function::Permutation(permutation) => Doing::States(permutation.clone()),
            Function::Stream(stream) => Doing::Keystream(stream.clone()),
            Function::Generator(_) => return Err(NoEngine::Function),
        };
        let library = one_level(primitive, loaded, target, choices).map_err(Box::new)?;
        let mut directions = Vec::new();
        for (role, compiled) in library.kernels {
            let mut settings = choices.settings.clone();
            settings.entry.entry = Some(compiled.typed.instance(compiled.typed.entry()).name.clone());
            let (text, findings) = elaborate(&loaded.program, &settings.as_written());
            let text = text.ok_or_else(|| NoEngine::Text(Box::new(Failure::Program(findings))))?;
            let kernel = super::Subject { text, compiled, file: library.engine.clone() };
            directions.push(Direction { role, kernel });
        }
        Ok(Subject {
            doing,
            stem: library.engine.trim_end_matches(".c").to_owned(),
            source: library.engine,
            files: library.files,
            batch: library.batch as usize,
            directions,
        })
    }

    /// What a C compiler makes of the file of the engine: the bytes of an object file.
    ///
    /// # Errors
    /// The compiler said something, or the system refused something.
    pub fn object(&self, compiler: &Compiler, flags: &[&str]) -> Result<Vec<u8>, RunError> {
        self.object_of(&self.files(), compiler, flags)
    }

    /// The file of the engine and what it includes.
    pub fn files(&self) -> Vec<OutputFile> {
        let is_needed = |file: &&OutputFile| file.path.ends_with(".h") || file.path == self.source;
        self.files.iter().filter(is_needed).cloned().collect()
    }

    /// The same of other files of these names.
    ///
    /// # Errors
    /// As for [`Subject::object`].
    pub fn object_of(
        &self,
        files: &[OutputFile],
        compiler: &Compiler,
        flags: &[&str],
    ) -> Result<Vec<u8>, RunError> {
        compiler.objects(files, flags, None)?.content(&self.source)
    }

    /// Whether an object has the first kernel in a form that can be run: with the parameters that are known of it.
    pub fn fits(&self, object: &Object) -> bool {
        self.directions.first().is_some_and(|direction| {
            direction.kernel.lift(object, &direction.kernel.compiled.kernel.symbol).is_ok()
        })
    }

    /// Proves that the kernel of a direction is what its text says.
    ///
    /// # Errors
    /// The code is refused.
    pub fn kernel(
        &self,
        object: &Object,
        role: &str,
        limits: Limits,
    ) -> Result<(kernel::Verdict, kernel::Report), NoProof> {
        let kernel = self.kernel_of(role);
        Ok(kernel.lift(object, &kernel.compiled.kernel.symbol)?.decide(limits))
    }

    /// The name of the kernel of a direction.
    pub fn symbol(&self, role: &str) -> &str {
        &self.kernel_of(role).compiled.kernel.symbol
    }

    /// Whether each block has a tweak.
    pub fn has_tweaks(&self) -> bool {
        matches!(&self.doing, Doing::Blocks(cipher) if cipher.tweak.is_some())
    }

    /// The node of a direction.
    pub fn node(&self, role: &str) -> &str {
        let text = &self.kernel_of(role).text;
        &text.instance(text.entry()).name
    }

    /// Its directions: `encrypt`, and `decrypt` if it has one; `kernel` of a permutation, `block` of a stream cipher.
    pub fn roles(&self) -> Vec<&'static str> {
        self.directions.iter().map(|direction| direction.role).collect()
    }

    /// What there is to prove around the kernels of an object: round keys, and in each direction blocks ([`Subject::numbers`]);
    /// and the counter mode for a byte more than a batch. Of a permutation, as many states; of a stream cipher, a byte more than
    /// a batch from two counters.
    pub fn claims(&self, object: &Object, extent: Extent) -> Vec<Claim> {
        let cipher = match &self.doing {
            Doing::Blocks(cipher) => cipher,
            Doing::States(_) => return self.claims_of_states(extent),
            Doing::Keystream(cipher) => return self.claims_of_keystream(cipher),
        };
        let mut claims: Vec<Claim> = Vec::new();
        for direction in &self.directions {
            let role = direction.role;
            let loads = [format!("{}_load_{role}_keys", self.stem), format!("{}_load_round_keys", self.stem)];
            let load = loads.into_iter().find(|load| object.function(load).is_ok());
            let task = if load.is_some() { Task::Load } else { Task::Same };
            let function = load.unwrap_or_else(|| format!("{}_{role}_blocks", self.stem));
            claims.push(Claim { role, function, task });
            if cipher.modes.contains(&Mode::Ecb) {
                let task = |(number, in_place)| match number {
                    Blocks::These(blocks) => Task::Apply { blocks, in_place },
                    Blocks::Batches(rest) => Task::Batches { rest, in_place },
                };
                let function = format!("{}_{role}_blocks", self.stem);
                let of = |number| Claim { role, function: function.clone(), task: task(number) };
                claims.extend(self.numbers(extent).into_iter().map(of));
            }
            if role == "encrypt" && cipher.modes.contains(&Mode::Ctr) {
                let length = self.batch * cipher.block.bytes as usize + 1;
                for (from, in_place) in [(0, false), (0x89ab_cdef, true)] {
                    let task = Task::Counter { length, from, in_place };
                    claims.push(Claim { role, function: format!("{}_ctr_xor", self.stem), task });
                }
            }
        }
        claims
    }

    /// Numbers of blocks, and whether the output is where the input is. Some are one block, a batch but for a block, a block more
    /// than a batch, and all that leave nothing or a batch but for a block for a last batch; or all that there are.
    fn numbers(&self, extent: Extent) -> Vec<(Blocks, bool)> {
        let batch = self.batch;
        match extent {
            Extent::Some => {
                let some = [(1, false), (batch - 1, true), (batch + 1, false)];
                let some = some.into_iter().filter(|&(blocks, _)| blocks > 0);
                let some = some.map(|(blocks, in_place)| (Blocks::These(blocks), in_place));
                let all =
                    [(0, false), (batch - 1, true)].map(|(rest, in_place)| (Blocks::Batches(rest), in_place));
                some.chain(all).collect()
            }
            Extent::All => {
                let few = (0..FEWEST * batch).map(Blocks::These);
                let all: Vec<Blocks> = few.chain((0..batch).map(Blocks::Batches)).collect();
                all.iter().flat_map(|&number| [false, true].map(|in_place| (number, in_place))).collect()
            }
        }
    }

    fn claims_of_states(&self, extent: Extent) -> Vec<Claim> {
        let function = format!("{}_permute", self.stem);
        // Always in place: so each number once.
        let mut numbers: Vec<Blocks> = self.numbers(extent).into_iter().map(|(number, _)| number).collect();
        numbers.dedup();
        let task = |number| match number {
            Blocks::These(states) => Task::Permute { states },
            Blocks::Batches(rest) => Task::BatchesOfStates { rest },
        };
        let of = |role: &'static str| {
            let of = |&number: &Blocks| Claim { role, function: function.clone(), task: task(number) };
            numbers.iter().map(of).collect::<Vec<_>>()
        };
        self.roles().into_iter().flat_map(of).collect()
    }

    fn claims_of_keystream(&self, cipher: &Stream) -> Vec<Claim> {
        let length = self.batch * cipher.keystream.bytes as usize + 1;
        // From the second one on, a carry goes through the lowest bytes in a batch.
        let of = |role: &'static str| {
            [(0, false), (0x89ab_ffff, true)].map(|(from, in_place)| {
                let from = from & (u64::MAX >> (64 - 8 * cipher.counter.bytes.min(8)));
                Claim {
                    role,
                    function: format!("{}_xor", self.stem),
                    task: Task::Stream { length, from, in_place },
                }
            })
        };
        self.roles().into_iter().flat_map(of).collect()
    }

    /// Proves that a function of an object does what is claimed, or refutes it; the kernel is what is proved of it by
    /// [`Subject::kernel`], whose report says which registers it leaves alone.
    ///
    /// # Errors
    /// The code is refused.
    pub fn prove(
        &self,
        object: &Object,
        claim: &Claim,
        kept: Kept,
        limits: Limits,
    ) -> Result<(Verdict, Report), Unfit> {
        let kernel = self.kernel_of(claim.role);
        let super::Subject { text, compiled, .. } = kernel;
        let (inputs, outputs) = (source::inputs(text), source::outputs(text));
        // The string of each instance, its tweak, what is made of it, and the strings that all have in common, in the order of
        // inputs.
        let (own, tweak, made, common): (Bytes, Option<Bytes>, Bytes, Vec<Bytes>) = match &self.doing {
            Doing::Blocks(cipher) => {
                let keys = cipher.round_keys;
                let keys = Bytes { bytes: keys.bytes, order: keys.cipher_order };
                (cipher.block, cipher.tweak, cipher.block, vec![keys])
            }
            Doing::States(permutation) => (permutation.state, None, permutation.state, Vec::new()),
            Doing::Keystream(cipher) => {
                (cipher.counter, None, cipher.keystream, vec![cipher.key, cipher.nonce])
            }
        };
        // Where inputs of the text stand side by side in one of the kernel, the text says which of them all have in common.
        let entry = &compiled.program.entry().inputs;
        let is_common: Vec<bool> = match entry.len() == inputs.len() {
            true => entry.iter().map(|input| input.uniform).collect(),
            false => {
                let entry = text.instance(text.entry());
                entry.inputs.iter().map(|&input| entry.variable(input).constant).collect()
            }
        };
        let of = |wanted: bool| {
            let inputs = inputs.iter().zip(&is_common).enumerate();
            let inputs = inputs.filter(move |(_, (_, common))| **common == wanted);
            inputs.map(|(number, (&shape, _))| (number, shape))
        };
        let mut of_each = of(false);
        let (Some((block, shape)), Some(&output)) = (of_each.next(), outputs.first()) else {
            return Err(Unfit::Parameters);
        };
        let tweak = tweak.zip(of_each.next());
        if of_each.next().is_some() || of(true).count() != common.len() {
            return Err(Unfit::Parameters);
        }
        let formats = common.iter().zip(of(true)).map(|(&bytes, (_, shape))| format(bytes, shape));
        let kernel = Kernel {
            symbol: &compiled.kernel.symbol,
            meaning: kernel.meaning(),
            program: &compiled.program,
            prepared: compiled.hoisted.as_ref(),
            shape: &compiled.kernel.shape,
            kept,
            blocks: [format(own, shape), format(made, output)],
            block,
            tweak: tweak.map(|(bytes, (number, shape))| (number, format(bytes, shape))),
            common: formats.collect(),
            rounds: compiled.kernel.rounds,
        };
        kernel.prove(object, &claim.function, claim.task, limits)
    }

    fn kernel_of(&self, role: &str) -> &super::Subject {
        let found = self.directions.iter().find(|direction| direction.role == role);
        found.map_or_else(|| panic!("no such direction: {role}"), |direction| &direction.kernel)
    }
}

/// Where an order has the bits of so many words of a width.
fn format(Bytes { bytes, order }: Bytes, (width, words): (u32, u32)) -> Format {
    let place = |word: u32, weight: u32| {
        let (byte, bit) = order.place(width, word as usize, width - 1 - weight);
        (byte, bit as usize)
    };
    let word = |word: u32| (0..width).map(|weight| place(word, weight)).collect();
    Format { bytes: bytes as usize, words: (0..words).map(word).collect() }
}
