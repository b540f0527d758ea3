//! Messages: their loops, and what may be computed at once.

use crate::args::Explain;
use crate::message::{self, Named};
use crate::output::{Failure, Output, print_json, print_line};
use crate::targets;
use serde_json::{Value, json};
use usuba_blockwise::glue::LoopCode;
use usuba_lang::load::Loaded;
use usuba_message::classes::{Classified, classify};
use usuba_message::form::Message;
use usuba_message::incremental::{Incremental, Whole, incremental};
use usuba_message::print;
use usuba_package::message::files::{self, Machines};

/// A mode over a block cipher of a folder.
pub fn of_mode(explain: &Explain, name: &str, output: &Output) -> Result<(), Failure> {
    let named = message::of_mode(&explain.path, name, explain.primitive.as_ref(), &explain.search, output)?;
    of_message(explain, &named, output)
}

/// A node of a program.
pub fn of_program(explain: &Explain, output: &Output) -> Result<(), Failure> {
    let entry = explain.entry.entry.as_deref();
    of_message(explain, &message::of_program(&explain.path, entry, &explain.search, output)?, output)
}

/// What the loops become, or why there is no code.
type Loops = Result<Vec<LoopCode>, String>;

/// What a loop becomes: one that is not found has gone into another one over the same positions.
fn becomes(loops: &[LoopCode], one: &Classified) -> String {
    let found = loops.iter().find(|code| code.span == one.span && code.range == one.range);
    found.map_or("a part of the loop that reads or makes the same strings".into(), ToString::to_string)
}

/// What the loops become on the targets that are named; those that messages never have code for are left out.
fn code(explain: &Explain, named: &Named) -> Result<Vec<(&'static str, Loops)>, Failure> {
    let mut found = Vec::new();
    for target in targets::named(&explain.target)? {
        let Ok(machines) = Machines::of(target) else { continue };
        let loops = files::loops(&named.message, &named.loaded, machines);

        found.push((target.name, loops.map_err(|refusal| refusal.0)));
    }
    Ok(found)
}

fn of_message(explain: &Explain, named: &Named, output: &Output) -> Result<(), Failure> {
    let Named { name, loaded, written, message, .. } = named;
    let loops = classify(message);
    let codes = code(explain, named)?;
    let pieces = incremental(message);
    if output.is_json() {
        let loops_of = &loops;
        let documents: Vec<_> = loops.iter().map(|one| document(one, loaded)).collect();
        let codes: Vec<Value> = codes
            .iter()
            .map(|(target, code)| match code {
                Ok(codes) => {
                    let codes: Vec<String> = loops_of.iter().map(|one| becomes(codes, one)).collect();
                    json!({ "target": target, "loops": codes })
                }
                Err(reason) => json!({ "target": target, "reason": reason }),
            })
            .collect();
        print_json(
            &json!({ "name": name, "lengths": message.lengths, "loops": documents, "code": codes, "pieces": in_pieces(message, &pieces) }),
        );
        return Ok(());
    }
    let lengths = if message.lengths.is_empty() { "none".to_owned() } else { message.lengths.join(", ") };
    print_line(&format!("{name}: lengths {lengths}"));
    // Targets that do the same are said together.
    let mut said: Vec<(Vec<&str>, &Loops)> = Vec::new();
    for (target, code) in &codes {
        match said.iter_mut().find(|(_, other)| *other == code) {
            Some((targets, _)) => targets.push(target),
            None => said.push((vec![target], code)),
        }
    }
    for one in &loops {
        print_line(&format!("  {}, {}", place(one, loaded), one.range));
        print_line(&format!("    {}", one.class()));
        if one.carried.len() > 1 {
            for (name, class) in &one.carried {
                print_line(&format!("    `{name}`: {class}"));
            }
        }
        for counter in &one.counters {
            print_line(&format!("    counter: {counter}"));
        }
        for neighbour in &one.neighbours {
            print_line(&format!("    neighbours: {neighbour}"));
        }
        for (targets, code) in &said {
            if let Ok(codes) = code {
                print_line(&format!("    code on {}: {}", targets.join(", "), becomes(codes, one)));
            }
        }
    }
    for (targets, code) in &said {
        if let Err(reason) = code {
            print_line(&format!("  no code on {}: {reason}", targets.join(", ")));
        }
    }
    match &pieces {
        Ok(pieces) => {
            for stream in &pieces.streams {
                print_line(&format!("  in pieces: {}", stream.describe(message)));
            }
            print_line(&format!("    between pieces {} bytes are kept", pieces.kept_bytes()));
        }
        Err(reason) => print_line(&format!("  not in pieces: {reason}")),
    }
    if explain.form {
        print_line(&format!("\nas written:\n{written}\nafter the passes:\n{}", print::print(message)));
    }
    Ok(())
}

/// The strings that may come in pieces, or why there is none.
fn in_pieces(message: &Message, pieces: &Result<Incremental, Whole>) -> Value {
    match pieces {
        Ok(pieces) => {
            let strings: Vec<Value> = pieces
                .streams
                .iter()
                .map(|stream| {
                    let name = &message.variable(stream.variable).name;
                    json!({ "string": name, "block": stream.rate, "held": stream.held })
                })
                .collect();
            json!({ "strings": strings, "kept": pieces.kept_bytes() })
        }
        Err(reason) => json!({ "reason": reason.to_string() }),
    }
}

/// The file and line of a loop.
fn place(one: &Classified, loaded: &Loaded) -> String {
    let (line, _) = loaded.sources.line_column(one.span);
    format!("{}:{line}", loaded.sources.get(one.span.source).name)
}

fn document(one: &Classified, loaded: &Loaded) -> serde_json::Value {
    let carried: Vec<_> = one
        .carried
        .iter()
        .map(|(name, class)| json!({ "variable": name, "class": class.to_string() }))
        .collect();
    json!({
        "place": place(one, loaded), "range": one.range, "class": one.class().to_string(),
        "carried": carried, "counters": one.counters, "neighbours": one.neighbours,
    })
}
