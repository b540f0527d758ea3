//! The list of passes from machine program to machine program, and who looks on while a kernel is made.

use crate::effort::Effort;
use crate::order::Scheduling;
use crate::{
    Backend, Kernel, Options, asm, coalesce, complement, mapping, move_bytes, order, overlay, prune, unroll,
};
use std::fmt;
use std::ops::ControlFlow;
use usuba_machine::{Program, Shape};
use usuba_target::Target;

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub purpose: &'static str,
    /// What it does.
    pub(crate) run: fn(&mut Program, &Context<'_>),
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

/// What passes know beside the program.
pub(crate) struct Context<'a> {
    pub(crate) target: &'a Target,
    pub(crate) shape: &'a Shape,
    pub(crate) backend: Backend,
    pub(crate) order: Scheduling,
    pub(crate) effort: Effort,
}

impl<'a> Context<'a> {
    pub(crate) fn new(target: &'a Target, shape: &'a Shape, options: &Options) -> Context<'a> {
        Context { target, shape, backend: options.backend, order: options.order, effort: Effort::Full }
    }
}

/// The stage before all passes: from Usuba0 to a machine program.
pub const SELECT: &str = "select";

/// All passes, in order.
#[rustfmt::skip]
pub const PASSES: &[Pass] = &[
    Pass { name: "move-bytes",     purpose: "Move bytes of registers with the fewest instructions that are found.", run: move_bytes },
    Pass { name: "map-logic",      purpose: "Compute bitwise logic with the fewest instructions that are found.", run: map_logic },
    Pass { name: "prune",          purpose: "Remove what no output depends on.",                                run: prune },
    Pass { name: "unroll",         purpose: "Unroll loops until no carried value is a copy of another.",        run: unroll },
    Pass { name: "prune-unrolled", purpose: "Remove what unrolling has left over.",                             run: prune },
    Pass { name: "complement",     purpose: "Hold values complemented where few complements are left to compute.", run: complement },
    Pass { name: "order",          purpose: "Order instructions for fewer values at once, or shorter chains.",  run: order },
    Pass { name: "overlay",        purpose: "Give arrays one place that are not needed at once or begin as each other.", run: overlay },
];

/// The stages of assembly alone, after all passes.
pub const ASSEMBLY: [&str; 2] = ["allocate", "address"];

/// The stage that makes the number of turns a parameter, if the caller asks for that and it can be done.
pub const TURNS: &str = "turns";

/// The last stage: text.
pub const PRINT: &str = "print";

/// The names of all stages of code generation, in order; those of [`ASSEMBLY`] are of one backend only.
pub fn stages() -> impl Iterator<Item = &'static str> {
    let passes = PASSES.iter().map(|pass| pass.name);
    [SELECT].into_iter().chain(passes).chain(ASSEMBLY).chain([PRINT])
}

/// What a stage has made.
#[derive(Clone, Copy, Debug)]
pub enum Product<'a> {
    /// Of [`SELECT`] and of every pass: the program, and how instances lie in its registers.
    Machine(&'a Program, &'a Shape),
    /// Of the stages of [`ASSEMBLY`].
    Assembly(&'a asm::Listing<'a>),
    /// Of [`PRINT`].
    Kernel(&'a Kernel),
}

/// Who looks on: dumps, clocks, checks.
pub trait Observer {
    /// A stage is about to run.
    fn before(&mut self, stage: &'static str) {
        let _ = stage;
    }

    /// A stage has made this; `Break` stops here.
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        let _ = (stage, product);
        ControlFlow::Continue(())
    }
}

/// Nobody looks on.
impl Observer for () {}

/// Runs all passes, or until the observer stops them.
pub(crate) fn run(
    program: &mut Program,
    context: &Context<'_>,
    observer: &mut dyn Observer,
) -> ControlFlow<()> {
    for pass in PASSES {
        observer.before(pass.name);
        (pass.run)(program, context);
        observer.after(pass.name, Product::Machine(program, context.shape))?;
    }
    ControlFlow::Continue(())
}

fn move_bytes(program: &mut Program, context: &Context<'_>) {
    program.functions.iter_mut().for_each(|function| move_bytes::move_bytes(function, context.target));
}

fn map_logic(program: &mut Program, context: &Context<'_>) {
    for function in &mut program.functions {
        mapping::map_logic(function, context.target, context.shape.lane, context.effort, &mut |_, _| ());
    }
}

fn prune(program: &mut Program, _: &Context<'_>) {
    program.functions.iter_mut().for_each(prune::prune);
}

fn unroll(program: &mut Program, context: &Context<'_>) {
    program.functions.iter_mut().for_each(|function| unroll::unroll_and_rename(function, context.target));
}

fn complement(program: &mut Program, context: &Context<'_>) {
    for function in &mut program.functions {
        complement::complement(function, context.target, context.shape.lane, context.effort);
    }
}

fn overlay(program: &mut Program, _: &Context<'_>) {
    for function in &mut program.functions {
        coalesce::coalesce(function);
        overlay::overlay(function);
    }
}

fn order(program: &mut Program, context: &Context<'_>) {
    let mut give = |order| {
        program.functions.iter_mut().for_each(|function| order::order(function, context.target, order));
    };
    if context.backend == Backend::Assembly {
        // The order is chosen by what the allocation makes of each.
        give(Scheduling::SOURCE);
        let best = asm::best_order(program, context.target, context.shape, context.order);
        program.functions.iter_mut().for_each(|function| order::order(function, context.target, best));
    } else {
        give(context.order);
    }
}
