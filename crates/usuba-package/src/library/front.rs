//! The functions that users call, and the headers that declare them.

use super::engines::{Engines, Served, prototypes, row};
use super::platforms::{alternatives, initialiser};
use super::schedule::KeySchedule;
use super::steps::Step;
use super::{Options, head, values};
use crate::OutputFile;
use crate::manifest::{Function, Mode, Primitive};
use crate::template::Values;
use std::fmt::Write;

/// What the templates of a primitive know of its manifest.
pub fn primitive_values(primitive: &Primitive, options: &Options) -> Values {
    let stem = format!("{}{}", options.prefix, primitive.identifier());
    let values =
        values(options).text("name", &primitive.name).text("STEM", stem.to_uppercase()).text("stem", stem);
    match &primitive.function {
        Function::BlockCipher(cipher) => values
            .text("key", cipher.key.bytes)
            .text("block", cipher.block.bytes)
            .text("tweak", cipher.tweak.map_or(0, |tweak| tweak.bytes))
            .text("tweaks", if cipher.tweak.is_some() { crate::driver::TWEAKS } else { "" })
            .text("given", if cipher.tweak.is_some() { "tweaks, " } else { "" })
            .when("tweak", cipher.tweak.is_some())
            .text("directions", if cipher.decrypt_of_engines().is_some() { 2 } else { 1 })
            .text("applied", if cipher.decryption_keys.is_some() { "0" } else { "ecb->direction" })
            .when("decryption_keys", cipher.decryption_keys.is_some())
            .when("keys_for_directions", cipher.decryption_keys.is_none())
            .when("untweaked", cipher.tweak.is_none())
            .text("round_keys", cipher.round_keys.bytes)
            .when("ecb", cipher.modes.contains(&Mode::Ecb))
            .when("decrypt", cipher.decrypt.is_some())
            .when("messages", cipher.modes.iter().any(|mode| !mode.is_of_engines()))
            .when("ctr", cipher.modes.contains(&Mode::Ctr))
            .text(
                "magic",
                format!("{:#018x}", super::magic(&format!("{}{}", options.prefix, primitive.identifier()))),
            ),
        Function::Stream(cipher) => values
            .text("key", cipher.key.bytes)
            .text("nonce", cipher.nonce.bytes)
            .text("block", cipher.keystream.bytes)
            .text("counter", cipher.counter.bytes)
            .text("counter_bits", 8 * cipher.counter.bytes)
            .when("short_counter", cipher.counter.bytes < 8),
        Function::Generator(cipher) => values
            .text("key", cipher.key.bytes)
            .text("nonce", cipher.nonce.bytes)
            .text("state", cipher.state.bytes)
            .text("block", cipher.keystream.bytes),
        Function::Permutation(permutation) => values.text("state", permutation.state.bytes),
    }
}

/// The header of a primitive, about which this is said.
pub fn header(about: &str, primitive: &Primitive, options: &Options) -> OutputFile {
    let template = match &primitive.function {
        Function::BlockCipher(_) => include_str!("templates/block_cipher.h"),
        Function::Stream(_) => include_str!("templates/stream.h"),
        Function::Generator(_) => include_str!("templates/generator.h"),
        Function::Permutation(_) => include_str!("templates/permutation.h"),
    };
    let declarations = primitive_values(primitive, options).fill(template);
    let stem = format!("{}{}", options.prefix, primitive.identifier());
    header_file(&stem, &format!("{about}. Time does not depend on keys or data."), &declarations, options)
}

/// A public header.
pub fn header_file(stem: &str, summary: &str, declarations: &str, options: &Options) -> OutputFile {
    let path = format!("{stem}.h");
    let guard = path.replace('.', "_").to_uppercase();
    let api = values(options).fill(include_str!("templates/api.h"));
    let contents = head(&path, summary, options) + &crate::driver::header(&guard, &api, declarations);
    OutputFile { path, contents }
}

/// The C file with the public functions of a primitive; its key schedule is part of it.
pub fn source(
    primitive: &Primitive,
    schedule: &KeySchedule,
    engines: &Engines,
    options: &Options,
) -> OutputFile {
    let path = format!("{}{}.c", options.prefix, primitive.identifier());
    let values = primitive_values(primitive, options)
        .text("plans", plans(primitive, engines, options))
        .text("schedule", &schedule.text)
        .text("run_schedule", schedule.run.trim_end());
    let template = match &primitive.function {
        Function::BlockCipher(_) => include_str!("templates/block_cipher.c"),
        Function::Stream(_) => include_str!("templates/stream.c"),
        Function::Generator(_) => include_str!("templates/generator.c"),
        Function::Permutation(_) => include_str!("templates/permutation.c"),
    };
    let summary = format!("{}: the functions that users call.", primitive.name);
    let values = values.when("threads", options.threads);
    let includes = values.fill(include_str!("templates/source.c"));
    let text = head(&path, &summary, options) + &includes + &values.fill(template);
    let contents = own_level(&text, options);
    OutputFile { path, contents }
}

/// What two libraries with different prefixes know of the machine is not the same functions.
pub fn own_level(text: &str, options: &Options) -> String {
    if options.prefix == "usuba_" {
        return text.to_owned();
    }
    let known = ["plan(", "level(", "shares_ports(", "has_ifma("];
    known.iter().fold(text.to_owned(), |text, name| {
        text.replace(&format!("usuba_{name}"), &format!("{}{name}", options.prefix))
    })
}

/// The engines of a primitive and which of them is used when, for each platform.
fn plans(primitive: &Primitive, engines: &Engines, options: &Options) -> String {
    let of = |served: &Served| platform_plans(primitive, served, options);
    match &engines.platforms[..] {
        [served] => of(served),
        all => alternatives(all.iter().map(|served| (served.condition.clone(), of(served)))),
    }
}

fn platform_plans(primitive: &Primitive, served: &Served, options: &Options) -> String {
    let values = primitive_values(primitive, options);
    let declared = served.engines.iter().map(|engine| prototypes(primitive, engine, values.clone()));
    let line = |initialiser: String| format!("    {initialiser},\n");
    let rows: String = served.engines.iter().map(|engine| line(row(primitive, engine))).collect();
    let (steps, plans) = lists(served);
    Values::default()
        .when("loaded", matches!(primitive.function, Function::BlockCipher(_)))
        .text("loaded_words", served.key_bytes().div_ceil(8).max(1))
        .text("prototypes", declared.collect::<String>())
        .text("rows", rows)
        .text("steps", steps)
        .text("plans", plans)
        .fill(include_str!("templates/plans.c"))
}

/// A list of steps in the table of all.
struct List<'a> {
    steps: &'a [Step],
    /// The place of its first step.
    start: usize,
    /// Who has it: levels, each with the cores on which it does.
    users: Vec<(&'a str, Vec<&'a str>)>,
}

/// The lists of steps, one after another, and for each core and level where its list begins. Those that several have stand once.
fn lists(served: &Served) -> (String, String) {
    let mut lists: Vec<List> = Vec::new();
    let (mut length, mut plans) = (0, String::new());
    for (core, levels) in served.cores.iter().zip(&served.steps) {
        let mut starts = Vec::new();
        for (level, steps) in served.levels.iter().zip(levels) {
            let place = lists.iter().position(|list| list.steps == steps).unwrap_or_else(|| {
                lists.push(List { steps, start: length, users: Vec::new() });
                length += steps.len();
                lists.len() - 1
            });
            if let Some(List { start, users, .. }) = lists.get_mut(place) {
                starts.push(start.to_string());
                match users.iter_mut().find(|(name, _)| name == level) {
                    Some((_, cores)) => cores.push(core),
                    None => users.push((level, vec![core])),
                }
            }
        }
        let name = if core.is_empty() { String::new() } else { format!(" /* {core} */") };
        let _ = writeln!(plans, "    {},{name}", starts.join(", "));
    }
    let mut text = String::new();
    for List { steps, users, .. } in &lists {
        let user = |(level, cores): &(&str, Vec<&str>)| match cores.len() == served.cores.len() {
            true => (*level).to_owned(),
            false => format!("{level} on {}", cores.join(", ")),
        };
        let step = |step: &Step| {
            let blocks = step.blocks.map_or("SIZE_MAX".into(), |blocks| blocks.to_string());
            initialiser(&[blocks, step.engine.to_string()])
        };
        let steps: Vec<String> = steps.iter().map(step).collect();
        let users: Vec<String> = users.iter().map(user).collect();
        let _ = writeln!(text, "    /* {} */\n    {},", users.join("; "), steps.join(", "));
    }
    (text, plans)
}

/// The header of the whole library.
pub fn whole_header(values: &Values, options: &Options) -> OutputFile {
    let path = format!("{}.h", options.prefix.trim_end_matches('_'));
    let contents =
        head(&path, "all of the library.", options) + &values.fill(include_str!("templates/whole.h"));
    OutputFile { path, contents }
}
