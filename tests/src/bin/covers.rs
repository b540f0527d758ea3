//! Writes the table of solved covers, `crates/usuba-codegen/covers/covers.txt`, and says what it has.
//!
//! `make covers` runs it: the circuits of the database for every set of functions, and the blocks of all ciphers in bitsliced
//! and vertical slicing for targets with functions of three bits.

use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use usuba_codegen::problems::Solved;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::covers::{Met, machines, of_cipher, of_circuits, solve, ternary};

fn main() {
    let (mut table, mut summary) = (Table::default(), String::new());
    let steps = machines().len() + CIPHERS.len() * ternary().len();
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    for machine in machines() {
        bar.set_message(format!("circuits, {}", machine.name));
        let count = table.add(&of_circuits(machine));
        let _ = writeln!(summary, "circuits of the database, {}: {}", machine.name, count.text());
        bar.inc(1);
    }
    let mut counts = BTreeMap::new();
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        for target in ternary() {
            bar.set_message(format!("{name}, {}", target.name));
            let count = table.add(&of_cipher(name, &cipher, target));
            counts.entry(target.name).or_insert_with(Count::default).add(&count);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for (target, count) in counts {
        let _ = writeln!(summary, "blocks of ciphers, {target}: {}", count.text());
    }
    let path = root().join("crates/usuba-codegen/covers/covers.txt");
    let mut text = String::from("# Written by `make covers`; README.md has the format.\n");
    for line in &table.lines {
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("{summary}{} different problems", table.lines.len());
}

#[derive(Default)]
struct Table {
    lines: Vec<Solved>,
    by_digest: BTreeMap<u128, usize>,
}

#[derive(Default)]
struct Count {
    problems: usize,
    open: usize,
    cheaper: usize,
    saved: u32,
}

impl Table {
    /// Solves what is new.
    fn add(&mut self, all: &[Met]) -> Count {
        let mut count = Count::default();
        for met in all {
            let place = *self.by_digest.entry(met.covered.problem.digest()).or_insert_with(|| {
                self.lines.push(solve(met));
                self.lines.len() - 1
            });
            let line = &self.lines[place];
            assert_eq!(line.gates, met.covered.problem.gates.len(), "{}: a collision", met.place);
            count.problems += 1;
            count.open += usize::from(line.at_least < line.at_most);
            count.cheaper += usize::from(line.ways.is_some());
            count.saved += met.covered.searched - line.at_most;
        }
        count
    }
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.problems += other.problems;
        self.open += other.open;
        self.cheaper += other.cheaper;
        self.saved += other.saved;
    }

    fn text(&self) -> String {
        format!(
            "{}, least {}, open {}; cheaper than the search {}, by {} in all",
            self.problems,
            self.problems - self.open,
            self.open,
            self.cheaper,
            self.saved
        )
    }
}
