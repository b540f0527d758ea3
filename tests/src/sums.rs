//! Programs on sums modulo 2 of symbols, compared with what the interpreter computes.

use usuba_algebra::layers::{InputBit, Places};
use usuba_algebra::recognise::{Recognised, recognise};
use usuba_algebra::run::{input_bits, run};
use usuba_algebra::sums::{Sum, Symbols};
use usuba_lang::typed::{Instance, Program, VariableId};
use usuba_logic::matrix::Vector;

/// The bits of values of variables, parameter by parameter, each word from its most significant.
fn bits(instance: &Instance, variables: &[VariableId], values: &[Vec<u128>]) -> Vec<bool> {
    let widths = variables.iter().map(|&id| instance.variable(id).width);
    let words = widths.zip(values).flat_map(|(width, words)| words.iter().map(move |&word| (width, word)));
    words.flat_map(|(width, word)| (0..width).rev().map(move |bit| word >> bit & 1 == 1)).collect()
}

/// Compares the sums that a program makes of its inputs, and what it is recognised as if it is linear or in layers, with its
/// results for some inputs. Whether it is recognised as such.
///
/// # Errors
/// The program has no sums, or the first difference.
pub fn compare(
    program: &Program,
    arguments: &[Vec<Vec<u128>>],
    results: &[Vec<Vec<u128>>],
) -> Result<bool, String> {
    let entry = program.instance(program.entry());
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..input_bits(entry) as u32).map(|number| symbols.input(number)).collect();
    let outputs = run(&mut symbols, program, program.entry(), &inputs).map_err(|why| why.to_string())?;
    let places = Places::big(program, program.entry());
    let recognised = recognise(program, program.entry(), &places);
    for (number, (arguments, results)) in arguments.iter().zip(results).enumerate() {
        let given = bits(entry, &entry.inputs, arguments);
        let values = symbols.values(|input| given[input as usize]).ok_or("there are calls")?;
        let found: Vec<bool> = outputs.iter().map(|&sum| values.of(sum)).collect();
        let expected = bits(entry, &entry.outputs, results);
        if found != expected {
            return Err(format!("the sums have other values for input {number}"));
        }
        let found = match &recognised {
            Ok(Recognised::Linear(matrix)) => matrix.of(&given.iter().copied().collect()),
            Ok(Recognised::Layers(layers)) => {
                let (mut block, mut key) = (Vector::zero(layers.block()), Vector::zero(layers.key()));
                for (place, _) in places.inputs.iter().zip(&given).filter(|(_, bit)| **bit) {
                    match *place {
                        InputBit::Block(bit) => block.flip(bit),
                        InputBit::Key(bit) => key.flip(bit),
                    }
                }
                let result = layers.of(&block, &key);
                places.outputs.iter().map(|&bit| result.get(bit)).collect()
            }
            _ => continue,
        };
        if found != expected.iter().copied().collect() {
            return Err(format!("what it is recognised as has other values for input {number}"));
        }
    }
    Ok(matches!(recognised, Ok(Recognised::Linear(_) | Recognised::Layers(_))))
}
