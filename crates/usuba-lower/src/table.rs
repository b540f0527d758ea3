//! Tables to nodes.

use crate::circuit::Circuit;
use crate::circuits;
use crate::sliced::{Body, Instance, Lookup, Table};
use crate::{Lowering, Options, synthesis};
use usuba_algebra::inversion::inversion_form;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::bytes::{ByteAffine, ByteMap};
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, Node, NodeId, Origin, Type, ValueId};

/// What a table is computed by.
pub(crate) enum Implementation {
    /// Two maps of bytes, of which either may be the identity.
    Maps([ByteMap; 2]),
    /// A circuit on each column of bits.
    Circuit { circuit: Circuit, columns: u32 },
}

impl Implementation {
    /// That of an instance, if it is a table.
    pub(crate) fn of(
        instance: &Instance,
        options: &Options,
        prefer: &dyn Fn(&[Circuit]) -> usize,
    ) -> Option<Implementation> {
        let Body::Table(table) = &instance.body else { return None };
        if let (Lookup::Word, Some(maps)) = (table.lookup, byte_maps(table)) {
            return Some(Implementation::Maps(maps));
        }
        let columns = match table.lookup {
            Lookup::Columns { columns } => columns,
            Lookup::Word => 1,
        };
        Some(Implementation::Circuit { circuit: circuit(table, options, prefer), columns })
    }

    /// The number of its operations.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Implementation::Maps(_) => 2,
            Implementation::Circuit { circuit, columns } => circuit.cost as u64 * u64::from(*columns),
        }
    }
}

/// The circuit of a table: published, whatever the order of its inputs and outputs, or made here.
fn circuit(table: &Table, options: &Options, prefer: &dyn Fn(&[Circuit]) -> usize) -> Circuit {
    let (inputs, outputs) = (table.inputs as usize, table.outputs as usize);
    let mut candidates = if options.published_circuits {
        circuits::candidates(options.basis, inputs, outputs, &table.entries)
    } else {
        Vec::new()
    };
    let published = match candidates.len() {
        0 => None,
        1 => candidates.pop(),
        count => Some(candidates.swap_remove(prefer(&candidates).min(count - 1))),
    };
    published.unwrap_or_else(|| synthesis::synthesise(inputs, outputs, &table.entries))
}

impl<'p> Lowering<'p> {
    /// Lowers a table: its maps of bytes, or its circuit, applied to every column.
    pub(crate) fn table(&mut self, id: usize, instance: &'p Instance, table: &Table, by: &Implementation) {
        let origin = Origin { place: self.places.of(instance.span), name: None };
        let node = match by {
            Implementation::Maps([before, after]) => self.mapped_bytes(instance, *before, *after, origin),
            Implementation::Circuit { circuit, columns: 1 } => self.whole_table(instance, circuit, origin),
            Implementation::Circuit { circuit, columns } => {
                let column = column_node(instance, circuit, origin.clone());
                let column = self.add(column);
                let cost = circuit.cost + (table.inputs + table.outputs) as usize;
                let in_loop = self.weights.keeps_columns(id, cost, *columns, self.options.loops);
                self.columns(instance, table, *columns, column, in_loop, origin)
            }
        };
        self.define(id, node);
    }

    /// A table of bytes as two maps, of which either may be the identity.
    fn mapped_bytes(&self, instance: &'p Instance, before: ByteMap, after: ByteMap, origin: Origin) -> Node {
        let mut builder = NodeBuilder::new(instance.symbol.clone());
        builder.attributes = crate::node::attributes(instance.attributes);
        builder.at(origin);
        let atoms = self.input_atoms(&mut builder, instance);
        let results: Vec<ValueId> = atoms
            .into_iter()
            .map(|atom| {
                let image = builder.map_bytes(atom, before);
                builder.map_bytes(image, after)
            })
            .collect();
        self.output_atoms(&mut builder, instance, &results);
        builder.finish()
    }

    /// The circuit on the atoms of the instance itself.
    fn whole_table(&self, instance: &'p Instance, circuit: &Circuit, origin: Origin) -> Node {
        let mut builder = NodeBuilder::new(instance.symbol.clone());
        builder.attributes = crate::node::attributes(instance.attributes);
        builder.at(origin.clone());
        let wires = self.input_atoms(&mut builder, instance);
        let results = circuit.emit(&mut builder, &wires, &instance.symbol, &origin);
        self.output_atoms(&mut builder, instance, &results);
        builder.finish()
    }

    /// The circuit node on each column of the bits: one call a column, or a loop of them.
    fn columns(
        &self,
        instance: &'p Instance,
        table: &Table,
        columns: u32,
        column: NodeId,
        in_loop: bool,
        origin: Origin,
    ) -> Node {
        let mut builder = NodeBuilder::new(instance.symbol.clone());
        builder.attributes = crate::node::attributes(instance.attributes);
        builder.at(origin);
        let types = vec![Type::atom(Layout::BIT); table.outputs as usize];
        if in_loop {
            let inputs = self.inputs_as_array(&mut builder, instance, table.inputs * columns);
            let zero = builder.constant(Layout::BIT, 0);
            let initial = builder.array(vec![zero; (table.outputs * columns) as usize]);
            let (induction, parameters) = builder.begin_loop(columns, vec![initial]);
            let at = |i: u32| Affine { constant: i64::from(i * columns), terms: vec![(induction, 1)] };
            let arguments = (0..table.inputs).map(|i| builder.get(inputs, at(i))).collect();
            let results = builder.call(column, arguments, &types);
            let filled = (0..table.outputs)
                .zip(results)
                .fold(parameters[0], |array, (j, result)| builder.set(array, at(j), result));
            let filled = builder.end_loop(vec![filled])[0];
            self.outputs_from_array(&mut builder, instance, filled);
        } else {
            let atoms = self.input_atoms(&mut builder, instance);
            let mut results = vec![None; (table.outputs * columns) as usize];
            for c in 0..columns {
                let arguments = (0..table.inputs).map(|i| atoms[(i * columns + c) as usize]).collect();
                for (j, result) in builder.call(column, arguments, &types).into_iter().enumerate() {
                    results[j * columns as usize + c as usize] = Some(result);
                }
            }
            let results: Vec<ValueId> = results.into_iter().flatten().collect();
            self.output_atoms(&mut builder, instance, &results);
        }
        builder.finish()
    }

    fn input_atoms(&self, builder: &mut NodeBuilder, instance: &Instance) -> Vec<ValueId> {
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
        atoms
    }

    fn output_atoms(&self, builder: &mut NodeBuilder, instance: &Instance, results: &[ValueId]) {
        let mut rest = results.iter().copied();
        for &output in &instance.outputs {
            let parameter = self.parameter(instance, output);
            let part: Vec<ValueId> = rest.by_ref().take(parameter.ty.atoms() as usize).collect();
            let value = match parameter.ty.len {
                None => part[0],
                Some(_) => builder.array(part),
            };
            builder.output(parameter, value);
        }
    }

    fn inputs_as_array(&self, builder: &mut NodeBuilder, instance: &Instance, count: u32) -> ValueId {
        if let [input] = instance.inputs[..] {
            let parameter = self.parameter(instance, input);
            if parameter.ty.len == Some(count) {
                return builder.input(parameter);
            }
        }
        let atoms = self.input_atoms(builder, instance);
        builder.array(atoms)
    }

    fn outputs_from_array(&self, builder: &mut NodeBuilder, instance: &Instance, array: ValueId) {
        let mut start = 0;
        for &output in &instance.outputs {
            let parameter = self.parameter(instance, output);
            let value = match parameter.ty.len {
                None => builder.get(array, Affine::constant(start)),
                Some(len) => builder.slice(array, Affine::constant(start), len),
            };
            start += i64::from(parameter.ty.atoms());
            builder.output(parameter, value);
        }
    }
}

/// The maps that a table of bytes consists of, in order, if it is an affine map or inversion in GF(2^8) between two.
pub(crate) fn byte_maps(table: &Table) -> Option<[ByteMap; 2]> {
    if (table.inputs, table.outputs) != (8, 8) {
        return None;
    }
    let map = |inverts, affine| ByteMap { inverts, affine };
    if let Some(affine) = ByteAffine::of_table(&table.entries) {
        return Some([map(false, ByteAffine::IDENTITY), map(false, affine)]);
    }
    let form = inversion_form(&table.entries)?;
    Some([map(false, form.before), map(true, form.after)])
}

/// A node that computes a circuit on single bits.
fn column_node(instance: &Instance, circuit: &Circuit, origin: Origin) -> Node {
    let mut builder = NodeBuilder::new(format!("{}'column", instance.symbol));
    builder.attributes = crate::node::attributes(instance.attributes);
    builder.at(origin.clone());
    circuit.node(builder, &instance.symbol, &origin)
}
