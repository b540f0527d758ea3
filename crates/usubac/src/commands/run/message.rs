//! Messages: byte strings in, byte strings out.

use crate::args::Run;
use crate::cipher::Cipher;
use crate::mode;
use crate::output::{Failure, Output, print_json, print_line};
use serde_json::{Map, Value, json};
use usuba_lang::load::Loaded;
use usuba_lang::message::{Message, MessageError};
use usuba_message::strings;
use usuba_package::manifest::{Function, Primitive};
use usuba_package::message::CIPHER;

/// What the front end says of a program that mentions too many atoms.
const TOO_LARGE: &str = "E0510";

/// A mode over the block cipher of a folder.
pub fn of_mode(run: &Run, name: &str, output: &Output) -> Result<(), Failure> {
    let mode = mode::named(name)?;
    let cipher = Cipher::read(&run.file, &run.search, output)?;
    let given = given(run)?;
    let primitive = primitive(run, &cipher, &given)?;
    let loaded = mode::bound(&cipher, primitive, mode, output)?;
    let entry = Message::new(&loaded.program, mode.node, Some(CIPHER));
    print(entry, (mode.node, Some(CIPHER)), run, &given, &loaded, output)
}

/// A program that is given whole.
pub fn of_program(run: &Run, loaded: &Loaded, output: &Output) -> Result<(), Failure> {
    let given = given(run)?;
    let last = loaded.program.definitions.last().map(|definition| definition.name.text.as_str());
    let entry = run.entry.entry.as_deref().or(last).unwrap_or_default();
    let cipher = loaded.program.ciphers.last().map(|cipher| cipher.name.text.as_str());
    print(Message::new(&loaded.program, entry, cipher), (entry, cipher), run, &given, loaded, output)
}

/// The arguments as names and texts.
fn given(run: &Run) -> Result<Vec<(&str, &str)>, Failure> {
    let split = |argument: &'_ String| {
        argument.split_once('=').map(|(name, _)| name.len()).ok_or_else(|| {
            Failure::general(format!("`{argument}` is not of the form name=BYTES, in hexadecimal"))
        })
    };
    let mut given = Vec::new();
    for argument in &run.inputs {
        let at = split(argument)?;
        given.push((&argument[..at], &argument[at + 1..]));
    }
    Ok(given)
}

/// The block cipher that is meant: the one named, or the only one whose keys have the length of a key that is given.
fn primitive<'c>(run: &Run, cipher: &'c Cipher, given: &[(&str, &str)]) -> Result<&'c Primitive, Failure> {
    let all = &cipher.manifest.primitives;
    let names = || all.iter().map(|primitive| primitive.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(name) = &run.primitive {
        return all.iter().find(|primitive| primitive.name == *name).ok_or_else(|| {
            Failure::general(format!("`{}` has no primitive `{name}`; it has {}", run.file, names()))
        });
    }
    let key = |primitive: &&Primitive| match &primitive.function {
        Function::BlockCipher(cipher) => {
            let digits = 2 * cipher.key.bytes as usize;
            given.iter().any(|(name, text)| ["key", "data"].contains(name) && text.len() == digits)
        }
        _ => false,
    };
    match (all.as_slice(), all.iter().filter(key).collect::<Vec<_>>().as_slice()) {
        ([only], _) => Ok(only),
        (_, [one]) => Ok(one),
        _ => Err(Failure::general(format!(
            "the length of the key does not tell which primitive is meant; name one with `--primitive`: {}",
            names()
        ))),
    }
}

/// Runs a message and prints its results.
fn print(
    entry: Result<Message<'_>, MessageError>,
    (node, cipher): (&str, Option<&str>),
    run: &Run,
    given: &[(&str, &str)],
    loaded: &Loaded,
    output: &Output,
) -> Result<(), Failure> {
    let failed = |error: MessageError| match error {
        MessageError::Program(diagnostics) => {
            output.diagnostics(&diagnostics, &loaded.sources);
            Failure::Said
        }
        MessageError::Inputs(text) => Failure::general(text),
    };
    let mut message = entry.map_err(failed)?;
    let nats = message.numbers();
    let mut numbers: Vec<(&str, i64)> =
        run.entry.nats.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let mut strings: Vec<(&str, Vec<u8>)> = Vec::new();
    for &(name, text) in given {
        if nats.contains(&name) {
            let number = text.parse().map_err(|_| {
                Failure::general(format!("`{name}` is a decimal number for the compiler, not `{text}`"))
            })?;
            numbers.push((name, number));
        } else {
            strings.push((name, bytes(name, text)?));
        }
    }
    let described =
        |name: &&str| if nats.contains(name) { format!("{name} (a number)") } else { (*name).to_string() };
    if let Some(missing) = nats.iter().find(|nat| !numbers.iter().any(|(name, _)| name == *nat)) {
        let all: Vec<String> =
            nats.iter().copied().chain(message.strings()).map(|name| described(&name)).collect();
        return Err(Failure::general(format!(
            "the number `{missing}` is missing; the inputs are {}",
            all.join(", ")
        )));
    }
    let borrowed: Vec<(&str, &[u8])> =
        strings.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let results = match message.run(&numbers, &borrowed) {
        // Elaborated for these lengths it is too large: the form of messages keeps its loops.
        Err(MessageError::Program(findings)) if findings.iter().any(|one| one.code == TOO_LARGE) => {
            let form = usuba_message::elaborate::elaborate(&loaded.program, node, cipher)
                .map_err(|error| failed(MessageError::Program(vec![*error])))?;
            strings::run(&form, &numbers, &borrowed).map_err(|error| Failure::general(error.to_string()))?
        }
        results => results.map_err(failed)?,
    };
    let Some(results) = results else {
        return Err(Failure::general("the message is refused: its tag is wrong"));
    };
    let results = results.iter().map(|(name, bytes)| (name, hexadecimal(bytes)));
    if output.is_json() {
        let outputs: Map<String, Value> = results.map(|(name, text)| (name.clone(), json!(text))).collect();
        print_json(&json!({ "outputs": outputs }));
    } else {
        results.for_each(|(name, text)| print_line(&format!("{name}={text}")));
    }
    Ok(())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(name: &str, text: &str) -> Result<Vec<u8>, Failure> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
    match digits {
        Some(digits) if digits.len().is_multiple_of(2) => {
            Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
        }
        _ => Err(Failure::general(format!(
            "input `{name}`: `{text}` is no string of bytes, two hexadecimal digits each"
        ))),
    }
}
