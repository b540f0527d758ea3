//! `usubac new`: the folder of a cipher to begin with.

use crate::args::New;
use crate::files::write_all;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::json;
use std::path::PathBuf;
use usuba_package::skeleton;

/// Writes the folder, which must not be there, and says what was written.
pub fn run(arguments: &New, output: &Output) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let files = skeleton::files(&name).map_err(Failure::general)?;
    // A link that leads nowhere is there, too.
    if folder.symlink_metadata().is_ok() {
        let reason = "there is something of this name; choose another name, or remove it";
        return Err(Failure::file("cannot make the folder", folder, reason));
    }
    let files: Vec<(PathBuf, String)> =
        files.into_iter().map(|file| (PathBuf::from(file.path), file.contents)).collect();
    let written = write_all(folder, &files)?;
    if output.is_json() {
        let paths: Vec<_> = written.iter().map(|path| path.to_string_lossy()).collect();
        print_json(&json!({ "wrote": paths }));
        return Ok(());
    }
    for path in &written {
        print_line(&format!("wrote {}", path.display()));
    }
    print_line(&format!("usubac test {} runs its known answers", folder.display()));
    Ok(())
}
