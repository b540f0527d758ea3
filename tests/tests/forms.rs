//! The texts of a block cipher are one function: a proof, for all keys and blocks, of every form in every manifest.
//!
//! Both texts are run bit by bit on symbols. A value is a sum modulo 2 of variables: bits of the inputs, outputs of tables
//! and products. What is not linear gets variables of its own, the same for the same table (or a product) of the same sums.
//! Two outputs that are the same sum are equal whatever the variables stand for; that two different sums are different is
//! not claimed. The circuits of tables, slicings and everything after elaboration are not looked at: other tests do.

use std::collections::HashMap;
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate::elaborate;
use usuba_lang::load::{Text, load};
use usuba_lang::typed::{
    Body, Definition, Expression, ExpressionKind, Instance, InstanceId, LogicOp, Lookup, Program, Slot, Step,
    Table,
};
use usuba_package::manifest::{Function, Primitive};
use usuba_package::order::Order;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};

/// The numbers of the variables whose sum it is, in order; 0 stands for one.
type Sum = Vec<u32>;

/// A bit of a parameter: its number, the byte, and the bit in it.
type Place = (usize, usize, u32);

/// What variables stand for.
#[derive(Default)]
struct Symbols {
    next: u32,
    inputs: HashMap<Place, u32>,
    tables: Vec<Vec<u64>>,
    looked_up: HashMap<(usize, Vec<Sum>), Vec<u32>>,
    products: HashMap<(Sum, Sum), u32>,
}

fn add(a: &[u32], b: &[u32]) -> Sum {
    let (mut i, mut j) = (0, 0);
    let mut sum = Sum::new();
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        match x.cmp(&y) {
            std::cmp::Ordering::Less => sum.push(x),
            std::cmp::Ordering::Greater => sum.push(y),
            std::cmp::Ordering::Equal => {}
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    sum.extend(&a[i..]);
    sum.extend(&b[j..]);
    sum
}

impl Symbols {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn input(&mut self, place: Place) -> Sum {
        if let Some(&known) = self.inputs.get(&place) {
            return vec![known];
        }
        let variable = self.fresh();
        self.inputs.insert(place, variable);
        vec![variable]
    }

    fn product(&mut self, a: Sum, b: Sum) -> Sum {
        if a.is_empty() || b == [0] || a == b {
            return a;
        }
        if b.is_empty() || a == [0] {
            return b;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&known) = self.products.get(&key) {
            return vec![known];
        }
        let variable = self.fresh();
        self.products.insert(key, variable);
        vec![variable]
    }

    fn look_up(&mut self, table: &Table, index: Vec<Sum>) -> Vec<Sum> {
        let number = self.tables.iter().position(|known| *known == table.entries).unwrap_or_else(|| {
            self.tables.push(table.entries.clone());
            self.tables.len() - 1
        });
        let variables = match self.looked_up.get(&(number, index.clone())) {
            Some(known) => known.clone(),
            None => {
                let variables: Vec<u32> = (0..table.outputs).map(|_| self.fresh()).collect();
                self.looked_up.insert((number, index), variables.clone());
                variables
            }
        };
        variables.into_iter().map(|variable| vec![variable]).collect()
    }

    /// The outputs of an instance, concatenated.
    fn run(&mut self, program: &Program, id: InstanceId, arguments: &[Sum]) -> Vec<Sum> {
        let instance = program.instance(id);
        match &instance.body {
            Body::Permutation { sources } => {
                sources.iter().map(|&source| arguments[source as usize].clone()).collect()
            }
            Body::Table(table) => {
                let Lookup::Columns { columns } = table.lookup else { panic!("a program of bits") };
                let columns = columns as usize;
                let mut outputs = vec![Sum::new(); table.outputs as usize * columns];
                for column in 0..columns {
                    let index = (0..table.inputs as usize).map(|i| arguments[i * columns + column].clone());
                    for (i, output) in self.look_up(table, index.collect()).into_iter().enumerate() {
                        outputs[i * columns + column] = output;
                    }
                }
                outputs
            }
            Body::Equations(equations) => {
                let mut values = HashMap::new();
                let mut given = arguments.iter();
                for &variable in &instance.inputs {
                    for atom in 0..instance.variable(variable).atoms() {
                        let value = given.next().expect("as many arguments as atoms").clone();
                        values.insert((Definition::Input, Slot { variable, atom }), value);
                    }
                }
                assert!(equations.order.is_none(), "`{}` is not in order", instance.name);
                self.steps(program, &equations.steps, &mut values);
                let mut outputs = Vec::new();
                for (&variable, definitions) in instance.outputs.iter().zip(&equations.results) {
                    for (atom, &definition) in (0..).zip(definitions) {
                        outputs.push(values[&(definition, Slot { variable, atom })].clone());
                    }
                }
                outputs
            }
        }
    }

    fn steps(&mut self, program: &Program, steps: &[Step], values: &mut HashMap<(Definition, Slot), Sum>) {
        for step in steps {
            match step {
                Step::Loop(looped) => {
                    looped.iterations.iter().for_each(|body| self.steps(program, body, values));
                }
                Step::Assign(assignment) => {
                    let atoms = self.value(program, &assignment.value, values);
                    for ((number, &target), atom) in (0..).zip(&assignment.targets).zip(atoms) {
                        values.insert((Definition::Assigned(assignment.id, number), target), atom);
                    }
                }
            }
        }
    }

    fn value(
        &mut self,
        program: &Program,
        expression: &Expression,
        values: &HashMap<(Definition, Slot), Sum>,
    ) -> Vec<Sum> {
        match &expression.kind {
            ExpressionKind::Atoms(uses) => {
                uses.iter().map(|used| values[&(used.definition, used.slot)].clone()).collect()
            }
            ExpressionKind::Constants(constants) => constants
                .iter()
                .map(|constant| if constant.value == 0 { Sum::new() } else { vec![0] })
                .collect(),
            ExpressionKind::Tuple(parts) => {
                parts.iter().flat_map(|part| self.value(program, part, values)).collect()
            }
            ExpressionKind::Not(value) => {
                self.value(program, value, values).iter().map(|atom| add(atom, &[0])).collect()
            }
            ExpressionKind::Refresh(value) => self.value(program, value, values),
            ExpressionKind::Logic(op, left, right) => {
                let (left, right) = (self.value(program, left, values), self.value(program, right, values));
                let atom = |(a, b): (Sum, Sum)| match op {
                    LogicOp::Xor => add(&a, &b),
                    LogicOp::And => self.product(a, b),
                    LogicOp::Or => {
                        let sum = add(&a, &b);
                        add(&sum, &self.product(a, b))
                    }
                };
                left.into_iter().zip(right).map(atom).collect()
            }
            ExpressionKind::Gather { sources, value } => {
                let atoms = self.value(program, value, values);
                sources
                    .iter()
                    .map(|source| source.map_or(Sum::new(), |source| atoms[source as usize].clone()))
                    .collect()
            }
            ExpressionKind::Call { callee, arguments } => {
                let arguments = self.value(program, arguments, values);
                self.run(program, *callee, &arguments)
            }
            other => panic!("a program of bits with {other:?}"),
        }
    }
}

/// The places of the atoms of parameters in their bytes.
fn places(instance: &Instance, inputs: bool, orders: &[Order]) -> Vec<Place> {
    let parameters = if inputs { &instance.inputs } else { &instance.outputs };
    let mut places = Vec::new();
    for (number, (&parameter, order)) in parameters.iter().zip(orders).enumerate() {
        let variable = instance.variable(parameter);
        for atom in 0..variable.atoms() {
            let (byte, bit) =
                order.place(variable.word, (atom / variable.word) as usize, atom % variable.word);
            places.push((number, byte, bit));
        }
    }
    places
}

/// The bits of the block that a text makes of symbols for block and round keys.
fn outputs(symbols: &mut Symbols, cipher: &Cipher, node: &str, orders: &[Order]) -> HashMap<Place, Sum> {
    let settings = Settings::new(Slicing::B, Some(node));
    let (program, findings) = elaborate(&cipher.loaded.program, &settings.elaboration());
    let program = program.unwrap_or_else(|| panic!("{findings:?}"));
    let entry = program.instance(program.entry());
    assert_eq!(entry.inputs.len(), orders.len(), "{node}");
    let arguments: Vec<Sum> =
        places(entry, true, orders).into_iter().map(|place| symbols.input(place)).collect();
    let results = symbols.run(&program, program.entry(), &arguments);
    let places = places(entry, false, orders);
    assert_eq!(places.len(), results.len(), "{node}");
    places.into_iter().zip(results).collect()
}

/// The nodes of a primitive as a slicing sees it, and the orders of their inputs.
fn nodes(primitive: &Primitive, slicing: Slicing) -> (Vec<String>, Vec<Order>) {
    let Function::BlockCipher(cipher) = &primitive.in_slicing(slicing).function else {
        panic!("only block ciphers have forms")
    };
    let nodes = [Some(&cipher.encrypt), cipher.decrypt.as_ref()];
    let tweak = cipher.tweak.map(|tweak| tweak.order);
    let orders = [Some(cipher.block.order), tweak, Some(cipher.round_keys.cipher_order)];
    (nodes.into_iter().flatten().cloned().collect(), orders.into_iter().flatten().collect())
}

/// Proves each form of a primitive; the number of nodes that were compared.
fn prove(cipher: &Cipher, primitive: &Primitive) -> usize {
    let mut proved = 0;
    for form in &primitive.forms {
        let of_form = |slicing: &&Slicing| primitive.forms.iter().any(|one| one.slicings.contains(slicing));
        let first = primitive.slicings.iter().find(|slicing| !of_form(slicing)).expect("it has one");
        let (ours, theirs) = (nodes(primitive, *first), nodes(primitive, form.slicings[0]));
        for (ours_node, theirs_node) in ours.0.iter().zip(&theirs.0) {
            let mut symbols = Symbols::default();
            let left = outputs(&mut symbols, cipher, ours_node, &ours.1);
            let right = outputs(&mut symbols, cipher, theirs_node, &theirs.1);
            assert_eq!(left.len(), right.len());
            for (place, sum) in &left {
                assert_eq!(
                    Some(sum),
                    right.get(place),
                    "{}: `{theirs_node}` is not proved to be `{ours_node}` at {place:?}",
                    primitive.name
                );
            }
            assert!(symbols.looked_up.len() >= 16, "there is something to prove");
            proved += 1;
        }
    }
    proved
}

#[test]
fn every_form_is_the_same_function() {
    let mut proved = 0;
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        proved += cipher.manifest.primitives.iter().map(|one| prove(&cipher, one)).sum::<usize>();
    }
    assert!(proved >= 14, "{proved} nodes: AES and Camellia with three keys, SM4 with one, both directions");
}

/// What a round takes of a byte, shifted by a bit less.
#[test]
#[should_panic(expected = "`EncryptBytes` is not proved to be `Encrypt`")]
fn a_mistake_in_a_form_is_noticed() {
    let mut cipher = Cipher::read("sm4");
    let text = std::fs::read_to_string(root().join("ciphers/sm4/sm4.ua")).expect("it is there");
    assert!(text.contains("B[i] >> 6"));
    cipher.loaded = load("sm4.ua", &[], &Text(&text.replace("B[i] >> 6", "B[i] >> 5")));
    prove(&cipher, &cipher.manifest.primitives[0]);
}
