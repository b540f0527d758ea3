//! Authenticated ciphers.

/// The type of an authenticated cipher, with its key.
macro_rules! aead {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, nonce $nonce:literal $nonce_size:ident,
     tag $tag:literal $tag_size:ident, $seal:ident, $open:ident) => {
        unsafe extern "C" {
            fn $seal(
                out: *mut u8,
                tag: *mut u8,
                key: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            fn $open(
                out: *mut u8,
                tag: *const u8,
                key: *const u8,
                nonce: *const u8,
                ad: *const u8,
                ad_length: usize,
                input: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
        }

        #[doc = concat!("The authenticated cipher ", $text, ": keys of ", $key, " bytes, nonces of ", $nonce, ", tags of ",
                        $tag, ".")]
        ///
        /// A nonce must not be used twice under one key. The key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            key: cipher::Key<Self>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Aead = crate::raw::Aead {
                name: $text,
                key_bytes: $key,
                nonce_bytes: $nonce,
                tag_bytes: $tag,
                seal: $seal,
                open: $open,
            };
        }

        impl cipher::KeySizeUser for $name {
            type KeySize = cipher::consts::$key_size;
        }

        impl cipher::KeyInit for $name {
            fn new(key: &cipher::Key<Self>) -> Self {
                $name { key: key.clone() }
            }
        }

        impl aead::AeadCore for $name {
            type NonceSize = cipher::consts::$nonce_size;
            type TagSize = cipher::consts::$tag_size;
            const TAG_POSITION: aead::TagPosition = aead::TagPosition::Postfix;
        }

        impl aead::AeadInOut for $name {
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: cipher::InOutBuf<'_, '_, u8>,
            ) -> aead::Result<aead::Tag<Self>> {
                let mut tag = aead::Tag::<Self>::default();
                let length = buffer.len();
                let (input, out) = buffer.into_raw();
                // SAFETY: all have their lengths, and output overlaps nothing but perhaps the whole input, as an `InOutBuf`
                // guarantees.
                let result = unsafe {
                    $seal(
                        out,
                        tag.as_mut_ptr(),
                        self.key.as_ptr(),
                        nonce.as_ptr(),
                        associated_data.as_ptr(),
                        associated_data.len(),
                        input,
                        length,
                    )
                };
                crate::Error::check(result).map_err(|_| aead::Error)?;
                Ok(tag)
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: cipher::InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> aead::Result<()> {
                let length = buffer.len();
                let (input, out) = buffer.into_raw();
                // SAFETY: as in encryption; the tag is only read.
                let result = unsafe {
                    $open(
                        out,
                        tag.as_ptr(),
                        self.key.as_ptr(),
                        nonce.as_ptr(),
                        associated_data.as_ptr(),
                        associated_data.len(),
                        input,
                        length,
                    )
                };
                crate::Error::check(result).map_err(|_| aead::Error)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                zeroize::Zeroize::zeroize(&mut self.key[..]);
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use aead;
