//! Networks of gates of up to three inputs.

use std::collections::BTreeMap;

/// The truth table of a wire over all inputs of a circuit of at most eight: bit i mod 64 of word i / 64 is its value for
/// input i. Bits of inputs that do not exist are zero.
pub type Rows = [u64; 4];

/// Most inputs of a circuit.
pub const MOST_INPUTS: usize = 8;

/// A gate: bit `4a + 2b + c` of `table` is its value at its operands `a`, `b`, `c`. One of two operands names the last
/// twice, one of a single operand names it three times; rows of the table that cannot occur are 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gate {
    /// The wires: inputs first, most significant first, then gates in order.
    pub of: [usize; 3],
    /// The truth table.
    pub table: u8,
}

/// A circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Netlist {
    /// Number of inputs, at most [`MOST_INPUTS`].
    pub inputs: usize,
    /// The gates, each after its operands.
    pub gates: Vec<Gate>,
    /// The wires that are the outputs, most significant first.
    pub outputs: Vec<usize>,
}

/// Bit by bit: `x & y` on truth tables.
pub fn and(x: &Rows, y: &Rows) -> Rows {
    std::array::from_fn(|i| x[i] & y[i])
}

/// `x & ~y`.
pub fn without(x: &Rows, y: &Rows) -> Rows {
    std::array::from_fn(|i| x[i] & !y[i])
}

/// Whether no bit is set.
pub fn is_zero(x: &Rows) -> bool {
    x.iter().all(|&word| word == 0)
}

/// Whether two truth tables share a set bit.
pub fn meet(x: &Rows, y: &Rows) -> bool {
    (0..4).any(|i| x[i] & y[i] != 0)
}

/// The rows of all inputs that exist.
pub fn all_rows(inputs: usize) -> Rows {
    std::array::from_fn(|word| {
        let bits = (1usize << inputs).saturating_sub(64 * word).min(64);
        if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
    })
}

/// The truth tables of the inputs themselves.
pub fn input_rows(inputs: usize) -> Vec<Rows> {
    (0..inputs)
        .map(|input| {
            let mut rows = [0; 4];
            for index in (0..1usize << inputs).filter(|index| index >> (inputs - 1 - input) & 1 == 1) {
                rows[index / 64] |= 1 << (index % 64);
            }
            rows
        })
        .collect()
}

impl Gate {
    /// A gate with its operands in a fixed order and its table in the form that [`Gate`] describes: operands that do not
    /// matter left out. `None` if it is a constant or one of its operands.
    pub fn normal(of: [usize; 3], table: u8) -> Option<Gate> {
        // The wires, each once, that make a difference.
        let mut wires: Vec<usize> = of.to_vec();
        wires.sort_unstable();
        wires.dedup();
        let value = |assignment: &dyn Fn(usize) -> bool| {
            let bit = |wire: usize| u8::from(assignment(wire));
            table >> (4 * bit(of[0]) + 2 * bit(of[1]) + bit(of[2])) & 1 == 1
        };
        let at = |wires: &[usize], number: usize, wire: usize| {
            wires.iter().position(|&one| one == wire).is_some_and(|place| number >> place & 1 == 1)
        };
        let needed: Vec<usize> = wires
            .iter()
            .copied()
            .filter(|&one| {
                (0..1usize << wires.len()).any(|number| {
                    value(&|wire| at(&wires, number, wire))
                        != value(&|wire| at(&wires, number, wire) != (wire == one))
                })
            })
            .collect();
        let operands = match needed[..] {
            [] => return None,
            [a] => [a, a, a],
            [a, b] => [a, b, b],
            [a, b, c] => [a, b, c],
            _ => return None,
        };
        let mut normal = 0;
        for row in 0..8u8 {
            let bit = |place: usize| row >> (2 - place) & 1 == 1;
            let is_possible = (0..3).all(|i| (0..3).all(|j| operands[i] != operands[j] || bit(i) == bit(j)));
            let assignment = |wire: usize| (0..3).any(|place| operands[place] == wire && bit(place));
            if is_possible && value(&assignment) {
                normal |= 1 << row;
            }
        }
        let is_operand = needed.len() == 1 && normal == 0x80;
        (!is_operand).then_some(Gate { of: operands, table: normal })
    }

    /// Its truth table over the inputs of the circuit, from those of its operands.
    pub fn rows(&self, wires: &[Rows], all: &Rows) -> Rows {
        let [a, b, c] = self.of.map(|wire| wires[wire]);
        std::array::from_fn(|i| {
            let mut word = 0;
            for row in (0..8).filter(|row| self.table >> row & 1 == 1) {
                let literal = |x: u64, place: u32| if row >> place & 1 == 1 { x } else { !x };
                word |= literal(a[i], 2) & literal(b[i], 1) & literal(c[i], 0);
            }
            word & all[i]
        })
    }
}

impl Netlist {
    /// The same circuit with input k at place `order[k]`, and with output j from output `sources[j]`.
    pub fn rewired(&self, order: &[usize], sources: &[usize]) -> Netlist {
        let wire = |wire: usize| order.get(wire).copied().unwrap_or(wire);
        let gate = |gate: &Gate| {
            let of = gate.of.map(wire);
            Gate::normal(of, gate.table).unwrap_or(Gate { of, table: gate.table })
        };
        Netlist {
            inputs: self.inputs,
            gates: self.gates.iter().map(gate).collect(),
            outputs: sources.iter().map(|&output| wire(self.outputs[output])).collect(),
        }
    }

    /// The truth tables of all wires.
    pub fn rows(&self) -> Vec<Rows> {
        let all = all_rows(self.inputs);
        let mut wires = input_rows(self.inputs);
        for gate in &self.gates {
            let rows = gate.rows(&wires, &all);
            wires.push(rows);
        }
        wires
    }

    /// Its value for every input in order; the first output is the most significant bit.
    pub fn table(&self) -> Vec<u64> {
        let wires = self.rows();
        (0..1usize << self.inputs)
            .map(|index| {
                self.outputs
                    .iter()
                    .fold(0, |value, &wire| value << 1 | wires[wire][index / 64] >> (index % 64) & 1)
            })
            .collect()
    }

    /// Longest way from an input to an output, in gates.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.inputs];
        for gate in &self.gates {
            let deepest = gate.of.iter().map(|&wire| depth[wire]).max().unwrap_or(0);
            depth.push(deepest + 1);
        }
        self.outputs.iter().map(|&wire| depth[wire]).max().unwrap_or(0)
    }

    /// The gates that outputs need, each once, in an order of evaluation: made where first needed, outputs in order.
    /// `None` if they need each other in a circle.
    pub fn sorted(&self) -> Option<Netlist> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done(usize),
        }
        let mut state = vec![State::New; self.inputs + self.gates.len()];
        for (input, state) in state.iter_mut().enumerate().take(self.inputs) {
            *state = State::Done(input);
        }
        let mut gates: Vec<Gate> = Vec::new();
        let mut made: BTreeMap<Gate, usize> = BTreeMap::new();
        for &output in &self.outputs {
            let mut open = vec![output];
            while let Some(&wire) = open.last() {
                if let State::Done(_) = state[wire] {
                    open.pop();
                    continue;
                }
                let gate = self.gates[wire - self.inputs];
                let mut ready = true;
                for of in gate.of {
                    match state[of] {
                        State::Done(_) => {}
                        State::Open => return None,
                        State::New if ready => {
                            ready = false;
                            open.push(of);
                        }
                        State::New => {}
                    }
                }
                if ready {
                    let of = gate.of.map(|of| match state[of] {
                        State::Done(wire) => wire,
                        _ => of,
                    });
                    let gate = Gate::normal(of, gate.table).unwrap_or(Gate { of, table: gate.table });
                    let new = *made.entry(gate).or_insert_with(|| {
                        gates.push(gate);
                        self.inputs + gates.len() - 1
                    });
                    state[wire] = State::Done(new);
                    open.pop();
                } else {
                    state[wire] = State::Open;
                }
            }
        }
        let outputs = self
            .outputs
            .iter()
            .map(|&wire| match state[wire] {
                State::Done(wire) => wire,
                _ => wire,
            })
            .collect();
        Some(Netlist { inputs: self.inputs, gates, outputs })
    }
}
