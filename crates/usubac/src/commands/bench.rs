//! `usubac bench`: core cycles per byte of compiled ciphers, kernel only and whole path, beside the port bound.

use crate::args::{BackendArg, Bench};
use crate::cipher::Cipher;
use crate::estimate::cycles_per_instance;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{progress, targets};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use usuba_codegen::Backend;
use usuba_ir::layout::Slicing;
use usuba_kit::OutputFile;
use usuba_kit::bench::{harness, parse};
use usuba_kit::library::{self, Choices};
use usuba_kit::manifest::{Function, Primitive};
use usuba_kit::run::{Compiler, Family, Program};

/// One way to make a primitive, compiled.
struct Variant {
    primitive: String,
    slicing: Slicing,
    target: &'static str,
    compiler: String,
    instances: u32,
    bound: Option<f64>,
    program: Program,
    /// Tenth percentiles of every process, by what was measured.
    samples: BTreeMap<String, Vec<f64>>,
}

/// Compiles everything first, then runs the programs in turn, in a rotating order.
pub fn run(bench: &Bench, output: &Output) -> Result<(), Failure> {
    if !cfg!(target_arch = "x86_64") {
        return Err(Failure::general(
            "bench reads the time-stamp counter of x86-64, and this machine has none",
        ));
    }
    let cipher = Cipher::read(&bench.path, &bench.search, output)?;
    let mut variants = variants(bench, &cipher, output)?;
    if variants.is_empty() {
        return Err(Failure::general("there is nothing to measure: no target has code and a compiler here"));
    }
    let bar = progress::bar(output);
    bar.set_length((variants.len() * bench.runs as usize) as u64);
    for round in 0..bench.runs as usize {
        for turn in 0..variants.len() {
            let place = (turn + round) % variants.len();
            let variant = &mut variants[place];
            bar.set_message(format!("{} {} {}", variant.primitive, variant.slicing, variant.target));
            let printed = variant.program.run(&[]).map_err(|error| Failure::general(error.to_string()))?;
            for one in parse(&String::from_utf8_lossy(&printed)) {
                variant.samples.entry(one.what).or_default().push(one.low);
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let rows: Vec<Value> = variants.iter().map(row).collect();
    if output.is_json() {
        print_json(&json!({ "machine": machine(), "processes": bench.runs, "rows": rows }));
        return Ok(());
    }
    print_line(&format!("machine: {}; {} processes each, core cycles per byte", machine(), bench.runs));
    print_line(&format!(
        "{:<14} {:<2} {:<11} {:<9} {:>5} {:>8} {:>8} {:>6}  whole path",
        "primitive", "", "target", "compiler", "batch", "kernel", "bound", "ratio"
    ));
    for row in &rows {
        let number = |key: &str| row[key].as_f64().map_or("-".to_owned(), |value| format!("{value:.3}"));
        let whole: Vec<String> = row["whole"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(what, value)| format!("{what} {:.2}", value.as_f64().unwrap_or(f64::NAN)))
            .collect();
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        print_line(&format!(
            "{:<14} {:<2} {:<11} {:<9} {:>5} {:>8} {:>8} {:>6}  {}",
            text("primitive"),
            text("slicing"),
            text("target"),
            text("compiler"),
            row["instances"],
            number("kernel"),
            number("port_bound"),
            row["ratio"].as_f64().map_or("-".to_owned(), |value| format!("{value:.2}")),
            whole.join(", ")
        ));
    }
    Ok(())
}

fn variants(bench: &Bench, cipher: &Cipher, output: &Output) -> Result<Vec<Variant>, Failure> {
    let chosen = targets::named(&bench.target)?;
    let wanted: Vec<Slicing> =
        bench.slicing.iter().filter_map(|&slicing| targets::slicing(slicing)).collect();
    let primitives = cipher.primitives(&bench.primitive)?;
    let bar = progress::bar(output);
    let mut variants = Vec::new();
    for primitive in primitives {
        for &slicing in primitive.slicings.iter().filter(|one| wanted.is_empty() || wanted.contains(one)) {
            for &target in &chosen {
                bar.set_message(format!("compiling {} {slicing} {}", primitive.name, target.name));
                bar.tick();
                let ways = bench.backend.iter().flat_map(|one| bench.cc.iter().map(move |name| (*one, name)));
                for (backend, name) in ways {
                    let mut choices = Choices::new(slicing);
                    if backend == BackendArg::Asm {
                        choices.backend = Backend::Assembly;
                        // The assembler makes the same of it, whichever compiler calls it.
                        if Some(name) != bench.cc.first() {
                            continue;
                        }
                    }
                    let Ok(library) = library::build(primitive, &cipher.loaded, target, &choices) else {
                        continue;
                    };
                    let family = match name.as_str() {
                        "gcc" => Family::Gcc,
                        "clang" => Family::Clang,
                        other => {
                            return Err(Failure::general(format!(
                                "`{other}` is no compiler; there are gcc and clang"
                            )));
                        }
                    };
                    let Ok(compiler) = Compiler::find(target, family) else { continue };
                    if !compiler.runner.is_empty() {
                        continue;
                    }
                    let mut files = library.files.clone();
                    files.push(harness(primitive, &library, &choices.prefix));
                    let program = compile(&compiler, &files, &bench.opt)?;
                    let main = library
                        .kernels
                        .iter()
                        .find(|(role, _)| *role != "decrypt" && *role != "key_schedule");
                    let kernel = main.map(|(_, compiled)| &compiled.kernel);
                    variants.push(Variant {
                        primitive: primitive.name.clone(),
                        slicing,
                        target: target.name,
                        compiler: match backend {
                            BackendArg::C => compiler.command.clone(),
                            BackendArg::Asm => "asm".to_owned(),
                        },
                        instances: library.batch,
                        bound: kernel.filter(|kernel| kernel.report.port_bound(target).is_some()).map(
                            |kernel| cycles_per_instance(kernel, target) / f64::from(block_bytes(primitive)),
                        ),
                        program,
                        samples: BTreeMap::new(),
                    });
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(variants)
}

fn compile(compiler: &Compiler, files: &[OutputFile], level: &str) -> Result<Program, Failure> {
    let level = format!("-O{}", level.trim_start_matches("-").trim_start_matches('O'));
    compiler.compile(files, &[&level]).map_err(|error| Failure::general(error.to_string()))
}

fn block_bytes(primitive: &Primitive) -> u32 {
    match &primitive.function {
        Function::BlockCipher(cipher) => cipher.block.bytes,
        Function::Stream(cipher) => cipher.keystream.bytes,
        Function::Permutation(permutation) => permutation.state.bytes,
    }
}

fn row(variant: &Variant) -> Value {
    let medians: BTreeMap<&str, f64> =
        variant.samples.iter().map(|(what, samples)| (what.as_str(), median(samples))).collect();
    let kernel = medians.get("kernel").copied();
    let whole: serde_json::Map<String, Value> = medians
        .iter()
        .filter(|(what, _)| **what != "kernel")
        .map(|(what, value)| ((*what).to_owned(), json!(value)))
        .collect();
    json!({
        "primitive": variant.primitive,
        "slicing": variant.slicing.to_string(),
        "target": variant.target,
        "compiler": variant.compiler,
        "instances": variant.instances,
        "kernel": kernel,
        "port_bound": variant.bound,
        "ratio": kernel.zip(variant.bound).map(|(kernel, bound)| kernel / bound),
        "whole": whole,
    })
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The processor, as the system names it.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split(": ").nth(1))
            .map(str::to_owned)
    };
    let model = field("model name").unwrap_or_else(|| "an unknown processor".into());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}
