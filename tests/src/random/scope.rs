//! What a node under construction knows: its variables, its loops, and which atoms have a value when.

use super::prng::Random;
use super::reference::{Reference, Selection, Static};

/// The width of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// So many bits.
    Bits(u32),
    /// The `'m` of the definition.
    Open,
}

impl Width {
    /// The number of bits, a guess if it is open.
    pub fn bits(self) -> u32 {
        match self {
            Width::Bits(bits) => bits,
            Width::Open => 8,
        }
    }
}

/// What a variable is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// An input.
    Input,
    /// An output.
    Output,
    /// A local.
    Local,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The width of its atoms.
    pub width: Width,
    /// Its dimensions, outermost first.
    pub dimensions: Vec<u32>,
    /// Its role.
    pub role: Role,
    /// Where its atoms begin among all of the node.
    first: usize,
}

impl Variable {
    /// Number of atoms.
    pub fn atoms(&self) -> u32 {
        self.dimensions.iter().product()
    }
}

/// One passage through the place where the next equation will stand: an iteration of the loops around it, for one list
/// of values of the `nat` parameters.
#[derive(Clone, Debug)]
struct Moment {
    /// Values of the names: `nat` parameters, then loop variables from the outside in.
    values: Vec<i64>,
    /// The values of the `nat` parameters, numbered: moments of different groups are different worlds.
    group: usize,
    /// The moment of the enclosing loop.
    outer: usize,
    /// For every atom of the node, whether it has a value by now.
    defined: Vec<bool>,
}

/// A node under construction.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The variables.
    pub variables: Vec<Variable>,
    /// The static names in scope.
    pub names: Vec<String>,
    moments: Vec<Moment>,
    enclosing: Vec<Vec<Moment>>,
    size: usize,
}

impl Scope {
    /// A node with `nat` parameters, each with its name and the number of values that it takes, from 0.
    pub fn new(nats: &[(String, u32)]) -> Scope {
        let mut worlds = vec![Vec::new()];
        for &(_, count) in nats {
            let longer = |world: &Vec<i64>| {
                let world = world.clone();
                (0..i64::from(count)).map(move |value| [world.clone(), vec![value]].concat())
            };
            worlds = worlds.iter().flat_map(longer).collect();
        }
        let moments = worlds
            .into_iter()
            .enumerate()
            .map(|(group, values)| Moment { values, group, outer: group, defined: Vec::new() })
            .collect();
        let names = nats.iter().map(|(name, _)| name.clone()).collect();
        Scope { variables: Vec::new(), names, moments, enclosing: Vec::new(), size: 0 }
    }

    /// Declares a variable and gives its number. Inputs have a value from the start.
    pub fn declare(&mut self, name: String, width: Width, dimensions: Vec<u32>, role: Role) -> usize {
        let first = self.size;
        self.size += dimensions.iter().product::<u32>() as usize;
        for moment in self.moments.iter_mut().chain(self.enclosing.iter_mut().flatten()) {
            moment.defined.resize(self.size, role == Role::Input);
        }
        self.variables.push(Variable { name, width, dimensions, role, first });
        self.variables.len() - 1
    }

    /// How often the next equation is executed, for one list of values of the `nat` parameters.
    pub fn repetitions(&self) -> u64 {
        let worlds = self.moments.iter().map(|m| m.group).max().map_or(1, |g| g as u64 + 1);
        (self.moments.len() as u64).div_ceil(worlds)
    }

    /// Whether the next equation stands in a loop.
    pub fn in_loop(&self) -> bool {
        !self.enclosing.is_empty()
    }

    /// The smallest and largest value of a static expression.
    pub fn extent(&self, e: &Static) -> (i64, i64) {
        let values = || self.moments.iter().map(|m| e.at(&m.values));
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    }

    /// The places of a reference at every moment; `None` if an index is out of range at some moment.
    fn places(&self, reference: &Reference) -> Option<Vec<Vec<usize>>> {
        let variable = &self.variables[reference.variable];
        let shift = |atoms: Vec<usize>| atoms.into_iter().map(|a| a + variable.first).collect();
        self.moments.iter().map(|m| reference.atoms(&variable.dimensions, &m.values).map(shift)).collect()
    }

    /// Whether all atoms of `reference` have a value whenever it is evaluated. `targets` are those of the equation that it
    /// would stand in: their atoms have values from the iterations before.
    pub fn readable(&self, reference: &Reference, targets: &[Reference]) -> bool {
        let Some(places) = self.places(reference) else { return false };
        let Some(written) = targets.iter().map(|t| self.places(t)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        self.moments.iter().zip(&places).enumerate().all(|(now, (moment, atoms))| {
            atoms.iter().all(|&atom| {
                moment.defined[atom]
                    || written.iter().any(|target| {
                        (0..now).any(|m| self.moments[m].group == moment.group && target[m].contains(&atom))
                    })
            })
        })
    }

    /// Whether no atom is a target twice at one moment and, if `once`, none has a value before or is a target again.
    pub fn writable(&self, targets: &[Reference], once: bool) -> bool {
        let Some(places) = targets.iter().map(|t| self.places(t)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let groups = self.moments.iter().map(|m| m.group).max().unwrap_or(0) + 1;
        let mut seen = vec![vec![false; self.size]; groups];
        for (now, moment) in self.moments.iter().enumerate() {
            let mut here = vec![false; self.size];
            for &atom in places.iter().flat_map(|target| &target[now]) {
                let before = moment.defined[atom] || seen[moment.group][atom];
                if here[atom] || (once && before) {
                    return false;
                }
                here[atom] = true;
            }
            here.iter().zip(&mut seen[moment.group]).for_each(|(h, s)| *s |= h);
        }
        true
    }

    /// Notes that an equation defines `targets`.
    pub fn define(&mut self, targets: &[Reference]) {
        let places: Vec<_> = targets.iter().filter_map(|t| self.places(t)).collect();
        for now in 0..self.moments.len() {
            let group = self.moments[now].group;
            for &atom in places.iter().flat_map(|target| &target[now]) {
                for moment in self.moments[now..].iter_mut().filter(|m| m.group == group) {
                    moment.defined[atom] = true;
                }
            }
        }
    }

    /// The atoms of a variable that have no value at some moment.
    pub fn undefined(&self, variable: usize) -> Vec<u32> {
        let Variable { first, .. } = self.variables[variable];
        (0..self.variables[variable].atoms())
            .filter(|&atom| self.moments.iter().any(|m| !m.defined[first + atom as usize]))
            .collect()
    }

    /// Opens a loop.
    pub fn open(&mut self, name: String, start: &Static, stop: &Static) {
        let mut inner = Vec::new();
        for (outer, moment) in self.moments.iter().enumerate() {
            let (start, stop) = (start.at(&moment.values), stop.at(&moment.values));
            let values: Vec<i64> =
                if start <= stop { (start..=stop).collect() } else { (stop..=start).rev().collect() };
            for value in values {
                let values = [moment.values.clone(), vec![value]].concat();
                inner.push(Moment { values, group: moment.group, outer, defined: moment.defined.clone() });
            }
        }
        self.enclosing.push(std::mem::replace(&mut self.moments, inner));
        self.names.push(name);
    }

    /// Closes the innermost loop.
    pub fn close(&mut self) {
        self.names.pop();
        if let Some(outer) = self.enclosing.pop() {
            for inner in std::mem::replace(&mut self.moments, outer) {
                self.moments[inner.outer].defined = inner.defined;
            }
        }
    }

    /// An index from 0 to `size - 1`, written with the names in scope where that is possible.
    pub fn index(&self, random: &mut Random, size: u32) -> Static {
        let literal = Static::Number(i64::from(random.between(0, size - 1)));
        if self.names.is_empty() || random.chance(if size == 1 { 90 } else { 25 }) {
            return literal;
        }
        for _ in 0..3 {
            let candidate = self.expression(random, size);
            let (low, high) = self.extent(&candidate);
            if low >= 0 && high < i64::from(size) {
                return candidate;
            }
        }
        let name = self.name(random);
        let number = Static::Number;
        Static::binary('%', Static::binary('+', name, literal), number(i64::from(size)))
    }

    fn name(&self, random: &mut Random) -> Static {
        let number = if random.chance(70) { self.names.len() - 1 } else { random.below(self.names.len()) };
        Static::Name(number, self.names[number].clone())
    }

    /// A static expression that is likely, but not certain, to be an index below `size`.
    fn expression(&self, random: &mut Random, size: u32) -> Static {
        let number = |n: u32| Static::Number(i64::from(n));
        let name = self.name(random);
        match random.below(9) {
            0 | 1 => name,
            2 => Static::binary('+', name, number(random.between(1, 2))),
            3 => Static::binary('-', name, number(random.between(1, 3))),
            4 => Static::binary('-', number(size - 1), name),
            5 => Static::binary('/', name, number(2)),
            6 => {
                let scaled = Static::binary('*', number(random.between(2, 5)), name);
                let sum = Static::binary('+', scaled, self.name(random));
                Static::binary('%', sum, number(size))
            }
            7 => Static::binary('*', number(2), name),
            _ => {
                let back = Static::binary('-', name, number(random.between(1, 3)));
                Static::binary('%', back, number(size))
            }
        }
    }

    /// Selections that take `count` atoms out of an array of these dimensions; `None` if chance fails. On a left side
    /// (`writing`) no element is taken twice.
    pub fn select(
        &self,
        random: &mut Random,
        dimensions: &[u32],
        count: u32,
        writing: bool,
    ) -> Option<Vec<Selection>> {
        let total: u32 = dimensions.iter().product();
        let Some((&size, rest)) = dimensions.split_first() else {
            return (count == 1).then(Vec::new);
        };
        if total == count && random.chance(60) {
            return Some(Vec::new());
        }
        let inner: u32 = rest.iter().product();
        let most = if writing { size } else { size + 2 };
        let counts: Vec<u32> = (1..=most.min(count))
            .filter(|c| {
                count.is_multiple_of(*c) && if writing { count / c <= inner } else { count / c <= 2 * inner }
            })
            .filter(|c| !rest.is_empty() || count == *c)
            .collect();
        if counts.is_empty() {
            return None;
        }
        let chosen = random.pick(&counts);
        let mut selections = vec![self.selection(random, size, chosen, writing)?];
        selections.extend(self.select(random, rest, count / chosen, writing)?);
        Some(selections)
    }

    fn selection(&self, random: &mut Random, size: u32, count: u32, writing: bool) -> Option<Selection> {
        if count == 1 {
            let index = self.index(random, size);
            let range = random.chance(4);
            return Some(if range {
                Selection::Range(index.clone(), index)
            } else {
                Selection::Index(index)
            });
        }
        if count <= size && random.chance(60) {
            let far = Static::Number(i64::from(count - 1));
            let low = self.index(random, size - count + 1);
            let high = match &low {
                Static::Number(n) => Static::Number(n + i64::from(count - 1)),
                _ => Static::binary('+', low.clone(), far),
            };
            return Some(if random.chance(50) {
                Selection::Range(low, high)
            } else {
                Selection::Range(high, low)
            });
        }
        if writing {
            let mut all: Vec<u32> = (0..size).collect();
            random.shuffle(&mut all);
            all.truncate(count as usize);
            return Some(Selection::Slice(all.into_iter().map(|n| Static::Number(i64::from(n))).collect()));
        }
        Some(Selection::Slice((0..count).map(|_| self.index(random, size)).collect()))
    }
}
