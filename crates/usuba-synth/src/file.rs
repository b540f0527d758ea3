//! Circuits as files of the database.

use crate::{Basis, Found, Gate, Table};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The document of a circuit, in the form of the database (`circuits/README.md` of the lowering).
pub fn document(name: &str, basis: Basis, table: &Table, found: &Found) -> Value {
    let netlist = &found.netlist;
    let wire = |wire: usize| format!("x{wire}");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let gates: Vec<Value> = netlist
        .gates
        .iter()
        .enumerate()
        .map(|(number, gate)| {
            let (kind, of) = if basis == Basis::Ternary { ("lut3", gate.of.to_vec()) } else { kind(gate) };
            *counts.entry(kind).or_default() += 1;
            let mut row = vec![json!(wire(netlist.inputs + number)), json!(kind)];
            row.extend(of.into_iter().map(|of| json!(wire(of))));
            if basis == Basis::Ternary {
                row.push(json!(gate.table));
            }
            Value::Array(row)
        })
        .collect();
    let mut totals: Map<String, Value> =
        counts.into_iter().map(|(kind, count)| (kind.to_owned(), json!(count))).collect();
    totals.insert("total".to_owned(), json!(netlist.gates.len()));
    let proof = if found.is_minimal() {
        "SAT (batsat): every smaller number of gates is unsatisfiable".to_owned()
    } else {
        format!("none; at least {} gates are needed", found.lower_bound)
    };
    json!({
        "sbox": name,
        "inputs": table.inputs,
        "outputs": table.outputs,
        "table": table.entries,
        "bit_order": "msb-first: input 0 is the most significant bit, likewise outputs",
        "basis": if basis == Basis::Ternary { "lut3" } else { "and2" },
        "gates": gates,
        "result": netlist.outputs.iter().map(|&output| wire(output)).collect::<Vec<_>>(),
        "counts": totals,
        "depth": netlist.depth(),
        "source": "found here: usubac synth, local resynthesis and SAT",
        "licence": "found here, free of rights (mathematical facts)",
        "proved_optimal": found.is_minimal(),
        "proof": proof,
        "lower_bound": found.lower_bound,
    })
}

/// The name of a gate of two inputs or a choice, and its operands in the order of that name.
fn kind(gate: &Gate) -> (&'static str, Vec<usize>) {
    let [a, b, c] = gate.of;
    if a == b {
        return ("not", vec![a]);
    }
    if b == c {
        return match gate.table {
            0x80 => ("and", vec![a, b]),
            0x98 => ("or", vec![a, b]),
            0x18 => ("xor", vec![a, b]),
            0x10 => ("andn", vec![a, b]),
            _ => ("andn", vec![b, a]),
        };
    }
    let value = |s: usize, x: usize, y: usize| {
        let place = |wire: usize| gate.of.iter().position(|&of| of == wire).unwrap_or(0);
        let rows = crate::basis::OPERANDS;
        let [s, x, y] = [s, x, y].map(|wire| rows[place(wire)]);
        (s & x) | (!s & y)
    };
    let orders = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
    let order = orders.into_iter().find(|&[s, x, y]| value(s, x, y) == gate.table).unwrap_or(gate.of);
    ("mux", order.to_vec())
}
