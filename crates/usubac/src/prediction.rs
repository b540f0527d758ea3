//! What a node would cost in each slicing on a target, and the choice between them.

use usuba_codegen::{Kernel, KernelParameter, Missing};
use usuba_compiler::pipeline::{Compiled, Failure, Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::load::Loaded;
use usuba_target::Target;

/// Cycles per instance at best: what the ports allow, or where the table does not say, an instruction a cycle.
pub fn cycles_per_instance(kernel: &Kernel, target: &Target) -> f64 {
    let cycles = kernel.report.port_bound(target).unwrap_or(kernel.report.instructions_run() as f64);
    cycles / f64::from(kernel.instances.max(1))
}

/// Cycles for so many instances at best, where a call computes a whole batch or nothing; per instance.
pub fn cycles_per_instance_of(kernel: &Kernel, target: &Target, instances: u64) -> f64 {
    let calls = instances.div_ceil(u64::from(kernel.instances.max(1))).max(1);
    let batch = f64::from(kernel.instances.max(1));
    cycles_per_instance(kernel, target) * batch * calls as f64 / instances.max(1) as f64
}

/// Bytes of the outputs of one instance.
pub fn output_bytes(kernel: &Kernel) -> f64 {
    let bits = |parameter: &KernelParameter| u64::from(parameter.width) * u64::from(parameter.count);
    let outputs = kernel.parameters.iter().filter(|one| one.access == usuba_codegen::Access::Write);
    outputs.map(bits).sum::<u64>() as f64 / f64::from(8 * kernel.shape.interleave.max(1))
}

/// Why a slicing is not to be had.
pub enum Refusal {
    /// The program or the slicing.
    Program(Vec<Diagnostic>),
    /// The target.
    Target(Vec<Missing>),
    /// A mistake of the compiler.
    Internal(String),
}

/// A node in one slicing on one target.
pub fn attempt(loaded: &Loaded, settings: &Settings, target: &Target) -> Result<Compiled, Refusal> {
    let naming = usuba_codegen::Options { symbol: "kernel".into(), ..Default::default() };
    compile(loaded, settings, target, &naming, &mut ()).map_err(|failure| match failure {
        Failure::Program(findings) => Refusal::Program(findings),
        Failure::Target(missing) => Refusal::Target(missing),
        Failure::Internal(error) => Refusal::Internal(error),
        Failure::Stopped => Refusal::Program(Vec::new()),
    })
}

/// What is predicted fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    /// The slicing.
    pub slicing: Slicing,
    /// Batches that are computed at once, if the number of blocks decides.
    pub batches: Option<u32>,
}

impl Best {
    /// A slicing that was asked for.
    pub fn of(slicing: Slicing) -> Best {
        Best { slicing, batches: None }
    }
}

/// A node for a caller with so many blocks at a time: with as many batches at once as cost least for them, unless the
/// settings say how many.
pub fn attempt_for(
    loaded: &Loaded,
    settings: &Settings,
    target: &Target,
    blocks: Option<u64>,
) -> Result<Compiled, Refusal> {
    let mut best = attempt(loaded, settings, target)?;
    let (Some(blocks), None) = (blocks, settings.passes.interleave) else { return Ok(best) };
    for batches in (1..best.kernel.shape.interleave).rev() {
        let mut settings = settings.clone();
        (settings.passes.interleave, settings.passes.granularity) = (Some(batches), None);
        let fewer = attempt(loaded, &settings, target)?;
        let cost = |compiled: &Compiled| cycles_per_instance_of(&compiled.kernel, target, blocks);
        // Of equals the one with fewer calls, each of which waits for its own latencies.
        if cost(&fewer) < 0.99 * cost(&best) {
            best = fewer;
        }
    }
    Ok(best)
}

/// The slicing predicted fastest on a target among those that the node admits, for a caller with so many blocks at a time, or
/// with any number of them.
///
/// # Errors
/// Why each slicing is refused, if all are.
pub fn fastest(
    loaded: &Loaded,
    settings: &dyn Fn(Slicing) -> Settings,
    among: &[Slicing],
    target: &Target,
    blocks: Option<u64>,
) -> Result<Best, Vec<(Slicing, Refusal)>> {
    let mut refusals = Vec::new();
    let mut best: Option<(f64, Best)> = None;
    for &slicing in among {
        let settings = settings(slicing);
        match attempt_for(loaded, &settings, target, blocks) {
            // A mistake of the compiler is not hidden behind a slicing in which it does not show.
            Err(Refusal::Internal(error)) => return Err(vec![(slicing, Refusal::Internal(error))]),
            Err(refusal) => refusals.push((slicing, refusal)),
            Ok(compiled) => {
                let cost = match blocks {
                    Some(blocks) => cycles_per_instance_of(&compiled.kernel, target, blocks),
                    None => cycles_per_instance(&compiled.kernel, target),
                };
                if best.is_none_or(|(least, _)| cost < least) {
                    let batches = blocks.map(|_| compiled.kernel.shape.interleave);
                    best = Some((cost, Best { slicing, batches: settings.passes.interleave.or(batches) }));
                }
            }
        }
    }
    best.map(|(_, best)| best).ok_or(refusals)
}
