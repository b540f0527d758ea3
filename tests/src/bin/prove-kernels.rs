//! Proves object code of every node that a manifest names, for every slicing and target that has code of its own for it, and
//! writes the table of `docs/proofs.md`.
//!
//! `make prove` runs it. Arguments are ciphers: then the rows of these are renewed, and all others stay as they are;
//! `USUBA_TARGETS=neon,neon-aes` asks for these targets only. The exit status is 1 if an object was refuted, could not be made, or
//! is read in two ways by two decoders. Each object is proved by a process of its own, which is given up after
//! [a minute](usuba_tests::apart::LIMIT).

use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;
use usuba_codegen::{Backend, Options as Naming};
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_target::{Target, by_name};
use usuba_tests::apart::{each, run, short, too_long};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::objects::{Found, SYMBOL, compiler_of, examine};
use usuba_tests::proof_table::{Cell, Page, Row};
use usuba_trial::proof;

/// The targets, those first whose code others may have too.
const TARGETS: [&str; 10] = [
    "gp64",
    "avx-aes",
    "avx2",
    "avx2-gfni",
    "avx2-vaes",
    "avx512",
    "avx512-gfni",
    "avx512-vaes",
    "neon",
    "neon-aes",
];

/// Who makes the object of the kernel: compilers of the C, and the assembler of ours.
const MAKERS: [&str; 3] = ["gcc", "clang", "assembly"];

/// The first argument of a process that proves one object: cipher, node, slicing, target and maker follow.
const ONE: &str = "--object";

/// Where the table stands.
const PAGE: &str = "docs/proofs.md";
/// A kernel that is to be proved.
struct Subject {
    cipher: String,
    node: String,
    slicing: Slicing,
    target: &'static Target,
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [ONE, name, node, slicing, target, maker] =
        wanted.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        let thread = std::thread::Builder::new().stack_size(1 << 30);
        let [name, node, slicing, target, maker] = [name, node, slicing, target, maker].map(str::to_owned);
        let work = move || println!("{}", prove(&Cipher::read(&name), &node, &slicing, &target, &maker));
        thread.spawn(work).expect("a thread").join().expect("it is proved or not");
        return;
    }
    let is_wanted = |name: &&&str| wanted.is_empty() || wanted.iter().any(|one| one == **name);
    let ciphers: BTreeMap<&str, Cipher> =
        CIPHERS.iter().filter(is_wanted).map(|&name| (name, Cipher::read(name))).collect();
    let started = Instant::now();
    let nodes: Vec<(&str, &Cipher, String, Slicing)> = ciphers
        .iter()
        .flat_map(|(&name, cipher)| {
            cipher.nodes().into_iter().map(move |(node, slicings)| (name, cipher, node, slicings))
        })
        .flat_map(|(name, cipher, node, slicings)| {
            slicings.into_iter().map(move |one| (name, cipher, node.clone(), one))
        })
        .collect();
    let subjects = each(&nodes, |(name, cipher, node, slicing)| subjects(name, cipher, node, *slicing));
    let subjects: Vec<Subject> = subjects.into_iter().flatten().collect();
    let bar = ProgressBar::new(subjects.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let (most, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let found = each(&subjects, |subject| {
        let Subject { cipher, node, slicing, target } = subject;
        bar.set_message(format!("{cipher}, {node} in {slicing}, {}", target.name));
        let cells = MAKERS.map(|maker| apart(subject, maker, &most, &wrong));
        let [slicing, target] = [slicing.to_string(), target.name.to_owned()];
        let row = Row { cipher: cipher.clone(), node: node.clone(), slicing, target, cells };
        // A run that is cut off leaves what it has found.
        bar.suspend(|| eprintln!("{}", row.line()));
        bar.inc(1);
        row
    });
    bar.finish_and_clear();
    eprintln!(
        "{} rows in {} s on {} processors, a process with at most {} MB",
        found.len(),
        started.elapsed().as_secs(),
        std::thread::available_parallelism().map_or(1, usize::from),
        most.into_inner() / 1024
    );
    renew(&ciphers, found);
    let wrong = wrong.into_inner().expect("no thread panics");
    wrong.iter().for_each(|why: &String| eprintln!("{why}"));
    std::process::exit(i32::from(!wrong.is_empty()));
}

/// This program, to be started again: what runs, also if a build has put another one in its place.
fn this_program() -> PathBuf {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { running } else { std::env::current_exe().expect("this program") }
}

/// Puts rows into the page in place of those that there are of these ciphers on the targets that were asked for.
fn renew(ciphers: &BTreeMap<&str, Cipher>, found: Vec<Row>) {
    let path = root().join(PAGE);
    let text = std::fs::read_to_string(&path).expect("the page");
    let mut page = Page::parse(&text).unwrap_or_else(|why| panic!("{PAGE}: {why}"));
    page.rows.retain(|row| !ciphers.contains_key(row.cipher.as_str()) || !is_chosen(&row.target));
    page.rows.extend(found);
    let nodes: BTreeMap<&str, Vec<(String, Vec<Slicing>)>> =
        CIPHERS.iter().map(|&name| (name, Cipher::read(name).nodes())).collect();
    // A row whose node or target is no more comes last, to be seen.
    let written = page.write(|row| {
        let of = nodes.get(row.cipher.as_str());
        let node = of.and_then(|nodes| nodes.iter().position(|(node, _)| *node == row.node));
        let slicings = of.zip(node).map(|(nodes, at)| &nodes[at].1);
        let slicing = slicings.and_then(|all| all.iter().position(|one| one.to_string() == row.slicing));
        let cipher = CIPHERS.iter().position(|name| *name == row.cipher);
        let target = TARGETS.iter().position(|name| *name == row.target);
        let [cipher, node, slicing, target] =
            [cipher, node, slicing, target].map(|place| place.unwrap_or(usize::MAX));
        (cipher, node, slicing, target)
    });
    std::fs::write(path, written).expect("docs can be written to");
}

/// Whether `USUBA_TARGETS` asks for a target.
fn is_chosen(target: &str) -> bool {
    std::env::var("USUBA_TARGETS").map_or(true, |names| names.split(',').any(|one| one == target))
}

/// The kernels of a node in a slicing. A target whose C is that of another but for the name has none.
fn subjects(name: &str, cipher: &Cipher, node: &str, slicing: Slicing) -> Vec<Subject> {
    let mut known: Vec<String> = Vec::new();
    let mut subjects = Vec::new();
    for target in
        TARGETS.into_iter().filter(|name| is_chosen(name)).map(|name| by_name(name).expect("a target"))
    {
        let Some(subject) = compiled(cipher, node, slicing, target, Backend::C) else { continue };
        // A target that goes beyond another has code of its own where that uses an instruction which the other lacks.
        let report = &subject.compiled.kernel.report;
        if target.bases().next().is_some_and(|base| !report.goes_beyond(base)) {
            continue;
        }
        let code = subject.compiled.kernel.source.replace(target.name, "");
        let code = code.lines().filter(|line| !line.starts_with(" *")).collect::<Vec<_>>().join("\n");
        if !known.contains(&code) {
            known.push(code);
            subjects.push(Subject { cipher: name.to_owned(), node: node.to_owned(), slicing, target });
        }
    }
    subjects
}

fn compiled(
    cipher: &Cipher,
    node: &str,
    slicing: Slicing,
    target: &Target,
    backend: Backend,
) -> Option<proof::Subject> {
    let naming =
        Naming { symbol: SYMBOL.into(), header_name: format!("{SYMBOL}.h"), backend, ..Naming::default() };
    proof::Subject::of(&cipher.loaded, &Settings::new(slicing, Some(node)), target, &naming).ok()
}

/// Proves an object in a process of its own. `most` is the most memory that one has taken, in KB; `wrong` has what was refuted and
/// what could not be made.
fn apart(subject: &Subject, maker: &str, most: &AtomicUsize, wrong: &Mutex<Vec<String>>) -> Cell {
    let Subject { cipher, node, slicing, target } = subject;
    let arguments = [ONE, cipher, node, &slicing.to_string(), target.name, maker];
    let Some(output) = run(Command::new(this_program()).args(arguments), most) else {
        return Cell::Not(too_long());
    };
    let said = String::from_utf8_lossy(&output.stdout);
    if let Some(("proved", rest)) = said.trim().split_once(' ')
        && let [instructions, seconds, alarm] = rest.split(' ').collect::<Vec<_>>()[..]
    {
        return Cell::Proved {
            instructions: instructions.parse().expect("a number"),
            seconds: seconds.parse().expect("a number"),
            alarm: alarm == "alarm",
        };
    }
    match said.trim().split_once(' ') {
        Some(("not", why)) => Cell::Not(short(why)),
        Some(("no", _)) => Cell::Nothing,
        _ => {
            wrong.lock().expect("no thread panics").push(format!("{arguments:?}: {said}"));
            Cell::Not("wrong".to_owned())
        }
    }
}

/// What [`apart`] reads.
fn prove(cipher: &Cipher, node: &str, slicing: &str, target: &str, maker: &str) -> String {
    let target = by_name(target).expect("a target");
    let nodes = cipher.nodes();
    let slicings = nodes.iter().flat_map(|(_, slicings)| slicings);
    let slicing = *slicings.clone().find(|known| known.to_string() == slicing).expect("a slicing");
    let (backend, compiler) = match maker {
        "assembly" => (Backend::Assembly, "gcc"),
        compiler => (Backend::C, compiler),
    };
    let Some(subject) = compiled(cipher, node, slicing, target, backend) else { return "no code".into() };
    let object = match subject.object(&compiler_of(compiler, target), &["-O2"]) {
        Ok(object) => object,
        Err(error) => return format!("wrong {error}"),
    };
    let start = Instant::now();
    match examine(&subject, target, &object) {
        Found::Proved { instructions, alarm } => {
            let alarm = if alarm.is_some() { "alarm" } else { "none" };
            format!("proved {instructions} {} {alarm}", start.elapsed().as_secs_f64())
        }
        Found::NotProved(why) => format!("not {why}"),
        Found::Wrong(why) => format!("wrong {why}"),
    }
}
