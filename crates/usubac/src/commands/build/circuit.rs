//! A node as a circuit of gates, in the formats of other tools.

use crate::args::{Build, Emit};
use crate::cipher::Cipher;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{files, front_end};
use serde_json::{Value, json};
use std::path::PathBuf;
use usuba_compiler::pipeline;
use usuba_lang::interpret::{Interpreter, LONGEST_RUN};
use usuba_lang::typed::Atoms;
use usuba_verify::circuit::{Circuit, Port, aiger, blif, bristol, smtlib};
use usuba_verify::equal::{self, Outcome, Problem};
use usuba_verify::prove::Limits;

/// Makes the circuit, proves that it computes what the source says, and writes all files or none.
pub fn run(build: &Build, output: &Output) -> Result<(), Failure> {
    let [path] = &build.paths[..] else {
        return Err(Failure::general("a circuit is made of one program"));
    };
    if Cipher::is_at(path) {
        return Err(Failure::general(
            "a circuit is made of one program: name the file in the folder, and a node with `--entry`",
        ));
    }
    let loaded = front_end::read(path, &build.search, output)?;
    let entry = front_end::options(&build.entry, &build.search, Atoms::Words, None)?;
    let (text, program, findings) = pipeline::gates(&loaded, &entry).map_err(|failure| match failure {
        pipeline::Failure::Program(findings) => {
            output.diagnostics(&front_end::all(&loaded, findings), &loaded.sources);
            Failure::Said
        }
        pipeline::Failure::Internal(error) => Failure::general(error),
        pipeline::Failure::Target(_) | pipeline::Failure::Stopped => Failure::Said,
    })?;
    if !output.is_json() {
        output.diagnostics(&front_end::all(&loaded, findings), &loaded.sources);
    }
    let operations = Interpreter::new(&text).operations();
    if operations > LONGEST_RUN >> 6 {
        return Err(Failure::general(format!(
            "`{path}`: a run takes {operations} operations, too many for a circuit"
        )));
    }
    let unlike = |unlike: equal::Unlike| Failure::general(format!("there is no circuit: {unlike}"));
    let circuit = Circuit::of_program(&text, &program).map_err(unlike)?;
    let problem = Problem::of_source(&text, &program, equal::Atoms::InOrder).map_err(unlike)?;
    match problem.decide(Limits::default()).0 {
        Outcome::Proved => {}
        Outcome::Refuted(difference) => {
            return Err(Failure::general(format!(
                "the circuit differs from the source in {}; no output was made: this is a bug of usubac; please report it",
                difference.output
            )));
        }
        Outcome::Unknown(_) => {
            output.warning("the circuit is made of the source, but not proved equal to it in the limits")
        }
    }
    let stem = build.symbol.clone().unwrap_or_else(|| {
        let name = circuit
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
        name.collect::<String>().trim_end_matches('_').to_owned()
    });
    let mut written: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for &format in &build.emit {
        let (ending, contents) = match format {
            Emit::Aiger => ("aig", aiger::write(&circuit)),
            Emit::Blif => ("blif", blif::write(&circuit).into_bytes()),
            Emit::Smtlib => ("smt2", smtlib::write(&circuit).into_bytes()),
            Emit::Bristol => ("txt", bristol::write(&circuit).into_bytes()),
        };
        written.push((PathBuf::from(format!("{stem}.{ending}")), contents));
    }
    // Not all of the formats have room for the mark of generated files.
    let is_other = |(path, contents): &&(PathBuf, Vec<u8>)| {
        files::read(&build.output.join(path)).is_ok_and(|found| found != *contents)
    };
    if let Some((path, _)) = written.iter().find(is_other).filter(|_| !build.force) {
        return Err(Failure::file(
            "cannot write",
            &build.output.join(path),
            "there is another file; name another folder with `-o`, or overwrite it with `--force`",
        ));
    }
    let paths = files::write_all(&build.output, &written)?;
    say(&circuit, &paths, output);
    Ok(())
}

fn say(circuit: &Circuit, paths: &[PathBuf], output: &Output) {
    let (conjunctions, sums) = circuit.counts();
    let bits = |ports: &[Port]| ports.iter().map(|port| port.bits().count()).sum::<usize>();
    let (inputs, outputs) = (bits(&circuit.inputs), bits(&circuit.outputs));
    if output.is_json() {
        let port = |port: &Port| json!({ "name": port.name, "atoms": port.atoms.len(), "bits": port.bits().count() });
        let of = |ports: &[Port]| ports.iter().map(port).collect::<Vec<Value>>();
        print_json(&json!({
            "name": circuit.name, "inputs": of(&circuit.inputs), "outputs": of(&circuit.outputs), "and": conjunctions, "xor": sums,
            "files": paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        }));
        return;
    }
    print_line(&format!(
        "{:<24} {inputs} input bits, {outputs} output bits, {conjunctions} AND, {sums} XOR",
        circuit.name
    ));
    paths.iter().for_each(|path| print_line(&format!("wrote {}", path.display())));
}
