//! A folder with a manifest.

use crate::args::Search;
use crate::files;
use crate::front_end;
use crate::output::{Failure, Output};
use std::path::{Path, PathBuf};
use usuba_lang::load::Loaded;
use usuba_package::construction::FilesError;
use usuba_package::engine::BuildError;
use usuba_package::library::measured::{self, Measured};
use usuba_package::manifest::{self, Construction, Manifest, Primitive};
use usuba_package::place::{self, Subject};
use usuba_trial::tuned::{self, Tuned};

/// A cipher: its manifest and its program.
pub struct Cipher {
    /// The folder.
    pub folder: PathBuf,
    /// The manifest.
    pub manifest: Manifest,
    /// The program.
    pub loaded: Loaded,
    /// The text of the manifest, in which the places of errors are looked up.
    text: String,
}

impl Cipher {
    /// Whether a path is a cipher folder rather than a program.
    pub fn is_at(path: &str) -> bool {
        Path::new(path).is_dir()
    }

    /// Reads the manifest and the program of a folder.
    pub fn read(path: &str, search: &Search, output: &Output) -> Result<Cipher, Failure> {
        let folder = PathBuf::from(path);
        let file = folder.join("usuba.toml");
        if !folder.is_dir() || !file.exists() {
            return Err(Failure::general(format!(
                "`{path}` has no manifest: there is no `{}`",
                file.display()
            )));
        }
        let text = files::read_text(&file)?;
        let manifest = manifest::parse(&file.to_string_lossy(), &text)
            .map_err(|error| Failure::general(error.to_string()))?;
        let source = folder.join(&manifest.source);
        if let Err(reason) = files::read(&source) {
            return Err(cannot_read(&file, &text, &manifest.source, &source, &reason));
        }
        let loaded = front_end::read(&source.to_string_lossy(), search, output)?;
        let cipher = Cipher { folder, manifest, loaded, text };
        cipher.check_nodes()?;
        front_end::check(&cipher.loaded, search, output)?;
        Ok(cipher)
    }

    /// The manifest.
    pub fn file(&self) -> PathBuf {
        self.folder.join("usuba.toml")
    }

    /// The text of the manifest.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The source has every node that the manifest names.
    fn check_nodes(&self) -> Result<(), Failure> {
        let known: Vec<&str> =
            self.loaded.program.definitions.iter().map(|definition| definition.name.text.as_str()).collect();
        for primitive in &self.manifest.primitives {
            for node in primitive.nodes() {
                // `S<2>` is an element of the array `S`.
                let name = node.split('<').next().unwrap_or(node);
                if !known.contains(&name) {
                    let message = format!(
                        "`{}` has no node `{name}`; it has {}",
                        self.manifest.source,
                        known.join(", ")
                    );
                    let subject = Subject::Value(node);
                    return Err(wrong(&self.file(), &self.text, Some(&primitive.name), subject, message));
                }
            }
        }
        Ok(())
    }

    /// The text of a file that the manifest names by a path relative to it.
    pub fn read_named(&self, path: &str) -> Result<String, Failure> {
        let place = self.folder.join(path);
        match files::read(&place) {
            Ok(_) => files::read_text(&place),
            Err(reason) => Err(cannot_read(&self.file(), &self.text, path, &place, &reason)),
        }
    }

    /// Why there are no files of a construction, with the place in the manifest that it is about.
    pub fn explain_files(&self, error: FilesError<Failure>) -> Failure {
        match error {
            FilesError::Read(failure) => failure,
            FilesError::Made { construction, reason } => {
                let message = format!("the construction `{construction}`: {reason}");
                let (file, subject) = (self.file(), Subject::Value(&construction));
                let error = place::error_at(&file.to_string_lossy(), &self.text, None, subject, message);
                Failure::general(error.to_string())
            }
        }
    }

    /// Why a primitive cannot be built, with the place in the manifest that it is about.
    pub fn explain(&self, error: &BuildError) -> Failure {
        let file = self.file();
        let error = place::build_error(&file.to_string_lossy(), &self.text, &self.manifest, error);
        Failure::general(error.to_string())
    }

    /// The choices that measurements have made for this program; none if there is no file of them, or it is to be ignored.
    /// Those for another text of the program are left out with a warning.
    pub fn tuned(&self, ignore: bool, output: &Output) -> Result<Tuned, Failure> {
        let mut tuned = self.all_tuned(ignore)?;
        tuned.choices.retain(|choice| match choice.check_source(&self.loaded.sources) {
            Ok(()) => true,
            Err(warning) => {
                output.warning(&warning);
                false
            }
        });
        Ok(tuned)
    }

    /// The same with those for another text of the program.
    pub fn all_tuned(&self, ignore: bool) -> Result<Tuned, Failure> {
        let file = self.folder.join(tuned::FILE);
        if ignore || !file.exists() {
            return Ok(Tuned::default());
        }
        let name = file.to_string_lossy();
        let tuned = tuned::parse(&name, &files::read_text(&file)?)
            .map_err(|error| Failure::general(error.to_string()))?;
        for choice in &tuned.choices {
            self.primitives(std::slice::from_ref(&choice.primitive)).map_err(|failure| match failure {
                Failure::General(message) => Failure::General(format!("{name}: {message}")),
                Failure::Said | Failure::Unknown(_) | Failure::Undecided => failure,
            })?;
        }
        Ok(tuned)
    }

    /// What engines of this cipher took where they were measured; nothing if there is no file of it.
    pub fn measured(&self) -> Result<Measured, Failure> {
        let file = self.folder.join(measured::FILE);
        if !file.exists() {
            return Ok(Measured::default());
        }
        let name = file.to_string_lossy();
        let known = measured::parse(&name, &files::read_text(&file)?)
            .map_err(|error| Failure::general(error.to_string()))?;
        for primitive in known.cores.values().flat_map(|table| table.batches.keys()) {
            self.primitives(std::slice::from_ref(primitive)).map_err(|failure| match failure {
                Failure::General(message) => Failure::General(format!("{name}: {message}")),
                Failure::Said | Failure::Unknown(_) | Failure::Undecided => failure,
            })?;
        }
        Ok(known)
    }

    /// The primitives and constructions with these names, all of them if there is none.
    pub fn parts(&self, names: &[String]) -> Result<(Vec<&Primitive>, Vec<&Construction>), Failure> {
        let constructions = &self.manifest.constructions;
        let (of_constructions, names): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| constructions.iter().any(|one| one.name == **name));
        if names.is_empty() && of_constructions.is_empty() {
            return Ok((self.manifest.primitives.iter().collect(), constructions.iter().collect()));
        }
        let asked = |one: &&Construction| of_constructions.contains(&&one.name);
        let primitives = match names.is_empty() {
            true => Vec::new(),
            false => self.primitives(&names.into_iter().cloned().collect::<Vec<_>>())?,
        };
        Ok((primitives, constructions.iter().filter(asked).collect()))
    }

    /// The primitives with these names, all of them if there is none.
    pub fn primitives(&self, names: &[String]) -> Result<Vec<&Primitive>, Failure> {
        if names.is_empty() {
            return Ok(self.manifest.primitives.iter().collect());
        }
        names
            .iter()
            .map(|name| {
                self.manifest.primitives.iter().find(|primitive| primitive.name == *name).ok_or_else(|| {
                    let known: Vec<&str> =
                        self.manifest.primitives.iter().map(|one| one.name.as_str()).collect();
                    Failure::general(format!(
                        "the manifest has no primitive `{name}`; it has {}",
                        known.join(", ")
                    ))
                })
            })
            .collect()
    }
}

/// A message about something in a manifest.
fn wrong(
    file: &Path,
    text: &str,
    primitive: Option<&str>,
    subject: Subject,
    message: impl Into<String>,
) -> Failure {
    let error = place::error_at(&file.to_string_lossy(), text, primitive, subject, message);
    Failure::general(error.to_string())
}

/// A file that a manifest names, and that is not there.
fn cannot_read(manifest: &Path, text: &str, named: &str, place: &Path, reason: &str) -> Failure {
    let message = format!("cannot read `{}`: {reason}", place.display());
    wrong(manifest, text, None, Subject::Value(named), message)
}
