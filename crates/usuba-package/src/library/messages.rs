//! Modes in a library: messages over the engines of a block cipher, or over its rounds where a machine has them.
//!
//! Around engines the code of a mode is the same for all ciphers with blocks of one size: it calls them through
//! `struct usuba_blocks`, and a library has it once ([`Shared`]). For a level whose machine has instructions for the cipher
//! itself, which the compiler finds by proof, there is code of its own; for one that has carry-less products, code around any cipher
//! that uses them.

use super::batches;
use super::engines::KeyForms;
use super::front;
use super::pieces::{InPieces, in_pieces};
use super::platforms::{alternatives, initialiser};
use super::{Cipher, Options, head, magic, values};
use crate::OutputFile;
use crate::engine::BuildError;
use crate::manifest::{BlockCipher, Function, Primitive};
use crate::message::call::{Call, folded, parameters};
use crate::message::families::{Carried, Family, Shape, family};
use crate::message::files::{Machines, code_over, whole_code};
use crate::message::{self, CIPHER};
use crate::template::Values;
use std::collections::BTreeMap;
use usuba_blockwise::glue::{LoopCode, LoopKind};
use usuba_blockwise::machine::{Ciphers, Known};
use usuba_blockwise::message::Code;
use usuba_blockwise::schedule::makes_keys;
use usuba_lang::load::{Loaded, Loader};
use usuba_message::incremental::incremental;
use usuba_message::{elaborate, passes};
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Target};

/// The code of modes around engines that a library has so far: what it prepares, by the name of its file; `None` if there is none.
#[derive(Default)]
pub struct Shared(BTreeMap<String, Option<Prepared>>);

/// What code does once for a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Prepared {
    bytes: usize,
    /// How: [`Code::preparation`].
    text: String,
    /// Bytes that are kept, if strings may come in pieces.
    pub(super) kept: Option<usize>,
}

impl Prepared {
    fn of(code: &Code) -> Prepared {
        Prepared {
            bytes: code.prepared,
            text: code.preparation.clone(),
            kept: code.pieces.as_ref().map(|pieces| pieces.kept),
        }
    }
}

/// A mode over a primitive, for the table of what a library has.
pub struct Mode {
    /// The name, such as `aes-128-gcm`.
    pub name: String,
    /// What it is.
    pub family: &'static Family,
    /// Bytes of a block.
    pub block: u32,
    /// Whether it takes whole blocks only.
    pub whole: bool,
    /// Whether its messages may come in pieces.
    pub pieces: bool,
    /// Whether its first function has one for many messages beside it.
    pub batch: bool,
}

/// What the modes of a primitive add to a library.
#[derive(Default)]
pub struct Added {
    /// The public headers.
    pub headers: Vec<OutputFile>,
    /// The sources.
    pub files: Vec<OutputFile>,
    /// The modes.
    pub modes: Vec<Mode>,
}

/// The modes of a primitive that are messages, with the forms of round keys that its engines read.
///
/// # Errors
/// A mode does not fit the cipher, or has no code.
pub fn build(
    cipher: Cipher,
    primitive: &Primitive,
    shared: &mut Shared,
    key_forms: KeyForms,
    options: &Options,
) -> Result<Added, BuildError> {
    let mut added = Added::default();
    let Function::BlockCipher(block_cipher) = &primitive.function else { return Ok(added) };
    let ciphers = Ciphers::default();
    for family in block_cipher.modes.iter().filter_map(|&mode| family(mode)) {
        let refused = |reason: String| BuildError::Message {
            primitive: primitive.name.clone(),
            mode: family.mode.name(),
            reason,
        };
        let over = Over { cipher, primitive, block_cipher, family, key_forms, options, ciphers: &ciphers };
        over.add(shared, &mut added).map_err(refused)?;
    }
    Ok(added)
}

/// A mode over a primitive in the making.
struct Over<'a> {
    cipher: Cipher<'a>,
    primitive: &'a Primitive,
    block_cipher: &'a BlockCipher,
    family: &'static Family,
    /// Bytes of the forms of round keys that engines of the cipher read.
    key_forms: KeyForms,
    options: &'a Options<'a>,
    ciphers: &'a Ciphers,
}

/// A public function of a mode: how it calls code, and its code for the levels of every platform.
pub(super) struct Public {
    /// Which.
    pub(super) name: &'static str,
    call: Call,
    /// Whether it makes keys of its own.
    own_keys: bool,
    /// The stem of the code around engines, and what it prepares.
    pub(super) around: (String, Prepared),
    /// The same of the code for targets that have some: on rounds of the cipher, or around engines with instructions for products.
    on: Vec<OnTarget>,
    /// How its strings come in pieces, if they may.
    pub(super) pieces: Option<InPieces>,
    /// Whether the code around engines has lanes, for many messages at once.
    batch: bool,
    /// What the code for other targets prepares, which the library leaves out: contexts have a place for it all the same.
    elsewhere: Vec<(&'static Target, Prepared)>,
}

/// The code of a function for a target.
pub(super) struct OnTarget {
    target: &'static Target,
    stem: String,
    prepared: Prepared,
    /// Whether it is on rounds of the cipher.
    rounds: bool,
}

impl Public {
    /// The stems of all code.
    fn stems(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.around.0).chain(self.on.iter().map(|one| &one.stem))
    }

    /// Bytes that its code prepares at most.
    fn prepared(&self) -> usize {
        self.all().map(|(_, prepared)| prepared.bytes).max().unwrap_or(0)
    }

    /// Whether on every level another function prepares the same.
    fn prepares_as(&self, other: &Public) -> bool {
        let sorted =
            |one: &Public| one.all().map(|(target, made)| (target, made.clone())).collect::<BTreeMap<_, _>>();
        sorted(self) == sorted(other)
    }

    /// What all code prepares, by the name of its target; that around engines has none.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Prepared)> {
        let on = self.on.iter().map(|one| (one.target.name, &one.prepared));
        let elsewhere = self.elsewhere.iter().map(|(target, prepared)| (target.name, prepared));
        std::iter::once(("", &self.around.1)).chain(on).chain(elsewhere)
    }
}

impl Over<'_> {
    /// How far below itself `init` overwrites the stack, once a block has been encrypted to prepare: by the forms of round keys
    /// that engines read, since those of bitsliced engines are masks. Clang's code for one block of Kuznyechik reaches below
    /// 10 KiB, its bitsliced code for ARIA below 12.
    fn dead_stack(&self) -> u32 {
        match self.key_forms {
            KeyForms { longest: 0..=4096, .. } => 4096,
            KeyForms { of_one_block: 0..=4096, .. } => 16384,
            _ => 32768,
        }
    }

    fn add(&self, shared: &mut Shared, added: &mut Added) -> Result<(), String> {
        let name = format!("{}-{}", self.primitive.name, self.family.mode.name());
        let mut functions = Vec::new();
        for &(function, node) in self.family.functions {
            functions.push(self.function(function, node, shared, added)?);
        }
        // What each function prepares lies behind that of those before it, unless one prepares the same.
        let (mut places, mut prepared) = (Vec::new(), 0);
        for (number, function) in functions.iter().enumerate() {
            let before = functions.iter().take(number).position(|other| other.prepares_as(function));
            places.push(before.and_then(|other| places.get(other).copied()).unwrap_or(prepared));
            if before.is_none() {
                prepared += function.prepared().next_multiple_of(64);
            }
        }
        let values = self.values(&name, &functions, &places, prepared);
        let (header, source) = match self.family.shape {
            Shape::Chained(_) => {
                (include_str!("templates/message/chained.h"), include_str!("templates/message/chained.c"))
            }
            Shape::Units => {
                (include_str!("templates/message/units.h"), include_str!("templates/message/units.c"))
            }
            Shape::Authenticator | Shape::NonceAuthenticator => (
                include_str!("templates/message/authenticator.h"),
                include_str!("templates/message/authenticator.c"),
            ),
            Shape::Aead => {
                (include_str!("templates/message/sealing.h"), include_str!("templates/message/sealing.c"))
            }
        };
        let stem = format!("{}{}", self.options.prefix, name.replace('-', "_"));
        let summary = format!("{name}: {}. Time does not depend on keys or data.", self.family.about);
        let (header_in_pieces, source_in_pieces) = match self.family.shape {
            Shape::Aead => {
                (include_str!("templates/message/pieces.h"), include_str!("templates/message/pieces.c"))
            }
            _ => (
                include_str!("templates/message/authenticator_pieces.h"),
                include_str!("templates/message/authenticator_pieces.c"),
            ),
        };
        let pieces = functions.iter().map(|function| function.pieces.as_ref()).collect::<Option<Vec<_>>>();
        let kept = functions.iter().filter_map(|function| function.around.1.kept).max();
        let in_pieces = pieces.zip(kept).and_then(|(pieces, kept)| {
            in_pieces(values.clone(), &stem_of(self.options, &name), (&pieces, kept), &places)
        });
        let mut declarations =
            values.fill(include_str!("templates/message/message.h")) + &values.fill(header);
        if let Some(values) = &in_pieces {
            declarations += &values.fill(header_in_pieces);
        }
        let batch = functions.first().is_some_and(|function| function.batch);
        if batch {
            declarations += &batches::declaration(&values, self.family.shape, self.options);
        }
        added.headers.push(front::header_file(&stem, &summary, &declarations, self.options));
        let path = format!("{stem}.c");
        let summary = format!("{name}: the functions that users call.");
        let mut text = head(&path, &summary, self.options);
        text += &values.fill(include_str!("templates/message/message.c"));
        if self.family.shape == Shape::Chained(Carried::Cipher) {
            text += &values.fill(include_str!("templates/message/carry.c"));
        }
        for (function, &place) in functions.iter().zip(&places) {
            text += &self.public(function, place, &values).fill(source);
        }
        for (function, &place) in functions.iter().zip(&places).take(usize::from(batch)) {
            let (stem, prepared) = &function.around;
            let named = (function.name, self.family.shape);
            text += &batches::public(&values, named, (stem, prepared.bytes), place);
        }
        if let Some(values) = &in_pieces {
            text += &values.fill(source_in_pieces);
        }
        added.files.push(OutputFile { path, contents: front::own_level(&text, self.options) });
        let whole = functions.iter().any(|function| function.call.whole);
        let (block, pieces) = (self.block_cipher.block.bytes, in_pieces.is_some());
        added.modes.push(Mode { name, family: self.family, block, whole, pieces, batch });
        Ok(())
    }

    /// A function, its code being added.
    fn function(
        &self,
        name: &'static str,
        node: &str,
        shared: &mut Shared,
        added: &mut Added,
    ) -> Result<Public, String> {
        let mode = message::named(node).ok_or_else(|| format!("there is no mode `{node}`"))?;
        let files = Texts(self.cipher.loaded);
        let main = self.cipher.loaded.files.first().map_or("", |file| &file.path);
        let loaded = message::bind(self.primitive, main, self.cipher.loaded, mode, &files)?;
        let wrong = |error: &usuba_lang::diagnostic::Diagnostic| error.message.clone();
        if let Some(error) = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            return Err(wrong(error));
        }
        let mut message =
            elaborate::elaborate(&loaded.program, mode.node, Some(CIPHER)).map_err(|error| wrong(&error))?;
        passes::run(&mut message).map_err(|stuck| stuck.to_string())?;
        let own_keys = makes_keys(&message);
        let parts = match self.family.shape {
            _ if own_keys => None,
            Shape::Aead | Shape::Authenticator | Shape::NonceAuthenticator => incremental(&message).ok(),
            Shape::Chained(_) | Shape::Units => None,
        };
        let pieces = parts.as_ref().and_then(|parts| InPieces::of(&message, parts));
        let parts = parts.filter(|_| pieces.is_some());
        let parts = parts.as_ref();
        let prefix = self.options.prefix;
        let part = node.replace('-', "_");
        // A message that makes keys is another one for keys of another size.
        let size = if own_keys { format!("_{}", self.block_cipher.key.bytes) } else { String::new() };
        let around = format!("{prefix}any{}{size}_{part}", self.block_cipher.block.bytes);
        let batch = batches::has_batch(self.family.shape, &message);
        let prepared = match shared.0.get(&around).cloned().flatten() {
            Some(prepared) => prepared,
            None => {
                let code = whole_code(&message, &loaded, Machines::Words(&GP64), true, &around, parts)
                    .map_err(|refusal| refusal.0)?;
                let lanes = match batch {
                    true => {
                        let of = (self.family.shape, self.block_cipher.block.bytes);
                        batches::around((&message, &loaded), of, &around, self.options)?
                    }
                    false => Default::default(),
                };
                added.files.push(self.around(&around, node, &code, lanes));
                shared.0.insert(around.clone(), Some(Prepared::of(&code)));
                Prepared::of(&code)
            }
        };
        let known = Known::over(self.ciphers);
        let (mut on, mut elsewhere) = (Vec::new(), Vec::new());
        for target in Over::targets() {
            let named = target.name.replace(['-', '.'], "_");
            let stem = format!("{prefix}{}_{part}_{named}", self.primitive.identifier());
            let Ok(machines) = Machines::of(target) else { continue };
            let one = match code_over(&message, &loaded, machines, &known, false, &stem, parts) {
                Ok(code) => {
                    if self.is_wanted(target) {
                        added.files.push(self.of_target(&stem, node, target, machines, (&code, false)));
                    }
                    OnTarget { target, stem, prepared: Prepared::of(&code), rounds: true }
                }
                // What has no rounds on this machine is around engines, with the machine's products if there are any.
                Err(_) => {
                    let stem = format!("{around}_{named}");
                    if !shared.0.contains_key(&stem) {
                        let code = code_over(&message, &loaded, machines, &known, true, &stem, parts).ok();
                        let is_better =
                            |one: &LoopCode| matches!(one.kind, LoopKind::Linear | LoopKind::Around);
                        let code = code.filter(|code| code.loops.iter().any(is_better));
                        if let Some(code) = code.as_ref().filter(|_| self.is_wanted(target)) {
                            added.files.push(self.of_target(&stem, node, target, machines, (code, true)));
                        }
                        shared.0.insert(stem.clone(), code.as_ref().map(Prepared::of));
                    }
                    let Some(prepared) = shared.0.get(&stem).cloned().flatten() else { continue };
                    OnTarget { target, stem, prepared, rounds: false }
                }
            };
            match self.is_wanted(target) {
                true => on.push(one),
                false => elsewhere.push((target, one.prepared)),
            }
        }
        let call = Call::of(&message)?;
        Ok(Public { name, call, own_keys, around: (around, prepared), on, elsewhere, pieces, batch })
    }

    /// The targets that may have rounds of the cipher. Not only those of the library: contexts are the same in all.
    fn targets() -> impl Iterator<Item = &'static Target> {
        usuba_target::machines::all().iter().copied().filter(|target| target.has_rounds())
    }

    /// Whether the library has code for a target.
    fn is_wanted(&self, target: &Target) -> bool {
        match self.options.level {
            Some(level) => level.name == target.name,
            None => {
                let is_level = PLATFORMS
                    .iter()
                    .any(|platform| platform.levels.iter().any(|level| level.name == target.name));
                let asked = self.options.targets;
                is_level && (asked.is_empty() || asked.iter().any(|one| one.name == target.name))
            }
        }
    }

    /// The functions of the cipher that code around engines calls.
    fn roles(stem: &str, code: &Code) -> String {
        let of = |role: &str| {
            let name = format!("{stem}_{role}");
            let called = code.ciphers.iter().any(|cipher| cipher.contains(&format!("{name}(")));
            let values = Values::default().text("name", name).text("role", role);
            match role {
                _ if !called => String::new(),
                "schedule" => values.fill(include_str!("templates/message/schedule.c")),
                _ => values.fill(include_str!("templates/message/role.c")),
            }
        };
        ["encrypt", "decrypt", "schedule"].into_iter().map(of).collect()
    }

    /// The code of a mode around engines, with that of [`batches::around`].
    fn around(&self, stem: &str, node: &str, code: &Code, batch: [String; 3]) -> OutputFile {
        let [batch_declaration, batch, no_batch] = batch;
        let values = Values::default()
            .text("prepare", &code.prepare)
            .text("prototype", declared(code))
            .text("code", &code.source)
            .text("roles", Over::roles(stem, code))
            .text("none", nothing(code))
            .text("batch_declaration", batch_declaration)
            .text("batch", batch)
            .text("no_batch", no_batch);
        let bytes = self.block_cipher.block.bytes;
        let summary = format!("{node} over any cipher with blocks of {bytes} bytes.");
        let path = format!("{stem}.c");
        let text =
            head(&path, &summary, self.options) + &values.fill(include_str!("templates/message/around.c"));
        OutputFile { path, contents: text }
    }

    /// The code of a mode for a target, on rounds of the cipher or around its engines.
    fn of_target(
        &self,
        stem: &str,
        node: &str,
        target: &'static Target,
        machines: Machines,
        (code, is_around): (&Code, bool),
    ) -> OutputFile {
        let platform = PLATFORMS
            .iter()
            .find(|platform| platform.levels.iter().any(|level| level.name == target.name))
            .map_or("", |platform| platform.condition);
        let condition = if self.options.level.is_some() { "" } else { platform };
        let mut features: Vec<&str> = Vec::new();
        for target in machines.all() {
            let asked = target.requires.iter().filter(|one| one.cpuid().is_some() || one.hwcap().is_some());
            for attribute in asked.map(|one| one.attribute()) {
                if !features.contains(&attribute) {
                    features.push(attribute);
                }
            }
        }
        let mut headers: String =
            target.headers.iter().map(|header| format!("#include <{header}>\n")).collect();
        if is_around {
            headers += "#include \"usuba_library.h\"\n";
        }
        let text = Values::default()
            .text("prepare", &code.prepare)
            .text("prototype", declared(code))
            .text("code", &code.source)
            .when("grouped", code.source.contains("USUBA_GROUPED"))
            .text("roles", if is_around { Over::roles(stem, code) } else { String::new() })
            .fill(include_str!("templates/message/code.c"));
        let values = Values::default()
            .when("conditional", !condition.is_empty())
            .text("condition", condition)
            .text("headers", headers)
            .when("features", !features.is_empty())
            .text("features", features.join(","))
            .text("bytes", target.register_bits / 8)
            .text("stem", stem)
            .text("files", text);
        let path = format!("{stem}.c");
        let summary = match is_around {
            true => {
                let bytes = self.block_cipher.block.bytes;
                format!(
                    "{node} over any cipher with blocks of {bytes} bytes, with the products of {}.",
                    target.name
                )
            }
            false => format!("{node} over {} for {}.", self.primitive.name, target.name),
        };
        let contents =
            head(&path, &summary, self.options) + &values.fill(include_str!("templates/engine/engine.c"));
        OutputFile { path, contents: front::own_level(&contents, self.options) }
    }

    /// What the templates of a mode know.
    fn values(&self, name: &str, functions: &[Public], places: &[usize], prepared: usize) -> Values {
        let options = self.options;
        let stem = format!("{}{}", options.prefix, name.replace('-', "_"));
        let cipher = format!("{}{}", options.prefix, self.primitive.identifier());
        let is_of_units = self.family.shape == Shape::Units;
        let keys = if is_of_units { 2 } else { 1 };
        let (mut types, mut prepare) = (String::new(), String::new());
        for (number, (function, place)) in functions.iter().zip(places).enumerate() {
            let Public { name, call, .. } = function;
            let of_key = call.prepared_types.join(", ");
            types += &format!(
                "    void (*prepare_{name})({of_key});\n    int (*{name})({});\n",
                call.types.join(", ")
            );
            if let Some(pieces) = &function.pieces {
                types += &format!(
                    "    usuba_stage *{name}_parts[{}];\n    usuba_taken *{name}_counts[{}];\n",
                    pieces.parts(),
                    pieces.strings()
                );
            }
            let keys = ["key_for_one(code, &ctx->cipher, &keyed)", "key_for_one(code, &ctx->tweak, &tweaks)"];
            let keys = keys.get(..call.prepared_types.len() - 1).unwrap_or_default().join(", ");
            // Once for all that prepare the same; what prepares nothing needs no engine's form of the keys.
            if function.prepared() > 0
                && !functions.iter().take(number).any(|other| other.prepares_as(function))
            {
                prepare += &format!("    code->prepare_{name}({keys}, prepared + {place});\n");
                let forgotten = ["    forget_one(&keyed);\n", "    forget_one(&tweaks);\n"];
                prepare.extend(forgotten.iter().take(call.prepared_types.len() - 1).copied());
            }
        }
        let apart: Vec<&str> =
            functions.iter().filter(|function| !function.call.in_place).map(|one| one.name).collect();
        let but_not = match &apart[..] {
            [] => String::new(),
            names => format!(", but not for `{}`", names.join("` and `")),
        };
        let second = functions.get(1).map_or("", |function| function.name);
        values(options)
            .text("name", name)
            .text("STEM", stem.to_uppercase())
            .text("stem", &stem)
            .text("CIPHER", cipher.to_uppercase())
            .text("cipher", &cipher)
            .text("rules", folded(self.family.rules))
            .text(
                "halves",
                if is_of_units { ": one for blocks, then one for the numbers of units" } else { "" },
            )
            .text("but_not", but_not)
            .text("block", self.block_cipher.block.bytes)
            .text("nonce_bytes", self.family.usual_nonce())
            .text("key", keys * self.block_cipher.key.bytes)
            .text("words", prepared.div_ceil(8).max(1))
            .text("magic", format!("{:#018x}", magic(&stem)))
            .text("loaded_words", self.key_forms.longest.div_ceil(8).max(1))
            .text("one_words", self.key_forms.of_one_block.div_ceil(8).max(1))
            .text("types", types)
            .when("prepares", !prepare.is_empty())
            .text("dead", self.dead_stack())
            .text("prepare_all", prepare.trim_end())
            .text("prototypes", prototypes(functions))
            .text("codes", self.codes(functions))
            .text("first", functions.first().map_or("", |function| function.name))
            .text("second", second)
            .when("second", !second.is_empty())
            .when("units", is_of_units)
            .when("decrypts", self.block_cipher.decrypt.is_some())
            .when("undecrypted", self.block_cipher.decrypt.is_none())
            .when("nonce", self.family.shape == Shape::NonceAuthenticator)
            .when("nonceless", self.family.shape == Shape::Authenticator)
            .when("pieces", functions.iter().any(|function| function.pieces.is_some()))
            .when("derives", functions.iter().any(|function| function.own_keys))
            .when("underived", !functions.iter().any(|function| function.own_keys))
            .text("schedules", self.schedules(functions))
    }

    /// What the template of a public function knows; what it prepares lies at `place`.
    fn public(&self, function: &Public, place: usize, values: &Values) -> Values {
        let carries = self.family.shape == Shape::Chained(Carried::Cipher);
        let decrypts = matches!(function.name, "decrypt" | "open");
        values
            .clone()
            .text("function", function.name)
            .text("call", function.call.arguments.join(", "))
            .text("place", place)
            .text("constant", if decrypts { "const " } else { "" })
            .when("apart", !function.call.in_place)
            .when("whole", function.call.whole)
            .when("sized", !function.call.sizes.is_empty())
            .text("sizes", function.call.sizes.join(" || "))
            .when("reads", carries && decrypts)
            .when("writes", carries && !decrypts)
            .when("keystream", self.family.shape == Shape::Chained(Carried::Keystream))
    }

    /// The key schedules that code on rounds calls.
    fn schedules(&self, functions: &[Public]) -> String {
        let with_keys = functions.iter().filter(|function| function.own_keys);
        let on_rounds = with_keys.flat_map(|function| function.on.iter().filter(|one| one.rounds));
        let stems = on_rounds.map(|one| &one.stem);
        let cipher = format!("{}{}", self.options.prefix, self.primitive.identifier());
        let one = |stem: &String| {
            let values = Values::default().text("stem", stem).text("cipher", &cipher);
            values.fill(include_str!("templates/message/schedule_keys.c"))
        };
        stems.map(one).collect()
    }

    /// For every level of every platform, the code.
    fn codes(&self, functions: &[Public]) -> String {
        let general: &[&'static Target] = &[&GP64];
        let row = |target: &'static Target, levels: &[&'static Target]| {
            // The last of those that the machine has as well.
            let upto = levels.iter().position(|level| level.name == target.name).unwrap_or(0);
            let found: Vec<Option<&OnTarget>> = functions
                .iter()
                .map(|function| {
                    let on = |level: &&Target| function.on.iter().find(|one| one.target.name == level.name);
                    levels[..=upto].iter().rev().find_map(on)
                })
                .collect();
            // What one of them is given as a key is what all are given.
            let rounds = found.iter().all(|one| one.is_some_and(|one| one.rounds));
            let stem = |(function, one): (&Public, Option<&OnTarget>)| {
                let one = one.filter(|one| one.rounds == rounds);
                one.map_or(&function.around.0, |one| &one.stem).clone()
            };
            let stems: Vec<String> = functions.iter().zip(found).map(stem).collect();
            let parts = stems.iter().zip(functions).flat_map(|(stem, function)| {
                let list = |name: &str, many: usize| {
                    let names: Vec<String> =
                        (0..many).map(|number| format!("{stem}_{name}{number}")).collect();
                    format!("{{ {} }}", names.join(", "))
                };
                let pieces = function.pieces.iter();
                let pieces = pieces.flat_map(|one| [list("part", one.parts()), list("count", one.strings())]);
                [format!("{stem}_prepare"), stem.clone()].into_iter().chain(pieces.collect::<Vec<_>>())
            });
            let all: Vec<String> = std::iter::once(i32::from(rounds).to_string()).chain(parts).collect();
            format!("    {},\n", initialiser(&all))
        };
        let of =
            |levels: &[&'static Target]| levels.iter().map(|target| row(target, levels)).collect::<String>();
        match self.options.level {
            Some(level) => of(&[level]),
            None => {
                let platforms =
                    PLATFORMS.iter().map(|platform| (platform.condition.to_owned(), of(platform.levels)));
                alternatives(platforms.chain([(String::new(), of(general))]))
            }
        }
    }
}

/// The functions of the code, declared.
fn prototypes(functions: &[Public]) -> String {
    let mut text = String::new();
    for function in functions {
        let call = &function.call;
        for stem in function.stems() {
            text += &format!(
                "USUBA_HIDDEN void {stem}_prepare({});\nUSUBA_HIDDEN int {stem}({});\n",
                call.prepared_types.join(", "),
                call.types.join(", ")
            );
            if let Some(pieces) = &function.pieces {
                let parts =
                    (0..pieces.parts()).map(|part| format!("USUBA_HIDDEN usuba_stage {stem}_part{part};\n"));
                let counts = (0..pieces.strings())
                    .map(|count| format!("USUBA_HIDDEN usuba_taken {stem}_count{count};\n"));
                text.extend(parts.chain(counts));
            }
        }
    }
    text
}

/// Functions that do nothing, and say so.
fn nothing(code: &Code) -> String {
    let unused = |prototype: &str| {
        parameters(prototype).map(|name| format!("    (void){name};\n")).collect::<String>()
    };
    let pieces = code.pieces.iter();
    let parts = pieces.clone().flat_map(|pieces| &pieces.parts).map(|part| (part, 3));
    let counts = pieces.flat_map(|pieces| &pieces.counts).map(|count| (count, 0));
    let others = std::iter::once((&code.prototype, 3)).chain(parts).chain(counts);
    let others = others.map(|(prototype, result)| {
        format!("\n{prototype}\n{{\n{}    return {result};\n}}\n", unused(prototype))
    });
    format!("{}\n{{\n{}}}\n", code.prepare, unused(&code.prepare)) + &others.collect::<String>()
}

/// The functions of the code but what prepares, as declarations without the last semicolon.
fn declared(code: &Code) -> String {
    code.functions().cloned().collect::<Vec<_>>().join(";\n")
}

/// What the names of a mode begin with.
fn stem_of(options: &Options, name: &str) -> String {
    format!("{}{}", options.prefix, name.replace('-', "_"))
}

/// The texts of a program that has been read.
struct Texts<'a>(&'a Loaded);

impl Loader for Texts<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let file = self.0.files.iter().find(|file| file.path == path || file.canonical == path);
        let file = file.ok_or_else(|| "it is no file of the program".to_owned())?;
        Ok(self.0.sources.get(file.source).text.as_bytes().to_vec())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        let file = self.0.files.iter().find(|file| file.path == path || file.canonical == path);
        file.map(|file| file.canonical.clone())
    }
}
