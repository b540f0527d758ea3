//! An engine of a library is proved: from bytes in memory to bytes in memory.

use super::limits;
use super::question::{compiler, target};
use crate::args::{AUTO, Verify};
use crate::cipher::Cipher;
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::{Value, json};
use std::path::Path;
use usuba_package::engine::Choices;
use usuba_package::manifest::{Function, Primitive};
use usuba_trial::proof::engine::{Claim, Subject, caveats};
use usuba_verify::object::blocks::{Task, Verdict};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::{self, Kept};

/// Proves the kernels in an object, then the functions around them, and says each.
pub fn run(verify: &Verify, output: &Output) -> Result<(), Failure> {
    let path = verify.left.as_deref().unwrap_or_default();
    let (Some(name), Some(slicing)) = (verify.target.as_deref(), verify.slicing.unwrap_or(AUTO).0) else {
        return Err(Failure::general(
            "an engine is that of a slicing and a target: name them with `--slicing` and `--target`",
        ));
    };
    if verify.certificate.is_some() || verify.symbol.is_some() || verify.entry.entry.is_some() {
        return Err(Failure::general(
            "an engine has several kernels, and no certificate yet: leave out `--entry`, `--symbol` and `--certificate`",
        ));
    }
    let target = target(name)?;
    let cipher = Cipher::read(path, &verify.search, output)?;
    let primitive = primitive(&cipher, path, verify.primitive.as_ref())?;
    let mut choices = Choices::new(slicing);
    choices.settings.passes.interleave = verify.inter_factor;
    let subject = Subject::of(primitive, &cipher.loaded, target, &choices)
        .map_err(|why| Failure::general(format!("`{}` has no such engine: {why}", primitive.name)))?;
    let bytes = match &verify.right {
        Some(path) => {
            files::read(Path::new(path)).map_err(|why| Failure::file("cannot read", Path::new(path), &why))?
        }
        None => compiler(target, verify.cc.as_deref().unwrap_or("gcc"))
            .and_then(|compiler| subject.object(&compiler, &["-O2"]))
            .map_err(|why| Failure::general(why.to_string()))?,
    };
    let object = Object::parse(&bytes).map_err(|why| Failure::general(why.to_string()))?;
    let mut proved: Vec<Value> = Vec::new();
    let mut say = |function: &str, what: &str, instructions: u64| {
        proved.push(json!({ "function": function, "what": what, "instructions": instructions }));
        if !output.is_json() {
            print_line(&format!("proved: `{function}` {what}, {instructions} instructions"));
        }
    };
    let mut kept: Vec<(&str, Kept)> = Vec::new();
    for role in subject.roles() {
        let symbol = subject.symbol(role);
        let proof = subject.kernel(&object, role, limits(verify.effort));
        let (verdict, report) = proof.map_err(|why| not_proved(symbol, &why.to_string()))?;
        match verdict {
            kernel::Verdict::Proved => {}
            kernel::Verdict::Unknown => return Err(unknown(symbol, verify.effort)),
            kernel::Verdict::Refuted(found) => {
                let what = format!("refuted: `{symbol}` differs from its text in {}", found.output);
                return Err(Failure::general(what));
            }
        }
        kept.push((role, report.kept));
        say(symbol, &format!("is the kernel of `{}`", subject.node(role)), report.instructions);
    }
    for claim in subject.claims(&object) {
        let of_role = kept.iter().find(|(role, _)| *role == claim.role).map_or(Kept::default(), |one| one.1);
        let proof = subject.prove(&object, &claim, of_role, limits(verify.effort));
        let (verdict, report) = proof.map_err(|why| not_proved(&claim.function, &why.to_string()))?;
        match verdict {
            Verdict::Proved => say(&claim.function, &words(&claim), report.instructions),
            Verdict::Unknown => return Err(unknown(&claim.function, verify.effort)),
            Verdict::Refuted { byte } => {
                let place = format!(
                    "byte {byte} of the output, or the block that begins there, is wrong for some inputs"
                );
                return Err(Failure::general(format!(
                    "refuted: `{}` does not do this: it {}; {place}",
                    claim.function,
                    words(&claim)
                )));
            }
        }
    }
    if output.is_json() {
        print_json(&json!({ "verdict": "proved", "functions": proved, "caveats": caveats() }));
    } else {
        print_line(&format!("  caveats of SOUNDNESS.md: {}", caveats().join(" ")));
    }
    Ok(())
}

fn primitive<'a>(cipher: &'a Cipher, path: &str, name: Option<&String>) -> Result<&'a Primitive, Failure> {
    let named = cipher.primitives(name.map_or(&[], std::slice::from_ref))?;
    let is_block_cipher = |one: &&Primitive| matches!(one.function, Function::BlockCipher(_));
    let missing = || {
        Failure::general(match name {
            Some(name) => format!("`{name}` is no block cipher: only engines of block ciphers are proved"),
            None => format!("`{path}` has no block cipher: only engines of block ciphers are proved"),
        })
    };
    named.into_iter().find(is_block_cipher).ok_or_else(missing)
}

/// What a function does, after its name.
fn words(claim: &Claim) -> String {
    let place = |in_place: bool| if in_place { "in place" } else { "to another place" };
    match claim.task {
        Task::Load => format!("brings round keys into the form of the kernel that has to {}", claim.role),
        Task::Same => "takes round keys as they are".into(),
        Task::Apply { blocks, in_place } => {
            let s = if blocks == 1 { "" } else { "s" };
            format!("brings {blocks} block{s} through the kernel, {}", place(in_place))
        }
        Task::Counter { length, from, in_place } => {
            format!("encrypts {length} bytes by counters from …{from:08x}, {}", place(in_place))
        }
    }
}

fn not_proved(function: &str, why: &str) -> Failure {
    Failure::Unknown(format!("`{function}` is not proved: {why}"))
}

fn unknown(function: &str, effort: u32) -> Failure {
    let more = effort.saturating_mul(10);
    Failure::Unknown(format!(
        "`{function}` is neither proved nor refuted in the limits\n  help: try `--effort {more}`"
    ))
}
