//! Constructions that are made of an Usuba text: hashes, and authenticated encryption, of messages of any length.
//!
//! A text has a node for a whole message. It becomes C three times over: for one message at once, for a message in pieces
//! (hashes), and for several messages side by side (lanes), whose permutations are computed by the engines of a library. The
//! public functions around them are templates. C by hand may stand in place of what the text becomes: the declarations are still
//! those of the text's code.

use super::{FilesError, twice};
use crate::OutputFile;
use crate::manifest::{Construction, Function, Primitive, Scheme, Text};
use crate::message::call::{Call, folded};
use crate::message::files::{Machines, whole_code};
use crate::order::Order;
use crate::results::{results, with_results};
use crate::template::Values;
use std::cell::RefCell;
use usuba_blockwise::lanes;
use usuba_blockwise::message::Code;
use usuba_blockwise::phases::Apart;
use usuba_lang::elaborate::Options;
use usuba_lang::load::{Loaded, Loader, load};
use usuba_lang::typed::Direction;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::{Incremental, Stream, incremental};
use usuba_message::{elaborate, passes};
use usuba_target::machines::GP64;

/// Bytes of states that are worked on side by side at most: enough for the largest batch of a kernel to stay full while messages
/// of different lengths come to their ends, and no more than a stack has room for.
const STATES: u32 = 1280;

/// The messages whose states are in bits that are worked on side by side at least: what one register of 64 bits takes.
const LANES_OF_BITS: u32 = 64;

/// The header and the source of a construction with a text. `primitives`: those of the manifest, whose permutations are computed
/// for many messages at once. `fast`: C that is used in place of the text's code.
///
/// # Errors
/// Those of `read`, which gives the text at a path relative to the manifest; the text does not fit the scheme, or has no code.
pub fn files<E>(
    construction: &Construction,
    text: &Text,
    fast: Option<String>,
    primitives: &[Primitive],
    prefix: &str,
    read: &mut Read<'_, E>,
) -> Result<[OutputFile; 2], FilesError<E>> {
    let wrong = |reason: String| FilesError::Made { construction: construction.name.clone(), reason };
    let files = Files { read: RefCell::new(read), error: RefCell::new(None) };
    let loaded = load(&text.file, &[], &files);
    if let Some(error) = files.error.into_inner() {
        return Err(FilesError::Read(error));
    }
    if let Some(error) = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        return Err(wrong(error.message.clone()));
    }
    let over = match fast {
        Some(_) => None,
        None => Over::of(construction, primitives, &loaded).map_err(wrong)?,
    };
    let made = Making { construction, text, prefix, loaded: &loaded, over, fast };
    made.files().map_err(wrong)
}

/// What gives the text at a path.
type Read<'a, E> = dyn FnMut(&str) -> Result<String, E> + 'a;

/// The files beside a manifest.
struct Files<'a, E> {
    read: RefCell<&'a mut Read<'a, E>>,
    error: RefCell<Option<E>>,
}

impl<E> Loader for Files<'_, E> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        (self.read.borrow_mut())(path).map(String::into_bytes).map_err(|error| {
            self.error.borrow_mut().get_or_insert(error);
            "it cannot be read".to_owned()
        })
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

/// The permutations that a construction is over, all with states of one size.
struct Over<'a> {
    primitives: Vec<&'a Primitive>,
    apart: Vec<Apart>,
    state: u32,
    /// Whether states are bits, of which kernels compute many at once.
    is_bits: bool,
}

impl<'a> Over<'a> {
    /// `None` if it is over nothing.
    fn of(
        construction: &Construction,
        primitives: &'a [Primitive],
        loaded: &Loaded,
    ) -> Result<Option<Over<'a>>, String> {
        let mut over = Over { primitives: Vec::new(), apart: Vec::new(), state: 0, is_bits: false };
        for name in &construction.over {
            let primitive = primitives.iter().find(|primitive| primitive.name == *name);
            let Some((primitive, Function::Permutation(permutation))) =
                primitive.map(|primitive| (primitive, &primitive.function))
            else {
                return Err(format!("`{name}` is no permutation: texts are over permutations"));
            };
            if over.state != 0 && over.state != permutation.state.bytes {
                return Err("its permutations have states of different sizes".into());
            }
            over.state = permutation.state.bytes;
            let big = permutation.state.order == Order::Big;
            let order = if big { Order::Little } else { permutation.state.order };
            let node = &permutation.permute;
            let options =
                Options { entry: Some(node.clone()), direction: Some(Direction::V), ..Options::new() };
            let typed = usuba_lang::elaborate::elaborate(&loaded.program, &options).0;
            let typed = typed.ok_or_else(|| format!("`{node}` has no form"))?;
            let instance = typed.instance(typed.entry());
            let state = instance.inputs.first().map(|&id| instance.variable(id));
            let Some(words) =
                state.filter(|state| (state.width * state.atoms()).div_ceil(8) == permutation.state.bytes)
            else {
                return Err(format!("`{node}` has a state that is not {} bytes", permutation.state.bytes));
            };
            if big && words.width != 64 {
                return Err(format!("`{node}` has big-endian words of {} bits", words.width));
            }
            let places = places(order, words.width, words.atoms());
            over.apart.push(Apart { node: permutation.permute.clone(), places, big });
            over.is_bits = words.width == 1;
            over.primitives.push(primitive);
        }
        Ok(Some(over).filter(|over| over.state > 0))
    }

    /// How many messages are worked on side by side.
    fn lanes(&self) -> u32 {
        let least = if self.is_bits { LANES_OF_BITS } else { 8 };
        (STATES / self.state / 8 * 8).max(least)
    }
}

/// Where the bits of a state of `count` words of `width` bits lie in memory, each word from its most significant bit.
fn places(order: Order, width: u32, count: u32) -> Vec<u32> {
    let bit = |word: usize, bit: u32| {
        let (byte, shift) = order.place(width, word, bit);
        8 * byte as u32 + 7 - shift
    };
    (0..count as usize).flat_map(|word| (0..width).map(move |at| bit(word, at))).collect()
}

/// A construction in the making.
struct Making<'a> {
    construction: &'a Construction,
    text: &'a Text,
    prefix: &'a str,
    loaded: &'a Loaded,
    over: Option<Over<'a>>,
    /// C that is used in place of the text's code.
    fast: Option<String>,
}

/// A node as C.
struct Node {
    /// What its functions begin with.
    symbol: String,
    call: Call,
    message: Message,
    code: Code,
    parts: Option<Incremental>,
    /// The code of lanes, if there is any.
    lanes: Option<String>,
}

impl Making<'_> {
    fn stem(&self) -> String {
        format!("{}{}", self.prefix, self.construction.identifier())
    }

    fn files(&self) -> Result<[OutputFile; 2], String> {
        let is_digest = !matches!(self.construction.scheme, Scheme::Aead { .. });
        let mut nodes = Vec::new();
        for (node, role) in self.text.nodes.iter().zip(self.roles()) {
            nodes.push(self.node(node, role, is_digest)?);
        }
        let [first, ..] = &nodes[..] else { return Err("it has no node".into()) };
        let values = self.values(&nodes)?;
        let mut source = values.fill(include_str!("templates/head.c"));
        let header = match self.construction.scheme {
            Scheme::Aead { .. } => {
                source += &values.fill(include_str!("templates/aead.c"));
                for (node, name) in nodes.iter().zip(["seal", "open"]) {
                    if !node.call.in_place && self.fast.is_none() {
                        return Err(format!("`{name}` is not right where the output is the input"));
                    }
                    let values = self
                        .function(&values, node)
                        .text("function", name)
                        .text("constant", if name == "open" { "const " } else { "" });
                    source += &values.fill(include_str!("templates/aead_function.c"));
                }
                include_str!("templates/aead.h")
            }
            Scheme::Hash { .. } | Scheme::Xof { .. } => {
                let is_hash = matches!(self.construction.scheme, Scheme::Hash { .. });
                let values = self.function(&values, first);
                source += &values.fill(include_str!("templates/digest.c"));
                source += &values.fill(match is_hash {
                    true => include_str!("templates/hash.c"),
                    false => include_str!("templates/xof.c"),
                });
                if first.lanes.is_some() {
                    source += &values.fill(include_str!("templates/digest_batch.c"));
                }
                if is_hash { include_str!("templates/hash.h") } else { include_str!("templates/xof.h") }
            }
            Scheme::Mac { .. } => {
                let values = self.function(&values, first);
                source += &values.fill(include_str!("templates/digest.c"));
                source += &values.fill(include_str!("templates/mac.c"));
                include_str!("templates/mac.h")
            }
        };
        let stem = self.stem();
        let file = |extension: &str, contents: &str| OutputFile {
            path: format!("{stem}.{extension}"),
            contents: with_results(contents),
        };
        Ok([file("h", &values.fill(header)), file("c", &source)])
    }

    /// What the functions of each node are for.
    fn roles(&self) -> &'static [&'static str] {
        match self.construction.scheme {
            Scheme::Aead { .. } => &["sealed", "opened"],
            _ => &["digested"],
        }
    }

    fn node(&self, name: &str, role: &str, in_pieces: bool) -> Result<Node, String> {
        let symbol = format!("{}_{role}", self.stem());
        let mut message = elaborate::elaborate(&self.loaded.program, name, None)
            .map_err(|error| format!("`{name}`: {}", error.message))?;
        passes::run(&mut message).map_err(|stuck| format!("`{name}`: {stuck}"))?;
        let call = Call::of(&message).map_err(|wrong| format!("`{name}`: {wrong}"))?;
        self.check(name, &message)?;
        let parts = match in_pieces {
            true => Some(incremental(&message).map_err(|whole| format!("`{name}` in pieces: {whole}"))?),
            false => None,
        };
        let code = whole_code(&message, self.loaded, Machines::Words(&GP64), false, &symbol, parts.as_ref())
            .map_err(|refusal| format!("`{name}`: {}", refusal.0))?;
        let lanes = match &self.over {
            Some(over) => {
                let symbol = format!("{symbol}_lane");
                let mut loaded = self.loaded.clone();
                loaded.program = message.program.clone();
                let made = lanes::code(&message, &loaded.sources, &over.apart, &symbol);
                Some(made.map_err(|refusal| format!("`{name}` in lanes: {}", refusal.0))?.source)
            }
            None => None,
        };
        Ok(Node { symbol, call, message, code, parts, lanes })
    }

    /// The code of a node that C by hand calls: `STEM_name`, the name in small letters.
    fn inner(&self, name: &str) -> Result<Code, String> {
        let symbol = format!("{}_{}", self.stem(), name.to_lowercase());
        let mut message = elaborate::elaborate(&self.loaded.program, name, None)
            .map_err(|error| format!("`{name}`: {}", error.message))?;
        passes::run(&mut message).map_err(|stuck| format!("`{name}`: {stuck}"))?;
        whole_code(&message, self.loaded, Machines::Words(&GP64), false, &symbol, None)
            .map_err(|refusal| format!("`{name}`: {}", refusal.0))
    }

    /// That the sizes of the manifest are those of the node.
    fn check(&self, name: &str, message: &Message) -> Result<(), String> {
        let sizes: &[(&str, u32)] = match self.construction.scheme {
            Scheme::Aead { key_bytes, nonce_bytes, tag_bytes } => {
                &[("key", key_bytes), ("nonce", nonce_bytes), ("tag", tag_bytes)]
            }
            Scheme::Hash { digest_bytes } => &[("digest", digest_bytes)],
            Scheme::Mac { key_bytes, tag_bytes } => &[("key", key_bytes), ("tag", tag_bytes)],
            Scheme::Xof { .. } => &[],
        };
        for (parameter, bytes) in sizes {
            let mut all = message.inputs.iter().chain(&message.outputs).map(|&id| message.variable(id));
            let found = all.find(|variable| variable.name == *parameter);
            let size = found.and_then(|variable| variable.bytes()).and_then(|bytes| bytes.as_constant());
            if size != Some(i64::from(*bytes)) {
                return Err(format!("`{name}` has no `{parameter}` of {bytes} bytes"));
            }
        }
        Ok(())
    }

    /// What all templates know.
    fn values(&self, nodes: &[Node]) -> Result<Values, String> {
        let stem = self.stem();
        let (mut declarations, mut sources, mut includes) = (String::new(), String::new(), String::new());
        // States of bits are moved by shifts and masks, for which BMI has nothing.
        let is_bits = self.over.as_ref().is_some_and(|over| over.is_bits);
        let is_twice = self.fast.is_none() && !is_bits;
        for node in nodes {
            // C by hand prepares nothing.
            let prepare = self.fast.is_none().then_some(&node.code.prepare);
            for declaration in prepare.into_iter().chain(node.code.functions()) {
                declarations += &format!("static {declaration};\n");
            }
            if self.fast.is_none() {
                sources += &match is_twice {
                    true => twice::twice(&node.code, &node.symbol),
                    false => node.code.source.clone(),
                };
                sources += node.lanes.as_deref().unwrap_or_default();
            }
        }
        if is_twice {
            declarations = format!("{}\n{declarations}", twice::CONDITION);
        }
        if let (Some(fast), Some(form)) = (&self.fast, &self.text.fast) {
            for name in &form.functions {
                let code = self.inner(name)?;
                declarations += &format!("static {};\nstatic {};\n", code.prepare, code.prototype);
                sources += &code.source;
            }
            for name in &self.construction.over {
                includes += &format!("#include \"{}{}.h\"\n", self.prefix, name.replace('-', "_"));
            }
            sources += &format!("\n{fast}");
        }
        if let Some(over) = &self.over {
            for primitive in &over.primitives {
                includes += &format!("#include \"{}{}.h\"\n", self.prefix, primitive.identifier());
            }
            includes += "#include \"usuba_lanes.h\"\n";
        }
        let text = self.text;
        let mut values = Values::default()
            .text("declarations", declarations.trim_end())
            .text("sources", sources)
            .text("includes", includes)
            .text("title", &text.title)
            .text("specification", &text.specification)
            .text("file", &text.file)
            .text("nodes", text.nodes.join(", "))
            .text("rules", folded(&text.rules))
            .text("results", results())
            .text("STEM", stem.to_uppercase())
            .text("stem", &stem)
            .text("longest", longest(nodes))
            .text("magic", format!("{:#018x}", crate::library::magic(&stem)))
            .when("batch", self.over.is_some())
            .when("one_by_one", self.fast.is_some() && self.is_aead())
            .when("any_batch", self.over.is_some() || (self.fast.is_some() && self.is_aead()))
            .when("made", self.fast.is_none())
            .when("fast", self.fast.is_some())
            .when("pieces", nodes.iter().any(|node| node.parts.is_some()));
        values = match self.construction.scheme {
            Scheme::Aead { key_bytes, nonce_bytes, tag_bytes } => {
                values.text("key", key_bytes).text("nonce", nonce_bytes).text("tag", tag_bytes)
            }
            Scheme::Hash { digest_bytes } => values.text("digest", digest_bytes).when("hash", true),
            Scheme::Xof { customization_bytes } => values
                .text("customization", customization_bytes.unwrap_or(0))
                .when("customized", customization_bytes.is_some())
                .when("plain", customization_bytes.is_none())
                .when("xof", true),
            Scheme::Mac { key_bytes, tag_bytes } => values.text("key", key_bytes).text("tag", tag_bytes),
        };
        match nodes {
            [node] if node.parts.is_some() => self.pieces(values, node),
            _ => Ok(values),
        }
    }

    /// What the templates of messages in pieces know.
    fn pieces(&self, values: Values, node: &Node) -> Result<Values, String> {
        let Node { message, code, parts: Some(parts), .. } = node else { return Ok(values) };
        let is_squeezed = matches!(self.construction.scheme, Scheme::Xof { .. });
        let named = |stream: &Stream, name: &str| message.variable(stream.variable).name == name;
        let fits = match &parts.streams[..] {
            [text] => !is_squeezed && named(text, "message"),
            [text, output] => is_squeezed && named(text, "message") && named(output, "digest"),
            _ => false,
        };
        if !fits || parts.streams.iter().any(|stream| stream.element != 1) {
            return Err("its message, or its output, does not come in pieces".into());
        }
        let place = |of: &[VariableId], id: VariableId| of.iter().position(|&other| other == id);
        let string = |stream: &Stream| {
            let (input, output) =
                (place(&message.inputs, stream.variable), place(&message.outputs, stream.variable));
            format!(
                "{{ NULL, NULL, {}, {}, {}, {}, {}, {} }}",
                stream.rate,
                stream.length,
                stream.before,
                stream.now,
                input.unwrap_or(0),
                output.unwrap_or(0)
            )
        };
        let strings: Vec<String> = parts.streams.iter().map(string).collect();
        let named =
            |of: &[VariableId], name: &str| of.iter().position(|&id| message.variable(id).name == name);
        let custom = named(&message.inputs, "customization");
        let custom_length = custom.and_then(|place| message.inputs.get(place)).and_then(|&id| {
            let count = message.variable(id).count.clone()?;
            (0..message.lengths.len() as u32)
                .position(|length| count == usuba_message::number::Term::Length(length).into())
        });
        Ok(values
            .text("inputs", message.inputs.len())
            .text("outputs", message.outputs.len())
            .text("lengths", parts.parts.first().map_or(1, |part| part.message.lengths.len()))
            .text("words", code.pieces.as_ref().map_or(0, |pieces| pieces.kept).div_ceil(8).max(1))
            .text("rate", parts.streams.first().map_or(0, |stream| stream.rate))
            .text("room", parts.streams.iter().map(|stream| stream.held + stream.rate).max().unwrap_or(1))
            .text("message", strings.first().cloned().unwrap_or_default())
            .text("output", strings.get(1).cloned().unwrap_or_default())
            .text("now", parts.streams.first().map_or(0, |stream| stream.now))
            .text("length_place", parts.streams.first().map_or(0, |stream| stream.length))
            .text("before", parts.streams.first().map_or(0, |stream| stream.before))
            .text("message_place", named(&message.inputs, "message").unwrap_or(0))
            .text("key_place", named(&message.inputs, "key").unwrap_or(0))
            .text("digest_place", named(&message.outputs, "digest").unwrap_or(0))
            .text("tag_place", named(&message.outputs, "tag").unwrap_or(0))
            .text("custom_place", custom.unwrap_or(0))
            .text("custom_length", custom_length.unwrap_or(0)))
    }

    /// What the templates of a function know.
    fn function(&self, values: &Values, node: &Node) -> Values {
        let (lengths, mut rest) = (node.message.lengths.len(), node.call.arguments.clone());
        if let Some(prepared) = rest.get_mut(lengths).filter(|_| self.fast.is_some()) {
            // C by hand prepares nothing.
            "NULL".clone_into(prepared);
        }
        let lane: Vec<&str> = rest
            .iter()
            .enumerate()
            .map(|(place, argument)| match (place == lengths, self.is_aead()) {
                (true, true) => "prepared[used]",
                _ => argument.as_str(),
            })
            .collect();
        let values = values
            .clone()
            .text("symbol", &node.symbol)
            .text("call", rest.join(", "))
            .text("lane_call", lane.join(", "))
            .text("prepared", node.code.prepared.max(1).next_multiple_of(64))
            .when("prepares", node.code.prepared > 0);
        let Some(over) = self.over.as_ref().filter(|_| node.lanes.is_some()) else { return values };
        let values = values.text("LANES", over.lanes()).text("STATE", over.state);
        let cases: Vec<String> = over
            .primitives
            .iter()
            .enumerate()
            .map(|(number, primitive)| {
                format!(
                    "        case {}: {}{}_permute(states + from * {}, end - from); break;",
                    number + 1,
                    self.prefix,
                    primitive.identifier(),
                    over.state
                )
            })
            .collect();
        let permute: String = (1..=over.primitives.len())
            .map(|number| values.clone().text("number", number).fill(include_str!("templates/permute.c")))
            .collect();
        let values = values.text("cases", cases.join("\n")).text("permute", permute.trim_end());
        let lanes =
            values.fill(include_str!("templates/gather.c")) + &values.fill(include_str!("templates/lanes.c"));
        values.text("lanes", lanes.trim_end())
    }

    fn is_aead(&self) -> bool {
        matches!(self.construction.scheme, Scheme::Aead { .. })
    }
}

/// Which lengths are refused.
fn longest(nodes: &[Node]) -> &'static str {
    match nodes.iter().all(|node| node.message.conditions.is_empty()) {
        true => "from 2^48 bytes on",
        false => "more bytes than there may be, or from 2^48 on",
    }
}
