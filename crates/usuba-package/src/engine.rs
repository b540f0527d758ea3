//! An engine: an implementation of a primitive for one target, its kernels and their driver.

use crate::OutputFile;
use crate::driver::{self, DriverError, Image, Kernels, Labels, Parameter, Prepare};
use crate::manifest::{BlockCipher, Function, Primitive, Schedule};
use std::borrow::Cow;
use thiserror::Error;
use usuba_codegen::{Access, Backend, Definition, Kernel, KernelParameter, NoCode};
use usuba_compiler::pipeline::{self, Compiled, Failure, Settings};
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::load::Loaded;
use usuba_target::Target;
use usuba_target::machines::GP64;

/// Bytes on the stack that what is made of round keys may take, unless it saves more than [`WORTH_STACK`]. SKINNY-128-256 would take
/// 61,440, for a complement of a quarter of its masks: 96 of 37,169 instructions.
const MOST_MADE: u32 = 8192;
/// Where more is made, a batch may have so many times the instructions without it. GIFT-64 would have 1.035, a cipher with its key
/// schedule inside two.
const WORTH_STACK: f64 = 1.02;

/// What can be chosen about an engine.
#[derive(Clone, Debug)]
pub struct Choices {
    /// What the names of all functions and files begin with: `usuba_`.
    pub prefix: String,
    /// The command that makes the files, for their heads; may be empty.
    pub command: String,
    /// The language of the kernels; that of key schedules and of drivers is C.
    pub backend: Backend,
    /// How nodes are compiled. The entry is set for each of them, and the slicing for a key schedule, whose manifest says it.
    pub settings: Settings,
    /// Whether the kernels of a block cipher take the number of their turns from the caller, where they can: they may then be those of
    /// another size of keys.
    pub turns: bool,
}

impl Choices {
    /// The slicing of the cipher.
    pub fn slicing(&self) -> Slicing {
        self.settings.lowering.slicing
    }

    /// The usual ones.
    pub fn new(slicing: Slicing) -> Choices {
        Choices {
            prefix: "usuba_".into(),
            command: String::new(),
            backend: Backend::C,
            settings: Settings::new(slicing, None),
            turns: false,
        }
    }
}

/// Why an engine, or a library of them, cannot be built.
#[derive(Clone, Debug, Error)]
pub enum BuildError {
    /// A node has no code.
    #[error("the node `{node}` of `{primitive}` cannot be compiled")]
    Node {
        /// The primitive.
        primitive: String,
        /// The node.
        node: String,
        /// Why.
        failure: Failure,
    },
    /// A library has code for every machine, and there is none.
    #[error(
        "`{primitive}` has no code for `gp64`, which every machine runs, in the slicings that are asked for: a library needs \
         it; ask for another slicing, or for one machine with `--target`"
    )]
    Portable {
        /// The primitive.
        primitive: String,
    },
    /// Manifest and source disagree.
    #[error("primitive `{primitive}`: {error}")]
    Driver {
        /// The primitive.
        primitive: String,
        /// Where they disagree.
        error: DriverError,
    },
    /// A mode does not fit the cipher, or has no code.
    #[error("`{primitive}` has no mode `{mode}`: {reason}")]
    Message {
        /// The primitive.
        primitive: String,
        /// The mode, as the manifest has it.
        mode: &'static str,
        /// Why.
        reason: String,
    },
}

/// The files of an engine, and what a library must know of it.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Headers and sources, by no particular folder. Compile every `.c` and `.S`.
    pub files: Vec<OutputFile>,
    /// The headers of the networks that the driver includes: the same for all engines that have them.
    pub networks: Vec<OutputFile>,
    /// The path of the driver's source, for tests that include it.
    pub driver: String,
    /// Blocks that a kernel works on at once.
    pub batch: u32,
    /// How the kernels of a block cipher read round keys.
    pub keys: driver::KeyForms,
    /// The part of the driver that differs by the size of keys, if its kernels take the number of their turns.
    pub keys_only: Option<driver::KeysOnly>,
    /// The kernels, with what the compiler knows of each: the role, such as `encrypt`, and the outcome.
    pub kernels: Vec<(&'static str, Compiled)>,
}

/// The key schedule of a block cipher: the C of the function `schedule`, which runs it, and the files of its kernel if it
/// has one.
///
/// # Errors
/// The node does not compile, or the manifest does not fit it.
pub fn key_schedule(
    primitive: &Primitive,
    cipher: &BlockCipher,
    loaded: &Loaded,
    choices: &Choices,
) -> Result<(String, Vec<OutputFile>), BuildError> {
    let mut making = Making::new(primitive, loaded, choices);
    let kernel = making.key_schedule(cipher)?;
    let in_planes = making.kernels.iter().any(|(_, compiled)| compiled.in_planes());
    let seen = match in_planes {
        true => Cow::Owned(cipher.scheduled_in_planes().ok_or_else(|| refused_planes(primitive))?),
        false => Cow::Borrowed(cipher),
    };
    let text = driver::key_schedule(&seen, kernel.as_ref())
        .map_err(|error| BuildError::Driver { primitive: primitive.name.clone(), error })?;
    Ok((text, making.files))
}

/// What makes round keys under which encryption decrypts: the C of the function `decryption_keys`, which runs the node of the
/// manifest on general-purpose registers, and the files of its kernel; nothing if the manifest names none.
///
/// # Errors
/// The node does not compile, or the manifest does not fit it.
pub fn decryption_keys(
    primitive: &Primitive,
    cipher: &BlockCipher,
    loaded: &Loaded,
    choices: &Choices,
) -> Result<Option<(String, Vec<OutputFile>)>, BuildError> {
    let (Some(node), Some(schedule)) = (&cipher.decryption_keys, &cipher.schedule) else { return Ok(None) };
    let mut making = Making::new(primitive, loaded, choices);
    let kernel = making.kernel("decryption_keys", node, schedule.slicing, &GP64)?;
    let in_planes = making.kernels.iter().any(|(_, compiled)| compiled.in_planes());
    let seen = match in_planes {
        true => Cow::Owned(cipher.scheduled_in_planes().ok_or_else(|| refused_planes(primitive))?),
        false => Cow::Borrowed(cipher),
    };
    let text = driver::decryption_keys(&seen, &kernel)
        .map_err(|error| BuildError::Driver { primitive: primitive.name.clone(), error })?;
    Ok(Some((text, making.files)))
}

/// The key schedule of a block cipher on blocks of 16 bytes, as a function called `name`; nothing if the manifest has none, or
/// the target no code for it.
///
/// # Errors
/// The node does not compile, or the manifest does not fit it.
pub fn packed_schedule(
    primitive: &Primitive,
    loaded: &Loaded,
    target: &'static Target,
    choices: &Choices,
    name: &str,
) -> Result<Option<Engine>, BuildError> {
    let Function::BlockCipher(cipher) = &primitive.function else { return Ok(None) };
    let Some(node) = cipher.schedule.as_ref().and_then(|schedule| schedule.packed.as_ref()) else {
        return Ok(None);
    };
    let mut making = Making::new(primitive, loaded, choices);
    let kernel = match making.kernel("packed_schedule", node, Slicing::BLOCKS, target) {
        Ok(kernel) => kernel,
        Err(BuildError::Node { failure: Failure::Target(_), .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let contents = driver::packed_schedule(cipher, &kernel, name)
        .map_err(|error| BuildError::Driver { primitive: primitive.name.clone(), error })?;
    let driver = format!("{name}.c");
    let mut files = making.files;
    files.push(OutputFile { path: driver.clone(), contents });
    let (networks, keys) = (Vec::new(), driver::KeyForms::default());
    Ok(Some(Engine { files, networks, driver, batch: 1, keys, keys_only: None, kernels: making.kernels }))
}

/// Builds an implementation of a primitive for one slicing and target: without key schedule, and without the runtime. The
/// functions are those of [`driver`].
///
/// `loaded` is the program of the manifest's source, free of errors.
///
/// # Errors
/// A node does not compile, or the manifest does not fit the source.
pub fn build(
    primitive: &Primitive,
    loaded: &Loaded,
    target: &'static Target,
    choices: &Choices,
) -> Result<Engine, BuildError> {
    match choices.turns {
        true => match with_kernels(primitive, loaded, target, choices)? {
            // All of them, or none.
            engine if engine.keys_only.is_some() => Ok(engine),
            _ => with_kernels(primitive, loaded, target, &Choices { turns: false, ..choices.clone() }),
        },
        false => with_kernels(primitive, loaded, target, choices),
    }
}

fn with_kernels(
    primitive: &Primitive,
    loaded: &Loaded,
    target: &'static Target,
    choices: &Choices,
) -> Result<Engine, BuildError> {
    let primitive = &*primitive.in_slicing(choices.slicing(), Some(target));
    let mut making = Making::new(primitive, loaded, choices);
    let kernels = match &primitive.function {
        Function::BlockCipher(cipher) => Kernels::BlockCipher {
            encrypt: making.kernel("encrypt", &cipher.encrypt, choices.slicing(), target)?,
            decrypt: match cipher.decrypt_of_engines() {
                Some(node) => Some(making.kernel("decrypt", node, choices.slicing(), target)?),
                None => None,
            },
        },
        Function::Stream(cipher) => {
            Kernels::Stream(making.kernel("block", &cipher.block_function, choices.slicing(), target)?)
        }
        Function::Generator(cipher) => Kernels::Generator {
            generate: making.kernel("generate", &cipher.generate, choices.slicing(), target)?,
            initialise: making.kernel(
                "initialise",
                &cipher.initialise.node,
                cipher.initialise.slicing,
                &GP64,
            )?,
        },
        Function::Permutation(permutation) => {
            Kernels::Permutation(making.kernel("kernel", &permutation.permute, choices.slicing(), target)?)
        }
    };
    let labels = labels(target, choices);
    // The first is the one that runs for every block.
    let in_planes = making.kernels.first().is_some_and(|(_, compiled)| compiled.in_planes());
    let seen = if in_planes { seen_in_planes(primitive)? } else { Cow::Borrowed(primitive) };
    let primitive = &*seen;
    let mut engine = around(primitive, &kernels, target, &labels)?;
    engine.files.append(&mut making.files);
    engine.kernels = making.kernels;
    Ok(engine)
}

/// The primitive with its bytes in planes.
fn seen_in_planes(primitive: &Primitive) -> Result<Cow<'static, Primitive>, BuildError> {
    primitive.in_planes().map(Cow::Owned).ok_or_else(|| refused_planes(primitive))
}

fn refused_planes(primitive: &Primitive) -> BuildError {
    BuildError::Driver { primitive: primitive.name.clone(), error: DriverError::Planes }
}

/// An implementation around kernels that are there: without their files.
///
/// # Errors
/// The manifest does not fit the kernels.
pub fn around(
    primitive: &Primitive,
    kernels: &Kernels,
    target: &'static Target,
    labels: &Labels,
) -> Result<Engine, BuildError> {
    let batch = match kernels {
        Kernels::BlockCipher { encrypt: kernel, .. }
        | Kernels::Stream(kernel)
        | Kernels::Generator { generate: kernel, .. }
        | Kernels::Permutation(kernel) => kernel.instances,
    };
    let driver::Files { header, source, networks, keys, keys_only } =
        driver::generate(primitive, kernels, target, labels)
            .map_err(|error| BuildError::Driver { primitive: primitive.name.clone(), error })?;
    let driver = source.path.clone();
    Ok(Engine { files: vec![header, source], networks, driver, batch, keys, keys_only, kernels: Vec::new() })
}

/// What stands in the files of an implementation.
pub fn labels(target: &Target, choices: &Choices) -> Labels {
    let mut head = vec![format!("Generated by usubac {}. Do not edit.", env!("CARGO_PKG_VERSION"))];
    if !choices.command.is_empty() {
        head.push(format!("Command: {}", choices.command));
    }
    head.push(format!("Slicing {}, target {}: {}.", choices.slicing(), target.name, target.description));
    Labels { prefix: choices.prefix.clone(), head }
}

/// The state of building one primitive.
struct Making<'a> {
    primitive: &'a Primitive,
    loaded: &'a Loaded,
    choices: &'a Choices,
    stem: String,
    kernels: Vec<(&'static str, Compiled)>,
    files: Vec<OutputFile>,
}

impl<'a> Making<'a> {
    fn new(primitive: &'a Primitive, loaded: &'a Loaded, choices: &'a Choices) -> Making<'a> {
        let stem = format!("{}{}", choices.prefix, primitive.identifier());
        Making { primitive, loaded, choices, stem, kernels: Vec::new(), files: Vec::new() }
    }

    /// General-purpose registers are everywhere.
    fn key_schedule(&mut self, cipher: &BlockCipher) -> Result<Option<driver::Kernel>, BuildError> {
        let Some(Schedule { node, slicing, .. }) = &cipher.schedule else { return Ok(None) };
        self.kernel("key_schedule", node, *slicing, &GP64).map(Some)
    }

    fn kernel(
        &mut self,
        role: &'static str,
        node: &str,
        slicing: Slicing,
        target: &Target,
    ) -> Result<driver::Kernel, BuildError> {
        let symbol = format!("{}_{role}", self.stem);
        let mut settings = self.choices.settings.clone();
        settings.entry.entry = Some(node.to_owned());
        settings.lowering.slicing = slicing;
        // These run once a key.
        let once = matches!(role, "key_schedule" | "decryption_keys" | "packed_schedule" | "initialise");
        match role {
            // One key at a time.
            _ if once => (settings.passes.interleave, settings.passes.granularity) = (Some(1), None),
            // Both directions work on as many blocks.
            "decrypt" => {
                let encrypt = self.kernels.iter().find(|(role, _)| *role == "encrypt");
                let batches = encrypt.map(|(_, compiled)| compiled.kernel.shape.interleave);
                settings.passes.interleave = batches.or(settings.passes.interleave);
            }
            _ => {}
        }
        // What depends on round keys only is done once a key.
        settings.hoisted = matches!(role, "encrypt" | "decrypt");
        let backend = if once { Backend::C } else { self.choices.backend };
        let turns = self.choices.turns && settings.hoisted;
        let mut compiled = self.compile(node, &symbol, backend, (&settings, turns), target)?;
        if compiled.hoisted.is_some() && (!takes_round_keys(&compiled) || made_bytes(&compiled) > MOST_MADE) {
            settings.hoisted = false;
            let every_time = self.compile(node, &symbol, backend, (&settings, turns), target)?;
            if !takes_round_keys(&compiled) || saves_little(&compiled, &every_time) {
                compiled = every_time;
            } else {
                self.add(&compiled.kernel, backend);
            }
        }
        let mut kernel = interface(node, &format!("{symbol}.h"), &compiled);
        if let Some(program) = &compiled.hoisted {
            let definitions = pipeline::definitions(&compiled.typed, &self.loaded.sources);
            kernel.prepare = Some(self.prepare(program, definitions, &kernel, target)?);
        }
        self.kernels.push((role, compiled));
        Ok(kernel)
    }

    fn naming(&self, node: &str, symbol: &str, backend: Backend) -> usuba_codegen::Options {
        usuba_codegen::Options {
            symbol: symbol.to_owned(),
            header_name: format!("{symbol}.h"),
            command: self.choices.command.clone(),
            description: vec![format!("Node {node} of {}.", self.primitive.name)],
            backend,
            style: usuba_codegen::Style::Terse,
            ..usuba_codegen::Options::default()
        }
    }

    /// Compiles a node to files of its own.
    fn compile(
        &mut self,
        node: &str,
        symbol: &str,
        backend: Backend,
        (settings, turns): (&Settings, bool),
        target: &Target,
    ) -> Result<Compiled, BuildError> {
        let naming = usuba_codegen::Options { turns, ..self.naming(node, symbol, backend) };
        let compiled = pipeline::compile(self.loaded, settings, target, &naming, &mut ())
            .map_err(|failure| self.failure(node, failure))?;
        self.add(&compiled.kernel, backend);
        Ok(compiled)
    }

    fn failure(&self, node: &str, failure: Failure) -> BuildError {
        BuildError::Node { primitive: self.primitive.name.clone(), node: node.to_owned(), failure }
    }

    /// Adds the files of a kernel, or replaces them.
    fn add(&mut self, kernel: &Kernel, backend: Backend) {
        for (extension, contents) in [("h", &kernel.header), (backend.extension(), &kernel.source)] {
            let path = format!("{}.{extension}", kernel.symbol);
            self.files.retain(|file| file.path != path);
            self.files.push(OutputFile { path, contents: contents.clone() });
        }
    }

    /// The kernel that runs once a key for another one. In `B` and `V` one general-purpose register holds what is the same for
    /// all instances; elsewhere the same vectors do.
    fn prepare(
        &mut self,
        program: &Program,
        definitions: Vec<Definition>,
        user: &driver::Kernel,
        target: &Target,
    ) -> Result<Prepare, BuildError> {
        let symbol = format!("{}_prepare", user.symbol);
        let naming = usuba_codegen::Options { definitions, ..self.naming(&user.node, &symbol, Backend::C) };
        let checked = pipeline::checked(program).map_err(|failure| self.failure(&user.node, failure))?;
        let fits = matches!(user.image, Image::B | Image::V { .. });
        let alone = fits.then(|| usuba_codegen::generate(checked, &GP64, &naming));
        let made = match alone {
            None | Some(Err(NoCode::Missing(_))) => usuba_codegen::generate(checked, target, &naming),
            Some(made) => made,
        };
        let kernel = made.map_err(|no_code| self.failure(&user.node, no_code.into()))?;
        self.add(&kernel, Backend::C);
        let count = |access: Access| {
            let parameters = kernel.parameters.iter().filter(|parameter| parameter.access == access);
            parameters.map(|parameter| parameter.count).sum()
        };
        Ok(Prepare {
            symbol: kernel.symbol.clone(),
            header: format!("{}.h", kernel.symbol),
            element: kernel
                .parameters
                .iter()
                .find(|parameter| parameter.access == Access::Read)
                .map_or_else(String::new, |parameter| parameter.element.to_owned()),
            given: count(Access::Read),
            register: kernel.shape.register_type.to_owned(),
            registers: count(Access::Write),
            meaning: program.to_string(),
        })
    }
}

/// Bytes on the stack of what is made of round keys once a key, before it is narrowed to the masks that a kernel in `B` reads: a
/// register of 64 bits for each.
fn made_bytes(compiled: &Compiled) -> u32 {
    let kernel = &compiled.kernel;
    let is_narrowed = kernel.shape.slicing == Slicing::B && kernel.shape.register_type != "uint64_t";
    let masks = kernel.parameters.iter().filter(|parameter| parameter.uniform).map(|one| one.count);
    if is_narrowed { 8 * masks.sum::<u32>() } else { 0 }
}

/// Whether what is made once a key saves so little of a batch that it is not worth its stack.
fn saves_little(once: &Compiled, every_time: &Compiled) -> bool {
    let instructions = |compiled: &Compiled| compiled.kernel.report.instructions_run() as f64;
    instructions(every_time) <= WORTH_STACK * instructions(once)
}

/// Whether the node has one uniform input.
fn takes_round_keys(compiled: &Compiled) -> bool {
    let entry = compiled.typed.instance(compiled.typed.entry());
    entry.inputs.iter().filter(|&&input| entry.variable(input).constant).count() == 1
}

/// The parameters of a kernel of packed words, some of which are several of the source side by side: inputs and outputs.
fn packed_parameters(kernel: &Kernel) -> (Vec<Parameter>, Vec<Parameter>) {
    let (inputs, outputs): (Vec<_>, Vec<_>) =
        kernel.parameters.iter().partition(|parameter| parameter.access == Access::Read);
    let parameter = |parameter: &KernelParameter| Parameter {
        element: parameter.element.into(),
        elements: parameter.count,
        uniform: parameter.uniform,
        width: kernel.shape.lane,
        words: parameter.shape.iter().product::<u32>() * kernel.shape.pack
            / if parameter.uniform { 1 } else { kernel.shape.interleave.max(1) },
    };
    (inputs.into_iter().map(parameter).collect(), outputs.into_iter().map(parameter).collect())
}

/// What a driver needs to know of a compiled node.
fn interface(node: &str, header: &str, compiled: &Compiled) -> driver::Kernel {
    let kernel = &compiled.kernel;
    let entry = compiled.typed.instance(compiled.typed.entry());
    let variables = entry.inputs.iter().chain(&entry.outputs).map(|&id| entry.variable(id));
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (variable, parameter) in variables.zip(&kernel.parameters) {
        // The kernel knows the atoms, the source the words that they are the bits of, unless they are planes of several.
        let width = if compiled.in_planes() { kernel.shape.pack } else { variable.word.max(1) };
        let words = variable.atoms() * variable.width / width;
        let parameter = Parameter {
            element: parameter.element.into(),
            elements: parameter.count,
            uniform: parameter.uniform,
            width,
            words,
        };
        if inputs.len() < entry.inputs.len() { inputs.push(parameter) } else { outputs.push(parameter) }
    }
    if let Slicing::Packed(_) = kernel.shape.slicing {
        let words = inputs.iter().map(|input| input.words).collect::<Vec<_>>();
        (inputs, outputs) = packed_parameters(kernel);
        if compiled.hoisted.is_some() {
            // The words of round keys, not of what is made of them.
            for (input, words) in inputs.iter_mut().zip(words).filter(|(input, _)| input.uniform) {
                input.words = words;
            }
        }
    }
    driver::Kernel {
        node: node.into(),
        symbol: kernel.symbol.clone(),
        header: header.into(),
        instances: kernel.instances,
        interleave: kernel.shape.interleave,
        image: match kernel.shape.slicing {
            Slicing::B => Image::B,
            Slicing::V => Image::V { lane: kernel.shape.lane as usize / 8 },
            Slicing::Packed(_) => Image::Packed { lane: kernel.shape.lane as usize / 8 },
            Slicing::H if kernel.shape.is_bit_interleaved() => {
                Image::BitInterleaved { batch: kernel.shape.chunk_instances as usize }
            }
            Slicing::H => Image::H { batch: kernel.shape.chunk_instances as usize },
        },
        inputs,
        outputs,
        prepare: None,
        rounds: kernel.rounds.map(|rounds| {
            let elements = |atoms: u32| atoms * kernel.shape.uniform_elements;
            let [before, each, after] = [rounds.before, rounds.each, rounds.after].map(elements);
            driver::Rounds { before, each, after, ..rounds }
        }),
    }
}
