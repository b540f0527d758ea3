//! Permutations.

/// The type of a permutation, which has no values: its functions are called by its name.
macro_rules! permutation {
    ($name:ident, $text:literal, state $state:literal, $permute:ident) => {
        unsafe extern "C" {
            fn $permute(states: *mut u8, count: usize) -> core::ffi::c_int;
        }

        #[doc = concat!("The permutation ", $text, " of states of ", $state, " bytes.")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Permutation =
                crate::raw::Permutation { name: $text, state_bytes: $state, permute: $permute };

            /// Bytes of a state.
            pub const STATE_BYTES: usize = $state;

            /// Replaces each of the states by its image. Many at a time are faster.
            pub fn permute(states: &mut [[u8; $state]]) {
                // SAFETY: the pointer is to so many states.
                crate::error::ensure(unsafe { $permute(states.as_mut_ptr().cast(), states.len()) });
            }

            /// Replaces each of the states, one after another in `bytes`, by its image.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if the number of bytes is no multiple of a state's; then nothing
            /// has changed.
            pub fn permute_bytes(bytes: &mut [u8]) -> Result<(), crate::Error> {
                match bytes.as_chunks_mut() {
                    (states, []) => Ok($name::permute(states)),
                    _ => Err(crate::Error::Length),
                }
            }
        }
    };
}

pub(crate) use permutation;
