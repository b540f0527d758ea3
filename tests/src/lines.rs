//! The known answers of a cipher as lines for the programs in C: what is asked, the name, and fields in hexadecimal.

use crate::ciphers::Cipher;
use crate::mode_lines::mode_lines;
use crate::wycheproof::{Case, OfConstruction};
use std::fmt;
use usuba_package::manifest::{Construction, Function, Primitive, Scheme};
use usuba_trial::known_answers::{CipherFunction, Request};

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
    /// Whether it can be asked of the table, whose functions know no other sizes than those of the primitive.
    pub fn for_table(&self) -> bool {
        self.request != "impossible"
    }

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

/// Chains that tests ask: all but those of a million.
pub const USUAL_CHAINS: u32 = 1000;

/// All known answers of the primitives and constructions of a cipher, with chains of at most `longest` applications, and
/// Wycheproof's cases.
pub fn lines(cipher: &Cipher, longest: u32) -> Vec<Line> {
    let mut lines = Vec::new();
    for primitive in &cipher.manifest.primitives {
        let tests = cipher.tests(primitive);
        let asked = tests.into_iter().filter(|test| match test.request {
            Request::Chain { iterations, .. } => iterations <= longest,
            _ => true,
        });
        lines.extend(asked.filter_map(|test| primitive_line(primitive, test.request, test.answer)));
        let modes = mode_lines(cipher, primitive).into_iter();
        lines.extend(modes.map(|(request, name, fields)| Line { request, name, fields, provided: false }));
    }
    for construction in &cipher.manifest.constructions {
        lines.extend(construction_lines(cipher, construction));
        if let Some(known) = OfConstruction::named(&construction.name) {
            lines.extend(known.cases().into_iter().map(|case| wycheproof_line(construction, known, case)));
        }
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
            let request = if direction == CipherFunction::Forward { "encrypt" } else { "decrypt" };
            (request, vec![key, tweak, blocks, answer])
        }
        Request::Counter { key, counter, data } => ("counter", vec![key, counter, data, answer]),
        Request::Stream { key, nonce, counter, data } => {
            provided = true;
            ("stream", vec![key, nonce, counter.to_le_bytes().to_vec(), data, answer])
        }
        Request::Chain { key, iterations, block } => {
            ("chain", vec![key, block, iterations.to_le_bytes().to_vec(), answer])
        }
        // They are not to be seen.
        Request::RoundKeys { .. } => return None,
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
                    line("aead", fields, is_provided(construction))
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

/// Authentic, to be refused, or to be refused for the size of its nonce.
fn wycheproof_line(construction: &Construction, known: &OfConstruction, case: Case) -> Line {
    let sealed = [&case.cipher[..], &case.tag].concat();
    let (request, fields) = match (case.valid, known.fits(&case)) {
        (true, _) => ("aead", vec![case.key, case.nonce, case.ad, case.plain, sealed]),
        (false, fits) => {
            let request = if fits { "refused" } else { "impossible" };
            (request, vec![case.key, case.nonce, case.ad, sealed])
        }
    };
    Line { request, name: construction.name.clone(), fields, provided: is_provided(construction) }
}

/// Whether OpenSSL has room for its nonces.
fn is_provided(construction: &Construction) -> bool {
    !matches!(construction.scheme, Scheme::Aead { nonce_bytes, .. } if nonce_bytes > 16)
}
