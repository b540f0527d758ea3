//! Compiling and running what was made: the one module of this crate that touches files and processes.
//!
//! It is for tests and for the command line. Every build has a temporary directory of its own, removed with the value.

use crate::OutputFile;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use thiserror::Error;
use usuba_target::{Target, Toolchain};

/// The two families of C compilers that the generated code is tested with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// The GNU compiler.
    Gcc,
    /// The compiler of LLVM.
    Clang,
}

/// A compiler for a target, found on this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiler {
    /// The command.
    pub command: String,
    /// The flags that make it compile for the target.
    pub flags: Vec<String>,
    /// What runs its programs; empty to run them directly.
    pub runner: Vec<String>,
}

/// Why something could not be compiled or run.
#[derive(Debug, Error)]
pub enum RunError {
    /// No such command.
    #[error("`{command}` is not installed; install it, or choose another compiler or target")]
    Missing {
        /// The command.
        command: String,
    },
    /// The machine cannot run code for the target.
    #[error("this machine cannot run code for `{target}`: its CPU lacks {}", .features.join(", "))]
    Features {
        /// The target.
        target: String,
        /// What the CPU lacks.
        features: Vec<String>,
    },
    /// The target has no way to be compiled for.
    #[error("nothing is known about compiling for `{target}`")]
    Toolchain {
        /// The target.
        target: String,
    },
    /// The compiler found something to say; warnings are errors.
    #[error("`{command}` failed:\n{output}")]
    Compile {
        /// The command with its arguments.
        command: String,
        /// What it printed.
        output: String,
    },
    /// The program ended abnormally.
    #[error("the compiled program failed ({status}){}", if .output.is_empty() { String::new() } else { format!(":\n{}", .output) })]
    Program {
        /// How it ended.
        status: String,
        /// What it printed on standard error.
        output: String,
    },
    /// The operating system refused something.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What it said.
        error: std::io::Error,
    },
}

fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> RunError {
    let what = what.into();
    move |error| RunError::System { what, error }
}

/// The path of a command, or nothing if there is none.
fn installed(command: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(command)).find(|path| path.is_file())
}

impl Compiler {
    /// The compiler of `family` for `target`, whose first toolchain is used.
    ///
    /// # Errors
    /// It is not installed, or its programs cannot run here.
    pub fn find(target: &Target, family: Family) -> Result<Compiler, RunError> {
        let Some(toolchain) = target.toolchains.first() else {
            return Err(RunError::Toolchain { target: target.name.into() });
        };
        let compiler = Compiler::of(toolchain, family)?;
        if compiler.runner.is_empty() {
            let features = lacking(target)?;
            if !features.is_empty() {
                return Err(RunError::Features { target: target.name.into(), features });
            }
        }
        Ok(compiler)
    }

    /// The compiler of `family` of a toolchain.
    ///
    /// # Errors
    /// It or its emulator is not installed.
    pub fn of(toolchain: &Toolchain, family: Family) -> Result<Compiler, RunError> {
        let (command, flags) = match family {
            Family::Gcc => (toolchain.gcc, toolchain.gcc_flags),
            Family::Clang => (toolchain.clang, toolchain.clang_flags),
        };
        let command = with_version(command)?;
        let runner: Vec<String> = toolchain.runner.iter().map(|word| word.to_string()).collect();
        let compiler =
            Compiler { command, flags: flags.iter().map(|flag| flag.to_string()).collect(), runner };
        compiler.available()?;
        Ok(compiler)
    }

    /// The compiler of `family` for this machine, with no flags.
    ///
    /// # Errors
    /// It is not installed.
    pub fn native(family: Family) -> Result<Compiler, RunError> {
        let command = match family {
            Family::Gcc => "gcc",
            Family::Clang => "clang",
        };
        Ok(Compiler { command: with_version(command)?, flags: Vec::new(), runner: Vec::new() })
    }

    /// Whether the command and the emulator are installed.
    ///
    /// # Errors
    /// The one that is not.
    pub fn available(&self) -> Result<(), RunError> {
        match std::iter::once(&self.command).chain(self.runner.first()).find(|c| installed(c).is_none()) {
            Some(command) => Err(RunError::Missing { command: command.clone() }),
            None => Ok(()),
        }
    }

    /// Writes `files` to a temporary directory and compiles all that end in `.c` or `.S` to one program.
    ///
    /// `flags` come after those of the target. Warnings are errors.
    ///
    /// # Errors
    /// The compiler said something, or the system refused something.
    pub fn compile(&self, files: &[OutputFile], flags: &[&str]) -> Result<Program, RunError> {
        self.compile_with(files, &[], flags)
    }

    /// The same with files that others include, which are not compiled by themselves.
    ///
    /// # Errors
    /// As for [`Compiler::compile`].
    pub fn compile_with(
        &self,
        files: &[OutputFile],
        included: &[OutputFile],
        flags: &[&str],
    ) -> Result<Program, RunError> {
        let directory = TempDir::new().map_err(system("making a temporary directory"))?;
        for file in files.iter().chain(included) {
            let path = directory.path().join(&file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(system(format!("making {}", folder.display())))?;
            }
            fs::write(&path, &file.contents).map_err(system(format!("writing {}", path.display())))?;
        }
        let program = directory.path().join("program");
        let mut command = Command::new(&self.command);
        command.current_dir(directory.path());
        command
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I."])
            .args(&self.flags)
            .args(flags);
        if !self.runner.is_empty() {
            command.arg("-static");
        }
        command.args(
            files.iter().map(|file| &file.path).filter(|path| path.ends_with(".c") || path.ends_with(".S")),
        );
        command.arg("-o").arg(&program).stdin(Stdio::null());
        let output = command.output().map_err(system(format!("running {}", self.command)))?;
        if !output.status.success() {
            return Err(RunError::Compile {
                command: words(&command),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        Ok(Program { directory, program, runner: self.runner.clone() })
    }
}

/// The command itself, or the newest one with a version after it.
fn with_version(command: &str) -> Result<String, RunError> {
    std::iter::once(command.to_string())
        .chain((11..=30).rev().map(|version| format!("{command}-{version}")))
        .find(|command| installed(command).is_some())
        .ok_or_else(|| RunError::Missing { command: command.into() })
}

fn words(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect();
    words.join(" ")
}

/// The features of `target` that the CPU of this machine does not have.
fn lacking(target: &Target) -> Result<Vec<String>, RunError> {
    if target.requires.is_empty() {
        return Ok(Vec::new());
    }
    let path = "/proc/cpuinfo";
    let text = fs::read_to_string(path).map_err(system(format!("reading {path}")))?;
    let flags: Vec<&str> = text
        .lines()
        .find(|line| line.starts_with("flags") || line.starts_with("Features"))
        .map(|line| line.split_whitespace().collect())
        .unwrap_or_default();
    let names = target.requires.iter().map(|feature| feature.cpuinfo());
    Ok(names.filter(|name| !flags.contains(name)).map(str::to_string).collect())
}

/// A compiled program.
#[derive(Debug)]
pub struct Program {
    directory: TempDir,
    program: PathBuf,
    runner: Vec<String>,
}

impl Program {
    /// Where it and its sources are, as long as the value lives.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Runs it, directly or under the emulator, with `input` on standard input, and returns its standard output.
    ///
    /// # Errors
    /// It did not end with status 0.
    pub fn run(&self, input: &[u8]) -> Result<Vec<u8>, RunError> {
        // A file rather than a pipe: whoever writes to a pipe must not be the one who reads the answers.
        let path = self.directory.path().join("input");
        fs::write(&path, input).map_err(system("writing the input"))?;
        let input = fs::File::open(&path).map_err(system("opening the input"))?;
        let mut command = match self.runner.split_first() {
            Some((emulator, arguments)) => {
                let mut command = Command::new(emulator);
                command.args(arguments).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        let output = command
            .current_dir(self.directory.path())
            .stdin(input)
            .output()
            .map_err(system(format!("running {}", words(&command))))?;
        if !output.status.success() {
            return Err(RunError::Program {
                status: output.status.to_string(),
                output: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        Ok(output.stdout)
    }
}
