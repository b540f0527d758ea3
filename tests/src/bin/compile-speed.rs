//! How long `usubac` takes: every cipher, slicing and target, from source text to C and, where it can be printed, to assembly,
//! in one process, a slicing of a node on each processor; the median of a few runs of the whole pipeline, the size of what it
//! makes, and the largest memory that the process had. `--json` prints the same for programs, `--runs N` says how many runs.

use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use usuba_codegen::Backend;
use usuba_compiler::pipeline::{Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::load::load;
use usuba_target::Target;
use usuba_tests::ciphers::{CIPHERS, Cipher, Disk, root};

/// A node in a slicing, for all targets.
struct Job {
    name: &'static str,
    node: String,
    slicing: Slicing,
}

/// A kernel of a job.
struct Row {
    target: &'static Target,
    backend: Backend,
    timed: Timed,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let runs = arguments
        .iter()
        .position(|argument| argument == "--runs")
        .and_then(|place| arguments.get(place + 1)?.parse().ok())
        .unwrap_or(3);
    let mut jobs: Vec<Job> = Vec::new();
    for name in CIPHERS {
        for (node, slicings) in Cipher::read(name).nodes() {
            jobs.extend(slicings.into_iter().map(|slicing| Job { name, node: node.clone(), slicing }));
        }
    }
    let all = on_all_processors(&jobs, runs);
    if as_json {
        let rows: Vec<Value> = jobs
            .iter()
            .zip(&all)
            .flat_map(|(job, rows)| rows.iter().map(move |row| (job, row)))
            .map(|(Job { name, node, slicing }, Row { target, backend, timed })| {
                json!({
                    "node": format!("{name}: {node}"), "slicing": slicing.to_string(), "target": target.name,
                    "backend": language(*backend), "milliseconds": timed.median.as_secs_f64() * 1000.0,
                    "bytes": timed.bytes, "gates": timed.gates,
                })
            })
            .collect();
        println!("{}", json!({ "rows": rows, "peak_kib": peak_kib() }));
        return;
    }
    println!(
        "{:<28} {:>2} {:<11} {:<3} {:>9} {:>10} {:>9}",
        "node", "", "target", "to", "time", "size", "gates"
    );
    let mut slowest = (Duration::ZERO, String::new());
    for (Job { name, node, slicing }, rows) in jobs.iter().zip(&all) {
        let node = format!("{name}: {node}");
        for Row { target, backend, timed } in rows {
            println!(
                "{node:<28} {slicing:>2} {:<11} {:<3} {:>6} ms {:>7} KB {:>9}",
                target.name,
                language(*backend),
                timed.median.as_millis(),
                timed.bytes / 1024,
                timed.gates
            );
            if timed.median > slowest.0 {
                slowest = (timed.median, format!("{node}, slicing {slicing}, {}", target.name));
            }
        }
    }
    println!("slowest: {} ms, {}", slowest.0.as_millis(), slowest.1);
    if let Some(peak) = peak_kib() {
        println!("memory: {} MB at most, of all processors", peak / 1024);
    }
}

/// The rows of each job, in the order of the jobs.
fn on_all_processors(jobs: &[Job], runs: usize) -> Vec<Vec<Row>> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, job)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|number| Some((number, jobs.get(number)?)))
        {
            let rows = rows(job, runs);
            all.lock().expect("no thread has failed").push((number, rows));
        }
    };
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from))
            .for_each(|_| drop(scope.spawn(work)));
    });
    let mut all = all.into_inner().expect("no thread has failed");
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, rows)| rows).collect()
}

/// The kernels of a job.
fn rows(job: &Job, runs: usize) -> Vec<Row> {
    let cipher = Cipher::read(job.name);
    let mut rows: Vec<Row> = Vec::new();
    for target in usuba_target::all() {
        let has_code = |other: &str| rows.iter().any(|row| row.target.name == other);
        if !target.adds_to(job.slicing, has_code) {
            continue;
        }
        for backend in [Backend::C, Backend::Assembly] {
            if let Some(timed) = time(&cipher, job, target, backend, runs) {
                rows.push(Row { target, backend, timed });
            }
        }
    }
    rows
}

struct Timed {
    median: Duration,
    bytes: usize,
    gates: u64,
}

fn time(cipher: &Cipher, job: &Job, target: &'static Target, backend: Backend, runs: usize) -> Option<Timed> {
    let source = root().join("ciphers").join(job.name).join(&cipher.manifest.source);
    let naming = usuba_codegen::Options { symbol: "kernel".into(), backend, ..Default::default() };
    let mut times = Vec::new();
    let mut compiled = None;
    for _ in 0..runs.max(1) {
        let started = Instant::now();
        let loaded = load(&source.to_string_lossy(), &[], &Disk);
        compiled =
            compile(&loaded, &Settings::new(job.slicing, Some(&job.node)), target, &naming, &mut ()).ok();
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
