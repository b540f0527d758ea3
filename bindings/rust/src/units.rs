//! Encryption of units of storage, which have numbers: XTS.

/// The type of a key for a mode of units.
macro_rules! units {
    ($name:ident, $text:literal, key $key:literal $key_size:ident, unit $unit:literal, context $words:literal, $init:ident,
     $wipe:ident, encrypt $encrypt:ident, decrypt $decrypt:ident) => {
        unsafe extern "C" {
            fn $encrypt(
                context: *const core::ffi::c_void, unit: *const u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;
            fn $decrypt(
                context: *const core::ffi::c_void, unit: *const u8, out: *mut u8, input: *const u8, length: usize,
            ) -> core::ffi::c_int;
        }

        #[doc = concat!("A key for ", $text, ", of ", $key, " bytes: one for blocks, then one for the numbers of units. These have ",
                        $unit, " bytes, the least significant first.")]
        ///
        /// A unit has a block or more, and by the standard at most 2^24 bytes; the two halves of a key must not be the same. Nothing
        /// tells whether data were changed. What was made of the key is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        crate::chained::mode_key!($name, $text, key $key $key_size, context $words, $init, $wipe);

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::UnitMode = crate::raw::UnitMode {
                name: $text,
                key_bytes: $key,
                unit_bytes: $unit,
                context_words: $words,
                init: $init,
                wipe: $wipe,
                encrypt: $encrypt,
                decrypt: $decrypt,
            };

            /// Bytes of the number of a unit.
            pub const UNIT_BYTES: usize = $unit;

            /// The number of a unit as its bytes.
            fn unit(number: u128) -> [u8; $unit] {
                number.to_le_bytes()
            }

            /// Encrypts the unit of this number in place.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if it is shorter than a block; then nothing has changed.
            pub fn encrypt_unit(&self, number: u128, data: &mut [u8]) -> Result<(), crate::Error> {
                let unit = Self::unit(number);
                // SAFETY: the number has its bytes, the others so many; the context was initialised.
                crate::chained::in_place(1, data, |out, input, length| unsafe {
                    $encrypt(self.context.get(), unit.as_ptr(), out, input, length)
                })
            }

            /// Encrypts the unit of this number from `input` to `out`.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) also if they are not equally long; else as
            /// [`encrypt_unit`](Self::encrypt_unit).
            pub fn encrypt_unit_to(&self, number: u128, input: &[u8], out: &mut [u8]) -> Result<(), crate::Error> {
                let unit = Self::unit(number);
                // SAFETY: as above, and both are apart.
                crate::chained::apart(1, input, out, |out, input, length| unsafe {
                    $encrypt(self.context.get(), unit.as_ptr(), out, input, length)
                })
            }

            /// Decrypts the unit of this number in place.
            ///
            /// # Errors
            /// As [`encrypt_unit`](Self::encrypt_unit).
            pub fn decrypt_unit(&self, number: u128, data: &mut [u8]) -> Result<(), crate::Error> {
                let unit = Self::unit(number);
                // SAFETY: the number has its bytes, the others so many; the context was initialised.
                crate::chained::in_place(1, data, |out, input, length| unsafe {
                    $decrypt(self.context.get(), unit.as_ptr(), out, input, length)
                })
            }

            /// Decrypts the unit of this number from `input` to `out`.
            ///
            /// # Errors
            /// As [`encrypt_unit_to`](Self::encrypt_unit_to).
            pub fn decrypt_unit_to(&self, number: u128, input: &[u8], out: &mut [u8]) -> Result<(), crate::Error> {
                let unit = Self::unit(number);
                // SAFETY: as above, and both are apart.
                crate::chained::apart(1, input, out, |out, input, length| unsafe {
                    $decrypt(self.context.get(), unit.as_ptr(), out, input, length)
                })
            }
        }
    };
}

pub(crate) use units;
