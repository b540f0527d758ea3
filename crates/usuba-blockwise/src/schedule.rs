//! Round keys that a message makes of keys that it has computed.
//!
//! The schedule is a function, whatever the rest of the message is. On blocks it writes round keys, which kernels read as they
//! read those of the message. Around a cipher that is a function, a key is what stands for the cipher under that key; the schedule
//! turns that of the message into another one, and the one before is not used after it.

use crate::glue::{Writer, Written, refuse};
use crate::step::node_of;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_message::form::{self, Cipher, Message, Sameness, Statement, VariableId};

/// Whether a message makes round keys itself, and so depends on the size of a key.
pub fn makes_keys(message: &Message) -> bool {
    let Some(cipher) = &message.cipher else { return false };
    any_step(&message.body, &|step| {
        let makes = |target: &form::Target| match target {
            form::Target::Variable(id) => has_keys(message, *id, cipher),
            _ => false,
        };
        step.outputs.iter().any(makes) && calls_schedule(message, cipher, &step.node)
    })
}

fn any_step(body: &[Statement], is_one: &dyn Fn(&form::Step) -> bool) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Step(step) => is_one(step),
        Statement::Loop(one) => any_step(&one.body, is_one),
        Statement::If { then, otherwise, .. } => any_step(then, is_one) || any_step(otherwise, is_one),
        Statement::Define(_) | Statement::Accept { .. } => false,
    })
}

/// Whether a variable has the size of round keys.
fn has_keys(message: &Message, id: VariableId, cipher: &Cipher) -> bool {
    let variable = message.variable(id);
    variable.count.is_none() && variable.words == cipher.keys
}

fn calls_schedule(message: &Message, cipher: &Cipher, node: &str) -> bool {
    let Some(schedule) = node_of(&message.program, &cipher.name, "schedule") else { return false };
    let options = Options {
        entry: Some(node.to_owned()),
        cipher: Some(cipher.name.clone()),
        keep_tables: true,
        ..Options::new()
    };
    let typed = elaborate(&message.program, &options).0;
    typed.is_some_and(|typed| typed.instances().iter().any(|instance| instance.name == schedule))
}

impl Writer<'_> {
    /// The call of the key schedule that makes `keys` of the bytes at `key`, as lines.
    pub(crate) fn schedule(&mut self, keys: VariableId, key: &str) -> Written<String> {
        let message = self.message;
        let Some(cipher) = &message.cipher else { return refuse("a key schedule without a cipher") };
        let function = format!("{}_schedule", self.symbol);
        if !self.functions {
            self.ciphers.insert(format!("void {function}(const uint8_t *from, uint8_t *to)"));
            return Ok(format!("{function}({key}, {});", self.name(keys)));
        }
        // The order of lines is that of time, so that what follows is known to have the new key.
        if self.depth != 1 || self.made_key.is_some() || self.in_pieces {
            return refuse("a key schedule that is not the only one, or that not every message has");
        }
        let is_key = |id: &VariableId| {
            message.variable(*id).sameness == Sameness::Key && has_keys(message, *id, cipher)
        };
        let of_message: Vec<VariableId> = message.inputs.iter().copied().filter(is_key).collect();
        let [before] = of_message[..] else {
            return refuse("a key schedule where the message has not one key");
        };
        self.ciphers.insert(format!("const uint8_t *{function}(const uint8_t *key, const uint8_t *from)"));
        let (name, before) = (self.name(keys), self.name(before));
        self.made_key = Some(keys);
        Ok(format!("const uint8_t *const {name} = {function}({before}, {key});"))
    }
}
