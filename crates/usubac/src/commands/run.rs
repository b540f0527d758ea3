//! `usubac run`: the reference interpreter on one instance, or on a message ([`message`]).

mod message;

use crate::args::Run;
use crate::front_end;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::{Map, Value, json};
use usuba_lang::interpret::{Interpreter, LONGEST_RUN, check_inputs};
use usuba_lang::typed::{Atoms, Instance, Program, VariableId};

/// Reads the inputs, evaluates, prints the outputs.
pub fn run(run: &Run, output: &Output) -> Result<(), Failure> {
    if let Some(mode) = &run.mode {
        return message::of_mode(run, mode, output);
    }
    let loaded = front_end::read(&run.file, &run.search, output)?;
    if run.bytes {
        front_end::check(&loaded, &run.search, output)?;
        return message::of_program(run, &loaded, output);
    }
    let slicing = run.slicing.and_then(|argument| argument.0);
    let (atoms, direction) = slicing.map_or((Atoms::Words, None), usuba_lower::elaborated_for);
    let mut options = front_end::options(&run.entry, &run.search, atoms, direction)?;
    options.keep_tables = true;
    let program = front_end::elaborate(&loaded, &options, output)?;
    let entry = program.instance(program.entry());
    let inputs = inputs(run, entry)?;
    check_inputs(&program, &inputs).map_err(|error| Failure::general(error.to_string()))?;
    let mut interpreter = Interpreter::new(&program);
    let operations = interpreter.operations();
    if operations > LONGEST_RUN {
        return Err(Failure::general(format!(
            "`{}` takes {} operations, and the interpreter makes at most {LONGEST_RUN} of them; `usubac build` makes code of it",
            entry.name,
            if operations == u64::MAX { "more than 2^64".to_owned() } else { operations.to_string() },
        )));
    }
    let results = interpreter.run(&inputs);
    print_results(&program, entry, &results, output);
    Ok(())
}

/// The atoms of every input in order.
fn inputs(run: &Run, entry: &Instance) -> Result<Vec<Vec<u128>>, Failure> {
    let names: Vec<&str> = entry.inputs.iter().map(|&id| entry.variable(id).name.as_str()).collect();
    let mut values: Vec<Option<Vec<u128>>> = vec![None; names.len()];
    for argument in &run.inputs {
        let (name, atoms) = argument
            .split_once('=')
            .ok_or_else(|| Failure::general(format!("`{argument}` is not of the form name=ATOMS")))?;
        let Some(position) = names.iter().position(|&known| known == name) else {
            return Err(Failure::general(format!(
                "`{}` has no input `{name}`; its inputs are {}",
                entry.name,
                inventory(entry)
            )));
        };
        if values[position].is_some() {
            return Err(Failure::general(format!("the input `{name}` is given twice")));
        }
        values[position] = Some(atoms_of(name, atoms)?);
    }
    let missing: Vec<&str> =
        names.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(&name, _)| name).collect();
    if !missing.is_empty() {
        return Err(Failure::general(format!(
            "`{}` needs {}: missing {}",
            entry.name,
            inventory(entry),
            missing.join(", ")
        )));
    }
    Ok(values.into_iter().flatten().collect())
}

/// `plain (4 atoms of 16 bits), key (36 atoms of 16 bits)`.
fn inventory(entry: &Instance) -> String {
    let describe = |&id: &VariableId| {
        let variable = entry.variable(id);
        let (atoms, width) = (variable.atoms(), variable.width);
        let plural = |count: u32| if count == 1 { "" } else { "s" };
        format!("{} ({atoms} atom{} of {width} bit{})", variable.name, plural(atoms), plural(width))
    };
    let all: Vec<String> = entry.inputs.iter().map(describe).collect();
    if all.is_empty() { "no input".into() } else { all.join(", ") }
}

fn atoms_of(name: &str, text: &str) -> Result<Vec<u128>, Failure> {
    text.split(',')
        .map(|atom| {
            let digits = atom.trim();
            let digits = digits.strip_prefix("0x").unwrap_or(digits);
            let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !valid {
                return Err(Failure::general(format!(
                    "input `{name}`: `{atom}` is not a hexadecimal number"
                )));
            }
            u128::from_str_radix(digits, 16)
                .map_err(|_| Failure::general(format!("input `{name}`: `{atom}` has more than 128 bits")))
        })
        .collect()
}

fn print_results(program: &Program, entry: &Instance, results: &[Vec<u128>], output: &Output) {
    let hexadecimal = |id: &VariableId, atoms: &[u128]| -> Vec<String> {
        let digits = entry.variable(*id).width.div_ceil(4) as usize;
        atoms.iter().map(|atom| format!("{atom:0digits$x}")).collect()
    };
    if output.is_json() {
        let outputs: Map<String, Value> = entry
            .outputs
            .iter()
            .zip(results)
            .map(|(id, atoms)| (entry.variable(*id).name.clone(), json!(hexadecimal(id, atoms))))
            .collect();
        let atoms = if program.atoms() == Atoms::Bits { "bits" } else { "words" };
        print_json(&json!({ "entry": entry.name, "atoms": atoms, "outputs": outputs }));
        return;
    }
    for (id, atoms) in entry.outputs.iter().zip(results) {
        print_line(&format!("{}={}", entry.variable(*id).name, hexadecimal(id, atoms).join(",")));
    }
}
