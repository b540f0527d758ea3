//! The pipeline: from a loaded program to the C of one kernel. [`compile`] is all of it.
//!
//! Its stages have names ([`stages`]); who passes an [`Observer`] sees what each stage makes, can print it, time it, check
//! it, and stop there. No stage knows of this.

use crate::circuits::cheapest;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use usuba_codegen::pass::SELECT;
use usuba_codegen::{Definition, Kernel, Missing, NoCode, Scheduling, generate_watched};
use usuba_ir::check::{Checked, check};
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate;
use usuba_lang::load::Loaded;
use usuba_lang::source::Sources;
use usuba_lang::typed::{self, Instance};
use usuba_lower::circuit::{Basis, Circuit, Gate};
pub use usuba_lower::in_planes;
use usuba_lower::{Loops, Split, lower_with};
use usuba_opt::hoist::{KEY_HOISTING, halve};
use usuba_opt::pass::{self, Pass};
use usuba_opt::passes::{PASSES, optimise};
use usuba_target::core::{CORES, GOLDEN_COVE};
use usuba_target::{Core, Meaning, Target};

/// What can be chosen about a compilation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The entry and the values of its parameters; `atoms` and `direction` are set from the slicing.
    pub entry: elaborate::Options,
    /// The slicing and which loops to keep; [`compile`] sets the basis of circuits from the target.
    pub lowering: usuba_lower::Options,
    /// For the passes from Usuba0 to Usuba0.
    pub passes: pass::Settings,
    /// The order of instructions, whatever the options of the code generation say.
    pub order: Scheduling,
    /// Whether what depends on uniform inputs only is left out, to be hoisted once a key: [`usuba_opt::hoist`].
    pub hoisted: bool,
}

/// What somebody wants other than usual, whichever node and slicing is compiled: [`Settings::with`] puts it in.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Which loops to keep, if not those that are usual.
    pub loops: Option<Loops>,
    /// Which bitwise nodes to split, if not those that are usual.
    pub split: Option<Split>,
    /// For the passes from Usuba0 to Usuba0.
    pub passes: pass::Settings,
    /// The order of instructions, if not the usual.
    pub order: Scheduling,
}

impl Settings {
    /// The same with these choices, where they say anything.
    pub fn with(mut self, overrides: &Overrides) -> Settings {
        self.lowering.loops = overrides.loops.unwrap_or(self.lowering.loops);
        self.lowering.split = overrides.split.unwrap_or(self.lowering.split);
        self.passes.inline_all |= overrides.passes.inline_all;
        self.passes.no_inline |= overrides.passes.no_inline;
        self.passes.interleave = overrides.passes.interleave.or(self.passes.interleave);
        self.passes.granularity = overrides.passes.granularity.or(self.passes.granularity);
        self.order = if overrides.order == Scheduling::AUTO { self.order } else { overrides.order };
        self.passes.disabled.extend(overrides.passes.disabled.iter().cloned());
        self
    }

    /// The usual choices for a slicing and a node; the last definition if `node` is `None`.
    pub fn new(slicing: Slicing, node: Option<&str>) -> Settings {
        Settings {
            entry: elaborate::Options { entry: node.map(str::to_owned), ..elaborate::Options::new() },
            lowering: usuba_lower::Options::new(slicing),
            passes: pass::Settings::default(),
            order: Scheduling::AUTO,
            hoisted: false,
        }
    }

    /// The options of elaboration, with those that follow from the slicing.
    pub fn elaboration(&self) -> elaborate::Options {
        let (atoms, direction) = usuba_lower::elaborated_for(self.lowering.slicing);
        elaborate::Options { atoms, direction, ..self.entry.clone() }
    }

    /// The options of elaboration for the node as its text has it: in words, tables as they are. It is what proofs compare with.
    pub fn as_written(&self) -> elaborate::Options {
        elaborate::Options {
            atoms: typed::Atoms::Words,
            bitslice_arithmetic: true,
            keep_tables: true,
            ..self.elaboration()
        }
    }
}

/// What a stage has made.
#[derive(Clone, Copy, Debug)]
pub enum Product<'a> {
    /// Of `elaborate`.
    Typed(&'a typed::Program),
    /// Of `lower` and of every pass.
    Usuba0(&'a Program),
    /// Of the stages of code generation.
    Generated(usuba_codegen::Product<'a>),
}

/// Who looks on.
pub trait Observer {
    /// A stage is about to run, on this.
    fn before(&mut self, stage: &'static str, product: Option<Product<'_>>) {
        let _ = (stage, product);
    }

    /// A stage has made this; `Break` stops the pipeline.
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        let _ = (stage, product);
        ControlFlow::Continue(())
    }
}

/// Nobody looks on.
impl Observer for () {}

/// The names of the stages in order.
pub fn stages() -> Vec<&'static str> {
    let passes = PASSES.iter().map(|pass| pass.name);
    ["elaborate", "lower"].into_iter().chain(passes).chain(usuba_codegen::stages()).collect()
}

/// A program that went through the whole pipeline.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The typed program.
    pub typed: typed::Program,
    /// The optimised program, or what is left of it.
    pub program: Program,
    /// What has to be hoisted for it, if anything: from the uniform inputs to the one that the kernel has instead.
    pub hoisted: Option<Program>,
    /// The C.
    pub kernel: Kernel,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Compiled {
    /// Whether the bytes of the program have become planes of bits: p bytes of a parameter, one after the other, are eight words of
    /// p bits ([`usuba_lower::in_planes`]).
    pub fn in_planes(&self) -> bool {
        in_planes(&self.typed, self.kernel.shape.slicing)
    }
}

/// Why there is no kernel.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program is wrong, or the slicing cannot express it.
    Program(Vec<Diagnostic>),
    /// The target lacks operations.
    Target(Vec<Missing>),
    /// The compiler made a mistake: where, and which.
    Internal(String),
    /// The observer stopped the pipeline.
    Stopped,
}

impl From<NoCode> for Failure {
    fn from(no_code: NoCode) -> Failure {
        match no_code {
            NoCode::Missing(missing) => Failure::Target(missing),
            NoCode::Internal(internal) => Failure::Internal(internal.to_string()),
        }
    }
}

/// A program that the passes have left, for code generation.
///
/// # Errors
/// It is malformed: a mistake of a pass.
pub fn checked(program: &Program) -> Result<Checked<'_>, Failure> {
    check(program).map_err(|flaws| {
        let flaws: Vec<String> = flaws.iter().take(5).map(ToString::to_string).collect();
        let flaws = flaws.join("; ");
        Failure::Internal(format!(
            "internal error: the passes left a malformed program: {flaws}; please report this"
        ))
    })
}

/// Compiles the entry of a loaded program, which must be free of errors, for a target. The definitions of `naming` are those
/// of the program, whatever it says.
///
/// # Errors
/// Everything that is wrong, stage by stage: the first stage that finds something is the last to run.
pub fn compile(
    loaded: &Loaded,
    settings: &Settings,
    target: &Target,
    naming: &usuba_codegen::Options,
    observer: &mut dyn Observer,
) -> Result<Compiled, Failure> {
    let mut settings = settings.clone();
    settings.lowering.basis = basis(target);
    settings.lowering.rounds = rounds_in_flight(target) > 0;
    if let Loops::Sized { body, .. } = &mut settings.lowering.loops
        && target.single_lane
    {
        // Few registers, and two operands an instruction: a compiler does better with the few live values of a small loop. On
        // Zen 5, PRESENT-80 takes 5.8 cycles per byte with loops and 9.8 unrolled.
        *body = 0;
    }
    settings.passes.machine = Some(machine(target));
    settings.passes.clock = target.encoding().map(|_| pass::Clock::new(target.name, cycles));
    let prefer = |candidates: &[Circuit]| cheapest(candidates, target);
    let halving = settings.hoisted.then(|| least_hoisted(target));
    let Optimised { typed, program, hoisted, warnings } =
        optimised_with(loaded, &settings, halving, &prefer, observer)?;
    let mut naming = naming.clone();
    naming.order = settings.order;
    naming.definitions = definitions(&typed, &loaded.sources);
    let watched = &mut Generation { observer, program: &program };
    let kernel =
        generate_watched(checked(&program)?, target, &naming, watched).map_err(|failure| match failure {
            usuba_codegen::Failure::NoCode(failure) => failure.into(),
            usuba_codegen::Failure::Stopped => Failure::Stopped,
        })?;
    Ok(Compiled { typed, program, hoisted, kernel, warnings })
}

/// The definitions that a typed program is made of, for comments in generated code: sorted, each once.
pub fn definitions(typed: &typed::Program, sources: &Sources) -> Vec<Definition> {
    let of = |instance: &Instance| {
        let (line, _) = sources.line_column(instance.span);
        let file = sources.get(instance.span.source).name.clone();
        Definition { file, line, name: instance.name.clone() }
    };
    let all: BTreeSet<Definition> = typed.instances().iter().map(of).collect();
    all.into_iter().collect()
}

/// The gates that circuits for a target should have.
pub fn basis(target: &Target) -> Basis {
    let has = |meaning| target.instruction(meaning, 0).is_some();
    if has(Meaning::Ternary) {
        Basis::Ternary
    } else if has(Meaning::Select) {
        Basis::Select
    } else {
        Basis::TwoInput
    }
}

/// One in how many operations, or more, has to depend on keys only for them to be computed apart, at the begin of every call.
/// With one in 18 of SKINNY-128-384's operations gone from `h`, a batch takes up to 5 % less time on vectors of Zen 4, but what is
/// made apart takes as long as half a batch. On general-purpose registers compilers make other code of what is left, which may be
/// worse.
fn least_hoisted(target: &Target) -> u64 {
    if target.single_lane { 6 } else { 12 }
}

/// What passes need to know of a target. Where its table has no ports, two are assumed.
fn machine(target: &Target) -> pass::Machine {
    let and = target.instruction(Meaning::And, 0);
    let (ports, latency) = and.map_or((0, 1), |row| (row.ports.count_ones(), u32::from(row.latency)));
    let in_flight = if ports == 0 { 2 } else { ports } * latency.max(1);
    // Vector instructions read operands from memory for nothing, as loads have ports of their own; a general-purpose register
    // is wanted for what is computed.
    let registers = target.register_count;
    let room = if target.single_lane { registers.saturating_sub(1) } else { 2 * registers };
    pass::Machine { room, in_flight, rounds_in_flight: rounds_in_flight(target) }
}

/// What a program takes on the cores that code for a target is to be good for.
fn cycles(program: &Program, target: &'static str) -> Option<Vec<u64>> {
    usuba_codegen::cycles(check(program).ok()?, usuba_target::by_name(target)?)
}

/// How many rounds of AES a machine has on their way at a time: how many start in a cycle, times how long one takes, on the core
/// with most. Where no ports are known, one a cycle: a round of Arm is two instructions of two cycles.
fn rounds_in_flight(target: &Target) -> u32 {
    let meaning = [Meaning::AesEncrypt, Meaning::AesAddSubstitute];
    let Some(row) = meaning.iter().find_map(|&meaning| target.instruction(meaning, 0)) else { return 0 };
    if row.ports == 0 {
        return 2 * u32::from(row.latency);
    }
    let cores = CORES.iter().chain([&GOLDEN_COVE]);
    let on = |core: &Core| {
        let ports = u64::from(core.ports(target, row).count_ones());
        (ports * core.latency(target, row)).div_ceil(core.cycles_at_port(target))
    };
    cores.map(on).max().map_or(0, |rounds| rounds as u32)
}

/// The stages before the last, for no target in particular; of [`usuba_lower::Options::basis`] the circuits of the fewest
/// gates are taken.
///
/// # Errors
/// As for [`compile`].
pub fn optimised(
    loaded: &Loaded,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<(typed::Program, Program, Vec<Diagnostic>), Failure> {
    let Optimised { typed, program, warnings, .. } =
        optimised_with(loaded, settings, None, &|_| 0, observer)?;
    Ok((typed, program, warnings))
}

/// A node as gates on bits, for no machine: of published circuits for its tables the ones with the fewest gates that are not linear,
/// adders of gates, and no pass. Also the node as its text has it.
///
/// # Errors
/// As for [`compile`].
pub fn gates(
    loaded: &Loaded,
    entry: &elaborate::Options,
) -> Result<(typed::Program, Program, Vec<Diagnostic>), Failure> {
    let mut settings = Settings::new(Slicing::B, None);
    settings.entry = elaborate::Options { bitslice_arithmetic: true, ..entry.clone() };
    let elaborated = |options: &elaborate::Options| {
        let (typed, findings) = elaborate::elaborate(&loaded.program, options);
        typed.map(|typed| (typed, findings.clone())).ok_or(Failure::Program(findings))
    };
    let (bits, _) = elaborated(&settings.elaboration())?;
    let (text, findings) = elaborated(&settings.as_written())?;
    let conjunctions = |circuit: &Circuit| {
        let is_linear = |gate: &&Gate| matches!(gate, Gate::Not(_) | Gate::Xor(..));
        circuit.gates.iter().filter(|gate| !is_linear(gate)).count()
    };
    let fewest = |candidates: &[Circuit]| {
        (0..candidates.len()).min_by_key(|&place| conjunctions(&candidates[place])).unwrap_or(0)
    };
    let program =
        lower_with(&bits, &loaded.sources, &settings.lowering, &fewest).map_err(Failure::Program)?;
    checked(&program)?;
    Ok((text, program, findings))
}

/// What the stages before the last make.
struct Optimised {
    typed: typed::Program,
    program: Program,
    hoisted: Option<Program>,
    warnings: Vec<Diagnostic>,
}

/// `halving` is one in how many operations has to depend on uniform inputs only for them to be left out, if they may be.
fn optimised_with(
    loaded: &Loaded,
    settings: &Settings,
    halving: Option<u64>,
    prefer: &dyn Fn(&[Circuit]) -> usize,
    observer: &mut dyn Observer,
) -> Result<Optimised, Failure> {
    observer.before("elaborate", None);
    let (typed, diagnostics) = elaborate::elaborate(&loaded.program, &settings.elaboration());
    let typed = typed.ok_or_else(|| Failure::Program(diagnostics.clone()))?;
    go_on(observer.after("elaborate", Product::Typed(&typed)))?;

    observer.before("lower", Some(Product::Typed(&typed)));
    let mut program =
        lower_with(&typed, &loaded.sources, &settings.lowering, prefer).map_err(Failure::Program)?;
    go_on(observer.after("lower", Product::Usuba0(&program)))?;

    let mut passes = Passes { observer, stopped: false };
    let mut hoisted = None;
    if let Some(one_in) = halving.filter(|_| settings.passes.runs(KEY_HOISTING)) {
        // One batch, and no arrays of keys and data together. What is left goes through all passes: nodes that the other half
        // called are called less often there.
        let mut alone = program.clone();
        let one =
            pass::Settings { interleave: Some(1), carried_atoms: usize::MAX, ..settings.passes.clone() };
        optimise(&mut alone, &one, &mut ());
        if let Some(halves) = halve(&alone, one_in) {
            (program, hoisted) = (halves.rest, Some(halves.hoisted));
        }
    }
    optimise(&mut program, &settings.passes, &mut passes);
    if passes.stopped {
        return Err(Failure::Stopped);
    }
    Ok(Optimised { typed, program, hoisted, warnings: diagnostics })
}

fn go_on(flow: ControlFlow<()>) -> Result<(), Failure> {
    if flow.is_break() { Err(Failure::Stopped) } else { Ok(()) }
}

/// Shows the passes of `usuba-opt` to an observer of the pipeline.
struct Passes<'a> {
    observer: &'a mut dyn Observer,
    stopped: bool,
}

impl pass::Observer for Passes<'_> {
    fn before(&mut self, pass: &Pass, program: &Program) {
        self.observer.before(pass.name, Some(Product::Usuba0(program)));
    }

    fn after(&mut self, pass: &Pass, program: &Program) -> ControlFlow<()> {
        let flow = self.observer.after(pass.name, Product::Usuba0(program));
        self.stopped = flow.is_break();
        flow
    }
}

/// Shows the stages of `usuba-codegen` to an observer of the pipeline.
struct Generation<'a> {
    observer: &'a mut dyn Observer,
    program: &'a Program,
}

impl usuba_codegen::Observer for Generation<'_> {
    fn before(&mut self, stage: &'static str) {
        self.observer.before(stage, Some(Product::Usuba0(self.program)).filter(|_| stage == SELECT));
    }

    fn after(&mut self, stage: &'static str, product: usuba_codegen::Product<'_>) -> ControlFlow<()> {
        self.observer.after(stage, Product::Generated(product))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_target::by_name;

    /// Eight on Zen 4 and Zen 5 in most widths; Golden Cove would do with six, of 512 bits with three.
    #[test]
    fn rounds_on_their_way() {
        for (name, rounds) in
            [("avx-aes", 8), ("avx2-vaes", 8), ("avx512-vaes", 8), ("neon-aes", 4), ("avx2", 0), ("gp64", 0)]
        {
            assert_eq!(rounds_in_flight(by_name(name).expect("a target")), rounds, "{name}");
        }
    }
}
