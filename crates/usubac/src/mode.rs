//! Modes of operation by name, over the block ciphers of a folder.

use crate::cipher::Cipher;
use crate::files::Disk;
use crate::output::{Failure, Output};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::load::Loaded;
use usuba_package::manifest::Primitive;
use usuba_package::message::{self, MODES, Mode};

/// The mode of a name.
///
/// # Errors
/// There is none; all are named.
pub fn named(name: &str) -> Result<Mode, Failure> {
    message::named(name).ok_or_else(|| {
        let known: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
        Failure::general(format!("there is no mode `{name}`; the modes are {}", known.join(", ")))
    })
}

/// The program of a mode over a primitive.
///
/// # Errors
/// They do not fit, or a text is wrong, which has then been said.
pub fn bound(cipher: &Cipher, primitive: &Primitive, mode: Mode, output: &Output) -> Result<Loaded, Failure> {
    let source = cipher.folder.join(&cipher.manifest.source);
    let source = source.to_string_lossy();
    let loaded = message::bind(primitive, &source, &cipher.loaded, mode, &Disk).map_err(|reason| {
        Failure::general(format!("`{}` does not fit `{}`: {reason}", mode.name, primitive.name))
    })?;
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        output.diagnostics(&loaded.diagnostics, &loaded.sources);
        return Err(Failure::Said);
    }
    Ok(loaded)
}
