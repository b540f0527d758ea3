//! From checked Usuba0 to scheduled blocks to C.
//!
//! Everything public takes a [`Checked`] program. What is found wrong with one here is a mistake of the compiler, an
//! [`Internal`] error with its place: no step is left out and no operand made up.
//!
//! Reading order: [`shape`](Shape) (how atoms lie in registers), [`block`] (what the printers read), `rules` and `operate`
//! (from operations to instructions), `node` (arrays to memory, loops, calls), `c` (the C printer), [`messages`] (what a
//! target may lack).
//!
//! ```text
//! Checked --signature--> what each function is given
//!         --node-------> Function: operate + select (rows of the target's table, else rules), places of arrays
//!         --mapping----> the fewest bitwise instructions that it finds
//!         --prune------> no dead step
//!         --unroll-----> no loop that only moves values, and no dead step again
//!         --order------> fewer values at once, or shorter chains
//!         --c, asm-----> a source file and a header
//! ```

mod admission;
mod aligned;
mod asm;
mod bit_interleave;
pub mod block;
mod bound;
mod c;
#[cfg(test)]
mod damage;
mod header;
mod hidden;
mod inlined;
mod life;
mod mapping;
pub mod messages;
mod names;
mod node;
mod operate;
mod order;
mod overwrite;
mod price;
pub mod problems;
mod prune;
mod report;
mod rules;
mod select;
mod shape;
mod shuffle;
mod signature;
mod unroll;
mod vertical;

pub use messages::{Fault, Internal, Missing, NoCode, Reason};
pub use order::Order;
pub use report::{Count, Report};
pub use shape::Shape;

use block::Module;
use usuba_ir::check::Checked;
use usuba_ir::program::Program;
use usuba_target::Target;

/// The language that kernels are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backend {
    /// C with intrinsics, for every target.
    #[default]
    C,
    /// Assembly, for x86-64 with vectors: registers are allocated here, and what comes out does not depend on a compiler.
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
    pub order: Order,
}

/// Which way a parameter goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Read.
    Input,
    /// Written.
    Output,
}

/// A parameter of a kernel: a pointer to `count` elements of `element`, row-major.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelParameter {
    /// Its name in C.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// Its direction.
    pub direction: Direction,
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
    /// What it costs.
    pub report: Report,
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
        Ok(shape) => Ok(shape.interleaved(program.interleave)),
        Err(reason) => {
            Err(NoCode::Missing(vec![admission::missing_registers(program, &layouts, target, reason)]))
        }
    }
}

/// The scheduled blocks of a program.
///
/// # Errors
/// Everything that the target has no code for, each operation with its place; or a mistake of the compiler.
pub fn select(program: Checked<'_>, target: &Target, order: Order) -> Result<Module, NoCode> {
    let (shape, mut functions) = mapped(program.program(), target, &mut |_, _| ())?;
    for function in &mut functions {
        prune::prune(function);
        unroll::unroll_and_rename(function, target);
        prune::prune(function);
        order::order(function, target, order);
    }
    Ok(Module { shape, functions })
}

/// The functions of a program with their logic mapped, and nothing done after. `seen` is shown the gates of every block and
/// what was chosen for them.
fn mapped(
    program: &Program,
    target: &Target,
    seen: &mut dyn FnMut(&[mapping::Gate], &mapping::Chosen),
) -> Result<(Shape, Vec<block::Function>), NoCode> {
    let shape = shape_of(program, target)?;
    let signatures = signature::signatures(program);
    let mut functions = Vec::new();
    let mut missing = Vec::new();
    for (node, signature) in program.nodes.iter().zip(&signatures) {
        let Some(signature) = signature else { continue };
        match node::write_node(program, node, signature, &signatures, target, shape) {
            Ok(mut function) => {
                mapping::map_logic(&mut function, target, shape.lane, seen);
                functions.push(function);
            }
            Err(NoCode::Missing(found)) => missing.extend(found),
            Err(internal) => return Err(internal),
        }
    }
    if missing.is_empty() { Ok((shape, functions)) } else { Err(NoCode::Missing(missing)) }
}

/// What one run of a program without loops costs on a target, in tenths of an instruction: its instructions, and loads and
/// stores of values that do not fit the registers.
///
/// # Errors
/// As for [`select`].
pub fn price(program: Checked<'_>, target: &Target) -> Result<u64, NoCode> {
    select(program, target, Order::default()).map(|module| price::price(&module, target))
}

/// Whether a target has code for a program.
///
/// # Errors
/// As for [`select`].
pub fn admits(program: Checked<'_>, target: &Target) -> Result<(), NoCode> {
    select(program, target, Order::SOURCE).map(|_| ())
}

/// The kernel of a program. The same input gives the same bytes.
///
/// # Errors
/// Everything that the target has no code for, each operation with its place; or a mistake of the compiler.
pub fn generate(program: Checked<'_>, target: &Target, options: &Options) -> Result<Kernel, NoCode> {
    // Assembly chooses the order by what its allocation makes of it.
    let first = if options.backend == Backend::Assembly { Order::SOURCE } else { options.order };
    let module = select(program, target, first)?;
    let parameters = header::parameters(program.entry(), &module.shape);
    let report = report::report(&module, target);
    let header = header::header(&module.shape, target, options, &parameters);
    let source = match options.backend {
        Backend::C => c::source(&module, target, options, &parameters),
        Backend::Assembly => asm::source(&module, target, options, &parameters)
            .map_err(|stop| stop.of(program.entry(), target))?,
    };
    Ok(Kernel {
        source,
        header,
        symbol: options.symbol.clone(),
        instances: module.shape.instances,
        shape: module.shape,
        parameters,
        report,
    })
}
