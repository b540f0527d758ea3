//! Wrong programs are refused in words.
//!
//! Valid sources (ciphers of the repository, small programs on packed words, and random programs) with tokens lost, doubled, swapped, numbers changed,
//! ends cut off; token soups; noise. Every stage from the parser to the lowering must return, in time, without a panic, and
//! every error must point into the text.
//!
//! - `USUBA_SEED=n`: begin with seed n (default 0).
//! - `USUBA_FUZZ=n`: that many cases (default below). A long run, some hours: `USUBA_SEED=1000000 USUBA_FUZZ=3000000`.
//!
//! Each text is written to a file before it is tried, whose name is printed first: should a stage exhaust the stack, which
//! ends the process, the culprit is there. `USUBA_SEED=n USUBA_FUZZ=1` repeats case n.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use usuba_ir::layout::Slicing;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::elaborate;
use usuba_lang::format::format;
use usuba_lang::render;
use usuba_lang::source::Sources;
use usuba_tests::random::mutation;
use usuba_tests::random::prng::Random;
use usuba_tests::random::program::{Profile, generate};
use usuba_tests::random::stages;

/// How many cases are tried by default.
const CASES: u64 = 3000;

/// More than any case takes, even on a machine that has other things to do: the slowest, loops of millions of iterations
/// of which each is wrong, take three seconds of a core.
const DEADLINE: Duration = Duration::from_secs(300);

/// Errors about the program as a whole, which have no place: there is no definition at all.
const PLACELESS: &[&str] = &["E0801"];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Texts written by hand: ciphers, and the small programs that say what packed words can do and cannot.
fn written() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = ["rectangle", "ascon", "chacha20", "serpent", "aes", "des", "gimli"]
        .map(|name| root.join("ciphers").join(name).join(format!("{name}.ua")))
        .into();
    for folder in ["accepted", "refused"] {
        let folder = root.join("crates/usuba-lower/tests/packing").join(folder);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut found: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.extension().is_some_and(|extension| extension == "ua"));
        found.sort();
        paths.append(&mut found);
    }
    // Programs of messages, those that include nothing.
    paths.extend(
        ["ecb", "cbc", "cfb", "ofb", "xts", "gf128"].map(|mode| root.join(format!("modes/{mode}.ua"))),
    );
    for program in ["counter", "ghash"] {
        paths.push(root.join(format!("crates/usuba-lang/tests/run/messages-{program}.ua")));
    }
    let text =
        |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    paths.iter().map(text).collect()
}

fn case(seed: u64, written: &[String]) -> String {
    let mut random = Random::new(seed ^ 0xf0f0_5eed);
    match random.below(20) {
        0 => mutation::soup(&mut random),
        1 => mutation::noise(&mut random),
        2..=4 => mutation::bent(&mut random, &written[(seed % written.len() as u64) as usize]),
        5..=9 => mutation::bent(&mut random, &generate(seed % 5000, Profile::of(seed)).text),
        10..=12 => {
            let one = &written[random.below(written.len())];
            let two = &written[random.below(written.len())];
            mutation::mutated(&mut random, one, two)
        }
        _ => {
            let one = generate(seed % 5000, Profile::of(seed));
            let two = generate(seed % 5000 + 1, Profile::of(seed));
            mutation::mutated(&mut random, &one.text, &two.text)
        }
    }
}

/// How far a text came.
#[derive(Clone, Copy, Default)]
struct Progress {
    parsed: bool,
    elaborated: bool,
    lowered: bool,
    /// Lowered, with words packed into groups.
    packed: bool,
}

/// All stages on one text.
fn front_end(text: &str) -> Result<Progress, String> {
    let mut progress = Progress::default();
    let mut sources = Sources::default();
    let id = sources.add("fuzz.ua", text);
    let (program, diagnostics) = stages::syntax_only(id, text);
    sound(&sources, &diagnostics)?;
    progress.parsed = !diagnostics.iter().any(Diagnostic::is_error);
    match format(text) {
        Ok(formatted) if !progress.parsed => return Err(format!("formatted though wrong:\n{formatted}")),
        Ok(formatted) => {
            if format(&formatted).as_ref() != Ok(&formatted) {
                return Err(format!("formatting twice is not formatting once:\n{formatted}"));
            }
        }
        Err(_) if progress.parsed => return Err("parsed but not formatted".into()),
        Err(_) => {}
    }
    for slicing in Slicing::ALL {
        // Elaboration is the same as in the slicings before; only lowering differs.
        if matches!(slicing, Slicing::Packed(_)) && !progress.elaborated {
            continue;
        }
        // What the parser recovered goes on, too: `usubac check` shows errors of both.
        let (typed, diagnostics) = elaborate(&program, &stages::elaboration(slicing));
        sound(&sources, &diagnostics)?;
        let Some(typed) = typed else {
            if progress.parsed && !diagnostics.iter().any(Diagnostic::is_error) {
                return Err(format!("{slicing}: refused without an error"));
            }
            continue;
        };
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(format!("{slicing}: accepted with an error"));
        }
        if !progress.parsed {
            continue;
        }
        progress.elaborated = true;
        match usuba_lower::lower(&typed, &sources, &usuba_lower::Options::new(slicing)) {
            Ok(lowered) => {
                stages::checked(&lowered)?;
                progress.lowered = true;
                progress.packed |= matches!(slicing, Slicing::Packed(_));
            }
            Err(diagnostics) => {
                sound(&sources, &diagnostics)?;
                if !diagnostics.iter().any(Diagnostic::is_error) {
                    return Err(format!("{slicing}: not lowered without an error"));
                }
            }
        }
    }
    Ok(progress)
}

/// Whether all diagnostics can be shown and all errors point into the text.
fn sound(sources: &Sources, diagnostics: &[Diagnostic]) -> Result<(), String> {
    for diagnostic in diagnostics {
        let Some(span) = diagnostic.span else {
            if diagnostic.is_error() && !PLACELESS.contains(&diagnostic.code) {
                return Err(format!("{} has no place: {}", diagnostic.code, diagnostic.message));
            }
            continue;
        };
        for span in std::iter::once(span)
            .chain(diagnostic.related.iter().map(|r| r.0))
            .chain(diagnostic.edit.as_ref().map(|e| e.span))
        {
            let text = &sources.get(span.source).text;
            if text.get(span.start as usize..span.end as usize).is_none() {
                return Err(format!(
                    "{} points outside of the text ({span:?} of {}): {}",
                    diagnostic.code,
                    text.len(),
                    diagnostic.message
                ));
            }
        }
        if diagnostic.message.trim().is_empty() {
            return Err(format!("{} says nothing", diagnostic.code));
        }
    }
    let _ = render::render(diagnostics, sources, render::Style::Plain);
    let _ = render::to_json(diagnostics, sources);
    Ok(())
}

#[test]
fn wrong_programs_are_refused_in_words() {
    let (start, count) = (number("USUBA_SEED", 0), number("USUBA_FUZZ", CASES));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("front_end_case.ua");
    println!(
        "seeds {start} to {} (USUBA_SEED, USUBA_FUZZ); the case under way is in {}",
        start + count - 1,
        path.display()
    );
    std::panic::set_hook(Box::new(|_| {}));
    let texts = written();
    let (sender, receiver) = mpsc::channel();
    let worker_texts = texts.clone();
    // The stack of a worker is that of the main thread of a program, so that what is found here is found there.
    let worker = std::thread::Builder::new().stack_size(8 << 20).spawn(move || {
        for seed in start..start + count {
            let text = case(seed, &worker_texts);
            let _ = std::fs::write(&path, &text);
            let clock = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| front_end(&text)));
            let outcome = outcome.unwrap_or_else(|payload| {
                let message = payload.downcast_ref::<String>().cloned();
                let message = message.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
                Err(format!("panic: {}", message.unwrap_or_default()))
            });
            if sender.send((seed, outcome, clock.elapsed())).is_err() {
                return;
            }
        }
    });
    assert!(worker.is_ok(), "no thread");
    let mut failures = Vec::new();
    let (mut parsed, mut elaborated, mut lowered, mut packed) = (0, 0, 0, 0);
    let mut slowest = (Duration::ZERO, 0);
    for seed in start..start + count {
        match receiver.recv_timeout(DEADLINE) {
            Ok((seed, Ok(progress), time)) => {
                parsed += u64::from(progress.parsed);
                elaborated += u64::from(progress.elaborated);
                lowered += u64::from(progress.lowered);
                packed += u64::from(progress.packed);
                slowest = slowest.max((time, seed));
            }
            Ok((seed, Err(message), _)) => failures.push((seed, message)),
            Err(_) => {
                failures.push((seed, format!("no answer within {DEADLINE:?}")));
                break;
            }
        }
    }
    let _ = std::panic::take_hook();
    println!(
        "{count} cases: {parsed} parsed, {elaborated} elaborated, {lowered} lowered, {packed} of them packed; slowest {:.1?} (seed {})",
        slowest.0, slowest.1
    );
    failures.sort_by_key(|(seed, _)| (case(*seed, &texts).len(), *seed));
    for (seed, message) in failures.iter().take(6) {
        let text: String = case(*seed, &texts).chars().take(3000).collect();
        println!("---- seed {seed}: {message}\n{text}");
    }
    for (seed, message) in failures.iter().skip(6) {
        println!("seed {seed}: {}", message.lines().next().unwrap_or(""));
    }
    assert!(failures.is_empty(), "{} of {count} cases; see above", failures.len());
    // The mutations must not be so wild that only the parser is tried.
    assert!(
        count < 500 || (parsed * 5 > count && elaborated * 50 > count && packed * 200 > count),
        "the cases do not reach the later stages"
    );
}
