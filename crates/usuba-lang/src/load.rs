//! A program from its main file and what that includes: [`load`].
//!
//! The definitions of an included file take the place of the `include`. Each file is included once, whatever names
//! lead to it, and a file that includes itself, by whatever detour, is an error.

mod messages;

use crate::ast::{Item, Program};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources, Span};
use crate::syntax;
use std::collections::BTreeSet;
use std::path::Path;

/// How files are read; the crate itself reads none.
pub trait Loader {
    /// The bytes of the file at `path`, or why it cannot be read, in a few words.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// One name for all paths that lead to the same file; `None` if there is no file at `path`.
    fn canonical(&self, path: &str) -> Option<String>;
}

/// One text, whatever its name: a program that includes nothing.
pub struct Text<'a>(pub &'a str);

impl Loader for Text<'_> {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedFile {
    /// Its text.
    pub source: SourceId,
    /// The path under which it was found.
    pub path: String,
    /// The loader's one name for it; the path itself if it has none.
    pub canonical: String,
}

/// The outcome of [`load`].
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All texts that were read.
    pub sources: Sources,
    /// The definitions, those of included files in place.
    pub program: Program,
    /// The files in the order of reading, the main file first.
    pub files: Vec<LoadedFile>,
    /// What is wrong with the files and their includes, file by file.
    pub diagnostics: Vec<Diagnostic>,
}

/// The largest text whose places fit [`Span`].
const LARGEST: usize = (u32::MAX / 2) as usize;

/// Reads the file at path `main` and, transitively, what it includes.
///
/// The path of an `include` is tried relative to the folder of the including file, then relative to each of
/// `include_dirs` in order, then as it stands (relative to the working directory of the loader). A file that is
/// missing, cannot be read or is not UTF-8 is a diagnostic at the `include`, or a general one for the main file.
/// Never fails otherwise: what could be read is in the program.
pub fn load(main: &str, include_dirs: &[String], loader: &dyn Loader) -> Loaded {
    let mut loading = Loading {
        loader,
        include_dirs,
        loaded: Loaded {
            sources: Sources::default(),
            program: Program::default(),
            files: Vec::new(),
            diagnostics: Vec::new(),
        },
        seen: BTreeSet::new(),
    };
    loading.run(main);
    loading.loaded
}

/// A file whose items are being spliced.
struct Frame {
    /// The folder of the file, which may be empty.
    folder: String,
    canonical: String,
    path: String,
    /// Where the file was included.
    included: Option<Span>,
    items: std::vec::IntoIter<Item>,
}

struct Loading<'l> {
    loader: &'l dyn Loader,
    include_dirs: &'l [String],
    loaded: Loaded,
    seen: BTreeSet<String>,
}

impl Loading<'_> {
    fn run(&mut self, main: &str) {
        let canonical = self.loader.canonical(main).unwrap_or_else(|| main.to_string());
        // Not a recursion: a chain of includes may be longer than the stack is deep.
        let mut frames: Vec<Frame> = self.open(main, canonical, None).into_iter().collect();
        while let Some(frame) = frames.last_mut() {
            match frame.items.next() {
                None => {
                    frames.pop();
                }
                Some(Item::Include { path, span }) => {
                    let folder = frame.folder.clone();
                    let opened = self.include(&path, span, &folder, &frames);
                    frames.extend(opened);
                }
                Some(item) => self.loaded.program.add(item),
            }
        }
    }

    fn include(&mut self, path: &str, span: Span, folder: &str, frames: &[Frame]) -> Option<Frame> {
        let mut candidates: Vec<String> = Vec::new();
        let folders = std::iter::once(folder).chain(self.include_dirs.iter().map(String::as_str));
        for candidate in folders.map(|folder| join(folder, path)).chain([path.to_string()]) {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        let found = candidates.iter().find_map(|c| self.loader.canonical(c).map(|canonical| (c, canonical)));
        let Some((candidate, canonical)) = found else {
            self.loaded.diagnostics.push(messages::not_found(span, path, &candidates));
            return None;
        };
        if !self.seen.contains(&canonical) {
            return self.open(candidate, canonical, Some(span));
        }
        if let Some(first) = frames.iter().position(|frame| frame.canonical == canonical) {
            let cycle = frames.get(first..).unwrap_or(&[]);
            let chain: Vec<&str> = cycle.iter().map(|frame| frame.path.as_str()).collect();
            let includes: Vec<Span> = cycle.iter().skip(1).filter_map(|frame| frame.included).collect();
            self.loaded.diagnostics.push(messages::cycle(span, path, &chain, &includes));
        }
        None
    }

    fn open(&mut self, path: &str, canonical: String, included: Option<Span>) -> Option<Frame> {
        self.seen.insert(canonical.clone());
        let text = match self.loader.read(path) {
            Err(reason) => Err(messages::unreadable(included, path, &reason)),
            Ok(bytes) if bytes.len() > LARGEST => Err(messages::too_large(included, path, LARGEST)),
            Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
                let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or(&[]);
                let line = valid.iter().filter(|&&b| b == b'\n').count() + 1;
                messages::not_utf8(included, path, valid.len(), line)
            }),
        };
        let text = match text {
            Ok(text) => text,
            Err(diagnostic) => {
                self.loaded.diagnostics.push(diagnostic);
                return None;
            }
        };
        let source = self.loaded.sources.add(path, text);
        let (file, diagnostics) = syntax::parse(source, &self.loaded.sources.get(source).text);
        self.loaded.diagnostics.extend(diagnostics);
        self.loaded.files.push(LoadedFile { source, path: path.to_string(), canonical: canonical.clone() });
        let folder =
            Path::new(path).parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        Some(Frame { folder, canonical, path: path.to_string(), included, items: file.items.into_iter() })
    }
}

/// `path` within `folder`; an absolute path stands for itself, and an empty folder adds nothing.
fn join(folder: &str, path: &str) -> String {
    Path::new(folder).join(path).to_string_lossy().into_owned()
}
