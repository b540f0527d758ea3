//! A C program around the constructions of a cipher, and what it can be asked: see `common.c`, `aead.c`, `digest.c`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use usuba_package::OutputFile;
use usuba_package::construction;
use usuba_package::engine::Choices;
use usuba_package::library;
use usuba_package::manifest::{Construction, Primitive, Scheme};
use usuba_target::Target;
use usuba_tests::ciphers::{Cipher, root};
use usuba_trial::run::{Compiler, Family, Program, SharedObjects};

/// Bytes of the answer to a request for checks of bad arguments.
const MESSAGE: usize = 128;

/// One way to build the constructions of a cipher.
#[derive(Clone, Copy)]
pub struct Way {
    /// The machine of the kernels.
    pub target: &'static str,
    /// The compiler.
    pub family: Family,
    /// Further flags.
    pub flags: &'static [&'static str],
}

/// The constructions of a cipher, compiled.
pub struct Built {
    program: Program,
}

/// Compiles all constructions of a cipher with the primitives that they are over, in slicing `v`; with another prefix than
/// the usual one the same program is made of renamed files. `change` may change the texts of the construction's files; what
/// it leaves as it is is compiled once for all programs with these `objects`.
pub fn build(
    name: &str,
    way: Way,
    prefix: &str,
    objects: &SharedObjects,
    change: &dyn Fn(&str, String) -> String,
) -> Built {
    let cipher = Cipher::read(name);
    let constructions = &cipher.manifest.constructions;
    let target: &'static Target = usuba_target::by_name(way.target).expect("the target is known");
    let read = |path: &str| -> std::io::Result<String> {
        Ok(change(path, std::fs::read_to_string(root().join("ciphers").join(name).join(path))?))
    };
    let mut files = construction::files(constructions, &cipher.manifest.primitives, prefix, read)
        .expect("the files of the manifest");
    files.extend(primitives(name, &cipher, target, prefix).iter().cloned());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    let there: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    files.extend(usuba_package::runtime().into_iter().filter(|file| !there.contains(&file.path)));
    files.push(main(constructions, prefix));
    let mut flags = vec!["-std=c99"];
    flags.extend(way.flags);
    let compiler = Compiler::find(target, way.family).expect("a compiler");
    let program = objects.compile(&compiler, &files, &[], &flags).unwrap_or_else(|error| panic!("{error}"));
    Built { program }
}

/// The files of the primitives that a cipher's constructions are over, made once for all programs that have them.
fn primitives(name: &str, cipher: &Cipher, target: &'static Target, prefix: &str) -> Arc<Vec<OutputFile>> {
    type Made = Mutex<BTreeMap<[String; 3], Arc<OnceLock<Arc<Vec<OutputFile>>>>>>;
    static MADE: Made = Mutex::new(BTreeMap::new());
    let key = [name, target.name, prefix].map(str::to_owned);
    let made = Arc::clone(MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
    let make = || {
        let constructions = &cipher.manifest.constructions;
        let is_used = |primitive: &&Primitive| {
            constructions.iter().any(|construction| construction.over.contains(&primitive.name))
        };
        let files = |primitive: &Primitive| {
            let mut choices = Choices::new(primitive.slicings[0]);
            choices.prefix = prefix.into();
            let library = library::one_level(primitive, &cipher.loaded, target, &choices);
            library.expect("the primitive compiles").files
        };
        Arc::new(cipher.manifest.primitives.iter().filter(is_used).flat_map(files).collect())
    };
    Arc::clone(made.get_or_init(make))
}

/// Compares C by hand with what the texts of ChaCha20's constructions become, by the program `same.c`. Returns what it says.
pub fn same(
    family: Family,
    objects: &SharedObjects,
    change: &dyn Fn(&str, String) -> String,
) -> Result<String, String> {
    let cipher = Cipher::read("chacha20");
    let target: &'static Target = usuba_target::by_name("gp64").expect("the target is known");
    let read = |path: &str| -> std::io::Result<String> {
        Ok(change(path, std::fs::read_to_string(root().join("ciphers/chacha20").join(path))?))
    };
    let mut constructions = cipher.manifest.constructions.clone();
    let made = |constructions: &[Construction], prefix: &str| {
        construction::files(constructions, &cipher.manifest.primitives, prefix, read)
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let mut files = made(&constructions, "usuba_");
    for construction in &mut constructions {
        assert!(construction.text.fast.take().is_some(), "{} has C by hand", construction.name);
        construction.over.clear();
    }
    files.extend(made(&constructions, "text_"));
    let mut choices = Choices::new(cipher.manifest.primitives[0].slicings[0]);
    choices.prefix = "usuba_".into();
    let library = library::one_level(&cipher.manifest.primitives[0], &cipher.loaded, target, &choices);
    files.extend(library.expect("the primitive compiles").files);
    files.extend(usuba_package::runtime());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files.push(OutputFile { path: "main.c".into(), contents: include_str!("same.c").to_owned() });
    let compiler = Compiler::find(target, family).expect("a compiler");
    let program = objects.compile(&compiler, &files, &[], &["-std=c99", "-O1"]);
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let said = program.run(b"").map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// The C of the program.
fn main(constructions: &[Construction], prefix: &str) -> OutputFile {
    let mut contents = include_str!("common.c").to_owned();
    let mut requests = String::new();
    for (number, construction) in constructions.iter().enumerate() {
        let name = format!("{prefix}{}", construction.identifier());
        contents += &format!("#include \"{name}.h\"\n");
        // What differs between hashes and authenticators: calls, what stands before the message, how it ends.
        let (call, init, end, fill, has_prefix, batch) = match construction.scheme {
            Scheme::Aead { .. } => ("", "", "", "", 0, 0),
            Scheme::Hash { .. } => (
                "((void)(n), (void)(p), (void)(q), NAME(out, in, length))",
                "((void)(p), (void)(q), NAME_init(ctx))",
                "((void)(n), NAME_final(ctx, out))",
                "((void)(n), (void)(p), (void)(q), (m).digest = o)",
                0,
                1,
            ),
            Scheme::Xof { customization_bytes: None } => (
                "((void)(p), (void)(q), NAME(out, n, in, length))",
                "((void)(p), (void)(q), NAME_init(ctx))",
                "NAME_squeeze(ctx, out, n)",
                "((void)(p), (void)(q), (m).out = o, (m).out_length = n)",
                0,
                1,
            ),
            Scheme::Xof { customization_bytes: Some(_) } => (
                "NAME(out, n, p, q, in, length)",
                "NAME_init(ctx, p, q)",
                "NAME_squeeze(ctx, out, n)",
                "((m).out = o, (m).out_length = n, (m).custom = p, (m).custom_length = q)",
                1,
                1,
            ),
            Scheme::Mac { .. } => (
                "((void)(n), (void)(q), NAME(out, p, in, length))",
                "((void)(q), NAME_init(ctx, p))",
                "((void)(n), NAME_final(ctx, out))",
                "",
                1,
                0,
            ),
        };
        let mut body = match construction.scheme {
            Scheme::Aead { .. } => include_str!("aead.c").to_owned(),
            _ => {
                let ends_once = i32::from(!matches!(construction.scheme, Scheme::Xof { .. }));
                format!(
                    "#define NAME_CALL(out, n, p, q, in, length) {call}\n#define NAME_INIT(ctx, p, q) {init}\n\
                     #define NAME_END(ctx, out, n) {end}\n#define NAME_FILL(m, o, n, p, q) {fill}\n\
                     #define NAME_HAS_PREFIX {has_prefix}\n#define NAME_HAS_BATCH {batch}\n\
                     #define NAME_ENDS_ONCE {ends_once}\n{}",
                    include_str!("digest.c")
                )
            }
        };
        if let Scheme::Xof { customization_bytes: Some(largest) } = construction.scheme {
            body = format!("#define NAME_LARGEST_PREFIX {largest}\n{body}");
        }
        contents += &body.replace("NAME", &name).replace("UPPER", &name.to_uppercase());
        requests += &format!("        case {number}: {name}_request(take_byte()); break;\n");
    }
    contents += &format!(
        "int main(void)\n{{\n    int construction;\n    while ((construction = getchar()) != EOF) {{\n        \
         switch (construction) {{\n{requests}        default: stop(\"no such construction\");\n        }}\n    }}\n    \
         return 0;\n}}\n"
    );
    OutputFile { path: "main.c".into(), contents }
}

/// A request, and what the program must answer.
#[derive(Default)]
pub struct Dialogue {
    /// What is asked.
    pub requests: Vec<u8>,
    /// Each answer with what it is the answer to.
    answers: Vec<(String, Vec<u8>)>,
}

fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

/// A message to seal or to open.
#[derive(Clone, Debug)]
pub struct Sealed {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub ad: Vec<u8>,
    pub plain: Vec<u8>,
    pub cipher: Vec<u8>,
    pub tag: Vec<u8>,
}

/// A message to hash or to authenticate. The prefix is a key or a customization string.
#[derive(Clone, Debug)]
pub struct Digested {
    pub prefix: Vec<u8>,
    pub message: Vec<u8>,
    pub output: Vec<u8>,
}

/// What the program does with buffers.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Where they are: see `place` in `common.c`.
    pub place: u8,
    /// Whether the output is the input.
    pub in_place: bool,
}

/// What becomes of the output if a message is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It is filled with zeros.
    Zeros,
    /// Nothing is written.
    Untouched,
}

impl Dialogue {
    fn expect(&mut self, what: impl Into<String>, answer: Vec<u8>) {
        self.answers.push((what.into(), answer));
    }

    fn begin(&mut self, construction: usize, request: u8) {
        self.requests.extend([construction as u8, request]);
    }

    /// Seals a message.
    pub fn seal(&mut self, construction: usize, what: &str, placement: Placement, message: &Sealed) {
        self.begin(construction, b'S');
        self.requests.extend([placement.place, u8::from(placement.in_place)]);
        number(&mut self.requests, message.ad.len());
        number(&mut self.requests, message.plain.len());
        for part in [&message.key, &message.nonce, &message.ad, &message.plain] {
            self.requests.extend(part);
        }
        self.expect(
            format!("sealing {what}, {placement:?}"),
            [&[0], &message.cipher[..], &message.tag].concat(),
        );
    }

    /// Opens a message; it must be refused if `refused` says how.
    pub fn open(
        &mut self,
        construction: usize,
        what: &str,
        placement: Placement,
        message: &Sealed,
        refused: Option<Refused>,
    ) {
        self.begin(construction, b'O');
        self.requests.extend([placement.place, u8::from(placement.in_place)]);
        number(&mut self.requests, message.ad.len());
        number(&mut self.requests, message.cipher.len());
        for part in [&message.key, &message.nonce, &message.ad, &message.tag, &message.cipher] {
            self.requests.extend(part);
        }
        let size = message.cipher.len();
        let answer = match refused {
            None => [&[0], &message.plain[..]].concat(),
            Some(Refused::Zeros) => [vec![4], vec![0; size]].concat(),
            Some(Refused::Untouched) if placement.in_place => [&[4], &message.cipher[..]].concat(),
            Some(Refused::Untouched) => [vec![4], vec![0xaa; size]].concat(),
        };
        self.expect(format!("opening {what}, {placement:?}"), answer);
    }

    /// Seals all messages in one call, or opens them; those whose number `bad` accepts are tampered with.
    pub fn batch(
        &mut self,
        construction: usize,
        what: &str,
        messages: &[Sealed],
        opening: Option<(Refused, &dyn Fn(usize) -> bool)>,
    ) {
        self.begin(construction, if opening.is_some() { b'C' } else { b'B' });
        number(&mut self.requests, messages.len());
        let mut answer = Vec::new();
        let mut all = 0;
        for (place, message) in messages.iter().enumerate() {
            number(&mut self.requests, message.ad.len());
            number(&mut self.requests, message.plain.len());
            let mut tag = message.tag.clone();
            let refused = opening.and_then(|(refused, bad)| bad(place).then_some(refused));
            if refused.is_some() {
                let byte = place % tag.len();
                tag[byte] ^= 1 << (place % 8);
                all = 4;
            }
            let text = if opening.is_some() { &message.cipher } else { &message.plain };
            for part in [&message.key, &message.nonce, &message.ad, &tag, text] {
                self.requests.extend(part);
            }
            answer.push(if refused.is_some() { 4 } else { 0 });
            let in_place = place % 2 == 0;
            answer.extend(match refused {
                None if opening.is_some() => message.plain.clone(),
                None => message.cipher.clone(),
                Some(Refused::Untouched) if in_place => message.cipher.clone(),
                Some(Refused::Untouched) => vec![0xaa; text.len()],
                Some(Refused::Zeros) => vec![0; text.len()],
            });
            answer.extend(&tag);
        }
        answer.insert(0, all);
        self.expect(format!("{what}, {} messages", messages.len()), answer);
    }

    /// Hashes a message in one call.
    pub fn digest(&mut self, construction: usize, what: &str, place: u8, message: &Digested) {
        self.begin(construction, b'D');
        self.requests.push(place);
        for part in [&message.output, &message.prefix, &message.message] {
            number(&mut self.requests, part.len());
        }
        self.requests.extend(&message.prefix);
        self.requests.extend(&message.message);
        self.expect(format!("{what}, placement {place}"), [&[0], &message.output[..]].concat());
    }

    /// Hashes a message piece by piece; the sizes of the pieces add up to those of message and output.
    pub fn pieces(
        &mut self,
        construction: usize,
        what: &str,
        ins: &[usize],
        outs: &[usize],
        message: &Digested,
    ) {
        self.begin(construction, b'I');
        for part in [&message.output, &message.prefix, &message.message] {
            number(&mut self.requests, part.len());
        }
        number(&mut self.requests, ins.len());
        number(&mut self.requests, outs.len());
        for size in ins.iter().chain(outs) {
            number(&mut self.requests, *size);
        }
        self.requests.extend(&message.prefix);
        self.requests.extend(&message.message);
        self.expect(format!("{what} in pieces {ins:?} to {outs:?}"), message.output.clone());
    }

    /// Hashes all messages in one call.
    pub fn digests(&mut self, construction: usize, what: &str, messages: &[Digested]) {
        self.begin(construction, b'B');
        number(&mut self.requests, messages.len());
        let mut answer = vec![0];
        for message in messages {
            for part in [&message.output, &message.prefix, &message.message] {
                number(&mut self.requests, part.len());
            }
            self.requests.extend(&message.prefix);
            self.requests.extend(&message.message);
            answer.push(0);
            answer.extend(&message.output);
        }
        self.expect(format!("{what}, {} messages", messages.len()), answer);
    }

    /// Checks of bad arguments.
    pub fn bad_arguments(&mut self, construction: usize, what: &str) {
        self.begin(construction, b'E');
        self.expect(format!("bad arguments of {what}"), vec![0; MESSAGE]);
    }

    /// Asks everything. The number of answers, or the first that is not as expected.
    pub fn ask(&self, built: &Built) -> Result<usize, String> {
        let output = built.program.run(&self.requests).map_err(|error| error.to_string())?;
        let mut rest = &output[..];
        for (what, expected) in &self.answers {
            let Some((answer, more)) = rest.split_at_checked(expected.len()) else {
                return Err(format!("{what}: the program says nothing"));
            };
            rest = more;
            if answer != expected {
                let text = String::from_utf8_lossy(answer);
                let at = answer.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(0);
                let readable = expected.len() == MESSAGE && answer.is_ascii();
                let found = if readable { text.trim_end_matches('\0').to_owned() } else { String::new() };
                return Err(format!(
                    "{what}: byte {at} is {:02x} in place of {:02x} {found}",
                    answer[at], expected[at]
                ));
            }
        }
        if rest.is_empty() { Ok(self.answers.len()) } else { Err("the program says too much".into()) }
    }
}
