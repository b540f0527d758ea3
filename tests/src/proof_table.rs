//! The table of proved kernels in `docs/proofs.md`: its rows are read, replaced and written again, and what is said above them is
//! counted from them. So the rows of one cipher can be renewed without those of all others.

use std::fmt::Write as _;

/// Around the table, in the page.
const BEGIN: &str = "<!-- The table of kernels, written by make prove. -->\n";
const END: &str = "<!-- The end of the table of kernels. -->\n";
const HEAD: &str =
    "| text | node | slicing | target | gcc | clang | assembly |\n|---|---|---|---|--:|--:|--:|\n";

/// A kernel, and what was found of the objects by gcc, by clang and by our assembler.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The folder of the cipher.
    pub cipher: String,
    /// The node of its text.
    pub node: String,
    /// How it is sliced.
    pub slicing: String,
    /// The machine.
    pub target: String,
    /// What was found of its objects.
    pub cells: [Cell; 3],
}

/// What an object was found to be.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// It computes what the text says, and keeps all rules.
    Proved {
        /// Instructions that are run for a call.
        instructions: u64,
        /// Seconds of the proof, with the checks beside it.
        seconds: f64,
        /// Whether `--ct` has a false alarm.
        alarm: bool,
    },
    /// Why it is not proved.
    Not(String),
    /// There is no such code.
    Nothing,
}

/// The text of a page before the table, the rows, and the text after the table.
pub struct Page<'a> {
    before: &'a str,
    /// The rows of the table.
    pub rows: Vec<Row>,
    after: &'a str,
}

impl<'a> Page<'a> {
    /// Reads a page.
    ///
    /// # Errors
    /// A mark around the table is missing, or a line is not a row of it.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let (before, rest) = text.split_once(BEGIN).ok_or("the page has no mark before the table")?;
        let (table, after) = rest.split_once(END).ok_or("the page has no mark after the table")?;
        let lines = table.lines().filter(|line| line.starts_with("| `"));
        let rows = lines.map(Row::parse).collect::<Result<_, _>>()?;
        Ok(Page { before, rows, after })
    }

    /// The page with its rows in this order, and what is counted from them.
    pub fn write(&mut self, order: impl Fn(&Row) -> (usize, usize, usize, usize)) -> String {
        self.rows.sort_by_key(order);
        let lines: String = self.rows.iter().map(|row| format!("{}\n", row.line())).collect();
        format!("{}{BEGIN}\n{}\n{HEAD}{lines}{END}{}", self.before, summary(&self.rows), self.after)
    }
}

/// What the rows show together, for x86-64 and for AArch64.
pub fn summary(rows: &[Row]) -> String {
    let is_arm = |row: &&Row| row.target.starts_with("neon");
    let of = |rows: Vec<&Row>, machine: &str| {
        let cells = || rows.iter().flat_map(|row| &row.cells);
        let objects = cells().filter(|cell| **cell != Cell::Nothing).count();
        let alarms = cells().filter(|cell| matches!(cell, Cell::Proved { alarm: true, .. })).count();
        let mut times: Vec<f64> = cells()
            .filter_map(|cell| match cell {
                Cell::Proved { seconds, .. } => Some(*seconds),
                _ => None,
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let mut ciphers: Vec<&str> = rows.iter().map(|row| row.cipher.as_str()).collect();
        ciphers.dedup();
        let alarms = match alarms {
            0 => String::new(),
            _ => format!("; for {alarms} of them, marked *, `--ct` has a false alarm"),
        };
        format!(
            "For {machine} {} of {} objects of {} ciphers in {} rows are proved, half of them in less than {:.2} s, the longest in \
             {:.0} s{alarms}.",
            thousands(times.len() as u64),
            thousands(objects as u64),
            ciphers.len(),
            rows.len(),
            times.get(times.len() / 2).unwrap_or(&0.0),
            times.last().unwrap_or(&0.0),
        )
    };
    let (arm, others) =
        (rows.iter().filter(is_arm).collect(), rows.iter().filter(|row| !is_arm(row)).collect());
    format!("{} {}\n", of(others, "x86-64"), of(arm, "AArch64"))
}

impl Row {
    /// The row that a line of the table is.
    fn parse(line: &str) -> Result<Self, String> {
        let wrong = || format!("not a row of the table: {line}");
        let cells: Vec<&str> = line.trim_matches('|').split(" |").map(str::trim).collect();
        let names = cells.get(..4).ok_or_else(wrong)?;
        let [cipher, node, slicing, target] =
            [0, 1, 2, 3].map(|at| names[at].trim_start_matches("| ").trim_matches('`').to_owned());
        let found = cells.get(4..7).ok_or_else(wrong)?;
        let found: Vec<Cell> = found
            .iter()
            .map(|cell| Cell::parse(cell.trim_start_matches("| ")))
            .collect::<Option<_>>()
            .ok_or_else(wrong)?;
        Ok(Row { cipher, node, slicing, target, cells: found.try_into().map_err(|_| wrong())? })
    }

    /// The line that it is in the table.
    pub fn line(&self) -> String {
        let Row { cipher, node, slicing, target, cells } = self;
        let mut text = format!("| `{cipher}` | `{node}` | `{slicing}` | `{target}` |");
        for cell in cells {
            let _ = match cell {
                Cell::Proved { instructions, seconds, alarm } => {
                    let mark = if *alarm { "*" } else { "" };
                    write!(text, " {}, {seconds:.2}{mark} |", thousands(*instructions))
                }
                Cell::Not(why) => write!(text, " **not proved**: {why} |"),
                Cell::Nothing => write!(text, " – |"),
            };
        }
        text
    }
}

impl Cell {
    fn parse(text: &str) -> Option<Self> {
        if text == "–" {
            return Some(Cell::Nothing);
        }
        if let Some(why) = text.strip_prefix("**not proved**: ") {
            return Some(Cell::Not(why.to_owned()));
        }
        let (instructions, rest) = text.rsplit_once(", ")?;
        let (seconds, alarm) = rest.strip_suffix('*').map_or((rest, false), |rest| (rest, true));
        let instructions = instructions.replace(',', "").parse().ok()?;
        Some(Cell::Proved { instructions, seconds: seconds.parse().ok()?, alarm })
    }
}

fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let cells = [
            Cell::Proved { instructions: 1_234_567, seconds: 0.25, alarm: true },
            Cell::Not("more than 60 s".into()),
            Cell::Nothing,
        ];
        let [cipher, node, slicing, target] = ["aes", "Encrypt128", "h", "avx2"].map(str::to_owned);
        let row = Row { cipher, node, slicing, target, cells };
        assert_eq!(
            row.line(),
            "| `aes` | `Encrypt128` | `h` | `avx2` | 1,234,567, 0.25* | **not proved**: more than 60 s | – |"
        );
        assert_eq!(Row::parse(&row.line()), Ok(row));
        assert!(Row::parse("| `aes` | `Encrypt128` |").is_err());
    }

    #[test]
    fn the_page_counts_its_rows() {
        let text = std::fs::read_to_string(crate::ciphers::root().join("docs/proofs.md")).expect("the page");
        let page = Page::parse(&text).expect("a table");
        assert!(page.rows.len() > 700 && text.contains(&summary(&page.rows)), "{}", summary(&page.rows));
    }

    #[test]
    fn a_page_keeps_what_is_around_its_table() {
        let page = format!(
            "before\n{BEGIN}old\n{HEAD}| `b` | `N` | `v` | `gp64` | 10, 0.10 | – | – |\n{END}after\n"
        );
        let mut read = Page::parse(&page).expect("a page");
        read.rows.push(Row { cipher: "a".into(), target: "neon".into(), ..read.rows[0].clone() });
        let written = read.write(|row| (usize::from(row.cipher == "b"), 0, 0, 0));
        assert!(written.starts_with("before\n") && written.ends_with("after\n"), "{written}");
        assert!(written.contains("For x86-64 1 of 1 objects of 1 ciphers in 1 rows are proved"), "{written}");
        let rows: Vec<&str> = written.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(rows.len() == 2 && rows[0].starts_with("| `a` "), "{written}");
    }
}
