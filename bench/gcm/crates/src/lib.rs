//! AES-GCM of crates behind the table of `bench/gcm/gcm.h`. Those that work in place get a copy of the text first, which counts.

use std::ffi::{c_char, c_int, c_void};

type Seal = unsafe extern "C" fn(
    *mut c_void,
    *const u8,
    *const u8,
    usize,
    *const u8,
    usize,
    *mut u8,
    *mut u8,
) -> c_int;
type Open = unsafe extern "C" fn(
    *mut c_void,
    *const u8,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    *mut u8,
) -> c_int;

/// `struct gcm`.
#[repr(C)]
pub struct Implementation {
    name: *const c_char,
    start: Option<unsafe extern "C" fn(c_int, *const u8) -> *mut c_void>,
    seal: Option<Seal>,
    open: Option<Open>,
}

// The rows are constants.
unsafe impl Sync for Implementation {}

const COUNT: usize = cfg!(feature = "aws-lc") as usize
    + cfg!(feature = "ring") as usize
    + cfg!(feature = "graviola") as usize
    + 1;

/// The table.
#[unsafe(no_mangle)]
pub static gcm_implementations: [Implementation; COUNT] = [
    #[cfg(feature = "aws-lc")]
    Implementation {
        name: c"AWS-LC (aws-lc-sys)".as_ptr(),
        start: Some(aws_lc::start),
        seal: Some(aws_lc::seal),
        open: Some(aws_lc::open),
    },
    #[cfg(feature = "ring")]
    Implementation {
        name: c"ring".as_ptr(),
        start: Some(ring_crate::start),
        seal: Some(ring_crate::seal),
        open: Some(ring_crate::open),
    },
    #[cfg(feature = "graviola")]
    Implementation {
        name: c"graviola".as_ptr(),
        start: Some(graviola_crate::start),
        seal: Some(graviola_crate::seal),
        open: Some(graviola_crate::open),
    },
    Implementation { name: std::ptr::null(), start: None, seal: None, open: None },
];

/// The bytes at an address.
#[cfg(any(feature = "ring", feature = "graviola"))]
unsafe fn bytes<'a>(at: *const u8, count: usize) -> &'a [u8] {
    unsafe { std::slice::from_raw_parts(at, count) }
}

/// A copy of a text where the result goes.
#[cfg(any(feature = "ring", feature = "graviola"))]
unsafe fn copied<'a>(from: *const u8, count: usize, to: *mut u8) -> &'a mut [u8] {
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, count);
        std::slice::from_raw_parts_mut(to, count)
    }
}

#[cfg(feature = "aws-lc")]
mod aws_lc {
    use aws_lc_sys::{
        EVP_AEAD_CTX, EVP_AEAD_CTX_new, EVP_AEAD_CTX_open_gather, EVP_AEAD_CTX_seal_scatter,
        EVP_aead_aes_128_gcm, EVP_aead_aes_256_gcm,
    };
    use std::ffi::{c_int, c_void};
    use std::ptr::null;

    pub unsafe extern "C" fn start(bits: c_int, key: *const u8) -> *mut c_void {
        unsafe {
            let aead = if bits == 128 { EVP_aead_aes_128_gcm() } else { EVP_aead_aes_256_gcm() };
            EVP_AEAD_CTX_new(aead, key, bits as usize / 8, 16).cast()
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn seal(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        plain: *const u8,
        count: usize,
        cipher: *mut u8,
        tag: *mut u8,
    ) -> c_int {
        let mut length = 0;
        let context = context.cast::<EVP_AEAD_CTX>();
        let done = unsafe {
            EVP_AEAD_CTX_seal_scatter(
                context, cipher, tag, &mut length, 16, nonce, 12, plain, count, null(), 0, aad, aad_bytes,
            )
        };
        c_int::from(done != 1)
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn open(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        cipher: *const u8,
        count: usize,
        tag: *const u8,
        plain: *mut u8,
    ) -> c_int {
        let context = context.cast::<EVP_AEAD_CTX>();
        let done = unsafe {
            EVP_AEAD_CTX_open_gather(context, plain, nonce, 12, cipher, count, tag, 16, aad, aad_bytes)
        };
        c_int::from(done != 1)
    }
}

#[cfg(feature = "ring")]
mod ring_crate {
    use super::{bytes, copied};
    use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, Tag, UnboundKey};
    use std::ffi::{c_int, c_void};

    pub unsafe extern "C" fn start(bits: c_int, key: *const u8) -> *mut c_void {
        let algorithm = if bits == 128 { &AES_128_GCM } else { &AES_256_GCM };
        let key = unsafe { bytes(key, bits as usize / 8) };
        match UnboundKey::new(algorithm, key) {
            Ok(key) => Box::into_raw(Box::new(LessSafeKey::new(key))).cast(),
            Err(_) => std::ptr::null_mut(),
        }
    }

    fn nonce_of(nonce: *const u8) -> Nonce {
        let mut copy = [0; 12];
        copy.copy_from_slice(unsafe { bytes(nonce, 12) });
        Nonce::assume_unique_for_key(copy)
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn seal(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        plain: *const u8,
        count: usize,
        cipher: *mut u8,
        tag: *mut u8,
    ) -> c_int {
        unsafe {
            let (key, text) = (&*context.cast::<LessSafeKey>(), copied(plain, count, cipher));
            match key.seal_in_place_separate_tag(nonce_of(nonce), Aad::from(bytes(aad, aad_bytes)), text) {
                Ok(made) => {
                    std::ptr::copy_nonoverlapping(made.as_ref().as_ptr(), tag, 16);
                    0
                }
                Err(_) => 1,
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn open(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        cipher: *const u8,
        count: usize,
        tag: *const u8,
        plain: *mut u8,
    ) -> c_int {
        unsafe {
            let (key, text) = (&*context.cast::<LessSafeKey>(), copied(cipher, count, plain));
            let Ok(tag) = Tag::try_from(bytes(tag, 16)) else { return 1 };
            let aad = Aad::from(bytes(aad, aad_bytes));
            c_int::from(key.open_in_place_separate_tag(nonce_of(nonce), aad, tag, text, 0..).is_err())
        }
    }
}

#[cfg(feature = "graviola")]
mod graviola_crate {
    use super::{bytes, copied};
    use graviola::aead::AesGcm;
    use std::ffi::{c_int, c_void};

    pub unsafe extern "C" fn start(bits: c_int, key: *const u8) -> *mut c_void {
        let key = unsafe { bytes(key, bits as usize / 8) };
        Box::into_raw(Box::new(AesGcm::new(key))).cast()
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn seal(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        plain: *const u8,
        count: usize,
        cipher: *mut u8,
        tag: *mut u8,
    ) -> c_int {
        unsafe {
            let (key, text) = (&*context.cast::<AesGcm>(), copied(plain, count, cipher));
            key.encrypt(&*nonce.cast(), bytes(aad, aad_bytes), text, &mut *tag.cast());
        }
        0
    }

    #[allow(clippy::too_many_arguments)]
    pub unsafe extern "C" fn open(
        context: *mut c_void,
        nonce: *const u8,
        aad: *const u8,
        aad_bytes: usize,
        cipher: *const u8,
        count: usize,
        tag: *const u8,
        plain: *mut u8,
    ) -> c_int {
        unsafe {
            let (key, text) = (&*context.cast::<AesGcm>(), copied(cipher, count, plain));
            let done = key.decrypt(&*nonce.cast(), bytes(aad, aad_bytes), text, bytes(tag, 16));
            c_int::from(done.is_err())
        }
    }
}
