//! Where in a manifest something stands that shows to be wrong only when the source is compiled, or a file is read.
//!
//! A [`Manifest`] has no places: they are looked up in its text again when there is an error to show.

use crate::driver::{DECRYPTION_KEYS, DriverError, SCHEDULE};
use crate::engine::BuildError;
use crate::manifest::{Manifest, ManifestError};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use usuba_compiler::pipeline::Failure;

/// What of a manifest an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject<'a> {
    /// A field of the primitive, or of that form of it which names the node.
    Field {
        /// The field, as a block cipher calls it.
        name: &'a str,
        /// The node that it is for.
        node: &'a str,
    },
    /// A text in the value of a field of the primitive.
    In {
        /// The field.
        field: &'a str,
        /// The text.
        value: &'a str,
    },
    /// A text that is the value of a field, or in it: a node or a path.
    Value(&'a str),
}

/// Fields whose values are neither nodes nor paths.
const OTHERS: [&str; 11] = [
    "name",
    "title",
    "specification",
    "kind",
    "slicing",
    "slicings",
    "library",
    "modes",
    "order",
    "cipher-order",
    "schedule-order",
];

/// An error about `subject`, or if it stands nowhere, about the name of the primitive, or the file. `file` and `text` are
/// those of the manifest; without a primitive the subject may be anywhere in it.
pub fn error_at(
    file: &str,
    text: &str,
    primitive: Option<&str>,
    subject: Subject,
    message: impl Into<String>,
) -> ManifestError {
    ManifestError::at(file, text, place(text, primitive, subject).unwrap_or(0), message)
}

/// The same for what is wrong with a primitive of `manifest`.
pub fn build_error(file: &str, text: &str, manifest: &Manifest, error: &BuildError) -> ManifestError {
    let (BuildError::Node { primitive, .. }
    | BuildError::Portable { primitive }
    | BuildError::Driver { primitive, .. }
    | BuildError::Message { primitive, .. }) = error;
    // An engine has the name of its primitive, and more.
    let name = manifest
        .primitives
        .iter()
        .map(|known| known.name.as_str())
        .filter(|known| {
            primitive.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
        .max_by_key(|known| known.len())
        .unwrap_or(primitive);
    let (subject, message) = match error {
        BuildError::Node { node, failure, .. } => {
            let reason = match failure {
                Failure::Internal(error) => Some(error.clone()),
                Failure::Program(findings) => {
                    findings.iter().find(|finding| finding.is_error()).map(|finding| finding.message.clone())
                }
                Failure::Target(missing) => missing.first().map(ToString::to_string),
                Failure::Stopped => None,
            };
            let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            (Subject::Value(node), format!("the node `{node}` of `{name}` cannot be compiled{reason}"))
        }
        BuildError::Portable { .. } => (Subject::Field { name: "slicings", node: "" }, error.to_string()),
        BuildError::Message { .. } => (Subject::Field { name: "modes", node: "" }, error.to_string()),
        BuildError::Driver { error, .. } => (about(error), format!("primitive `{name}`: {error}")),
    };
    error_at(file, text, Some(name), subject, message)
}

fn about(error: &DriverError) -> Subject<'_> {
    match error {
        // The node may be right in another role.
        DriverError::Parameters { expected, node, .. } if *expected == SCHEDULE => {
            Subject::In { field: "schedule", value: node }
        }
        DriverError::Parameters { expected, node, .. } if *expected == DECRYPTION_KEYS => {
            Subject::In { field: "decryption-keys", value: node }
        }
        DriverError::Order { field, node, .. } => Subject::Field { name: field, node },
        DriverError::Parameters { node, .. }
        | DriverError::Uniform { node, .. }
        | DriverError::Wide { node, .. }
        | DriverError::RoundKeys { decrypt: node, .. } => Subject::Value(node),
        DriverError::Counter { .. } => Subject::Field { name: "counter", node: "" },
        DriverError::Kind => Subject::Field { name: "kind", node: "" },
        DriverError::PackedBytes { node, .. } => Subject::In { field: "schedule", value: node },
        DriverError::Planes => Subject::Field { name: "slicings", node: "" },
    }
}

/// The byte of the text at which a subject begins, or the name of the primitive.
fn place(text: &str, primitive: Option<&str>, subject: Subject) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let document = document.get_ref();
    let Some(name) = primitive else {
        return match subject {
            Subject::Field { name, .. } => field(document, name),
            Subject::In { field, value } => document.get(field).and_then(|found| first(found, value)),
            Subject::Value(value) => value_in(document, value),
        };
    };
    let table = tables(document, "primitive")
        .chain(tables(document, "construction"))
        .find(|table| text_of(table, "name") == Some(name))?;
    let found = match subject {
        Subject::In { field, value } => table.get(field).and_then(|found| first(found, value)),
        Subject::Value(value) => value_in(table, value),
        Subject::Field { name, node } => tables(table, "form")
            .find(|form| value_in(form, node).is_some())
            .and_then(|form| {
                let own = if name == "round-keys" { "cipher-order".into() } else { format!("{name}-order") };
                field(form, &own)
            })
            .or_else(|| field(table, name))
            // Without a schedule the round keys are the key.
            .or_else(|| (name == "round-keys").then(|| field(table, "key")).flatten()),
    };
    found.or_else(|| field(table, "name"))
}

/// The tables of an array of them.
fn tables<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> impl Iterator<Item = &'a DeTable<'i>> {
    let array = match table.get(name).map(Spanned::get_ref) {
        Some(DeValue::Array(array)) => &array[..],
        _ => &[],
    };
    array.iter().filter_map(|element| match element.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    })
}

fn text_of<'a>(table: &'a DeTable<'_>, name: &str) -> Option<&'a str> {
    match table.get(name)?.get_ref() {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

fn field(table: &DeTable, name: &str) -> Option<usize> {
    Some(table.get(name)?.span().start)
}

/// Where a text is first the value of a field, in a table or what is in it.
fn value_in(table: &DeTable, value: &str) -> Option<usize> {
    let fields = table.iter().filter(|(name, _)| !OTHERS.iter().any(|other| name.get_ref() == other));
    fields.filter_map(|(_, found)| first(found, value)).min()
}

fn first(found: &Spanned<DeValue>, value: &str) -> Option<usize> {
    match found.get_ref() {
        DeValue::String(text) if text == value => Some(found.span().start),
        DeValue::Array(elements) => elements.iter().find_map(|element| first(element, value)),
        DeValue::Table(table) => value_in(table, value),
        _ => None,
    }
}
