//! `usubac synth`: small circuits for tables.

use crate::args::{BasisArg, Entry, Synth};
use crate::output::{Failure, Output, print_json, print_line};
use crate::{files, front_end, targets};
use serde_json::json;
use usuba_algebra::inversion::inversion_form;
use usuba_compiler::pipeline;
use usuba_ir::bytes::ByteAffine;
use usuba_lang::typed::{Atoms, Body};
use usuba_synth::{Basis, Effort, Table, document, synthesise};

/// Finds the table, searches, checks, prints.
pub fn run(synth: &Synth, output: &Output) -> Result<(), Failure> {
    let (name, table) = match (&synth.hex, &synth.file) {
        (Some(hex), _) => ("table".to_owned(), read_hex(hex, synth.outputs)?),
        (None, Some(file)) => {
            let name = synth.table.clone().unwrap_or_default();
            let table = read_program(file, &name, synth, output)?;
            (name, table)
        }
        (None, None) => {
            return Err(Failure::general("there is no table: give a FILE and `--table`, or `--hex`"));
        }
    };
    let basis = basis(synth)?;
    let effort = Effort {
        visits: synth.visits as usize,
        seeds: u64::from(synth.seeds),
        conflicts: u64::from(synth.conflicts),
        published: !synth.no_database,
    };
    let bar = crate::progress::bar(output);
    let found = synthesise(basis, &table, &effort, &mut |what, gates| {
        bar.set_message(format!("{gates} gates; {what}"));
        bar.tick();
    })
    .map_err(|refusal| Failure::general(format!("`{name}`: {refusal}")))?;
    bar.finish_and_clear();
    let document = document(&name, basis, &table, &found);
    if let Some(path) = &synth.output {
        let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
        files::write_all(std::path::Path::new(""), &[(path.clone(), text)])?;
    }
    let inversion = inversion_form(&table.entries);
    if output.is_json() {
        let map = |map: &ByteAffine| json!({ "columns": map.columns, "constant": map.constant, "matrix": format!("{:#018x}", map.matrix()) });
        let inversion =
            inversion.map(|form| json!({ "before": map(&form.before), "after": map(&form.after) }));
        let published = found.published.as_ref().map(|(gates, file)| json!({ "gates": gates, "file": file }));
        print_json(&json!({
            "netlist": document,
            "gates": found.netlist.gates.len(),
            "proved_minimal": found.is_minimal(),
            "lower_bound": found.lower_bound,
            "published": published,
            "diagram": found.diagram,
            "inversion": inversion,
        }));
        return Ok(());
    }
    let claim = if found.is_minimal() {
        "proved minimal".to_owned()
    } else {
        format!("best found, lower bound {}", found.lower_bound)
    };
    let gates = found.netlist.gates.len();
    print_line(&format!("{name}: {gates} gates, depth {}, {claim}", found.netlist.depth()));
    match &found.published {
        Some((gates, file)) => print_line(&format!("database: {gates} gates ({file})")),
        None => print_line("database: no circuit for this table"),
    }
    print_line(&format!("decision diagram: {} gates of two inputs", found.diagram));
    if let Some(form) = inversion {
        let map = |map: &ByteAffine| format!("matrix {:#018x}, constant {:#04x}", map.matrix(), map.constant);
        print_line(&format!(
            "inversion in GF(2^8); before it {}; after it {} (as GFNI takes them)",
            if form.before == ByteAffine::IDENTITY { "nothing".to_owned() } else { map(&form.before) },
            if form.after == ByteAffine::IDENTITY { "nothing".to_owned() } else { map(&form.after) },
        ));
    }
    if let Some(path) = &synth.output {
        print_line(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn basis(synth: &Synth) -> Result<Basis, Failure> {
    if let Some(name) = &synth.target {
        let chosen = targets::named(std::slice::from_ref(name))?;
        return match chosen[..] {
            [target] => Ok(pipeline::basis(target)),
            _ => Err(Failure::general(format!("`{name}` is more than one target: name one"))),
        };
    }
    Ok(match synth.basis {
        Some(BasisArg::Ternary) => Basis::Ternary,
        Some(BasisArg::Select) => Basis::Select,
        Some(BasisArg::TwoInput) | None => Basis::TwoInput,
    })
}

/// The table of that name in a program.
fn read_program(file: &str, name: &str, synth: &Synth, output: &Output) -> Result<Table, Failure> {
    let loaded = front_end::read(file, &synth.search, output)?;
    let entry = Entry { entry: Some(name.to_owned()), word: Some(1), ..Entry::default() };
    let options = front_end::options(&entry, &synth.search, Atoms::Bits, None)?;
    let program = front_end::elaborate(&loaded, &options, output)?;
    match &program.instance(program.entry()).body {
        Body::Table(table) => Ok(Table {
            inputs: table.inputs as usize,
            outputs: table.outputs as usize,
            entries: table.entries.clone(),
        }),
        _ => Err(Failure::general(format!(
            "`{name}` is not a table: name a `table`, or an element of a `table[]`"
        ))),
    }
}

/// One value a digit, or values separated by commas.
fn read_hex(text: &str, outputs: Option<u32>) -> Result<Table, Failure> {
    let values: Vec<&str> = if text.contains(',') {
        text.split(',').map(str::trim).collect()
    } else {
        text.split("").filter(|digit| !digit.is_empty()).collect()
    };
    let entries: Vec<u64> = values
        .iter()
        .map(|value| {
            u64::from_str_radix(value.strip_prefix("0x").unwrap_or(value), 16)
                .map_err(|_| Failure::general(format!("`--hex`: `{value}` is not a hexadecimal number")))
        })
        .collect::<Result<_, _>>()?;
    if !entries.len().is_power_of_two() {
        return Err(Failure::general(format!(
            "`--hex`: {} values, but a table has as many as there are inputs: a power of two",
            entries.len()
        )));
    }
    let largest = entries.iter().copied().max().unwrap_or(0);
    let needed = (64 - largest.leading_zeros()).max(1);
    let outputs = outputs.unwrap_or(needed);
    if outputs < needed {
        return Err(Failure::general(format!(
            "`--outputs {outputs}`: the value {largest:x} has {needed} bits"
        )));
    }
    Ok(Table { inputs: entries.len().trailing_zeros() as usize, outputs: outputs as usize, entries })
}
