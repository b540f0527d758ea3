//! A choice of a way to compute each wanted gate, and how it is improved.
//!
//! First every gate takes the way of least *area flow* (its cost and its share of the cost of what it needs, shared
//! among as many users as it has), then ways are changed as long as that lowers the exact number of instructions:
//! gate by gate, and for each gate that is not computed, by trying what its computation would save all who could use it.
//! Where numbers tie the earlier result wins.

use usuba_logic::choice as logic;

/// A way to compute a gate.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The gates that it needs.
    pub(crate) gates: Vec<usize>,
    /// The latest of its other operands, in cycles from the start of the block.
    pub(crate) ready: u32,
    /// Cycles from its operands to its result.
    pub(crate) latency: u32,
    /// What it costs.
    pub(crate) cost: u32,
    /// What it takes up else: counts only where costs tie.
    pub(crate) burden: u32,
}

/// A gate, with at least one way to compute it.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) ways: Vec<Way>,
    /// Whether it is used by something that is not a gate.
    pub(crate) is_root: bool,
}

/// A number that says all that there is about gates: those of two blocks are hardly ever the same by chance.
pub(super) fn digest(gates: &[Gate]) -> u128 {
    // FNV-1a, by words instead of bytes.
    let mut digest: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut add = |word: usize| {
        digest = (digest ^ word as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        digest ^= digest >> 64;
    };
    for gate in gates {
        add(gate.ways.len() << 1 | usize::from(gate.is_root));
        for way in &gate.ways {
            add(way.gates.len());
            way.gates.iter().copied().for_each(&mut add);
            for number in [way.ready, way.latency, way.cost, way.burden] {
                add(number as usize);
            }
        }
    }
    digest
}

/// The choice problem alone, without what is known of the machine.
pub(crate) fn problem(gates: &[Gate]) -> logic::Problem {
    let way = |way: &Way| logic::Way { needs: way.gates.clone(), cost: way.cost };
    let gate = |gate: &Gate| logic::Gate { ways: gate.ways.iter().map(way).collect(), is_root: gate.is_root };
    logic::Problem { gates: gates.iter().map(gate).collect() }
}

/// At most so many times all gates are gone through.
const ROUNDS: usize = 8;

#[derive(Clone)]
pub(super) struct Choice<'a> {
    pub(super) gates: &'a [Gate],
    /// The number of the way that each gate takes, if it is computed.
    pub(super) way: Vec<usize>,
    /// By how many the gate is used; it is computed if by any.
    pub(super) users: Vec<u32>,
    /// When the result of each gate is ready.
    ready: Vec<u32>,
    /// The cost of all that is computed.
    pub(super) cost: u32,
}

impl<'a> Choice<'a> {
    /// The choice of least area flow, if gates have so many users.
    pub(super) fn by_flow(gates: &'a [Gate], users: &[u32]) -> Choice<'a> {
        // Flow in 1/2^16 of an instruction: exact and the same on every machine.
        let mut flow = vec![0u64; gates.len()];
        let mut choice = Choice {
            gates,
            way: vec![0; gates.len()],
            users: vec![0; gates.len()],
            ready: vec![0; gates.len()],
            cost: 0,
        };
        for (number, gate) in gates.iter().enumerate() {
            let price = |way: &Way| {
                let needed: u64 = way.gates.iter().map(|&g| flow[g] / u64::from(users[g].max(1))).sum();
                (u64::from(way.cost) << 16) + needed
            };
            let (way, least) = (0..gate.ways.len())
                .map(|way| (way, price(&gate.ways[way])))
                .min_by_key(|&(way, price)| (price, choice.ready_by(number, way), gate.ways[way].burden))
                .unwrap_or((0, 0));
            flow[number] = least;
            choice.way[number] = way;
            choice.ready[number] = choice.ready_by(number, way);
        }
        for (number, gate) in gates.iter().enumerate() {
            if gate.is_root {
                choice.employ(number);
            }
        }
        choice
    }

    /// These ways, which are a choice.
    pub(super) fn of(gates: &'a [Gate], ways: &[Option<usize>]) -> Choice<'a> {
        let way = ways.iter().map(|way| way.unwrap_or(0)).collect();
        let (users, ready) = (vec![0; gates.len()], vec![0; gates.len()]);
        let mut choice = Choice { gates, way, users, ready, cost: 0 };
        for (number, gate) in gates.iter().enumerate() {
            choice.ready[number] = choice.ready_by(number, choice.way[number]);
            if gate.is_root {
                choice.employ(number);
            }
        }
        choice
    }

    fn ready_by(&self, gate: usize, way: usize) -> u32 {
        let way = &self.gates[gate].ways[way];
        let operands = way.gates.iter().map(|&needed| self.ready[needed]).max().unwrap_or(0);
        operands.max(way.ready) + way.latency
    }

    pub(super) fn depth(&self) -> u32 {
        (0..self.gates.len())
            .filter(|&gate| self.users[gate] > 0)
            .map(|gate| self.ready[gate])
            .max()
            .unwrap_or(0)
    }

    /// Adds a user.
    fn employ(&mut self, gate: usize) {
        let mut open = vec![gate];
        while let Some(gate) = open.pop() {
            self.users[gate] += 1;
            if self.users[gate] == 1 {
                let way = &self.gates[gate].ways[self.way[gate]];
                self.cost += way.cost;
                open.extend(&way.gates);
            }
        }
    }

    /// Takes a user away.
    fn dismiss(&mut self, gate: usize) {
        let mut open = vec![gate];
        while let Some(gate) = open.pop() {
            self.users[gate] -= 1;
            if self.users[gate] == 0 {
                let way = &self.gates[gate].ways[self.way[gate]];
                self.cost -= way.cost;
                open.extend(&way.gates);
            }
        }
    }

    /// Changes the way of a gate that is computed.
    pub(super) fn take(&mut self, gate: usize, way: usize) {
        let ways = &self.gates[gate].ways;
        for &needed in &ways[way].gates {
            self.employ(needed);
        }
        for &needed in &ways[self.way[gate]].gates {
            self.dismiss(needed);
        }
        self.cost = self.cost + ways[way].cost - ways[self.way[gate]].cost;
        self.way[gate] = way;
    }

    /// The cheapest way of a gate that is computed, everything else unchanged.
    fn cheapest(&mut self, gate: usize) -> usize {
        let gates = self.gates;
        let ways = &gates[gate].ways;
        let before = self.way[gate];
        let mut best = (self.cost, self.ready_by(gate, before), ways[before].burden, before);
        for way in (0..ways.len()).filter(|&way| way != before) {
            self.take(gate, way);
            let found = (self.cost, self.ready_by(gate, way), ways[way].burden, way);
            if (found.0, found.1, found.2) < (best.0, best.1, best.2) {
                best = found;
            }
            self.take(gate, before);
        }
        best.3
    }

    pub(super) fn improve(&mut self) {
        let mut could_use = vec![Vec::new(); self.gates.len()];
        for (number, gate) in self.gates.iter().enumerate() {
            for (way, needed) in
                gate.ways.iter().enumerate().flat_map(|(w, way)| way.gates.iter().map(move |&g| (w, g)))
            {
                could_use[needed].push((number, way));
            }
        }
        for _ in 0..ROUNDS {
            let before = (self.cost, self.depth());
            self.each();
            self.shared(&could_use);
            if (self.cost, self.depth()) >= before {
                return;
            }
        }
    }

    /// Changes gates one by one.
    fn each(&mut self) {
        for gate in 0..self.gates.len() {
            if self.users[gate] > 0 {
                let way = self.cheapest(gate);
                self.take(gate, way);
            }
            self.ready[gate] = self.ready_by(gate, self.way[gate]);
        }
    }

    /// Tries what each gate that is not computed would save, and what it would save not to compute one that is.
    fn shared(&mut self, could_use: &[Vec<(usize, usize)>]) {
        for (gate, could_use) in could_use.iter().enumerate() {
            let before = self.cost;
            let mut changed: Vec<(usize, usize)> = Vec::new();
            if self.users[gate] == 0 {
                self.employ(gate);
                let mut last = None;
                for &(user, _) in could_use {
                    if last != Some(user) {
                        self.change(user, &mut changed);
                    }
                    last = Some(user);
                }
                self.dismiss(gate);
            } else if !self.gates[gate].is_root {
                self.avoid(gate, could_use, &mut changed);
            }
            if self.cost >= before {
                for (gate, way) in changed.into_iter().rev() {
                    self.put_back(gate, way);
                }
            }
        }
    }

    fn change(&mut self, user: usize, changed: &mut Vec<(usize, usize)>) {
        if self.users[user] == 0 || changed.iter().any(|&(gate, _)| gate == user) {
            return;
        }
        let way = self.cheapest(user);
        if way != self.way[user] {
            changed.push((user, self.way[user]));
            self.take(user, way);
        }
    }

    /// Has every user of a gate do without it, where there is a way.
    fn avoid(&mut self, gate: usize, could_use: &[(usize, usize)], changed: &mut Vec<(usize, usize)>) {
        let gates = self.gates;
        for &(user, way) in could_use {
            if self.users[user] == 0 || self.way[user] != way {
                continue;
            }
            let mut best: Option<(u32, usize)> = None;
            for (other, candidate) in gates[user].ways.iter().enumerate() {
                if candidate.gates.contains(&gate) {
                    continue;
                }
                self.take(user, other);
                if best.is_none_or(|(cost, _)| self.cost < cost) {
                    best = Some((self.cost, other));
                }
                self.take(user, way);
            }
            let Some((_, other)) = best else { return };
            changed.push((user, way));
            self.take(user, other);
        }
    }

    /// Undoes a change, of a gate that may not be computed any more.
    fn put_back(&mut self, gate: usize, way: usize) {
        if self.users[gate] > 0 {
            self.take(gate, way);
        } else {
            self.way[gate] = way;
        }
    }
}
