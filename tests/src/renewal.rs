//! Renews the rows of a table of proofs ([`crate::proof_page`]), each in a process of its own.

use crate::apart::{each, run, short, too_long};
use crate::ciphers::root;
use crate::proof_page::{Found, Name, Page, Table};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A row that may be renewed.
pub trait Row: Sync {
    /// Its name.
    fn name(&self) -> &Name;

    /// What proves it: `usubac verify`, from a folder that is empty before. Why there is nothing to prove, if that is so.
    ///
    /// # Errors
    /// What stands in the row then.
    fn command(&self, usubac: &std::path::Path, folder: &std::path::Path) -> Result<Command, String>;
}

/// Renews the rows of a page whose first cell is among these, or all if none is; those that have no row yet first. After
/// `USUBA_SECONDS` none is begun any more, so that a table can be made in several runs. Returns the exit status: 1 if something was
/// refuted, 2 if a name is of no row.
///
/// # Panics
/// The page is not there, or no table is in it.
pub fn renew(path: &str, table: &'static Table, rows: &[impl Row], wanted: &[String]) -> i32 {
    let text = std::fs::read_to_string(root().join(path)).expect("the page");
    let mut page = Page::parse(&text, table).unwrap_or_else(|why| panic!("{path}: {why}"));
    let mut tried: Vec<_> =
        rows.iter().filter(|row| wanted.is_empty() || wanted.contains(&row.name()[0])).collect();
    if let Some(unknown) = wanted.iter().find(|name| !tried.iter().any(|row| row.name()[0] == **name)) {
        eprintln!("error: the library has nothing of `{unknown}`");
        return 2;
    }
    tried.sort_by_key(|row| page.rows.contains_key(row.name()));
    let bar = ProgressBar::new(tried.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let seconds = std::env::var("USUBA_SECONDS").ok();
    let seconds = seconds.map(|text| text.parse::<u64>().expect("USUBA_SECONDS is a number"));
    let (started, most, refuted) = (Instant::now(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let found = each(&tried, |row| {
        if seconds.is_some_and(|seconds| started.elapsed().as_secs() > seconds) {
            return None;
        }
        let name = row.name().join(" ");
        bar.set_message(name.clone());
        let found = prove(*row, &most, &refuted);
        bar.suspend(|| eprintln!("{name}: {found:?}"));
        bar.inc(1);
        Some((row.name().clone(), found))
    });
    bar.finish_and_clear();
    page.rows.extend(found.into_iter().flatten());
    let names: Vec<Name> = rows.iter().map(|row| row.name().clone()).collect();
    std::fs::write(root().join(path), page.write(&names)).expect("docs can be written to");
    eprint!("{}", page.summary(&names));
    eprintln!(
        "{} s, a process with at most {} MB",
        started.elapsed().as_secs(),
        most.load(Ordering::Relaxed) / 1024
    );
    let refuted = refuted.into_inner().expect("no thread panics");
    refuted.iter().for_each(|why: &String| eprintln!("{why}"));
    i32::from(!refuted.is_empty())
}

/// Proves a row in a process of its own. `refuted` has what the prover said of those that are wrong.
fn prove(row: &impl Row, most: &AtomicUsize, refuted: &Mutex<Vec<String>>) -> Found {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let usubac = std::env::current_exe().expect("this program").with_file_name("usubac");
    let mut command = match row.command(&usubac, folder.path()) {
        Ok(command) => command,
        Err(why) => return Found::Not(why),
    };
    let started = Instant::now();
    let Some(Output { status, stdout, stderr }) = run(&mut command, most) else {
        return Found::Not(too_long());
    };
    let seconds = started.elapsed().as_secs_f64();
    let [said, error] = [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if status.success() {
        let parts = said.lines().filter(|line| line.starts_with("proved: ")).count();
        return Found::Proved { parts, seconds };
    }
    let why =
        error.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("nothing was said").to_owned();
    if why.starts_with("refuted: ") {
        refuted.lock().expect("no thread panics").push(format!("{}: {why}", row.name().join(" ")));
        return Found::Not("**refuted**".into());
    }
    Found::Not(
        short(why.split_once(" is not proved").map_or(why.as_str(), |(_, why)| after(why))).replace('|', "/"),
    )
}

/// What stands after the first colon.
fn after(why: &str) -> &str {
    why.split_once(": ").map_or(why, |(_, why)| why)
}
