//! Iterated local resynthesis: gates are computed anew from other wires, as long as the circuit does not grow.
//!
//! A visit takes a random gate g. An input of the circuit *matters* to g if the outputs change there when g does. If
//! another wire agrees with g wherever it matters, g goes. Else all pairs and triples of wires that do not depend on g are
//! candidates: those of which g is a function, wherever it matters, may compute it with one or two gates of the basis.
//! Of the candidates met, one that leaves the fewest gates is taken, also if it leaves as many as before: such moves
//! walk over circuits of one size until a gate becomes unnecessary.
//!
//! The random numbers are fixed by the seed. Every step is exact, on whole truth tables.

use crate::basis::{Basis, Recipe, recipes};
use usuba_ir::random::Random;
use usuba_logic::netlist::{Gate, Netlist, Rows, all_rows, and, is_zero, meet, without};

/// So many wires are candidates where pairs are looked for,
const WIRES_IN_PAIRS: usize = 160;
/// and so many where triples are.
const WIRES_IN_TRIPLES: usize = 56;
/// So many ways to compute a gate are compared.
const WAYS: usize = 12;

/// Puts items into a random order, each with the same probability (Fisher and Yates).
fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for end in (1..items.len()).rev() {
        items.swap(end, random.below(end as u32 + 1) as usize);
    }
}

/// A smaller or equal circuit of the same function. `start` has gates of the basis only, and every gate is needed.
/// `progress` is told after every thousand visits how many there were and how many gates are left.
pub fn resynthesise(
    start: &Netlist,
    basis: Basis,
    visits: usize,
    seed: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Netlist {
    let Some(netlist) = start.sorted() else { return start.clone() };
    let mut walk = Walk {
        basis,
        random: Random::new(seed),
        wires: netlist.rows(),
        all: all_rows(netlist.inputs),
        netlist,
    };
    for visit in 0..visits {
        if walk.netlist.gates.is_empty() {
            break;
        }
        walk.visit();
        if visit % 1000 == 999 {
            progress(visit + 1, walk.netlist.gates.len());
        }
    }
    walk.netlist
}

struct Walk {
    basis: Basis,
    random: Random,
    netlist: Netlist,
    wires: Vec<Rows>,
    all: Rows,
}

/// What is asked of a gate: the rows in which it must be true, and those in which it must be false.
struct Wanted {
    on: Rows,
    off: Rows,
}

/// A way to compute a gate: another wire, or gates on three wires.
#[derive(Clone, Copy)]
enum Replacement {
    Wire(usize),
    Complement(usize),
    Gates { of: [usize; 3], recipe: Recipe },
    Table { of: [usize; 3], table: u8 },
}

impl Walk {
    fn visit(&mut self) {
        let number = self.random.below(self.netlist.gates.len() as u32) as usize;
        let gate = self.netlist.inputs + number;
        let (wanted, independent) = self.wanted(gate);
        let ways = self.ways(gate, &wanted, independent);
        let mut best: Option<Netlist> = None;
        for way in ways {
            let Some(candidate) = self.replaced(gate, way) else { continue };
            let fewer = best.as_ref().is_none_or(|best| candidate.gates.len() < best.gates.len());
            if candidate.gates.len() <= self.netlist.gates.len() && fewer {
                best = Some(candidate);
            }
        }
        if let Some(best) = best {
            self.wires = best.rows();
            self.netlist = best;
        }
    }

    /// What is asked of a gate, and the wires that do not depend on it.
    fn wanted(&self, gate: usize) -> (Wanted, Vec<usize>) {
        let mut flipped: Vec<Option<Rows>> = vec![None; self.wires.len()];
        flipped[gate] = Some(without(&self.all, &self.wires[gate]));
        let inputs = self.netlist.inputs;
        for (number, later) in self.netlist.gates.iter().enumerate().skip(gate - inputs + 1) {
            if later.of.iter().any(|&of| flipped[of].is_some()) {
                let operands = later.of.map(|of| flipped[of].unwrap_or(self.wires[of]));
                let local = Gate { of: [0, 1, 2], table: later.table };
                let rows = local.rows(&operands, &self.all);
                // Also where its value does not change: its users may not become its operands.
                flipped[inputs + number] = Some(rows);
            }
        }
        let mut matters = [0; 4];
        for &output in &self.netlist.outputs {
            if let Some(rows) = &flipped[output] {
                matters = std::array::from_fn(|i| matters[i] | (rows[i] ^ self.wires[output][i]));
            }
        }
        let rows = &self.wires[gate];
        let wanted = Wanted { on: and(rows, &matters), off: without(&matters, rows) };
        let independent = (0..self.wires.len()).filter(|&wire| flipped[wire].is_none()).collect();
        (wanted, independent)
    }

    fn ways(&mut self, gate: usize, wanted: &Wanted, mut independent: Vec<usize>) -> Vec<Replacement> {
        let mut ways = Vec::new();
        for &wire in &independent {
            let rows = &self.wires[wire];
            if !meet(&wanted.off, rows) && is_zero(&without(&wanted.on, rows)) {
                return vec![Replacement::Wire(wire)];
            }
            if !meet(&wanted.on, rows) && is_zero(&without(&wanted.off, rows)) {
                ways.push(Replacement::Complement(wire));
            }
        }
        shuffle(&mut self.random, &mut independent);
        // The wires near the gate come first, where not all can be tried.
        let near = self.near(gate);
        independent.sort_by_key(|wire| !near.contains(wire));
        self.functions(wanted, &independent, &mut ways);
        if ways.len() > WAYS {
            shuffle(&mut self.random, &mut ways);
            ways.truncate(WAYS);
        }
        ways
    }

    /// The operands of a gate, their operands, and the other operands of its users.
    fn near(&self, gate: usize) -> Vec<usize> {
        let inputs = self.netlist.inputs;
        let of = |wire: usize| wire.checked_sub(inputs).map(|number| self.netlist.gates[number].of);
        let mut near: Vec<usize> = of(gate).into_iter().flatten().collect();
        let users = self.netlist.gates.iter().filter(|user| user.of.contains(&gate)).flat_map(|user| user.of);
        let further: Vec<usize> = near.iter().copied().chain(users).collect();
        for wire in further {
            near.push(wire);
            near.extend(of(wire).into_iter().flatten());
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// The pairs and triples of wires that determine what is wanted.
    fn functions(&mut self, wanted: &Wanted, wires: &[usize], ways: &mut Vec<Replacement>) {
        let pairs = &wires[..wires.len().min(WIRES_IN_PAIRS)];
        for (i, &a) in pairs.iter().enumerate() {
            let rows = &self.wires[a];
            let on = [without(&wanted.on, rows), and(&wanted.on, rows)];
            let off = [without(&wanted.off, rows), and(&wanted.off, rows)];
            for (j, &b) in pairs.iter().enumerate().skip(i + 1) {
                let rows = &self.wires[b];
                let on = [without(&on[0], rows), and(&on[0], rows), without(&on[1], rows), and(&on[1], rows)];
                let off =
                    [without(&off[0], rows), and(&off[0], rows), without(&off[1], rows), and(&off[1], rows)];
                // The quadrants in which a and b do not determine it.
                let mut open = [0; 4];
                let mut count = 0;
                for q in 0..4 {
                    if !is_zero(&on[q]) && !is_zero(&off[q]) {
                        open[count] = q;
                        count += 1;
                    }
                }
                if count == 0 {
                    let is_in = |rows: &[Rows; 4]| {
                        (0..4).fold(0u8, |set, q| set | u8::from(!is_zero(&rows[q])) << (q * 2))
                    };
                    let (on, off) = (is_in(&on), is_in(&off));
                    // c = b: row 4a + 2b + b.
                    let both =
                        |set: u8| (set & 1) | (set >> 2 & 1) << 3 | (set >> 4 & 1) << 4 | (set >> 6 & 1) << 7;
                    self.offer([a, b, b], both(on), both(off), ways);
                    continue;
                }
                if j >= WIRES_IN_TRIPLES || i >= WIRES_IN_TRIPLES {
                    continue;
                }
                'third: for &c in &pairs[j + 1..pairs.len().min(WIRES_IN_TRIPLES).max(j + 1)] {
                    let rows = &self.wires[c];
                    for &q in &open[..count] {
                        if meet(&on[q], rows) && meet(&off[q], rows) {
                            continue 'third;
                        }
                        let (rest_on, rest_off) = (without(&on[q], rows), without(&off[q], rows));
                        if !is_zero(&rest_on) && !is_zero(&rest_off) {
                            continue 'third;
                        }
                    }
                    let set = |parts: &[Rows; 4]| {
                        (0..4).fold(0u8, |set, q| {
                            set | u8::from(!is_zero(&without(&parts[q], rows))) << (2 * q)
                                | u8::from(meet(&parts[q], rows)) << (2 * q + 1)
                        })
                    };
                    self.offer([a, b, c], set(&on), set(&off), ways);
                }
            }
        }
    }

    /// Notes the ways to compute a function of three wires: true in the rows `on`, false in the rows `off`.
    fn offer(&mut self, of: [usize; 3], on: u8, off: u8, ways: &mut Vec<Replacement>) {
        let fits = |table: u8| table & off == 0 && table & on == on;
        if self.basis == Basis::Ternary {
            let free = self.random.bits() as u8 & !(on | off);
            ways.push(Replacement::Table { of, table: on | free });
            return;
        }
        for recipe in recipes(self.basis).iter().filter(|recipe| fits(recipe.table)) {
            ways.push(Replacement::Gates { of, recipe: *recipe });
        }
    }

    /// The circuit with a gate computed in another way; `None` if that is no circuit of the basis.
    fn replaced(&self, gate: usize, way: Replacement) -> Option<Netlist> {
        let mut changed = self.netlist.clone();
        let inputs = changed.inputs;
        match way {
            Replacement::Wire(wire) => {
                for later in &mut changed.gates {
                    later.of = later.of.map(|of| if of == gate { wire } else { of });
                }
                for output in &mut changed.outputs {
                    if *output == gate {
                        *output = wire;
                    }
                }
            }
            Replacement::Complement(wire) => {
                changed.gates[gate - inputs] = Gate { of: [wire; 3], table: 0x01 };
            }
            Replacement::Table { of, table } => {
                let made = Gate::normal(of, table)?;
                if made == self.netlist.gates[gate - inputs] {
                    return None;
                }
                changed.gates[gate - inputs] = made;
            }
            Replacement::Gates { of, recipe } => {
                let mut wires = [of[0], of[1], of[2], 0];
                if let Some(first) = recipe.first {
                    changed.gates.push(Gate::normal(first.of.map(|place| wires[place]), first.table)?);
                    wires[3] = inputs + changed.gates.len() - 1;
                }
                let made = Gate::normal(recipe.last.of.map(|place| wires[place]), recipe.last.table)?;
                changed.gates[gate - inputs] = made;
            }
        }
        let changed = changed.sorted()?;
        let belongs = changed.gates.iter().all(|gate| crate::basis::has(self.basis, gate));
        belongs.then_some(changed)
    }
}
