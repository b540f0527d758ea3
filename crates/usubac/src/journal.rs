//! The journal of `usubac tune`: what was found of each variant, a line each, so that an interrupted search goes on.
//!
//! Lines are JSON objects. The first says what was searched; it must be the same for a search to go on. A line is written at
//! once, so that an interruption leaves whole lines; a last line that is torn is left out on reading.

use crate::files;
use crate::output::{self, Failure};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use usuba_trial::tune::Verdict;
use usuba_trial::variant::Variant;

/// A finding about a variant of a primitive on a target.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The primitive.
    pub primitive: String,
    /// The target.
    pub target: String,
    /// The variant.
    pub variant: Variant,
    /// What was found.
    pub verdict: Verdict,
}

/// An open journal.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// What it had when it was opened.
    pub entries: Vec<Entry>,
}

impl Journal {
    /// Starts a journal for a search that `head` describes, or goes on with the one that is there.
    ///
    /// # Errors
    /// The file cannot be read or written, or belongs to another search.
    pub fn open(path: &Path, head: &Value, resume: bool) -> Result<Journal, Failure> {
        let failure = |error: std::io::Error| Failure::file("cannot write", path, &output::plain(&error));
        let mut entries = Vec::new();
        if resume && path.exists() {
            entries = read(path, head)?;
        }
        // Written anew even to go on: a torn last line would spoil the next.
        let mut file =
            OpenOptions::new().create(true).write(true).truncate(true).open(path).map_err(failure)?;
        writeln!(file, "{head}").map_err(failure)?;
        let mut journal = Journal { path: path.to_path_buf(), file, entries: Vec::new() };
        for entry in &entries {
            journal.add(entry)?;
        }
        journal.entries = entries;
        Ok(journal)
    }

    /// Writes an entry at once.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, entry: &Entry) -> Result<(), Failure> {
        let line = format!("{}\n", to_json(entry));
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.flush())
            .map_err(|error| Failure::file("cannot write", &self.path, &output::plain(&error)))
    }

    /// Removes it: the search is over.
    pub fn remove(self) {
        // Best effort: a journal that stays is only read with `--resume`, and says then that nothing is left to do.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn read(path: &Path, head: &Value) -> Result<Vec<Entry>, Failure> {
    let text = files::read_text(path)?;
    let mut lines = text.lines();
    let known: Option<Value> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    if known.as_ref() != Some(head) {
        return Err(Failure::file(
            "cannot go on with",
            path,
            "it is of another search (program, machine, compilers or options differ): leave out --resume to start anew",
        ));
    }
    Ok(lines.filter_map(|line| from_json(&serde_json::from_str(line).ok()?)).collect())
}

fn to_json(entry: &Entry) -> Value {
    let (found, detail) = match &entry.verdict {
        Verdict::Measured { cost, ratio } => ("measured", json!({ "cost": cost, "ratio": ratio })),
        Verdict::RuledOut(reason) => ("ruled-out", json!(reason)),
        Verdict::Same(other) => ("same", json!(other.to_string())),
        Verdict::Refused(reason) => ("refused", json!(reason)),
    };
    json!({
        "primitive": entry.primitive, "target": entry.target, "variant": entry.variant.to_string(),
        "found": found, "detail": detail,
    })
}

fn from_json(value: &Value) -> Option<Entry> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let detail = &value["detail"];
    let said = detail.as_str().unwrap_or_default();
    let verdict = match value["found"].as_str()? {
        "measured" => Verdict::Measured { cost: detail["cost"].as_f64()?, ratio: detail["ratio"].as_f64()? },
        "ruled-out" => Verdict::RuledOut(said.to_owned()),
        "same" => Verdict::Same(said.parse().ok()?),
        "refused" => Verdict::Refused(said.to_owned()),
        _ => return None,
    };
    Some(Entry {
        primitive: text("primitive")?,
        target: text("target")?,
        variant: text("variant")?.parse().ok()?,
        verdict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        let verdicts = [
            Verdict::Measured { cost: 1.25, ratio: 0.875 },
            Verdict::RuledOut("its ports".into()),
            Verdict::Same("slicing=b backend=c compiler=gcc".parse().unwrap()),
            Verdict::Refused("no code: \"why\"\n".into()),
        ];
        let variant: Variant = "slicing=h backend=asm compiler=clang".parse().unwrap();
        let entry = |verdict| Entry { primitive: "aes".into(), target: "avx2".into(), variant, verdict };
        verdicts.into_iter().map(entry).collect()
    }

    #[test]
    fn a_journal_is_read_back_and_survives_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let head = json!({ "source": "1" });
        let mut journal = Journal::open(&path, &head, false).ok().unwrap();
        entries().iter().for_each(|entry| journal.add(entry).ok().unwrap());
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.truncate(text.len() - 5);
        std::fs::write(&path, &text).unwrap();
        let again = Journal::open(&path, &head, true).ok().unwrap();
        assert_eq!(again.entries, entries()[..3]);
        let again = Journal::open(&path, &head, true).ok().unwrap();
        assert_eq!(again.entries, entries()[..3], "what was kept is written again");
        assert!(Journal::open(&path, &json!({ "source": "2" }), true).is_err(), "another search");
        assert_eq!(Journal::open(&path, &head, false).ok().unwrap().entries, []);
        again.remove();
        assert!(!path.exists());
    }
}
