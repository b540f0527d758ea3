//! Hash functions and extendable-output functions.

/// Messages of one call of a function for many: more than any code has side by side, and few enough for the stack.
pub const TOGETHER: usize = 64;

/// The type of a hash function, with the message so far.
macro_rules! hash {
    ($name:ident, $text:literal, digest $digest:literal $digest_size:ident, block $block:literal, context $words:literal, $init:ident,
     $update:ident, $finish:ident, $wipe:ident $(, batch $batch:ident)?) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void) -> core::ffi::c_int;
            fn $finish(context: *mut core::ffi::c_void, digest: *mut u8) -> core::ffi::c_int;
            $(fn $batch(count: usize, messages: *mut crate::raw::HashMessage) -> core::ffi::c_int;)?
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
                block_bytes: $block,
                context_words: $words,
                init: $init,
                update: $update,
                finish: $finish,
                wipe: $wipe,
                batch: crate::block::optional!($($batch)?),
            };

            /// Bytes of a digest.
            pub const DIGEST_BYTES: usize = $digest;

            /// The digest of a message.
            pub fn hash(message: &[u8]) -> [u8; $digest] {
                let mut digest = [0; $digest];
                let mut hash = Self::default();
                digest::Update::update(&mut hash, message);
                digest::FixedOutput::finalize_into(hash, (&mut digest).into());
                digest
            }

            $(
                /// The digests of many messages of any lengths, side by side.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many digests as messages; then nothing was
                /// written.
                pub fn hash_batch(
                    messages: &[&[u8]],
                    digests: &mut [[u8; $digest]],
                ) -> Result<(), crate::Error> {
                    if messages.len() != digests.len() {
                        return Err(crate::Error::Length);
                    }
                    let none = crate::raw::HashMessage {
                        input: core::ptr::null(),
                        length: 0,
                        digest: core::ptr::null_mut(),
                        result: 0,
                    };
                    for (messages, digests) in
                        messages.chunks(crate::hash::TOGETHER).zip(digests.chunks_mut(crate::hash::TOGETHER))
                    {
                        let mut batch = [none; crate::hash::TOGETHER];
                        for ((one, message), digest) in batch.iter_mut().zip(messages).zip(digests) {
                            (one.input, one.length) = (message.as_ptr(), message.len());
                            one.digest = digest.as_mut_ptr();
                        }
                        // SAFETY: the messages have their lengths, and every digest a place of its own.
                        crate::error::ensure(unsafe { $batch(messages.len(), batch.as_mut_ptr()) });
                    }
                    Ok(())
                }
            )?
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
    ($name:ident, $reader:ident, $text:literal, block $block:literal, context $words:literal, $init:ident,
     $update:ident, $squeeze:ident,
     $wipe:ident $(, batch $batch:ident)?) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(context: *mut core::ffi::c_void) -> core::ffi::c_int;
            $(fn $batch(count: usize, messages: *mut crate::raw::XofMessage) -> core::ffi::c_int;)?
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
                block_bytes: $block,
                context_words: $words,
                init: $init,
                update: $update,
                squeeze: $squeeze,
                wipe: $wipe,
                batch: crate::block::optional!($($batch)?),
            };

            /// Fills `out` with the output for a message.
            pub fn output(message: &[u8], out: &mut [u8]) {
                let mut xof = Self::default();
                digest::Update::update(&mut xof, message);
                digest::XofReader::read(&mut digest::ExtendableOutput::finalize_xof(xof), out);
            }

            $(
                /// Fills `outputs` with those for many messages, of any lengths both, side by side.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many outputs as messages; then nothing was
                /// written.
                pub fn output_batch(
                    messages: &[&[u8]],
                    outputs: &mut [&mut [u8]],
                ) -> Result<(), crate::Error> {
                    if messages.len() != outputs.len() {
                        return Err(crate::Error::Length);
                    }
                    let none = crate::raw::XofMessage {
                        input: core::ptr::null(),
                        length: 0,
                        out: core::ptr::null_mut(),
                        out_length: 0,
                        result: 0,
                    };
                    for (messages, outputs) in
                        messages.chunks(crate::hash::TOGETHER).zip(outputs.chunks_mut(crate::hash::TOGETHER))
                    {
                        let mut batch = [none; crate::hash::TOGETHER];
                        for ((one, message), out) in batch.iter_mut().zip(messages).zip(outputs) {
                            (one.input, one.length) = (message.as_ptr(), message.len());
                            (one.out, one.out_length) = (out.as_mut_ptr(), out.len());
                        }
                        // SAFETY: messages and outputs have their lengths, and no output is another's, as they are borrowed.
                        crate::error::ensure(unsafe { $batch(messages.len(), batch.as_mut_ptr()) });
                    }
                    Ok(())
                }
            )?
        }

        crate::hash::beginning!($name, $init);
        crate::hash::squeezing!($name, $reader, $words, $squeeze, $wipe);
    };
}

/// The type of an extendable-output function whose messages have a customization string.
macro_rules! custom_xof {
    ($name:ident, $reader:ident, $text:literal, block $block:literal, context $words:literal, customization $limit:literal, $init:ident,
     $update:ident, $squeeze:ident, $wipe:ident $(, batch $batch:ident)?) => {
        crate::hash::absorbing!($name, $text, $words, $update, $wipe);

        unsafe extern "C" {
            fn $init(
                context: *mut core::ffi::c_void,
                customization: *const u8,
                length: usize,
            ) -> core::ffi::c_int;
            $(fn $batch(count: usize, messages: *mut crate::raw::CustomXofMessage) -> core::ffi::c_int;)?
        }

        #[doc = concat!("The extendable-output function ", $text, ", customized by a string of at most ", $limit, " bytes.")]
        ///
        /// What it has seen is overwritten when it is dropped.
        #[derive(Clone)]
        pub struct $name {
            context: crate::block::Context<$words>,
        }

        impl $name {
            /// Its C functions.
            pub const RAW: crate::raw::CustomXof = crate::raw::CustomXof {
                name: $text,
                customization_bytes: $limit,
                block_bytes: $block,
                context_words: $words,
                init: $init,
                update: $update,
                squeeze: $squeeze,
                wipe: $wipe,
                batch: crate::block::optional!($($batch)?),
            };

            /// Fills `out` with the output for a message under a customization string.
            ///
            /// # Errors
            /// [`Error::Length`](crate::Error::Length) if the string is too long; then nothing was written.
            pub fn output(customization: &[u8], message: &[u8], out: &mut [u8]) -> Result<(), crate::Error> {
                let mut xof = <Self as digest::TryCustomizedInit>::try_new_customized(customization)?;
                digest::Update::update(&mut xof, message);
                digest::XofReader::read(&mut digest::ExtendableOutput::finalize_xof(xof), out);
                Ok(())
            }

            $(
                /// Fills `outputs` with those for many messages, each under the customization string of the same place, side
                /// by side.
                ///
                /// # Errors
                /// [`Error::Length`](crate::Error::Length) if there are not as many outputs and strings as messages, or a
                /// string is too long; then nothing was written.
                pub fn output_batch(
                    customizations: &[&[u8]],
                    messages: &[&[u8]],
                    outputs: &mut [&mut [u8]],
                ) -> Result<(), crate::Error> {
                    if messages.len() != outputs.len()
                        || messages.len() != customizations.len()
                        || customizations.iter().any(|string| string.len() > $limit)
                    {
                        return Err(crate::Error::Length);
                    }
                    let none = crate::raw::CustomXofMessage {
                        customization: core::ptr::null(),
                        customization_length: 0,
                        input: core::ptr::null(),
                        length: 0,
                        out: core::ptr::null_mut(),
                        out_length: 0,
                        result: 0,
                    };
                    let messages = messages.chunks(crate::hash::TOGETHER);
                    let customizations = customizations.chunks(crate::hash::TOGETHER);
                    let outputs = outputs.chunks_mut(crate::hash::TOGETHER);
                    for ((messages, customizations), outputs) in messages.zip(customizations).zip(outputs) {
                        let mut batch = [none; crate::hash::TOGETHER];
                        for (((one, message), string), out) in
                            batch.iter_mut().zip(messages).zip(customizations).zip(outputs)
                        {
                            (one.customization, one.customization_length) = (string.as_ptr(), string.len());
                            (one.input, one.length) = (message.as_ptr(), message.len());
                            (one.out, one.out_length) = (out.as_mut_ptr(), out.len());
                        }
                        // SAFETY: everything has its length, and no output is another's, as they are borrowed.
                        crate::error::ensure(unsafe { $batch(messages.len(), batch.as_mut_ptr()) });
                    }
                    Ok(())
                }
            )?
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

        crate::block::wiped!($name, $text, $wipe);
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
