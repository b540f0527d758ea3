//! Which bits of a cipher's node are which bits of its block and its keys, as the manifest's orders say.

use crate::manifest::BlockCipher;
use crate::order::Order;
use usuba_algebra::layers::{InputBit, Places};
use usuba_lang::typed::{Instance, Variable};

/// The places of an instance of a node that encrypts or decrypts: inputs are the block, the tweak if there is one, and the
/// round keys; a tweak counts as key, and its bits come first. `None` if it has not these parameters.
pub fn block_places(cipher: &BlockCipher, instance: &Instance) -> Option<Places> {
    let tweak = cipher.tweak.map(|tweak| tweak.order);
    let orders: Vec<Order> = [Some(cipher.block.order), tweak, Some(cipher.round_keys.cipher_order)]
        .into_iter()
        .flatten()
        .collect();
    let [output] = instance.outputs[..] else { return None };
    if instance.inputs.len() != orders.len() {
        return None;
    }
    let mut inputs = Vec::new();
    let mut start = 0;
    for (number, (&input, order)) in instance.inputs.iter().zip(orders).enumerate() {
        let bits = bits(instance.variable(input), order);
        let count = bits.len();
        if number == 0 {
            inputs.extend(bits.into_iter().map(InputBit::Block));
        } else {
            inputs.extend(bits.into_iter().map(|bit| InputBit::Key(start + bit)));
            start += count;
        }
    }
    Some(Places { inputs, outputs: bits(instance.variable(output), cipher.block.order) })
}

/// The numbers of the bits of a variable, word by word, each from its most significant: bit i mod 8, from the least
/// significant, of byte i div 8.
fn bits(variable: &Variable, order: Order) -> Vec<usize> {
    let place = |bit: u32| {
        let (byte, shift) = order.place(variable.word, (bit / variable.word) as usize, bit % variable.word);
        8 * byte + shift as usize
    };
    (0..variable.atoms() * variable.width).map(place).collect()
}
