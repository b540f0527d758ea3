//! Constructions: hashes, authenticators and authenticated encryption of messages of any length.
//!
//! | field | meaning |
//! |---|---|
//! | `name` | becomes part of C names, like that of a primitive: `ascon-aead128` makes `usuba_ascon_aead128_…` |
//! | `kind` | `aead`, `hash`, `xof` or `mac` |
//! | `text` | the Usuba text that it is made of, relative to the manifest |
//! | `seal`, `open` | the nodes of an `aead` |
//! | `node` | the node of a `hash`, an `xof` or a `mac` |
//! | `title`, `specification`, `rules` | what its header says |
//! | `over` | the permutations of this manifest that are computed for many messages at once; with `fast`, the primitives and earlier constructions whose functions it calls; nothing for one that stands alone |
//! | `fast` | C by hand of the functions that the text would become, which is used in its place |
//! | `functions` | with `fast`: further nodes of the text that it calls |
//! | `includes` | with `fast`: headers that only it includes; several constructions may name the same |
//! | `vectors` | files of known answers, relative to the manifest |
//! | `key-bytes`, `nonce-bytes`, `tag-bytes` | of an `aead`; without the nonce, of a `mac` |
//! | `digest-bytes` | of a `hash` |
//! | `customization-bytes` | of an `xof` that takes a customization string: the largest size of it |

use super::{ManifestError, Primitive, Reader};
use crate::messages;
use serde::Deserialize;
use std::fmt;
use toml::Spanned;

/// A hash, an authenticator or authenticated encryption.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Construction {
    /// The name, such as `ascon-aead128`.
    pub name: String,
    /// What it is, with its sizes.
    pub scheme: Scheme,
    /// What it is made of, and what its header says.
    pub text: Text,
    /// The names of the permutations that its lanes share, or of what its C by hand calls.
    pub over: Vec<String>,
    /// The paths of files of known answers, relative to the manifest.
    pub vectors: Vec<String>,
}

/// The Usuba text of a construction, and what its header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The path of the text, relative to the manifest.
    pub file: String,
    /// The nodes of the messages: those that seal and open, or that which makes a digest.
    pub nodes: Vec<String>,
    /// What it is.
    pub title: String,
    /// The document, with the section.
    pub specification: String,
    /// What users have to know: sentences.
    pub rules: String,
    /// C that is used in place of what the text becomes.
    pub fast: Option<Fast>,
}

/// C by hand that computes what a text says, with the functions that the text would become; all paths are relative to the
/// manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fast {
    /// The C, which becomes a part of the source of the construction.
    pub source: String,
    /// Headers that it includes.
    pub includes: Vec<String>,
    /// Further nodes of the text that it calls.
    pub functions: Vec<String>,
}

impl Construction {
    /// The name as part of a C identifier: `ascon_aead128`.
    pub fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// The kinds of constructions with their sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Authenticated encryption with associated data; the ciphertext has the size of the plaintext, the tag is apart.
    Aead {
        /// The key.
        key_bytes: u32,
        /// The nonce.
        nonce_bytes: u32,
        /// The tag.
        tag_bytes: u32,
    },
    /// A hash function.
    Hash {
        /// The digest.
        digest_bytes: u32,
    },
    /// A hash function with output of any size.
    Xof {
        /// The largest customization string, if it takes one.
        customization_bytes: Option<u32>,
    },
    /// A message authentication code.
    Mac {
        /// The key.
        key_bytes: u32,
        /// The tag.
        tag_bytes: u32,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Aead,
    Hash,
    Xof,
    Mac,
}

impl Kind {
    /// The fields of this kind that others do not have.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Kind::Aead => &["seal", "open", "key-bytes", "nonce-bytes", "tag-bytes"],
            Kind::Hash => &["node", "digest-bytes"],
            Kind::Xof => &["node", "customization-bytes"],
            Kind::Mac => &["node", "key-bytes", "tag-bytes"],
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Aead => "aead",
            Kind::Hash => "hash",
            Kind::Xof => "xof",
            Kind::Mac => "mac",
        })
    }
}

/// The table `[[construction]]` as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Fields {
    name: Spanned<String>,
    kind: Kind,
    text: Spanned<String>,
    seal: Option<Spanned<String>>,
    open: Option<Spanned<String>>,
    node: Option<Spanned<String>>,
    title: String,
    specification: String,
    rules: String,
    fast: Option<Spanned<String>>,
    #[serde(default)]
    functions: Vec<Spanned<String>>,
    #[serde(default)]
    includes: Vec<Spanned<String>>,
    over: Vec<Spanned<String>>,
    #[serde(default)]
    vectors: Vec<Spanned<String>>,
    key_bytes: Option<Spanned<u32>>,
    nonce_bytes: Option<Spanned<u32>>,
    tag_bytes: Option<Spanned<u32>>,
    digest_bytes: Option<Spanned<u32>>,
    customization_bytes: Option<Spanned<u32>>,
}

impl Reader<'_> {
    /// All constructions of a manifest, whose primitives are known.
    pub(super) fn constructions(
        &self,
        tables: Vec<Fields>,
        primitives: &[Primitive],
    ) -> Result<Vec<Construction>, ManifestError> {
        let mut constructions: Vec<Construction> = Vec::new();
        for fields in tables {
            self.check_name("a construction", &fields.name)?;
            let name = fields.name.get_ref();
            let mut known: Vec<&str> = primitives.iter().map(|primitive| primitive.name.as_str()).collect();
            known.extend(constructions.iter().map(|construction| construction.name.as_str()));
            if known.contains(&name.as_str()) {
                let message = messages::twice("the primitive or construction", name);
                return Err(self.error(fields.name.span().start, message));
            }
            for (number, over) in fields.over.iter().enumerate() {
                if !known.contains(&over.get_ref().as_str()) {
                    let message = messages::no_foundation(over.get_ref(), &known);
                    return Err(self.error(over.span().start, message));
                }
                if fields.over.iter().take(number).any(|other| other.get_ref() == over.get_ref()) {
                    let message = messages::twice("the name", over.get_ref());
                    return Err(self.error(over.span().start, message));
                }
            }
            constructions.push(self.construction(fields)?);
        }
        Ok(constructions)
    }

    fn construction(&self, fields: Fields) -> Result<Construction, ManifestError> {
        let paths = std::iter::once(&fields.text).chain(&fields.fast);
        for path in paths.chain(&fields.includes).chain(&fields.vectors) {
            self.check_path(path)?;
        }
        let place = fields.name.span().start;
        let kind = fields.kind;
        let belongs = |name: &str, place: usize| match kind.fields().contains(&name) {
            true => Ok(()),
            false => Err(self.error(place, messages::foreign_construction_field(kind, name, kind.fields()))),
        };
        for (name, field) in [("seal", &fields.seal), ("open", &fields.open), ("node", &fields.node)] {
            if let Some(field) = field {
                belongs(name, field.span().start)?;
            }
        }
        for (name, field) in [
            ("key-bytes", &fields.key_bytes),
            ("nonce-bytes", &fields.nonce_bytes),
            ("tag-bytes", &fields.tag_bytes),
            ("digest-bytes", &fields.digest_bytes),
            ("customization-bytes", &fields.customization_bytes),
        ] {
            let Some(field) = field else { continue };
            belongs(name, field.span().start)?;
            self.check_size(name, *field.get_ref(), field.span().start)?;
        }
        let size = |field: &Option<Spanned<u32>>, name: &str, meaning: &str| {
            field
                .as_ref()
                .map(|field| *field.get_ref())
                .ok_or_else(|| self.error(place, messages::missing_construction_field(kind, name, meaning)))
        };
        let key = || size(&fields.key_bytes, "key-bytes", "the size of a key");
        let tag = || size(&fields.tag_bytes, "tag-bytes", "the size of a tag");
        let scheme = match kind {
            Kind::Aead => Scheme::Aead {
                key_bytes: key()?,
                nonce_bytes: size(&fields.nonce_bytes, "nonce-bytes", "the size of a nonce")?,
                tag_bytes: tag()?,
            },
            Kind::Hash => Scheme::Hash {
                digest_bytes: size(&fields.digest_bytes, "digest-bytes", "the size of a digest")?,
            },
            Kind::Xof => Scheme::Xof {
                customization_bytes: fields.customization_bytes.as_ref().map(|field| *field.get_ref()),
            },
            Kind::Mac => Scheme::Mac { key_bytes: key()?, tag_bytes: tag()? },
        };
        let texts = |list: Vec<Spanned<String>>| list.into_iter().map(Spanned::into_inner).collect();
        let node = |field: &Option<Spanned<String>>, name: &str| {
            let field = field.as_ref().map(|field| field.get_ref().clone());
            field.ok_or_else(|| {
                self.error(place, messages::missing_construction_field(kind, name, "the node of a message"))
            })
        };
        let mut of_fast = fields.includes.iter().chain(&fields.functions);
        if let (Some(other), None) = (of_fast.next(), &fields.fast) {
            return Err(self.error(other.span().start, messages::without_fast()));
        }
        let nodes = match kind {
            Kind::Aead => vec![node(&fields.seal, "seal")?, node(&fields.open, "open")?],
            _ => vec![node(&fields.node, "node")?],
        };
        let text = Text {
            file: fields.text.into_inner(),
            nodes,
            title: fields.title,
            specification: fields.specification,
            rules: fields.rules,
            fast: fields.fast.map(|source| Fast {
                source: source.into_inner(),
                includes: texts(fields.includes),
                functions: texts(fields.functions),
            }),
        };
        Ok(Construction {
            name: fields.name.into_inner(),
            scheme,
            text,
            over: texts(fields.over),
            vectors: texts(fields.vectors),
        })
    }
}
