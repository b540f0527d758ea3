//! What nodes are recognised as, for `usubac explain`.

use serde_json::{Value, json};
use std::fmt;
use usuba_algebra::layers::{Places, layers};
use usuba_algebra::recognise::{Recognised, recognise};
use usuba_algebra::why::Why;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::load::Loaded;
use usuba_lang::typed::{Atoms, Program};
use usuba_package::block_places::block_places;
use usuba_package::manifest::{Function, Primitive};

/// A node, and what it is or why it is nothing that is recognised.
#[derive(PartialEq, Eq)]
pub struct Finding {
    node: String,
    /// A line.
    found: Result<String, String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Ok(what) => write!(f, "`{}`: {what}", self.node),
            Err(why) => write!(f, "`{}`: not recognised: {why}", self.node),
        }
    }
}

impl Finding {
    /// The node, what it is, or why not.
    pub fn to_json(&self) -> Value {
        json!({ "node": self.node, "is": self.found.as_ref().ok(), "reason": self.found.as_ref().err() })
    }
}

/// The nodes of a block cipher. Other primitives have no round keys to be cut off, and there is nothing to be said of them.
pub fn of_block_cipher(loaded: &Loaded, primitive: &Primitive) -> Vec<Finding> {
    let Function::BlockCipher(cipher) = &primitive.function else { return Vec::new() };
    let nodes = [Some(&cipher.encrypt), cipher.decrypt.as_ref()];
    let of_node = |node: &String| {
        let program = in_bits(loaded, &Options { entry: Some(node.clone()), ..Options::new() })?;
        let places = block_places(cipher, program.instance(program.entry()))?;
        let found = layers(&program, program.entry(), &places).map(Recognised::Layers);
        Some(finding(loaded, &program, found))
    };
    nodes.into_iter().flatten().filter_map(of_node).collect()
}

/// The entry of a program, whose words are taken with their first bit first.
pub fn of_entry(loaded: &Loaded, options: &Options) -> Vec<Finding> {
    let Some(program) = in_bits(loaded, options) else { return Vec::new() };
    let places = Places::big(&program, program.entry());
    let found = recognise(&program, program.entry(), &places);
    vec![finding(loaded, &program, found)]
}

fn finding(loaded: &Loaded, program: &Program, found: Result<Recognised, Why>) -> Finding {
    let found = found.map(|what| what.to_string()).map_err(|why| why.at(&loaded.sources));
    Finding { node: program.instance(program.entry()).name.clone(), found }
}

/// The entry in bits; none if something in it is wrong, which is said where code is made of it.
fn in_bits(loaded: &Loaded, options: &Options) -> Option<Program> {
    let options = Options { atoms: Atoms::Bits, bitslice_arithmetic: true, ..options.clone() };
    elaborate(&loaded.program, &options).0
}
