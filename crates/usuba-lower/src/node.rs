//! One instance to one node.

use crate::Lowering;
use crate::roll::{LastUses, UseLists};
use crate::sliced::{self, Assignment, Definition, Equations, Instance, Slot, Step, VariableId, flatten};
use crate::state::{Atom, Frame, Held, State};
use std::collections::{BTreeMap, HashMap};
use usuba_ir::builder::NodeBuilder;
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, Attributes, Inline, Node, Origin, Parameter, Type, ValueId};
use usuba_lang::source::Span;
use usuba_lang::typed;

/// The state of lowering one node.
pub(crate) struct NodeLowering<'a, 'p> {
    pub lowering: &'a mut Lowering<'p>,
    pub instance: &'p Instance,
    pub builder: NodeBuilder,
    /// The value of each input.
    inputs: BTreeMap<VariableId, ValueId>,
    /// Definitions so far.
    pub states: HashMap<Definition, State>,
    /// The last definition of each atom so far.
    pub latest: HashMap<Slot, Definition>,
    /// Variables held as arrays.
    pub held: BTreeMap<VariableId, Held>,
    /// The kept loops around this place, outermost first.
    pub frames: Vec<Frame>,
    /// The operations of the body of the innermost kept loop, in this node or around it.
    pub around: Option<u64>,
    /// Elements read so far, per enclosing block.
    pub reads: Vec<HashMap<(ValueId, Affine), ValueId>>,
    pub uses: UseLists,
    pub last_uses: LastUses,
}

impl<'p> Lowering<'p> {
    /// Lowers a node of the source.
    pub(crate) fn equations(&mut self, id: usize, instance: &'p Instance, equations: &'p Equations) {
        let uses = UseLists::new(equations);
        let last_uses = LastUses::new(equations, &uses);
        let mut builder = NodeBuilder::new(instance.symbol.clone());
        builder.attributes = attributes(instance.attributes);
        builder.at(Origin { place: self.places.of(instance.span), name: None });
        let around = self.weights.around(id);
        let mut node = NodeLowering {
            lowering: self,
            instance,
            builder,
            inputs: BTreeMap::new(),
            states: HashMap::new(),
            latest: HashMap::new(),
            held: BTreeMap::new(),
            frames: Vec::new(),
            around,
            reads: vec![HashMap::new()],
            uses,
            last_uses,
        };
        for &input in &instance.inputs {
            let parameter = node.lowering.parameter(instance, input);
            let value = node.builder.input(parameter);
            node.inputs.insert(input, value);
            for atom in 0..instance.variable(input).atoms() {
                node.latest.insert(Slot { variable: input, atom }, Definition::Input);
            }
        }
        match &equations.order {
            None => node.steps(&equations.steps),
            Some(order) => {
                // Some use comes before its definition: no loop is kept, and assignments are taken as they depend.
                let mut assignments = flatten(&equations.steps);
                assignments.sort_by_key(|assignment| assignment.id);
                for id in order {
                    node.assign(assignments[id.0 as usize]);
                }
            }
        }
        for (&output, results) in instance.outputs.iter().zip(&equations.results) {
            node.builder.at(Origin {
                place: node.lowering.places.of(instance.variable(output).span),
                name: Some(instance.variable(output).name.as_str().into()),
            });
            let atoms: Vec<Atom> = results
                .iter()
                .enumerate()
                .map(|(atom, &definition)| {
                    node.resolve_definition(definition, Slot { variable: output, atom: atom as u32 })
                })
                .collect();
            let parameter = node.lowering.parameter(instance, output);
            let value = node.aggregate(&atoms, parameter.ty);
            node.builder.output(parameter, value);
        }
        let node = node.builder.finish();
        self.define(id, node);
    }

    /// Lowers a permutation that is the entry.
    pub(crate) fn permutation(&mut self, id: usize, instance: &'p Instance, sources: &[u32]) {
        let mut builder = NodeBuilder::new(instance.symbol.clone());
        builder.at(Origin { place: self.places.of(instance.span), name: None });
        let mut atoms = Vec::new();
        for &input in &instance.inputs {
            let parameter = self.parameter(instance, input);
            let (ty, value) = (parameter.ty, builder.input(parameter));
            match ty.len {
                None => atoms.push(value),
                Some(len) => {
                    atoms.extend((0..len).map(|i| builder.get(value, Affine::constant(i64::from(i)))));
                }
            }
        }
        let mut rest = sources.iter().map(|&source| atoms[source as usize]);
        for &output in &instance.outputs {
            let parameter = self.parameter(instance, output);
            let part: Vec<ValueId> = rest.by_ref().take(parameter.ty.atoms() as usize).collect();
            let value = match parameter.ty.len {
                None => part[0],
                Some(_) => builder.array(part),
            };
            builder.output(parameter, value);
        }
        let node: Node = builder.finish();
        self.define(id, node);
    }

    /// The parameter for an input or output.
    pub(crate) fn parameter(&self, instance: &Instance, id: VariableId) -> Parameter {
        let variable = instance.variable(id);
        let layout = Layout::of(self.options.slicing, variable.width);
        let ty = if variable.shape.is_empty() {
            Type::atom(layout)
        } else {
            Type::array(layout, variable.atoms())
        };
        Parameter {
            name: variable.name.clone(),
            ty,
            shape: variable.shape.clone(),
            uniform: variable.constant && instance.inputs.contains(&id),
        }
    }
}

impl<'a, 'p> NodeLowering<'a, 'p> {
    /// Lowers steps in textual order.
    pub(crate) fn steps(&mut self, steps: &'p [Step]) {
        for step in steps {
            match step {
                Step::Assign(assignment) => self.assign(assignment),
                Step::Loop(looped) => self.looped(looped),
            }
        }
    }

    /// Lowers an assignment: its value, then the new version of each target.
    fn assign(&mut self, assignment: &'p Assignment) {
        let atoms = self.value(assignment);
        for (c, (&target, atom)) in assignment.targets.iter().zip(atoms).enumerate() {
            let definition = Definition::Assigned(assignment.id, c as u32);
            if let Some(&held) = self.held.get(&target.variable) {
                let value = self.force(&atom);
                let index = self.target_index(assignment, c, held.depth);
                self.name(assignment.span, target);
                let array = self.builder.set(held.array, index, value);
                self.held.insert(target.variable, Held { array, ..held });
                self.states.insert(definition, State::Atom(Atom::Value(value)));
            } else {
                self.states.insert(definition, State::Atom(atom));
            }
            self.latest.insert(target, definition);
        }
    }

    /// Gives the following operations a place and the name of an atom.
    pub(crate) fn name(&mut self, span: Span, slot: Slot) {
        let variable = self.instance.variable(slot.variable);
        let name =
            variable.indices(slot.atom).fold(variable.name.clone(), |name, index| format!("{name}[{index}]"));
        self.builder.at(Origin { place: self.lowering.places.of(span), name: Some(name.into()) });
    }

    /// The atom that a use of `slot` denotes, given its definition, outside the body of a kept loop.
    pub(crate) fn resolve_definition(&mut self, definition: Definition, slot: Slot) -> Atom {
        if definition == Definition::Input {
            let value = self.inputs[&slot.variable];
            return match self.builder.ty(value).len {
                None => Atom::Value(value),
                Some(_) => Atom::Element(value, Affine::constant(i64::from(slot.atom))),
            };
        }
        match &self.states[&definition] {
            State::Atom(atom) => atom.clone(),
            State::Stored(index) => Atom::Element(self.held[&slot.variable].array, index.clone()),
        }
    }

    /// Makes a value of an atom, reading the element at most once per block.
    pub(crate) fn force(&mut self, atom: &Atom) -> ValueId {
        match atom {
            Atom::Value(value) => *value,
            Atom::Element(array, index) => {
                let key = (*array, index.clone());
                if let Some(&value) = self.reads.iter().rev().find_map(|block| block.get(&key)) {
                    return value;
                }
                let value = self.builder.get(*array, index.clone());
                self.reads.last_mut().expect("a block is open").insert(key, value);
                value
            }
        }
    }

    /// A value of type `ty` made of these atoms: an array that is at hand, a part of one, or a new one.
    pub(crate) fn aggregate(&mut self, atoms: &[Atom], ty: Type) -> ValueId {
        if ty.len.is_none() {
            return self.force(&atoms[0]);
        }
        if let Some((array, start)) = self.run(atoms) {
            let whole = self.builder.ty(array).len == ty.len;
            return if whole { array } else { self.builder.slice(array, start, atoms.len() as u32) };
        }
        let values = atoms.iter().map(|atom| self.force(atom)).collect();
        self.builder.array(values)
    }

    /// The array and first index of which these atoms are consecutive elements.
    fn run(&self, atoms: &[Atom]) -> Option<(ValueId, Affine)> {
        let Some(Atom::Element(array, start)) = atoms.first() else { return None };
        let consecutive = atoms.iter().enumerate().all(|(i, atom)| match atom {
            Atom::Element(other, index) => {
                other == array && index.terms == start.terms && index.constant == start.constant + i as i64
            }
            Atom::Value(_) => false,
        });
        consecutive.then(|| (*array, start.clone()))
    }

    /// The layout of an atom.
    pub(crate) fn layout(&self, atom: &Atom) -> Layout {
        match atom {
            Atom::Value(value) | Atom::Element(value, _) => self.builder.ty(*value).layout,
        }
    }
}

pub(crate) fn attributes(of: sliced::Attributes) -> Attributes {
    Attributes {
        inline: match of.inline {
            typed::Inline::Auto => Inline::Auto,
            typed::Inline::Always => Inline::Always,
            typed::Inline::Never => Inline::Never,
        },
        no_opt: of.no_opt,
        interleave: of.interleave,
    }
}
