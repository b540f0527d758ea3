//! The database of published S-box circuits: netlists as data, in `circuits/`, each with its source.
//!
//! Gates of three inputs stay what they are: machines that have no instruction for one are not given such a netlist.

use crate::circuit::{Basis, Circuit, Gate};
use crate::formula;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use usuba_logic::formula::merged;
use usuba_logic::truth::depends_on;

/// A netlist file.
#[derive(Deserialize)]
struct Netlist {
    sbox: String,
    inputs: usize,
    outputs: usize,
    table: Vec<u64>,
    basis: String,
    gates: Vec<Vec<serde_json::Value>>,
    result: Vec<String>,
    source: String,
}

include!(concat!(env!("OUT_DIR"), "/netlists.rs"));

/// A circuit of the database with its name and table.
#[derive(Clone, Debug)]
pub struct Published {
    /// The file name without `.json`.
    pub file: &'static str,
    /// The S-box.
    pub sbox: String,
    /// The table as stated in the file.
    pub table: Vec<u64>,
    /// The number of output bits.
    pub outputs: usize,
    /// The gates that the file has.
    pub basis: Basis,
    /// The circuit.
    pub circuit: Circuit,
    /// The rows of the file as they are: operands and truth table, bit `4a + 2b + c` of which is the value at operands `a`,
    /// `b`, `c`; with two operands the last stands twice, with one three times.
    pub rows: Vec<([usize; 3], u8)>,
    /// The outputs among the inputs and rows.
    pub result: Vec<usize>,
    /// Of the table.
    fingerprint: Vec<Vec<usize>>,
}

/// All circuits of the database, by file name.
pub fn database() -> &'static [Published] {
    static DATABASE: OnceLock<Vec<Published>> = OnceLock::new();
    DATABASE.get_or_init(|| NETLISTS.iter().filter_map(|&(file, text)| read(file, text)).collect())
}

/// The smallest published circuit of two-input gates for a table of 2^inputs values.
pub fn published(inputs: usize, outputs: usize, table: &[u64]) -> Option<&'static Published> {
    database()
        .iter()
        .filter(|one| one.basis == Basis::TwoInput)
        .filter(|one| one.circuit.inputs == inputs && one.outputs == outputs && one.table == table)
        .min_by_key(|one| (one.circuit.gates.len(), one.file))
}

/// Up to this many inputs every order of them is tried: a truth table then fits a word.
const SMALL: usize = 6;

/// The published circuits that have gates of a basis only, for a table of 2^inputs values, the fewest gates first. The
/// table may list inputs and outputs in another order than the database does, such as the rows and columns in which the
/// S-boxes of DES are printed ([`Published::wiring`]).
pub fn candidates(basis: Basis, inputs: usize, outputs: usize, table: &[u64]) -> Vec<Circuit> {
    if table.len() != 1 << inputs {
        return Vec::new();
    }
    let mut possible: Vec<&Published> = database()
        .iter()
        .filter(|one| one.basis <= basis && one.circuit.inputs == inputs && one.outputs == outputs)
        .collect();
    possible.sort_by_key(|one| one.circuit.cost);
    let fingerprint = fingerprint(table, inputs, outputs);
    possible
        .into_iter()
        .filter(|one| one.fingerprint == fingerprint)
        .filter_map(|one| {
            let (order, sources) = one.wiring(table)?;
            Some(one.circuit.rewire(&order, &sources))
        })
        .collect()
}

/// The first of the [`candidates`].
pub fn rewired(basis: Basis, inputs: usize, outputs: usize, table: &[u64]) -> Option<Circuit> {
    candidates(basis, inputs, outputs, table).into_iter().next()
}

/// What does not depend on the order of inputs and outputs: for each output how often each input changes it, both sorted.
fn fingerprint(table: &[u64], inputs: usize, outputs: usize) -> Vec<Vec<usize>> {
    let changes = |input: usize, output: usize| {
        (0..table.len()).filter(|&i| (table[i] ^ table[i ^ 1 << input]) >> output & 1 == 1).count()
    };
    let mut columns: Vec<Vec<usize>> = (0..outputs)
        .map(|output| {
            let mut column: Vec<usize> = (0..inputs).map(|input| changes(input, output)).collect();
            column.sort_unstable();
            column
        })
        .collect();
    columns.sort_unstable();
    columns
}

impl Published {
    /// How to wire the circuit for a table of as many inputs and outputs: the place of each of its inputs among those of
    /// the table, and the number of the output that each output of the table is. `None` if no order that is tried gives
    /// the table: all orders of up to six inputs, two of more.
    pub fn wiring(&self, table: &[u64]) -> Option<(Vec<usize>, Vec<usize>)> {
        let (inputs, outputs) = (self.circuit.inputs, self.outputs);
        if table.len() != 1 << inputs {
            return None;
        }
        let forwards: Vec<usize> = (0..inputs).collect();
        let orders = if inputs <= SMALL {
            permutations(inputs)
        } else {
            vec![forwards.clone(), forwards.iter().rev().copied().collect()]
        };
        let wanted: Vec<Vec<bool>> = (0..outputs).map(|j| column(table, outputs, j, &forwards)).collect();
        orders.into_iter().find_map(|order| {
            let columns: Vec<Vec<bool>> =
                (0..outputs).map(|j| column(&self.table, outputs, j, &order)).collect();
            let sources: Option<Vec<usize>> =
                wanted.iter().map(|wanted| columns.iter().position(|column| column == wanted)).collect();
            Some((order, sources?))
        })
    }
}

/// Output `j` of `table`, for every input in order, if input k of the table is input `order[k]`.
fn column(table: &[u64], outputs: usize, j: usize, order: &[usize]) -> Vec<bool> {
    let n = order.len();
    let entry = |index: usize| order.iter().fold(0, |entry, &i| entry << 1 | index >> (n - 1 - i) & 1);
    (0..table.len()).map(|index| table[entry(index)] >> (outputs - 1 - j) & 1 == 1).collect()
}

/// All orders of 0 to n-1, the natural one first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    (0..n).fold(vec![Vec::new()], |shorter, _| {
        let longer = |order: Vec<usize>| {
            (0..n).filter(|i| !order.contains(i)).map(|i| [&order[..], &[i]].concat()).collect::<Vec<_>>()
        };
        shorter.into_iter().flat_map(longer).collect()
    })
}

fn read(file: &'static str, text: &str) -> Option<Published> {
    let netlist: Netlist = serde_json::from_str(text).ok()?;
    let mut basis = match netlist.basis.as_str() {
        "and2" => Basis::TwoInput,
        "lut3" => Basis::Ternary,
        _ => return None,
    };
    let mut wires: BTreeMap<String, usize> = (0..netlist.inputs).map(|i| (format!("x{i}"), i)).collect();
    let mut gates: Vec<Gate> = Vec::new();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for row in &netlist.gates {
        let name = row.first()?.as_str()?;
        let kind = row.get(1)?.as_str()?;
        let wire = |i: usize| wires.get(row.get(i)?.as_str()?).copied();
        let mut push = |gate: Gate| {
            gates.push(gate);
            netlist.inputs + gates.len() - 1
        };
        let result = match kind {
            "not" => push(Gate::Not(wire(2)?)),
            "and" => push(Gate::And(wire(2)?, wire(3)?)),
            "or" => push(Gate::Or(wire(2)?, wire(3)?)),
            "xor" => push(Gate::Xor(wire(2)?, wire(3)?)),
            "andn" => push(Gate::AndNot(wire(2)?, wire(3)?)),
            "xnor" => {
                let inner = push(Gate::Xor(wire(2)?, wire(3)?));
                push(Gate::Not(inner))
            }
            "nand" => {
                let inner = push(Gate::And(wire(2)?, wire(3)?));
                push(Gate::Not(inner))
            }
            "nor" => {
                let inner = push(Gate::Or(wire(2)?, wire(3)?));
                push(Gate::Not(inner))
            }
            "mux" => {
                basis = Basis::Select;
                push(Gate::Ternary(0xca, [wire(2)?, wire(3)?, wire(4)?]))
            }
            "lut3" => {
                let table = u8::try_from(row.get(5)?.as_u64()?).ok()?;
                let of = [wire(2)?, wire(3)?, wire(4)?];
                let table = merged(table, &of);
                match (0..3).all(|place| depends_on(table, place)) {
                    true => push(Gate::Ternary(table, of)),
                    false => formula::write(table, of, &mut push)?,
                }
            }
            _ => return None,
        };
        wires.insert(name.to_owned(), result);
        let number = |i: usize| number_of(row.get(i)?.as_str()?, &numbers, netlist.inputs);
        let (of, table) = match kind {
            "not" => ([number(2)?; 3], 0x01),
            "and" => ([number(2)?, number(3)?, number(3)?], 0x80),
            "or" => ([number(2)?, number(3)?, number(3)?], 0x98),
            "xor" => ([number(2)?, number(3)?, number(3)?], 0x18),
            "andn" => ([number(2)?, number(3)?, number(3)?], 0x10),
            "xnor" => ([number(2)?, number(3)?, number(3)?], 0x81),
            "nand" => ([number(2)?, number(3)?, number(3)?], 0x19),
            "nor" => ([number(2)?, number(3)?, number(3)?], 0x01),
            "mux" => ([number(2)?, number(3)?, number(4)?], 0xca),
            _ => ([number(2)?, number(3)?, number(4)?], u8::try_from(row.get(5)?.as_u64()?).ok()?),
        };
        rows.push((of, table));
        numbers.insert(name, netlist.inputs + numbers.len());
    }
    let number = |name: &String| number_of(name, &numbers, netlist.inputs);
    let result = netlist.result.iter().map(number).collect::<Option<_>>()?;
    let outputs = netlist.result.iter().map(|name| wires.get(name).copied()).collect::<Option<_>>()?;
    let cost = if basis == Basis::TwoInput { gates.len() } else { netlist.gates.len() };
    let Netlist { sbox, inputs, table, outputs: count, source, .. } = netlist;
    let circuit = Circuit { inputs, gates, outputs, cost, source };
    if table.len() != 1 << inputs {
        return None;
    }
    let fingerprint = fingerprint(&table, inputs, count);
    Some(Published { file, sbox, table, outputs: count, basis, circuit, rows, result, fingerprint })
}

/// The number of a wire among the inputs and the rows of a file.
fn number_of(name: &str, rows: &BTreeMap<&str, usize>, inputs: usize) -> Option<usize> {
    let input = name.strip_prefix('x').and_then(|digits| digits.parse().ok()).filter(|&input| input < inputs);
    rows.get(name).copied().or(input)
}
