//! Proofs in processes of their own, on all processors, each given up after [`LIMIT`].

use std::collections::BTreeMap;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long an object may take, with its compilation if it is compiled.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What is said of one that took longer.
pub fn too_long() -> String {
    format!("more than {} s", LIMIT.as_secs())
}

/// Runs a command that prints little, to its end; nothing if it took too long. `most` is the most memory that one has taken, in KB.
pub fn run(command: &mut Command, most: &AtomicUsize) -> Option<Output> {
    let started = Instant::now();
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.expect("a process");
    loop {
        most.fetch_max(memory(&child).unwrap_or(0), Ordering::Relaxed);
        match child.try_wait().expect("a process") {
            Some(_) => return Some(child.wait_with_output().expect("a process")),
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// The most memory that a process has had, in KB.
fn memory(child: &Child) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Does something with each item, on all processors; the results in the order of the items.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, R>> = Mutex::default();
    let take = || {
        while let Some((number, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(item);
            results.lock().expect("no thread panics").insert(number, result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            // Elaboration goes deep.
            let thread = std::thread::Builder::new().stack_size(1 << 30);
            thread.spawn_scoped(scope, take).expect("a thread");
        }
    });
    results.into_inner().expect("no thread panics").into_values().collect()
}

/// A reason without the place in the code and the operands of its instruction, for a cell of a table.
pub fn short(why: &str) -> String {
    let why = why.lines().next().unwrap_or("");
    let after_place = why.split_once('`').filter(|(place, _)| place.is_empty() || place.ends_with(": "));
    match after_place.and_then(|(_, rest)| rest.split_once('`')) {
        Some((instruction, rest)) => format!("`{}`{rest}", instruction.split(' ').next().unwrap_or("")),
        None => why.to_owned(),
    }
}
