//! Other texts of a block cipher.

use super::{BlockCipher, Bytes, ManifestError, NamedSlicing, Reader, RoundKeys};
use crate::messages;
use crate::order::Order;
use serde::Deserialize;
use toml::Spanned;
use usuba_ir::layout::Slicing;

/// A block cipher written another way, for slicings in which its first text is slow or does not exist: a table
/// `[[primitive.form]]`. It computes the same function of the same bytes; modes, key schedule and sizes are those of the
/// primitive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenForm {
    /// The slicings that it is for, best first.
    pub slicings: Vec<Slicing>,
    /// The node that encrypts a block.
    pub encrypt: String,
    /// The node that decrypts a block; there if the primitive has one.
    pub decrypt: Option<String>,
    /// How the words of a block, and of a tweak, lie in bytes.
    pub block_order: Order,
    /// How the bytes of the key schedule become the round keys that the nodes read.
    pub cipher_order: Order,
}

impl WrittenForm {
    /// The cipher with the nodes and orders of this form.
    pub(super) fn of(&self, cipher: &BlockCipher) -> BlockCipher {
        let in_order = |bytes: Bytes| Bytes { order: self.block_order, ..bytes };
        BlockCipher {
            encrypt: self.encrypt.clone(),
            decrypt: self.decrypt.clone(),
            block: in_order(cipher.block),
            tweak: cipher.tweak.map(in_order),
            round_keys: RoundKeys { cipher_order: self.cipher_order, ..cipher.round_keys },
            ..cipher.clone()
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Fields {
    slicings: Spanned<Vec<NamedSlicing>>,
    encrypt: Spanned<String>,
    decrypt: Option<Spanned<String>>,
    block_order: Order,
    cipher_order: Order,
}

impl Reader<'_> {
    /// A form. `both` is whether the primitive has two directions; `slicings` are those that it has so far.
    pub(super) fn form(
        &self,
        fields: Fields,
        both: bool,
        slicings: &mut Vec<Slicing>,
    ) -> Result<WrittenForm, ManifestError> {
        let of_form = self.slicings(&fields.slicings, slicings)?;
        slicings.extend(&of_form);
        match (&fields.decrypt, both) {
            (Some(decrypt), false) => {
                return Err(self.error(decrypt.span().start, messages::form_directions(true)));
            }
            (None, true) => {
                return Err(self.error(fields.encrypt.span().start, messages::form_directions(false)));
            }
            _ => {}
        }
        Ok(WrittenForm {
            slicings: of_form,
            encrypt: fields.encrypt.into_inner(),
            decrypt: fields.decrypt.map(Spanned::into_inner),
            block_order: fields.block_order,
            cipher_order: fields.cipher_order,
        })
    }
}
