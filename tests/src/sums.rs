//! Programs on sums modulo 2 of symbols, compared with what the interpreter computes.

use usuba_algebra::run::{input_bits, run};
use usuba_algebra::sums::{Sum, Symbols};
use usuba_lang::typed::{Instance, Program, VariableId};

/// The bits of values of variables, parameter by parameter, each word from its most significant.
fn bits(instance: &Instance, variables: &[VariableId], values: &[Vec<u128>]) -> Vec<bool> {
    let widths = variables.iter().map(|&id| instance.variable(id).width);
    let words = widths.zip(values).flat_map(|(width, words)| words.iter().map(move |&word| (width, word)));
    words.flat_map(|(width, word)| (0..width).rev().map(move |bit| word >> bit & 1 == 1)).collect()
}

/// Compares the sums that a program makes of its inputs with its results for some of them.
///
/// # Errors
/// The program is refused, or the first difference.
pub fn compare(
    program: &Program,
    arguments: &[Vec<Vec<u128>>],
    results: &[Vec<Vec<u128>>],
) -> Result<(), String> {
    let entry = program.instance(program.entry());
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..input_bits(entry) as u32).map(|number| symbols.input(number)).collect();
    let outputs = run(&mut symbols, program, program.entry(), &inputs).map_err(|why| why.to_string())?;
    for (number, (arguments, results)) in arguments.iter().zip(results).enumerate() {
        let given = bits(entry, &entry.inputs, arguments);
        let values = symbols.values(|input| given[input as usize]);
        let found: Vec<bool> = outputs.iter().map(|&sum| values.of(sum)).collect();
        if found != bits(entry, &entry.outputs, results) {
            return Err(format!("the sums have other values for input {number}"));
        }
    }
    Ok(())
}
