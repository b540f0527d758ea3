//! How long `usubac` takes: every cipher, slicing and target, from source text to C and, where it can be printed, to assembly,
//! in one process; the median of a few runs of the whole pipeline, the size of what it makes, and the largest memory that
//! the process had. `--json` prints the same for programs, `--runs N` says how many runs.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use usuba_codegen::Backend;
use usuba_compiler::pipeline::{Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::load::load;
use usuba_target::Target;
use usuba_tests::ciphers::{CIPHERS, Cipher, Disk, root};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let runs = arguments
        .iter()
        .position(|argument| argument == "--runs")
        .and_then(|place| arguments.get(place + 1)?.parse().ok())
        .unwrap_or(3);
    if !as_json {
        println!(
            "{:<28} {:>2} {:<11} {:<3} {:>9} {:>10} {:>9}",
            "node", "", "target", "to", "time", "size", "gates"
        );
    }
    let mut rows: Vec<Value> = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        for (node, slicings) in cipher.nodes() {
            for slicing in slicings {
                let mut have: Vec<&str> = Vec::new();
                for target in usuba_target::all() {
                    if !target.adds_to(slicing, |other| have.contains(&other)) {
                        continue;
                    }
                    for backend in [Backend::C, Backend::Assembly] {
                        let Some(timed) = time(name, &cipher, &node, slicing, target, backend, runs) else {
                            continue;
                        };
                        have.push(target.name);
                        let row = format!("{name}: {node}");
                        if as_json {
                            rows.push(json!({
                                "node": row, "slicing": slicing.to_string(), "target": target.name,
                                "backend": language(backend), "milliseconds": timed.median.as_secs_f64() * 1000.0,
                                "bytes": timed.bytes, "gates": timed.gates,
                            }));
                        } else {
                            println!(
                                "{row:<28} {slicing:>2} {:<11} {:<3} {:>6} ms {:>7} KB {:>9}",
                                target.name,
                                language(backend),
                                timed.median.as_millis(),
                                timed.bytes / 1024,
                                timed.gates
                            );
                        }
                        if timed.median > slowest.0 {
                            slowest = (timed.median, format!("{row}, slicing {slicing}, {}", target.name));
                        }
                    }
                }
            }
        }
    }
    if as_json {
        println!("{}", json!({ "rows": rows, "peak_kib": peak_kib() }));
        return;
    }
    println!("slowest: {} ms, {}", slowest.0.as_millis(), slowest.1);
    if let Some(peak) = peak_kib() {
        println!("memory: {} MB at most", peak / 1024);
    }
}

struct Timed {
    median: Duration,
    bytes: usize,
    gates: u64,
}

fn time(
    name: &str,
    cipher: &Cipher,
    node: &str,
    slicing: Slicing,
    target: &'static Target,
    backend: Backend,
    runs: usize,
) -> Option<Timed> {
    let source = root().join("ciphers").join(name).join(&cipher.manifest.source);
    let naming = usuba_codegen::Options { symbol: "kernel".into(), backend, ..Default::default() };
    let mut times = Vec::new();
    let mut compiled = None;
    for _ in 0..runs.max(1) {
        let started = Instant::now();
        let loaded = load(&source.to_string_lossy(), &[], &Disk);
        compiled = compile(&loaded, &Settings::new(slicing, Some(node)), target, &naming, &mut ()).ok();
        times.push(started.elapsed());
    }
    times.sort();
    let compiled = compiled?;
    Some(Timed {
        median: times[times.len() / 2],
        bytes: compiled.kernel.source.len(),
        gates: compiled.kernel.report.gates,
    })
}

fn language(backend: Backend) -> &'static str {
    match backend {
        Backend::C => "c",
        Backend::Assembly => "asm",
    }
}

/// The largest memory that this process has had, as Linux tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}
