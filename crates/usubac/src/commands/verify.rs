//! `usubac verify`: two programs are proved equal, or told apart by inputs; or object code and a program ([`object`]), with a
//! [`certificate`], or the engine of a library and its cipher ([`engine`]); or object code is looked at for what depends on secrets ([`constant_time`]).

mod certificate;
mod constant_time;
mod engine;
mod engine_question;
mod message;
mod object;
mod question;

use crate::args::{Entry, Verify};
use crate::cipher::Cipher;
use crate::front_end;
use crate::output::{Failure, Output, print_error, print_json, print_line};
use serde_json::{Value, json};
use usuba_lang::interpret::{Interpreter, LONGEST_RUN};
use usuba_lang::typed::{Atoms, Instance, Program, VariableId};
use usuba_verify::equal::{Difference, Outcome, Problem};
use usuba_verify::prove::Limits;

/// Reads both programs and decides.
pub fn run(verify: &Verify, output: &Output) -> Result<(), Failure> {
    if let Some(object) = &verify.ct {
        return constant_time::run(verify, object, output);
    }
    if let Some(file) = &verify.audit {
        return certificate::audit(file, verify, output);
    }
    if verify.mode.is_some() || verify.bytes {
        return message::run(verify, output);
    }
    if verify.target.is_some() && verify.slicing.is_none() {
        return Err(Failure::general(
            "`--target` needs `--slicing`, or `--mode` or `--bytes` for the code of a message",
        ));
    }
    if verify.left.as_deref().is_some_and(Cipher::is_at) {
        return engine::run(verify, output);
    }
    if verify.primitive.is_some() {
        return Err(Failure::general("`--primitive` is of a manifest: give its folder"));
    }
    if verify.every_number {
        return Err(Failure::general("`--every-number` is of an engine: give the folder of a manifest"));
    }
    if verify.target.is_some() {
        return object::run(verify, output);
    }
    let [Some(left), Some(right)] = [&verify.left, &verify.right] else {
        return Err(Failure::general("two programs are needed, or an object file with `--ct`"));
    };
    if object::is_object(right) {
        return Err(Failure::general(format!(
            "`{right}` is an object file: say what its kernel was built for with `--slicing` and `--target`"
        )));
    }
    let left = read(verify, left, verify.entry.entry.as_ref(), output)?;
    let other = verify.other_entry.as_ref().or(verify.entry.entry.as_ref());
    let right = read(verify, right, other, output)?;
    let problem = Problem::of_sources(&left, &right)
        .map_err(|unlike| Failure::general(format!("the two nodes cannot be compared: {unlike}")))?;
    let (outcome, work) = problem.decide(limits(verify.effort));
    let names = [&left, &right].map(|program| program.instance(program.entry()).name.clone());
    match outcome {
        Outcome::Proved => {
            if output.is_json() {
                print_json(&json!({
                    "verdict": "proved", "left": names[0], "right": names[1], "vertices": work.vertices,
                    "by_sums": work.by_sums, "by_tables": work.by_tables, "by_parts": work.by_parts,
                    "by_solver": work.by_solver,
                    "conflicts": work.conflicts,
                }));
            } else {
                print_line(&format!(
                    "proved: `{}` and `{}` compute the same for all inputs\n  \
                     {} vertices; pairs of equal ones: {} by sums, {} by truth tables, {} by parts, {} by the solver ({} conflicts)",
                    names[0],
                    names[1],
                    work.vertices,
                    work.by_sums,
                    work.by_tables,
                    work.by_parts,
                    work.by_solver,
                    work.conflicts
                ));
            }
            Ok(())
        }
        Outcome::Refuted(difference) => refuted(&left, &right, &names, &difference, output),
        Outcome::Unknown(outputs) => Err(Failure::Unknown(format!(
            "neither proved nor refuted in the limits: {} of the outputs, the first is {}\n  help: try `--effort {}`",
            outputs.len(),
            outputs.first().map_or("", String::as_str),
            verify.effort.saturating_mul(10)
        ))),
    }
}

/// So many times the usual limits of the solver.
fn limits(effort: u32) -> Limits {
    let (effort, usual) = (u64::from(effort), Limits::default());
    Limits { conflicts: usual.conflicts * effort, final_conflicts: usual.final_conflicts * effort, ..usual }
}

fn read(verify: &Verify, file: &str, node: Option<&String>, output: &Output) -> Result<Program, Failure> {
    let loaded = front_end::read(file, &verify.search, output)?;
    let entry = Entry { entry: node.cloned(), ..verify.entry.clone() };
    let mut options = front_end::options(&entry, &verify.search, Atoms::Words, None)?;
    options.keep_tables = true;
    let program = front_end::elaborate(&loaded, &options, output)?;
    check_length(file, &program)?;
    Ok(program)
}

/// A run of the program is not too long for a proof.
fn check_length(file: &str, program: &Program) -> Result<(), Failure> {
    let operations = Interpreter::new(program).operations();
    if operations > LONGEST_RUN >> 6 {
        let message = format!("`{file}`: a run takes {operations} operations, too many for a proof");
        return Err(Failure::general(message));
    }
    Ok(())
}

/// Runs both programs on the inputs that tell them apart, and prints what that gives.
fn refuted(
    left: &Program,
    right: &Program,
    names: &[String; 2],
    difference: &Difference,
    output: &Output,
) -> Result<(), Failure> {
    let instances = [left, right].map(|program| program.instance(program.entry()));
    let [one, other] = instances;
    let given = recut(&difference.inputs, one, other);
    let found = Interpreter::new(left).run(&difference.inputs);
    let results = Interpreter::new(right).run(&given);
    if found != difference.left || results != difference.right {
        return Err(Failure::general(
            "the prover says that the programs differ, and the interpreter says otherwise: this is a bug of usubac; please \
             report it with both programs",
        ));
    }
    if output.is_json() {
        print_json(&json!({
            "verdict": "refuted", "output": difference.output, "signal": difference.signal,
            "inputs": json_of(one, &one.inputs, &difference.inputs),
            "left": json_of(one, &one.outputs, &found), "right": json_of(other, &other.outputs, &results),
        }));
        return Err(Failure::Said);
    }
    print_line(&format!("refuted: `{}` and `{}` differ in {}", names[0], names[1], difference.output));
    for line in lines(one, &one.inputs, &difference.inputs) {
        print_line(&format!("  input  {line}"));
    }
    for (side, instance, results) in [("first ", one, &found), ("second", other, &results)] {
        for line in lines(instance, &instance.outputs, results) {
            print_line(&format!("  {side} {line}"));
        }
    }
    if let Some(signal) = &difference.signal {
        print_error(&format!(
            "  note: from `{signal}` on, the second program has no value like those of the first"
        ));
    }
    Err(Failure::Said)
}

/// The atoms of inputs of one program as those of another one: the same bits in other words.
fn recut(inputs: &[Vec<u128>], one: &Instance, other: &Instance) -> Vec<Vec<u128>> {
    let parameters = one.inputs.iter().zip(&other.inputs).zip(inputs);
    parameters
        .map(|((&from, &to), atoms)| {
            let width = one.variable(from).width;
            let bits: Vec<u128> =
                atoms.iter().flat_map(|atom| (0..width).rev().map(move |bit| atom >> bit & 1)).collect();
            let words = bits.chunks(other.variable(to).width as usize);
            words.map(|word| word.iter().fold(0, |number, bit| number << 1 | bit)).collect()
        })
        .collect()
}

fn hexadecimal(instance: &Instance, id: VariableId, atoms: &[u128]) -> Vec<String> {
    let digits = instance.variable(id).width.div_ceil(4) as usize;
    atoms.iter().map(|atom| format!("{atom:0digits$x}")).collect()
}

fn lines(instance: &Instance, ids: &[VariableId], values: &[Vec<u128>]) -> Vec<String> {
    let line = |(&id, atoms): (&VariableId, &Vec<u128>)| {
        format!("{}={}", instance.variable(id).name, hexadecimal(instance, id, atoms).join(","))
    };
    ids.iter().zip(values).map(line).collect()
}

fn json_of(instance: &Instance, ids: &[VariableId], values: &[Vec<u128>]) -> Value {
    let of = |(&id, atoms): (&VariableId, &Vec<u128>)| {
        (instance.variable(id).name.clone(), json!(hexadecimal(instance, id, atoms)))
    };
    Value::Object(ids.iter().zip(values).map(of).collect())
}
