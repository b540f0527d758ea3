//! The table of the engines of a library that were proved, in `docs/proofs-library.md`: its rows are read, replaced and written
//! again, and what is said above them is counted from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

const BEGIN: &str = "<!-- The table of engines, written by make prove-library. -->\n";
const END: &str = "<!-- The end of the table of engines. -->\n";
const HEAD: &str =
    "| primitive | target | slicing | kernels | functions | seconds |\n|---|---|---|---|--:|--:|\n";

/// What an engine is called: primitive, target, slicing with batches at once, and what its kernels are written in.
pub type Name = [String; 4];

/// What was found of an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum Found {
    /// All of it does what the text says.
    Proved {
        /// Kernels, functions and tasks of functions.
        functions: usize,
        /// Seconds of the proof, of a processor that does other work too.
        seconds: f64,
    },
    /// Why it is not proved.
    Not(String),
}

/// The text of a page before the table, its rows, and the text after it.
pub struct Page<'a> {
    before: &'a str,
    /// What was found of each engine.
    pub rows: BTreeMap<Name, Found>,
    after: &'a str,
}

impl<'a> Page<'a> {
    /// Reads a page.
    ///
    /// # Errors
    /// A mark around the table is missing, or a line is not a row of it.
    pub fn parse(text: &'a str) -> Result<Page<'a>, String> {
        let (before, rest) = text.split_once(BEGIN).ok_or("the page has no mark before the table")?;
        let (table, after) = rest.split_once(END).ok_or("the page has no mark after the table")?;
        let lines = table.lines().filter(|line| line.starts_with("| `"));
        Ok(Page { before, rows: lines.map(row).collect::<Result<_, _>>()?, after })
    }

    /// The page, with rows for those of these engines that were tried, in this order, and how many there are of all.
    pub fn write(&self, engines: &[Name]) -> String {
        let mut lines = String::new();
        for name in engines {
            let Some(found) = self.rows.get(name) else { continue };
            let [primitive, target, slicing, kernels] = name;
            let found = match found {
                Found::Proved { functions, seconds } => format!("{functions} | {seconds:.1} |"),
                Found::Not(why) => format!("**not proved**: {why} | |"),
            };
            let _ = writeln!(lines, "| `{primitive}` | `{target}` | `{slicing}` | {kernels} | {found}");
        }
        format!("{}{BEGIN}\n{}\n{HEAD}{lines}{END}{}", self.before, self.summary(engines), self.after)
    }

    /// How many engines are proved.
    pub fn summary(&self, engines: &[Name]) -> String {
        let of = |kernels: &str| {
            let found: Vec<Option<&Found>> =
                engines.iter().filter(|name| name[3] == kernels).map(|name| self.rows.get(name)).collect();
            let is_proved = |found: &&Option<&Found>| matches!(found, Some(Found::Proved { .. }));
            let proved = found.iter().filter(is_proved).count();
            let tried = found.iter().filter(|found| found.is_some()).count();
            let rest =
                if tried < found.len() { format!(", of which {tried} were tried") } else { String::new() };
            format!("{proved} of {} with kernels in {kernels}{rest}", found.len())
        };
        let mut times: Vec<f64> = engines
            .iter()
            .filter_map(|name| match self.rows.get(name) {
                Some(Found::Proved { seconds, .. }) => Some(*seconds),
                _ => None,
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        let longest = times.last().copied().unwrap_or_default();
        let [c, assembly] = ["C", "assembly"].map(of);
        format!(
            "Engines that are proved whole: {c}; {assembly}. Half of these proofs take less than {middle:.1} s, the longest {longest:.0} s.\n"
        )
    }
}

fn row(line: &str) -> Result<(Name, Found), String> {
    let wrong = || format!("`{line}` is no row of the table");
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [primitive, target, slicing, kernels, functions, seconds] = cells[..] else { return Err(wrong()) };
    let name = [primitive, target, slicing, kernels].map(|cell| cell.trim_matches('`').to_owned());
    let found = match functions.strip_prefix("**not proved**: ") {
        Some(why) => Found::Not(why.to_owned()),
        None => Found::Proved {
            functions: functions.parse().map_err(|_| wrong())?,
            seconds: seconds.parse().map_err(|_| wrong())?,
        },
    };
    Ok((name, found))
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, Found, Name, Page};

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let text = format!("before\n{BEGIN}\n{END}after\n");
        let mut page = Page::parse(&text).expect("a page");
        let name = |slicing: &str, kernels: &str| -> Name {
            ["aes-128", "avx2", slicing, kernels].map(str::to_owned)
        };
        let engines = [name("h", "C"), name("h1", "C"), name("h", "assembly")];
        page.rows.insert(engines[0].clone(), Found::Proved { functions: 16, seconds: 2.5 });
        page.rows.insert(engines[2].clone(), Found::Not("`vpermb`: why not".into()));
        let written = page.write(&engines);
        assert!(
            written.contains(
                "1 of 2 with kernels in C, of which 1 were tried; 0 of 1 with kernels in assembly."
            )
        );
        assert!(!written.contains("h1"));
        let again = Page::parse(&written).expect("a page");
        assert_eq!(again.rows, page.rows);
        assert!(again.write(&engines) == written);
        assert!(written.starts_with("before\n") && written.ends_with("after\n"));
    }
}
