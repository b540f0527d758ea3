//! `usubac targets`: the machines that code is made for.

use crate::args::Targets;
use crate::output::{Failure, Output, print_json, print_line};
use crate::targets::{named, native, runs_here};
use serde_json::{Value, json};

/// Prints all targets, or those that run here, or the flags of one.
pub fn run(arguments: &Targets, output: &Output) -> Result<(), Failure> {
    if let Some(name) = &arguments.flags {
        let target = named(std::slice::from_ref(name))?;
        let flags = target.first().and_then(|target| target.toolchains.first()).map(|chain| chain.gcc_flags);
        print_line(&flags.unwrap_or_default().join(" "));
        return Ok(());
    }
    if arguments.native {
        print_line(native().name);
        return Ok(());
    }
    let rows: Vec<Value> = usuba_target::all()
        .iter()
        .map(|target| {
            let features: Vec<&str> = target.requires.iter().map(|feature| feature.cpuinfo()).collect();
            json!({
                "name": target.name, "description": target.description, "requires": features,
                "register_bits": target.register_bits, "registers": target.register_count,
                "runs_here": runs_here(target),
            })
        })
        .filter(|row| !arguments.here || row["runs_here"] == true)
        .collect();
    if output.is_json() {
        print_json(&Value::Array(rows));
        return Ok(());
    }
    for row in rows {
        let name = row["name"].as_str().unwrap_or_default();
        if arguments.here {
            print_line(name);
            continue;
        }
        let here = if row["runs_here"] == true { "runs here" } else { "" };
        print_line(&format!(
            "{name:<11} {:>4} registers of {:>3} bits  {here:<9}  {}",
            row["registers"],
            row["register_bits"],
            row["description"].as_str().unwrap_or_default()
        ));
    }
    Ok(())
}
