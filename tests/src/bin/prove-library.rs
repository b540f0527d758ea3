//! Proves the engines of a shared library of all ciphers for x86-64, from the objects that its build has left, and writes the table
//! of `docs/proofs-library.md`.
//!
//! `make prove-library` runs it: `prove-library LIBRARY [PRIMITIVE…]`, where `LIBRARY` is what `make lib` has made. Engines without
//! a row come first, and after `USUBA_SECONDS` none is begun any more, so that a table can be made in several runs. An engine whose
//! functions are those of another size of keys is not there. What proves is `usubac verify`, which has to lie beside this program,
//! in a process for each engine. The exit status is 1 if something was refuted.

use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use usuba_target::PLATFORMS;
use usuba_tests::apart::{each, run, short, too_long};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::engine_table::{Found, Name, Page};
use usuba_verify::object::file::{Architecture, Object};

/// Where the table stands.
const PAGE: &str = "docs/proofs-library.md";

/// The slicings as they begin what names say after the target, those first that begin as others do.
const SLICINGS: [&str; 6] = ["v16", "v8", "v4", "v", "h", "b"];

/// An engine of the library.
struct Engine {
    /// The folder of its cipher.
    folder: PathBuf,
    name: Name,
    slicing: &'static str,
    /// How many batches at once, if that is not the usual number.
    batches: String,
    /// Its object, and those of its kernels.
    objects: Vec<PathBuf>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(library) = arguments.next() else {
        eprintln!("usage: prove-library LIBRARY [PRIMITIVE…]");
        std::process::exit(2);
    };
    let wanted: Vec<String> = arguments.collect();
    let built = Path::new(&library).join("build");
    let engines = engines(&built);
    if engines.is_empty() {
        eprintln!("error: `{}` has no objects of engines: `make lib` makes them", built.display());
        std::process::exit(2);
    }
    let text = std::fs::read_to_string(root().join(PAGE)).expect("the page");
    let mut page = Page::parse(&text).unwrap_or_else(|why| panic!("{PAGE}: {why}"));
    let is_wanted = |engine: &&Engine| wanted.is_empty() || wanted.contains(&engine.name[0]);
    let mut tried: Vec<&Engine> = engines.iter().filter(is_wanted).collect();
    if let Some(unknown) = wanted.iter().find(|name| !tried.iter().any(|engine| engine.name[0] == **name)) {
        eprintln!("error: `{}` has no engine of `{unknown}`", built.display());
        std::process::exit(2);
    }
    tried.sort_by_key(|engine| page.rows.contains_key(&engine.name));
    let bar = ProgressBar::new(tried.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let seconds = std::env::var("USUBA_SECONDS").ok();
    let seconds = seconds.map(|text| text.parse::<u64>().expect("USUBA_SECONDS is a number"));
    let (started, most, refuted) = (Instant::now(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let found = each(&tried, |engine| {
        if seconds.is_some_and(|seconds| started.elapsed().as_secs() > seconds) {
            return None;
        }
        bar.set_message(engine.name.join(" "));
        let found = prove(engine, &most, &refuted);
        bar.suspend(|| eprintln!("{}: {found:?}", engine.name.join(" ")));
        bar.inc(1);
        Some((engine.name.clone(), found))
    });
    bar.finish_and_clear();
    page.rows.extend(found.into_iter().flatten());
    let names: Vec<Name> = engines.into_iter().map(|engine| engine.name).collect();
    std::fs::write(root().join(PAGE), page.write(&names)).expect("docs can be written to");
    eprint!("{}", page.summary(&names));
    eprintln!(
        "{} s, a process with at most {} MB",
        started.elapsed().as_secs(),
        most.load(Ordering::Relaxed) / 1024
    );
    let refuted = refuted.into_inner().expect("no thread panics");
    refuted.iter().for_each(|why: &String| eprintln!("{why}"));
    std::process::exit(i32::from(!refuted.is_empty()));
}

/// The engines of a library, those of a cipher together.
fn engines(built: &Path) -> Vec<Engine> {
    let listed = std::fs::read_dir(built).into_iter().flatten().flatten();
    let mut files: Vec<String> = listed.filter_map(|file| file.file_name().into_string().ok()).collect();
    files.sort();
    let x86 = PLATFORMS.iter().find(|platform| platform.name == "x86-64").expect("a platform");
    let beside = x86.levels.iter().filter_map(|level| usuba_target::beside(level));
    let targets: Vec<&str> = x86.levels.iter().copied().chain(beside).map(|target| target.name).collect();
    let mut engines = Vec::new();
    for cipher in CIPHERS {
        for primitive in Cipher::read(cipher).manifest.primitives {
            for target in &targets {
                let start = format!("usuba_{}_{}_", primitive.identifier(), target.replace('-', "_"));
                for file in files.iter().filter(|file| file.starts_with(&start)) {
                    let Some(rest) = file[start.len()..].strip_suffix(".c.o") else { continue };
                    let (way, kernels) =
                        rest.strip_suffix("_asm").map_or((rest, "C"), |way| (way, "assembly"));
                    let found =
                        SLICINGS.iter().find_map(|&slicing| Some((slicing, way.strip_prefix(slicing)?)));
                    let Some((slicing, batches)) = found else { continue };
                    let stem = format!("{start}{rest}");
                    let is_kernel =
                        |other: &&String| other.starts_with(&format!("{stem}_")) && other.ends_with(".S.o");
                    let own = files.iter().filter(is_kernel).filter(|_| kernels == "assembly");
                    if batches.chars().all(|digit| digit.is_ascii_digit())
                        && has_functions(&built.join(file), &stem)
                    {
                        engines.push(Engine {
                            folder: root().join("ciphers").join(cipher),
                            name: [primitive.name.as_str(), target, way, kernels].map(str::to_owned),
                            slicing,
                            batches: batches.to_owned(),
                            objects: [file].into_iter().chain(own).map(|file| built.join(file)).collect(),
                        });
                    }
                }
            }
        }
    }
    engines
}

/// Whether an object has the functions of an engine of this name, and not only what makes its round keys.
fn has_functions(object: &Path, stem: &str) -> bool {
    let Ok(bytes) = std::fs::read(object) else { return false };
    let Ok(object) = Object::parse_for(&bytes, Architecture::X86_64) else { return false };
    let does = ["encrypt_blocks", "ctr_xor", "permute", "xor"];
    object.functions.iter().any(|function| {
        function.name.strip_prefix(stem).is_some_and(|rest| does.contains(&rest.trim_start_matches('_')))
    })
}

/// Proves an engine in a process of its own. `refuted` has what the prover said of those that are wrong.
fn prove(engine: &Engine, most: &AtomicUsize, refuted: &Mutex<Vec<String>>) -> Found {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let object = folder.path().join("engine.o");
    let joined = Command::new("ld").arg("-r").arg("-o").arg(&object).args(&engine.objects).output();
    if !joined.is_ok_and(|output| output.status.success()) {
        return Found::Not("the linker does not join its objects".into());
    }
    let usubac = std::env::current_exe().expect("this program").with_file_name("usubac");
    let [primitive, target, ..] = &engine.name;
    let mut command = Command::new(usubac);
    command.arg("verify").arg(&engine.folder).arg(&object);
    command.args(["--primitive", primitive, "--slicing", engine.slicing, "--target", target]);
    if !engine.batches.is_empty() {
        command.args(["--inter-factor", &engine.batches]);
    }
    let started = Instant::now();
    let Some(output) = run(&mut command, most) else { return Found::Not(too_long()) };
    let seconds = started.elapsed().as_secs_f64();
    let [said, error] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() {
        let functions = said.lines().filter(|line| line.starts_with("proved: ")).count();
        return Found::Proved { functions, seconds };
    }
    let why =
        error.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("nothing was said").to_owned();
    if why.starts_with("refuted: ") {
        refuted.lock().expect("no thread panics").push(format!("{}: {why}", engine.name.join(" ")));
        return Found::Not("**refuted**".into());
    }
    Found::Not(
        short(why.split_once(" is not proved: ").map_or(why.as_str(), |(_, why)| why)).replace('|', "/"),
    )
}
