//! The files of a construction in a library.
//!
//! A construction is made of an Usuba text with a node for a whole message ([`mod@made`]). C by hand that computes the same may
//! stand in place of its code; its names begin with `usuba_` and `USUBA_`. In a library it has the prefix of the library:
//! `usuba_poly1305_digested` becomes `<prefix>poly1305_digested`, and so do the files that it includes. What comes from the
//! runtime (`usuba_buffers.h`, `usuba_wipe`, `USUBA_OK`, …) is the same in every library.

mod made;
mod twice;

use crate::OutputFile;
use crate::manifest::{Construction, Fast, Primitive};
use std::fmt;

/// Why there are no files of a construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FilesError<E> {
    /// A file cannot be read.
    Read(E),
    /// Its text does not fit the manifest, or has no code.
    Made {
        /// The construction.
        construction: String,
        /// Why.
        reason: String,
    },
}

impl<E: fmt::Display> fmt::Display for FilesError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilesError::Read(error) => error.fmt(f),
            FilesError::Made { construction, reason } => {
                write!(f, "the construction `{construction}`: {reason}")
            }
        }
    }
}

/// The files of constructions: for each the source and the header, and once whatever they include. Compile every `.c`;
/// beside them must be the files of the primitives that they are over, with the same prefix, and those of
/// [`crate::runtime`].
///
/// `read` gives the text at a path relative to the manifest, whose primitives these are.
///
/// # Errors
/// Those of `read`; a text that does not fit the manifest, or has no code.
pub fn files<E>(
    constructions: &[Construction],
    primitives: &[Primitive],
    prefix: &str,
    mut read: impl FnMut(&str) -> Result<String, E>,
) -> Result<Vec<OutputFile>, FilesError<E>> {
    let mut files: Vec<OutputFile> = Vec::new();
    for construction in constructions {
        let text = &construction.text;
        let fast = match &text.fast {
            Some(fast) => {
                Some(fast_form(construction, fast, prefix, &mut read, &mut files).map_err(FilesError::Read)?)
            }
            None => None,
        };
        files.extend(made::files(construction, text, fast, primitives, prefix, &mut read)?);
    }
    Ok(files)
}

/// The C by hand that is used in place of what a text becomes. What it includes goes to `files`.
fn fast_form<E>(
    construction: &Construction,
    fast: &Fast,
    prefix: &str,
    read: &mut dyn FnMut(&str) -> Result<String, E>,
    files: &mut Vec<OutputFile>,
) -> Result<String, E> {
    let stems = stems(construction, &fast.includes);
    for path in &fast.includes {
        let path_here = format!("{prefix}{}", base_name(path));
        if files.iter().all(|file| file.path != path_here) {
            files.push(OutputFile { path: path_here, contents: renamed(&read(path)?, &stems, prefix) });
        }
    }
    Ok(renamed(&read(&fast.source)?, &stems, prefix))
}

/// What names begin with that take the prefix of the library: the construction, what it is over, what it includes.
fn stems(construction: &Construction, includes: &[String]) -> Vec<String> {
    let over = construction.over.iter().map(|name| name.replace('-', "_"));
    let included = includes.iter().map(|path| {
        let name = base_name(path);
        name.split('.').next().unwrap_or(name).to_owned()
    });
    std::iter::once(construction.identifier()).chain(over).chain(included).collect()
}

/// The last part of a path.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The text with another prefix before `stems`, in both cases.
fn renamed(text: &str, stems: &[String], prefix: &str) -> String {
    if prefix == "usuba_" {
        return text.to_owned();
    }
    let (mut result, mut rest) = (String::with_capacity(text.len()), text);
    let upper: Vec<String> = stems.iter().map(|stem| stem.to_uppercase()).collect();
    while let Some(at) = rest.find("usuba_").into_iter().chain(rest.find("USUBA_")).min() {
        let (before, name) = rest.split_at(at);
        let (found, after) = name.split_at("usuba_".len());
        result += before;
        // Part of a longer name, such as `my_usuba_x`, is left as it is.
        let begins = !result.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if begins && found == "usuba_" && stems.iter().any(|stem| after.starts_with(stem.as_str())) {
            result += prefix;
        } else if begins && found == "USUBA_" && upper.iter().any(|stem| after.starts_with(stem.as_str())) {
            result += &prefix.to_uppercase();
        } else {
            result += found;
        }
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests;
