//! The known answers of a cipher as lines for the programs in C: what is asked, the name, and fields in hexadecimal.

use crate::ciphers::Cipher;
use std::fmt;
use usuba_kit::known_answers::{Direction, Request};
use usuba_kit::manifest::{Construction, Function, Primitive, Scheme};

/// A known answer.
#[derive(Clone)]
pub struct Line {
    request: &'static str,
    name: String,
    fields: Vec<Vec<u8>>,
    /// Whether it is of a primitive that OpenSSL has a kind for.
    provided: bool,
}

impl Line {
    /// The same for the provider, with OpenSSL's name; nothing if OpenSSL has no such kind of thing.
    pub fn for_openssl(&self) -> Option<Line> {
        let name = match self.name.as_str() {
            "tdes-ede3" => "DES-EDE3".to_owned(),
            name => name.to_uppercase(),
        };
        self.provided.then(|| Line { name, ..self.clone() })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.request, self.name)?;
        for field in &self.fields {
            f.write_str(" ")?;
            if field.is_empty() {
                f.write_str("-")?;
            }
            field.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        Ok(())
    }
}

/// All known answers of the primitives and constructions of a cipher.
pub fn lines(cipher: &Cipher) -> Vec<Line> {
    let mut lines = Vec::new();
    for primitive in &cipher.manifest.primitives {
        let tests = cipher.tests(primitive);
        lines.extend(
            tests.into_iter().filter_map(|test| primitive_line(primitive, test.request, test.answer)),
        );
    }
    for construction in &cipher.manifest.constructions {
        lines.extend(construction_lines(cipher, construction));
    }
    lines
}

fn primitive_line(primitive: &Primitive, request: Request, answer: Vec<u8>) -> Option<Line> {
    let block_cipher = matches!(primitive.function, Function::BlockCipher(_));
    // OpenSSL knows no tweaks and no permutations, and has an AES of its own.
    let mut provided = block_cipher && !primitive.name.starts_with("aes-");
    let (request, fields) = match request {
        Request::Blocks { blocks, .. } if !block_cipher => ("permute", vec![blocks, answer]),
        Request::Blocks { key, tweak, direction, blocks } => {
            provided &= tweak.is_empty();
            let request = if direction == Direction::Forward { "encrypt" } else { "decrypt" };
            (request, vec![key, tweak, blocks, answer])
        }
        Request::Counter { key, counter, data } => ("counter", vec![key, counter, data, answer]),
        Request::Stream { key, nonce, counter, data } => {
            provided = true;
            ("stream", vec![key, nonce, counter.to_le_bytes().to_vec(), data, answer])
        }
        // Round keys are not to be seen, and an iteration is no call.
        Request::RoundKeys { .. } | Request::Chain { .. } => return None,
    };
    Some(Line { request, name: primitive.name.clone(), fields, provided })
}

fn construction_lines(cipher: &Cipher, construction: &Construction) -> Vec<Line> {
    let line =
        |request, fields, provided| Line { request, name: construction.name.clone(), fields, provided };
    let vectors = cipher.vectors(construction).into_iter();
    vectors
        .map(|vector| {
            assert!(vector.valid, "{}: these files have no vectors that must fail", vector.id);
            match construction.scheme {
                Scheme::Aead { .. } => {
                    let fields = vec![vector.key, vector.nonce, vector.ad, vector.input, vector.output];
                    line("aead", fields, true)
                }
                Scheme::Hash { .. } => line("hash", vec![vector.input, vector.output], true),
                // There is no parameter for a customization string.
                Scheme::Xof { customization_bytes } => {
                    let fields = vec![vector.customization, vector.input, vector.output];
                    line("xof", fields, customization_bytes.is_none())
                }
                Scheme::Mac { .. } => line("mac", vec![vector.key, vector.input, vector.output], true),
            }
        })
        .collect()
}
