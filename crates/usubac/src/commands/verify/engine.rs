//! An engine of a library is proved: from bytes in memory to bytes in memory.

use super::certificate::Certificate;
use super::engine_question::{Engine, Function};
use crate::args::Verify;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::{Value, json};
use std::time::Instant;
use usuba_trial::proof::engine::caveats;

/// Proves the kernels in an object, then the functions around them, says each, and writes a certificate if one is asked for.
pub fn run(verify: &Verify, output: &Output) -> Result<(), Failure> {
    let engine = Engine::read(verify, output)?;
    let start = Instant::now();
    let functions = engine.prove(verify, |function| {
        if !output.is_json() {
            let Function { symbol, what, instructions } = function;
            print_line(&format!("proved: `{symbol}` {what}, {instructions} instructions"));
        }
    })?;
    if let Some(path) = &verify.certificate {
        Certificate::of_engine(verify, &engine, &functions).write(path, start.elapsed())?;
    }
    if output.is_json() {
        let of = |one: &Function| json!({ "function": one.symbol, "what": one.what, "instructions": one.instructions });
        let functions: Vec<Value> = functions.iter().map(of).collect();
        print_json(&json!({ "verdict": "proved", "functions": functions, "caveats": caveats() }));
        return Ok(());
    }
    print_line(&format!("  caveats of SOUNDNESS.md: {}", caveats().join(" ")));
    if let Some(path) = &verify.certificate {
        print_line(&format!("wrote {}", path.display()));
    }
    Ok(())
}
