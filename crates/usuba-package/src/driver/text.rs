//! The C texts of drivers: `templates/`, and the statements in them that depend on how atoms lie in registers.

use super::parts::image;
use super::{Files, Format, Image, Kernel, KeyForms, Labels, Parameter};
use crate::OutputFile;
use crate::manifest::BlockCipher;
use crate::order::Order;
use crate::template::Values;
use usuba_target::Target;

/// The files of a driver that are being made.
pub struct File<'a> {
    /// What its names begin with.
    pub stem: &'a str,
    /// The machine that it is for.
    pub target: &'static Target,
    labels: &'a Labels,
}

impl<'a> File<'a> {
    /// Files called `stem`.
    pub fn new(stem: &'a str, target: &'static Target, labels: &'a Labels) -> File<'a> {
        File { stem, target, labels }
    }

    /// The comment at the top.
    fn head(&self, extension: &str, summary: &str) -> String {
        let mut text = format!("/* {}.{extension} - {summary}\n", self.stem);
        for line in &self.labels.head {
            text += &format!(" * {}\n", line.replace("*/", "* /"));
        }
        text + " */\n"
    }

    /// Everything before the first definition of a source.
    pub fn source_head<'k>(&self, kernels: impl IntoIterator<Item = &'k Kernel>) -> String {
        let mut text = self.head("c", "bytes in, bytes out, around the kernels.");
        // Only here: counters in registers need the headers of the target's intrinsics, which take longer than most sources.
        text += &format!(
            "#include \"{}.h\"\n#include \"usuba_drivers.h\"\n#include \"usuba_count.h\"\n",
            self.stem
        );
        let mut seen: Vec<&str> = Vec::new();
        for kernel in kernels {
            for header in [Some(&kernel.header), kernel.prepare.as_ref().map(|prepare| &prepare.header)] {
                if let Some(header) = header.filter(|header| !seen.contains(&header.as_str())) {
                    text += &format!("#include \"{header}\"\n");
                    seen.push(header);
                }
            }
        }
        text + "\n"
    }

    /// A header around what a template declares.
    pub fn header(&self, summary: &str, template: &str, values: &Values) -> String {
        let declarations = values.fill(template);
        self.head("h", summary) + &header(&format!("{}_H", self.stem.to_uppercase()), "", &declarations)
    }

    /// What the templates of the two files have in common.
    pub fn values(&self) -> Values {
        Values::default().text("STEM", self.stem.to_uppercase()).text("stem", self.stem)
    }

    /// The files, with the headers of the networks that the source includes.
    pub fn files(&self, header: String, source: String, networks: Vec<OutputFile>) -> Files {
        Files {
            header: OutputFile { path: format!("{}.h", self.stem), contents: header },
            source: OutputFile { path: format!("{}.c", self.stem), contents: source },
            networks,
            keys: KeyForms::default(),
            keys_only: None,
        }
    }
}

/// A header of C around declarations, after what else every header of its kind has. `guard` is a macro of its own.
pub fn header(guard: &str, api: &str, declarations: &str) -> String {
    let values =
        Values::default().text("GUARD", guard).text("results", crate::results::results()).text("api", api);
    values.text("declarations", declarations).fill(include_str!("templates/header.h"))
}

/// `static const struct usuba_format NAME = …`.
pub fn format_definition(name: &str, format: &Format) -> String {
    let order = match format.order {
        Order::Big => "USUBA_BIG",
        Order::Little => "USUBA_LITTLE",
        Order::Planes => "USUBA_PLANES",
        Order::Nibbles => "USUBA_NIBBLES",
    };
    let values = Values::default().text("name", name).text("order", order).text("width", format.width);
    values.text("words", format.words).text("bytes", format.bytes).fill(include_str!("templates/format.c"))
}

/// The declaration of an array that holds a uniform parameter, such as `uint64_t round_keys[1408]`.
pub fn array_declaration(parameter: &Parameter, name: &str) -> String {
    format!("{} {name}[{}]", parameter.element, parameter.elements)
}

/// What `one(registers, offset)` says, for every batch of an interleaved kernel: its registers in those of a parameter, and
/// what to add to a pointer to the bytes of all batches.
fn batches(
    kernel: &Kernel,
    (parameter, registers): (&Parameter, &str),
    format: &str,
    one: &dyn Fn(&str, &str) -> String,
) -> String {
    let batches = kernel.interleave.max(1);
    if batches == 1 {
        return one(registers, "");
    }
    let (instances, elements) = (kernel.instances / batches, parameter.elements / batches);
    let call = one(
        &format!("{registers} + batch * {elements}"),
        &format!(" + batch * ({instances} * {format}.bytes)"),
    );
    format!("for (size_t batch = 0; batch < {batches}; batch++)\n        {call}")
}

/// How the names of the functions of an image end, and the argument that tells them how atoms lie in registers, with its
/// comma.
pub(super) fn image_text(image: &Image) -> (&'static str, String) {
    match image {
        Image::B => ("b", String::new()),
        Image::V { lane } => ("v", format!(" {lane},")),
        Image::Packed { lane } => ("p", format!(" {lane},")),
        Image::H { batch } => ("h", format!(" {batch},")),
        Image::BitInterleaved { batch } => ("interleaved", format!(" {batch},")),
    }
}

/// A statement that packs the blocks at `from` into the registers of a parameter, by the functions of a name
/// ([`super::transposition`]).
pub(super) fn pack(kernel: &Kernel, to: (&Parameter, &str), from: &str, name: &str) -> String {
    let format = format!("{name}_format");
    batches(kernel, to, &format, &|registers, offset| format!("{name}_pack({registers}, {from}{offset});"))
}

/// A statement that unpacks the registers of a parameter to `out`, exclusive-or the bytes at `with`.
pub(super) fn unpack(kernel: &Kernel, from: (&Parameter, &str), with: Option<&str>, name: &str) -> String {
    let format = format!("{name}_format");
    batches(kernel, from, &format, &|registers, offset| match with {
        Some(with) => format!("{name}_unpack_add(out{offset}, {with}{offset}, {registers});"),
        None => format!("{name}_unpack(out{offset}, {registers});"),
    })
}

/// The function `count`, which writes the next counters to a member of the state, a parameter of the kernel. They are
/// numbers of the bytes of the format of a name, big-endian or not. Where they are `packed` as blocks, there is a function for
/// that.
fn count(
    kernel: &Kernel,
    upper: &str,
    to: (&Parameter, &str),
    name: &str,
    packed: bool,
    big: bool,
) -> String {
    let image = image(kernel, to.0);
    let (ending, argument) = image_text(&image);
    let format = format!("{name}_format");
    // In the other layouts counters are made one by one, or in vectors.
    let packs = !matches!(image, Image::B | Image::Packed { .. });
    let pack = match (packs, packed) {
        (true, true) => format!(", {name}_pack"),
        (true, false) => ", NULL".to_owned(),
        (false, _) => String::new(),
    };
    let array = format!("state->{}", to.1);
    let call = |registers: &str, arguments: &str, kept: &str| {
        format!(
            "usuba_count_{ending}({registers}, sizeof {array}[0],{arguments} state->counter,{kept} {format}, {},\n        \
             {upper}_BLOCK_BYTES{pack});",
            u32::from(big)
        )
    };
    let statement = if keeps_counters(kernel, to.0) {
        let memory = if kernel.interleave > 1 { "state->memory + batch" } else { "state->memory" };
        let kept = format!(" moved, {memory},");
        batches(kernel, (to.0, &array), &format, &|registers, _| call(registers, &argument, &kept))
    } else {
        let arguments = format!("{argument} {},", kernel.interleave.max(1));
        format!("(void)moved;\n    {}", call(&array, &arguments, ""))
    };
    Values::default().text("count", statement).fill(include_str!("templates/count.c"))
}

/// Whether something of the counters in the registers of a parameter is kept for those of the next batch. Packed ones are made
/// of the number alone.
fn keeps_counters(kernel: &Kernel, counter: &Parameter) -> bool {
    !matches!(image(kernel, counter), Image::Packed { .. })
}

/// A statement that makes the uniform form of the block at `from`.
pub(super) fn uniform(image: &Image, to: &str, from: &str, format: &str) -> String {
    match image {
        Image::B => format!("usuba_uniform_b({to}, sizeof {to}[0], {from}, {format});"),
        Image::V { lane } => format!("usuba_uniform_v({to}, {lane}, {from}, {format});"),
        Image::Packed { lane } => format!("usuba_uniform_p({to}, {lane}, {from}, {format});"),
        Image::H { batch } => format!("usuba_uniform_h({to}, {batch}, {from}, {format});"),
        Image::BitInterleaved { batch } => {
            format!("usuba_uniform_interleaved({to}, {batch}, {from}, {format});")
        }
    }
}

/// `schedule` of a cipher whose kernels take the key itself.
pub fn no_schedule(key_bytes: u32) -> String {
    Values::default().text("key", key_bytes).fill(include_str!("templates/no_schedule.c"))
}

/// `schedule`, from key to round keys in bytes.
pub fn schedule(kernel: &Kernel, key: &Parameter, scheduled: &Parameter) -> String {
    Values::default()
        .text("in", array_declaration(key, "in"))
        .text("out", array_declaration(scheduled, "out"))
        .text("from_bytes", uniform(&kernel.image, "in", "key", "key_format"))
        .text("to_bytes", to_bytes(&kernel.image, "round_keys", "out", "schedule_format"))
        .text("symbol", &kernel.symbol)
        .fill(include_str!("templates/schedule.c"))
}

/// From round keys to those under which encryption decrypts.
pub fn decryption_keys(kernel: &Kernel, given: &Parameter, made: &Parameter) -> String {
    Values::default()
        .text("in", array_declaration(given, "in"))
        .text("out", array_declaration(made, "out"))
        .text("from_bytes", uniform(&kernel.image, "words.in", "round_keys", "given_format"))
        .text("to_bytes", to_bytes(&kernel.image, "made", "words.out", "made_format"))
        .text("symbol", &kernel.symbol)
        .fill(include_str!("templates/decryption_keys.c"))
}

/// The key schedule on blocks of 16 bytes, the first of each register.
pub fn packed_schedule(
    cipher: &BlockCipher,
    kernel: &Kernel,
    key: &Parameter,
    scheduled: &Parameter,
    name: &str,
) -> String {
    Values::default()
        .text("name", name)
        .text("header", &kernel.header)
        .text("in", array_declaration(key, "in"))
        .text("out", array_declaration(scheduled, "out"))
        .text("key", cipher.key.bytes)
        .text("round_keys", cipher.round_keys.bytes)
        .text("symbol", &kernel.symbol)
        .fill(include_str!("templates/packed_schedule.c"))
}

/// A statement that makes bytes of the registers of a kernel for one instance. On one general-purpose register per atom,
/// the uniform form is the register form with every instance alike.
pub fn to_bytes(image: &Image, to: &str, from: &str, format: &str) -> String {
    match image {
        Image::V { lane } => format!("usuba_bytes_v({to}, {from}, {lane}, {format});"),
        Image::BitInterleaved { batch } => {
            format!("usuba_bytes_interleaved({to}, {from}, {batch}, {format});")
        }
        Image::B | Image::H { .. } | Image::Packed { .. } => {
            format!("usuba_bytes_b({to}, {from}, {format});")
        }
    }
}

/// The values of a block cipher's templates that a kernel has for a direction.
pub fn direction_values(values: Values, direction: &str, kernel: &Kernel) -> Values {
    let ([block, tweak @ .., _], [result]) = (&kernel.inputs[..], &kernel.outputs[..]) else {
        return values;
    };
    let mut values = values
        .text("direction", direction)
        .text("blocks", array_declaration(block, "blocks"))
        .text("results", array_declaration(result, "results"))
        .text("pack", pack(kernel, (block, "blocks"), "in", "block"))
        .text("unpack", unpack(kernel, (result, "results"), None, "block"))
        .text("symbol", &kernel.symbol);
    if let [tweak] = tweak {
        values = values
            .text("tweak_registers", array_declaration(tweak, "tweaks"))
            .text("pack_tweaks", pack(kernel, (tweak, "tweaks"), "given", "tweak"));
    }
    values
}

/// `ctr_batch`, with the state that it works on.
pub fn counter_batch(values: Values, stem: &str, kernel: &Kernel) -> String {
    let (Some(block), Some(result)) = (kernel.inputs.first(), kernel.outputs.first()) else {
        return String::new();
    };
    let upper = stem.to_uppercase();
    values
        .when("kept", keeps_counters(kernel, block))
        .text("batches", kernel.interleave.max(1))
        .text("blocks", array_declaration(block, "blocks"))
        .text("counting", count(kernel, &upper, (block, "blocks"), "block", true, true))
        .text("results", array_declaration(result, "results"))
        .text("symbol", &kernel.symbol)
        .text("unpack", unpack(kernel, (result, "results"), Some("in"), "block"))
        .fill(include_str!("templates/ctr_batch.c"))
}

/// The argument of functions of a tweakable cipher after the context.
pub const TWEAKS: &str = "const unsigned char *tweaks, ";

/// The functions of a stream cipher; whether counters are `packed` as blocks.
pub fn stream_functions(
    values: Values,
    stem: &str,
    kernel: &Kernel,
    parameters: [&Parameter; 4],
    packed: bool,
) -> String {
    let [key, counter, nonce, keystream] = parameters;
    let counting = count(kernel, &stem.to_uppercase(), (counter, "counters"), "counter", packed, false);
    values
        .when("kept", keeps_counters(kernel, counter))
        .text("keys", array_declaration(key, "key"))
        .text("nonces", array_declaration(nonce, "nonce"))
        .text("batches", kernel.interleave.max(1))
        .text("counters", array_declaration(counter, "counters"))
        .text("counting", counting)
        .text("results", array_declaration(keystream, "results"))
        .text("symbol", &kernel.symbol)
        .text("unpack", unpack(kernel, (keystream, "results"), Some("in"), "keystream"))
        .text("key_from_bytes", uniform(&image(kernel, key), "state.key", "key", "key_format"))
        .text("nonce_from_bytes", uniform(&image(kernel, nonce), "state.nonce", "nonce", "nonce_format"))
        .fill(include_str!("templates/stream.c"))
}

/// The functions of a permutation.
pub fn permutation_functions(
    values: Values,
    kernel: &Kernel,
    state: &Parameter,
    result: &Parameter,
) -> String {
    values
        .text("states", array_declaration(state, "states"))
        .text("results", array_declaration(result, "results"))
        .text("pack", pack(kernel, (state, "states"), "in", "state"))
        .text("symbol", &kernel.symbol)
        .text("unpack", unpack(kernel, (result, "results"), None, "state"))
        .fill(include_str!("templates/permutation.c"))
}
