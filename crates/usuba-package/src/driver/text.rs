//! The C texts of drivers.

use super::parts::image;
use super::{Form, Format, Image, Kernel, Labels, Parameter};
use crate::OutputFile;
use crate::manifest::Stream;
use crate::order::Order;

/// A pair of files that is being made.
pub struct File<'a> {
    stem: &'a str,
    upper: String,
    labels: &'a Labels,
}

impl<'a> File<'a> {
    /// Files called `stem`.
    pub fn new(stem: &'a str, labels: &'a Labels) -> File<'a> {
        File { stem, upper: stem.to_uppercase(), labels }
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
        text += &format!("#include \"{}.h\"\n#include \"usuba_drivers.h\"\n", self.stem);
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

    /// A header around `declarations`.
    pub fn header(&self, summary: &str, declarations: &str) -> String {
        let head = self.head("h", summary);
        let guard = format!("{}_H", self.upper);
        format!(
            "{head}#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n{RESULTS}\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declarations}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
        )
    }

    /// The two files.
    pub fn pair(&self, header: String, source: String) -> [OutputFile; 2] {
        [
            OutputFile { path: format!("{}.h", self.stem), contents: header },
            OutputFile { path: format!("{}.c", self.stem), contents: source },
        ]
    }
}

/// The codes that functions return, as every public header has them; the same text as in `usuba_buffers.h`.
pub const RESULTS: &str = "\
#ifndef USUBA_OK
#define USUBA_OK 0
/* A null pointer where there must be data. */
#define USUBA_ERROR_NULL (-1)
/* A size in bytes that does not fit in a size_t, or a longer keystream than the counter can number. */
#define USUBA_ERROR_LENGTH (-2)
/* Input and output overlap without being the same. */
#define USUBA_ERROR_OVERLAP (-3)
/* A tag that is not right: the data are not authentic. */
#define USUBA_ERROR_TAG (-4)
/* A call that the ones before it do not allow, such as more input after the digest. */
#define USUBA_ERROR_STATE (-5)
/* A context that was not made, or was wiped. */
#define USUBA_ERROR_CONTEXT (-6)
/* A target that there is no code for, or that this machine lacks. */
#define USUBA_ERROR_TARGET (-7)
#endif

";

/// `static const struct usuba_format NAME = …`.
pub fn format_definition(name: &str, format: &Format) -> String {
    let order = match format.order {
        Order::Big => "USUBA_BIG",
        Order::Little => "USUBA_LITTLE",
        Order::Planes => "USUBA_PLANES",
        Order::Nibbles => "USUBA_NIBBLES",
    };
    format!(
        "/* {} words of {} bits in {} bytes. */\nstatic const struct usuba_format {name} = {{ {order}, {}, {}, {} }};\n\n",
        format.words, format.width, format.bytes, format.width, format.words, format.bytes
    )
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

/// A statement that packs the blocks at `from` into the registers of a parameter.
pub(super) fn pack(kernel: &Kernel, to: (&Parameter, &str), from: &str, format: &str) -> String {
    let (ending, argument) = image_text(&image(kernel, to.0));
    batches(kernel, to, format, &|registers, offset| {
        format!("usuba_pack_{ending}({registers}, sizeof {}[0],{argument} {from}{offset}, {format});", to.1)
    })
}

/// A statement that unpacks the registers of a parameter to `out`, exclusive-or the bytes at `with`.
pub(super) fn unpack(kernel: &Kernel, from: (&Parameter, &str), with: Option<&str>, format: &str) -> String {
    let (ending, argument) = image_text(&image(kernel, from.0));
    batches(kernel, from, format, &|registers, offset| {
        let with = with.map_or_else(|| "NULL".to_owned(), |with| format!("{with}{offset}"));
        format!(
            "usuba_unpack_{ending}(usuba_output(out{offset}, {with}), {registers}, sizeof {}[0],{argument} {format});",
            from.1
        )
    })
}

/// The function `count`, which writes the next counters to a member of the state, a parameter of the kernel. They are
/// numbers of the bytes of `format`, big-endian or not.
fn count(kernel: &Kernel, upper: &str, to: (&Parameter, &str), format: &str, big: bool) -> String {
    let (ending, argument) = image_text(&image(kernel, to.0));
    let array = format!("state->{}", to.1);
    let memory = if kernel.interleave > 1 { "state->memory + batch" } else { "state->memory" };
    let statement = batches(kernel, (to.0, &array), format, &|registers, _| {
        format!(
            "usuba_count_{ending}({registers}, sizeof {array}[0],{argument} state->counter, moved, {memory}, {format},\n        \
             {}, {upper}_BLOCK_BYTES);",
            u32::from(big)
        )
    });
    format!(
        "/* The next counters, `moved` after those that are there. */\n\
         static void count(struct counting *state, uint64_t moved)\n{{\n    {statement}\n}}\n\n"
    )
}

/// A statement that makes the uniform form of the block at `from`.
pub(super) fn uniform(image: &Image, to: &str, from: &str, format: &str) -> String {
    match image {
        Image::B => format!("usuba_uniform_b({to}, {from}, {format});"),
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
    format!(
        "/* The kernels are given the key. */\n\
         static void schedule(unsigned char *round_keys, const unsigned char *key)\n{{\n    \
         memcpy(round_keys, key, {key_bytes});\n}}\n\n"
    )
}

/// `schedule`, from key to round keys in bytes.
pub fn schedule(kernel: &Kernel, key: &Parameter, scheduled: &Parameter) -> String {
    // On one general-purpose register per atom, the uniform form is the register form with every instance alike.
    let back = match kernel.image {
        Image::V { lane } => format!("usuba_bytes_v(round_keys, out, {lane}, schedule_format);"),
        Image::B | Image::H { .. } | Image::Packed { .. } | Image::BitInterleaved { .. } => {
            "usuba_bytes_b(round_keys, out, schedule_format);".into()
        }
    };
    format!(
        "/* Runs the key schedule for one key. */\n\
         static void schedule(unsigned char *round_keys, const unsigned char *key)\n{{\n    \
         {};\n    {};\n    {}\n    {}(in, out);\n    {back}\n    \
         usuba_wipe(in, sizeof in);\n    usuba_wipe(out, sizeof out);\n}}\n\n",
        array_declaration(key, "in"),
        array_declaration(scheduled, "out"),
        uniform(&kernel.image, "in", "key", "key_format"),
        kernel.symbol,
    )
}

/// What the batches of a tweakable cipher work on: the tweaks of the blocks to come.
pub fn tweaking(stem: &str) -> String {
    let upper = stem.to_uppercase();
    format!(
        "/* Blocks to come with their tweaks, one for each. */\n\
         struct tweaking {{\n    const {stem}_ctx *ctx;\n    const unsigned char *tweaks;\n    size_t blocks;\n}};\n\n\
         /* The tweaks of the next batch; of one that is not full in `last`, those that there are. */\n\
         static const unsigned char *next_tweaks(struct tweaking *state, unsigned char *last)\n{{\n    \
         const unsigned char *tweaks = state->tweaks;\n    \
         if (state->blocks < {upper}_BATCH) {{\n        \
         memset(last, 0, {upper}_BATCH * {upper}_TWEAK_BYTES);\n        \
         memcpy(last, tweaks, state->blocks * {upper}_TWEAK_BYTES);\n        return last;\n    }}\n    \
         state->tweaks += {upper}_BATCH * {upper}_TWEAK_BYTES;\n    state->blocks -= {upper}_BATCH;\n    \
         return tweaks;\n}}\n\n"
    )
}

/// `<direction>_batch`.
pub fn block_batch(stem: &str, direction: &str, kernel: &Kernel, keys: &str) -> String {
    let (Some(block), Some(result)) = (kernel.inputs.first(), kernel.outputs.first()) else {
        return String::new();
    };
    if let [_, tweak, _] = &kernel.inputs[..] {
        let upper = stem.to_uppercase();
        return format!(
            "static void {direction}_batch(void *context, unsigned char *out, const unsigned char *in)\n\
             {{\n    struct tweaking *state = (struct tweaking *)context;\n    \
             unsigned char last[{upper}_BATCH * {upper}_TWEAK_BYTES];\n    \
             const unsigned char *given = next_tweaks(state, last);\n    {};\n    {};\n    {};\n    {}\n    {}\n    \
             {}(blocks, tweaks, state->ctx->{keys}, results);\n    {}\n}}\n\n",
            array_declaration(block, "blocks"),
            array_declaration(tweak, "tweaks"),
            array_declaration(result, "results"),
            pack(kernel, (block, "blocks"), "in", "block_format"),
            pack(kernel, (tweak, "tweaks"), "given", "tweak_format"),
            kernel.symbol,
            unpack(kernel, (result, "results"), None, "block_format"),
        );
    }
    format!(
        "static void {direction}_batch(void *context, unsigned char *out, const unsigned char *in)\n\
         {{\n    const {stem}_ctx *ctx = (const {stem}_ctx *)*(const void **)context;\n    {};\n    {};\n    {}\n    \
         {}(blocks, ctx->{keys}, results);\n    {}\n}}\n\n",
        array_declaration(block, "blocks"),
        array_declaration(result, "results"),
        pack(kernel, (block, "blocks"), "in", "block_format"),
        kernel.symbol,
        unpack(kernel, (result, "results"), None, "block_format"),
    )
}

/// `ctr_batch`, with the state that it works on.
pub fn counter_batch(stem: &str, kernel: &Kernel, keys: &str) -> String {
    let (Some(block), Some(result)) = (kernel.inputs.first(), kernel.outputs.first()) else {
        return String::new();
    };
    let upper = stem.to_uppercase();
    format!(
        "/* Counters in the registers of the kernel, and the number after them. */\n\
         struct counting {{\n    const {stem}_ctx *ctx;\n    unsigned char counter[{upper}_BLOCK_BYTES];\n    \
         struct usuba_count memory[{}];\n    {};\n}};\n\n\
         {}\
         static void ctr_batch(void *context, unsigned char *out, const unsigned char *in)\n\
         {{\n    struct counting *state = (struct counting *)context;\n    {};\n    \
         {}(state->blocks, state->ctx->{keys}, results);\n    count(state, {upper}_BATCH);\n    {}\n}}\n\n",
        kernel.interleave.max(1),
        array_declaration(block, "blocks"),
        count(kernel, &upper, (block, "blocks"), "block_format", true),
        array_declaration(result, "results"),
        kernel.symbol,
        unpack(kernel, (result, "results"), Some("in"), "block_format"),
    )
}

/// What the header of a block cipher says.
pub struct BlockCipherNames<'a> {
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Bytes of a tweak, if there is one.
    pub tweak_bytes: Option<u32>,
    /// Bytes of all round keys.
    pub round_key_bytes: u32,
    /// Blocks per call of a kernel.
    pub batch: u32,
    /// Whether there are functions for blocks.
    pub ecb: bool,
    /// Whether there is the counter mode.
    pub ctr: bool,
    /// Whether there is decryption.
    pub decrypt: bool,
    /// What the functions are for.
    pub form: Form,
    /// The declarations of the context's arrays.
    pub context: &'a str,
}

/// The header of a block cipher.
pub fn block_cipher_header(file: &File, names: &BlockCipherNames) -> String {
    let File { stem, upper, .. } = file;
    let made = if names.form == Form::Whole { "    uint64_t state;\n" } else { "" };
    let mut text = format!(
        "/* Bytes of a key, of a block, and of the round keys. */\n\
         #define {upper}_KEY_BYTES {}\n#define {upper}_BLOCK_BYTES {}\n#define {upper}_ROUND_KEY_BYTES {}\n\
         /* Blocks that are worked on at once; multiples of it make best use of the machine. */\n\
         #define {upper}_BATCH {}\n\n\
         /* Round keys in the form in which the kernels read them. It has no pointers and may be copied. */\n\
         typedef struct {stem}_ctx {{\n{}    {};\n}} {stem}_ctx;\n\n",
        names.key_bytes, names.block_bytes, names.round_key_bytes, names.batch, made, names.context
    );
    let (mut tweaks, mut with) = ("", "");
    if let Some(bytes) = names.tweak_bytes {
        tweaks = TWEAKS;
        with = " with a tweak for each at `tweaks`, apart from `out`";
        text += &format!("/* Bytes of a tweak. */\n#define {upper}_TWEAK_BYTES {bytes}\n\n");
    }
    let context = context(stem, names.form);
    text += &match names.form {
        Form::Whole => format!(
            "/* Expands a key. */\n\
             int {stem}_init({stem}_ctx *ctx, const unsigned char key[{upper}_KEY_BYTES]);\n\n\
             /* Overwrites the round keys; functions then refuse the context. */\n\
             void {stem}_wipe({stem}_ctx *ctx);\n"
        ),
        Form::Engine => format!(
            "/* Brings round keys into the form in which the kernels read them: a {stem}_ctx. */\n\
             void {stem}_load_keys(void *ctx, const unsigned char round_keys[{upper}_ROUND_KEY_BYTES]);\n"
        ),
    };
    let directions: &[&str] = match (names.ecb, names.decrypt) {
        (false, _) => &[],
        (true, false) => &["encrypt"],
        (true, true) => &["encrypt", "decrypt"],
    };
    for direction in directions {
        text += &format!(
            "\n/* {direction}s each of `blocks` blocks by itself{with}, any number of them. `out` may be `in`; other overlaps \
             are\n * refused. Time depends on `blocks` only. */\n\
             int {stem}_{direction}_blocks({context}, {tweaks}unsigned char *out, const unsigned char *in, size_t \
             blocks);\n"
        )
        .replace("/* encrypts", "/* Encrypts")
        .replace("/* decrypts", "/* Decrypts");
    }
    if names.ctr {
        text += &format!(
            "\n/* Counter mode of SP 800-38A, to encrypt and to decrypt: out = in ^ E(counter) || E(counter + 1) || ... for \
             any number\n * of bytes. The counter is a big-endian number of a whole block and wraps to zero. It is left \
             one beyond the last\n * block used: calls whose lengths are whole blocks continue each other. `out` may be \
             `in`; other overlaps are\n * refused, and so is a counter in either of them. Time depends on `length` and the counter \
             only. */\n\
             int {stem}_ctr_xor({context}, unsigned char counter[{upper}_BLOCK_BYTES], unsigned char *out,\n\
             {} const unsigned char *in, size_t length);\n",
            " ".repeat(stem.len() + 12)
        );
        if names.form == Form::Whole {
            text += &format!(
                "\n/* The same with a counter of 32 bits: the last four bytes count and wrap to zero, the bytes before them stay \
                 as they\n * are, as in GCM. More than 2^32 blocks are refused. */\n\
                 int {stem}_ctr32_xor({context}, unsigned char counter[{upper}_BLOCK_BYTES], unsigned char *out,\n\
                 {} const unsigned char *in, size_t length);\n",
                " ".repeat(stem.len() + 14)
            );
        }
    }
    file.header("a block cipher; time does not depend on keys or data.", &text)
}

/// The declaration of the context that functions read.
fn context(stem: &str, form: Form) -> String {
    match form {
        Form::Whole => format!("const {stem}_ctx *ctx"),
        Form::Engine => "const void *ctx".into(),
    }
}

/// The argument of functions of a tweakable cipher after the context.
pub const TWEAKS: &str = "const unsigned char *tweaks, ";

/// Which functions a block cipher has.
pub struct Functions {
    /// Whether there are functions for blocks.
    pub ecb: bool,
    /// Whether there is decryption.
    pub decrypt: bool,
    /// Whether there is the counter mode.
    pub ctr: bool,
    /// Whether functions for blocks take a tweak for each.
    pub tweak: bool,
}

/// The functions of a block cipher that its header declares.
pub fn block_cipher_functions(stem: &str, form: Form, functions: &Functions) -> String {
    let Functions { ecb, decrypt, ctr, tweak } = *functions;
    let upper = stem.to_uppercase();
    let context = context(stem, form);
    // Contexts of engines are parts of one that has been asked.
    let made = if form == Form::Whole {
        "if (ctx->state != USUBA_CONTEXT_MADE)\n        return USUBA_ERROR_CONTEXT;\n    "
    } else {
        ""
    };
    let mut text = match form {
        Form::Whole => format!(
            "int {stem}_init({stem}_ctx *ctx, const unsigned char key[{upper}_KEY_BYTES])\n{{\n    \
         unsigned char round_keys[{upper}_ROUND_KEY_BYTES];\n    \
         if (ctx == NULL || key == NULL)\n        return USUBA_ERROR_NULL;\n    \
         schedule(round_keys, key);\n    load(ctx, round_keys);\n    ctx->state = USUBA_CONTEXT_MADE;\n    \
         usuba_wipe(round_keys, sizeof round_keys);\n    return USUBA_OK;\n}}\n\n\
         void {stem}_wipe({stem}_ctx *ctx)\n{{\n    if (ctx != NULL)\n        usuba_wipe(ctx, sizeof *ctx);\n}}\n"
        ),
        Form::Engine => format!(
            "void {stem}_load_keys(void *ctx, const unsigned char round_keys[{upper}_ROUND_KEY_BYTES])\n{{\n    \
             load(({stem}_ctx *)ctx, round_keys);\n}}\n"
        ),
    };
    let directions: &[&str] = match (ecb, decrypt) {
        (false, _) => &[],
        (true, false) => &["encrypt"],
        (true, true) => &["encrypt", "decrypt"],
    };
    let (mut tweaks, mut state, mut keys) = ("", "const void *keys = ctx".to_owned(), "keys");
    let (mut fewer, mut apart) = (String::new(), String::new());
    if tweak {
        tweaks = TWEAKS;
        state = format!("struct tweaking state = {{ (const {stem}_ctx *)ctx, tweaks, blocks }}");
        keys = "state";
        fewer = format!(" || blocks > SIZE_MAX / {upper}_TWEAK_BYTES");
        apart = format!(
            "if (result == USUBA_OK)\n        result = usuba_check_apart(out, blocks * {upper}_BLOCK_BYTES, tweaks, \
             blocks * {upper}_TWEAK_BYTES);\n    "
        );
    }
    for direction in directions {
        text += &format!(
            "\nint {stem}_{direction}_blocks({context}, {tweaks}unsigned char *out, const unsigned char *in, size_t \
             blocks)\n{{\n    unsigned char scratch[{upper}_BATCH * {upper}_BLOCK_BYTES];\n    {state};\n    \
             int result;\n    \
             if (ctx == NULL)\n        return USUBA_ERROR_NULL;\n    \
             {made}if (blocks > SIZE_MAX / {upper}_BLOCK_BYTES{fewer})\n        return USUBA_ERROR_LENGTH;\n    \
             result = usuba_check(out, in, blocks * {upper}_BLOCK_BYTES);\n    {apart}\
             if (result == USUBA_OK)\n        \
             usuba_batches({direction}_batch, &{keys}, out, in, blocks * {upper}_BLOCK_BYTES, sizeof scratch, scratch);\n    \
             return result;\n}}\n"
        );
    }
    if ctr {
        text += &format!(
            "\nint {stem}_ctr_xor({context}, unsigned char counter[{upper}_BLOCK_BYTES], unsigned char *out,\n\
             {} const unsigned char *in, size_t length)\n{{\n    struct counting state;\n    \
             unsigned char scratch[{upper}_BATCH * {upper}_BLOCK_BYTES];\n    \
             int result;\n    if (ctx == NULL || counter == NULL)\n        return USUBA_ERROR_NULL;\n    \
             {made}result = usuba_check_counter(counter, {upper}_BLOCK_BYTES, out, in, length);\n    \
             if (result != USUBA_OK || length == 0)\n        return result;\n    \
             state.ctx = (const {stem}_ctx *)ctx;\n    memcpy(state.counter, counter, sizeof state.counter);\n    count(&state, 0);\n    \
             usuba_batches(ctr_batch, &state, out, in, length, sizeof scratch, scratch);\n    \
             usuba_counter_add(counter, sizeof state.counter, 1, (length - 1) / {upper}_BLOCK_BYTES + 1);\n    \
             return USUBA_OK;\n}}\n",
            " ".repeat(stem.len() + 12)
        );
        if form == Form::Whole {
            text += &format!(
                "\nint {stem}_ctr32_xor({context}, unsigned char counter[{upper}_BLOCK_BYTES], unsigned char *out,\n\
                 {} const unsigned char *in, size_t length)\n{{\n    \
                 unsigned char first[{upper}_BLOCK_BYTES];\n    \
                 int result;\n    if (ctx == NULL || counter == NULL)\n        return USUBA_ERROR_NULL;\n    \
                 {made}if (usuba_overruns(length, {upper}_BLOCK_BYTES))\n        return USUBA_ERROR_LENGTH;\n    \
                 result = usuba_check_counter(counter, {upper}_BLOCK_BYTES, out, in, length);\n    if (result != USUBA_OK)\n        return result;\n    \
                 memcpy(first, counter, sizeof first);\n    do {{\n        \
                 const size_t bytes = usuba_before_wrap(counter + {upper}_BLOCK_BYTES - 4, {upper}_BLOCK_BYTES, length);\n        \
                 result = {stem}_ctr_xor(ctx, counter, out, in, bytes);\n        \
                 /* What carried out of the last four bytes is lost. */\n        \
                 memcpy(counter, first, sizeof first - 4);\n        length -= bytes;\n        \
                 if (length > 0) {{\n            out += bytes;\n            in += bytes;\n        }}\n    \
                 }} while (result == USUBA_OK && length > 0);\n    return result;\n}}\n",
                " ".repeat(stem.len() + 14)
            );
        }
    }
    text
}

/// The header of a stream cipher.
pub fn stream_header(file: &File, cipher: &Stream, batch: u32) -> String {
    let File { stem, upper, .. } = file;
    let bits = 8 * cipher.counter.bytes;
    let text = format!(
        "/* Bytes of a key, of a nonce, and of a block of keystream. */\n\
         #define {upper}_KEY_BYTES {}\n#define {upper}_NONCE_BYTES {}\n#define {upper}_BLOCK_BYTES {}\n\
         /* Blocks that are worked on at once. */\n#define {upper}_BATCH {batch}\n\n\
         /* Encrypts or decrypts: out = in ^ keystream for any number of bytes, the keystream starting at block number\n \
         * `counter`. The counter goes on modulo 2^{bits}: it is for the caller to use no number twice under one key and \
         nonce;\n * more bytes than there are numbers are refused. `out` may be `in`; other overlaps are refused, and so is \
         a key or a\n * nonce in `out`. Time depends on `length` and `counter` only. */\n\
         int {stem}_xor(const unsigned char key[{upper}_KEY_BYTES], const unsigned char nonce[{upper}_NONCE_BYTES],\n\
         {} uint{bits}_t counter, unsigned char *out, const unsigned char *in, size_t length);\n",
        cipher.key.bytes,
        cipher.nonce.bytes,
        cipher.keystream.bytes,
        " ".repeat(stem.len() + 8)
    );
    file.header("a stream cipher; time does not depend on keys or data.", &text)
}

/// The functions of a stream cipher.
pub fn stream_functions(stem: &str, kernel: &Kernel, parameters: [&Parameter; 4], cipher: &Stream) -> String {
    let upper = stem.to_uppercase();
    let [key, counter, nonce, keystream] = parameters;
    let bits = 8 * cipher.counter.bytes;
    let bytes = cipher.counter.bytes;
    let limit = if bits == 64 {
        String::new()
    } else {
        format!(
            "if (length > 0 && (uint64_t)(length - 1) / {upper}_BLOCK_BYTES > UINT{bits}_MAX)\n        \
             return USUBA_ERROR_LENGTH;\n    "
        )
    };
    format!(
        "/* Key and nonce in the form in which the kernel reads them, counters in its registers, and the number after \
         them. */\n\
         struct counting {{\n    {};\n    {};\n    unsigned char counter[{bytes}];\n    \
         struct usuba_count memory[{}];\n    {};\n}};\n\n\
         {}\
         static void xor_batch(void *context, unsigned char *out, const unsigned char *in)\n\
         {{\n    struct counting *state = (struct counting *)context;\n    {};\n    \
         {}(state->key, state->counters, state->nonce, results);\n    count(state, {upper}_BATCH);\n    {}\n}}\n\n\
         int {stem}_xor(const unsigned char key[{upper}_KEY_BYTES], const unsigned char nonce[{upper}_NONCE_BYTES],\n\
         {} uint{bits}_t counter, unsigned char *out, const unsigned char *in, size_t length)\n{{\n    \
         struct counting state;\n    \
         unsigned char scratch[{upper}_BATCH * {upper}_BLOCK_BYTES];\n    int result;\n    \
         if (key == NULL || nonce == NULL)\n        return USUBA_ERROR_NULL;\n    \
         {limit}result = usuba_check_stream(key, {upper}_KEY_BYTES, nonce, {upper}_NONCE_BYTES, out, in, length);\n    \
         if (result != USUBA_OK || length == 0)\n        return result;\n    \
         {}\n    {}\n    usuba_store_part(state.counter, counter, sizeof state.counter);\n    count(&state, 0);\n    \
         usuba_batches(xor_batch, &state, out, in, length, sizeof scratch, scratch);\n    \
         usuba_wipe(&state, sizeof state);\n    return USUBA_OK;\n}}\n",
        array_declaration(key, "key"),
        array_declaration(nonce, "nonce"),
        kernel.interleave.max(1),
        array_declaration(counter, "counters"),
        count(kernel, &upper, (counter, "counters"), "counter_format", false),
        array_declaration(keystream, "results"),
        kernel.symbol,
        unpack(kernel, (keystream, "results"), Some("in"), "keystream_format"),
        " ".repeat(stem.len() + 8),
        uniform(&image(kernel, key), "state.key", "key", "key_format"),
        uniform(&image(kernel, nonce), "state.nonce", "nonce", "nonce_format"),
    )
}

/// The header of a permutation.
pub fn permutation_header(file: &File, bytes: u32, batch: u32) -> String {
    let File { stem, upper, .. } = file;
    let text = format!(
        "/* Bytes of a state. */\n#define {upper}_STATE_BYTES {bytes}\n\
         /* States that are worked on at once. */\n#define {upper}_BATCH {batch}\n\n\
         /* Replaces each of `count` states, one after another at `states`, by its image. Time depends on `count` only. */\n\
         int {stem}_permute(unsigned char *states, size_t count);\n"
    );
    file.header("a permutation; time does not depend on data.", &text)
}

/// The functions of a permutation.
pub fn permutation_functions(stem: &str, kernel: &Kernel, state: &Parameter, result: &Parameter) -> String {
    let upper = stem.to_uppercase();
    format!(
        "static void permute_batch(void *context, unsigned char *out, const unsigned char *in)\n{{\n    \
         {};\n    {};\n    (void)context;\n    {}\n    {}(states, results);\n    {}\n}}\n\n\
         int {stem}_permute(unsigned char *states, size_t count)\n{{\n    \
         unsigned char scratch[{upper}_BATCH * {upper}_STATE_BYTES];\n    int result;\n    \
         if (count > SIZE_MAX / {upper}_STATE_BYTES)\n        return USUBA_ERROR_LENGTH;\n    \
         result = usuba_check(states, states, count * {upper}_STATE_BYTES);\n    if (result == USUBA_OK)\n        \
         usuba_batches(permute_batch, NULL, states, states, count * {upper}_STATE_BYTES, sizeof scratch, scratch);\n    \
         return result;\n}}\n",
        array_declaration(state, "states"),
        array_declaration(result, "results"),
        pack(kernel, (state, "states"), "in", "state_format"),
        kernel.symbol,
        unpack(kernel, (result, "results"), None, "state_format"),
    )
}
