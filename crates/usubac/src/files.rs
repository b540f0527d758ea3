//! Reading and writing files.

use crate::output::{Failure, plain};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use usuba_lang::load::Loader;

/// The file system, for the loader of programs.
pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(Path::new(path))
    }

    fn canonical(&self, path: &str) -> Option<String> {
        let path = fs::canonicalize(path).ok()?;
        path.is_file().then(|| path.to_string_lossy().into_owned())
    }
}

/// The bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return Err("it is a folder".into());
    }
    fs::read(path).map_err(|error| plain(&error))
}

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read(path).map_err(|reason| Failure::file("cannot read", path, &reason))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::file("cannot read", path, &format!("it is not UTF-8 (byte {at})"))
    })
}

/// Standard input as text.
pub fn read_standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure::general(format!("cannot read standard input: {}", plain(&error))))?;
    Ok(text)
}

/// Writes generated files as [`write_all`] does, each with the mark of generated files in its head.
///
/// # Errors
/// Unless `force`, a file in the place of one of them that lacks the mark and has other contents: somebody wrote it.
pub fn write_generated(
    folder: &Path,
    files: Vec<(PathBuf, String)>,
    force: bool,
) -> Result<Vec<PathBuf>, Failure> {
    let files: Vec<(PathBuf, String)> =
        files.into_iter().map(|(path, contents)| (path, usuba_package::marked(contents))).collect();
    let foreign =
        files.iter().map(|(path, contents)| (folder.join(path), contents)).find(|(place, contents)| {
            fs::read(place).map_or_else(
                // A folder is what `write_all` speaks of; what cannot be read is not known to be ours.
                |_| place.exists() && !place.is_dir(),
                |found| found != contents.as_bytes() && !usuba_package::is_marked(&found),
            )
        });
    match foreign {
        Some((place, _)) if !force => Err(Failure::file(
            "cannot write",
            &place,
            "there is a file that usubac has not generated; name another folder with `-o`, or overwrite it with `--force`",
        )),
        _ => write_all(folder, &files),
    }
}

/// The files of an earlier library in a folder that a new one with the files `written` does not have: those that the earlier
/// one lists and that still have the mark of generated files.
pub fn left_over(folder: &Path, written: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let text = |path: &str| fs::read_to_string(folder.join(path)).ok();
    let listed = usuba_package::library::earlier_files(text);
    let is_new = |path: &String| !written.iter().any(|(other, _)| other == Path::new(path));
    let is_ours = |path: &PathBuf| fs::read(path).is_ok_and(|found| usuba_package::is_marked(&found));
    listed.into_iter().filter(is_new).map(|path| folder.join(path)).filter(is_ours).collect()
}

/// Removes files.
pub fn remove(files: &[PathBuf]) -> Result<(), Failure> {
    files.iter().try_for_each(|path| {
        fs::remove_file(path).map_err(|error| Failure::file("cannot remove", path, &plain(&error)))
    })
}

/// Writes files so that either all of them are there or none is new: each is written beside its place under a temporary
/// name, and when all are complete they are moved there.
pub fn write_all(folder: &Path, files: &[(PathBuf, impl AsRef<[u8]>)]) -> Result<Vec<PathBuf>, Failure> {
    let mut made = Vec::new();
    let outcome = write_in(folder, files, &mut made);
    if outcome.is_err() {
        for folder in made.iter().rev() {
            // Best effort: a folder that is not empty was not ours alone.
            let _ = fs::remove_dir(folder);
        }
    }
    outcome
}

/// Makes a folder and its parents; adds those that are new to `made`, outermost first.
fn make_folder(folder: &Path, made: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    made.append(&mut missing);
    fs::create_dir_all(folder)
        .map_err(|error| Failure::file("cannot make the folder", folder, &plain(&error)))
}

fn write_in(
    folder: &Path,
    files: &[(PathBuf, impl AsRef<[u8]>)],
    made: &mut Vec<PathBuf>,
) -> Result<Vec<PathBuf>, Failure> {
    make_folder(folder, made)?;
    let mut pending = Vec::new();
    for (path, contents) in files {
        let place = folder.join(path);
        if place.is_dir() {
            return Err(Failure::file("cannot write", &place, "it is a folder"));
        }
        let parent = place.parent().unwrap_or(folder);
        make_folder(parent, made)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)
            .map_err(|error| Failure::file("cannot write in", parent, &plain(&error)))?;
        file.write_all(contents.as_ref())
            .and_then(|()| file.flush())
            .map_err(|error| Failure::file("cannot write", &place, &plain(&error)))?;
        pending.push((file, place));
    }
    let mut written = Vec::new();
    for (file, place) in pending {
        set_readable(file.path());
        file.persist(&place).map_err(|error| Failure::file("cannot write", &place, &plain(&error.error)))?;
        written.push(place);
    }
    Ok(written)
}

/// Temporary files are private; results are as readable as any new file.
fn set_readable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Best effort: a private result is still a result.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The last part of a path: output must not depend on where the user stands.
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}
