//! `usubac verify --ct`: what depends on secrets in an object file.

use crate::args::{SecretArg, Verify};
use crate::output::{Failure, Output, plain, print_json, print_line};
use serde_json::{Value, json};
use std::path::Path;
use usuba_verify::object::file::Object;
use usuba_verify::taint::{Findings, Leak, Place, Secret, check};

/// Instructions of a path that are printed.
const SHOWN: usize = 12;

/// Reads the object, looks at its functions, and prints what was found.
pub fn run(verify: &Verify, path: &Path, output: &Output) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::file("cannot read", path, &plain(&error)))?;
    let object = Object::parse(&bytes).map_err(|why| Failure::file("cannot read", path, &why.to_string()))?;
    let mut names: Vec<String> = verify.function.clone();
    if names.is_empty() {
        let seen = object.functions.iter().filter(|function| function.is_global);
        names.extend(seen.map(|function| function.name.clone()));
    }
    if names.is_empty() {
        return Err(Failure::file("nothing to look at in", path, "no other object sees a function of it"));
    }
    let named = verify.secret.iter().filter_map(|secret| secret.function.as_ref());
    if let Some(other) = named.into_iter().find(|name| !names.contains(name)) {
        return Err(Failure::file(
            "wrong `--secret` for",
            path,
            &format!("no function `{other}` is looked at"),
        ));
    }
    let mut all = Vec::new();
    for name in names {
        let of = |one: &&SecretArg| one.function.as_ref().is_none_or(|function| *function == name);
        let secrets: Vec<Secret> = verify.secret.iter().filter(of).map(|one| one.secret).collect();
        let findings = check(&object, &name, &secrets)
            .map_err(|why| Failure::file("cannot look at", path, &why.to_string()))?;
        all.push((name, findings));
    }
    if output.is_json() {
        print_json(&Value::Array(all.iter().map(json_of).collect()));
    } else {
        all.iter().for_each(print);
    }
    let leaks: usize = all.iter().map(|(_, findings)| findings.leaks.len()).sum();
    let unknown: usize = all.iter().map(|(_, findings)| findings.unknown.len()).sum();
    match (leaks, unknown) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::Undecided),
        _ => Err(Failure::Said),
    }
}

fn print((name, findings): &(String, Findings)) {
    let (leaks, count) = (findings.leaks.len(), findings.instructions);
    let verdict = match leaks {
        0 if findings.unknown.is_empty() => "nothing depends on a secret".to_owned(),
        0 => "no leak is known".to_owned(),
        1 => "1 leak".to_owned(),
        _ => format!("{leaks} leaks"),
    };
    print_line(&format!("{name}: {verdict} ({count} instructions)"));
    for Leak { place, kind, path, secret } in &findings.leaks {
        print_line(&format!("  {place}\n    {kind}"));
        for place in path.iter().take(SHOWN) {
            print_line(&format!("    from {place}"));
        }
        if path.len() > SHOWN {
            print_line(&format!("    and {} instructions before", path.len() - SHOWN));
        }
        print_line(&format!("    from {secret}"));
    }
    for (place, why) in &findings.unknown {
        print_line(&format!("  {place}\n    {why}"));
    }
}

fn json_of((name, findings): &(String, Findings)) -> Value {
    let place = |place: &Place| {
        let line = place.line.as_ref().map(|line| json!({ "file": line.file, "line": line.line }));
        json!({ "function": place.function, "offset": place.offset, "instruction": place.instruction, "source": line })
    };
    let leak = |leak: &Leak| {
        json!({
            "at": place(&leak.place), "kind": leak.kind.to_string(), "secret": leak.secret.to_string(),
            "path": leak.path.iter().map(place).collect::<Vec<_>>(),
        })
    };
    let unknown = |(at, why): &(Place, &'static str)| json!({ "at": place(at), "why": why });
    json!({
        "function": name, "instructions": findings.instructions,
        "leaks": findings.leaks.iter().map(leak).collect::<Vec<_>>(),
        "unknown": findings.unknown.iter().map(unknown).collect::<Vec<_>>(),
    })
}
