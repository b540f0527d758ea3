//! A mode of operation over the block cipher of a folder, as one program; [`files`]: such a program as C.
//!
//! The modes are the texts of `modes/`. They see a cipher as nodes on bytes; the manifest says how its words lie in them,
//! and [`cipher_text`] writes the nodes that convert.

pub(crate) mod call;
pub mod families;
pub mod files;

use crate::manifest::{BlockCipher, Function, Primitive};
use crate::order::Order;
use std::collections::BTreeSet;
use std::fmt::Write;
use usuba_lang::ast::{Bodies, Definition, Equation, Expression, ExpressionKind, Program};
use usuba_lang::elaborate::{self, Options};
use usuba_lang::load::{self, Loaded, Loader};
use usuba_lang::typed;

/// A mode that has a name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    /// The name.
    pub name: &'static str,
    /// The file of `modes/`.
    pub file: &'static str,
    /// Its node.
    pub node: &'static str,
}

/// One line each: name, file, node.
pub const MODES: [Mode; 26] = [
    mode("ecb-encrypt", "ecb.ua", "EncryptECB"),
    mode("ecb-decrypt", "ecb.ua", "DecryptECB"),
    mode("cbc-encrypt", "cbc.ua", "EncryptCBC"),
    mode("cbc-decrypt", "cbc.ua", "DecryptCBC"),
    mode("cfb-encrypt", "cfb.ua", "EncryptCFB"),
    mode("cfb-decrypt", "cfb.ua", "DecryptCFB"),
    mode("cfb8-encrypt", "cfb.ua", "EncryptCFB8"),
    mode("cfb8-decrypt", "cfb.ua", "DecryptCFB8"),
    mode("ofb", "ofb.ua", "OFB"),
    mode("ctr", "ctr.ua", "CTR"),
    mode("ctr32", "ctr.ua", "CTR32"),
    mode("xts-encrypt", "xts.ua", "EncryptXTS"),
    mode("xts-decrypt", "xts.ua", "DecryptXTS"),
    mode("cmac", "cmac.ua", "CMAC"),
    mode("gmac", "gmac.ua", "GMAC"),
    mode("ghash", "gf128.ua", "GHASH"),
    mode("gcm-seal", "gcm.ua", "SealGCM"),
    mode("gcm-open", "gcm.ua", "OpenGCM"),
    mode("gcm-siv-seal", "gcm-siv.ua", "SealGCMSIV"),
    mode("gcm-siv-open", "gcm-siv.ua", "OpenGCMSIV"),
    mode("ccm-seal", "ccm.ua", "SealCCM"),
    mode("ccm-open", "ccm.ua", "OpenCCM"),
    mode("cofb-seal", "cofb.ua", "SealCOFB"),
    mode("cofb-open", "cofb.ua", "OpenCOFB"),
    mode("ocb3-seal", "ocb3.ua", "SealOCB"),
    mode("ocb3-open", "ocb3.ua", "OpenOCB"),
];

const fn mode(name: &'static str, file: &'static str, node: &'static str) -> Mode {
    Mode { name, file, node }
}

/// The texts of `modes/`.
const TEXTS: [(&str, &str); 15] = [
    ("cbc.ua", include_str!("../../../modes/cbc.ua")),
    ("ccm.ua", include_str!("../../../modes/ccm.ua")),
    ("cfb.ua", include_str!("../../../modes/cfb.ua")),
    ("cmac.ua", include_str!("../../../modes/cmac.ua")),
    ("counter.ua", include_str!("../../../modes/counter.ua")),
    ("cofb.ua", include_str!("../../../modes/cofb.ua")),
    ("ctr.ua", include_str!("../../../modes/ctr.ua")),
    ("ecb.ua", include_str!("../../../modes/ecb.ua")),
    ("gcm.ua", include_str!("../../../modes/gcm.ua")),
    ("gcm-siv.ua", include_str!("../../../modes/gcm-siv.ua")),
    ("gf128.ua", include_str!("../../../modes/gf128.ua")),
    ("gmac.ua", include_str!("../../../modes/gmac.ua")),
    ("ocb3.ua", include_str!("../../../modes/ocb3.ua")),
    ("ofb.ua", include_str!("../../../modes/ofb.ua")),
    ("xts.ua", include_str!("../../../modes/xts.ua")),
];

/// The mode of a name.
pub fn named(name: &str) -> Option<Mode> {
    MODES.iter().copied().find(|mode| mode.name == name)
}

/// The cipher in programs that [`bind`] makes.
pub const CIPHER: &str = "Bound";

/// The folder of the modes, and the file of the converting nodes, as the loader sees them.
const FOLDER: &str = "usuba:modes";
const MAIN: &str = "the cipher as modes see it";

/// The texts that are compiled in, and for the rest another loader.
struct Compiled<'l> {
    main: String,
    disk: &'l dyn Loader,
}

impl Compiled<'_> {
    fn text(&self, path: &str) -> Option<&str> {
        if path == MAIN {
            return Some(&self.main);
        }
        let file = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
        TEXTS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }
}

impl Loader for Compiled<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.text(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.disk.read(path),
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        match self.text(path) {
            Some(_) => Some(path.to_string()),
            None => self.disk.canonical(path),
        }
    }
}

/// The program of a mode over a primitive whose source stands at `source`, as `disk` sees it, and is loaded as `cipher`.
///
/// Its cipher is [`CIPHER`]. The names of the cipher's own definitions have a quote in front, so that none of them is one
/// of the mode's.
///
/// # Errors
/// The primitive is no block cipher without a tweak, or its manifest does not fit its nodes.
pub fn bind(
    primitive: &Primitive,
    source: &str,
    cipher: &Loaded,
    mode: Mode,
    disk: &dyn Loader,
) -> Result<Loaded, String> {
    let main = format!(
        "include \"{source}\"\n{}include \"{FOLDER}/{}\"\n",
        cipher_text(primitive, &cipher.program)?,
        mode.file
    );
    let mut loaded = load::load(MAIN, &[], &Compiled { main, disk });
    let of_modes: BTreeSet<u32> =
        loaded.files.iter().filter(|file| file.path.starts_with(FOLDER)).map(|file| file.source.0).collect();
    rename(&mut loaded.program, &|definition| !of_modes.contains(&definition.span.source.0));
    Ok(loaded)
}

/// A parameter of an elaborated node: so many words of so many bits.
#[derive(Clone, Copy)]
struct Shape {
    width: u32,
    words: usize,
}

impl Shape {
    fn bits(self) -> usize {
        self.width as usize * self.words
    }

    fn ty(self) -> String {
        if self.width == 1 { format!("b{}", self.words) } else { format!("u{}[{}]", self.width, self.words) }
    }
}

/// The nodes of a block cipher on bytes: `encrypt`, `decrypt`, `schedule`, and the cipher of them.
fn cipher_text(primitive: &Primitive, program: &Program) -> Result<String, String> {
    let name = &primitive.name;
    let Function::BlockCipher(cipher) = &primitive.function else {
        return Err(format!("`{name}` is no block cipher: modes are over block ciphers"));
    };
    if cipher.tweak.is_some() {
        return Err(format!("`{name}` has a tweak: modes are over block ciphers without one"));
    }
    let mut text = String::new();
    let mut roles = vec!["encrypt = OnBytesEncrypt", "schedule = OnBytesSchedule"];
    let (block, keys) = direction(&mut text, cipher, program, "Encrypt", &cipher.encrypt)?;
    if let Some(decrypt) = &cipher.decrypt {
        direction(&mut text, cipher, program, "Decrypt", decrypt)?;
        roles.push("decrypt = OnBytesDecrypt");
    }
    schedule(&mut text, cipher, program, keys)?;
    debug_assert!(block.bits() > 0, "a block has bits");
    let _ = writeln!(text, "cipher {CIPHER} ({})", roles.join(", "));
    Ok(text)
}

/// `OnBytesEncrypt` or `OnBytesDecrypt`. Returns the block and the round keys.
fn direction(
    text: &mut String,
    cipher: &BlockCipher,
    program: &Program,
    role: &str,
    node: &str,
) -> Result<(Shape, Shape), String> {
    let (inputs, output) = shapes(program, node)?;
    let (&[block, keys], bytes) = (inputs.as_slice(), cipher.block.bytes) else {
        return Err(format!("`{node}` has not a block and round keys as inputs"));
    };
    let order = cipher.block.order;
    order.check(block.width, block.words, bytes as usize).map_err(|error| format!("`{node}`: {error}"))?;
    let size = 8 * bytes as usize;
    let forward = places(order, block);
    let to_words = wiring(text, &format!("To{role}"), &forward, size);
    let mut back = vec![None; size];
    for (bit, &byte_bit) in places(order, output).iter().enumerate() {
        if let Some(place) = byte_bit.and_then(|place| back.get_mut(place)) {
            *place = Some(bit);
        }
    }
    let to_bytes = wiring(text, &format!("From{role}"), &back, output.bits());
    let inner = as_words(block, &to_words("Bits(block)"));
    let call = format!("{node}({inner}, key)");
    let bits = if output.width == 1 { call } else { format!("Bits({call}, big)") };
    let _ = writeln!(
        text,
        "node OnBytes{role} (block:u8[{bytes}], key:{}) returns (result:u8[{bytes}])\nlet result = Bytes({}) tel",
        keys.ty(),
        to_bytes(&bits)
    );
    Ok((block, keys))
}

/// `OnBytesSchedule`: from the bytes of the key to the words of the round keys.
fn schedule(text: &mut String, cipher: &BlockCipher, program: &Program, keys: Shape) -> Result<(), String> {
    let bytes = cipher.key.bytes as usize;
    let body = match &cipher.schedule {
        None => {
            let order = cipher.round_keys.cipher_order;
            order.check(keys.width, keys.words, bytes).map_err(|error| error.to_string())?;
            let convert = wiring(text, "ToKeys", &places(order, keys), 8 * bytes);
            as_words(keys, &convert("Bits(key)"))
        }
        Some(schedule) => {
            let node = &schedule.node;
            let (inputs, output) = shapes(program, node)?;
            let &[key] = inputs.as_slice() else {
                return Err(format!("`{node}` has not a key as its input"));
            };
            let order = cipher.key.order;
            order.check(key.width, key.words, bytes).map_err(|error| format!("`{node}`: {error}"))?;
            let to_key = wiring(text, "ToSchedule", &places(order, key), 8 * bytes);
            // Where the bytes between schedule and cipher come from.
            let mut between = vec![None; 8 * cipher.round_keys.bytes as usize];
            for (bit, place) in places(cipher.round_keys.schedule_order, output).iter().enumerate() {
                if let Some(between) = place.and_then(|place| between.get_mut(place)) {
                    *between = Some(bit);
                }
            }
            let wanted: Vec<Option<usize>> = places(cipher.round_keys.cipher_order, keys)
                .into_iter()
                .map(|place| place.and_then(|place| between.get(place).copied().flatten()))
                .collect();
            let to_keys = wiring(text, "FromSchedule", &wanted, output.bits());
            let call = format!("{node}({})", as_words(key, &to_key("Bits(key)")));
            let bits = if output.width == 1 { call } else { format!("Bits({call}, big)") };
            as_words(keys, &to_keys(&bits))
        }
    };
    let _ = writeln!(
        text,
        "node OnBytesSchedule (key:u8[{bytes}]) returns (keys:{})\nlet keys = {body} tel",
        keys.ty()
    );
    Ok(())
}

/// Bits as words.
fn as_words(shape: Shape, bits: &str) -> String {
    if shape.width == 1 { bits.to_string() } else { format!("Words({bits}, big):u{}", shape.width) }
}

/// For every bit of the words of a parameter, from the most significant of the first, its place among the bits of its
/// bytes, from the most significant of the first.
fn places(order: Order, shape: Shape) -> Vec<Option<usize>> {
    let bit = |word: usize, bit: u32| {
        let (byte, shift) = order.place(shape.width, word, bit);
        Some(8 * byte + 7 - shift as usize)
    };
    (0..shape.words).flat_map(|word| (0..shape.width).map(move |b| bit(word, b))).collect()
}

/// A permutation that takes its bits from `sources` among `inputs` (zero for `None`), unless that changes nothing.
/// Returns how it is applied.
fn wiring(
    text: &mut String,
    name: &str,
    sources: &[Option<usize>],
    inputs: usize,
) -> impl Fn(&str) -> String + use<> {
    let identity =
        sources.len() == inputs && sources.iter().enumerate().all(|(place, source)| *source == Some(place));
    let name = format!("OnBytes{name}");
    if !identity {
        let entries: Vec<String> =
            sources.iter().map(|source| source.map_or(inputs + 1, |source| source + 1).to_string()).collect();
        let _ = writeln!(
            text,
            "perm {name} (x:b{inputs}, zero:b1) returns (y:b{}) {{ {} }}",
            sources.len(),
            entries.join(", ")
        );
    }
    move |bits: &str| if identity { bits.to_string() } else { format!("{name}({bits}, 0:b1)") }
}

/// The inputs and the one output of a node.
fn shapes(program: &Program, node: &str) -> Result<(Vec<Shape>, Shape), String> {
    let options = Options { entry: Some(node.into()), keep_tables: true, ..Options::new() };
    let (typed, diagnostics) = elaborate::elaborate(program, &options);
    let wrong = || {
        let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        format!("`{node}`: {}", error.map_or("it is wrong", |error| &error.message))
    };
    let typed = typed.ok_or_else(wrong)?;
    let entry = typed.instance(typed.entry());
    let shape = |&id: &typed::VariableId| {
        let variable = entry.variable(id);
        Shape { width: variable.width, words: variable.atoms() as usize }
    };
    match entry.outputs.as_slice() {
        [output] => Ok((entry.inputs.iter().map(shape).collect(), shape(output))),
        _ => Err(format!("`{node}` has several outputs")),
    }
}

/// Puts a quote in front of the names of some definitions, and of their uses within these.
fn rename(program: &mut Program, chosen: &dyn Fn(&Definition) -> bool) {
    let names: BTreeSet<String> = program
        .definitions
        .iter()
        .filter(|definition| chosen(definition))
        .map(|definition| definition.name.text.clone())
        .collect();
    for definition in program.definitions.iter_mut().filter(|definition| chosen(definition)) {
        definition.name.text.insert(0, '\'');
        if let Bodies::Node(bodies) = &mut definition.bodies {
            for body in bodies {
                in_equations(&mut body.equations, &names);
            }
        }
    }
    for (_, node) in program.ciphers.iter_mut().flat_map(|cipher| &mut cipher.roles) {
        if names.contains(&node.text) {
            node.text.insert(0, '\'');
        }
    }
}

fn in_equations(equations: &mut [Equation], names: &BTreeSet<String>) {
    for equation in equations {
        match equation {
            Equation::Assign(assignment) => in_expression(&mut assignment.value, names),
            Equation::Forall(forall) => in_equations(&mut forall.body, names),
            Equation::If(choice) => {
                in_equations(&mut choice.then, names);
                in_equations(&mut choice.otherwise, names);
            }
            Equation::Accept(accept) => {
                in_expression(&mut accept.left, names);
                in_expression(&mut accept.right, names);
            }
        }
    }
}

fn in_expression(expression: &mut Expression, names: &BTreeSet<String>) {
    match &mut expression.kind {
        ExpressionKind::Constant(..)
        | ExpressionKind::Reference(_)
        | ExpressionKind::Shuffle(..)
        | ExpressionKind::Error => {}
        ExpressionKind::Tuple(parts) | ExpressionKind::Concatenate(parts) => {
            parts.iter_mut().for_each(|part| in_expression(part, names));
        }
        ExpressionKind::Not(operand)
        | ExpressionKind::Shift(_, operand, _)
        | ExpressionKind::Bitmask(operand, _) => in_expression(operand, names),
        ExpressionKind::Binary(_, left, right) | ExpressionKind::Pack(left, right, _) => {
            in_expression(left, names);
            in_expression(right, names);
        }
        ExpressionKind::Call { callee, arguments, .. } => {
            if names.contains(&callee.text) {
                callee.text.insert(0, '\'');
            }
            arguments.iter_mut().for_each(|argument| in_expression(argument, names));
        }
        ExpressionKind::Cast(cast) => {
            if names.contains(&cast.name.text) {
                cast.name.text.insert(0, '\'');
            }
            cast.arguments.iter_mut().for_each(|argument| in_expression(argument, names));
        }
    }
}
