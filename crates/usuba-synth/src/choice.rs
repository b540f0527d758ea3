//! The cheapest choice of ways to compute wanted gates, and the proof that none is cheaper: core-guided maximum
//! satisfiability over a SAT solver.
//!
//! A gate is a variable, true if it is computed: one of its ways is then taken, and with it come the gates that it needs.
//! Every gate that is computed costs what its cheapest way does, every dearer way the difference; all of them are assumed
//! away. Whenever that is impossible the solver names assumptions of which one must go: the least of their costs is spent,
//! and in their place comes the assumption that not more than one of them goes (algorithm OLL: Andres, Kaufmann, Matheis
//! and Schaub, "Unsatisfiability-based optimization in clasp", ICLP 2012, with the totaliser of Bailleux and Boufkhad, "Efficient
//! CNF encoding of Boolean cardinality constraints", CP 2003). What has been spent is a lower bound at all times; when the
//! assumptions hold it is the least cost.

use crate::budget::Budget;
use batsat::{Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::collections::BTreeMap;
use usuba_logic::choice::{Gate, Way, Ways, cost};

/// What is known about the cheapest choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cheapest {
    /// None is cheaper than this one.
    Least {
        /// Its cost.
        cost: u64,
        /// The choice.
        ways: Ways,
    },
    /// The budget was used up.
    Open {
        /// No choice costs less.
        at_least: u64,
        /// What `ways` cost.
        at_most: u64,
        /// The cheapest choice that was met.
        ways: Ways,
    },
    /// A gate has no way, or one that needs a gate that is not earlier.
    Malformed {
        /// The gate, by number.
        gate: usize,
    },
}

/// The cheapest choice, looked for in so many conflicts of the solver, and 1,000 more at most.
pub fn cheapest(gates: &[Gate], conflicts: u64) -> Cheapest {
    let is_late = |number: usize, gate: &Gate| {
        gate.ways.is_empty() || gate.ways.iter().any(|way| way.needs.iter().any(|&needed| needed >= number))
    };
    if let Some(gate) = (0..gates.len()).find(|&number| is_late(number, &gates[number])) {
        return Cheapest::Malformed { gate };
    }
    // Small cores cost many questions. Most problems need none, and large ones are decided sooner without.
    match decide(gates, conflicts.min(CONFLICTS_IN_HASTE), false) {
        Cheapest::Open { .. } if conflicts > CONFLICTS_IN_HASTE => decide(gates, conflicts, true),
        found => found,
    }
}

/// The same for gates that are well formed.
fn decide(gates: &[Gate], conflicts: u64, shrinks: bool) -> Cheapest {
    let mut search = Search::new(gates, conflicts);
    let mut ways = search.decode(|_| true);
    let mut at_most = cost(gates, &ways).map_or(u64::MAX, u64::from);
    loop {
        search.spend_what_is_known();
        let assumptions: Vec<Lit> =
            search.weights.keys().map(|&variable| Lit::new(variable, false)).collect();
        let answer = search.solver.solve_limited(&assumptions);
        if answer == lbool::FALSE {
            let core = if shrinks { search.smaller_core() } else { search.core() };
            if core.is_empty() {
                // The clauses alone cannot be contradictory, for all gates may be computed.
                break;
            }
            search.spend(&core);
            continue;
        }
        if answer == lbool::TRUE {
            let found = search.decode(|variable| search.solver.value_var(variable) == lbool::TRUE);
            if let Some(met) = cost(gates, &found).ok().map(u64::from).filter(|&met| met < at_most) {
                (ways, at_most) = (found, met);
            }
        }
        break;
    }
    if at_most == search.spent {
        Cheapest::Least { cost: at_most, ways }
    } else {
        Cheapest::Open { at_least: search.spent, at_most, ways }
    }
}

/// A way that no other is better than, with the variable that is true if it is taken: none if nothing depends on it.
struct Taken {
    number: usize,
    variable: Option<Var>,
}

/// So many conflicts are spent before cores are made smaller.
const CONFLICTS_IN_HASTE: u64 = 1_000;

/// So many conflicts may be spent on the question whether an assumption is needed.
const CONFLICTS_TO_SHRINK: u64 = 100;

struct Search<'a> {
    gates: &'a [Gate],
    solver: Solver<Budget>,
    computed: Vec<Var>,
    ways: Vec<Vec<Taken>>,
    /// What is assumed to be false, and what it costs if it is not.
    weights: BTreeMap<Var, u64>,
    /// For outputs of totalisers: the one that says that one more is true.
    next: BTreeMap<Var, Var>,
    spent: u64,
}

impl<'a> Search<'a> {
    fn new(gates: &'a [Gate], conflicts: u64) -> Search<'a> {
        let mut solver = Solver::new(SolverOpts::default(), Budget::of(conflicts));
        let computed: Vec<Var> = gates.iter().map(|_| solver.new_var_default()).collect();
        let mut search = Search {
            gates,
            solver,
            computed,
            ways: Vec::new(),
            weights: BTreeMap::new(),
            next: BTreeMap::new(),
            spent: 0,
        };
        for number in 0..gates.len() {
            search.gate(number);
        }
        search
    }

    fn gate(&mut self, number: usize) {
        let gate = &self.gates[number];
        let computed = self.computed[number];
        if gate.is_root {
            self.clause(&[Lit::new(computed, true)]);
        }
        let cheapest = gate.ways.iter().map(|way| way.cost).min().unwrap_or(0);
        self.charge(computed, u64::from(cheapest));
        let mut one_of = vec![Lit::new(computed, false)];
        let mut taken = Vec::new();
        for place in best(&gate.ways) {
            let way = &gate.ways[place];
            let variable = match *way.needs.as_slice() {
                // Free once the gate is paid for: nothing more is to be said.
                [] if way.cost == cheapest => None,
                [needed] if way.cost == cheapest => Some(self.computed[needed]),
                _ => {
                    let variable = self.solver.new_var_default();
                    for &needed in &way.needs {
                        self.clause(&[Lit::new(variable, false), Lit::new(self.computed[needed], true)]);
                    }
                    self.charge(variable, u64::from(way.cost - cheapest));
                    Some(variable)
                }
            };
            one_of.extend(variable.map(|variable| Lit::new(variable, true)));
            taken.push(Taken { number: place, variable });
        }
        if taken.iter().all(|way| way.variable.is_some()) {
            self.clause(&one_of);
        }
        self.ways.push(taken);
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }

    fn charge(&mut self, variable: Var, weight: u64) {
        if weight > 0 {
            *self.weights.entry(variable).or_default() += weight;
        }
    }

    /// Spends what the solver has proved already.
    fn spend_what_is_known(&mut self) {
        let mut known: Vec<Var> = self.weights.keys().copied().filter(|&one| self.is_known(one)).collect();
        while let Some(variable) = known.pop() {
            self.spend(&[variable]);
            // Of a totaliser one more may be known.
            known.extend(self.next.get(&variable).copied().filter(|&next| self.is_known(next)));
        }
    }

    /// Whether the solver has proved that a variable is true.
    fn is_known(&self, variable: Var) -> bool {
        self.solver.value_lvl_0(Lit::new(variable, true)) == lbool::TRUE
    }

    /// Spends what these assumptions, which cannot all hold, cost at least.
    fn spend(&mut self, core: &[Var]) {
        let least = core.iter().filter_map(|variable| self.weights.get(variable)).min().copied().unwrap_or(0);
        self.spent += least;
        for &variable in core {
            if let Some(weight) = self.weights.get_mut(&variable) {
                *weight -= least;
                if *weight == 0 {
                    self.weights.remove(&variable);
                }
            }
            // One more of an earlier totaliser may be true now.
            if let Some(&next) = self.next.get(&variable) {
                self.charge(next, least);
            }
        }
        let any: Vec<Lit> = core.iter().map(|&variable| Lit::new(variable, true)).collect();
        self.clause(&any);
        let counted = self.totaliser(core);
        for pair in counted.windows(2) {
            self.next.insert(pair[0], pair[1]);
        }
        if let Some(&second) = counted.get(1) {
            self.charge(second, least);
        }
    }

    /// The assumptions that the solver has refuted.
    fn core(&self) -> Vec<Var> {
        let mut core: Vec<Var> = self.solver.unsat_core().iter().map(|literal| literal.var()).collect();
        core.sort_unstable();
        core.dedup();
        core
    }

    /// Of the assumptions refuted, some that cannot hold together either: every one is tried without, as long as that is
    /// decided quickly.
    fn smaller_core(&mut self) -> Vec<Var> {
        let mut core = self.core();
        let mut place = 0;
        while place < core.len() && core.len() > 1 {
            let without = core.iter().enumerate().filter(|&(other, _)| other != place);
            let assumptions: Vec<Lit> = without.map(|(_, &variable)| Lit::new(variable, false)).collect();
            let whole = self.solver.cb_mut().pause(CONFLICTS_TO_SHRINK);
            let is_refuted = self.solver.solve_limited(&assumptions) == lbool::FALSE;
            self.solver.cb_mut().resume(whole);
            if is_refuted {
                let smaller = self.core();
                core.retain(|variable| smaller.contains(variable));
            } else {
                place += 1;
            }
        }
        core
    }

    /// Variables of which the k-th, from 1, is true if at least k of these are.
    fn totaliser(&mut self, of: &[Var]) -> Vec<Var> {
        if of.len() < 2 {
            return of.to_vec();
        }
        let (left, right) = of.split_at(of.len() / 2);
        let (left, right) = (self.totaliser(left), self.totaliser(right));
        let sum: Vec<Var> = of.iter().map(|_| self.solver.new_var_default()).collect();
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                let Some(reached) = (i + j).checked_sub(1) else { continue };
                let mut clause = vec![Lit::new(sum[reached], true)];
                let needed = [i.checked_sub(1).map(|i| left[i]), j.checked_sub(1).map(|j| right[j])];
                clause.extend(needed.into_iter().flatten().map(|variable| Lit::new(variable, false)));
                self.clause(&clause);
            }
        }
        for pair in sum.windows(2) {
            self.clause(&[Lit::new(pair[1], false), Lit::new(pair[0], true)]);
        }
        sum
    }

    /// The choice that variables with these values stand for: what is needed from the roots on, nothing else.
    fn decode(&self, is_true: impl Fn(Var) -> bool) -> Ways {
        let mut ways: Ways = vec![None; self.gates.len()];
        let mut is_needed: Vec<bool> = self.gates.iter().map(|gate| gate.is_root).collect();
        for number in (0..self.gates.len()).rev() {
            if !is_needed[number] {
                continue;
            }
            let ways_of = &self.gates[number].ways;
            let possible = self.ways[number].iter().filter(|way| way.variable.is_none_or(&is_true));
            let taken = possible.min_by_key(|way| (ways_of[way.number].cost, way.number));
            ways[number] = taken.map(|way| way.number);
            for &needed in taken.iter().flat_map(|way| &ways_of[way.number].needs) {
                is_needed[needed] = true;
            }
        }
        ways
    }
}

/// The ways that are not dearer than another one that needs nothing else; of equals the first.
fn best(ways: &[Way]) -> Vec<usize> {
    let within = |one: &Way, other: &Way| one.needs.iter().all(|needed| other.needs.contains(needed));
    let is_better = |(a, one): (usize, &Way), (b, other): (usize, &Way)| {
        one.cost <= other.cost
            && within(one, other)
            && (a < b || one.cost < other.cost || !within(other, one))
    };
    let is_best = |&place: &usize| {
        (0..ways.len())
            .all(|other| other == place || !is_better((other, &ways[other]), (place, &ways[place])))
    };
    (0..ways.len()).filter(is_best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::random::Random;
    use usuba_logic::choice::Flaw;

    const CONFLICTS: u64 = 100_000;

    fn random(random: &mut Random, unit: bool) -> Vec<Gate> {
        let count = 1 + random.below(7) as usize;
        (0..count)
            .map(|number| {
                let ways = (0..1 + random.below(4))
                    .map(|_| {
                        let mut needs: Vec<usize> = (0..number).filter(|_| random.below(3) == 0).collect();
                        needs.truncate(3);
                        Way { needs, cost: if unit { 1 } else { random.below(4) } }
                    })
                    .collect();
                Gate { ways, is_root: random.below(3) == 0 || number + 1 == count }
            })
            .collect()
    }

    /// The least cost, by trying every choice.
    fn by_force(gates: &[Gate]) -> u64 {
        let mut least = u64::MAX;
        let mut ways: Ways = vec![None; gates.len()];
        loop {
            if let Ok(cost) = cost(gates, &ways).map(u64::from) {
                least = least.min(cost);
            }
            let mut place = 0;
            loop {
                if place == gates.len() {
                    return least;
                }
                ways[place] = match ways[place] {
                    None => Some(0),
                    Some(way) if way + 1 < gates[place].ways.len() => Some(way + 1),
                    Some(_) => None,
                };
                if ways[place].is_some() {
                    break;
                }
                place += 1;
            }
        }
    }

    #[test]
    fn what_is_found_is_the_least_of_all() {
        let mut numbers = Random::new(20);
        let (mut more, mut fewer) = (0, 0);
        for round in 0..2_000 {
            let gates = random(&mut numbers, round % 2 == 0);
            let least = by_force(&gates);
            let Cheapest::Least { cost: found, ways } = cheapest(&gates, CONFLICTS) else {
                panic!("round {round} is open: {gates:?}")
            };
            assert_eq!(found, least, "round {round}: {gates:?}");
            assert_eq!(cost(&gates, &ways).map(u64::from), Ok(least), "round {round}: {gates:?}");
            // The first way of everything is not always the best.
            let first: Ways = gates.iter().map(|_| Some(0)).collect();
            let of_first = cost(&gates, &first).map(u64::from).expect("everything is computed");
            more += usize::from(of_first > least);
            fewer += usize::from(of_first == least);
        }
        assert!(more > 500 && fewer > 100, "the problems are of one kind: {more}, {fewer}");
    }

    #[test]
    fn without_a_budget_the_bounds_hold() {
        let mut numbers = Random::new(21);
        let mut open = 0;
        for round in 0..1_000 {
            let gates = random(&mut numbers, false);
            let least = by_force(&gates);
            match cheapest(&gates, 0) {
                Cheapest::Least { cost, .. } => assert_eq!(cost, least, "round {round}"),
                Cheapest::Open { at_least, at_most, ways } => {
                    open += 1;
                    assert!(at_least <= least && least <= at_most, "round {round}");
                    assert_eq!(cost(&gates, &ways).map(u64::from), Ok(at_most), "round {round}");
                }
                Cheapest::Malformed { gate } => panic!("round {round}: gate {gate}"),
            }
        }
        assert!(open > 100, "only {open} were left open");
    }

    #[test]
    fn what_is_no_problem_is_refused() {
        let way = |needs: &[usize]| Way { needs: needs.to_vec(), cost: 1 };
        let gate = |ways: Vec<Way>| Gate { ways, is_root: true };
        assert_eq!(cheapest(&[gate(vec![])], CONFLICTS), Cheapest::Malformed { gate: 0 });
        let late = [gate(vec![way(&[])]), gate(vec![way(&[0]), way(&[1])])];
        assert_eq!(cheapest(&late, CONFLICTS), Cheapest::Malformed { gate: 1 });
        assert_eq!(cheapest(&[], CONFLICTS), Cheapest::Least { cost: 0, ways: vec![] });
    }

    #[test]
    fn no_choice_is_what_leaves_something_out() {
        let way = |needs: &[usize]| Way { needs: needs.to_vec(), cost: 1 };
        let gates = [
            Gate { ways: vec![way(&[])], is_root: false },
            Gate { ways: vec![way(&[0]), way(&[])], is_root: true },
        ];
        assert_eq!(cost(&gates, &[Some(0), Some(0)]), Ok(2));
        assert_eq!(cost(&gates, &[None, Some(1)]), Ok(1));
        assert_eq!(cost(&gates, &[None, Some(0)]), Err(Flaw::NotComputed(0)));
        assert_eq!(cost(&gates, &[Some(0), None]), Err(Flaw::NotComputed(1)));
        assert_eq!(cost(&gates, &[None, Some(2)]), Err(Flaw::NoSuchWay(1)));
        assert_eq!(cost(&gates, &[Some(1)]), Err(Flaw::Gates));
    }
}
