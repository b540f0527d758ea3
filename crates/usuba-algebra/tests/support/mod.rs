//! Programs for tests.
#![allow(dead_code, reason = "each test uses some of it")]

use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::load::{Loader, Text, load};
use usuba_lang::typed::{Atoms, Program};

/// The files of the repository, by their path from its root; one may have been changed.
pub struct Repository<'a> {
    /// A path and its text.
    pub changed: Option<(&'a str, String)>,
}

impl Loader for Repository<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match &self.changed {
            Some((file, text)) if *file == path => Ok(text.clone().into_bytes()),
            _ => Ok(read(path).into_bytes()),
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

/// A file of the repository.
pub fn read(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn typed(loaded: &usuba_lang::load::Loaded, entry: &str, options: Options) -> Program {
    assert!(!loaded.diagnostics.iter().any(|finding| finding.is_error()), "{:?}", loaded.diagnostics);
    let options =
        Options { entry: Some(entry.into()), bitslice_arithmetic: true, keep_tables: true, ..options };
    let (program, findings) = elaborate(&loaded.program, &options);
    program.unwrap_or_else(|| panic!("{entry}: {findings:?}"))
}

/// A node of a file of the repository.
pub fn node(path: &str, entry: &str, atoms: Atoms) -> Program {
    node_with(path, entry, Options { atoms, ..Options::new() })
}

/// A node of a file of the repository, elaborated with options.
pub fn node_with(path: &str, entry: &str, options: Options) -> Program {
    typed(&load(path, &[], &Repository { changed: None }), entry, options)
}

/// A node of a file in which something is written otherwise.
pub fn changed(path: &str, entry: &str, from: &str, to: &str) -> Program {
    let text = read(path);
    assert!(text.contains(from), "{path} has no {from}");
    let repository = Repository { changed: Some((path, text.replacen(from, to, 1))) };
    typed(&load(path, &[], &repository), entry, Options { atoms: Atoms::Bits, ..Options::new() })
}

/// A node of a text, in bits.
pub fn node_of(text: &str, entry: &str) -> Program {
    typed(&load("test.ua", &[], &Text(text)), entry, Options { atoms: Atoms::Bits, ..Options::new() })
}
