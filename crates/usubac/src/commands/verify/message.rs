//! The object code of a mode of operation or of another message, for some lengths.

use super::limits;
use crate::args::Verify;
use crate::message::{self, Named};
use crate::output::{Failure, Output, print_json, print_line};
use crate::targets;
use serde_json::json;
use usuba_package::message::files::Machines;
use usuba_trial::proof::message::{Code, FromHere, Lists, NoMessage, Proved, Subject, caveats};
use usuba_verify::object::blocks::Verdict;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::message::Report;

/// Proves the function of a message in an object, for each list of lengths.
pub fn run(verify: &Verify, output: &Output) -> Result<(), Failure> {
    let [Some(text), Some(file), Some(target)] = [&verify.left, &verify.right, &verify.target] else {
        return Err(Failure::general(
            "`--mode` needs the folder of a manifest, `--bytes` a program, both an object file and `--target`",
        ));
    };
    let named = match &verify.mode {
        Some(mode) => message::of_mode(text, mode, verify.primitive.as_ref(), &verify.search, output)?,
        None => message::of_program(text, verify.entry.entry.as_deref(), &verify.search, output)?,
    };
    let bytes = std::fs::read(file)
        .map_err(|error| Failure::file("cannot read", file.as_ref(), &error.to_string()))?;
    let [target] = targets::named(std::slice::from_ref(target))?[..] else {
        return Err(Failure::general("a message needs one target"));
    };
    let object = Object::parse_for(&bytes, Architecture::X86_64)
        .map_err(|error| Failure::file("cannot read", file.as_ref(), &error.to_string()))?;
    let symbol = verify.symbol.clone().unwrap_or_else(|| format!("usuba_{}", named.identifier));
    let failed = |why| failure(why, &named, output);
    let code = Code { machines: Machines::of(target).map_err(Failure::general)?, around: verify.around };
    let subject =
        Subject::of_node((&named.message, &named.loaded), &named.node, named.cipher.as_deref(), code);
    let prepared = subject.prepared(&symbol).map_err(failed)?;
    let mut lists: Vec<(Vec<i64>, Option<usize>)> = Vec::new();
    for text in &verify.lengths {
        let Lists { lists: said, grows } = subject.lists(text).map_err(failed)?;
        lists.extend(said.into_iter().map(|list| (list, grows)));
    }
    if lists.is_empty() {
        let some = subject.some_lengths().map_err(failed)?;
        lists.extend(some.into_iter().map(|list| (list, None)));
    }
    let is_in_place = !subject.in_place().is_empty();
    let in_place = if is_in_place { ", also in place" } else { "" };
    let mut proved = Vec::new();
    for (lengths, grows) in &lists {
        let said = subject.said(lengths);
        if let Some(place) = *grows {
            let from = FromHere { lengths, place };
            let found = subject.prove_growing(&object, (&symbol, prepared), from, limits(verify.effort));
            let Proved { verdict, by, alone, report } =
                found.map_err(|why| growing_failure(why, (&symbol, &said), &failed))?;
            judge(&symbol, &format!("{said} or longer"), &verdict)?;
            if !output.is_json() {
                print_line(&format!(
                    "proved: `{symbol}` for {said} and each length that is longer by a multiple of {by}{in_place}: by induction, {} \
                     instructions; {} lengths one by one",
                    report.instructions,
                    alone.len()
                ));
            }
            proved.push(json!({
                "lengths": said, "longer_by": by, "in_place": is_in_place, "instructions": report.instructions,
                "one_by_one": alone
            }));
            continue;
        }
        let (verdict, report) = subject
            .prove(&object, (&symbol, prepared), lengths, limits(verify.effort))
            .map_err(|why| match why {
            NoMessage::NoProof(why) => {
                Failure::Unknown(format!("`{symbol}` is not proved for {said}: {why}"))
            }
            why => failed(why),
        })?;
        judge(&symbol, &said, &verdict)?;
        if !output.is_json() {
            let Report { instructions, polynomials, work } = report;
            print_line(&format!(
                "proved: `{symbol}` for {said}{in_place}: {instructions} instructions, {polynomials} polynomials, {} vertices",
                work.vertices
            ));
        }
        proved.push(json!({ "lengths": said, "in_place": is_in_place, "instructions": report.instructions }));
    }
    let is_growing = lists.iter().any(|(_, grows)| grows.is_some());
    let caveats = caveats(subject.calls_ciphers(), is_growing);
    if output.is_json() {
        print_json(
            &json!({ "verdict": "proved", "function": symbol, "messages": proved, "caveats": caveats }),
        );
        return Ok(());
    }
    print_line(&format!("  caveats of SOUNDNESS.md: {}", caveats.join(" ")));
    Ok(())
}

/// A message of any length that is not proved.
fn growing_failure(
    why: NoMessage,
    (symbol, said): (&str, &str),
    failed: &dyn Fn(NoMessage) -> Failure,
) -> Failure {
    let why = match why {
        NoMessage::NoProof(why) => why.to_string(),
        NoMessage::NoTurn(why) => why,
        why => return failed(why),
    };
    Failure::Unknown(format!("`{symbol}` is not proved for {said} or longer: {why}"))
}

fn failure(why: NoMessage, named: &Named, output: &Output) -> Failure {
    match why {
        NoMessage::Text(diagnostics) => {
            output.diagnostics(&diagnostics, &named.loaded.sources);
            Failure::Said
        }
        why => Failure::general(why.to_string()),
    }
}

fn judge(symbol: &str, said: &str, verdict: &Verdict) -> Result<(), Failure> {
    match verdict {
        Verdict::Proved => Ok(()),
        Verdict::Refuted { byte } => Err(Failure::general(format!(
            "refuted: `{symbol}` for {said}: byte {byte} of the outputs is wrong for some inputs"
        ))),
        Verdict::Unknown | Verdict::Unfounded => {
            Err(Failure::Unknown(format!("`{symbol}` for {said}: neither proved nor refuted in the limits")))
        }
    }
}
