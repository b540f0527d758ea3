//! Hash functions and extendable-output functions.

/// The type of a hash function, with the message so far.
macro_rules! hash {
    ($name:ident, $text:literal, digest $digest:literal $digest_size:ident, context $words:literal, $init:ident,
     $update:ident, $finish:ident, $wipe:ident) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void) -> core::ffi::c_int;
            fn $finish(context: *mut core::ffi::c_void, digest: *mut u8) -> core::ffi::c_int;
        }

        #[doc = concat!("The hash function ", $text, ": digests of ", $digest, " bytes.")]
        ///
        /// What it has seen is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Hash = crate::raw::Hash {
                name: $text,
                digest_bytes: $digest,
                context_words: $words,
                init: $init,
                update: $update,
                finish: $finish,
                wipe: $wipe,
            };
        }

        crate::hash::beginning!($name, $init);

        impl digest::OutputSizeUser for $name {
            type OutputSize = digest::consts::$digest_size;
        }

        impl digest::FixedOutput for $name {
            fn finalize_into(mut self, out: &mut digest::Output<Self>) {
                digest::FixedOutputReset::finalize_into_reset(&mut self, out);
            }
        }

        impl digest::FixedOutputReset for $name {
            fn finalize_into_reset(&mut self, out: &mut digest::Output<Self>) {
                // SAFETY: the digest and the context have the sizes that the C wants.
                crate::error::ensure(unsafe { $finish(self.context.get_mut(), out.as_mut_ptr()) });
                digest::Reset::reset(self);
            }
        }

        impl digest::HashMarker for $name {}
    };
}

/// The type of an extendable-output function, with the message so far.
macro_rules! xof {
    ($name:ident, $reader:ident, $text:literal, context $words:literal, $init:ident, $update:ident, $squeeze:ident,
     $wipe:ident) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void) -> core::ffi::c_int;
        }

        #[doc = concat!("The extendable-output function ", $text, ".")]
        ///
        /// What it has seen is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::Xof = crate::raw::Xof {
                name: $text,
                context_words: $words,
                init: $init,
                update: $update,
                squeeze: $squeeze,
                wipe: $wipe,
            };
        }

        crate::hash::beginning!($name, $init);
        crate::hash::squeezing!($name, $reader, $words, $squeeze, $wipe);
    };
}

/// The type of an extendable-output function whose messages have a customization string.
macro_rules! custom_xof {
    ($name:ident, $reader:ident, $text:literal, context $words:literal, customization $limit:literal, $init:ident,
     $update:ident, $squeeze:ident, $wipe:ident) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(
                context: *mut core::ffi::c_void,
                customization: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
        }

        #[doc = concat!("The extendable-output function ", $text, ", customized by a string of at most ", $limit, " bytes.")]
        ///
        /// What it has seen is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl digest::TryCustomizedInit for $name {
            type Error = crate::Error;

            fn try_new_customized(customization: &[u8]) -> Result<Self, crate::Error> {
                let mut new = $name { context: crate::block::Context::new() };
                let (string, length) = (customization.as_ptr(), customization.len());
                // SAFETY: the context has the size that the C wants, the string its length.
                crate::Error::check(unsafe { $init(new.context.get_mut(), string, length) })?;
                Ok(new)
            }
        }

        crate::hash::squeezing!($name, $reader, $words, $squeeze, $wipe);
    };
}

/// What adds to a message.
macro_rules! absorbing {
    ($name:ident, $text:literal, $words:literal, $update:ident, $wipe:ident) => {
        unsafe extern "C" {
            fn $update(context: *mut core::ffi::c_void, input: *const u8, length: usize) -> core::ffi::c_int;
            fn $wipe(context: *mut core::ffi::c_void);
        }

        impl digest::Update for $name {
            fn update(&mut self, data: &[u8]) {
                // SAFETY: the context was initialised, and the data have their length.
                let result = unsafe { $update(self.context.get_mut(), data.as_ptr(), data.len()) };
                crate::error::ensure(result);
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the context has the size that the C wants.
                unsafe { $wipe(self.context.get_mut()) }
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        impl cipher::AlgorithmName for $name {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($text)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// What begins a message without arguments.
macro_rules! beginning {
    ($name:ident, $init:ident) => {
        impl Default for $name {
            fn default() -> Self {
                let mut new = $name { context: crate::block::Context::new() };
                digest::Reset::reset(&mut new);
                new
            }
        }

        impl digest::Reset for $name {
            fn reset(&mut self) {
                // SAFETY: the context has the size that the C wants.
                crate::error::ensure(unsafe { $init(self.context.get_mut()) });
            }
        }
    };
}

/// What ends a message and writes any number of bytes.
macro_rules! squeezing {
    ($name:ident, $reader:ident, $words:literal, $squeeze:ident, $wipe:ident) => {
        unsafe extern "C" {
            fn $squeeze(context: *mut core::ffi::c_void, out: *mut u8, length: usize) -> core::ffi::c_int;
        }

        #[doc = concat!("The output of [`", stringify!($name), "`].")]
        #[derive(Clone)]
        pub struct $reader {
            context: crate::block::Context<$words>,
        }

        impl digest::ExtendableOutput for $name {
            type Reader = $reader;

            fn finalize_xof(self) -> $reader {
                $reader { context: self.context.clone() }
            }
        }

        impl digest::XofReader for $reader {
            fn read(&mut self, buffer: &mut [u8]) {
                // SAFETY: the context was initialised, and the buffer has its length.
                let result = unsafe { $squeeze(self.context.get_mut(), buffer.as_mut_ptr(), buffer.len()) };
                crate::error::ensure(result);
            }
        }

        impl Drop for $reader {
            fn drop(&mut self) {
                // SAFETY: the context has the size that the C wants.
                unsafe { $wipe(self.context.get_mut()) }
            }
        }

        impl zeroize::ZeroizeOnDrop for $reader {}

        impl core::fmt::Debug for $reader {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($reader)).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use {absorbing, beginning, custom_xof, hash, squeezing, xof};
