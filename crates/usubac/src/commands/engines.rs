//! `usubac engines`: what batches of each engine of a library take, by measurement.

use crate::args::Engines;
use crate::cipher::Cipher;
use crate::files;
use crate::machine::Machine;
use crate::measure::{Candidate, Samples, Workbench};
use crate::metric::Metric;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{progress, targets};
use serde_json::{Value, json};
use std::path::PathBuf;
use usuba_compiler::pipeline;
use usuba_ir::layout::Slicing;
use usuba_package::engine::BuildError;
use usuba_package::library::measured::{self, Batch, Table};
use usuba_package::library::{fewer_at_once, share_engines};
use usuba_package::manifest::{Function, Primitive};
use usuba_target::core::TOLD_APART;
use usuba_target::{PLATFORMS, Target, beside, level_for};
use usuba_trial::run::Family;
use usuba_trial::tuned::Tuned;
use usuba_trial::variant::Variant;

/// An engine, compiled.
struct Engine {
    name: String,
    blocks: u32,
    in_c: Candidate,
    /// With kernels in assembly, if there is some.
    in_assembly: Option<Candidate>,
}

/// Measures, primitive by primitive, and writes each at once: what is found stays found if the rest is interrupted.
pub fn run(engines: &Engines, output: &Output) -> Result<(), Failure> {
    let cipher = Cipher::read(&engines.path, &engines.search, output)?;
    let tuned = cipher.tuned(false, output)?;
    let family = targets::compiler(&engines.cc)?;
    let chosen = levels(&engines.target)?;
    let runner = engines.runner.as_deref().unwrap_or_default();
    let workbench = Workbench::new(&cipher, &engines.opt, None, runner, Metric::Cycles);
    let mut machine = Machine::new(runner);
    for target in &chosen {
        let (compiler, timed) = workbench
            .compiler(target, &Variant::new(Slicing::V).by(family))
            .map_err(|error| Failure::general(error.to_string()))?;
        if !timed {
            return Err(Failure::general(format!(
                "code for `{}` cannot be timed here; give --runner CMD, which runs it on another machine",
                target.name
            )));
        }
        machine.add_compiler(compiler.version());
    }
    let core = core(engines, &machine)?;
    let mut measured = cipher.measured()?;
    let old = core.and_then(|core| measured.cores.get(core)).cloned().unwrap_or_default();
    let mut table = kept(engines, &cipher, old, &machine, &workbench.level)?;
    let bar = progress::bar(output);
    let primitives = cipher.primitives(&engines.primitive)?;
    bar.set_length(primitives.len() as u64);
    let mut rows: Vec<Value> = Vec::new();
    let mut path = None;
    for (number, &primitive) in primitives.iter().enumerate() {
        bar.set_position(number as u64);
        // The engines of a generator work on several streams, which nothing here times: they are estimated.
        let is_generator = matches!(primitive.function, Function::Generator(_));
        let is_known = primitives.iter().take(number).any(|&other| share_engines(other, primitive));
        if is_generator || is_known {
            continue;
        }
        let show = |what: &str| bar.set_message(format!("{}: {what}", primitive.name));
        let made = compile(&workbench, primitive, &chosen, family, &tuned, &show)?;
        show("timing");
        let times = time(&workbench, &made, engines.runs as usize)?;
        let of = table.batches.entry(primitive.name.clone()).or_default();
        if !engines.assembly {
            of.retain(|name, _| !chosen.iter().any(|target| measured::is_of(name, target)));
        }
        for (Engine { name, blocks, in_assembly, .. }, times) in made.iter().zip(times) {
            let (Some(cycles), Some(assembly)) = (times.in_c, times.in_assembly.or(times.in_c)) else {
                return Err(Failure::general("no sample was steady: is the machine overloaded?"));
            };
            let assembly = in_assembly.as_ref().map(|_| assembly / cycles);
            let new = Batch { blocks: *blocks, cycles, assembly };
            if !engines.assembly {
                of.insert(name.clone(), new);
            } else if let Some(known) = of.get_mut(name).filter(|known| known.blocks == *blocks) {
                known.assembly = assembly;
            }
            rows.push(json!({
                "primitive": primitive.name, "engine": name, "blocks": blocks, "cycles": cycles, "assembly": assembly,
            }));
            if !output.is_json() {
                let part = assembly.map_or(String::new(), |part| format!(", {part:.2} of that in assembly"));
                let line = format!(
                    "{:<20} {name:<16} {blocks:>4} blocks {cycles:>11.1} cycles{part}",
                    primitive.name
                );
                bar.suspend(|| print_line(&line));
            }
        }
        if let Some(core) = core.filter(|_| !engines.dry_run) {
            measured.cores.insert(core, table.clone());
            let file = [(PathBuf::from(measured::FILE), measured::print(&measured))];
            path = files::write_all(&cipher.folder, &file)?.into_iter().next();
        }
    }
    bar.finish_and_clear();
    if output.is_json() {
        print_json(&json!({
            "machine": machine.json(), "engines": rows, "file": path.map(|path| path.display().to_string()),
        }));
    } else {
        machine.lines().iter().for_each(|line| print_line(line));
        if let Some(path) = path {
            print_line(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// The targets that libraries have levels for, among those that are named.
fn levels(names: &[String]) -> Result<Vec<&'static Target>, Failure> {
    let is_level = |target: &&'static Target| {
        PLATFORMS.iter().flat_map(|platform| platform.levels).any(|level| {
            level.name == target.name || beside(level).is_some_and(|beside| beside.name == target.name)
        })
    };
    let (levels, others): (Vec<&Target>, Vec<&Target>) =
        targets::named(names)?.into_iter().partition(is_level);
    match others.iter().find(|other| names.iter().any(|name| *name == other.name)) {
        Some(other) => Err(Failure::general(format!("libraries have no engines for `{}`", other.name))),
        None => Ok(levels),
    }
}

/// The name of the core whose table is written; nothing if none is, and the machine has none that libraries tell apart.
fn core(engines: &Engines, machine: &Machine) -> Result<Option<&'static str>, Failure> {
    let named =
        engines.core.as_ref().and_then(|name| TOLD_APART.iter().find(|core| core.id == name).copied());
    let core = named.or(machine.core).map(|core| core.id);
    if core.is_none() && !engines.dry_run {
        let known: Vec<&str> = TOLD_APART.iter().map(|core| core.id).collect();
        return Err(Failure::general(format!(
            "{} has none of the cores that libraries tell apart ({}): say with --core for which of them the figures shall be, or \
             --dry-run to see them only",
            machine.processor,
            known.join(", ")
        )));
    }
    Ok(core)
}

/// What stays of the table: all if only a part is measured, else nothing.
fn kept(
    engines: &Engines,
    cipher: &Cipher,
    old: Table,
    machine: &Machine,
    level: &str,
) -> Result<Table, Failure> {
    let new = Table {
        machine: machine.processor.clone(),
        tools: format!("{}, {level}", machine.compilers.join("; ")),
        assembly: machine.processor.clone(),
        ..Table::default()
    };
    if engines.assembly {
        let reason = match old.tools == new.tools {
            _ if old.batches.is_empty() => "there is nothing yet to compare assembly with".to_owned(),
            true => return Ok(Table { assembly: new.assembly, ..old }),
            false => format!("its C was compiled otherwise ({}, and now {})", old.tools, new.tools),
        };
        return Err(Failure::general(format!(
            "{}: {reason}; measure all, without --assembly",
            cipher.folder.join(measured::FILE).display()
        )));
    }
    let is_part = !engines.primitive.is_empty() || engines.target != ["here"];
    if !is_part || old.batches.is_empty() {
        return Ok(new);
    }
    if (&old.machine, &old.tools) != (&new.machine, &new.tools) && !engines.dry_run {
        return Err(Failure::general(format!(
            "{} was made on another machine or with another compiler ({}; {}): figures of both do not compare; measure all, \
             without --primitive and --target",
            cipher.folder.join(measured::FILE).display(),
            old.machine,
            old.tools
        )));
    }
    Ok(old)
}

/// Compiles all engines that a library could have.
fn compile(
    workbench: &Workbench,
    primitive: &Primitive,
    chosen: &[&'static Target],
    family: Family,
    tuned: &Tuned,
    show: &dyn Fn(&str),
) -> Result<Vec<Engine>, Failure> {
    let mut made: Vec<Engine> = Vec::new();
    let mut there: Vec<(&str, Slicing)> = Vec::new();
    for &target in chosen {
        let timed =
            primitive.library.iter().filter(|&&slicing| measured::is_timed(primitive, slicing, target));
        for &slicing in timed {
            // As where libraries are made.
            let has = |other: &str| there.contains(&(level_for(other), slicing));
            if !target.adds_to(slicing, has) {
                continue;
            }
            let base = target.bases().find(|base| has(base.name));
            let tuned = tuned.find(&primitive.name, target.name).map(|choice| choice.variant);
            let variant = match tuned.filter(|variant| variant.slicing() == slicing) {
                Some(variant) => variant,
                None => Variant::new(slicing).by(family),
            };
            let Some(all) = engine(workbench, primitive, target, variant, None, show)? else { continue };
            if base.is_some_and(|base| !all.in_c.kernel.report.goes_beyond(base)) {
                continue;
            }
            there.push((target.name, slicing));
            for batches in fewer_at_once(primitive, slicing, target, all.in_c.kernel.shape.interleave) {
                let fewer = variant.set("interleave", &batches.to_string()).map_err(Failure::general)?;
                made.extend(engine(workbench, primitive, target, fewer, Some(batches), show)?);
            }
            made.push(all);
        }
    }
    Ok(made)
}

/// Compiles an engine, with so many batches at once if that is not the usual number, or nothing if the target has no code for it.
fn engine(
    workbench: &Workbench,
    primitive: &Primitive,
    target: &'static Target,
    variant: Variant,
    batches: Option<u32>,
    show: &dyn Fn(&str),
) -> Result<Option<Engine>, Failure> {
    let name = measured::name(target, variant.slicing(), batches);
    show(&format!("compiling {name}"));
    let made = |variant: Variant| {
        let draft = match workbench.draft(primitive, target, variant) {
            Ok(draft) => draft.by_batch(),
            Err(BuildError::Node { failure: pipeline::Failure::Target(_), .. }) => return Ok(None),
            Err(error) => return Err(workbench.cipher.explain(&error)),
        };
        let compiler = workbench.compiler(target, &variant);
        let (compiler, _) = compiler.map_err(|error| Failure::general(error.to_string()))?;
        Ok(Some((draft.batch(), workbench.compile(draft, &compiler, None)?)))
    };
    let Some((blocks, in_c)) = made(variant)? else { return Ok(None) };
    let assembly = variant.set("backend", "asm").map_err(Failure::general)?;
    // Of the same number of blocks, unless the kernel is assembly already.
    let in_assembly = if assembly == variant { None } else { made(assembly)? };
    let in_assembly = in_assembly.filter(|(batch, _)| *batch == blocks).map(|(_, candidate)| candidate);
    Ok(Some(Engine { name, blocks, in_c, in_assembly }))
}

/// Core cycles of a batch; `None` where no sample was steady.
#[derive(Clone, Copy)]
struct Times {
    in_c: Option<f64>,
    in_assembly: Option<f64>,
}

/// What a batch of each takes, all in the same processes.
fn time(workbench: &Workbench, engines: &[Engine], processes: usize) -> Result<Vec<Times>, Failure> {
    let mut field: Vec<&Candidate> = Vec::new();
    for engine in engines {
        field.extend([Some(&engine.in_c), engine.in_assembly.as_ref()].into_iter().flatten());
    }
    if field.is_empty() {
        return Ok(Vec::new());
    }
    let program = workbench.link(&field, None)?;
    let mut samples = Samples::new(field.len());
    for process in 0..processes {
        workbench.sample(&program, &field, None, process * field.len() / processes, &mut samples)?;
    }
    let cycles = |number: usize, candidate: &Candidate| {
        let works = candidate.timed.works.iter().filter(|work| work.what != "kernel");
        let times: Option<Vec<f64>> =
            works.map(|work| Some(samples.median(number, work.what)? * f64::from(work.bytes))).collect();
        let times = times.filter(|times| !times.is_empty())?;
        Some(times.iter().sum::<f64>() / times.len() as f64)
    };
    let mut number = 0;
    let mut next = |candidate: &Candidate| {
        number += 1;
        cycles(number - 1, candidate)
    };
    let times = |Engine { in_c, in_assembly, .. }: &Engine| Times {
        in_c: next(in_c),
        in_assembly: in_assembly.as_ref().and_then(&mut next),
    };
    Ok(engines.iter().map(times).collect())
}
