//! Compiling and running what was made: the one module of this crate that touches files and processes.
//!
//! It is for tests and for the command line. Every build has a temporary directory of its own, removed with the value.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thiserror::Error;
use usuba_package::OutputFile;
use usuba_target::{Target, Toolchain};

mod shared;

pub use shared::{SharedObjects, WeakObjects};

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
    /// The compiler took too long and was stopped.
    #[error("`{command}` took more than {seconds} seconds")]
    Slow {
        /// The compiler.
        command: String,
        /// The limit.
        seconds: u64,
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

impl Family {
    /// The name of its command.
    pub fn name(self) -> &'static str {
        match self {
            Family::Gcc => "gcc",
            Family::Clang => "clang",
        }
    }

    /// The family of this name.
    pub fn named(name: &str) -> Option<Family> {
        [Family::Gcc, Family::Clang].into_iter().find(|family| family.name() == name)
    }
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
    /// It or its emulator is not installed, or it is clang for another machine without that machine's C library.
    pub fn of(toolchain: &Toolchain, family: Family) -> Result<Compiler, RunError> {
        let (command, flags) = match family {
            Family::Gcc => (toolchain.gcc, toolchain.gcc_flags),
            Family::Clang => (toolchain.clang, toolchain.clang_flags),
        };
        // One clang compiles for all machines, with the headers and libraries that come with the machine's gcc.
        if toolchain.gcc != Family::Gcc.name() && installed(toolchain.gcc).is_none() {
            return Err(RunError::Missing { command: toolchain.gcc.into() });
        }
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
        Ok(Compiler { command: with_version(family.name())?, flags: Vec::new(), runner: Vec::new() })
    }

    /// The compiler of `family` for `target`, whose programs are run by a command: an emulator, or what takes them to
    /// another machine. The path of the program comes last in it.
    ///
    /// # Errors
    /// Compiler or command are not installed.
    pub fn with_runner(target: &Target, family: Family, runner: &[String]) -> Result<Compiler, RunError> {
        let Some(toolchain) = target.toolchains.first() else {
            return Err(RunError::Toolchain { target: target.name.into() });
        };
        let toolchain = Toolchain { runner: &[], ..*toolchain };
        let compiler = Compiler { runner: runner.to_vec(), ..Compiler::of(&toolchain, family)? };
        compiler.available()?;
        Ok(compiler)
    }

    /// The first line that the command says of its version; empty if it says nothing.
    pub fn version(&self) -> String {
        let output = Command::new(&self.command).arg("--version").stdin(Stdio::null()).output();
        let text =
            output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or_default().trim().to_owned()
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
        let directory = written(files.iter().chain(included))?;
        let program = directory.path().join("program");
        let mut command = self.command(&directory, flags);
        if !self.runner.is_empty() {
            command.arg("-static");
        }
        command.args(sources(files)).arg("-o").arg(&program);
        finished(command, None)?;
        Ok(Program { directory, program, runner: self.runner.clone() })
    }

    /// Compiles all of `files` that end in `.c` or `.S` to object files, within a time if one is given.
    ///
    /// `flags` come after those of the target. Warnings are errors.
    ///
    /// # Errors
    /// As for [`Compiler::compile`], and it takes too long.
    pub fn objects(
        &self,
        files: &[OutputFile],
        flags: &[&str],
        limit: Option<Duration>,
    ) -> Result<Objects, RunError> {
        let directory = written(files.iter())?;
        let mut command = self.command(&directory, flags);
        command.arg("-c").args(sources(files));
        finished(command, limit)?;
        let objects = sources(files)
            .filter_map(|source| Path::new(source).file_name())
            .map(|name| directory.path().join(name).with_extension("o"))
            .collect();
        Ok(Objects { directory, objects })
    }

    /// Compiles `main` and links it with object files.
    ///
    /// # Errors
    /// As for [`Compiler::compile`].
    pub fn link(&self, main: &OutputFile, parts: &[&Objects], flags: &[&str]) -> Result<Program, RunError> {
        let directory = written(std::iter::once(main))?;
        let program = directory.path().join("program");
        let mut command = self.command(&directory, flags);
        if !self.runner.is_empty() {
            command.arg("-static");
        }
        command.arg(&main.path).args(parts.iter().flat_map(|part| &part.objects)).arg("-o").arg(&program);
        finished(command, None)?;
        Ok(Program { directory, program, runner: self.runner.clone() })
    }

    /// The command with the flags of every compilation, to be run in `directory`.
    fn command(&self, directory: &TempDir, flags: &[&str]) -> Command {
        let mut command = Command::new(&self.command);
        command
            .current_dir(directory.path())
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I."])
            .args(&self.flags)
            .args(flags);
        command
    }
}

/// Calls `work` with each number below `count`, on as many threads as the machine has CPUs; lower numbers begin first.
pub fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let turn = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            work(number);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get()).min(count);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(turn);
        }
        turn();
    });
}

/// A new temporary directory with these files.
fn written<'a>(files: impl Iterator<Item = &'a OutputFile>) -> Result<TempDir, RunError> {
    let directory = TempDir::new().map_err(system("making a temporary directory"))?;
    for file in files {
        let path = directory.path().join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(system(format!("making {}", folder.display())))?;
        }
        fs::write(&path, &file.contents).map_err(system(format!("writing {}", path.display())))?;
    }
    Ok(directory)
}

/// The paths of those files that compilers take.
fn sources(files: &[OutputFile]) -> impl Iterator<Item = &str> {
    files.iter().map(|file| file.path.as_str()).filter(|path| path.ends_with(".c") || path.ends_with(".S"))
}

/// Runs a compiler to its end, or until `limit` is over.
fn finished(mut command: Command, limit: Option<Duration>) -> Result<(), RunError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let running = || format!("running {name}");
    // What it says goes through a file: nobody has to read a pipe while it runs.
    let mut said = tempfile::tempfile().map_err(system("making a temporary file"))?;
    let stderr = said.try_clone().map_err(system("opening a temporary file"))?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().map_err(system(running()))?;
    let start = Instant::now();
    let status = loop {
        let Some(limit) = limit else { break child.wait().map_err(system(running()))? };
        if let Some(status) = child.try_wait().map_err(system(running()))? {
            break status;
        }
        if start.elapsed() > limit {
            // It may have ended just now: then there is nothing to stop.
            let _ = child.kill();
            let _ = child.wait();
            return Err(RunError::Slow { command: name, seconds: limit.as_secs() });
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    if status.success() {
        return Ok(());
    }
    let mut output = String::new();
    // A message that cannot be read is an empty one.
    let _ = said.rewind().and_then(|()| said.read_to_string(&mut output));
    Err(RunError::Compile { command: words(&command), output })
}

/// Compiled object files.
#[derive(Debug)]
pub struct Objects {
    directory: TempDir,
    objects: Vec<PathBuf>,
}

impl Objects {
    /// The object file of a source.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn content(&self, source: &str) -> Result<Vec<u8>, RunError> {
        let path = self.directory.path().join(source).with_extension("o");
        fs::read(&path).map_err(system(format!("reading {}", path.display())))
    }

    /// The disassembly of the object file of a source, by the disassembler for `target`.
    ///
    /// # Errors
    /// No disassembler is installed, or it failed.
    pub fn disassembly(&self, source: &str, target: &Target) -> Result<String, RunError> {
        let platform = target.toolchains.first().map_or("", |toolchain| toolchain.platform);
        let known = [format!("{platform}-objdump"), "objdump".to_owned()];
        let Some(name) = known.iter().find(|name| installed(name).is_some()) else {
            return Err(RunError::Missing { command: "objdump".into() });
        };
        let object = self.directory.path().join(source).with_extension("o");
        let mut command = Command::new(name);
        command.args(["-d", "-w"]).arg(object).stdin(Stdio::null());
        let output = command.output().map_err(system(format!("running {name}")))?;
        if !output.status.success() {
            let output = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(RunError::Compile { command: words(&command), output });
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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

    /// Whether another program runs it: an emulator, or what brings it to another machine.
    pub fn is_emulated(&self) -> bool {
        !self.runner.is_empty()
    }

    /// How many instructions it runs with these arguments, its start and end among them. Its runner must be an emulator of
    /// processes by QEMU, which is asked to name each.
    ///
    /// # Errors
    /// As for [`Program::run`]; the runner names nothing.
    pub fn instructions(&self, arguments: &[&str]) -> Result<u64, RunError> {
        let path = self.directory.path().join("instructions");
        let log = path.to_string_lossy().into_owned();
        let asked =
            [("QEMU_SINGLESTEP", "1"), ("QEMU_LOG", "nochain,exec"), ("QEMU_LOG_FILENAME", log.as_str())];
        self.run_asked(arguments, &[], &asked)?;
        let file = fs::File::open(&path).map_err(system("reading what the emulator has counted"))?;
        let mut count = 0;
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(system("reading what the emulator has counted"))?;
            count += u64::from(line.starts_with(b"Trace"));
        }
        fs::remove_file(&path).map_err(system("removing what the emulator has counted"))?;
        Ok(count)
    }

    /// Runs it, directly or under the emulator, with `input` on standard input, and returns its standard output.
    ///
    /// # Errors
    /// It did not end with status 0.
    pub fn run(&self, input: &[u8]) -> Result<Vec<u8>, RunError> {
        self.run_with(&[], input)
    }

    /// The same program under another emulator.
    pub fn under(mut self, runner: &[&str]) -> Program {
        self.runner = runner.iter().map(|word| word.to_string()).collect();
        self
    }

    /// The same with arguments.
    ///
    /// # Errors
    /// As for [`Program::run`].
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, RunError> {
        self.run_asked(arguments, input, &[])
    }

    /// The same with variables of the environment set.
    ///
    /// # Errors
    /// As for [`Program::run`].
    pub fn run_asked(
        &self,
        arguments: &[&str],
        input: &[u8],
        environment: &[(&str, &str)],
    ) -> Result<Vec<u8>, RunError> {
        // A file rather than a pipe: whoever writes to a pipe must not be the one who reads the answers.
        let path = self.directory.path().join("input");
        fs::write(&path, input).map_err(system("writing the input"))?;
        let input = fs::File::open(&path).map_err(system("opening the input"))?;
        let mut command = match self.runner.split_first() {
            Some((emulator, before)) => {
                let mut command = Command::new(emulator);
                command.args(before).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        let output = command
            .args(arguments)
            .envs(environment.iter().copied())
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
