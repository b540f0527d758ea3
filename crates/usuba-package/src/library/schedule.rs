//! Key schedules in a library: one on general-purpose registers, which all machines have, and where the manifest names one on
//! blocks, that from the first level of a platform on that has code for it.

use super::platforms::alternatives;
use super::source::source;
use super::{Options, amalgamate, head};
use crate::OutputFile;
use crate::engine::{self, BuildError, Choices};
use crate::manifest::{BlockCipher, Function, Primitive};
use crate::template::Values;
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_target::{PLATFORMS, Target};

/// The key schedule of a primitive; of one that is no block cipher nothing.
#[derive(Default)]
pub struct KeySchedule {
    /// C before the functions that users call: `schedule` with its kernel, and what is declared.
    pub text: String,
    /// The statements that make `ctx->keys` of `key`.
    pub run: String,
    /// Files of their own.
    pub files: Vec<OutputFile>,
}

/// Bytes of the stack that a schedule on blocks may have written: beside the copies that it overwrites itself, what a compiler
/// puts there.
const PACKED_DEAD: u32 = 1024;

impl KeySchedule {
    /// On general-purpose registers, by a function `schedule`.
    pub fn portable(cipher: &BlockCipher, schedule: &str) -> KeySchedule {
        KeySchedule::alone(schedule, dead_stack(cipher))
    }

    /// A function `schedule` that may have written so much of the stack.
    fn alone(schedule: &str, dead: u32) -> KeySchedule {
        let values = Values::default().text("dead", dead);
        KeySchedule {
            text: schedule.to_owned() + &values.fill(include_str!("templates/set_key.c")),
            run: values.fill(include_str!("templates/run_schedule_portable.c")),
            files: Vec::new(),
        }
    }
}

/// Bytes of the stack that a key schedule may have written: on planes and bits it has a state of many registers. Serpent's by gcc
/// writes 2,070.
fn dead_stack(cipher: &BlockCipher) -> u32 {
    match &cipher.schedule {
        Some(schedule) if schedule.slicing != Slicing::V => 8192,
        _ => 3072,
    }
}

/// The key schedule of a primitive.
///
/// # Errors
/// It does not compile, or the manifest does not fit it.
pub fn build(primitive: &Primitive, loaded: &Loaded, options: &Options) -> Result<KeySchedule, BuildError> {
    let Function::BlockCipher(cipher) = &primitive.function else { return Ok(KeySchedule::default()) };
    let mut choices = Choices::new(Slicing::V);
    choices.prefix = options.prefix.into();
    choices.command = options.command.into();
    let of = |name: &str| {
        let values = Values::default().text("name", name).text("packed_dead", PACKED_DEAD);
        values.text("dead", dead_stack(cipher))
    };
    if let Some(target) = options.level
        && let Some((name, file)) = packed(primitive, loaded, target, "", &choices, options)?
    {
        let text = of(&name).fill(include_str!("templates/packed_schedule_alone.c"));
        let text = text + &decryption_keys(primitive, cipher, loaded, &choices)?;
        return Ok(KeySchedule { files: vec![file], ..KeySchedule::alone(&text, PACKED_DEAD) });
    }
    let (text, files) = engine::key_schedule(primitive, cipher, loaded, &choices)?;
    let text = text + &decryption_keys(primitive, cipher, loaded, &choices)?;
    let mut schedule = KeySchedule::portable(cipher, &(kernel_in_place(&files) + &text));
    let (mut declarations, mut runs) = (Vec::new(), Vec::new());
    for platform in PLATFORMS.iter().filter(|_| options.level.is_none()) {
        let is_wanted = |target: &Target| {
            options.targets.is_empty() || options.targets.iter().any(|wanted| wanted.name == target.name)
        };
        for (level, target) in platform.levels.iter().enumerate().filter(|(_, target)| is_wanted(target)) {
            let condition = platform.condition;
            if let Some((name, file)) = packed(primitive, loaded, target, condition, &choices, options)? {
                let run = of(&name).text("level", level).fill(include_str!("templates/run_schedule.c"));
                runs.push((condition.to_owned(), run));
                let declared = of(&name).fill(include_str!("templates/packed_schedule_declared.c"));
                declarations.push((condition.to_owned(), declared));
                schedule.files.push(file);
                break;
            }
        }
    }
    if !runs.is_empty() {
        let nothing = (String::new(), String::new());
        schedule.text += &alternatives(declarations.into_iter().chain([nothing]));
        runs.push((String::new(), schedule.run));
        schedule.run = alternatives(runs);
    }
    Ok(schedule)
}

/// The function `decryption_keys` with its kernel, or nothing.
fn decryption_keys(
    primitive: &Primitive,
    cipher: &BlockCipher,
    loaded: &Loaded,
    choices: &Choices,
) -> Result<String, BuildError> {
    let made = engine::decryption_keys(primitive, cipher, loaded, choices)?;
    Ok(made.map_or_else(String::new, |(text, files)| kernel_in_place(&files) + &text))
}

/// The schedule on blocks for a target: the name of its function, and its file for where a condition holds.
fn packed(
    primitive: &Primitive,
    loaded: &Loaded,
    target: &'static Target,
    condition: &str,
    choices: &Choices,
    options: &Options,
) -> Result<Option<(String, OutputFile)>, BuildError> {
    let machine = target.name.replace(['-', '.'], "_");
    let name = format!("{}{}_{machine}_schedule", options.prefix, primitive.identifier());
    let Some(built) = engine::packed_schedule(primitive, loaded, target, choices, &name)? else {
        return Ok(None);
    };
    let path = format!("{name}.c");
    let summary = format!("keys of {} for {}: {}.", primitive.name, target.name, target.description);
    let values = source(&built, target, &name, options).when("conditional", !condition.is_empty());
    let text = values.text("condition", condition).fill(include_str!("templates/engine/engine.c"));
    let contents = head(&path, &summary, options) + &text;
    Ok(Some((name, OutputFile { path, contents })))
}

/// The kernel of a key schedule inside of another file: nobody else calls it. One that is bitsliced is thousands of moves of
/// single words; looking for vectors among them takes GCC longer than all else, and what it finds is slower.
fn kernel_in_place(files: &[OutputFile]) -> String {
    let mut seen = Vec::new();
    let sources = files.iter().filter(|file| file.path.ends_with(".c"));
    let headers: Vec<OutputFile> = files.iter().filter(|file| file.path.ends_with(".h")).cloned().collect();
    let text: String = sources.map(|file| amalgamate::inline(&file.contents, &headers, &mut seen)).collect();
    Values::default()
        .when("kernel", !text.is_empty())
        .text("kernel", text.trim_end_matches('\n'))
        .fill(include_str!("templates/kernel_in_place.c"))
}
