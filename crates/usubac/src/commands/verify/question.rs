//! What is to be proved of an object file: read, proved, and refuted for people.

use super::{check_length, json_of, limits, lines};
use crate::args::{AUTO, Verify};
use crate::compile::{refused, usual_symbol};
use crate::output::{Failure, Output, print_error, print_json, print_line};
use crate::{files, front_end, targets};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use usuba_compiler::pipeline::{self, Settings};
use usuba_lang::interpret::Interpreter;
use usuba_lang::load::Loaded;
use usuba_lang::typed::Atoms;
use usuba_target::Target;
use usuba_trial::proof::Subject;
use usuba_trial::run::{Compiler, RunError};
use usuba_verify::object::file::{Architecture, Object, Unreadable};
use usuba_verify::object::kernel::{Counterexample, NoProof, Report, Verdict};

/// What is to be proved of an object.
pub struct Question {
    /// The program.
    pub loaded: Loaded,
    /// What it is to compute.
    pub subject: Subject,
    /// The object file.
    pub bytes: Vec<u8>,
    /// What is in it.
    pub object: Object,
    /// The function.
    pub symbol: String,
}

impl Question {
    /// Reads the program and the object, or compiles one.
    pub fn read(verify: &Verify, output: &Output) -> Result<Question, Failure> {
        let file = verify.left.as_deref().unwrap_or_default();
        let (target, architecture) = target(verify.target.as_deref().unwrap_or_default())?;
        let Some(slicing) = verify.slicing.unwrap_or(AUTO).0 else {
            return Err(Failure::general(
                "`--slicing auto` does not say what the object was built for: name the slicing",
            ));
        };
        let loaded = front_end::read(file, &verify.search, output)?;
        let mut settings = Settings::new(slicing, None);
        settings.entry = front_end::options(&verify.entry, &verify.search, Atoms::Words, None)?;
        settings.passes.interleave = verify.inter_factor;
        let usual = || usual_symbol(verify.entry.entry.as_deref(), &loaded, slicing, target);
        let symbol = verify.symbol.clone().unwrap_or_else(usual);
        let naming = usuba_codegen::Options {
            symbol: symbol.clone(),
            header_name: format!("{symbol}.h"),
            ..usuba_codegen::Options::default()
        };
        let subject = Subject::of(&loaded, &settings, target, &naming).map_err(|failure| match failure {
            pipeline::Failure::Program(findings) => {
                output.diagnostics(&front_end::all(&loaded, findings), &loaded.sources);
                Failure::Said
            }
            pipeline::Failure::Target(missing) => refused(slicing, target, &missing),
            pipeline::Failure::Internal(error) => Failure::general(error),
            pipeline::Failure::Stopped => Failure::Said,
        })?;
        check_length(file, &subject.text)?;
        let (bytes, name) = match (&verify.right, &verify.cc) {
            (Some(path), _) => {
                let bytes = files::read(Path::new(path))
                    .map_err(|why| Failure::file("cannot read", Path::new(path), &why))?;
                (bytes, path.clone())
            }
            (None, compiler) => {
                let name = compiler.as_deref().unwrap_or("gcc");
                let bytes =
                    compiled(&subject, target, name).map_err(|why| Failure::general(why.to_string()))?;
                (bytes, format!("the object that {name} makes"))
            }
        };
        let object = Object::parse_for(&bytes, architecture)
            .map_err(|why| Failure::file("cannot read", Path::new(&name), &why.to_string()))?;
        if let Err(missing) = object.function(&symbol) {
            return Err(no_function(&object, &name, &missing, verify.symbol.is_some()));
        }
        Ok(Question { loaded, subject, bytes, object, symbol })
    }

    /// The name of the node.
    pub fn node(&self) -> &str {
        &self.subject.text.instance(self.subject.text.entry()).name
    }

    /// What was done for the proof, and how long it took.
    ///
    /// # Errors
    /// There is no proof; or the object computes something else, which is printed.
    pub fn prove(&self, verify: &Verify, output: &Output) -> Result<(Report, Duration), Failure> {
        let start = Instant::now();
        let proved = self.subject.prove(&self.object, &self.symbol, limits(verify.effort));
        let (verdict, report) = proved.map_err(|why| not_proved(&self.symbol, &why))?;
        match verdict {
            Verdict::Proved => Ok((report, start.elapsed())),
            Verdict::Refuted(counterexample) => Err(self.refuted(&counterexample, output)),
            Verdict::Unfounded => {
                Err(Failure::Unknown(format!("`{}` is not proved: {UNFOUNDED}", self.symbol)))
            }
            Verdict::Unknown => Err(Failure::Unknown(format!(
                "`{}` is neither proved nor refuted in the limits\n  help: try `--effort {}`",
                self.symbol,
                verify.effort.saturating_mul(10)
            ))),
        }
    }

    /// Prints the inputs, what the source makes of them by the interpreter, and what the object makes of them.
    fn refuted(&self, counterexample: &Counterexample, output: &Output) -> Failure {
        let Counterexample { inputs, expected, found, instance, output: place, signal } = counterexample;
        let text = &self.subject.text;
        let entry = text.instance(text.entry());
        let results: Vec<_> = inputs.iter().map(|given| Interpreter::new(text).run(given)).collect();
        if results != *expected {
            return Failure::general(
                "the prover and the interpreter make different values of the source: this is a bug of usubac; please report it \
                 with the program",
            );
        }
        // A bit that no atom has may differ: then no batch does.
        let batch = (0..inputs.len()).find(|&batch| expected[batch] != found[batch]).unwrap_or(0);
        let (inputs, expected, found) = (&inputs[batch], &expected[batch], &found[batch]);
        if output.is_json() {
            print_json(&json!({
                "verdict": "refuted", "symbol": self.symbol, "node": self.node(), "place": place,
                "batch": batch, "instance": instance, "signal": signal,
                "inputs": json_of(entry, &entry.inputs, inputs),
                "source": json_of(entry, &entry.outputs, expected), "object": json_of(entry, &entry.outputs, found),
            }));
            return Failure::Said;
        }
        print_line(&format!(
            "refuted: `{}` does not compute `{}`: instance {instance} of batch {batch} differs, first in {place}",
            self.symbol,
            self.node()
        ));
        for line in lines(entry, &entry.inputs, inputs) {
            print_line(&format!("  input  {line}"));
        }
        for (side, results) in [("source", expected), ("object", found)] {
            for line in lines(entry, &entry.outputs, results) {
                print_line(&format!("  {side} {line}"));
            }
        }
        if let Some(signal) = signal {
            print_error(&format!(
                "  note: from `{signal}` on, the object has no value like those of the source"
            ));
        }
        Failure::Said
    }
}

/// The target, whose object code can be read, and what its objects are for.
pub(super) fn target(name: &str) -> Result<(&'static Target, Architecture), Failure> {
    let targets = targets::named(&[name.to_owned()])?;
    let [target] = targets[..] else {
        return Err(Failure::general(format!(
            "`{name}` is not one target: name the one that the object was built for"
        )));
    };
    let mut platforms = target.toolchains.iter().map(|toolchain| toolchain.platform);
    let Some(architecture) = platforms.find_map(Architecture::of_platform) else {
        return Err(Failure::general(format!(
            "object code of `{name}` cannot be proved: only that of x86-64 and of AArch64 is decoded"
        )));
    };
    Ok((target, architecture))
}

fn compiled(subject: &Subject, target: &Target, name: &str) -> Result<Vec<u8>, RunError> {
    subject.object(&compiler(target, name)?, &["-O2"])
}

/// The compiler of a target by its name.
pub(super) fn compiler(target: &Target, name: &str) -> Result<Compiler, RunError> {
    let Some(family) = usuba_trial::run::Family::named(name) else {
        return Err(RunError::Missing { command: name.to_owned() });
    };
    let Some(toolchain) = target.toolchains.first() else {
        return Err(RunError::Toolchain { target: target.name.into() });
    };
    Compiler::of(toolchain, family)
}

fn no_function(object: &Object, name: &str, missing: &Unreadable, is_named: bool) -> Failure {
    let seen = object.functions.iter().filter(|function| function.is_global);
    let names: Vec<&str> = seen.map(|function| function.name.as_str()).take(12).collect();
    let there = if names.is_empty() { "none that other objects see".into() } else { names.join(", ") };
    let help = if is_named { "" } else { "\n  help: `--symbol` names the function of the kernel" };
    Failure::general(format!("cannot look into `{name}`: {missing}; it has {there}{help}"))
}

/// Why a kernel that was not shown to be wrong is not proved.
pub const UNFOUNDED: &str =
    "what it computes may depend on bits of another instance, or on what a call leaves in registers";

fn not_proved(symbol: &str, why: &NoProof) -> Failure {
    let help = match why {
        NoProof::Unlike(_) | NoProof::Output { .. } => {
            "\n  help: slicing, target and `--inter-factor` must be those that the kernel was built with"
        }
        _ => "",
    };
    Failure::Unknown(format!("`{symbol}` is not proved: {why}{help}"))
}
