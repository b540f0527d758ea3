//! `usubac build` of cipher folders for one target: which way each primitive is built.

use crate::args::Build;
use crate::cipher::Cipher;
use crate::compile::{agrees, backend, candidates, options};
use crate::files;
use crate::output::Failure;
use crate::overrides;
use crate::prediction::{self, Best, Refusal};
use usuba_compiler::pipeline::Settings;
use usuba_package::engine::Choices;
use usuba_package::manifest::Primitive;
use usuba_target::Target;
use usuba_trial::tuned::Tuned;
use usuba_trial::variant::Variant;

/// What was chosen for a primitive.
pub struct Chosen {
    /// The name of the primitive.
    pub primitive: String,
    /// How it is built.
    pub choices: Choices,
    /// The tuned variant that this is, if it is one.
    pub tuned: Option<Variant>,
}

/// The choices for those primitives of a cipher that are asked for: what was tuned, if the options do not contradict, else
/// the slicing that is predicted fastest.
///
/// # Errors
/// A primitive has no code for the target.
pub fn choose(
    build: &Build,
    path: &str,
    cipher: &Cipher,
    tuned: &Tuned,
    target: &'static Target,
) -> Result<Vec<Chosen>, Failure> {
    let asked =
        |primitive: &&Primitive| build.primitive.is_empty() || build.primitive.contains(&primitive.name);
    cipher
        .manifest
        .primitives
        .iter()
        .filter(asked)
        .map(|primitive| choose_for(build, path, cipher, primitive, tuned, target))
        .collect()
}

fn choose_for(
    build: &Build,
    path: &str,
    cipher: &Cipher,
    primitive: &Primitive,
    tuned: &Tuned,
    target: &'static Target,
) -> Result<Chosen, Failure> {
    let tuned = tuned.find(&primitive.name, target.name).map(|choice| choice.variant);
    let tuned = tuned.filter(|variant| agrees(variant, &build.compile));
    let Best { slicing, batches } = match tuned {
        Some(variant) => Best::of(variant.slicing()),
        None => fastest(build, cipher, primitive, target)?,
    };
    let mut choices = Choices::new(slicing);
    choices.command = format!(
        "usubac build {} --primitive {} --slicing {slicing} --target {}{}",
        files::base_name(path),
        primitive.name,
        target.name,
        options(&build.compile)
    );
    match tuned {
        Some(variant) => {
            variant.apply(&mut choices);
            choices.command.push_str(&format!(" (tuned: {variant})"));
        }
        None => choices.backend = backend(&build.compile),
    }
    choices.settings = choices.settings.with(&overrides::overrides(&build.compile.overrides)?);
    choices.settings.passes.interleave = choices.settings.passes.interleave.or(batches);
    Ok(Chosen { primitive: primitive.name.clone(), choices, tuned })
}

fn fastest(
    build: &Build,
    cipher: &Cipher,
    primitive: &Primitive,
    target: &'static Target,
) -> Result<Best, Failure> {
    let among = match candidates(&build.compile, &primitive.slicings) {
        Ok(among) => among,
        Err(asked) => return Ok(asked),
    };
    let overrides = overrides::overrides(&build.compile.overrides)?;
    let with = |slicing| {
        let primitive = primitive.in_slicing(slicing, Some(target));
        Settings::new(slicing, Some(primitive.main_node())).with(&overrides)
    };
    prediction::fastest(&cipher.loaded, &with, &among, target, build.compile.blocks).map_err(|refusals| {
        let names: Vec<String> = refusals.iter().map(|(slicing, _)| slicing.to_string()).collect();
        let reason = refusals.iter().find_map(|(slicing, refusal)| match refusal {
            Refusal::Target(missing) => missing.first().map(|missing| format!("; {slicing}: {missing}")),
            Refusal::Internal(error) => Some(format!("; {slicing}: {error}")),
            Refusal::Program(_) => None,
        });
        Failure::general(format!(
            "`{}` has no code for `{}` in any of its slicings ({}){}",
            primitive.name,
            target.name,
            names.join(", "),
            reason.unwrap_or_default()
        ))
    })
}
