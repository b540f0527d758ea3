//! From checked Usuba0 to machine programs to C or assembly.
//!
//! Everything public takes a [`Checked`] program. What is found wrong with one here is a mistake of the compiler, an
//! [`Internal`] error with its place: no step is left out and no operand made up.
//!
//! Reading order: `rules` and `operate` (from operations to instructions), `node` (arrays to memory, loops, calls), [`pass`]
//! (the list of passes on machine programs), `c` and `asm` (the printers), [`messages`] (what a target may lack). What a
//! machine program is, `usuba-machine` says.
//!
//! ```text
//! Checked --signature--> what each function is given
//!         --node-------> machine program: operate + select (rows of the target's table, else rules), places of arrays
//!         --pass-------> the passes of PASSES: logic, dead steps, loops, order, arrays that take turns
//!         --check------> internal error unless it is sound
//!         --c, asm-----> a source file and a header
//! ```

mod admission;
mod aligned;
mod asm;
mod bit_interleave;
mod bound;
mod byte_map;
mod c;
mod coalesce;
mod complement;
#[cfg(test)]
mod damage;
mod effort;
mod header;
mod hidden;
mod indices;
mod inlined;
mod kept;
mod life;
mod mapping;
pub mod messages;
mod move_bytes;
mod names;
mod node;
mod operate;
mod order;
mod ordered;
mod overlay;
mod overwrite;
pub mod pass;
mod places;
mod price;
pub mod problems;
mod prune;
mod report;
mod reread;
mod rules;
mod select;
mod shape;
mod shuffle;
mod signature;
mod turns;
mod unroll;
mod vertical;

pub use asm::{Listing, Stop, assembly, assembly_file, assembly_function};
pub use c::{inline_definitions, inline_source, program_source};
pub use messages::{Fault, Internal, Missing, NoCode, Reason};
pub use names::unfit_for_a_function;
pub use order::Scheduling;
pub use pass::{Observer, PASSES, Product, stages};
pub use places::Definition;
pub use report::{Count, Report, Row};
pub use usuba_machine::{Rounds, Shape};

use effort::Effort;
use pass::{Context, PRINT, SELECT, TURNS};
use std::ops::ControlFlow;
use usuba_ir::check::Checked;
use usuba_ir::program::{Node, Program};
use usuba_machine::program as machine;
use usuba_target::Target;

/// The language that kernels are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// C with intrinsics, for every target.
    #[default]
    C,
    /// Assembly, for x86-64: registers are allocated here, and what comes out does not depend on a compiler.
    Assembly,
}

impl Backend {
    /// What the names of its files end in; C compilers take both.
    pub fn extension(self) -> &'static str {
        match self {
            Backend::C => "c",
            Backend::Assembly => "S",
        }
    }
}

/// What the caller decides about a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Name of the C function; the names of the others start with it.
    pub symbol: String,
    /// Name of the header file, as the source includes it; empty to declare the function in the source instead.
    pub header_name: String,
    /// The command that makes the files, for their first lines.
    pub command: String,
    /// Lines about the cipher for the head of the files.
    pub description: Vec<String>,
    /// The language of the source.
    pub backend: Backend,
    /// The order of the instructions.
    pub order: Scheduling,
    /// The definitions of the source, for comments that say which one an instruction comes from: sorted by file and line.
    pub definitions: Vec<Definition>,
    /// How C looks.
    pub style: Style,
    /// Whether a kernel that is rounds in a loop takes the number of its turns from its caller ([`Kernel::rounds`]).
    pub turns: bool,
}

/// How generated C looks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Style {
    /// Locals have the names of the source, and comments say formulas and places of the source.
    #[default]
    OfTheSource,
    /// Locals have short names, and there are no comments: for the many files of a library.
    Terse,
}

/// What a kernel does with a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Read.
    Read,
    /// Written.
    Write,
}

/// A parameter of a kernel: a pointer to `count` elements of `element`, row-major.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelParameter {
    /// Its name in C.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// Whether it is read or written.
    pub access: Access,
    /// C type of an element: the register type, or [`Shape::uniform_type`].
    pub element: &'static str,
    /// Number of elements: atoms, times [`Shape::uniform_elements`] for uniform inputs.
    pub count: u32,
    /// Dimensions in the source, in atoms, outermost first; empty for one atom.
    pub shape: Vec<u32>,
    /// Bits of each atom.
    pub width: u32,
    /// The same for all instances.
    pub uniform: bool,
}

/// Generated code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The source file, in the language of [`Options::backend`].
    pub source: String,
    /// The header file.
    pub header: String,
    /// Name of the function.
    pub symbol: String,
    /// Parallel instances that a call computes.
    pub instances: u32,
    /// How the atoms lie in registers.
    pub shape: Shape,
    /// The parameters in order: inputs, then outputs.
    pub parameters: Vec<KernelParameter>,
    /// If the number of turns is a parameter too, the last: how many there are, and into which arrays the uniform one has become.
    pub rounds: Option<Rounds>,
    /// What it costs.
    pub report: Report,
    /// How it computes what the target has no instruction for.
    pub expansions: Vec<Expansion>,
}

/// A rule of selection: it computes by several instructions what a target has no instruction for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// Its name.
    pub rule: &'static str,
    /// The equation that makes it right.
    pub law: &'static str,
}

/// How the atoms of a program lie in the registers of a target.
///
/// # Errors
/// If the target has no registers for them.
pub fn shape(program: Checked<'_>, target: &Target) -> Result<Shape, NoCode> {
    shape_of(program.program(), target)
}

fn shape_of(program: &Program, target: &Target) -> Result<Shape, NoCode> {
    let layouts = shape::layouts(program);
    match shape::of_layouts(&layouts, target) {
        Ok(shape) => {
            let inputs = program.nodes.last().map_or(&[][..], |entry| &entry.inputs);
            let uniform = inputs.iter().filter(|input| input.uniform).map(|input| input.ty.atoms()).sum();
            Ok(shape::with_masks(shape, uniform).interleaved(program.interleave))
        }
        Err(reason) => {
            Err(NoCode::Missing(vec![admission::missing_registers(program, &layouts, target, reason)]))
        }
    }
}

/// The machine program of a program, after all passes, in the order of C.
///
/// # Errors
/// Everything that the target has no code for, each operation with its place; or a mistake of the compiler.
pub fn select(program: Checked<'_>, target: &Target, order: Scheduling) -> Result<machine::Program, NoCode> {
    let Selected { shape, program: mut selected, .. } = selected(program.program(), target)?;
    let context = Context { target, shape: &shape, backend: Backend::C, order, effort: Effort::Full };
    let _ = pass::run(&mut selected, &context, &mut ());
    Ok(selected)
}

/// What selection makes.
#[derive(Debug)]
struct Selected {
    shape: Shape,
    program: machine::Program,
    /// The rules that it took.
    rules: select::Used,
}

/// The machine program of a program, before all passes.
fn selected(program: &Program, target: &Target) -> Result<Selected, NoCode> {
    let shape = shape_of(program, target)?;
    let signatures = signature::signatures(program);
    let mut functions = Vec::new();
    let mut rules = select::Used::new();
    let mut missing = Vec::new();
    for (node, signature) in program.nodes.iter().zip(&signatures) {
        let Some(signature) = signature else { continue };
        match node::write_node(program, node, signature, &signatures, target, shape, &mut rules) {
            Ok(function) => functions.push(function),
            Err(NoCode::Missing(found)) => missing.extend(found),
            Err(internal) => return Err(internal),
        }
    }
    if missing.is_empty() {
        let program = machine::Program { target: target.name, files: program.files.clone(), functions };
        Ok(Selected { shape, program, rules })
    } else {
        Err(NoCode::Missing(missing))
    }
}

/// What one run of a program without loops costs on a target, in tenths of an instruction: its instructions, and loads and
/// stores of values that do not fit the registers.
///
/// # Errors
/// As for [`select`].
pub fn price(program: Checked<'_>, target: &Target) -> Result<u64, NoCode> {
    select(program, target, Scheduling::default()).map(|selected| price::price(&selected, target))
}

/// What a call of a program takes, with values in vectors of x86, by the model that orders of instructions are chosen by: cycles on each core
/// that code for the target is to be good for. Nothing if there is no assembly of it.
pub fn cycles(program: Checked<'_>, target: &Target) -> Option<Vec<u64>> {
    let Selected { shape, program: mut selected, .. } = selected(program.program(), target).ok()?;
    let (order, effort) = (Scheduling::AUTO, Effort::Draft);
    let context = Context { target, shape: &shape, backend: Backend::C, order, effort };
    let _ = pass::run(&mut selected, &context, &mut ());
    asm::cycles(&selected, target, &shape)
}

/// Whether a target has code for a program.
///
/// # Errors
/// As for [`select`].
pub fn admits(program: Checked<'_>, target: &Target) -> Result<(), NoCode> {
    selected(program.program(), target).map(|_| ())
}

/// Why there is no kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There is no code.
    NoCode(NoCode),
    /// The observer has stopped the generation.
    Stopped,
}

impl From<NoCode> for Failure {
    fn from(none: NoCode) -> Failure {
        Failure::NoCode(none)
    }
}

/// The kernel of a program. The same input gives the same bytes.
///
/// # Errors
/// Everything that the target has no code for, each operation with its place; or a mistake of the compiler.
pub fn generate(program: Checked<'_>, target: &Target, options: &Options) -> Result<Kernel, NoCode> {
    generate_watched(program, target, options, &mut ()).map_err(|failure| match failure {
        Failure::NoCode(none) => none,
        // Nobody looks on.
        Failure::Stopped => NoCode::Missing(Vec::new()),
    })
}

/// [`generate`], stage by stage before the eyes of an observer.
///
/// # Errors
/// As for [`generate`], or the observer has stopped it.
pub fn generate_watched(
    program: Checked<'_>,
    target: &Target,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Kernel, Failure> {
    let entry = program.entry();
    observer.before(SELECT);
    let Selected { shape, program: mut selected, rules } = selected(program.program(), target)?;
    go_on(observer.after(SELECT, Product::Machine(&selected, &shape)))?;
    go_on(pass::run(&mut selected, &Context::new(target, &shape, options), observer))?;
    let mut checked = sound(selected, entry)?;
    let parameters = header::parameters(entry, &shape);
    let report = report::report(&checked, target);
    let mut rounds = None;
    if options.turns {
        observer.before(TURNS);
        let mut several = machine::Program::clone(&checked);
        rounds = turns::turns(&mut several);
        if rounds.is_some() {
            go_on(observer.after(TURNS, Product::Machine(&several, &shape)))?;
            checked = sound(several, entry)?;
        }
    }
    let physical = rounds.map(|rounds| header::in_turns(&parameters, rounds));
    let printed = physical.as_deref().unwrap_or(&parameters);
    let made = match options.backend {
        Backend::C => None,
        Backend::Assembly => {
            let refused = |stop: asm::Stop| Failure::NoCode(stop.of(entry, target));
            let mut made = asm::Made::of(&checked, &shape, target).map_err(refused)?;
            for (stage, run) in pass::ASSEMBLY.into_iter().zip([asm::Made::allocate, asm::Made::address]) {
                observer.before(stage);
                run(&mut made).map_err(refused)?;
                go_on(observer.after(stage, Product::Assembly(&made.listing(&options.symbol))))?;
            }
            Some(made)
        }
    };
    observer.before(PRINT);
    let kernel = Kernel {
        source: match &made {
            None => c::source(&checked, &shape, target, options, printed),
            Some(made) => made.source(&shape, options, printed),
        },
        header: header::header(&shape, target, options, printed),
        symbol: options.symbol.clone(),
        instances: shape.instances,
        shape,
        parameters,
        rounds,
        report,
        expansions: rules
            .into_iter()
            .filter_map(|place| rules::RULES.get(place))
            .map(Expansion::of)
            .collect(),
    };
    go_on(observer.after(PRINT, Product::Kernel(&kernel)))?;
    Ok(kernel)
}

/// A program that the checker has seen.
fn sound(program: machine::Program, entry: &Node) -> Result<usuba_machine::Checked, NoCode> {
    usuba_machine::check(program).map_err(|flaws| {
        let flaw = flaws.first().map(ToString::to_string).unwrap_or_default();
        NoCode::from(Internal::from(Fault::Machine(flaw)).in_node(entry))
    })
}

fn go_on(flow: ControlFlow<()>) -> Result<(), Failure> {
    if flow.is_break() { Err(Failure::Stopped) } else { Ok(()) }
}
