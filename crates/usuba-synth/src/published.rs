//! The circuits of the compiler's database as netlists of gates of three inputs.

use usuba_logic::netlist::{Gate, Netlist};
use usuba_lower::{circuit, circuits};

/// A circuit of the compiler's, gate by gate.
pub fn from_circuit(circuit: &circuit::Circuit) -> Netlist {
    let mut netlist = Netlist { inputs: circuit.inputs, gates: Vec::new(), outputs: Vec::new() };
    let mut wires: Vec<usize> = (0..circuit.inputs).collect();
    for gate in &circuit.gates {
        let (of, table) = match *gate {
            circuit::Gate::Not(a) => ([a; 3], 0x01),
            circuit::Gate::And(a, b) => ([a, b, b], 0x80),
            circuit::Gate::Or(a, b) => ([a, b, b], 0x98),
            circuit::Gate::Xor(a, b) => ([a, b, b], 0x18),
            circuit::Gate::AndNot(a, b) => ([a, b, b], 0x10),
            circuit::Gate::Ternary(table, of) => (of, table),
        };
        let of = of.map(|wire| wires[wire]);
        // A constant, such as x ^ x, is kept as it stands.
        netlist.gates.push(Gate::normal(of, table).unwrap_or(Gate { of, table: 0 }));
        wires.push(netlist.inputs + netlist.gates.len() - 1);
    }
    netlist.outputs = circuit.outputs.iter().map(|&wire| wires[wire]).collect();
    netlist
}

/// A circuit of the database, row by row.
pub fn from_published(published: &circuits::Published) -> Netlist {
    let gate = |&(of, table)| Gate::normal(of, table).unwrap_or(Gate { of, table });
    Netlist {
        inputs: published.circuit.inputs,
        gates: published.rows.iter().map(gate).collect(),
        outputs: published.result.clone(),
    }
}
