//! `usubac explain`: what a program is recognised as, what it admits, why not the rest, and what it costs; of a message
//! ([`message`]), what its loops are.

mod message;

use crate::args::Explain;
use crate::cipher::Cipher;
use crate::output::{Failure, Output, print_json, print_line};
use crate::prediction::{Refusal, attempt_for, cycles_per_instance, cycles_per_instance_of, output_bytes};
use crate::recognition::{Finding, of_block_cipher, of_entry};
use crate::{front_end, overrides, targets};
use serde_json::{Value, json};
use usuba_codegen::Expansion;
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate::Options;
use usuba_lang::load::Loaded;
use usuba_lang::typed::Atoms;
use usuba_package::manifest::Primitive;
use usuba_target::Target;

/// Tries every slicing on every target.
pub fn run(explain: &Explain, output: &Output) -> Result<(), Failure> {
    if let Some(mode) = &explain.mode {
        return message::of_mode(explain, mode, output);
    }
    if explain.bytes {
        return message::of_program(explain, output);
    }
    let chosen = targets::named(&explain.target)?;
    let entry = front_end::options(&explain.entry, &explain.search, Atoms::Words, None)?;
    let base = Settings::new(Slicing::V, None).with(&overrides::overrides(&explain.overrides)?);
    let mut documents = Vec::new();
    let mut found = false;
    if Cipher::is_at(&explain.path) {
        let cipher = Cipher::read(&explain.path, &explain.search, output)?;
        for primitive in cipher.primitives(&[])? {
            let others = primitive.slicings.iter().filter(|slicing| !targets::TRIED.contains(slicing));
            let slicings = targets::TRIED.iter().chain(others).copied().collect();
            let (name, loaded) = (primitive.name.as_str(), &cipher.loaded);
            let blocks = explain.blocks;
            let place = Place { name, loaded, slicings, blocks, primitive: Some(primitive) };
            let node = Some(primitive.main_node().to_owned());
            let with = Settings { entry: Options { entry: node, ..entry.clone() }, ..base.clone() };
            let recognised = of_block_cipher(&cipher.loaded, primitive);
            found |= one(&place, &with, &recognised, &chosen, output, &mut documents);
        }
    } else {
        let loaded = front_end::read(&explain.path, &explain.search, output)?;
        front_end::check(&loaded, &explain.search, output)?;
        let slicings = targets::TRIED.to_vec();
        let (name, blocks) = (explain.path.as_str(), explain.blocks);
        let place = Place { name, loaded: &loaded, slicings, blocks, primitive: None };
        let settings = Settings { entry, ..base };
        let recognised = of_entry(&loaded, &settings.entry);
        found |= one(&place, &settings, &recognised, &chosen, output, &mut documents);
    }
    if output.is_json() {
        print_json(&Value::Array(documents));
    }
    if found { Ok(()) } else { Err(Failure::Said) }
}

/// What is explained, and for whom.
struct Place<'a> {
    name: &'a str,
    loaded: &'a Loaded,
    slicings: Vec<Slicing>,
    /// Blocks that the caller has at a time.
    blocks: Option<u64>,
    /// The primitive, if it is one of a folder: it may have nodes of its own for blocks and for words.
    primitive: Option<&'a Primitive>,
}

impl Place<'_> {
    /// The node that a slicing is made of for a target, if it is another one than the primitive's.
    fn own_node(&self, slicing: Slicing, target: &Target) -> Option<String> {
        let primitive = self.primitive?;
        let node = primitive.in_slicing(slicing, Some(target)).main_node().to_owned();
        Some(node).filter(|node| node != primitive.main_node())
    }
}

/// Explains one program or primitive, whose entry is that of `with`, and of which this was recognised; whether anything has code.
fn one(
    place: &Place<'_>,
    with: &Settings,
    recognised: &[Finding],
    chosen: &[&'static Target],
    output: &Output,
    documents: &mut Vec<Value>,
) -> bool {
    let Place { name, loaded, blocks, .. } = *place;
    let mut rows = Vec::new();
    let mut ranking: Vec<(f64, String)> = Vec::new();
    let mut found = false;
    let entry = with.entry.entry.as_deref();
    if !output.is_json() {
        print_line(&format!("{name}: {}", entry.unwrap_or("the last definition")));
        recognised.iter().for_each(|finding| print_line(&format!("  {finding}")));
    }
    for &slicing in &place.slicings {
        let mut settings = with.clone();
        settings.lowering.slicing = slicing;
        let mut said: Option<String> = None;
        let mut admitted: Vec<&str> = Vec::new();
        for &target in chosen {
            if !target.adds_to(slicing, |other| admitted.contains(&other)) {
                continue;
            }
            let own = place.own_node(slicing, target);
            let node = own.as_deref().or(entry);
            settings.entry.entry = node.map(str::to_owned);
            if said != own && !output.is_json() {
                print_line(&format!("  {slicing}  is made of the node `{}`", node.unwrap_or_default()));
            }
            said.clone_from(&own);
            let base = target.bases().find(|base| admitted.contains(&base.name));
            match attempt_for(loaded, &settings, target, blocks) {
                Ok(compiled) if base.is_some_and(|base| !compiled.kernel.report.goes_beyond(base)) => {}
                Ok(compiled) => {
                    found = true;
                    admitted.push(target.name);
                    let kernel = &compiled.kernel;
                    let bound = kernel
                        .report
                        .port_bound(target)
                        .map(|_| cycles_per_instance(kernel, target) / output_bytes(kernel).max(1.0 / 8.0));
                    let bytes = output_bytes(kernel).max(1.0 / 8.0);
                    // Ports that are not known cannot be ranked beside those that are.
                    let few = blocks
                        .filter(|_| bound.is_some())
                        .map(|blocks| cycles_per_instance_of(kernel, target, blocks) / bytes);
                    if let Some(few) = few {
                        ranking.push((few, format!("{slicing}  {}", target.name)));
                    }
                    let loops: usize =
                        compiled.program.nodes.iter().map(|node| node.inductions as usize).sum();
                    if output.is_json() {
                        rows.push(json!({
                            "slicing": slicing.to_string(), "node": node, "target": target.name, "admitted": true,
                            "instances": kernel.instances, "gates": kernel.report.gates,
                            "instructions": kernel.report.instructions_run(),
                            "code_bytes": kernel.report.code_bytes, "loops": loops,
                            "port_bound_cycles_per_byte": bound,
                            "port_bound_cycles_per_byte_of_blocks": few,
                            "rules": kernel.expansions.iter().map(|one| one.rule).collect::<Vec<_>>(),
                        }));
                    } else {
                        let bound = match bound {
                            Some(bound) => format!("at best {bound:.2} cycles per byte"),
                            None => "ports not known".to_owned(),
                        };
                        print_line(&format!(
                            "  {slicing}  {:<11} {:>4} instances  {:>7} gates  {:>7} instructions  {:>7} bytes of \
                             code  {loops} loops  {bound}",
                            target.name,
                            kernel.instances,
                            kernel.report.gates,
                            kernel.report.instructions_run(),
                            kernel.report.code_bytes,
                        ));
                        for Expansion { rule, law } in &kernel.expansions {
                            print_line(&format!("     without an instruction, by the rule {rule}: {law}"));
                        }
                    }
                }
                Err(refusal) => {
                    let everywhere = matches!(refusal, Refusal::Program(_));
                    let reason = reason(&refusal, loaded);
                    if output.is_json() {
                        rows.push(json!({
                            "slicing": slicing.to_string(), "node": node,
                            "target": if everywhere { Value::Null } else { json!(target.name) },
                            "admitted": false, "reason": reason,
                        }));
                    } else {
                        let place = if everywhere { "every target" } else { target.name };
                        print_line(&format!("  {slicing}  {place:<11} no: {reason}"));
                    }
                    if everywhere {
                        break;
                    }
                }
            }
        }
    }
    ranking.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(blocks) = blocks.filter(|_| !output.is_json()) {
        print_line(&format!("  for {blocks} blocks at a time, at best:"));
        for (number, (cost, what)) in ranking.iter().enumerate() {
            print_line(&format!("  {:>3}. {what:<14} {cost:.2} cycles per byte", number + 1));
        }
    }
    let recognised: Vec<Value> = recognised.iter().map(Finding::to_json).collect();
    documents.push(json!({
        "name": name, "entry": entry, "blocks": blocks, "recognised": recognised, "rows": rows,
    }));
    found
}

/// The first reason, in a line.
fn reason(refusal: &Refusal, loaded: &Loaded) -> String {
    match refusal {
        Refusal::Target(missing) => missing.first().map(ToString::to_string).unwrap_or_default(),
        Refusal::Internal(error) => error.clone(),
        Refusal::Program(findings) => {
            let Some(finding) = findings.iter().find(|finding| finding.is_error()) else {
                return "no reason was given".into();
            };
            let place = finding.span.map(|span| {
                let (line, column) = loaded.sources.line_column(span);
                format!(" ({}:{line}:{column})", loaded.sources.get(span.source).name)
            });
            let help = finding.help.as_ref().map(|help| format!("; {help}"));
            format!("{}{}{}", finding.message, place.unwrap_or_default(), help.unwrap_or_default())
        }
    }
}
