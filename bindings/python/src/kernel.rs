//! Programs compiled while Python runs: from text through C to a function over arrays of instances.

use crate::CompileError;
use crate::buffers::{Memory, expect_length};
use crate::layout::Port;
use libloading::{Library, Symbol};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_void;
use std::path::Path;
use std::process::{Command, Stdio};
use usuba_compiler::codegen::{self, Access, Shape};
use usuba_compiler::ir::layout::Slicing;
use usuba_compiler::lang::diagnostic::Diagnostic;
use usuba_compiler::lang::load::{Loaded, Loader, load};
use usuba_compiler::lang::render::{Style, render};
use usuba_compiler::lang::{elaborate, typed};
use usuba_compiler::pipeline::{self, Settings};
use usuba_compiler::target::{self, Target};
use usuba_trial::run::{Compiler, Family};

/// The name of the function that takes the addresses of all parameters in one array.
const ENTRY: &str = "usuba_python_entry";

/// The name under which a program that is text appears in messages.
const TEXT: &str = "<source>";

/// A text as the main file, beside the files of the disk.
struct Source<'a> {
    text: Option<&'a str>,
}

impl Loader for Source<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.text {
            Some(text) if path == TEXT => Ok(text.as_bytes().to_vec()),
            _ => std::fs::read(path).map_err(|error| error.to_string()),
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        if self.text.is_some() && path == TEXT {
            return Some(TEXT.to_owned());
        }
        let path = std::fs::canonicalize(path).ok()?;
        path.is_file().then(|| path.to_string_lossy().into_owned())
    }
}

/// A compiled node.
#[pyclass(frozen, module = "usuba")]
pub struct Kernel {
    library: Library,
    shape: Shape,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    symbol: String,
    source: String,
    slicing: String,
    target: &'static str,
}

/// A parameter as Python sees it: name, shape, bits of a word, whether it is the same for all instances.
type Parameter = (String, Vec<usize>, u32, bool);

fn parameters(ports: &[Port]) -> Vec<Parameter> {
    ports.iter().map(|port| (port.name.clone(), port.shape.clone(), port.width, port.uniform)).collect()
}

#[pymethods]
impl Kernel {
    /// The inputs: name, shape of an instance in words, bits of a word, whether it is the same for all instances.
    #[getter]
    fn inputs(&self) -> Vec<Parameter> {
        parameters(&self.inputs)
    }

    /// The outputs; the same.
    #[getter]
    fn outputs(&self) -> Vec<Parameter> {
        parameters(&self.outputs)
    }

    #[getter]
    fn instances(&self) -> u32 {
        self.shape.instances
    }

    #[getter]
    fn symbol(&self) -> &str {
        &self.symbol
    }

    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    #[getter]
    fn slicing(&self) -> &str {
        &self.slicing
    }

    #[getter]
    fn target(&self) -> &str {
        self.target
    }

    /// Runs on `count` instances. Every array has 64 bits a word; `arrays` are the inputs. Returns the outputs' bytes.
    fn run<'py>(
        &self,
        py: Python<'py>,
        arrays: Vec<Bound<'py, PyAny>>,
        count: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        if arrays.len() != self.inputs.len() {
            let wanted = self.inputs.len();
            return Err(PyValueError::new_err(format!("{wanted} inputs are needed, not {}", arrays.len())));
        }
        let mut inputs = Vec::new();
        for (array, port) in arrays.iter().zip(&self.inputs) {
            let memory = Memory::of(array, &port.name)?;
            let instances = if port.uniform { 1 } else { count };
            let words = instances
                .checked_mul(port.words())
                .ok_or_else(|| PyValueError::new_err("too many instances"))?;
            expect_length(&port.name, memory.len(), 8 * words)?;
            // SAFETY: the memory has so many bytes; the interpreter lock is held.
            let bytes = unsafe { std::slice::from_raw_parts(memory.address() as *const u8, memory.len()) };
            let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word));
            inputs.push(words.collect::<Vec<u64>>());
        }
        let outputs = py.detach(|| self.compute(&inputs, count))?;
        Ok(outputs
            .iter()
            .map(|words| {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                PyBytes::new(py, &bytes)
            })
            .collect())
    }

    fn __repr__(&self) -> String {
        format!("<usuba kernel {}>", self.symbol)
    }
}

/// Memory aligned for any register.
#[derive(Clone)]
#[repr(C, align(64))]
struct Line([u8; 64]);

fn lines(bytes: usize) -> Vec<Line> {
    vec![Line([0; 64]); bytes.div_ceil(64).max(1)]
}

fn bytes(lines: &mut [Line]) -> &mut [u8] {
    lines.as_flattened_bytes()
}

/// Lines of memory as bytes.
trait Flattened {
    fn as_flattened_bytes(&mut self) -> &mut [u8];
}

impl Flattened for [Line] {
    fn as_flattened_bytes(&mut self) -> &mut [u8] {
        // SAFETY: a line is 64 bytes without padding.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), 64 * self.len()) }
    }
}

impl Kernel {
    fn compute(&self, inputs: &[Vec<u64>], count: usize) -> PyResult<Vec<Vec<u64>>> {
        // SAFETY: the wrapper has this type: `compile` wrote it.
        let entry: Symbol<unsafe extern "C" fn(*const *mut c_void)> =
            unsafe { self.library.get(ENTRY) }.map_err(|error| CompileError::new_err(error.to_string()))?;
        let ports = || self.inputs.iter().chain(&self.outputs);
        let mut memory: Vec<Vec<Line>> = ports().map(|port| lines(port.bytes(&self.shape))).collect();
        let mut outputs: Vec<Vec<u64>> =
            self.outputs.iter().map(|port| vec![0; count * port.words()]).collect();
        for ((port, words), memory) in self.inputs.iter().zip(inputs).zip(&mut memory) {
            if port.uniform {
                port.put_uniform(&self.shape, words, bytes(memory));
            }
        }
        let batch = self.shape.instances as usize;
        for first in (0..count).step_by(batch) {
            let many = batch.min(count - first);
            for ((port, words), memory) in self.inputs.iter().zip(inputs).zip(&mut memory) {
                if !port.uniform {
                    bytes(memory).fill(0);
                    for instance in 0..many {
                        let from = (first + instance) * port.words();
                        port.put(&self.shape, instance, &words[from..from + port.words()], bytes(memory));
                    }
                }
            }
            let addresses: Vec<*mut c_void> =
                memory.iter_mut().map(|memory| memory.as_mut_ptr().cast()).collect();
            // SAFETY: there is an address for each parameter, of as many bytes as it has, aligned as registers are.
            unsafe { entry(addresses.as_ptr()) };
            let made = memory.iter_mut().skip(self.inputs.len());
            for ((port, words), memory) in self.outputs.iter().zip(&mut outputs).zip(made) {
                for instance in 0..many {
                    let to = (first + instance) * port.words();
                    port.take(&self.shape, instance, &mut words[to..to + port.words()], bytes(memory));
                }
            }
        }
        Ok(outputs)
    }
}

/// The slicing of this name; `None` for `auto`.
fn slicing_of(name: &str) -> PyResult<Option<Slicing>> {
    if name == "auto" {
        return Ok(None);
    }
    Slicing::named(name).map(Some).ok_or_else(|| {
        let names = Slicing::NAMES.join(", ");
        PyValueError::new_err(format!("there is no slicing {name:?}; there are auto, {names}"))
    })
}

/// A compiler whose code for a target runs in this process.
fn compiler(target: &Target) -> PyResult<Compiler> {
    let mut refusals = Vec::new();
    for family in [Family::Gcc, Family::Clang] {
        match Compiler::find(target, family) {
            Ok(compiler) if compiler.runner.is_empty() => return Ok(compiler),
            Ok(_) => refusals.push(format!("{} is for another machine than this one", target.name)),
            Err(error) => refusals.push(error.to_string()),
        }
    }
    refusals.dedup();
    Err(CompileError::new_err(format!(
        "kernels need a C compiler, gcc or clang, and a target of this machine: {}",
        refusals.join("; ")
    )))
}

fn target_of(name: &str) -> PyResult<&'static Target> {
    if name == "native" {
        let here = target::all().iter().copied().filter(|target| compiler(target).is_ok());
        // Without any, the error of the compiler says what is missing.
        return Ok(here.max_by_key(|target| target.register_bits).unwrap_or(target::all()[0]));
    }
    target::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = target::all().iter().map(|target| target.name).collect();
        PyValueError::new_err(format!("there is no target {name:?}; there are native, {}", names.join(", ")))
    })
}

fn diagnosed(loaded: &Loaded, findings: &[Diagnostic]) -> PyErr {
    CompileError::new_err(render(findings, &loaded.sources, Style::Plain).trim_end().to_owned())
}

/// Compiles a node of a program, which is a text, or a file if `path` says so.
#[pyfunction]
#[pyo3(signature = (source, path, slicing, target, entry, word))]
pub fn compile(
    py: Python<'_>,
    source: &str,
    path: bool,
    slicing: &str,
    target: &str,
    entry: Option<&str>,
    word: Option<u32>,
) -> PyResult<Kernel> {
    let slicing = slicing_of(slicing)?;
    py.detach(|| build(source, path, slicing, target_of(target)?, entry, word))
}

/// Why a slicing has no code.
enum Refusal {
    /// The program is wrong.
    Program(PyErr),
    /// The target has no code for it.
    Target(String),
}

/// The node in one slicing, by the name `symbol`.
fn attempt(
    loaded: &Loaded,
    settings: &Settings,
    target: &Target,
    symbol: &str,
) -> Result<pipeline::Compiled, Refusal> {
    let naming = codegen::Options { symbol: symbol.to_owned(), ..codegen::Options::default() };
    pipeline::compile(loaded, settings, target, &naming, &mut ()).map_err(|failure| match failure {
        pipeline::Failure::Program(findings) => Refusal::Program(diagnosed(loaded, &findings)),
        pipeline::Failure::Target(missing) => {
            let reasons: Vec<String> = missing.iter().take(5).map(ToString::to_string).collect();
            Refusal::Target(reasons.join("; "))
        }
        pipeline::Failure::Internal(error) => Refusal::Target(error),
        pipeline::Failure::Stopped => Refusal::Target("the pipeline was stopped".into()),
    })
}

/// Cycles of an instance: those that the ports of the target need, else one for each instruction.
fn cost(kernel: &codegen::Kernel, target: &Target) -> f64 {
    let cycles = kernel.report.port_bound(target).unwrap_or(kernel.report.instructions_run() as f64);
    cycles / f64::from(kernel.instances.max(1))
}

fn build(
    source: &str,
    path: bool,
    slicing: Option<Slicing>,
    target: &'static Target,
    entry: Option<&str>,
    word: Option<u32>,
) -> PyResult<Kernel> {
    let loader = Source { text: (!path).then_some(source) };
    let loaded = load(if path { source } else { TEXT }, &[], &loader);
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnosed(&loaded, &loaded.diagnostics));
    }
    let mut best: Option<(Slicing, Settings, String, pipeline::Compiled)> = None;
    let mut refusals = Vec::new();
    // Arrays have the same shapes in these three; words side by side are asked for by name. Of equals the first is taken.
    for slicing in slicing.map_or(vec![Slicing::V, Slicing::B, Slicing::H], |one| vec![one]) {
        let mut settings = Settings::new(slicing, entry);
        settings.entry.word = word;
        let symbol = format!("usuba_kernel_{slicing}_{}", target.name.replace(['-', '.'], "_"));
        match attempt(&loaded, &settings, target, &symbol) {
            Ok(compiled) => {
                let cheaper = best
                    .as_ref()
                    .is_none_or(|best| cost(&compiled.kernel, target) < cost(&best.3.kernel, target));
                if cheaper {
                    best = Some((slicing, settings, symbol, compiled));
                }
            }
            Err(refusal) => refusals.push((slicing, refusal)),
        }
    }
    let Some((slicing, settings, symbol, compiled)) = best else {
        return Err(refused(refusals, target));
    };
    let kernel = compiled.kernel;
    let words = words(&loaded, &settings, kernel.parameters.len());
    let ports: Vec<(Access, Port)> = kernel
        .parameters
        .iter()
        .zip(words)
        .map(|(parameter, word)| (parameter.access, Port::new(parameter, &kernel.shape, word)))
        .collect();
    if let Some((_, port)) = ports.iter().find(|(_, port)| port.width > 64) {
        return Err(CompileError::new_err(format!(
            "{} has words of {} bits: arrays have no more than 64",
            port.name, port.width
        )));
    }
    let arguments: Vec<String> = (0..ports.len()).map(|number| format!("p[{number}]")).collect();
    let text = format!(
        "{}\nvoid {ENTRY}(void *const *p);\nvoid {ENTRY}(void *const *p)\n{{\n    {symbol}({});\n}}\n",
        kernel.source,
        arguments.join(", ")
    );
    let library = shared_object(&text, &compiler(target)?)?;
    let (inputs, outputs): (Vec<_>, Vec<_>) =
        ports.into_iter().partition(|(direction, _)| *direction == Access::Read);
    let only = |ports: Vec<(Access, Port)>| ports.into_iter().map(|(_, port)| port).collect();
    Ok(Kernel {
        library,
        shape: kernel.shape,
        inputs: only(inputs),
        outputs: only(outputs),
        symbol,
        source: kernel.source,
        slicing: slicing.to_string(),
        target: target.name,
    })
}

/// What is wrong with a program that no slicing has code for.
fn refused(refusals: Vec<(Slicing, Refusal)>, target: &Target) -> PyErr {
    let mut reasons = Vec::new();
    for (slicing, refusal) in refusals {
        match refusal {
            // What is wrong with the program is said once, by the first slicing.
            Refusal::Program(error) => return error,
            Refusal::Target(reason) => reasons.push(format!("slicing {slicing}: {reason}")),
        }
    }
    CompileError::new_err(format!("{} has no code for this program; {}", target.name, reasons.join("; ")))
}

/// The widths of the words of the parameters, inputs first, if the program has an entry in words.
fn words(loaded: &Loaded, settings: &Settings, count: usize) -> Vec<Option<u32>> {
    let options =
        elaborate::Options { atoms: typed::Atoms::Words, keep_tables: true, ..settings.entry.clone() };
    let widths: Option<Vec<Option<u32>>> = elaborate::elaborate(&loaded.program, &options).0.map(|program| {
        let entry = program.instance(program.entry());
        entry.inputs.iter().chain(&entry.outputs).map(|&one| Some(entry.variable(one).word)).collect()
    });
    widths.filter(|widths| widths.len() == count).unwrap_or_else(|| vec![None; count])
}

/// Compiles C to a shared object and loads it.
fn shared_object(text: &str, compiler: &Compiler) -> PyResult<Library> {
    let failed =
        |what: &str, error: &dyn std::fmt::Display| CompileError::new_err(format!("{what}: {error}"));
    let folder = tempfile::tempdir().map_err(|error| failed("making a temporary folder", &error))?;
    let (source, object) = (folder.path().join("kernel.c"), folder.path().join("kernel.so"));
    std::fs::write(&source, text).map_err(|error| failed("writing the C", &error))?;
    let output = Command::new(&compiler.command)
        .args(&compiler.flags)
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .args([Path::new(&object), Path::new(&source)])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(&format!("starting {}", compiler.command), &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(failed(&format!("{} failed", compiler.command), &said));
    }
    // SAFETY: the object has no constructors; what it has is the kernel. The system keeps it when its file is gone.
    unsafe { Library::new(&object) }.map_err(|error| failed("loading the kernel", &error))
}
