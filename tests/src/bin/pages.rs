//! Writes a page for each cipher to `docs/ciphers/`: what its manifest says, which targets have code for it in which slicing,
//! how many known answers it has and from whom, and what it was measured to take.
//!
//! `make pages` runs it; arguments are ciphers to write only the pages of. It compiles the main node of every primitive for every slicing and target, minutes in all.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use usuba_compiler::pipeline::{Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_package::library::measured::Batch;
use usuba_package::library::share_engines;
use usuba_package::manifest::{Construction, Function, Primitive, Scheme};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};

fn main() {
    let folder = root().join("docs/ciphers");
    std::fs::create_dir_all(&folder).expect("docs can be written to");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let measured = json(&root().join("docs/performance/data.json"));
    let mut index = String::from(
        "# The ciphers\n\n\
         One page each, written by `make pages` from manifests, vectors, the compiler and the figures of\n\
         [the performance page](../performance.md).\n\n| cipher | specification | primitives | constructions |\n|---|---|---|---|\n",
    );
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        let names: Vec<&str> = cipher.manifest.primitives.iter().map(|one| one.name.as_str()).collect();
        let over: Vec<&str> = cipher.manifest.constructions.iter().map(|one| one.name.as_str()).collect();
        let _ = writeln!(
            index,
            "| [{}]({name}.md) | {} | {} | {} |",
            cipher.manifest.title,
            cipher.manifest.specification,
            names.join(", "),
            over.join(", ")
        );
        if wanted.is_empty() || wanted.iter().any(|one| one == name) {
            let text = page(name, &cipher, &measured);
            std::fs::write(folder.join(format!("{name}.md")), text).expect("docs can be written to");
        }
    }
    std::fs::write(folder.join("index.md"), index).expect("docs can be written to");
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn page(name: &str, cipher: &Cipher, measured: &Value) -> String {
    let manifest = &cipher.manifest;
    let mut text = format!(
        "# {}\n\nSpecification: {}. Source, manifest and decisions: `ciphers/{name}/`.\n",
        manifest.title, manifest.specification
    );
    for primitive in &manifest.primitives {
        let _ = write!(text, "\n## {}\n\n{}\n\n", primitive.name, what(primitive));
        text += &vectors(name, &primitive.vectors);
        text += "\n| slicing | blocks at once, by target | no code for |\n|---|---|---|\n";
        for &slicing in &primitive.slicings {
            let (with, without) = targets(cipher, primitive, slicing);
            let _ = writeln!(text, "| {slicing} | {with} | {without} |");
        }
        text += &figures(&primitive.name, measured);
        text += &batches(cipher, primitive);
    }
    for construction in &manifest.constructions {
        let _ = write!(
            text,
            "\n## {}\n\n{} over {}.\n\n",
            construction.name,
            scheme(construction),
            construction.over.join(" and ")
        );
        text += &vectors(name, &construction.vectors);
    }
    text.replace(" over .", ".")
}

fn what(primitive: &Primitive) -> String {
    match &primitive.function {
        Function::BlockCipher(cipher) => format!(
            "A block cipher: keys of {} bytes, blocks of {}; {}.",
            cipher.key.bytes,
            cipher.block.bytes,
            if cipher.decrypt.is_some() {
                "both directions and the key schedule"
            } else {
                "encryption and the key schedule"
            }
        ),
        Function::Stream(stream) => format!(
            "A stream cipher: keys of {} bytes, nonces of {}, a counter of {}, blocks of {}.",
            stream.key.bytes, stream.nonce.bytes, stream.counter.bytes, stream.keystream.bytes
        ),
        Function::Generator(generator) => format!(
            "A stream cipher with a state of {} bytes: keys of {} bytes, nonces of {}.",
            generator.state.bytes, generator.key.bytes, generator.nonce.bytes
        ),
        Function::Permutation(permutation) => format!("A permutation of {} bytes.", permutation.state.bytes),
    }
}

fn scheme(construction: &Construction) -> &'static str {
    match construction.scheme {
        Scheme::Aead { .. } => "Authenticated encryption",
        Scheme::Hash { .. } => "A hash function",
        Scheme::Xof { .. } => "A hash function with output of any size",
        Scheme::Mac { .. } => "A one-time authenticator",
    }
}

/// How many known answers there are, by where they come from.
fn vectors(name: &str, paths: &[String]) -> String {
    let mut origins: BTreeMap<&'static str, usize> = BTreeMap::new();
    for path in paths {
        let file = json(&root().join("ciphers").join(name).join(path));
        for vector in file["vectors"].as_array().into_iter().flatten() {
            let origin = vector["origin"].as_str().unwrap_or_default();
            let kind = ["official", "secondary"].into_iter().find(|kind| origin.starts_with(kind));
            *origins.entry(kind.unwrap_or("computed, by two implementations at least")).or_default() += 1;
        }
    }
    let parts: Vec<String> = origins.iter().map(|(origin, count)| format!("{count} {origin}")).collect();
    format!("Known answers in `vectors/`: {}. `make test` checks them.\n", parts.join(", "))
}

/// The targets that have code in a slicing, with instances a call, and those that have none.
fn targets(cipher: &Cipher, primitive: &Primitive, slicing: Slicing) -> (String, String) {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for target in usuba_target::all() {
        let has = |other: &str| !without.contains(&other);
        if !target.adds_to(slicing, has) {
            continue;
        }
        let base = target.bases().find(|base| has(base.name));
        let settings = Settings::new(slicing, Some(primitive.in_slicing(slicing, Some(target)).main_node()));
        let naming = usuba_codegen::Options { symbol: "kernel".into(), ..Default::default() };
        match compile(&cipher.loaded, &settings, target, &naming, &mut ()) {
            Ok(compiled) if base.is_some_and(|base| !compiled.kernel.report.goes_beyond(base)) => {}
            Ok(compiled) => with.push(format!("{} {}", target.name, compiled.kernel.instances)),
            Err(_) => without.push(target.name),
        }
    }
    (with.join(", "), without.join(", "))
}

/// What calls of one batch take on each core, if that was measured: what the shortest call costs, and from how many blocks on wide
/// engines pay.
fn batches(cipher: &Cipher, primitive: &Primitive) -> String {
    let shares = |other: &&Primitive| other.name == primitive.name || share_engines(other, primitive);
    let first = cipher.manifest.primitives.iter().find(shares).unwrap_or(primitive);
    let block = usuba_trial::bench::block_bytes(primitive);
    let mut text = String::new();
    for (core, table) in cipher.measured.tables() {
        let Some(batches) = table.batches.get(&first.name) else { continue };
        let mut rows: Vec<(&String, &Batch)> = batches.iter().collect();
        rows.sort_by(|a, b| (a.1.blocks, a.0).cmp(&(b.1.blocks, b.0)));
        let compared = match table.assembly.as_str() {
            "" => String::new(),
            machine => format!("; in assembly, as a part of that: {machine}"),
        };
        let _ = write!(
            text,
            "\nThe shortest call of each engine that a library could keep, on {}; a call for fewer blocks takes as long (core \
             cycles from bytes to bytes, {}, {}{compared}):\n\n| engine | blocks | cycles | a byte | in assembly |\n\
             |---|---|---|---|---|\n",
            core.name, table.machine, table.tools
        );
        for (engine, &Batch { blocks, cycles, assembly }) in rows {
            let _ = writeln!(
                text,
                "| {engine} | {blocks} | {cycles:.0} | {:.2} | {} |",
                cycles / f64::from(blocks * block),
                assembly.map_or_else(|| "–".to_owned(), |part| format!("{part:.2}"))
            );
        }
    }
    text
}

/// What was measured, if anything was.
fn figures(primitive: &str, measured: &Value) -> String {
    let mut rows = String::new();
    for row in measured["ours"].as_array().into_iter().flatten() {
        if row["primitive"] == primitive {
            let number = |value: &Value| {
                value.as_f64().map_or_else(|| "–".to_owned(), |number| format!("{number:.2}"))
            };
            let whole: Vec<String> = row["whole"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(mode, cycles)| format!("{mode} {}", number(cycles)))
                .collect();
            let _ = writeln!(
                rows,
                "| {} | {} | {} | {} | {} | {} |",
                row["target"].as_str().unwrap_or_default(),
                row["slicing"].as_str().unwrap_or_default(),
                row["compiler"].as_str().unwrap_or_default(),
                number(&row["kernel"]),
                number(&row["port_bound"]),
                whole.join(", ")
            );
        }
    }
    if rows.is_empty() {
        return "\nNot benchmarked.\n".into();
    }
    let machine = measured["machine"]["processor"].as_str().unwrap_or("an unknown machine");
    format!(
        "\nCore cycles per byte ({machine}: see the performance page):\n\n\
         | target | slicing | by | kernel | port bound | bytes to bytes |\n|---|---|---|---|---|---|\n{rows}"
    )
}
