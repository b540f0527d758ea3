//! The engines of a primitive: which are built, and which are kept.

use super::estimate;
use super::measured::{self, Measured};
use super::platforms::initialiser;
use super::shared::{self, Own};
use super::source::source;
use super::steps::{Cost, Step, steps, worthwhile};
use super::{Cipher, Made, Options};
use crate::OutputFile;
use crate::driver;
use crate::engine::{self, BuildError, Choices, Engine};
use crate::manifest::{BlockCipher, Function, Mode, Primitive};
use crate::template::Values;
use std::collections::BTreeSet;
use usuba_codegen::Backend;
use usuba_compiler::pipeline::{Compiled, Failure};
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_target::core::ZEN_5;
use usuba_target::machines::GP64;
use usuba_target::{Core, PLATFORMS, Platform, Target, beside, level_for};

/// A batch by itself, of which several at once would fill the ports, takes at least this part of the time of all of them.
const ALONE: f64 = 0.6;
/// Of packed words, which are longer chains.
const ALONE_PACKED: f64 = 0.72;

/// Without an engine, some number of blocks must take more than so many times the cycles: it saves more than a tenth of them.
const WORTH_ITS_CODE: f64 = 1.0 / 0.9;
/// Or many blocks must take more than so many times the cycles: it is most of the time of long messages.
const WORTH_ITS_CODE_IN_BULK: f64 = 1.0 / 0.95;

/// Assembly must take at most this part of the time of C, or that stays: what a user's compiler makes of it may be better.
const WORTH_ASSEMBLY: f64 = 0.96;

/// Assembly is for System V with addresses of 64 bits and for ELF, and can be declined.
const ASSEMBLES: &str = "defined(__ELF__) && !defined(__ILP32__) && !defined(USUBA_NO_ASSEMBLY)";
/// In files that are dropped into a project it has to be asked for: who compiles the C only has all that it needs.
const ASSEMBLES_ON_DEMAND: &str = "defined(__ELF__) && !defined(__ILP32__) && defined(USUBA_ASSEMBLY)";

/// Where assembly is compiled.
pub(super) fn assembles(options: &Options) -> &'static str {
    if options.drop_in { ASSEMBLES_ON_DEMAND } else { ASSEMBLES }
}

/// The implementations of a primitive.
pub struct Engines {
    /// The platforms with their engines, then the one for all others, whose condition is empty.
    pub platforms: Vec<Served>,
    /// The files of all engines that are used, those of others' functions included.
    pub files: Vec<OutputFile>,
    /// All engines, those that are of no use too.
    pub(super) candidates: Vec<Candidate>,
}

/// What a platform has.
#[derive(Clone)]
pub struct Served {
    /// When the C preprocessor compiles for it; empty for all that have no platform of their own.
    pub condition: String,
    /// The names of its levels.
    pub levels: Vec<&'static str>,
    /// Its engines, from what all machines run.
    pub engines: Vec<Entry>,
    /// Whether it is one of two, with assembly or without.
    pub(super) assembly: Option<bool>,
    /// The names of the cores that it tells apart; one without a name if it tells none.
    pub cores: Vec<&'static str>,
    /// For each of these and every level, the engines by number of blocks.
    pub steps: Vec<Vec<Vec<Step>>>,
}

/// What the public functions know of an engine.
#[derive(Clone)]
pub struct Entry {
    /// What its files begin with, and the functions that make its form of round keys: `usuba_aes_128_avx2`.
    pub stem: String,
    /// What its other functions begin with: the same, unless another size of keys has them.
    pub functions: String,
    /// Blocks of a batch.
    pub batch: u32,
    /// How its kernels read round keys.
    keys: driver::KeyForms,
    pub(super) target: &'static Target,
    pub(super) assembly: bool,
    cycles: Cycles,
    /// What a batch that is not full takes more.
    part: f64,
}

/// What a batch takes.
#[derive(Clone)]
struct Cycles {
    /// On each of the cores of [`priced`]: what was measured there, or on the nearest core where it was; else what is estimated from
    /// its ports.
    on: Vec<OnCore>,
    /// By instructions, for platforms of whose cores no ports are known.
    by_instructions: f64,
}

#[derive(Clone, Copy)]
struct OnCore {
    cycles: f64,
    measured: bool,
}

impl Cycles {
    /// An engine by itself, of which several at once take `all`, takes no less than so much of that, as far as both are estimated.
    fn at_least(&mut self, part: f64, all: &Cycles) {
        for (one, all) in self.on.iter_mut().zip(&all.on).filter(|(one, _)| !one.measured) {
            one.cycles = one.cycles.max(part * all.cycles);
        }
        if self.on.iter().all(|one| !one.measured) {
            self.by_instructions = self.by_instructions.max(part * all.by_instructions);
        }
    }
}

/// The cores for which engines have a price: those of which there is a table; if there is none, the core that estimates know best.
fn priced(measured: Option<&Measured>) -> Vec<&'static Core> {
    let tables = measured.into_iter().flat_map(Measured::tables);
    let known: Vec<&Core> = tables.map(|(core, _)| core).collect();
    if known.is_empty() { vec![&ZEN_5] } else { known }
}

impl Served {
    /// When the C preprocessor compiles for it and not for the one with assembly, if it is the other of two.
    pub(super) fn alone(&self, options: &Options) -> String {
        match self.assembly {
            Some(false) => format!("{} && !({})", self.condition, assembles(options)),
            _ => self.condition.clone(),
        }
    }

    /// Bytes of the longest form of round keys that an engine of the platform reads.
    pub fn key_bytes(&self) -> u32 {
        self.engines.iter().map(|engine| engine.keys.bytes).max().unwrap_or(0)
    }
}

/// Bytes of the forms of round keys that the engines of a primitive read.
#[derive(Clone, Copy, Debug)]
pub struct KeyForms {
    /// The longest of any engine.
    pub longest: u32,
    /// The longest of those that take a single block, on some core and level.
    pub of_one_block: u32,
}

impl Engines {
    /// Bytes of the forms of round keys that they read.
    pub fn key_forms(&self) -> KeyForms {
        let of_one_block = |served: &Served| {
            let firsts = served.steps.iter().flatten().filter_map(|steps| steps.first());
            firsts.map(|step| served.engines[step.engine].keys.bytes).max().unwrap_or(0)
        };
        KeyForms {
            longest: self.platforms.iter().map(Served::key_bytes).max().unwrap_or(0),
            of_one_block: self.platforms.iter().map(of_one_block).max().unwrap_or(0),
        }
    }

    /// What was made, for people.
    pub fn made(&self) -> Vec<Made> {
        let is_used = |one: &&Candidate| {
            let mut all = self.platforms.iter().flat_map(|served| &served.engines);
            all.any(|engine| engine.stem == one.engine.stem)
        };
        self.candidates.iter().filter(is_used).map(|one| one.made.clone()).collect()
    }
}

/// Builds all engines of a primitive that are of use for some number of blocks.
///
/// # Errors
/// A node does not compile, or the manifest does not fit the source; or no general-purpose registers can run it.
pub fn build(
    cipher: Cipher,
    primitive: &Primitive,
    known: &mut Known,
    options: &Options,
) -> Result<Engines, BuildError> {
    if let Some(target) = options.level {
        return one(cipher, primitive, target, known, options);
    }
    let general = Platform { name: "", condition: "", levels: &[&GP64], cores: &[] };
    let platforms: Vec<&Platform> = PLATFORMS.iter().chain([&general]).collect();
    let same = known.of.iter().find(|(one, _)| is_same_but_for_keys(one, primitive));
    let mut candidates: Vec<Candidate> = same.map_or_else(Vec::new, |(_, candidates)| candidates.clone());
    for platform in platforms.iter().filter(|_| same.is_none()) {
        // What nobody measured is of no use.
        let beside = platform.levels.iter().filter_map(|level| beside(level));
        let beside = beside.filter(|target| {
            cipher.measured.is_some_and(|measured| measured.has_target(&primitive.name, target))
        });
        for target in platform.levels.iter().copied().chain(beside) {
            let level = platform.levels.iter().find(|level| is_beside(level, target)).unwrap_or(&target);
            let wanted = target.name == GP64.name
                || options.targets.is_empty()
                || options.targets.iter().any(|wanted| wanted.name == level.name);
            if wanted && !candidates.iter().any(|candidate| candidate.engine.target.name == target.name) {
                for choices in (options.choose)(cipher, primitive, target) {
                    let choices =
                        Choices { turns: shared::has_others(cipher, primitive, target, options), ..choices };
                    let slicing = choices.slicing();
                    let has = |other: &str| {
                        let level = level_for(other);
                        let is_same =
                            |one: &Candidate| one.engine.target.name == level && one.made.slicing == slicing;
                        candidates.iter().any(is_same)
                    };
                    if !target.adds_to(slicing, has) {
                        continue;
                    }
                    let base = target.bases().find(|base| has(base.name));
                    let usual = candidate(cipher, primitive, target, base, &choices, platform, options)?;
                    let most = usual.as_ref().map_or(1, |usual| usual.interleave);
                    for batches in fewer_at_once(primitive, slicing, target, most) {
                        // A single block does not wait for others beside it.
                        let mut choices = choices.clone();
                        let passes = &mut choices.settings.passes;
                        (passes.interleave, passes.granularity) = (Some(batches), None);
                        let mut fewer =
                            candidate(cipher, primitive, target, base, &choices, platform, options)?;
                        if let (Some(fewer), Some(usual)) = (&mut fewer, &usual)
                            && batches == 1
                            && !estimate::is_rounds(primitive, slicing, target)
                        {
                            let least = match slicing {
                                Slicing::Packed(_) => ALONE_PACKED,
                                _ => ALONE,
                            };
                            fewer.engine.cycles.at_least(least, &usual.engine.cycles);
                        }
                        let in_c = fewer.as_ref();
                        let faster =
                            assembly(cipher, primitive, (target, base), &choices, in_c, platform, options)?;
                        candidates.extend(fewer.into_iter().chain(faster));
                    }
                    let in_c = usual.as_ref();
                    let faster =
                        assembly(cipher, primitive, (target, base), &choices, in_c, platform, options)?;
                    candidates.extend(usual.into_iter().chain(faster));
                }
            }
        }
    }
    if !candidates.iter().any(|candidate| candidate.engine.target.name == GP64.name) {
        return Err(BuildError::Portable { primitive: primitive.name.clone() });
    }
    if same.is_none() {
        for candidate in &mut candidates {
            known.of.iter().for_each(|(_, known)| share(candidate, known));
        }
        known.of.push((primitive.clone(), candidates.clone()));
    }
    let cores = priced(cipher.measured);
    let served: Vec<Served> =
        platforms.iter().flat_map(|platform| serve(platform, &candidates, &cores, options)).collect();
    Ok(Engines { platforms: served, files: Vec::new(), candidates })
}

/// How many batches at once engines for fewer blocks have, beside the usual one with `most`: one; half as many where these are four
/// or more; and where registers of several blocks go through rounds of AES, also a fourth, as a usual batch is many blocks then.
pub fn fewer_at_once(primitive: &Primitive, slicing: Slicing, target: &Target, most: u32) -> Vec<u32> {
    let is_rounds = estimate::is_rounds(primitive, slicing, target);
    let is_wide = is_rounds && target.register_bits > 128;
    let half = (is_wide || !is_rounds && most >= 4).then_some(most / 2);
    let fourth = is_wide.then_some(most / 4);
    let parts = fourth.into_iter().chain(half).filter(|&part| part > 1);
    (most > 1).then_some(1).into_iter().chain(parts).collect()
}

/// The engine of a library with one level, as its only platform.
fn one(
    cipher: Cipher,
    primitive: &Primitive,
    target: &'static Target,
    known: &mut Known,
    options: &Options,
) -> Result<Engines, BuildError> {
    let same = known.of.iter().find(|(one, _)| is_same_but_for_keys(one, primitive));
    let candidates = match (same, (options.choose)(cipher, primitive, target).first()) {
        (Some((_, candidates)), _) => candidates.clone(),
        (None, Some(choices)) => {
            vec![engine(primitive, cipher.loaded, cipher.measured, target, choices, "", options)?.0]
        }
        (None, None) => return Err(BuildError::Portable { primitive: primitive.name.clone() }),
    };
    if same.is_none() {
        known.of.push((primitive.clone(), candidates.clone()));
    }
    Ok(alone(target, candidates))
}

/// Engines that are all used, on a platform that has one level and no condition.
pub fn alone(target: &'static Target, candidates: Vec<Candidate>) -> Engines {
    // With one engine, costs decide nothing.
    let platform = Platform { name: "", condition: "", levels: &[], cores: &[] };
    let platforms = vec![serve_with(&platform, &[target], String::new(), &candidates, &[])];
    let files = candidates.iter().flat_map(|candidate| candidate.files("")).collect();
    Engines { platforms, files, candidates }
}

/// An engine that may turn out to be of no use.
#[derive(Clone)]
pub struct Candidate {
    pub(super) engine: Entry,
    /// Its C file, but for where it is compiled.
    source: Values,
    /// The head of that.
    head: String,
    /// The headers of networks that it includes.
    networks: Vec<OutputFile>,
    /// Its assembly.
    assembly: Vec<OutputFile>,
    /// What is its own if another engine has its functions.
    pub(super) own: Option<Own>,
    /// The condition of the platform that it is for; empty if that is all.
    pub(super) platform: String,
    pub(super) made: Made,
    interleave: u32,
}

impl Candidate {
    /// Its files, for where this condition holds; for everywhere, if it is empty.
    pub(super) fn files(&self, condition: &str) -> Vec<OutputFile> {
        let is_shared = self.engine.functions != self.engine.stem;
        let source = self.own.as_ref().filter(|_| is_shared).map_or(&self.source, |own| &own.source);
        let values = source.clone().when("conditional", !condition.is_empty()).text("condition", condition);
        let contents = self.head.clone() + &values.fill(include_str!("templates/engine/engine.c"));
        let mut files = vec![OutputFile { path: format!("{}.c", self.engine.stem), contents }];
        if is_shared {
            return files;
        }
        files.extend(self.networks.iter().cloned());
        let guarded = |file: &OutputFile| OutputFile {
            path: file.path.clone(),
            contents: guarded(&file.contents, condition),
        };
        files.extend(self.assembly.iter().map(guarded));
        files
    }
}

/// The engines that the primitives of a cipher have so far.
#[derive(Default)]
pub struct Known {
    of: Vec<(Primitive, Vec<Candidate>)>,
}

/// Whether two block ciphers differ in their keys and key schedules only: their engines are the same.
pub(super) fn is_same_but_for_keys(a: &Primitive, b: &Primitive) -> bool {
    let (Function::BlockCipher(one), Function::BlockCipher(other)) = (&a.function, &b.function) else {
        return false;
    };
    let keyed = BlockCipher { schedule: other.schedule.clone(), key: other.key, ..one.clone() };
    keyed == *other && a.library == b.library
}

/// What a platform does: once with all engines, and if that takes assembly, again without for where there is none.
/// `cores` are those for which engines have a price.
fn serve(
    platform: &Platform,
    candidates: &[Candidate],
    cores: &[&'static Core],
    options: &Options,
) -> Vec<Served> {
    let is_here = |one: &&Candidate| one.platform.is_empty() || one.platform == platform.condition;
    let candidates: Vec<Candidate> = candidates.iter().filter(is_here).cloned().collect();
    let candidates = &without_assembly_of_the_least(platform, &candidates, cores)[..];
    // Where there is assembly for what C does as well, it is there because it is faster.
    let has_assembly = |one: &Candidate| {
        let is_twin = |other: &Candidate| {
            other.engine.assembly
                && other.engine.target.name == one.engine.target.name
                && (other.made.slicing, other.engine.batch) == (one.made.slicing, one.engine.batch)
        };
        !one.engine.assembly && candidates.iter().any(is_twin)
    };
    let best: Vec<Candidate> = candidates.iter().filter(|one| !has_assembly(one)).cloned().collect();
    let with = serve_with(platform, platform.levels, platform.condition.into(), &best, cores);
    if !with.engines.iter().any(|engine| engine.assembly) {
        return vec![with];
    }
    let in_c: Vec<Candidate> =
        candidates.iter().filter(|candidate| !candidate.engine.assembly).cloned().collect();
    let without = serve_with(platform, platform.levels, with.condition.clone(), &in_c, cores);
    let condition = format!("{} && {}", platform.condition, assembles(options));
    vec![Served { condition, assembly: Some(true), ..with }, Served { assembly: Some(false), ..without }]
}

/// The engines without assembly for general-purpose registers that no level with vectors takes: machines of the least level of a
/// platform that has others are old ones, and the files are the largest of a library.
fn without_assembly_of_the_least(
    platform: &Platform,
    candidates: &[Candidate],
    cores: &[&'static Core],
) -> Vec<Candidate> {
    let all = serve_with(platform, platform.levels, String::new(), candidates, cores);
    let above = all.steps.iter().flat_map(|levels| levels.iter().skip(1)).flatten();
    let taken: BTreeSet<&str> =
        above.filter_map(|step| all.engines.get(step.engine)).map(|engine| engine.stem.as_str()).collect();
    let is_kept = |one: &&Candidate| {
        let is_of_the_least = one.engine.assembly && one.engine.target.name == GP64.name;
        !is_of_the_least || taken.contains(one.engine.stem.as_str())
    };
    candidates.iter().filter(is_kept).cloned().collect()
}

/// What a platform with these levels does with those engines that it can run; those that are never the best, on any core, are left
/// out. Of the cores that it tells apart, one without a price for engines does as the nearest that has one.
fn serve_with(
    platform: &Platform,
    levels: &[&'static Target],
    condition: String,
    candidates: &[Candidate],
    cores: &[&'static Core],
) -> Served {
    let mut engines: Vec<Entry> = Vec::new();
    let mut until: Vec<usize> = Vec::new();
    for target in levels {
        let of_target = candidates.iter().filter(|candidate| {
            let of = candidate.engine.target;
            of.name == target.name || is_beside(target, of)
        });
        engines.extend(of_target.map(|candidate| candidate.engine.clone()));
        until.push(engines.len());
    }
    // Ports are compared with ports only.
    let has_ports = levels.iter().any(|target| has_ports(target));
    let prices: Vec<Price> = match cores.len() {
        priced if has_ports && priced > 0 => (0..priced).map(Price::On).collect(),
        _ => vec![Price::ByInstructions],
    };
    let costs = |engines: &[Entry], price: Price| -> Vec<Cost> {
        engines.iter().map(|engine| engine.cost(price)).collect()
    };
    let upto = |end: usize| (0..end).collect::<Vec<usize>>();
    // What a level can do without, it leaves to others: the narrow engines of a wide machine are the wide ones of another.
    let kept = |price: &Price| -> Vec<usize> {
        let all = costs(&engines, *price);
        let of_level = |&end: &usize| worthwhile(&all, &upto(end), WORTH_ITS_CODE, WORTH_ITS_CODE_IN_BULK);
        until.iter().flat_map(of_level).collect()
    };
    let kept: BTreeSet<usize> = prices.iter().flat_map(kept).collect();
    let until: Vec<usize> = until.iter().map(|&end| kept.range(..end).count()).collect();
    let engines: Vec<Entry> = kept.iter().filter_map(|&number| engines.get(number).cloned()).collect();
    let steps_by = |price: &Price| -> Vec<Vec<Step>> {
        let all = costs(&engines, *price);
        until.iter().map(|&end| steps(&all, &upto(end))).collect()
    };
    let by_price: Vec<Vec<Vec<Step>>> = prices.iter().map(steps_by).collect();
    let of_core = |core: &&'static Core| {
        let nearest = core.nearest(cores.iter().copied());
        let place = cores.iter().position(|one| nearest.is_some_and(|nearest| one.id == nearest.id));
        by_price.get(place.unwrap_or(0)).or(by_price.first()).cloned().unwrap_or_default()
    };
    let told_apart: Vec<&'static Core> = platform.cores.to_vec();
    let (names, steps) = match told_apart.is_empty() {
        true => (vec![""], by_price.first().cloned().into_iter().collect()),
        false => (told_apart.iter().map(|core| core.id).collect(), told_apart.iter().map(of_core).collect()),
    };
    Served {
        condition,
        levels: levels.iter().map(|target| target.name).collect(),
        engines,
        assembly: None,
        cores: names,
        steps,
    }
}

/// What engines are compared by.
#[derive(Clone, Copy)]
enum Price {
    /// What they take on a core, by its number among those of [`priced`].
    On(usize),
    /// Their instructions.
    ByInstructions,
}

impl Entry {
    fn cost(&self, price: Price) -> Cost {
        let cycles = match price {
            Price::On(core) => self.cycles.on.get(core).map_or(f64::INFINITY, |on| on.cycles),
            Price::ByInstructions => self.cycles.by_instructions,
        };
        Cost { batch: self.batch, cycles, part: self.part }
    }
}

/// Whether a target stands beside a level.
fn is_beside(level: &Target, target: &Target) -> bool {
    beside(level).is_some_and(|beside| beside.name == target.name)
}

/// Whether the table of a vector machine says which ports run what.
fn has_ports(target: &Target) -> bool {
    !target.single_lane && target.instructions().any(|row| row.ports != 0)
}

/// An engine, or nothing if the target has no code for it in this way, or the code of a target that it goes beyond.
fn candidate(
    cipher: Cipher,
    primitive: &Primitive,
    target: &'static Target,
    base: Option<&'static Target>,
    choices: &Choices,
    platform: &Platform,
    options: &Options,
) -> Result<Option<Candidate>, BuildError> {
    match engine(primitive, cipher.loaded, cipher.measured, target, choices, platform.condition, options) {
        Ok((candidate, kernels)) => {
            let beyond = |base: &'static Target| {
                kernels.iter().any(|(_, compiled)| compiled.kernel.report.goes_beyond(base))
            };
            Ok(Some(candidate).filter(|_| base.is_none_or(beyond)))
        }
        Err(BuildError::Node { failure: Failure::Target(_), .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An engine with its kernels in assembly, where it was measured to be faster than with these in C.
fn assembly(
    cipher: Cipher,
    primitive: &Primitive,
    (target, base): (&'static Target, Option<&'static Target>),
    choices: &Choices,
    in_c: Option<&Candidate>,
    platform: &Platform,
    options: &Options,
) -> Result<Option<Candidate>, BuildError> {
    let Some(in_c) = in_c.filter(|in_c| !in_c.engine.assembly) else { return Ok(None) };
    let choices = Choices { backend: Backend::Assembly, ..choices.clone() };
    let known = cipher
        .measured
        .and_then(|measured| measured.assembly(&primitive.name, &name(target, &choices), in_c.engine.batch));
    if known.is_none_or(|part| part > WORTH_ASSEMBLY) {
        return Ok(None);
    }
    candidate(cipher, primitive, target, base, &choices, platform, options)
}

/// What was compiled for an engine: the role of each kernel, such as `encrypt`, and the outcome.
pub type Kernels = Vec<(&'static str, Compiled)>;

/// An engine for where the condition of a platform holds, and its kernels.
pub fn engine(
    primitive: &Primitive,
    loaded: &Loaded,
    measured: Option<&Measured>,
    target: &'static Target,
    choices: &Choices,
    platform: &str,
    options: &Options,
) -> Result<(Candidate, Kernels), BuildError> {
    let mut choices = choices.clone();
    choices.prefix = options.prefix.into();
    // A file of C says at its head how the library was made; only assembly has files of its own.
    if choices.backend == Backend::Assembly && choices.command.is_empty() {
        choices.command = options.command.into();
    }
    let built = engine::build(&named(primitive, target, &choices), loaded, target, &choices)?;
    let candidate = candidate_of(primitive, &built, measured, target, &choices, platform, options);
    Ok((candidate, built.kernels))
}

/// An engine around kernels that are there, for anywhere.
pub fn engine_around(
    primitive: &Primitive,
    kernels: &driver::Kernels,
    target: &'static Target,
    choices: &Choices,
    options: &Options,
) -> Result<Candidate, BuildError> {
    let named = named(primitive, target, choices);
    let built = engine::around(&named, kernels, target, &engine::labels(target, choices))?;
    Ok(candidate_of(primitive, &built, None, target, choices, "", options))
}

/// What an engine is called by among those of its primitive.
fn name(target: &Target, choices: &Choices) -> String {
    measured::name(target, choices.slicing(), choices.settings.passes.interleave)
}

/// The primitive by the name of an engine of it.
fn named(primitive: &Primitive, target: &Target, choices: &Choices) -> Primitive {
    let backend = match choices.backend {
        Backend::C => "",
        Backend::Assembly => "-asm",
    };
    Primitive { name: format!("{}-{}{backend}", primitive.name, name(target, choices)), ..primitive.clone() }
}

fn candidate_of(
    primitive: &Primitive,
    built: &Engine,
    measured: Option<&Measured>,
    target: &'static Target,
    choices: &Choices,
    platform: &str,
    options: &Options,
) -> Candidate {
    let slicing = choices.slicing();
    let stem = format!("{}{}", options.prefix, named(primitive, target, choices).identifier());
    let assembly = choices.backend == Backend::Assembly;
    let kernel = built.kernels.first().map(|(_, compiled)| &compiled.kernel);
    let made = Made {
        primitive: primitive.name.clone(),
        stem: stem.clone(),
        target,
        slicing,
        assembly,
        batch: built.batch,
        report: kernel.map(|kernel| kernel.report.clone()).unwrap_or_default(),
    };
    let in_planes = built.kernels.first().is_some_and(|(_, compiled)| compiled.in_planes());
    let in_planes = primitive.in_planes().filter(|_| in_planes);
    let seen = in_planes.as_ref().unwrap_or(primitive);
    let estimated = |core: Option<&Core>| {
        kernel.map_or(estimate::CALL, |kernel| estimate::cycles(seen, kernel, target, core))
    };
    let name = name(target, choices);
    // What stands beside a level is the same code by other instructions: what that saves, only measuring says.
    let is_beside_some = PLATFORMS.iter().flat_map(|one| one.levels).any(|level| is_beside(level, target));
    let is_timed = measured::is_timed(primitive, slicing, target);
    let found: Vec<(&'static Core, f64)> = measured
        .filter(|_| is_timed)
        .into_iter()
        .flat_map(Measured::tables)
        .filter_map(|(core, table)| {
            let found = table.find(&primitive.name, &name, built.batch)?;
            Some((core, found.cycles * found.assembly.filter(|_| assembly).unwrap_or(1.0)))
        })
        .collect();
    let on = |core: &'static Core| {
        let nearest = core.nearest(found.iter().map(|(core, _)| *core));
        let cycles = nearest.and_then(|nearest| {
            let (other, cycles) = found.iter().find(|(core, _)| core.id == nearest.id)?;
            // Estimates are off by the same on both cores, more or less.
            let is_here = other.id == core.id;
            Some(if is_here { *cycles } else { cycles * estimated(Some(core)) / estimated(Some(other)) })
        });
        match cycles {
            Some(cycles) => OnCore { cycles, measured: true },
            None if is_beside_some => OnCore { cycles: f64::INFINITY, measured: false },
            None => OnCore { cycles: estimated(Some(core)), measured: false },
        }
    };
    let cycles =
        Cycles { on: priced(measured).into_iter().map(on).collect(), by_instructions: estimated(None) };
    let summary = format!("{} for {}: {}.", primitive.name, target.name, target.description);
    let head = super::head(&format!("{stem}.c"), &summary, options);
    let source = source(built, target, &stem, options);
    let own = shared::parts(built, target, &stem, options);
    let is_assembly = |file: &&OutputFile| file.path.ends_with(".S");
    // General-purpose registers are everywhere, but not their assembly.
    let platform = if target.name == GP64.name && !assembly { "" } else { platform };
    let engine = Entry {
        functions: stem.clone(),
        stem,
        batch: built.batch,
        keys: built.keys.clone(),
        target,
        assembly,
        cycles,
        part: estimate::part(primitive, slicing, target),
    };
    let interleave = kernel.map_or(1, |kernel| kernel.shape.interleave);
    Candidate {
        engine,
        source,
        head,
        networks: built.networks.clone(),
        assembly: built.files.iter().filter(is_assembly).cloned().collect(),
        own,
        platform: platform.to_owned(),
        made,
        interleave,
    }
}

/// Assembly that is nothing elsewhere, and whose symbols other libraries do not see. In a library for several machines it does not
/// say what each line computes, which is more than half of a file; one for a single target says it.
fn guarded(text: &str, condition: &str) -> String {
    let is_alone = condition.is_empty();
    let mut result = if is_alone { String::new() } else { format!("#if {condition}\n") };
    for line in text.lines() {
        let code = line.split_once(" // ").map_or(line, |(code, _)| code.trim_end());
        result += if is_alone || code.trim().is_empty() { line } else { code };
        result.push('\n');
        if let Some(symbol) = line.trim().strip_prefix(".globl ") {
            result += &format!("    .hidden {symbol}\n");
        }
    }
    result + if is_alone { "" } else { "#endif\n" }
}

/// Lets an engine have the functions of one that is known, if they are the same.
fn share(candidate: &mut Candidate, known: &[Candidate]) {
    let Some(own) = &candidate.own else { return };
    let is_same = |other: &&Candidate| {
        let (a, b) = (&other.engine, &candidate.engine);
        let place = |one: &Candidate| {
            (one.engine.target.name, one.made.slicing, one.engine.batch, one.platform.clone())
        };
        a.functions == a.stem
            && (place(other), a.assembly) == (place(candidate), b.assembly)
            && other.own.as_ref().is_some_and(|other| other.code == own.code)
    };
    if let Some(owner) = known.iter().find(is_same) {
        candidate.engine.functions.clone_from(&owner.engine.functions);
    }
}

/// The functions of an engine, declared.
pub fn prototypes(primitive: &Primitive, engine: &Entry, values: Values) -> String {
    let template = match &primitive.function {
        Function::BlockCipher(_) => include_str!("templates/engine/block_cipher.h"),
        Function::Stream(_) => include_str!("templates/engine/stream.h"),
        Function::Generator(_) => include_str!("templates/engine/generator.h"),
        Function::Permutation(_) => include_str!("templates/engine/permutation.h"),
    };
    let loads: std::collections::BTreeSet<&String> = engine.keys.loads.iter().flatten().collect();
    let declared =
        |load: &String| format!("USUBA_HIDDEN void {load}(void *, const unsigned char *round_keys);\n");
    let loads: String = loads.into_iter().map(declared).collect();
    loads + &values.text("engine", &engine.functions).fill(template)
}

/// The functions of an engine in the order of its row.
pub fn row(primitive: &Primitive, engine: &Entry) -> String {
    let Entry { functions, batch, keys, .. } = engine;
    let function = |name: &str| format!("{functions}_{name}");
    let mut row = vec![batch.to_string()];
    match &primitive.function {
        Function::BlockCipher(cipher) => {
            let loads = keys.loads.iter().map(|load| load.clone().unwrap_or_else(|| "NULL".into()));
            row.extend([keys.bytes.to_string(), initialiser(&loads.collect::<Vec<_>>())]);
            if cipher.modes.contains(&Mode::Ecb) {
                let mut apply = vec![function("encrypt_blocks")];
                apply.extend(cipher.decrypt_of_engines().map(|_| function("decrypt_blocks")));
                row.push(initialiser(&apply));
            }
            if cipher.modes.contains(&Mode::Ctr) {
                row.push(function("ctr_xor"));
            }
        }
        Function::Stream(_) => row.push(function("xor")),
        Function::Generator(_) => row.extend([function("init"), function("xor_batch")]),
        Function::Permutation(_) => row.push(function("permute")),
    }
    initialiser(&row)
}
