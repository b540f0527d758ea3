//! A library of ciphers: for each primitive its implementations for all machines of a kind, and public functions that pick
//! among them.
//!
//! An implementation for one target is an *engine* ([`crate::engine`]): one C file, and assembly if it was chosen,
//! that any compiler call takes without flags, as the file says for which machine it is. The public functions
//! (`templates/`) ask once what the machine has and choose the engine by the number of blocks ([`steps`]).

mod amalgamate;
mod batches;
mod conditions;
mod constructions;
mod cpu;
mod drop_in;
mod engines;
mod estimate;
mod folder;
mod front;
pub mod measured;
mod messages;
mod pieces;
mod platforms;
mod primitives;
mod runtime;
mod schedule;
mod share;
mod shared;
mod source;
pub mod steps;

pub use engines::fewer_at_once;
pub use folder::earlier_files;

use crate::OutputFile;
use crate::driver::Kernels;
use crate::engine::{BuildError, Choices};
use crate::manifest::{Function, Manifest, Primitive};
use crate::template::Values;
use measured::Measured;
use rayon::prelude::*;
use schedule::KeySchedule;
use usuba_compiler::pipeline::Compiled;
use usuba_lang::load::Loaded;
use usuba_target::Target;

/// A cipher folder, read.
#[derive(Clone, Copy, Debug)]
pub struct Cipher<'a> {
    /// Its manifest.
    pub manifest: &'a Manifest,
    /// Its program, free of errors.
    pub loaded: &'a Loaded,
    /// The files of its constructions, with the prefix of the library: [`crate::construction::files`].
    pub constructions: &'a [OutputFile],
    /// What its engines took where they were measured.
    pub measured: Option<&'a Measured>,
}

/// How code is chosen: for a primitive and a target what is worth trying, a way for each slicing. What has no code for the
/// target is left out.
pub type Choose<'a> = dyn Fn(Cipher, &Primitive, &'static Target) -> Vec<Choices> + Sync + 'a;

/// Whether two primitives of a cipher have the same engines: block ciphers that differ in their keys and key schedules only.
pub fn share_engines(one: &Primitive, other: &Primitive) -> bool {
    engines::is_same_but_for_keys(one, other)
}

/// What can be chosen about a library.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What the names of all functions and files begin with: `usuba_`.
    pub prefix: &'a str,
    /// The command that makes the files, for their heads.
    pub command: &'a str,
    /// Only these primitives; all if there is none.
    pub primitives: &'a [String],
    /// Only these targets of each platform; what runs everywhere is always there.
    pub targets: &'a [&'static Target],
    /// For this target only: there is one level, and one engine for each primitive, in the first way that is chosen.
    pub level: Option<&'static Target>,
    /// Whether all files lie in one folder, to be dropped into a project: for each cipher one header that programs include,
    /// the sources, and the headers that only these include.
    pub drop_in: bool,
    /// Whether calls with much to do share it among the threads that OpenMP has.
    pub threads: bool,
    /// How code is chosen.
    pub choose: &'a Choose<'a>,
}

/// A library.
#[derive(Clone, Debug)]
pub struct Library {
    /// The files, by no particular folder.
    pub files: Vec<OutputFile>,
    /// What was made: primitive, target, what was chosen and blocks of a batch.
    pub engines: Vec<Made>,
}

/// An engine that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The primitive, the first of those that share the engine.
    pub primitive: String,
    /// What its functions begin with.
    pub stem: String,
    /// The target.
    pub target: &'static Target,
    /// The slicing.
    pub slicing: usuba_ir::layout::Slicing,
    /// Whether the kernels are assembly.
    pub assembly: bool,
    /// Blocks of a batch.
    pub batch: u32,
    /// What the kernel that it spends its time in has.
    pub report: usuba_codegen::Report,
}

/// A primitive for one target: what a library with one level has of it.
#[derive(Clone, Debug)]
pub struct OneLevel {
    /// Its files and the runtime, by no particular folder. Compile every `.c` and `.S`.
    pub files: Vec<OutputFile>,
    /// The path of the source of its public functions, for tests that include it.
    pub source: String,
    /// The path of the source of its engine.
    pub engine: String,
    /// Blocks that the engine works on at once.
    pub batch: u32,
    /// The kernels of the engine: the role, such as `encrypt`, and the outcome.
    pub kernels: Vec<(&'static str, Compiled)>,
}

/// Builds one primitive for one target, as a library with [one level](Options::level) has it. `loaded` is the program of the
/// manifest's source, free of errors.
///
/// # Errors
/// A node does not compile, or the manifest does not fit the source.
pub fn one_level(
    primitive: &Primitive,
    loaded: &Loaded,
    target: &'static Target,
    choices: &Choices,
) -> Result<OneLevel, BuildError> {
    let options = of_one_level(target, choices);
    let (engine, kernels) = engines::engine(primitive, loaded, None, target, choices, "", &options)?;
    let schedule = schedule::build(primitive, loaded, &options)?;
    let library = put_together(primitive, engine, schedule, target, &options);
    Ok(OneLevel { kernels, ..library })
}

/// The same around kernels that are there, which are known by their declarations in headers. `schedule` is what
/// [`crate::driver::key_schedule`] says, and what it includes.
///
/// # Errors
/// The manifest does not fit the kernels.
pub fn one_level_around(
    primitive: &Primitive,
    kernels: &Kernels,
    schedule: &str,
    target: &'static Target,
    choices: &Choices,
) -> Result<OneLevel, BuildError> {
    let options = of_one_level(target, choices);
    let engine = engines::engine_around(primitive, kernels, target, choices, &options)?;
    let schedule = match &primitive.function {
        Function::BlockCipher(cipher) => KeySchedule::portable(cipher, schedule),
        _ => KeySchedule::default(),
    };
    Ok(put_together(primitive, engine, schedule, target, &options))
}

fn of_one_level<'a>(target: &'static Target, choices: &'a Choices) -> Options<'a> {
    Options {
        prefix: &choices.prefix,
        command: &choices.command,
        primitives: &[],
        targets: &[],
        level: Some(target),
        drop_in: false,
        threads: false,
        choose: &|_, _, _| Vec::new(),
    }
}

fn put_together(
    primitive: &Primitive,
    engine: engines::Candidate,
    schedule: KeySchedule,
    target: &'static Target,
    options: &Options,
) -> OneLevel {
    let engines = engines::alone(target, vec![engine]);
    let made = engines.made().into_iter().next();
    let (stem, batch) = made.map_or_else(Default::default, |made| (made.stem, made.batch));
    let header = front::header(&primitive.name, primitive, options);
    let source = front::source(primitive, &schedule, &engines, options);
    let path = source.path.clone();
    let mut files = vec![header, source];
    files.extend(schedule.files);
    files.extend(engines.files);
    files.extend(cpu::files(options));
    let included = runtime::needed(&files, options);
    files.extend(included);
    OneLevel { files, source: path, engine: format!("{stem}.c"), batch, kernels: Vec::new() }
}

/// Builds a library of `ciphers`. `progress` is told of each primitive that is done.
///
/// # Errors
/// A node does not compile, or a manifest does not fit its source.
pub fn build(
    ciphers: &[Cipher],
    options: &Options,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Library, BuildError> {
    let mut library = Library { files: Vec::new(), engines: Vec::new() };
    let mut headers = Vec::new();
    let mut table = primitives::Table::default();
    let mut shared = messages::Shared::default();
    // On all processors; of several errors it is the first one's cipher that is told.
    let all: Vec<_> = ciphers.par_iter().map(|&cipher| ready(cipher, options, progress)).collect();
    for (&cipher, ready) in ciphers.iter().zip(all) {
        let mut there: Vec<&str> = Vec::new();
        for Ready { primitive, engines, schedule } in ready? {
            let key_forms = engines.key_forms();
            let about = format!("{}: {}", primitive.name, cipher.manifest.specification);
            headers.push(front::header(&about, primitive, options));
            library.files.push(front::source(primitive, &schedule, &engines, options));
            library.files.extend(schedule.files);
            let new = |made: &Made| !library.engines.iter().any(|known| known.stem == made.stem);
            let made: Vec<Made> = engines.made().into_iter().filter(new).collect();
            library.engines.extend(made);
            for file in engines.files {
                if !library.files.iter().any(|known| known.path == file.path) {
                    library.files.push(file);
                }
            }
            table.add_primitive(primitive, options);
            let added = messages::build(cipher, primitive, &mut shared, key_forms, options)?;
            headers.extend(added.headers);
            library.files.extend(added.files);
            added.modes.iter().for_each(|mode| table.add_mode(mode, options));
            there.push(&primitive.name);
        }
        for construction in &cipher.manifest.constructions {
            // What it is over may have been left out.
            if construction.over.iter().all(|name| there.contains(&name.as_str())) {
                constructions::add(construction, cipher, &mut library.files, &mut headers, options);
                table.add_construction(construction, options);
                there.push(&construction.name);
            }
        }
    }
    library.files.extend(cpu::files(options));
    // A project may take the files of several ciphers from a folder each: there is no one table of those.
    if !options.drop_in {
        let [header, source] = table.files(options);
        headers.push(header);
        library.files.push(source);
    }
    folder::arrange(&mut library.files, headers, ciphers, options);
    for file in &mut library.files {
        file.contents = crate::licensed(&file.contents);
    }
    library.files.push(crate::licence_file(options.prefix.trim_end_matches('_')));
    Ok(library)
}

/// A primitive with its kernels compiled.
struct Ready<'a> {
    primitive: &'a Primitive,
    engines: engines::Engines,
    schedule: KeySchedule,
}

/// Compiles the kernels of the primitives of a cipher that are wanted.
fn ready<'a>(
    cipher: Cipher<'a>,
    options: &Options,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Ready<'a>>, BuildError> {
    let mut known = engines::Known::default();
    let wanted = |primitive: &&Primitive| {
        options.primitives.is_empty() || options.primitives.contains(&primitive.name)
    };
    let mut all = Vec::new();
    for primitive in cipher.manifest.primitives.iter().filter(wanted) {
        let engines = engines::build(cipher, primitive, &mut known, options)?;
        let schedule = schedule::build(primitive, cipher.loaded, options)?;
        all.push(Ready { primitive, engines, schedule });
        progress(&primitive.name);
    }
    let mut engines: Vec<&mut engines::Engines> = all.iter_mut().map(|ready| &mut ready.engines).collect();
    conditions::write_files(&mut engines, options);
    Ok(all)
}

/// What all templates know.
fn values(options: &Options) -> Values {
    Values::default()
        .text("prefix", options.prefix)
        .text("PREFIX", options.prefix.to_uppercase())
        .text("API", format!("{}API ", options.prefix.to_uppercase()))
        .text("results", crate::results::results())
        .text("version", env!("CARGO_PKG_VERSION"))
}

/// A number that contexts of these functions begin with and of no others: FNV-1a of the stem, its last byte left for the level.
pub(crate) fn magic(stem: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    stem.bytes().fold(0xcbf2_9ce4_8422_2325, step) & !0xff
}

/// The comment at the top of a file.
fn head(path: &str, summary: &str, options: &Options) -> String {
    values(options)
        .text("path", path)
        .text("summary", summary)
        .when("command", !options.command.is_empty())
        .text("command", options.command)
        .fill(include_str!("templates/head.c"))
        .replace("*//", "* //")
}
