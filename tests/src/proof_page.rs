//! Tables of what of a library was proved: its engines in `docs/proofs-library.md`, its modes in `docs/proofs-modes.md`. Rows are read,
//! replaced and written again, and what is said above them is counted from them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a table is of.
#[derive(Debug)]
pub struct Table {
    begin: &'static str,
    end: &'static str,
    head: &'static str,
    /// What is said of all rows, of which there are these.
    summary: fn(&Page<'_>, &[Name]) -> String,
}

/// Engines: primitive, target, slicing with batches at once, and what kernels are written in. What is proved are kernels, functions
/// and tasks of functions.
pub const ENGINES: Table = Table {
    begin: "<!-- The table of engines, written by make prove-library. -->\n",
    end: "<!-- The end of the table of engines. -->\n",
    head: "| primitive | target | slicing | kernels | functions | seconds |\n|---|---|---|---|--:|--:|\n",
    summary: |page, names| page.of_engines(names),
};

/// Modes: what the code is over, target, mode, and lengths. What is proved are lists of lengths.
pub const MODES: Table = Table {
    begin: "<!-- The table of modes, written by make prove-modes. -->\n",
    end: "<!-- The end of the table of modes. -->\n",
    head: "| over | target | mode | lengths | messages | seconds |\n|---|---|---|---|--:|--:|\n",
    summary: |page, names| page.of_modes(names),
};

/// The first cells of a row, which are its name.
pub type Name = [String; 4];

/// What was found of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Found {
    /// All of it does what the text says.
    Proved {
        /// How much that is.
        parts: usize,
        /// Seconds of the proof, of a processor that does other work too.
        seconds: f64,
    },
    /// Why it is not proved.
    Not(String),
}

/// The text of a page before the table, its rows, and the text after it.
pub struct Page<'a> {
    table: &'static Table,
    before: &'a str,
    /// What was found of each row.
    pub rows: BTreeMap<Name, Found>,
    after: &'a str,
}

impl<'a> Page<'a> {
    /// Reads a page.
    ///
    /// # Errors
    /// A mark around the table is missing, or a line is not a row of it.
    pub fn parse(text: &'a str, table: &'static Table) -> Result<Page<'a>, String> {
        let (before, rest) = text.split_once(table.begin).ok_or("the page has no mark before the table")?;
        let (lines, after) = rest.split_once(table.end).ok_or("the page has no mark after the table")?;
        let lines = lines.lines().filter(|line| line.starts_with("| `"));
        Ok(Page { table, before, rows: lines.map(row).collect::<Result<_, _>>()?, after })
    }

    /// The page, with those of these rows that were tried, in this order, and how many there are of all.
    pub fn write(&self, names: &[Name]) -> String {
        let mut lines = String::new();
        for name in names {
            let Some(found) = self.rows.get(name) else { continue };
            let [one, two, three, four] = name;
            let found = match found {
                Found::Proved { parts, seconds } => format!("{parts} | {seconds:.1} |"),
                Found::Not(why) => format!("**not proved**: {why} | |"),
            };
            let _ = writeln!(lines, "| `{one}` | `{two}` | `{three}` | {four} | {found}");
        }
        let Table { begin, end, head, .. } = self.table;
        format!("{}{begin}\n{}\n{head}{lines}{end}{}", self.before, self.summary(names), self.after)
    }

    /// How many of these are proved.
    pub fn summary(&self, names: &[Name]) -> String {
        (self.table.summary)(self, names)
    }

    fn of_engines(&self, engines: &[Name]) -> String {
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
        let [middle, longest] = self.times(engines);
        let [c, assembly] = ["C", "assembly"].map(of);
        format!(
            "Engines that are proved whole: {c}; {assembly}. Half of these proofs take less than {middle:.1} s, the longest {longest:.0} s.\n"
        )
    }

    fn of_modes(&self, names: &[Name]) -> String {
        // Lengths that grow have a `+` behind them.
        let functions = |grows: bool, is_wanted: &dyn Fn(Option<&Found>) -> bool| {
            let all = names.iter().filter(|name| name[3].contains('+') == grows);
            let all = all.filter(|name| is_wanted(self.rows.get(*name)));
            all.map(|[over, target, mode, _]| (over, target, mode)).collect::<BTreeSet<_>>()
        };
        let is_proved = |found: Option<&Found>| matches!(found, Some(Found::Proved { .. }));
        let [growing, any] = [functions(true, &|_| true), functions(true, &is_proved)].map(|all| all.len());
        let all = functions(false, &|_| true);
        let not = functions(false, &|found| matches!(found, Some(Found::Not(_))));
        let untried = functions(false, &|found| found.is_none());
        let messages: usize = names
            .iter()
            .filter_map(|name| match self.rows.get(name) {
                Some(Found::Proved { parts, .. }) => Some(parts),
                _ => None,
            })
            .sum();
        let [middle, longest] = self.times(names);
        let rest = match untried.len() {
            0 => String::new(),
            untried => format!(" {untried} functions have rows that were not tried yet."),
        };
        let proved = all.iter().filter(|one| !not.contains(*one) && !untried.contains(*one)).count();
        format!(
            "{proved} of {} functions are proved for all lists of lengths, together {messages} lists.{rest} Of {growing} functions with lengths that may grow by any number of turns {any} are proved for these. Half of the rows take less than {middle:.1} s, the longest {longest:.0} s.\n",
            all.len()
        )
    }

    /// Seconds of the proof in the middle, and of the longest.
    fn times(&self, names: &[Name]) -> [f64; 2] {
        let mut times: Vec<f64> = names
            .iter()
            .filter_map(|name| match self.rows.get(name) {
                Some(Found::Proved { seconds, .. }) => Some(*seconds),
                _ => None,
            })
            .collect();
        times.sort_by(f64::total_cmp);
        [times.get(times.len() / 2), times.last()].map(|time| time.copied().unwrap_or_default())
    }
}

fn row(line: &str) -> Result<(Name, Found), String> {
    let wrong = || format!("`{line}` is no row of the table");
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [one, two, three, four, parts, seconds] = cells[..] else { return Err(wrong()) };
    let name = [one, two, three, four].map(|cell| cell.trim_matches('`').to_owned());
    let found = match parts.strip_prefix("**not proved**: ") {
        Some(why) => Found::Not(why.to_owned()),
        None => Found::Proved {
            parts: parts.parse().map_err(|_| wrong())?,
            seconds: seconds.parse().map_err(|_| wrong())?,
        },
    };
    Ok((name, found))
}

#[cfg(test)]
mod tests {
    use super::{ENGINES, Found, Name, Page};

    #[test]
    fn a_page_is_read_as_it_was_written() {
        let text = format!("before\n{}\n{}after\n", ENGINES.begin, ENGINES.end);
        let mut page = Page::parse(&text, &ENGINES).expect("a page");
        let name = |slicing: &str, kernels: &str| -> Name {
            ["aes-128", "avx2", slicing, kernels].map(str::to_owned)
        };
        let engines = [name("h", "C"), name("h1", "C"), name("h", "assembly")];
        page.rows.insert(engines[0].clone(), Found::Proved { parts: 16, seconds: 2.5 });
        page.rows.insert(engines[2].clone(), Found::Not("`vpermb`: why not".into()));
        let written = page.write(&engines);
        assert!(
            written.contains(
                "1 of 2 with kernels in C, of which 1 were tried; 0 of 1 with kernels in assembly."
            )
        );
        assert!(!written.contains("h1"));
        let again = Page::parse(&written, &ENGINES).expect("a page");
        assert_eq!(again.rows, page.rows);
        assert!(again.write(&engines) == written);
        assert!(written.starts_with("before\n") && written.ends_with("after\n"));
    }
}
