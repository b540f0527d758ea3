//! One program through every way to run it that needs no C compiler.

use super::prng::Random;
use super::program::{Generated, Profile};
use super::stages;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use usuba_ir::interpret;
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::typed;
use usuba_lower::{Loops, Split};
use usuba_opt::pass::{self, Pass};
use usuba_opt::passes::optimise;

/// How many inputs a program is run on.
pub const VECTORS: usize = 12;

/// A text to be compared, and how.
#[derive(Clone, Debug)]
pub struct Case {
    /// The text.
    pub text: String,
    /// Fixes inputs and options.
    pub seed: u64,
    /// The slicings it admits.
    pub slicings: Vec<Slicing>,
}

impl Case {
    /// A generated program in every slicing that it admits.
    pub fn of(generated: &Generated) -> Case {
        let mut slicings = match generated.profile {
            Profile::B => vec![Slicing::B],
            Profile::V => vec![Slicing::V],
            Profile::H(_) => vec![Slicing::H, Slicing::V, Slicing::B],
        };
        match generated.profile {
            Profile::B if !generated.word_tables => slicings.push(Slicing::V),
            Profile::V if generated.weight < 2500 => slicings.push(Slicing::B),
            _ => {}
        }
        Case { text: generated.text.clone(), seed: generated.seed, slicings }
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where: shrinking keeps it.
    pub stage: String,
    /// What, in words.
    pub message: String,
}

impl Failure {
    /// A failure of a stage.
    pub fn new(stage: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure { stage: stage.into(), message: message.into() }
    }
}

/// An input or output of the entry, as the source declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Number of words.
    pub words: usize,
    /// Bits of a word.
    pub width: u32,
    /// `const`.
    pub uniform: bool,
}

/// A program that all interpreters agree on.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// Its inputs.
    pub inputs: Vec<Port>,
    /// Its outputs.
    pub outputs: Vec<Port>,
    /// Values of the inputs, in words: [`VECTORS`] times.
    pub arguments: Vec<Vec<Vec<u128>>>,
    /// The outputs for them.
    pub results: Vec<Vec<Vec<u128>>>,
    /// In normal form, optimised or not, for each slicing.
    pub programs: Vec<(Slicing, Program)>,
}

/// Runs `case` through parser, elaboration, reference interpreter, lowering, checker, text form, passes and the
/// interpreter of Usuba0.
///
/// # Errors
/// The first difference. A panic is a failure too.
pub fn agree(case: &Case) -> Result<Agreed, Failure> {
    let mut stage = String::from("parse");
    let outcome = catch_unwind(AssertUnwindSafe(|| attempt(case, &mut stage)));
    match outcome {
        Ok(Ok(agreed)) => Ok(agreed),
        Ok(Err(message)) => {
            // Other errors are another failure.
            let is_code = |word: &&str| word.len() == 5 && word.starts_with('E');
            let codes: std::collections::BTreeSet<&str> =
                message.split_whitespace().filter(is_code).collect();
            let codes: Vec<&str> = codes.into_iter().collect();
            Err(Failure::new(format!("{stage} {}", codes.join(" ")).trim_end(), message))
        }
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
            Err(Failure::new(format!("{stage} (panic)"), text.unwrap_or_default()))
        }
    }
}

fn attempt(case: &Case, stage: &mut String) -> Result<Agreed, String> {
    let (sources, ast) = stages::parsed(&case.text)?;
    *stage = "format".into();
    let formatted = usuba_lang::format::format(&case.text).map_err(|found| stages::told(&sources, &found))?;
    let (other_sources, other_ast) = stages::parsed(&formatted).map_err(|e| format!("{e}\n{formatted}"))?;
    let mut agreed: Option<Agreed> = None;
    let mut programs = Vec::new();
    for &slicing in &case.slicings {
        *stage = format!("elaborate for {slicing}");
        let typed = stages::typed(&sources, &ast, slicing)?;
        *stage = format!("interpret for {slicing}");
        let first = match agreed.take() {
            Some(agreed) => agreed,
            None => draw(&typed, case.seed),
        };
        let bits = typed.atoms() == typed::Atoms::Bits;
        let arguments: Vec<_> = first.arguments.iter().map(|a| in_mode(&first.inputs, a, bits)).collect();
        let mut interpreter = usuba_lang::interpret::Interpreter::new(&typed);
        let results: Vec<_> = arguments.iter().map(|a| interpreter.run(a)).collect();
        *stage = format!("sums for {slicing}");
        crate::sums::compare(&typed, &arguments, &results)?;
        *stage = format!("interpret for {slicing}");
        let words: Vec<_> = results.iter().map(|r| in_words(&first.outputs, r, bits)).collect();
        let first = if first.results.is_empty() {
            Agreed { results: words, ..first }
        } else {
            differ(&first.results, &words)?;
            first
        };
        if programs.is_empty() {
            *stage = "formatted text".into();
            let typed = stages::typed(&other_sources, &other_ast, slicing)
                .map_err(|e| format!("{e}\n{formatted}"))?;
            let mut interpreter = usuba_lang::interpret::Interpreter::new(&typed);
            let again: Vec<_> = arguments.iter().map(|a| interpreter.run(a)).collect();
            differ(&results, &again).map_err(|e| format!("{e}\n{formatted}"))?;
        }

        let mut random = Random::new(case.seed ^ 0xb175);
        let options = usuba_lower::Options {
            loops: random.weighted(&[
                (40, usuba_lower::Options::new(slicing).loops),
                (20, Loops::Sized { least: 24, body: 40 }),
                (30, Loops::Keep),
                (10, Loops::Unroll),
            ]),
            // Not of the numbers that choose the rest: what a seed stood for before, it stands for now.
            split: if case.seed % 2 == 1 { Split::All } else { Split::Sized },
            published_circuits: random.chance(70),
            ..usuba_lower::Options::new(slicing)
        };
        *stage = format!("lower for {slicing}");
        let mut program = stages::lowered(&sources, &typed, &options)?;
        *stage = format!("Usuba0 for {slicing}");
        let run = |program: &Program| -> Result<(), String> {
            let mut interpreter = usuba_ir::interpret::Interpreter::new(program);
            let batches = program.interleave.max(1) as usize;
            let mut found = Vec::new();
            for first in (0..arguments.len()).step_by(batches) {
                // The last call is filled up with vectors from the start.
                let group: Vec<_> = (first..first + batches)
                    .map(|place| arguments[place % arguments.len()].clone())
                    .collect();
                let outputs = interpreter.run(&interpret::join(program, &group));
                found.extend(interpret::part(program, &outputs));
            }
            found.truncate(results.len());
            differ(&results, &found).map_err(|e| format!("{e}\n{program}"))
        };
        run(&program)?;
        *stage = format!("text of Usuba0 for {slicing}");
        let again = Program::parse(&program.to_string()).map_err(|e| format!("{e}"))?;
        if again != program {
            return Err(format!(
                "reading what was printed gives another program:\n{program}\n--- becomes\n{again}"
            ));
        }
        if random.chance(70) {
            let settings = pass::Settings {
                inline_all: random.chance(25),
                no_inline: random.chance(25),
                interleave: random.weighted(&[(50, None), (20, Some(1)), (20, Some(2)), (10, Some(3))]),
                granularity: random.weighted(&[(70, None), (15, Some(1)), (15, Some(5))]),
                ..pass::Settings::default()
            };
            let mut watcher = Watcher { run: &run, found: None, stage: String::new() };
            *stage = format!("passes for {slicing}");
            optimise(&mut program, &settings, &mut watcher);
            if let Some(found) = watcher.found {
                *stage = format!("{} for {slicing}", watcher.stage);
                return Err(found);
            }
        }
        programs.push((slicing, program));
        agreed = Some(first);
    }
    agreed.map(|agreed| Agreed { programs, ..agreed }).ok_or_else(|| "no slicing".into())
}

/// Looks at what every pass leaves.
struct Watcher<'a> {
    run: &'a dyn Fn(&Program) -> Result<(), String>,
    found: Option<String>,
    stage: String,
}

impl pass::Observer for Watcher<'_> {
    fn after(&mut self, pass: &Pass, program: &Program) -> ControlFlow<()> {
        self.stage = format!("pass `{}`", pass.name);
        match stages::checked(program).and_then(|()| (self.run)(program)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(message) => {
                self.found = Some(message);
                ControlFlow::Break(())
            }
        }
    }
}

fn ports(typed: &typed::Program) -> (Vec<Port>, Vec<Port>) {
    let entry = typed.instance(typed.entry());
    let port = |&id: &typed::VariableId| {
        let variable = entry.variable(id);
        let words = variable.atoms() * variable.width / variable.word;
        Port {
            name: variable.name.clone(),
            words: words as usize,
            width: variable.word,
            uniform: variable.constant,
        }
    };
    (entry.inputs.iter().map(port).collect(), entry.outputs.iter().map(port).collect())
}

/// Inputs for a program. Those that are uniform have one value in all.
fn draw(typed: &typed::Program, seed: u64) -> Agreed {
    let (inputs, outputs) = ports(typed);
    let mut random = Random::new(seed ^ 0x1234_5678);
    let mut arguments: Vec<Vec<Vec<u128>>> = Vec::new();
    for vector in 0..VECTORS {
        let values = inputs.iter().enumerate().map(|(number, port)| match arguments.first() {
            Some(first) if port.uniform => first[number].clone(),
            _ => (0..port.words)
                .map(|_| match vector {
                    1 => 0,
                    2 => u128::MAX >> (128 - port.width),
                    _ => random.word(port.width),
                })
                .collect(),
        });
        let values = values.collect();
        arguments.push(values);
    }
    Agreed { inputs, outputs, arguments, results: Vec::new(), programs: Vec::new() }
}

/// Values of words as atoms.
pub fn in_mode(ports: &[Port], values: &[Vec<u128>], bits: bool) -> Vec<Vec<u128>> {
    let spread = |(port, words): (&Port, &Vec<u128>)| {
        words.iter().flat_map(|word| (0..port.width).rev().map(move |bit| word >> bit & 1)).collect()
    };
    if bits { ports.iter().zip(values).map(spread).collect() } else { values.to_vec() }
}

fn in_words(ports: &[Port], values: &[Vec<u128>], bits: bool) -> Vec<Vec<u128>> {
    let gather = |(port, atoms): (&Port, &Vec<u128>)| {
        atoms
            .chunks(port.width as usize)
            .map(|word| word.iter().fold(0, |value, bit| value << 1 | bit))
            .collect()
    };
    if bits { ports.iter().zip(values).map(gather).collect() } else { values.to_vec() }
}

fn differ(expected: &[Vec<Vec<u128>>], found: &[Vec<Vec<u128>>]) -> Result<(), String> {
    match expected.iter().zip(found).position(|(e, f)| e != f) {
        None => Ok(()),
        Some(vector) => Err(format!(
            "for inputs number {vector}\n  expected {:x?}\n  found    {:x?}",
            expected[vector], found[vector]
        )),
    }
}
