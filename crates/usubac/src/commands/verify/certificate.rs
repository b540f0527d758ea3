//! What was proved of an object, as a text that says the same again when the proof is done again.

use super::engine_question::{Engine, Function};
use super::question::Question;
use crate::args::{Entry, SlicingArg, Verify};
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use usuba_ir::layout::Slicing;
use usuba_trial::proof::engine::caveats;
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::Report;

/// The version of the format.
const VERSION: u32 = 1;

/// What every certificate begins with: another file is not overwritten.
const MARK: &str = "# What `usubac verify` has proved";

/// What one run of the prover shows.
const SHOWN: [&str; 5] = ["equality", "memory", "calling convention", "constant time", "instances apart"];

/// The heads of certificates: of a function, and of the engine of a library.
const OF: [&str; 2] = ["a function of an object", "the functions of an engine"];

/// A certificate. What is in it depends on the source, the object and the version of usubac only.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    version: u32,
    /// What made it.
    tool: String,
    /// What was shown, for all inputs.
    proved: Vec<String>,
    /// The codes of what it rests on.
    caveats: Vec<String>,
    source: Source,
    object: ObjectFile,
    figures: Figures,
    /// Of an engine, its functions.
    #[serde(skip_serializing_if = "Vec::is_empty", default, rename = "function")]
    functions: Vec<Claim>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    symbol: String,
    /// What it does.
    what: String,
    instructions: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// The program, or the folder with the manifest, as on the command line.
    file: String,
    /// Of an engine, the primitive of the manifest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    primitive: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    entry: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    word: Option<u32>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    nats: BTreeMap<String, i64>,
    /// For adders of gates in a bitsliced kernel.
    #[serde(skip_serializing_if = "is_false", default)]
    bitslice_arith: bool,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    include: Vec<String>,
    slicing: String,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    inter_factor: Option<u32>,
    /// SHA-256 of each text that was read, in hexadecimal digits, in the order in which they were read.
    sha256: Vec<TextHash>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextHash {
    file: String,
    sha256: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectFile {
    /// The object, as on the command line.
    file: String,
    /// The function; an engine has several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    symbol: Option<String>,
    /// SHA-256 of the file, in hexadecimal digits.
    sha256: String,
    /// Bytes of the function, and their SHA-256 before linking.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    code_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    code_sha256: Option<String>,
    /// What its section `.comment` says.
    compilers: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figures {
    /// How many times as many conflicts as usual were allowed.
    effort: u32,
    /// Of an engine, whether every number of blocks is proved.
    #[serde(default, skip_serializing_if = "is_false")]
    every_number: bool,
    instructions: u64,
    vertices: u64,
    by_structure: u64,
    by_sums: u64,
    by_tables: u64,
    /// Older certificates have none.
    #[serde(default)]
    by_parts: u64,
    by_solver: u64,
    questions: u64,
    conflicts: u64,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl TextHash {
    fn of(file: &str, text: &str) -> TextHash {
        TextHash { file: file.to_owned(), sha256: sha256(text.as_bytes()) }
    }
}

impl Source {
    /// What the command line says, without the texts.
    fn of(verify: &Verify, slicing: Slicing) -> Source {
        Source {
            file: verify.left.clone().unwrap_or_default(),
            primitive: None,
            entry: verify.entry.entry.clone(),
            word: verify.entry.word,
            nats: verify.entry.nats.iter().cloned().collect(),
            bitslice_arith: verify.entry.bitslice_arith,
            include: verify.search.include.clone(),
            slicing: slicing.to_string(),
            target: verify.target.clone().unwrap_or_default(),
            inter_factor: verify.inter_factor,
            sha256: Vec::new(),
        }
    }
}

impl ObjectFile {
    /// The file, without a function.
    fn of(verify: &Verify, bytes: &[u8], object: &Object) -> ObjectFile {
        ObjectFile {
            file: verify.right.clone().unwrap_or_default(),
            symbol: None,
            sha256: sha256(bytes),
            code_bytes: None,
            code_sha256: None,
            compilers: object.producers.clone(),
        }
    }
}

impl Certificate {
    /// What is to be written of a proof.
    pub fn of(verify: &Verify, question: &Question, report: &Report) -> Result<Certificate, Failure> {
        let function =
            question.object.function(&question.symbol).map_err(|why| Failure::general(why.to_string()))?;
        let code = question.object.code(function);
        let work = &report.work;
        let texts = question.loaded.sources.iter();
        Ok(Certificate {
            version: VERSION,
            tool: format!("usubac {}", env!("CARGO_PKG_VERSION")),
            proved: SHOWN.map(str::to_owned).to_vec(),
            caveats: question.subject.caveats().into_iter().map(str::to_owned).collect(),
            source: Source {
                sha256: texts.map(|(_, text)| TextHash::of(&text.name, &text.text)).collect(),
                ..Source::of(verify, question.subject.compiled.kernel.shape.slicing)
            },
            object: ObjectFile {
                symbol: Some(question.symbol.clone()),
                code_bytes: Some(code.len() as u64),
                code_sha256: Some(sha256(code)),
                ..ObjectFile::of(verify, &question.bytes, &question.object)
            },
            figures: Figures {
                effort: verify.effort,
                every_number: false,
                instructions: report.instructions,
                vertices: report.vertices as u64,
                by_structure: work.by_structure,
                by_sums: work.by_sums,
                by_tables: work.by_tables,
                by_parts: work.by_parts,
                by_solver: work.by_solver,
                questions: work.questions,
                conflicts: work.conflicts,
            },
            functions: Vec::new(),
        })
    }

    /// What is to be written of the proof of an engine.
    pub fn of_engine(verify: &Verify, engine: &Engine, functions: &[Function]) -> Certificate {
        let manifest = TextHash::of(&engine.cipher.file().to_string_lossy(), engine.cipher.text());
        let texts = engine.cipher.loaded.sources.iter().map(|(_, text)| TextHash::of(&text.name, &text.text));
        let claim = |one: &Function| Claim {
            symbol: one.symbol.clone(),
            what: one.what.clone(),
            instructions: one.instructions,
        };
        Certificate {
            version: VERSION,
            tool: format!("usubac {}", env!("CARGO_PKG_VERSION")),
            proved: SHOWN.map(str::to_owned).to_vec(),
            caveats: caveats().into_iter().map(str::to_owned).collect(),
            source: Source {
                primitive: Some(engine.primitive.clone()),
                sha256: std::iter::once(manifest).chain(texts).collect(),
                ..Source::of(verify, engine.slicing)
            },
            object: ObjectFile::of(verify, &engine.bytes, &engine.object),
            figures: Figures {
                effort: verify.effort,
                every_number: verify.every_number,
                instructions: functions.iter().map(|function| function.instructions).sum(),
                ..Figures::default()
            },
            functions: functions.iter().map(claim).collect(),
        }
    }

    /// The text of a certificate. The time stands in a comment: it is not compared.
    fn text(&self, time: Option<Duration>) -> Result<String, Failure> {
        let body = toml::to_string(self).map_err(|error| Failure::general(error.to_string()))?;
        let mut head = format!(
            "{MARK} of {}, for all inputs.\n\
             # `usubac verify --audit` with this file proves it again. SOUNDNESS.md of Usuba says what the caveats are.\n",
            OF[usize::from(self.source.primitive.is_some())]
        );
        if let Some(time) = time {
            head.push_str(&format!("# Not compared: the proof took {:.2} s.\n", time.as_secs_f64()));
        }
        Ok(format!("{head}\n{body}"))
    }

    /// Writes it.
    ///
    /// # Errors
    /// There is another file in its place, or it cannot be written.
    pub fn write(&self, path: &Path, time: Duration) -> Result<(), Failure> {
        let is_another = files::read(path).is_ok_and(|found| !found.starts_with(MARK.as_bytes()));
        let Some(name) = path.file_name().filter(|_| !is_another) else {
            return Err(Failure::file("cannot write", path, "there is a file that is no certificate"));
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        files::write_all(folder, &[(name.into(), self.text(Some(time))?)]).map(|_| ())
    }

    /// The command line that it was made by.
    fn question(&self, given: &Verify, path: &Path) -> Result<Verify, Failure> {
        let slicing = SlicingArg::from_str(&self.source.slicing, false).map_err(|_| {
            Failure::file("cannot use", path, &format!("there is no slicing `{}`", self.source.slicing))
        })?;
        let entry = Entry {
            entry: self.source.entry.clone(),
            word: self.source.word,
            nats: self.source.nats.clone().into_iter().collect(),
            bitslice_arith: self.source.bitslice_arith,
        };
        let mut search = given.search.clone();
        search.include.extend(self.source.include.iter().cloned());
        Ok(Verify {
            mode: None,
            bytes: false,
            lengths: Vec::new(),
            around: false,
            primitive: self.source.primitive.clone(),
            left: Some(self.source.file.clone()),
            right: Some(self.object.file.clone()),
            slicing: Some(slicing),
            target: Some(self.source.target.clone()),
            symbol: self.object.symbol.clone(),
            inter_factor: self.source.inter_factor,
            cc: None,
            certificate: None,
            audit: None,
            ct: None,
            secret: Vec::new(),
            function: Vec::new(),
            entry,
            other_entry: None,
            effort: self.figures.effort,
            every_number: self.figures.every_number,
            search,
        })
    }
}

/// Proves again what a certificate says, and prints what differs.
pub fn audit(path: &Path, given: &Verify, output: &Output) -> Result<(), Failure> {
    let text = files::read_text(path)?;
    let wrong = |why: &str| Failure::file("cannot use the certificate", path, why);
    let claimed: Certificate = toml::from_str(&text).map_err(|error| wrong(error.message()))?;
    if claimed.version != VERSION {
        return Err(wrong(&format!(
            "it has version {}; this usubac reads version {VERSION}",
            claimed.version
        )));
    }
    if !(1..=10_000).contains(&claimed.figures.effort) {
        return Err(wrong("`effort` is not between 1 and 10000"));
    }
    let verify = claimed.question(given, path)?;
    if claimed.source.primitive.is_some() {
        return audit_engine(path, &claimed, &verify, output);
    }
    let question = Question::read(&verify, output)?;
    // What is not the certified source or object is said before a proof that may fail for it.
    let before = Certificate {
        figures: claimed.figures.clone(),
        ..Certificate::of(&verify, &question, &Report::default())?
    };
    let differences = differences(&claimed, &before)?;
    if !differences.is_empty() {
        return Err(differ(path, &differences, output));
    }
    let (report, _) = question.prove(&verify, output)?;
    let now = Certificate::of(&verify, &question, &report)?;
    let differences = self::differences(&claimed, &now)?;
    if !differences.is_empty() {
        return Err(differ(path, &differences, output));
    }
    proved_again(path, &format!("`{}`", question.symbol), &claimed, output);
    Ok(())
}

/// The same of an engine.
fn audit_engine(path: &Path, claimed: &Certificate, verify: &Verify, output: &Output) -> Result<(), Failure> {
    let engine = Engine::read(verify, output)?;
    let before = Certificate {
        figures: claimed.figures.clone(),
        functions: claimed.functions.clone(),
        ..Certificate::of_engine(verify, &engine, &[])
    };
    let differences = differences(claimed, &before)?;
    if !differences.is_empty() {
        return Err(differ(path, &differences, output));
    }
    let functions = engine.prove(verify, |_| {})?;
    let differences = self::differences(claimed, &Certificate::of_engine(verify, &engine, &functions))?;
    if !differences.is_empty() {
        return Err(differ(path, &differences, output));
    }
    proved_again(path, &format!("{} statements about functions", functions.len()), claimed, output);
    Ok(())
}

fn proved_again(path: &Path, what: &str, claimed: &Certificate, output: &Output) {
    if output.is_json() {
        print_json(
            &json!({ "verdict": "proved", "certificate": path.display().to_string(), "differences": [] }),
        );
    } else {
        print_line(&format!("{}: proved again: {what} of `{}`", path.display(), claimed.object.file));
    }
}

/// What differs: where, what the certificate says, and what is so now.
type Difference = (String, String, String);

fn differences(claimed: &Certificate, now: &Certificate) -> Result<Vec<Difference>, Failure> {
    let flat = |certificate: &Certificate| {
        let value =
            toml::Value::try_from(certificate).map_err(|error| Failure::general(error.to_string()))?;
        let mut all = BTreeMap::new();
        flatten("", &value, &mut all);
        Ok::<_, Failure>(all)
    };
    let (claimed, now) = (flat(claimed)?, flat(now)?);
    let keys: std::collections::BTreeSet<&String> = claimed.keys().chain(now.keys()).collect();
    let of = |all: &BTreeMap<String, String>, key: &String| {
        all.get(key).cloned().unwrap_or_else(|| "nothing".into())
    };
    let all = keys.into_iter().map(|key| (key.clone(), of(&claimed, key), of(&now, key)));
    Ok(all.filter(|(_, claimed, now)| claimed != now).collect())
}

fn flatten(path: &str, value: &toml::Value, all: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, all);
            }
        }
        toml::Value::Array(values) if values.iter().any(toml::Value::is_table) => {
            for (number, value) in values.iter().enumerate() {
                flatten(&format!("{path}[{number}]"), value, all);
            }
        }
        value => {
            all.insert(path.to_owned(), value.to_string());
        }
    }
}

fn differ(path: &Path, differences: &[Difference], output: &Output) -> Failure {
    if output.is_json() {
        let of = |(key, claimed, now): &Difference| json!({ "key": key, "claimed": claimed, "now": now });
        print_json(&json!({
            "verdict": "differs", "certificate": path.display().to_string(),
            "differences": differences.iter().map(of).collect::<Vec<_>>(),
        }));
        return Failure::Said;
    }
    print_line(&format!("{}: this is not what it certifies", path.display()));
    for (key, claimed, now) in differences {
        print_line(&format!("  {key}: {claimed} in the certificate, {now} now"));
    }
    Failure::Said
}
