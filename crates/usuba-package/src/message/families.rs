//! What libraries have of each mode: its public functions, and what is said of them.

use crate::manifest::Mode;

/// A mode as a library has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// The mode.
    pub mode: Mode,
    /// What its functions take.
    pub shape: Shape,
    /// For each public function what follows the stem, and the name of the node in [`super::MODES`].
    pub functions: &'static [(&'static str, &'static str)],
    /// What it is, with its document.
    pub about: &'static str,
    /// What users must keep to, in sentences.
    pub rules: &'static str,
}

impl Family {
    /// Bytes of the nonce that users give to a mode which has one.
    pub fn usual_nonce(&self) -> u32 {
        // All but one take 12 bytes, beside others or not.
        if self.mode == Mode::Cofb { 16 } else { 12 }
    }
}

/// What the functions of a mode take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The context of the cipher and a block that is carried from call to call; after whole blocks calls continue each other.
    Chained(Carried),
    /// Two keys, and the number of a unit.
    Units,
    /// A key; a tag is made.
    Authenticator,
    /// A key and a nonce; a tag is made.
    NonceAuthenticator,
    /// A key, a nonce and associated data.
    Aead,
}

/// Which block continues a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    /// The last one of what is encrypted.
    Cipher,
    /// The sum of the last blocks of input and output.
    Keystream,
}

const DIRECTIONS_OF_CBC: [(&str, &str); 2] = [("encrypt", "cbc-encrypt"), ("decrypt", "cbc-decrypt")];
const DIRECTIONS_OF_CFB: [(&str, &str); 2] = [("encrypt", "cfb-encrypt"), ("decrypt", "cfb-decrypt")];
const DIRECTIONS_OF_CFB8: [(&str, &str); 2] = [("encrypt", "cfb8-encrypt"), ("decrypt", "cfb8-decrypt")];
const DIRECTIONS_OF_XTS: [(&str, &str); 2] = [("encrypt", "xts-encrypt"), ("decrypt", "xts-decrypt")];

/// One line each.
pub const FAMILIES: [Family; 12] = [
    Family {
        mode: Mode::Cbc,
        shape: Shape::Chained(Carried::Cipher),
        functions: &DIRECTIONS_OF_CBC,
        about: "cipher block chaining, SP 800-38A",
        rules: "Only whole blocks are taken; padding is left to the caller. The first vector of a message must not be \
                predictable.",
    },
    Family {
        mode: Mode::Cfb,
        shape: Shape::Chained(Carried::Cipher),
        functions: &DIRECTIONS_OF_CFB,
        about: "cipher feedback of whole blocks, SP 800-38A",
        rules: "The last block of a message may be shorter. The first vector of a message must not be used twice.",
    },
    Family {
        mode: Mode::Cfb8,
        shape: Shape::Chained(Carried::Cipher),
        functions: &DIRECTIONS_OF_CFB8,
        about: "cipher feedback of bytes, SP 800-38A",
        rules: "A block is encrypted for every byte. The first vector of a message must not be used twice.",
    },
    Family {
        mode: Mode::Ofb,
        shape: Shape::Chained(Carried::Keystream),
        functions: &[("xor", "ofb")],
        about: "output feedback, SP 800-38A",
        rules: "The last block of a message may be shorter. The first vector of a message must not be used twice.",
    },
    Family {
        mode: Mode::Xts,
        shape: Shape::Units,
        functions: &DIRECTIONS_OF_XTS,
        about: "sectors of a disk, IEEE 1619 and SP 800-38E",
        rules: "A unit has 16 bytes to 2^24. The two halves of a key must not be the same.",
    },
    Family {
        mode: Mode::Cmac,
        shape: Shape::Authenticator,
        functions: &[("compute", "cmac")],
        about: "an authenticator, SP 800-38B",
        rules: "A tag has one byte to a whole block; less than 8 bytes are for those who read appendix A.",
    },
    Family {
        mode: Mode::Gmac,
        shape: Shape::NonceAuthenticator,
        functions: &[("compute", "gmac")],
        about: "an authenticator, SP 800-38D",
        rules: "A nonce must not be used twice under one key; 12 bytes are usual, and any number but 0 is taken. A tag has 4, \
                8 or 12 to 16 bytes; 4 and 8 are for those who read appendix C.",
    },
    Family {
        mode: Mode::Gcm,
        shape: Shape::Aead,
        functions: &[("seal", "gcm-seal"), ("open", "gcm-open")],
        about: "authenticated encryption, SP 800-38D",
        rules: "A nonce must not be used twice under one key; 12 bytes are usual, and any number but 0 is taken. A tag has 4, \
                8 or 12 to 16 bytes; 4 and 8 are for those who read appendix C.",
    },
    Family {
        mode: Mode::GcmSiv,
        shape: Shape::Aead,
        functions: &[("seal", "gcm-siv-seal"), ("open", "gcm-siv-open")],
        about: "authenticated encryption, RFC 8452",
        rules: "A nonce has 12 bytes and should not be used twice under one key: if it is, only that messages are the same is \
                told. A tag has 16 bytes, a text at most 2^36.",
    },
    Family {
        mode: Mode::Ccm,
        shape: Shape::Aead,
        functions: &[("seal", "ccm-seal"), ("open", "ccm-open")],
        about: "authenticated encryption, SP 800-38C",
        rules: "A nonce has 7 to 13 bytes and must not be used twice under one key; the longer it is, the shorter messages \
                must be. A tag has 4, 6, 8, 10, 12, 14 or 16 bytes.",
    },
    Family {
        mode: Mode::Cofb,
        shape: Shape::Aead,
        functions: &[("seal", "cofb-seal"), ("open", "cofb-open")],
        about: "authenticated encryption, as in GIFT-COFB",
        rules: "A nonce has 16 bytes and must not be used twice under one key. A tag has 16 bytes.",
    },
    Family {
        mode: Mode::Ocb3,
        shape: Shape::Aead,
        functions: &[("seal", "ocb3-seal"), ("open", "ocb3-open")],
        about: "authenticated encryption, RFC 7253",
        rules: "A nonce has 1 to 15 bytes and must not be used twice under one key. A tag has 8, 12 or 16 bytes.",
    },
];

/// The family of a mode; engines have the others.
pub fn family(mode: Mode) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.mode == mode)
}
