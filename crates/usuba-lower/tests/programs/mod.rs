//! Programs that tests read from files.

use std::path::{Path, PathBuf};

/// The programs in a folder of `tests/`, by name.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ua"));
    files.sort();
    assert!(!files.is_empty());
    files
}
