//! Messages: their loops, and what may be computed at once.

use crate::args::Explain;
use crate::cipher::Cipher;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{front_end, mode};
use serde_json::json;
use usuba_lang::elaborate::check;
use usuba_lang::load::Loaded;
use usuba_message::classes::{Classified, classify};
use usuba_message::{elaborate, passes, print};
use usuba_package::message::CIPHER;

/// A mode over a block cipher of a folder.
pub fn of_mode(explain: &Explain, name: &str, output: &Output) -> Result<(), Failure> {
    let mode = mode::named(name)?;
    let cipher = Cipher::read(&explain.path, &explain.search, output)?;
    let wanted: Vec<String> = explain.primitive.iter().cloned().collect();
    let primitives = cipher.primitives(&wanted)?;
    let Some(&primitive) = primitives.first() else {
        return Err(Failure::general(format!("`{}` has no primitive", explain.path)));
    };
    let loaded = mode::bound(&cipher, primitive, mode, output)?;
    of_node(explain, &loaded, mode.node, Some(CIPHER), &format!("{name} over {}", primitive.name), output)
}

/// A node of a program.
pub fn of_program(explain: &Explain, output: &Output) -> Result<(), Failure> {
    let loaded = front_end::read(&explain.path, &explain.search, output)?;
    let last = loaded.program.definitions.last().map(|definition| definition.name.text.as_str());
    let node = explain.entry.entry.as_deref().or(last).unwrap_or_default();
    let cipher = loaded.program.ciphers.last().map(|cipher| cipher.name.text.as_str());
    of_node(explain, &loaded, node, cipher, node, output)
}

fn of_node(
    explain: &Explain,
    loaded: &Loaded,
    node: &str,
    cipher: Option<&str>,
    name: &str,
    output: &Output,
) -> Result<(), Failure> {
    let refuse = |findings: &[_]| {
        output.diagnostics(findings, &loaded.sources);
        Failure::Said
    };
    let findings = check(&loaded.program, false);
    if findings.iter().any(usuba_lang::diagnostic::Diagnostic::is_error) {
        return Err(refuse(&findings));
    }
    let mut message =
        elaborate::elaborate(&loaded.program, node, cipher).map_err(|error| refuse(&[*error]))?;
    let written = print::print(&message);
    passes::run(&mut message)
        .map_err(|stuck| Failure::general(format!("{name}: no loops from strings to strings: {stuck}")))?;
    let loops = classify(&message);
    if output.is_json() {
        let loops: Vec<_> = loops.iter().map(|one| document(one, loaded)).collect();
        print_json(&json!({ "name": name, "lengths": message.lengths, "loops": loops }));
        return Ok(());
    }
    let lengths = if message.lengths.is_empty() { "none".to_owned() } else { message.lengths.join(", ") };
    print_line(&format!("{name}: lengths {lengths}"));
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
    }
    if explain.form {
        print_line(&format!("\nas written:\n{written}\nafter the passes:\n{}", print::print(&message)));
    }
    Ok(())
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
