//! Messages named on the command line: a mode over a primitive, or a node of a program.

use crate::args::Search;
use crate::cipher::Cipher;
use crate::output::{Failure, Output};
use crate::{front_end, mode};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::check;
use usuba_lang::load::Loaded;
use usuba_message::form::Message;
use usuba_message::{elaborate, passes, print};
use usuba_package::message::CIPHER;

/// A message and where it comes from.
pub struct Named {
    /// What it is, in words.
    pub name: String,
    /// The same as a part of a C identifier.
    pub identifier: String,
    /// Its program.
    pub loaded: Loaded,
    /// The name of its node.
    pub node: String,
    /// The name of the cipher that it is over.
    pub cipher: Option<String>,
    /// As it is written.
    pub written: String,
    /// After the passes.
    pub message: Message,
}

/// A mode over a block cipher of a folder: the primitive of that name, or the first.
///
/// # Errors
/// There is none, or it does not fit; a text is wrong, which has then been said.
pub fn of_mode(
    path: &str,
    name: &str,
    primitive: Option<&String>,
    search: &Search,
    output: &Output,
) -> Result<Named, Failure> {
    let mode = mode::named(name)?;
    let cipher = Cipher::read(path, search, output)?;
    let wanted: Vec<String> = primitive.into_iter().cloned().collect();
    let primitives = cipher.primitives(&wanted)?;
    let Some(&primitive) = primitives.first() else {
        return Err(Failure::general(format!("`{path}` has no primitive")));
    };
    let loaded = mode::bound(&cipher, primitive, mode, output)?;
    let identifier = identifier(&format!("{}_{name}", primitive.name));
    let name = format!("{name} over {}", primitive.name);
    let findings = check(&loaded.program, false);
    if findings.iter().any(Diagnostic::is_error) {
        output.diagnostics(&findings, &loaded.sources);
        return Err(Failure::Said);
    }
    of_node((name, identifier), loaded, mode.node, Some(CIPHER), output)
}

/// A node of a program; the last definition if none is named.
///
/// # Errors
/// A text is wrong, which has then been said.
pub fn of_program(
    path: &str,
    entry: Option<&str>,
    search: &Search,
    output: &Output,
) -> Result<Named, Failure> {
    let loaded = front_end::read(path, search, output)?;
    front_end::check(&loaded, search, output)?;
    let last = loaded.program.definitions.last().map(|definition| definition.name.text.clone());
    let node = entry.map(str::to_owned).or(last).unwrap_or_default();
    let cipher = loaded.program.ciphers.last().map(|cipher| cipher.name.text.clone());
    of_node((node.clone(), identifier(&node)), loaded, &node, cipher.as_deref(), output)
}

fn of_node(
    (name, identifier): (String, String),
    loaded: Loaded,
    node: &str,
    cipher: Option<&str>,
    output: &Output,
) -> Result<Named, Failure> {
    let mut message = elaborate::elaborate(&loaded.program, node, cipher).map_err(|error| {
        output.diagnostics(&[*error], &loaded.sources);
        Failure::Said
    })?;
    let written = print::print(&message);
    passes::run(&mut message)
        .map_err(|stuck| Failure::general(format!("{name}: no loops from strings to strings: {stuck}")))?;
    let (node, cipher) = (node.to_owned(), cipher.map(str::to_owned));
    Ok(Named { name, identifier, loaded, node, cipher, written, message })
}

/// Small letters, digits and `_`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}
