//! Authenticators that take a nonce for each message: GMAC.

/// The type of a key for an authenticator with nonces.
macro_rules! nonce_mac {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, nonce $nonce:literal, tag $tag:literal $tag_size:ident,
     context $words:literal, $init:ident, $wipe:ident, $compute:ident) => {
        unsafe extern "C" {
            fn $compute(
                context: *const core::ffi::c_void, tag: *mut u8, tag_bytes: usize, nonce: *const u8, nonce_bytes: usize,
                input: *const u8, length: usize,
            ) -> core::ffi::c_int;
        }

        #[doc = concat!("A key for ", $text, ", of ", $key, " bytes; tags have ", $tag, ", and ", $nonce,
                        " bytes are usual for a nonce.")]
        ///
        /// A nonce must not be used twice under one key: who sees two tags under one can forge others. It may have any number of
        /// bytes but none. What was made of the key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        crate::chained::mode_key!($name, $text, key $key $key_size, context $words, $init, $wipe);

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::NonceMac = crate::raw::NonceMac {
                name: $text,
                key_bytes: $key,
                nonce_bytes: $nonce,
                tag_bytes: $tag,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                compute: $compute,
            };

            /// Bytes of a tag.
            pub const TAG_BYTES: usize = $tag;
            /// Bytes of the usual nonce.
            pub const NONCE_BYTES: usize = $nonce;

            /// The tag of a message.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if the nonce has no bytes.
            pub fn tag(&self, nonce: &[u8], message: &[u8]) -> Result<[u8; $tag], crate::Error> {
                let mut tag = [0; $tag];
                // SAFETY: tag, nonce and message have their lengths; the context was initialised.
                crate::Error::check(unsafe {
                    $compute(
                        self.context.get(),
                        tag.as_mut_ptr(),
                        $tag,
                        nonce.as_ptr(),
                        nonce.len(),
                        message.as_ptr(),
                        message.len(),
                    )
                })?;
                Ok(tag)
            }

            /// Makes sure of the tag of a message, in a time that does not depend on the tag.
            ///
            /// # Errors
            /// [`Error::Tag`](crate::Error::Tag) if it is another one; as [`tag`](Self::tag).
            pub fn verify(&self, nonce: &[u8], message: &[u8], tag: &[u8; $tag]) -> Result<(), crate::Error> {
                let output = |tag: [u8; $tag]| digest::CtOutput::<Self>::new(tag.into());
                match output(self.tag(nonce, message)?) == output(*tag) {
                    true => Ok(()),
                    false => Err(crate::Error::Tag),
                }
            }
        }

        impl digest::OutputSizeUser for $name {
            type OutputSize = digest::consts::$tag_size;
        }
    };
}

pub(crate) use nonce_mac;
