//! Proves object code of every node that a manifest names, for every slicing and target that has code of its own for it, and
//! writes the table of `docs/proofs.md`.
//!
//! `make prove` runs it. Arguments are ciphers: then their rows are printed, and nothing is written, and `USUBA_TARGETS=neon,neon-aes`
//! asks for these targets only. The exit status is 1 if
//! an object was refuted, could not be made, or is read in two ways by two decoders. Each object is proved by a process of its own,
//! which is given up after [`LIMIT`].

use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use usuba_codegen::{Backend, Options as Naming};
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::objects::{Found, SYMBOL, compiler_of, examine};
use usuba_trial::proof::Subject;

/// The targets, those first whose code others may have too.
const TARGETS: [&str; 9] =
    ["gp64", "avx2", "avx2-gfni", "avx2-vaes", "avx512", "avx512-gfni", "avx512-vaes", "neon", "neon-aes"];

/// Who makes the object of the kernel: compilers of the C, and the assembler of ours.
const MAKERS: [&str; 3] = ["gcc", "clang", "assembly"];

/// How long an object may take, with its compilation.
const LIMIT: Duration = Duration::from_secs(60);

/// The first argument of a process that proves one object: cipher, node, slicing, target and maker follow.
const ONE: &str = "--object";

/// Where the table stands.
const PAGE: &str = "docs/proofs.md";
const BEGIN: &str = "<!-- The table of kernels, written by make prove. -->\n";
const END: &str = "<!-- The end of the table of kernels. -->\n";

struct Row {
    cipher: String,
    node: String,
    slicing: Slicing,
    target: &'static Target,
}

/// What a maker's object was found to be.
enum Cell {
    Proved {
        instructions: u64,
        seconds: f64,
        alarm: bool,
    },
    Not(String),
    Wrong(String),
    /// There is no such code.
    Nothing,
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
    let rows = each(&nodes, |(name, cipher, node, slicing)| rows(name, cipher, node, *slicing));
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let bar = ProgressBar::new(rows.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let most = AtomicUsize::new(0);
    let found = each(&rows, |row| {
        bar.set_message(format!("{}, {} in {}, {}", row.cipher, row.node, row.slicing, row.target.name));
        let cells = MAKERS.map(|maker| apart(row, maker, &most));
        // A run that is cut off leaves what it has found.
        bar.suspend(|| eprintln!("{}", line(row, &cells)));
        bar.inc(1);
        cells
    });
    bar.finish_and_clear();
    let (text, is_wrong) = table(&rows, &found, started.elapsed().as_secs(), most.into_inner());
    if wanted.is_empty() {
        let path = root().join(PAGE);
        let page = std::fs::read_to_string(&path).expect("the page");
        let (before, rest) = page.split_once(BEGIN).expect("the page has the mark");
        let (_, after) = rest.split_once(END).expect("the page has the second mark");
        std::fs::write(path, format!("{before}{BEGIN}\n{text}\n{END}{after}"))
            .expect("docs can be written to");
    } else {
        print!("{text}");
    }
    std::process::exit(i32::from(is_wrong));
}

/// Does something with each item, on all processors; the results in the order of the items.
fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
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

/// The rows of a node in a slicing. A target whose C is that of another but for the name has none.
fn rows(name: &str, cipher: &Cipher, node: &str, slicing: Slicing) -> Vec<Row> {
    let mut known: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    let chosen = std::env::var("USUBA_TARGETS").ok();
    let is_chosen = |name: &str| chosen.as_ref().is_none_or(|names| names.split(',').any(|one| one == name));
    for target in
        TARGETS.into_iter().filter(|name| is_chosen(name)).map(|name| by_name(name).expect("a target"))
    {
        let Some(subject) = subject(cipher, node, slicing, target, Backend::C) else { continue };
        let code = subject.compiled.kernel.source.replace(target.name, "");
        let code = code.lines().filter(|line| !line.starts_with(" *")).collect::<Vec<_>>().join("\n");
        if !known.contains(&code) {
            known.push(code);
            rows.push(Row { cipher: name.to_owned(), node: node.to_owned(), slicing, target });
        }
    }
    rows
}

fn subject(
    cipher: &Cipher,
    node: &str,
    slicing: Slicing,
    target: &Target,
    backend: Backend,
) -> Option<Subject> {
    let naming =
        Naming { symbol: SYMBOL.into(), header_name: format!("{SYMBOL}.h"), backend, ..Naming::default() };
    Subject::of(&cipher.loaded, &Settings::new(slicing, Some(node)), target, &naming).ok()
}

/// Proves an object in a process of its own; `most` is the most memory that one has taken, in KB.
fn apart(row: &Row, maker: &str, most: &AtomicUsize) -> Cell {
    let started = Instant::now();
    let arguments = [ONE, &row.cipher, &row.node, &row.slicing.to_string(), row.target.name, maker];
    let program = std::env::current_exe().expect("this program");
    let spawned = Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = spawned.expect("a process");
    loop {
        most.fetch_max(memory(&child).unwrap_or(0), Ordering::Relaxed);
        match child.try_wait().expect("a process") {
            Some(_) => break,
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Cell::Not(format!("more than {} s", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    let output = child.wait_with_output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim().split_once(' ').map(|(what, rest)| (what, rest.to_owned())) {
        Some(("proved", rest)) => match rest.split(' ').collect::<Vec<_>>()[..] {
            [instructions, seconds, alarm] => Cell::Proved {
                instructions: instructions.parse().expect("a number"),
                seconds: seconds.parse().expect("a number"),
                alarm: alarm == "alarm",
            },
            _ => Cell::Wrong(rest),
        },
        Some(("not", why)) => Cell::Not(why),
        Some(("no", _)) => Cell::Nothing,
        _ => Cell::Wrong(format!("{arguments:?}: {said}")),
    }
}

/// The most memory that a process has had, in KB.
fn memory(child: &Child) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
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
    let Some(subject) = subject(cipher, node, slicing, target, backend) else { return "no code".into() };
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

/// The table, and whether an object is wrong.
fn table(rows: &[Row], found: &[[Cell; 3]], seconds: u64, most: usize) -> (String, bool) {
    let cells = || found.iter().flatten();
    let proved = cells().filter(|cell| matches!(cell, Cell::Proved { .. })).count();
    let alarms = cells().filter(|cell| matches!(cell, Cell::Proved { alarm: true, .. })).count();
    let objects = cells().filter(|cell| !matches!(cell, Cell::Nothing)).count();
    let wrong: Vec<&str> = cells()
        .filter_map(|cell| match cell {
            Cell::Wrong(why) => Some(why.as_str()),
            _ => None,
        })
        .collect();
    let mut longest: Vec<f64> = cells()
        .filter_map(|cell| match cell {
            Cell::Proved { seconds, .. } => Some(*seconds),
            _ => None,
        })
        .collect();
    longest.sort_by(f64::total_cmp);
    let mut text = format!(
        "Of {objects} objects in {} rows {proved} are proved, in {} min on {} processors with their compilation; half of the \
         proofs take less than {:.2} s, the longest {:.0} s, and a process at most {} MB. For {alarms} of them, marked *, `--ct` has a false alarm.\n\n",
        rows.len(),
        seconds.div_ceil(60),
        std::thread::available_parallelism().map_or(1, usize::from),
        longest.get(longest.len() / 2).unwrap_or(&0.0),
        longest.last().unwrap_or(&0.0),
        most / 1024,
    );
    text += "| text | node | slicing | target | gcc | clang | assembly |\n|---|---|---|---|--:|--:|--:|\n";
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (row, cells) in rows.iter().zip(found) {
        let Row { cipher, node, slicing, target } = row;
        let _ = writeln!(text, "{}", line(row, cells));
        for (cell, maker) in cells.iter().zip(MAKERS) {
            if let Cell::Not(why) | Cell::Wrong(why) = cell {
                let which = format!("`{cipher}`, `{node}` in `{slicing}` on `{}` by {maker}", target.name);
                reasons.entry(short(why)).or_default().push(which);
            }
        }
    }
    if !reasons.is_empty() {
        text += "\nNot proved:\n\n";
    }
    for (why, which) in reasons {
        let _ = writeln!(text, "- {why}: {} ({})", which.len(), some(&which));
    }
    wrong.iter().for_each(|why| eprintln!("{why}"));
    (text, !wrong.is_empty())
}

/// A row of the table.
fn line(row: &Row, cells: &[Cell; 3]) -> String {
    let Row { cipher, node, slicing, target } = row;
    let mut text = format!("| `{cipher}` | `{node}` | `{slicing}` | `{}` |", target.name);
    for cell in cells {
        let _ = match cell {
            Cell::Proved { instructions, seconds, alarm } => {
                let mark = if *alarm { "*" } else { "" };
                write!(text, " {}, {seconds:.2}{mark} |", thousands(*instructions))
            }
            Cell::Not(_) | Cell::Wrong(_) => write!(text, " **not proved** |"),
            Cell::Nothing => write!(text, " – |"),
        };
    }
    text
}

/// A reason without the place in the code and the operands of its instruction, so that like ones are together.
fn short(why: &str) -> String {
    let why = why.lines().next().unwrap_or("");
    let after_place = why.split_once('`').filter(|(place, _)| place.is_empty() || place.ends_with(": "));
    match after_place.and_then(|(_, rest)| rest.split_once('`')) {
        Some((instruction, rest)) => format!("`{}`{rest}", instruction.split(' ').next().unwrap_or("")),
        None => why.to_owned(),
    }
}

/// The first few of a list.
fn some(which: &[String]) -> String {
    const FEW: usize = 4;
    let more = if which.len() > FEW { "; …" } else { "" };
    format!("{}{more}", which.iter().take(FEW).cloned().collect::<Vec<_>>().join("; "))
}

fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}
