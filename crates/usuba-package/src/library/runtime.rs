//! The headers of the runtime that a library takes.

use super::amalgamate::included_name;
use super::{Options, front};
use crate::OutputFile;
use std::collections::BTreeSet;

/// Those headers of the runtime that `files` include, and those that these include in turn.
pub fn needed(files: &[OutputFile], options: &Options) -> impl Iterator<Item = OutputFile> + use<> {
    let all: Vec<OutputFile> = whole(options).collect();
    let mut needed: BTreeSet<String> = BTreeSet::new();
    let mut unread: Vec<&OutputFile> = files.iter().collect();
    while let Some(reader) = unread.pop() {
        let names = reader.contents.lines().filter_map(included_name);
        let found = names.filter_map(|name| all.iter().find(|file| file.path == name));
        unread.extend(found.filter(|file| needed.insert(file.path.clone())));
    }
    all.into_iter().filter(move |file| needed.contains(&file.path))
}

/// All headers of the runtime of a library.
fn whole(options: &Options) -> impl Iterator<Item = OutputFile> {
    let own = |file: OutputFile| OutputFile { contents: front::own_level(&file.contents, options), ..file };
    crate::library_runtime().into_iter().map(own)
}
