//! Block ciphers of a manifest.

use super::{Bytes, Fields, ManifestError, Mode, Need, Schedule};
use crate::messages;
use crate::order::Order;
use serde::Deserialize;
use std::borrow::Cow;
use toml::Spanned;
use usuba_ir::layout::Slicing;
use usuba_target::Target;

/// A block cipher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCipher {
    /// The node that encrypts a block.
    pub encrypt: String,
    /// The node that decrypts a block.
    pub decrypt: Option<String>,
    /// The node that makes of round keys those under which encryption decrypts, compiled in the slicing of the schedule. Engines of
    /// such a cipher encrypt only.
    pub decryption_keys: Option<String>,
    /// The key schedule; without one the nodes take the key, and what they compute of it alone is done once a key.
    pub schedule: Option<Schedule>,
    /// The block.
    pub block: Bytes,
    /// The key.
    pub key: Bytes,
    /// The tweak, one for each block, of a tweakable cipher.
    pub tweak: Option<Bytes>,
    /// The round keys; without a schedule the key.
    pub round_keys: RoundKeys,
    /// The cipher once more, on blocks of sixteen bytes.
    pub packed: Option<Nodes>,
    /// Nodes on words, of which `v` is made.
    pub words: Option<Nodes>,
    /// The modes to build.
    pub modes: Vec<Mode>,
}

/// Nodes that compute what `encrypt` and `decrypt` do, of the block and the same round keys as bytes: on blocks of sixteen of them,
/// one after another in a parameter, or on words.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// The node that encrypts a block.
    pub encrypt: String,
    /// The node that decrypts a block, if engines have one.
    pub decrypt: Option<String>,
}

/// The round keys as bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RoundKeys {
    /// Their size, all together.
    pub bytes: u32,
    /// How the words of the schedule's output become bytes.
    pub schedule_order: Order,
    /// How these bytes become the words of the cipher's input.
    pub cipher_order: Order,
}

impl BlockCipher {
    /// The cipher as it is compiled in a slicing for a target, or for none in particular: on blocks, or on words, where it has
    /// nodes for these. With nodes on blocks, those on words are for general-purpose registers.
    pub fn in_slicing(&self, slicing: Slicing, target: Option<&Target>) -> Cow<'_, BlockCipher> {
        let own = match slicing {
            Slicing::BLOCKS => self.packed.as_ref(),
            Slicing::V => (self.words.as_ref())
                .filter(|_| self.packed.is_none() || target.is_some_and(|target| target.single_lane)),
            _ => None,
        };
        let Some(own) = own else { return Cow::Borrowed(self) };
        // Bytes as they stand: words are bytes, or begin with the first one.
        let block = Bytes { order: Order::Big, ..self.block };
        let round_keys = RoundKeys { cipher_order: Order::Big, ..self.round_keys };
        let Nodes { encrypt, decrypt } = own.clone();
        Cow::Owned(BlockCipher { encrypt, decrypt, block, round_keys, ..self.clone() })
    }

    /// The node that engines decrypt with; none if they encrypt under other round keys for that, or if the cipher decrypts nothing.
    pub fn decrypt_of_engines(&self) -> Option<&String> {
        self.decrypt.as_ref().filter(|_| self.decryption_keys.is_none())
    }

    /// The cipher as its key schedule sees it where bytes have become planes of bits; `None` if they are planes already.
    pub fn scheduled_in_planes(&self) -> Option<BlockCipher> {
        let key = Bytes { order: self.key.order.in_planes()?, ..self.key };
        let schedule_order = self.round_keys.schedule_order.in_planes()?;
        Some(BlockCipher { key, round_keys: RoundKeys { schedule_order, ..self.round_keys }, ..self.clone() })
    }
}

impl Need<'_> {
    /// A block cipher of a manifest, compiled in these slicings.
    pub(super) fn block_cipher(
        &self,
        fields: &mut Fields,
        slicings: &[Slicing],
    ) -> Result<BlockCipher, ManifestError> {
        let error = |at: usize, message: String| self.reader.error(at, message);
        if fields.schedule.is_some() != fields.round_keys.is_some() {
            let without = if fields.schedule.is_some() { "round-keys" } else { "schedule" };
            return Err(error(self.at, messages::half_a_schedule(without)));
        }
        if let Some(keys) = &fields.decryption_keys {
            let missing = [("decrypt", fields.decrypt.is_none()), ("schedule", fields.schedule.is_none())];
            if let Some((missing, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
                return Err(error(keys.span().start, messages::decryption_keys_without(missing)));
            }
        }
        let schedule = match fields.schedule.take() {
            Some(schedule) => {
                Some(self.schedule(Some(schedule), "schedule", "{ node, slicing } of the key schedule")?)
            }
            None => None,
        };
        if let Some(spanned) = &fields.round_keys {
            self.reader.check_size("round-keys", spanned.get_ref().bytes, spanned.span().start)?;
        }
        let modes = self.modes(fields)?;
        self.check_nodes(fields, slicings)?;
        let key = self.bytes(fields.key.take(), "key")?;
        let round_keys = fields.round_keys.take().map_or(
            RoundKeys { bytes: key.bytes, schedule_order: key.order, cipher_order: key.order },
            Spanned::into_inner,
        );
        Ok(BlockCipher {
            encrypt: self.field(fields.encrypt.take(), "encrypt", "the node that encrypts")?,
            decrypt: fields.decrypt.take().map(Spanned::into_inner),
            decryption_keys: fields.decryption_keys.take().map(Spanned::into_inner),
            schedule,
            block: self.bytes(fields.block.take(), "block")?,
            key,
            tweak: fields.tweak.take().map(Spanned::into_inner),
            round_keys,
            packed: fields.packed.take().map(Spanned::into_inner),
            words: fields.words.take().map(Spanned::into_inner),
            modes,
        })
    }

    /// The modes, which go with each other and with the tweak.
    fn modes(&self, fields: &mut Fields) -> Result<Vec<Mode>, ManifestError> {
        let error = |at: usize, message: String| self.reader.error(at, message);
        if let Some(modes) = fields.modes.as_ref().filter(|modes| modes.get_ref().is_empty()) {
            let message = messages::empty("modes", "name at least one, such as `ecb`");
            return Err(error(modes.span().start, message));
        }
        let modes = fields.modes.take().map(Spanned::into_inner).unwrap_or_else(|| vec![Mode::Ecb]);
        for (number, mode) in modes.iter().enumerate() {
            if modes.iter().take(number).any(|other| other == mode) {
                return Err(error(self.at, messages::twice("the mode", mode)));
            }
        }
        let message = modes.iter().find(|mode| !mode.is_of_engines());
        if let Some(mode) = message.filter(|_| !modes.contains(&Mode::Ecb)) {
            return Err(error(self.at, messages::message_without_blocks(mode)));
        }
        if let Some(tweak) = &fields.tweak {
            let Bytes { bytes, .. } = *tweak.get_ref();
            self.reader.check_size("tweak", bytes, tweak.span().start)?;
            // Blocks go to instances in an order that depends on whether they have 8 bytes.
            let of_block = fields.block.as_ref().map_or(bytes, |block| block.get_ref().bytes);
            if (bytes == 8) != (of_block == 8) {
                return Err(error(tweak.span().start, messages::bad_tweak(bytes, of_block)));
            }
            if modes.contains(&Mode::Ctr) {
                return Err(error(self.at, messages::tweak_and_counter()));
            }
            if let Some(mode) = message {
                return Err(error(self.at, messages::tweak_and_message(mode)));
            }
        }
        Ok(modes)
    }

    /// Nodes on blocks and on words: there is a slicing for them, and they have the directions of engines.
    fn check_nodes(&self, fields: &Fields, slicings: &[Slicing]) -> Result<(), ManifestError> {
        let engines_decrypt = fields.decrypt.is_some() && fields.decryption_keys.is_none();
        let direction = |name: &'static str, nodes: &Nodes| {
            let decrypts = nodes.decrypt.is_some();
            let by_keys = fields.decryption_keys.is_some();
            (decrypts != engines_decrypt).then(|| messages::direction_of_nodes(name, decrypts, by_keys))
        };
        if let Some(packed) = &fields.packed {
            let message = if fields.block.as_ref().is_some_and(|block| block.get_ref().bytes != 16) {
                Some(messages::packed_blocks())
            } else if fields.tweak.is_some() {
                Some(messages::packed_tweak())
            } else if !slicings.contains(&Slicing::BLOCKS) {
                Some(messages::packed_slicing())
            } else {
                direction("packed", packed.get_ref())
            };
            if let Some(message) = message {
                return Err(self.reader.error(packed.span().start, message));
            }
        }
        if let Some(words) = &fields.words {
            let message = if fields.tweak.is_some() {
                Some(messages::words_tweak())
            } else if !slicings.contains(&Slicing::V) {
                Some(messages::words_slicing())
            } else {
                direction("words", words.get_ref())
            };
            if let Some(message) = message {
                return Err(self.reader.error(words.span().start, message));
            }
        }
        Ok(())
    }
}
