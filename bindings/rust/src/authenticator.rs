//! Authenticators.

/// The type of an authenticator, with its key and the message so far.
macro_rules! mac {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, tag $tag:literal $tag_size:ident, context $words:literal,
     $init:ident, $update:ident, $finish:ident, $wipe:ident) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void, key: *const u8) -> core::ffi::c_int;
            fn $finish(context: *mut core::ffi::c_void, tag: *mut u8) -> core::ffi::c_int;
        }

        #[doc = concat!("The authenticator ", $text, ": keys of ", $key, " bytes, tags of ", $tag, ".")]
        ///
        /// See its specification for how often a key may be used: that of a one-time authenticator once. It is a
        /// [`Mac`](digest::Mac), whose `verify` compares tags in constant time. Key and message are overwritten when it is
        /// dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Mac = crate::raw::Mac {
                name: $text,
                key_bytes: $key,
                tag_bytes: $tag,
                context_words: $words,
                init: $init,
                update: $update,
                finish: $finish,
                wipe: $wipe,
                batch: None,
            };

            /// Bytes of a key.
            pub const KEY_BYTES: usize = $key;
            /// Bytes of a tag.
            pub const TAG_BYTES: usize = $tag;

            /// The tag of a message.
            pub fn tag(key: &[u8; $key], message: &[u8]) -> [u8; $tag] {
                let mut tag = [0; $tag];
                let mut mac = <Self as digest::KeyInit>::new(key.into());
                digest::Update::update(&mut mac, message);
                digest::FixedOutput::finalize_into(mac, (&mut tag).into());
                tag
            }

            /// Makes sure of the tag of a message, in a time that does not depend on the tag.
            ///
            /// # Errors
            /// [`Error::Tag`](crate::Error::Tag) if it is another one.
            pub fn verify(key: &[u8; $key], message: &[u8], tag: &[u8; $tag]) -> Result<(), crate::Error> {
                let mut mac = <Self as digest::KeyInit>::new(key.into());
                digest::Update::update(&mut mac, message);
                digest::Mac::verify(mac, tag.into()).map_err(|_| crate::Error::Tag)
            }
        }

        impl digest::common::KeySizeUser for $name {
            type KeySize = digest::consts::$key_size;
        }

        impl digest::KeyInit for $name {
            fn new(key: &digest::Key<Self>) -> Self {
                let mut context = crate::block::Context::new();
                // SAFETY: the key has the size that the C wants, and the context, too: the build has compared them.
                crate::error::ensure(unsafe { $init(context.get_mut(), key.as_ptr()) });
                $name { context }
            }
        }

        impl digest::OutputSizeUser for $name {
            type OutputSize = digest::consts::$tag_size;
        }

        impl digest::FixedOutput for $name {
            fn finalize_into(mut self, out: &mut digest::Output<Self>) {
                // SAFETY: the tag and the context have the sizes that the C wants.
                crate::error::ensure(unsafe { $finish(self.context.get_mut(), out.as_mut_ptr()) });
            }
        }

        impl digest::MacMarker for $name {}
    };
}

pub(crate) use mac;
