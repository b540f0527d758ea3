//! Many programs in one C file, run on images of registers.

use super::comparison::{Agreed, Failure, VECTORS, in_mode};
use super::packing::Packing;
use super::prng::Random;
use usuba_codegen::{Kernel, Options};
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_package::OutputFile;
use usuba_target::Target;
use usuba_trial::run::{Compiler, Family};

/// How to make code and run it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The slicing.
    pub slicing: Slicing,
    /// The machine.
    pub target: &'static Target,
    /// The compiler.
    pub family: Family,
    /// `-O0` or the like.
    pub level: &'static str,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {} by {:?} {}", self.slicing, self.target.name, self.family, self.level)
    }
}

/// A kernel with what goes in and what must come out.
struct Trial {
    /// Which program it is of.
    number: usize,
    kernel: Kernel,
    calls: usize,
    input: Vec<u8>,
    /// For each call and output: its image.
    expected: Vec<Vec<u8>>,
}

/// Runs all programs that have the slicing, and says which differ.
///
/// # Errors
/// The file cannot be compiled, or the compiled program fails: then nothing is known about each of the programs.
pub fn run(
    programs: &[(u64, &Agreed)],
    way: Way,
    compiler: &Compiler,
) -> Result<Vec<(usize, Failure)>, String> {
    let mut failures = Vec::new();
    let mut trials = Vec::new();
    for (number, (seed, agreed)) in programs.iter().enumerate() {
        let Some((_, program)) = agreed.programs.iter().find(|(slicing, _)| *slicing == way.slicing) else {
            continue;
        };
        match trial(number, *seed, agreed, program, way) {
            Ok(trial) => trials.push(trial),
            Err(message) => {
                failures.push((number, Failure::new(format!("generate {}", way.target.name), message)))
            }
        }
    }
    let source = source(&trials);
    let input: Vec<u8> = trials.iter().flat_map(|t| t.input.clone()).collect();
    let files = [OutputFile { path: "kernels.c".into(), contents: source }];
    let built = compiler.compile(&files, &[way.level]).map_err(|e| e.to_string())?;
    let output = built.run(&input).map_err(|e| e.to_string())?;
    let mut rest = output.as_slice();
    for trial in &trials {
        let agreed = programs[trial.number].1;
        for (place, expected) in trial.expected.iter().enumerate() {
            if rest.len() < expected.len() {
                return Err("the compiled program printed too little".into());
            }
            let (found, later) = rest.split_at(expected.len());
            rest = later;
            if found != expected && failures.iter().all(|(number, _)| *number != trial.number) {
                let (call, port) = (place / agreed.outputs.len(), place % agreed.outputs.len());
                let byte = found.iter().zip(expected).position(|(f, e)| f != e).unwrap_or(0);
                let message = format!(
                    "{way}: call {call}, output `{}`, byte {byte} of {}:\n  expected {expected:02x?}\n  found    {found:02x?}",
                    agreed.outputs[port].name,
                    expected.len()
                );
                failures.push((
                    trial.number,
                    Failure::new(format!("{} on {}", way.slicing, way.target.name), message),
                ));
            }
        }
    }
    Ok(failures)
}

fn trial(number: usize, seed: u64, agreed: &Agreed, program: &Program, way: Way) -> Result<Trial, String> {
    let options = Options { symbol: format!("kernel{number}"), ..Options::default() };
    let checked = usuba_ir::check::check(program).map_err(|flaws| flaws[0].to_string())?;
    let generated = std::panic::catch_unwind(|| usuba_codegen::generate(checked, way.target, &options));
    let kernel = match generated {
        Ok(Ok(kernel)) => kernel,
        Ok(Err(no_code)) => return Err(no_code.to_string()),
        Err(_) => return Err("panic".into()),
    };
    // The lane holds the widest atom that matters, which may be one inside.
    let interface = || agreed.inputs.iter().chain(&agreed.outputs).map(|port| port.width);
    let interface: Vec<u32> = if way.slicing == Slicing::B { vec![1] } else { interface().collect() };
    let widest = interface.iter().copied().max().unwrap_or(1);
    let inside: Vec<u32> = reached(program).into_iter().filter(|&width| width > widest).collect();
    let register_bits = (!way.target.single_lane).then_some(way.target.register_bits as usize);
    let packing = std::iter::once(widest)
        .chain(inside)
        .map(|width| Packing::new(way.slicing, &[width], register_bits))
        .find(|packing| {
            // One instance is in a register of general purpose, whatever its width.
            let one = packing.register(&vec![0; packing.instances()]);
            packing.instances() * kernel.shape.interleave as usize == kernel.instances as usize
                && one.len() == kernel.shape.register_bytes() as usize
        });
    let Some(packing) = packing else {
        return Err(format!(
            "{} instances in a register do not fit words of {widest} bits",
            kernel.instances
        ));
    };
    let batches = kernel.shape.interleave as usize;
    let instances = packing.instances() * batches;
    let calls = VECTORS.div_ceil(instances);
    let bits = way.slicing == Slicing::B;
    let arguments: Vec<_> = agreed.arguments.iter().map(|a| in_mode(&agreed.inputs, a, bits)).collect();
    let results: Vec<_> = agreed.results.iter().map(|r| in_mode(&agreed.outputs, r, bits)).collect();
    let mut random = Random::new(seed ^ 0x7a11);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for call in 0..calls {
        // Which vector each instance works on: neighbours differ, and no permutation of instances goes unseen.
        let chosen: Vec<usize> = (0..instances)
            .map(
                |instance| {
                    if calls > 1 { (call * instances + instance) % VECTORS } else { random.below(VECTORS) }
                },
            )
            .collect();
        // The image of a parameter: batch by batch, atom by atom, the atom of every instance.
        let image = |values: &[Vec<Vec<u128>>], port: usize| -> Vec<u8> {
            let batches = chosen.chunks(packing.instances());
            let images = batches.flat_map(|batch| {
                (0..values[0][port].len()).map(|atom| {
                    let across: Vec<u128> = batch.iter().map(|&vector| values[vector][port][atom]).collect();
                    packing.register(&across)
                })
            });
            images.flatten().collect()
        };
        for (number, port) in agreed.inputs.iter().enumerate() {
            if port.uniform {
                let mask = kernel.shape.mask_bits as usize / 8;
                input.extend(arguments[0][number].iter().flat_map(|&atom| packing.uniform(atom, mask)));
            } else {
                input.extend(image(&arguments, number));
            }
        }
        expected.extend((0..results[0].len()).map(|number| image(&results, number)));
    }
    Ok(Trial { number, kernel, calls, input, expected })
}

/// The widths of all atoms of the nodes that the entry reaches.
fn reached(program: &Program) -> Vec<u32> {
    let mut seen = vec![false; program.nodes.len()];
    if let Some(last) = seen.last_mut() {
        *last = true;
    }
    fn calls(block: &usuba_ir::program::Block, seen: &mut [bool]) {
        use usuba_ir::program::Op;
        for operation in &block.operations {
            match &operation.op {
                Op::Call(callee, _) => seen[callee.index()] = true,
                Op::Loop(inner) => calls(&inner.body, seen),
                _ => {}
            }
        }
    }
    for number in (0..program.nodes.len()).rev() {
        if seen[number] {
            calls(&program.nodes[number].body, &mut seen);
        }
    }
    let nodes = program.nodes.iter().zip(seen).filter(|(_, seen)| *seen);
    nodes.flat_map(|(node, _)| node.values.iter().map(|value| value.ty.layout.width())).collect()
}

fn source(trials: &[Trial]) -> String {
    let mut text = String::new();
    for trial in trials {
        text.push_str(&trial.kernel.source);
        text.push('\n');
    }
    text.push_str("#include <stdio.h>\n#include <string.h>\n\n");
    let mut main = String::from("int main(void)\n{\n");
    for trial in trials {
        let symbol = &trial.kernel.symbol;
        let mut declarations = String::new();
        let (mut before, mut after, mut names) = (String::new(), String::new(), Vec::new());
        for (number, parameter) in trial.kernel.parameters.iter().enumerate() {
            let name = format!("p{number}");
            let (element, count) = (parameter.element, parameter.count);
            declarations
                .push_str(&format!("    static {element} {name}[{count}] __attribute__((aligned(64)));\n"));
            match parameter.access {
                usuba_codegen::Access::Read => {
                    before.push_str(&format!(
                        "        if (fread({name}, sizeof {name}, 1, stdin) != 1) return 2;\n"
                    ));
                }
                usuba_codegen::Access::Write => {
                    before.push_str(&format!("        memset({name}, 0xa5, sizeof {name});\n"));
                    after.push_str(&format!(
                        "        if (fwrite({name}, sizeof {name}, 1, stdout) != 1) return 3;\n"
                    ));
                }
            }
            names.push(name);
        }
        text.push_str(&format!(
            "static int run_{symbol}(void)\n{{\n{declarations}    for (int call = 0; call < {}; call++) {{\n{before}        {symbol}({});\n{after}    }}\n    return 0;\n}}\n\n",
            trial.calls,
            names.join(", ")
        ));
        main.push_str(&format!("    if (run_{symbol}() != 0) return 1;\n"));
    }
    main.push_str("    return 0;\n}\n");
    text.push_str(&main);
    text
}
