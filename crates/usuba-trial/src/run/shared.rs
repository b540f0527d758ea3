//! Objects that several programs share.

use super::{Compiler, Program, RunError, finished, system, written};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use tempfile::TempDir;
use usuba_package::OutputFile;

/// The directory with an object, or the command that failed and what it printed.
type Outcome = Result<TempDir, (String, String)>;

/// The name of the object in its directory.
const OBJECT: &str = "object.o";

/// Objects made so far, each in a temporary directory; they go with the last clone. A text that the same command has compiled
/// is not compiled again. Threads may share it; who wants an object that another is making waits for it.
#[derive(Clone, Default, Debug)]
pub struct SharedObjects {
    shared: Arc<Shared>,
}

#[derive(Default, Debug)]
struct Shared {
    made: Mutex<BTreeMap<u128, Arc<OnceLock<Outcome>>>>,
}

/// The same, as long as somebody else has them.
#[derive(Clone, Default, Debug)]
pub struct WeakObjects {
    shared: Weak<Shared>,
}

impl WeakObjects {
    /// Of nobody.
    pub const fn new() -> WeakObjects {
        WeakObjects { shared: Weak::new() }
    }

    /// The objects, if they are still there.
    pub fn upgrade(&self) -> Option<SharedObjects> {
        Some(SharedObjects { shared: self.shared.upgrade()? })
    }
}

impl SharedObjects {
    /// None yet.
    pub fn new() -> SharedObjects {
        SharedObjects::default()
    }

    /// The same without keeping them.
    pub fn downgrade(&self) -> WeakObjects {
        WeakObjects { shared: Arc::downgrade(&self.shared) }
    }

    /// As [`Compiler::compile_with`], one object for each of `files` that ends in `.c` or `.S`.
    ///
    /// # Errors
    /// As for [`Compiler::compile`].
    pub fn compile(
        &self,
        compiler: &Compiler,
        files: &[OutputFile],
        included: &[OutputFile],
        flags: &[&str],
    ) -> Result<Program, RunError> {
        let directory = TempDir::new().map_err(system("making a temporary directory"))?;
        let program = directory.path().join("program");
        let mut command = compiler.command(&directory, flags);
        if !compiler.runner.is_empty() {
            command.arg("-static");
        }
        for file in files.iter().filter(|file| file.path.ends_with(".c") || file.path.ends_with(".S")) {
            command.arg(self.object(compiler, file, files, included, flags)?);
        }
        command.arg("-o").arg(&program);
        finished(command, None)?;
        Ok(Program { directory, program, runner: compiler.runner.clone() })
    }

    fn object(
        &self,
        compiler: &Compiler,
        file: &OutputFile,
        files: &[OutputFile],
        included: &[OutputFile],
        flags: &[&str],
    ) -> Result<PathBuf, RunError> {
        let mut needed: Vec<&OutputFile> = vec![file];
        let mut next = 0;
        while let Some(reader) = needed.get(next) {
            for name in includes(&reader.contents) {
                let found = files.iter().chain(included).find(|other| other.path == name);
                if let Some(found) = found.filter(|found| needed.iter().all(|known| known.path != found.path))
                {
                    needed.push(found);
                }
            }
            next += 1;
        }
        let key = fingerprint(compiler, &needed, flags);
        let mut made = self.shared.made.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = made.entry(key).or_default().clone();
        drop(made);
        let outcome = entry.get_or_init(|| match make(compiler, &needed, flags) {
            Ok(directory) => Ok(directory),
            Err(RunError::Compile { command, output }) => Err((command, output)),
            Err(other) => Err((compiler.command.clone(), other.to_string())),
        });
        match outcome {
            Ok(directory) => Ok(directory.path().join(OBJECT)),
            Err((command, output)) => {
                Err(RunError::Compile { command: command.clone(), output: output.clone() })
            }
        }
    }
}

/// Compiles the first file, which reads the others.
fn make(compiler: &Compiler, needed: &[&OutputFile], flags: &[&str]) -> Result<TempDir, RunError> {
    let directory = written(needed.iter().copied())?;
    let mut command = compiler.command(&directory, flags);
    command.arg("-c").args(needed.first().map(|file| &file.path)).args(["-o", OBJECT]);
    finished(command, None)?;
    Ok(directory)
}

/// The names in `#include "..."`.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("#include \"")?.strip_suffix('"'))
}

/// 128 bits of everything that an object depends on, compilers apart.
fn fingerprint(compiler: &Compiler, needed: &[&OutputFile], flags: &[&str]) -> u128 {
    let flags =
        [&compiler.flags[..], &flags.iter().map(|flag| flag.to_string()).collect::<Vec<_>>()].concat();
    [0u8, 1].iter().fold(0, |bits, half| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        (&compiler.command, &flags).hash(&mut hasher);
        for file in needed {
            file.path.hash(&mut hasher);
            file.contents.hash(&mut hasher);
        }
        bits << 64 | u128::from(hasher.finish())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Family;

    fn file(path: &str, contents: &str) -> OutputFile {
        OutputFile { path: path.into(), contents: contents.into() }
    }

    #[test]
    fn an_object_is_made_once_for_each_text_of_all_that_it_includes() {
        let compiler = Compiler::native(Family::Gcc).expect("gcc is there");
        let objects = SharedObjects::new();
        let answers = [("1", "-O0"), ("1", "-O0"), ("2", "-O0"), ("2", "-O1")].map(|(number, level)| {
            let files = [
                file(
                    "main.c",
                    "#include <stdio.h>\n#include \"f.h\"\nint main(void) { printf(\"%d\", f()); }\n",
                ),
                file("f.c", "#include \"f.h\"\nint f(void) { return NUMBER; }\n"),
                file("f.h", "#include \"number.h\"\nint f(void);\n"),
            ];
            let number = [file("number.h", &format!("#define NUMBER {number}\n"))];
            let program = objects.compile(&compiler, &files, &number, &[level]).expect("it compiles");
            let made = objects.shared.made.lock().expect("no thread has panicked").len();
            (program.run(b"").expect("it runs"), made)
        });
        assert_eq!(answers.each_ref().map(|(_, made)| *made), [2, 2, 4, 6]);
        assert_eq!(answers.map(|(text, _)| text), [b"1", b"1", b"2", b"2"].map(|text| text.to_vec()));
    }

    #[test]
    fn what_the_compiler_says_is_said_every_time() {
        let compiler = Compiler::native(Family::Gcc).expect("gcc is there");
        let objects = SharedObjects::new();
        for _ in 0..2 {
            let found =
                objects.compile(&compiler, &[file("wrong.c", "int f(void) { return x; }\n")], &[], &[]);
            assert!(found.expect_err("it is wrong").to_string().contains("undeclared"));
        }
    }
}
