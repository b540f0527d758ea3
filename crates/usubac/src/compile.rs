//! What the options about compiling ask for, and what is said where a target has no code for it.

use crate::args::{BackendArg, Compile};
use crate::output::Failure;
use crate::overrides;
use crate::prediction::Best;
use usuba_codegen::{Backend, Missing};
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_target::Target;
use usuba_trial::variant::Variant;

/// The language of the kernels that is asked for.
pub fn backend(choices: &Compile) -> Backend {
    match choices.backend {
        None | Some(BackendArg::C) => Backend::C,
        Some(BackendArg::Asm) => Backend::Assembly,
    }
}

/// The options that say so, where they must be said.
pub fn options(choices: &Compile) -> String {
    let backend = match backend(choices) {
        Backend::C => "",
        Backend::Assembly => " --backend asm",
    };
    format!("{backend}{}", overrides::options(&choices.overrides))
}

/// Whether a variant is what the options ask for, as far as they say anything.
pub fn agrees(variant: &Variant, choices: &Compile) -> bool {
    let slicing = choices.slicing.0.is_none_or(|slicing| slicing == variant.slicing());
    let backend = choices.backend.is_none() || backend(choices) == variant.backend();
    slicing && backend && overrides::agree(variant, &choices.overrides)
}

/// The slicings among which the command line lets choose, and whether there is a choice to make.
pub fn candidates(choices: &Compile, all: &[Slicing]) -> Result<Vec<Slicing>, Best> {
    match (choices.slicing.0, choices.blocks) {
        (Some(slicing), None) => Err(Best::of(slicing)),
        (Some(slicing), Some(_)) => Ok(vec![slicing]),
        (None, _) => Ok(all.to_vec()),
    }
}

/// The name of the function that is made of a node, if the command line gives none.
pub fn usual_symbol(entry: Option<&str>, loaded: &Loaded, slicing: Slicing, target: &Target) -> String {
    let last = loaded.program.definitions.last().map(|definition| definition.name.text.as_str());
    let entry = entry.or(last).unwrap_or("kernel");
    let entry: String = entry.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let target = target.name.replace(['-', '.'], "_");
    format!("usuba_{}_{slicing}_{target}", entry.to_lowercase().trim_end_matches('_'))
}

/// What a target lacks for a program in a slicing.
pub fn refused(slicing: Slicing, target: &Target, missing: &[Missing]) -> Failure {
    let mut reasons: Vec<String> = Vec::new();
    for reason in missing.iter().map(ToString::to_string) {
        if reasons.len() < 5 && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Failure::general(format!(
        "`{}` has no code for this program under `--slicing {slicing}`: {}",
        target.name,
        reasons.join("; ")
    ))
}
