//! The object code of a mode of operation, for messages of some lengths.

use super::limits;
use crate::args::Verify;
use crate::message::{self, Named};
use crate::output::{Failure, Output, print_json, print_line};
use crate::targets;
use serde_json::json;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::typed;
use usuba_message::form::{Message as Form, Sameness, Variable};
use usuba_message::in_place::in_place;
use usuba_message::incremental::incremental;
use usuba_message::number::Term;
use usuba_package::message::CIPHER;
use usuba_package::message::files::{Machines, whole_code};
use usuba_trial::proof::caveats_of_modes;
use usuba_verify::object::blocks::Verdict;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::message::{Message, Report};
use usuba_verify::symbolic::source;

/// Lengths that strings have where none are said: parts of blocks, whole ones, and more than all that code computes at once.
const LENGTHS: [i64; 14] = [12, 0, 16, 33, 1, 100, 13, 15, 64, 17, 257, 4, 7, 48];

/// Lengths that most modes have.
const BASES: [i64; 6] = [12, 16, 13, 8, 1, 0];

/// What libraries have that says something of the processor.
const ASKED: &str = "usuba_shares_ports";

/// Proves the function of a mode in an object, for each list of lengths.
pub fn run(verify: &Verify, mode: &str, output: &Output) -> Result<(), Failure> {
    let [Some(folder), Some(file), Some(target)] = [&verify.left, &verify.right, &verify.target] else {
        return Err(Failure::general(
            "`--mode` needs the folder of a manifest, an object file and `--target`",
        ));
    };
    let named = message::of_mode(folder, mode, verify.primitive.as_ref(), &verify.search, output)?;
    let form = &named.message;
    let bytes = std::fs::read(file)
        .map_err(|error| Failure::file("cannot read", file.as_ref(), &error.to_string()))?;
    let [target] = targets::named(std::slice::from_ref(target))?[..] else {
        return Err(Failure::general("`--mode` needs one target"));
    };
    let object = Object::parse_for(&bytes, Architecture::X86_64)
        .map_err(|error| Failure::file("cannot read", file.as_ref(), &error.to_string()))?;
    let symbol = verify.symbol.clone().unwrap_or_else(|| format!("usuba_{}", named.identifier));
    let machines = Machines::of(target).map_err(Failure::general)?;
    let prepared = prepared(&named, machines, &symbol)?;
    let of_key: Vec<bool> =
        form.inputs.iter().map(|&id| form.variable(id).sameness == Sameness::Key).collect();
    let node = usuba_package::message::named(mode).map_or("", |mode| mode.node);
    let mut proved = Vec::new();
    for lengths in lists(verify, form)? {
        let program = elaborated(&named, node, &lengths, output)?;
        let product = source::product(&program);
        let numbers: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
        for in_place in places(form) {
            let how = if in_place.is_some() { ", in place" } else { "" };
            let said = format!("{}{how}", said(form, &lengths));
            let message = Message {
                symbol: &symbol,
                program: &program,
                product,
                numbers: &numbers,
                of_key: &of_key,
                prepared,
                in_place,
                asks: object.calls(ASKED).then_some(ASKED),
            };
            let (verdict, report) = message
                .prove(&object, limits(verify.effort))
                .map_err(|why| Failure::Unknown(format!("`{symbol}` is not proved for {said}: {why}")))?;
            judge(&symbol, &said, &verdict)?;
            if !output.is_json() {
                let Report { instructions, polynomials, work } = report;
                print_line(&format!(
                    "proved: `{symbol}` for {said}: {instructions} instructions, {polynomials} polynomials, {} vertices",
                    work.vertices
                ));
            }
            proved.push(json!({ "lengths": said, "instructions": report.instructions }));
        }
    }
    if output.is_json() {
        print_json(
            &json!({ "verdict": "proved", "function": symbol, "messages": proved, "caveats": caveats_of_modes() }),
        );
        return Ok(());
    }
    print_line(&format!("  caveats of SOUNDNESS.md: {}", caveats_of_modes().join(" ")));
    Ok(())
}

/// Bytes of what is prepared. Libraries have functions for strings in pieces beside, which prepare more.
fn prepared(named: &Named, machines: Machines, symbol: &str) -> Result<usize, Failure> {
    let parts = incremental(&named.message).ok();
    let mut most = 0;
    for pieces in [None, parts.as_ref()] {
        let code = whole_code(&named.message, &named.loaded, machines, false, symbol, pieces);
        most = most.max(code.map_err(|refusal| Failure::general(refusal.0))?.prepared);
    }
    Ok(most)
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

/// The text elaborated for a list of lengths.
fn elaborated(
    named: &Named,
    node: &str,
    lengths: &[i64],
    output: &Output,
) -> Result<typed::Program, Failure> {
    let message = &named.message;
    let nats = message.lengths[..message.nats].iter().cloned().zip(lengths.iter().copied()).collect();
    let strings = message.inputs.iter().map(|&id| message.variable(id));
    let strings = strings.filter(|variable| variable.sameness != Sameness::Key);
    let words = strings
        .filter_map(|variable| Some((variable.name.clone(), u64::try_from(bytes(variable, lengths)?).ok()?)))
        .collect();
    let options = Options {
        entry: Some(node.to_owned()),
        nats,
        words,
        cipher: Some(CIPHER.to_owned()),
        keep_tables: true,
        ..Options::new()
    };
    let (program, diagnostics) = elaborate(&named.loaded.program, &options);
    program.ok_or_else(|| {
        output.diagnostics(&diagnostics, &named.loaded.sources);
        Failure::Said
    })
}

/// The bytes of a variable for these lengths.
fn bytes(variable: &Variable, lengths: &[i64]) -> Option<i64> {
    let value = |term: &Term| match term {
        Term::Length(place) => lengths.get(*place as usize).copied().unwrap_or(0),
        _ => 0,
    };
    variable.bytes()?.evaluate(&value).ok()
}

/// The lists of lengths: those that are said, or some that fit.
fn lists(verify: &Verify, message: &Form) -> Result<Vec<Vec<i64>>, Failure> {
    let count = message.lengths.len();
    if !verify.lengths.is_empty() {
        return verify.lengths.iter().map(|text| list(text, message)).collect();
    }
    // One list that fits, and what may stand in place of each of its lengths.
    let mut base: Vec<i64> = vec![BASES[0]; count];
    if !fitting(message, &mut base, 0) {
        return Err(Failure::general("no lengths that fit were found: say some with `--lengths`"));
    }
    let choices: Vec<Vec<i64>> = (0..count)
        .map(|place| {
            let with = |length: &i64| {
                let mut all = base.clone();
                all[place] = *length;
                message.fits(&all)
            };
            LENGTHS.into_iter().filter(with).collect()
        })
        .collect();
    let mut lists: Vec<Vec<i64>> = vec![base.clone()];
    for seed in 0..LENGTHS.len() {
        let choice = |(place, choices): (usize, &Vec<i64>)| {
            let own = (seed + seed / choices.len().max(1)) * (place + 1) + 5 * place;
            choices.get(own % choices.len().max(1)).copied().unwrap_or(base[place])
        };
        let chosen: Vec<i64> = choices.iter().enumerate().map(choice).collect();
        if message.fits(&chosen) && !lists.contains(&chosen) {
            lists.push(chosen);
        }
    }
    Ok(lists)
}

/// Finds lengths that fit, those before `place` being as they are.
fn fitting(message: &Form, lengths: &mut Vec<i64>, place: usize) -> bool {
    if message.fits(lengths) {
        return true;
    }
    place < lengths.len()
        && BASES.iter().any(|&length| {
            lengths[place] = length;
            fitting(message, lengths, place + 1)
        })
}

/// A list of lengths from `name=number,…`.
fn list(text: &str, message: &Form) -> Result<Vec<i64>, Failure> {
    let mut found: Vec<Option<i64>> = vec![None; message.lengths.len()];
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let place = part.split_once('=').and_then(|(name, number)| {
            let place = message.lengths.iter().position(|known| known == name.trim())?;
            Some((place, number.trim().parse::<i64>().ok().filter(|number| (0..1 << 20).contains(number))?))
        });
        let Some((place, number)) = place else {
            return Err(Failure::general(format!(
                "`{part}` is no length: write NAME=NUMBER, where names are {}, and numbers below 2^20",
                message.lengths.join(", ")
            )));
        };
        found[place] = Some(number);
    }
    let missing = found.iter().position(Option::is_none);
    if let Some(place) = missing {
        return Err(Failure::general(format!(
            "`--lengths {text}` does not say `{}`",
            message.lengths[place]
        )));
    }
    let found: Vec<i64> = found.into_iter().flatten().collect();
    if !message.fits(&found) {
        return Err(Failure::general(format!("the message has no such lengths: {text}")));
    }
    Ok(found)
}

/// Lengths in words.
fn said(message: &Form, lengths: &[i64]) -> String {
    let pairs = message.lengths.iter().zip(lengths).map(|(name, length)| format!("{name}={length}"));
    pairs.collect::<Vec<_>>().join(" ")
}

/// The output apart from all inputs, and where an input is, if it may be there.
fn places(message: &Form) -> Vec<Option<(usize, usize)>> {
    let place = |(input, output): (_, _)| {
        let from = message.inputs.iter().position(|id| *id == input)?;
        let to = message.outputs.iter().position(|id| *id == output)?;
        Some(Some((from, to)))
    };
    std::iter::once(None).chain(in_place(message).into_iter().filter_map(place)).collect()
}
