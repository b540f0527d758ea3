//! The file `tuned.toml` next to a manifest: what measurements have chosen for primitives and targets.
//!
//! It is written by `usubac tune` and read by `build`, `bench` and `test`. Unknown fields are errors, and so are choices
//! that do not exist. A choice belongs to one text of the program: [`fingerprint`] of it is part of the choice, and who
//! uses one compares it first.

use crate::messages;
use crate::variant::Variant;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use toml::Spanned;
use usuba_lang::source::Sources;
use usuba_package::manifest::ManifestError;

/// The version of the file that is written, and the only one that is read.
pub const VERSION: i64 = 1;

/// The name of the file.
pub const FILE: &str = "tuned.toml";

/// All choices for a cipher.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tuned {
    /// The choices, in the order of the file.
    pub choices: Vec<Choice>,
}

/// What is best for a primitive on a target, and how that is known.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The primitive.
    pub primitive: String,
    /// The target.
    pub target: String,
    /// What to build.
    pub variant: Variant,
    /// [`fingerprint`] of the program that was measured.
    pub source: String,
    /// The version of usubac that made the code.
    pub usubac: String,
    /// The compiler that compiled it, as it calls itself.
    pub tools: String,
    /// The machine that ran it.
    pub machine: String,
    /// What was measured: `kernel`, `ecb`, `ctr`, `xor` or `permute`, in `cycles` or `instructions`.
    pub measured: String,
    /// What it took, per byte.
    pub cost: f64,
    /// What the default took in the same processes, per byte.
    pub default_cost: f64,
}

impl Tuned {
    /// The choice for a primitive and a target, or for the nearest that this one goes beyond.
    pub fn find(&self, primitive: &str, target: &str) -> Option<&Choice> {
        let of = |target: &str| {
            self.choices.iter().find(|choice| choice.primitive == primitive && choice.target == target)
        };
        of(target).or_else(|| usuba_target::by_name(target)?.bases().find_map(|base| of(base.name)))
    }

    /// Puts a choice in the place of that for the same primitive and target.
    pub fn put(&mut self, choice: Choice) {
        let place = self
            .choices
            .iter_mut()
            .find(|known| known.primitive == choice.primitive && known.target == choice.target);
        match place {
            Some(place) => *place = choice,
            None => self.choices.push(choice),
        }
    }

    /// Removes the choice for a primitive and a target.
    pub fn remove(&mut self, primitive: &str, target: &str) {
        self.choices.retain(|choice| choice.primitive != primitive || choice.target != target);
    }
}

impl Choice {
    /// Whether it was made for this program.
    ///
    /// # Errors
    /// It was not: what to do.
    pub fn check_source(&self, sources: &Sources) -> Result<(), String> {
        if self.source == fingerprint(sources) {
            return Ok(());
        }
        Err(messages::tuned_stale(&self.primitive, &self.target))
    }
}

/// A number of all texts of a program, in order: FNV-1a of 64 bits over each text and its length, as hexadecimal digits.
/// It tells an edited program from the one that was measured; it is no defence against malice.
pub fn fingerprint(sources: &Sources) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for (_, source) in sources.iter() {
        add(source.text.as_bytes());
        add(&(source.text.len() as u64).to_le_bytes());
    }
    format!("{hash:016x}")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Spanned<i64>,
    #[serde(default)]
    choice: Vec<Fields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Fields {
    primitive: Spanned<String>,
    target: Spanned<String>,
    choose: Spanned<BTreeMap<Spanned<String>, Spanned<String>>>,
    source: String,
    usubac: String,
    tools: String,
    machine: String,
    measured: String,
    cost: Spanned<f64>,
    default_cost: Spanned<f64>,
}

/// Reads a file of choices. `file` is the name to report it under.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse(file: &str, text: &str) -> Result<Tuned, ManifestError> {
    let raw: File = toml::from_str(text).map_err(|error| ManifestError::of_toml(file, text, &error))?;
    let wrong = |at: usize, message: String| ManifestError::at(file, text, at, message);
    if *raw.version.get_ref() != VERSION {
        let message = messages::tuned_version(*raw.version.get_ref(), VERSION);
        return Err(wrong(raw.version.span().start, message));
    }
    let mut tuned = Tuned::default();
    for fields in raw.choice {
        let at = fields.primitive.span().start;
        let target = fields.target.get_ref();
        if usuba_target::by_name(target).is_none() {
            return Err(wrong(fields.target.span().start, messages::tuned_target(target)));
        }
        let twice =
            |choice: &Choice| choice.primitive == *fields.primitive.get_ref() && choice.target == *target;
        if tuned.choices.iter().any(twice) {
            return Err(wrong(at, messages::tuned_twice(fields.primitive.get_ref(), target)));
        }
        for (field, number) in [("cost", &fields.cost), ("default-cost", &fields.default_cost)] {
            if !(number.get_ref().is_finite() && *number.get_ref() > 0.0) {
                return Err(wrong(number.span().start, messages::tuned_number(field)));
            }
        }
        if !fields.choose.get_ref().keys().any(|name| name.get_ref() == "slicing") {
            return Err(wrong(fields.choose.span().start, messages::no_slicing()));
        }
        let mut variant = Variant::new(usuba_ir::layout::Slicing::V);
        for (name, value) in fields.choose.get_ref() {
            let place =
                if crate::variant::knob(name.get_ref()).is_none() { name.span() } else { value.span() };
            variant = variant
                .set(name.get_ref(), value.get_ref())
                .map_err(|message| wrong(place.start, message))?;
        }
        tuned.choices.push(Choice {
            primitive: fields.primitive.into_inner(),
            target: fields.target.into_inner(),
            variant,
            source: fields.source,
            usubac: fields.usubac,
            tools: fields.tools,
            machine: fields.machine,
            measured: fields.measured,
            cost: fields.cost.into_inner(),
            default_cost: fields.default_cost.into_inner(),
        });
    }
    Ok(tuned)
}

/// The text of a file of choices; [`parse`] reads it back.
pub fn print(tuned: &Tuned) -> String {
    let mut text = String::from(
        "# Made by `usubac tune`, read by `usubac build`, `bench` and `test`; docs/bench.md says what it means.\n",
    );
    let _ = writeln!(text, "version = {VERSION}");
    for choice in &tuned.choices {
        let words: Vec<String> = choice
            .variant
            .words()
            .iter()
            .map(|(name, value)| format!("{name} = {}", quoted(value)))
            .collect();
        let _ = write!(text, "\n[[choice]]\nprimitive = {}\n", quoted(&choice.primitive));
        let _ = writeln!(text, "target = {}", quoted(&choice.target));
        let _ = writeln!(text, "choose = {{ {} }}", words.join(", "));
        let _ = writeln!(text, "source = {}", quoted(&choice.source));
        let _ = writeln!(text, "usubac = {}", quoted(&choice.usubac));
        let _ = writeln!(text, "tools = {}", quoted(&choice.tools));
        let _ = writeln!(text, "machine = {}", quoted(&choice.machine));
        let _ = writeln!(text, "measured = {}", quoted(&choice.measured));
        let _ = writeln!(text, "cost = {:.4}", choice.cost);
        let _ = writeln!(text, "default-cost = {:.4}", choice.default_cost);
    }
    text
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
