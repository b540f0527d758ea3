//! From the options about passes to the settings of the pipeline.

use crate::args;
use crate::output::Failure;
use usuba_codegen::Scheduling;
use usuba_compiler::pipeline::Overrides;
use usuba_lower::{Loops, Split};
use usuba_opt::hoist::KEY_HOISTING;
use usuba_opt::pass;
use usuba_opt::passes::PASSES;
use usuba_trial::variant::Variant;

/// What the command line says about passes.
///
/// # Errors
/// There is no pass of a name.
pub fn overrides(given: &args::Overrides) -> Result<Overrides, Failure> {
    let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).chain([KEY_HOISTING]).collect();
    if let Some(name) = given.disable_pass.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::general(format!("there is no pass `{name}`; there are {}", known.join(", "))));
    }
    Ok(Overrides {
        loops: match (given.no_unroll, given.unroll) {
            (true, _) => Some(Loops::Keep),
            (_, true) => Some(Loops::Unroll),
            _ => None,
        },
        split: match (given.split_nodes, given.no_split_nodes) {
            (true, _) => Some(Split::All),
            (_, true) => Some(Split::None),
            _ => None,
        },
        passes: pass::Settings {
            inline_all: given.inline_all,
            no_inline: given.no_inline,
            interleave: given.inter_factor,
            granularity: given.inter_granul,
            disabled: given.disable_pass.clone(),
            ..pass::Settings::default()
        },
        order: given.order,
    })
}

/// The options that say so, with a blank before each.
pub fn options(given: &args::Overrides) -> String {
    let flags = [
        (given.no_unroll, "--no-unroll"),
        (given.unroll, "--unroll"),
        (given.split_nodes, "--split-nodes"),
        (given.no_split_nodes, "--no-split-nodes"),
        (given.inline_all, "--inline-all"),
        (given.no_inline, "--no-inline"),
    ];
    let mut text: String = flags.iter().filter(|(on, _)| *on).map(|(_, flag)| format!(" {flag}")).collect();
    for (value, option) in [(given.inter_factor, "--inter-factor"), (given.inter_granul, "--inter-granul")] {
        if let Some(value) = value {
            text.push_str(&format!(" {option} {value}"));
        }
    }
    if given.order != Scheduling::AUTO {
        text.push_str(&format!(" --order {}", given.order));
    }
    for name in &given.disable_pass {
        text.push_str(&format!(" --disable-pass {name}"));
    }
    text
}

/// Whether a variant is what the options ask for, as far as both can say it.
pub fn agree(variant: &Variant, given: &args::Overrides) -> bool {
    let factor = given.inter_factor.map(|factor| factor.to_string());
    let options = [
        (given.no_unroll, "loops", "keep"),
        (given.unroll, "loops", "unroll"),
        (given.split_nodes, "split", "all"),
        (given.no_split_nodes, "split", "none"),
        (given.inline_all, "inline", "all"),
        (given.no_inline, "inline", "none"),
        (factor.is_some(), "interleave", factor.as_deref().unwrap_or_default()),
        (given.order != Scheduling::AUTO, "order", given.order.name()),
    ];
    options.iter().all(|(on, knob, value)| !on || variant.value(knob) == Some(value))
}
