//! What a node is, of all that is recognised.

use crate::layers::{Layers, Places, layers};
use crate::orbit::{PowerOfX, linear, power_of_x};
use crate::polynomial::{FieldPolynomial, field_polynomial};
use crate::product::{Product, product};
use crate::run::bits_of;
use crate::why::Why;
use usuba_lang::typed::{Body, InstanceId, Program};
use usuba_logic::matrix::Matrix;

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recognised {
    /// Multiplication of two elements of a field.
    Product(Product),
    /// Sums of products of elements of a field.
    Polynomial(FieldPolynomial),
    /// Multiplication by a power of x.
    PowerOfX(PowerOfX),
    /// A linear map of all inputs that is no such multiplication.
    Linear(Matrix),
    /// Layers of byte tables.
    Layers(Layers),
}

/// What an instance is. A node with tables is looked at for layers, where `places` says what its bits are; another for
/// multiplication.
///
/// # Errors
/// Why it is nothing of these.
pub fn recognise(program: &Program, instance: InstanceId, places: &Places) -> Result<Recognised, Why> {
    if has_tables(program, instance) {
        return layers(program, instance, places).map(Recognised::Layers);
    }
    let entry = program.instance(instance);
    let sizes: Vec<usize> = entry.inputs.iter().map(|&input| bits_of(entry, &[input])).collect();
    let refusal = match sizes[..] {
        [x, y] if x == y => match product(program, instance) {
            Ok(product) => return Ok(Recognised::Product(product)),
            Err(why) => Some(why),
        },
        _ => None,
    };
    match linear(program, instance) {
        Ok(matrix) => Ok(match power_of_x(&matrix) {
            Some(power) => Recognised::PowerOfX(power),
            None => Recognised::Linear(matrix),
        }),
        Err(why) => {
            // By a multiplication that it calls.
            let callees = (0..instance.0).map(InstanceId).filter(|&id| is_of_blocks(program, id));
            let polynomial = |id: InstanceId| field_polynomial(program, instance, id).ok();
            callees.filter_map(polynomial).map(Recognised::Polynomial).next().ok_or(refusal.unwrap_or(why))
        }
    }
}

/// Whether an instance makes a block of two blocks of the same size.
fn is_of_blocks(program: &Program, id: InstanceId) -> bool {
    let instance = program.instance(id);
    let size = bits_of(instance, &instance.outputs);
    let inputs: Vec<usize> = instance.inputs.iter().map(|&input| bits_of(instance, &[input])).collect();
    inputs == [size, size]
}

/// Whether a table is among the instances: all of them are reachable from the entry, which is most often the instance.
fn has_tables(program: &Program, instance: InstanceId) -> bool {
    // Callees have smaller numbers.
    let up_to = program.instances().iter().take(instance.0 as usize + 1);
    up_to.into_iter().any(|one| matches!(one.body, Body::Table(_)))
}
