//! The kernel of a stream cipher that takes the counter and the nonce side by side in one group of words, as a function that
//! takes each by itself.

use super::{DriverError, Image, Kernel, Parameter};
use crate::manifest::Stream;
use crate::order::Order;
use crate::template::Values;

/// The kernel with three inputs (the key, the counters in lanes, the nonce in words), and the C of the function that it is;
/// `None` if it has three inputs as it stands.
///
/// # Errors
/// A counter has not 32 bits or a nonce not 96, or they are not little-endian.
pub fn apart(kernel: &Kernel, cipher: &Stream, stem: &str) -> Result<Option<(Kernel, String)>, DriverError> {
    let (Image::Packed { lane }, [key, row]) = (&kernel.image, &kernel.inputs[..]) else { return Ok(None) };
    let lane = *lane as u32;
    let batches = kernel.interleave.max(1);
    let (counter, nonce) = (cipher.counter, cipher.nonce);
    let little = counter.order == Order::Little && nonce.order == Order::Little;
    let fits = row.elements == batches && (lane, counter.bytes, nonce.bytes) == (4, 4, 12);
    if !little || !fits || !key.uniform || row.uniform {
        return Err(DriverError::Parameters {
            node: kernel.node.clone(),
            found: "a group of words for counter and nonce together".into(),
            expected: "a counter of 32 bits and a nonce of 96, both in the order `little`",
        });
    }
    let instances = kernel.instances / batches;
    let symbol = format!("{stem}_parts");
    let registers = kernel.outputs.first().map_or("", |output| &output.element);
    let text = Values::default()
        .text("instances", instances)
        .text("symbol", &symbol)
        .text("key", &key.element)
        .text("register", registers)
        .text("batches", batches)
        .text("kernel", &kernel.symbol)
        .fill(include_str!("templates/parts.c"));
    let part = |element: &str, elements, words, uniform| Parameter {
        element: element.into(),
        elements,
        uniform,
        width: 8 * lane,
        words,
    };
    let words = nonce.bytes / lane;
    let inputs =
        vec![key.clone(), part("struct counters", batches, 1, false), part("uint32_t", words, words, true)];
    Ok(Some((Kernel { symbol, inputs, ..kernel.clone() }, text)))
}

/// How a parameter lies in registers. What fills no group of a packed kernel is given to it by [`apart`], in lanes.
pub fn image(kernel: &Kernel, parameter: &Parameter) -> Image {
    match kernel.image {
        Image::Packed { lane } if !(parameter.width * parameter.words).is_multiple_of(128) => {
            Image::V { lane }
        }
        image => image,
    }
}
