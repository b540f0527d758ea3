//! Programs: tables, permutations and nodes, the last of which is the entry.

use super::node::Body;
use super::prng::Random;
use super::scope::{Role, Scope, Width};

/// What a program must admit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Bit slicing: no arithmetic; tables on the value of a word are allowed.
    B,
    /// Vertical slicing: words of several widths, arithmetic, `Pack`.
    V,
    /// Horizontal slicing: words of one width, no arithmetic, no `Pack`.
    H(u32),
}

impl Profile {
    /// The profile of a seed: they take turns.
    pub fn of(seed: u64) -> Profile {
        match seed % 3 {
            0 => Profile::B,
            1 => Profile::V,
            _ => Profile::H([2, 4, 8, 16][(seed / 3 % 4) as usize]),
        }
    }

    /// Whether words are added.
    pub fn arithmetic(self) -> bool {
        self == Profile::V
    }

    /// Whether two words make one of twice the width.
    pub fn packs(self) -> bool {
        !matches!(self, Profile::H(_))
    }
}

/// What a definition expects.
#[derive(Clone, Debug)]
pub enum Demand {
    /// A static number below this.
    Nat(u32),
    /// So many atoms.
    Atoms(Width, u32),
}

/// A definition that later ones may call.
#[derive(Clone, Debug)]
pub struct Callable {
    /// Its name.
    pub name: String,
    /// The number of elements of an array.
    pub elements: Option<u32>,
    /// Its inputs.
    pub inputs: Vec<Demand>,
    /// Its outputs; equal neighbours apart.
    pub outputs: Vec<(Width, u32)>,
    /// Estimated number of operations on bits.
    pub weight: u64,
    /// Whether words are added in it.
    pub arithmetic: bool,
}

impl Callable {
    /// Whether the first input is so many atoms.
    pub fn takes(&self, atoms: u32) -> bool {
        matches!(self.inputs.first(), Some(Demand::Atoms(_, n)) if *n == atoms)
    }

    /// The number of its results if they are all of `width`, or can be.
    pub fn results(&self, width: Width) -> Option<u32> {
        let fits = |w: Width| w == width || w == Width::Open;
        self.outputs.iter().all(|&(w, _)| fits(w)).then(|| self.outputs.iter().map(|o| o.1).sum())
    }
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its seed.
    pub seed: u64,
    /// What it admits.
    pub profile: Profile,
    /// Its text.
    pub text: String,
    /// Whether words are added in it.
    pub arithmetic: bool,
    /// Whether it has a table on the value of a word, which only bit slicing admits.
    pub word_tables: bool,
    /// Estimated number of operations on bits.
    pub weight: u64,
}

/// The program of a seed.
pub fn generate(seed: u64, profile: Profile) -> Generated {
    let mut random = Random::new(seed);
    let palette = palette(profile, &mut random);
    let mut writer = Writer {
        random,
        profile,
        palette,
        callables: Vec::new(),
        text: String::new(),
        seed,
        word_tables: false,
    };
    for number in 0..writer.random.weighted(&[(15, 0), (30, 1), (30, 2), (25, 3)]) {
        writer.auxiliary(number);
    }
    let entry = writer.node(&format!("entry{seed}"), true);
    let Writer { text, word_tables, .. } = writer;
    Generated { seed, profile, text, arithmetic: entry.arithmetic, word_tables, weight: entry.weight }
}

fn palette(profile: Profile, random: &mut Random) -> Vec<u32> {
    match profile {
        Profile::H(width) => vec![width],
        Profile::B => {
            let mut widths = vec![1];
            if random.chance(60) {
                widths.push(random.pick(&[2, 3, 4, 5, 8, 12, 16]));
            }
            if random.chance(20) {
                widths = vec![random.pick(&[2, 4, 8])];
                if random.chance(50) {
                    widths.push(widths[0] * 2);
                }
            }
            widths
        }
        Profile::V => match random.below(10) {
            0..=3 => vec![random.pick(&[8, 16, 32, 64])],
            4 | 5 => vec![random.between(2, 7)],
            6 | 7 => {
                let half = random.pick(&[2, 4, 8, 16, 32]);
                vec![half, 2 * half]
            }
            8 => vec![1, random.pick(&[8, 16, 32, 64])],
            _ => vec![random.pick(&[3, 8, 24]), random.pick(&[16, 32]), random.pick(&[5, 64])],
        },
    }
}

struct Writer {
    random: Random,
    profile: Profile,
    palette: Vec<u32>,
    callables: Vec<Callable>,
    text: String,
    seed: u64,
    word_tables: bool,
}

impl Writer {
    fn auxiliary(&mut self, number: u32) {
        let seed = self.seed;
        let callable = match self.random.below(10) {
            0..=2 => self.table(&format!("t{seed}_{number}")),
            3 | 4 => self.permutation(&format!("p{seed}_{number}")),
            _ => self.node(&format!("f{seed}_{number}"), false),
        };
        self.callables.push(callable);
    }

    fn width(&mut self, open: bool) -> Width {
        if open { Width::Open } else { Width::Bits(self.random.pick(&self.palette)) }
    }

    /// The type of an array of these dimensions, in one of its spellings.
    fn spelled(&mut self, width: Width, dimensions: &[u32]) -> String {
        let brackets = |d: &[u32]| d.iter().map(|n| format!("[{n}]")).collect::<String>();
        let (last, before) = match dimensions.split_last() {
            Some((&last, before)) => (last, before),
            None => (1, dimensions),
        };
        let direction = if self.random.chance(4) { "<'D>" } else { "" };
        // `u8x1` is one word, not an array of one.
        let matrix = self.random.chance(60) && (last > 1 || dimensions.is_empty());
        match width {
            Width::Open if matrix => format!("v{direction}{last}{}", brackets(before)),
            Width::Open => format!("u{direction}'m{}", brackets(dimensions)),
            Width::Bits(1) if matrix => format!("b{direction}{last}{}", brackets(before)),
            Width::Bits(m) if matrix && !dimensions.is_empty() => {
                format!("u{direction}{m}x{last}{}", brackets(before))
            }
            Width::Bits(m) => format!("u{direction}{m}{}", brackets(dimensions)),
        }
    }

    /// `a, b: v2` or `a: v4` and the like: parameters of `count` atoms all together.
    fn parameters(&mut self, prefix: char, width: Width, count: u32) -> String {
        let mut declarations = Vec::new();
        let mut left = count;
        while left > 0 {
            let atoms = if self.random.chance(75) { left } else { self.random.between(1, left) };
            let name = format!("{prefix}{}", declarations.len());
            let dimensions = if atoms == 1 && self.random.chance(80) { vec![] } else { vec![atoms] };
            declarations.push(format!("{name}: {}", self.spelled(width, &dimensions)));
            left -= atoms;
        }
        declarations.join(", ")
    }

    /// `{…}`, or several of them.
    fn lists(&mut self, elements: Option<u32>, mut list: impl FnMut(&mut Random) -> Vec<u64>) -> String {
        let mut braces = || {
            let entries: Vec<_> = list(&mut self.random).iter().map(u64::to_string).collect();
            format!("{{ {} }}", entries.join(", "))
        };
        match elements {
            None => braces(),
            Some(n) => format!("[\n  {}\n]", (0..n).map(|_| braces()).collect::<Vec<_>>().join(" ;\n  ")),
        }
    }

    fn elements(&mut self) -> Option<u32> {
        self.random.chance(25).then(|| self.random.between(2, 3))
    }

    fn table(&mut self, name: &str) -> Callable {
        let elements = self.elements();
        let array = if elements.is_some() { "[]" } else { "" };
        let words: Vec<u32> = self.palette.iter().copied().filter(|w| (2..=5).contains(w)).collect();
        if self.profile == Profile::B && !words.is_empty() && self.random.chance(30) {
            self.word_tables = true;
            let (from, to) = (self.random.pick(&words), self.random.pick(&words));
            let lists = self.lists(elements, |r| (0..1u32 << from).map(|_| r.word(to) as u64).collect());
            self.text.push_str(&format!("table{array} {name} (x: u{from}) returns (y: u{to}) {lists}\n\n"));
            return Callable {
                name: name.into(),
                elements,
                inputs: vec![Demand::Atoms(Width::Bits(from), 1)],
                outputs: vec![(Width::Bits(to), 1)],
                weight: u64::from(to << from) / 2,
                arithmetic: false,
            };
        }
        let open = self.random.chance(60);
        let width = self.width(open);
        let (from, to) = (self.random.between(1, 5), self.random.between(1, 5));
        let attribute = self.random.weighted(&[(75, ""), (15, "_lsb "), (10, "_msb ")]);
        let inputs = self.parameters('x', width, from);
        let outputs = self.parameters('y', width, to);
        let bijective = from == to && self.random.chance(60);
        let lists = self.lists(elements, |r| {
            let mut entries: Vec<u64> =
                (0..1u64 << from).map(|v| if bijective { v } else { r.word(to) as u64 }).collect();
            if bijective {
                r.shuffle(&mut entries);
            }
            entries
        });
        self.text
            .push_str(&format!("{attribute}table{array} {name} ({inputs}) returns ({outputs}) {lists}\n\n"));
        Callable {
            name: name.into(),
            elements,
            inputs: vec![Demand::Atoms(width, from)],
            outputs: vec![(width, to)],
            weight: u64::from(to << from) / 2 * u64::from(width.bits()),
            arithmetic: false,
        }
    }

    fn permutation(&mut self, name: &str) -> Callable {
        let elements = self.elements();
        let array = if elements.is_some() { "[]" } else { "" };
        let open = self.random.chance(60);
        let width = self.width(open);
        let from = self.random.between(1, 9);
        let to = if self.random.chance(50) { from } else { self.random.between(1, 9) };
        let inputs = self.parameters('x', width, from);
        let outputs = self.parameters('y', width, to);
        let straight = from == to && self.random.chance(70);
        let lists = self.lists(elements, |r| {
            let mut entries: Vec<u64> = (1..=u64::from(to))
                .map(|v| if straight { v } else { u64::from(r.between(1, from)) })
                .collect();
            r.shuffle(&mut entries);
            entries
        });
        self.text.push_str(&format!("perm{array} {name} ({inputs}) returns ({outputs}) {lists}\n\n"));
        Callable {
            name: name.into(),
            elements,
            inputs: vec![Demand::Atoms(width, from)],
            outputs: vec![(width, to)],
            weight: 1,
            arithmetic: false,
        }
    }

    fn dimensions(&mut self, width: Width) -> Vec<u32> {
        let small = if width.bits() > 8 { 1 } else { 0 };
        match self.random.below(10) {
            0..=2 => vec![],
            3..=5 => vec![self.random.between(2, 6 - small)],
            6 => vec![self.random.between(1, 9 - 3 * small)],
            7 | 8 => vec![self.random.between(2, 4 - small), self.random.between(2, 4 - small)],
            _ => vec![2, self.random.between(1, 3), 2],
        }
    }

    fn node(&mut self, name: &str, entry: bool) -> Callable {
        let open = !entry && self.random.chance(40);
        let widths: Vec<Width> = if open {
            vec![Width::Open]
        } else {
            self.palette.iter().map(|&bits| Width::Bits(bits)).collect()
        };
        let elements = if entry { None } else { self.elements().filter(|_| self.random.chance(70)) };
        let nats: Vec<(String, u32)> = match if entry { 0 } else { self.random.below(8) } {
            5 | 6 => vec![("n".into(), self.random.between(1, 4))],
            7 => vec![("n0".into(), self.random.between(1, 3)), ("n1".into(), 2)],
            _ => vec![],
        };
        let mut parameters: Vec<(String, Width, Vec<u32>, Role)> = Vec::new();
        let inputs = self.random.between(1, if entry { 4 } else { 3 });
        let outputs = self.random.weighted(&[(55, 1), (30, 2), (15, 3)]);
        for (role, prefix, count) in [(Role::Input, 'x', inputs), (Role::Output, 'y', outputs)] {
            for number in 0..count {
                let width = self.random.pick(&widths);
                let dimensions = self.dimensions(width);
                let quote = if self.random.chance(5) { "'" } else { "" };
                parameters.push((format!("{prefix}{number}{quote}"), width, dimensions, role));
            }
        }
        let mut declared = [Vec::new(), Vec::new()];
        for (name, width, dimensions, role) in &parameters {
            let ty = self.spelled(*width, dimensions);
            let constant = *role == Role::Input && self.random.chance(if entry { 20 } else { 8 });
            let constant = if constant { "const " } else { "" };
            declared[usize::from(*role == Role::Output)].push(format!("{name}: {constant}{ty}"));
        }
        let mut demands: Vec<Demand> = parameters
            .iter()
            .filter(|p| p.3 == Role::Input)
            .map(|(_, width, dimensions, _)| Demand::Atoms(*width, dimensions.iter().product()))
            .collect();
        for (name, values) in &nats {
            // The first input stays the first, so that it tells the width.
            let place = 1 + self.random.below(demands.len());
            demands.insert(place, Demand::Nat(*values));
            declared[0].insert(place, format!("{name}: nat"));
        }
        let budget = match (entry, self.random.below(10)) {
            (false, _) => 250,
            (true, 0..=6) => 900,
            (true, _) => 3000,
        };
        let mut bodies = Vec::new();
        let (mut weight, mut arithmetic) = (1, false);
        for _ in 0..elements.unwrap_or(1) {
            let body = self.body(&nats, &parameters, &widths, budget);
            bodies.push(body.0);
            weight = weight.max(body.1);
            arithmetic |= body.2;
        }
        let attribute = self.random.weighted(&[
            (60, ""),
            (12, "_inline "),
            (18, "_no_inline "),
            (4, "_no_opt "),
            (6, "_interleave(2) "),
        ]);
        let attribute = if entry { "" } else { attribute };
        let array = if elements.is_some() { "[]" } else { "" };
        let head = format!(
            "{attribute}node{array} {name} ({}) returns ({})",
            declared[0].join(", "),
            declared[1].join(", ")
        );
        let body = match elements {
            None => bodies.join(""),
            Some(_) => format!("[\n{}\n]", bodies.join(" ;\n")),
        };
        self.text.push_str(&format!("{head}\n{body}\n\n"));
        let outputs = parameters
            .iter()
            .filter(|p| p.3 == Role::Output)
            .map(|(_, width, dimensions, _)| (*width, dimensions.iter().product()))
            .collect();
        Callable { name: name.into(), elements, inputs: demands, outputs, weight, arithmetic }
    }

    /// `vars … let … tel`, its weight, and whether it adds.
    fn body(
        &mut self,
        nats: &[(String, u32)],
        parameters: &[(String, Width, Vec<u32>, Role)],
        widths: &[Width],
        budget: u64,
    ) -> (String, u64, bool) {
        let mut scope = Scope::new(nats);
        for (name, width, dimensions, role) in parameters {
            scope.declare(name.clone(), *width, dimensions.clone(), *role);
        }
        let locals = self.random.between(0, 3);
        for number in 0..locals {
            let width = self.random.pick(widths);
            let dimensions = self.dimensions(width);
            scope.declare(format!("z{number}"), width, dimensions, Role::Local);
        }
        let count = self.random.between(1, 6);
        let mut body =
            Body::new(&mut self.random, self.profile, &self.callables, scope, widths.to_vec(), budget);
        let equations = body.write(count);
        let (weight, arithmetic) = (body.weight.max(1), body.arithmetic);
        let locals: Vec<_> = body.scope.variables.iter().filter(|v| v.role == Role::Local).cloned().collect();
        let declared: Vec<String> =
            locals.iter().map(|v| format!("{}: {}", v.name, self.spelled(v.width, &v.dimensions))).collect();
        let vars =
            if declared.is_empty() { String::new() } else { format!("vars {}\n", declared.join(", ")) };
        (format!("{vars}let\n{equations}tel"), weight, arithmetic)
    }
}
