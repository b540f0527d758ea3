//! The RustCrypto crates behind C functions, one pair a cipher: `start` sets the key, `run` works in place. Called from one
//! thread by `bench/peers/crates.c`, with buffers that it owns.

use aes::cipher::{Array, Block, BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use ascon_aead::aead::AeadInOut;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

/// The bytes at `data`. The callers of this library pass a buffer of that size which nothing else holds.
fn bytes<'a>(data: *mut u8, count: usize) -> &'a mut [u8] {
    unsafe { std::slice::from_raw_parts_mut(data, count) }
}

/// The blocks of `data` encrypted in place.
fn encrypt<C: BlockCipherEncrypt>(cipher: &C, data: &mut [u8]) {
    let (blocks, _): (&mut [Block<C>], _) = Array::slice_as_chunks_mut(data);
    cipher.encrypt_blocks(blocks);
}

macro_rules! block_cipher {
    ($start:ident, $run:ident, $cipher:ty, $key_bytes:expr) => {
        const _: () = {
            thread_local! { static CIPHER: RefCell<Option<$cipher>> = const { RefCell::new(None) }; }

            #[unsafe(no_mangle)]
            extern "C" fn $start(key: *const u8) -> i32 {
                let key = unsafe { std::slice::from_raw_parts(key, $key_bytes) };
                let made = <$cipher>::new_from_slice(key).ok();
                let there = made.is_some();
                CIPHER.with_borrow_mut(|cipher| *cipher = made);
                i32::from(there)
            }

            #[unsafe(no_mangle)]
            extern "C" fn $run(data: *mut u8, count: usize) {
                CIPHER.with_borrow(|cipher| {
                    if let Some(cipher) = cipher {
                        encrypt(cipher, bytes(data, count));
                    }
                });
            }
        };
    };
}

block_cipher!(crate_aes128_start, crate_aes128_run, aes::Aes128, 16);
block_cipher!(crate_serpent_start, crate_serpent_run, serpent::Serpent, 16);
block_cipher!(crate_des_start, crate_des_run, des::Des, 8);
block_cipher!(crate_tdes_start, crate_tdes_run, des::TdesEde3, 24);
block_cipher!(crate_gift128_start, crate_gift128_run, gift_cipher::Gift128, 16);

thread_local! {
    static CHACHA: RefCell<Option<chacha20::ChaCha20>> = const { RefCell::new(None) };
    static ASCON: RefCell<Option<ascon_aead::AsconAead128>> = const { RefCell::new(None) };
}

#[unsafe(no_mangle)]
extern "C" fn crate_chacha20_start(key: *const u8, nonce: *const u8) -> i32 {
    let (key, nonce) = unsafe { (std::slice::from_raw_parts(key, 32), std::slice::from_raw_parts(nonce, 12)) };
    CHACHA.set(chacha20::ChaCha20::new_from_slices(key, nonce).ok());
    1
}

#[unsafe(no_mangle)]
extern "C" fn crate_chacha20_run(data: *mut u8, count: usize) {
    CHACHA.with_borrow_mut(|cipher| {
        if let Some(cipher) = cipher {
            cipher.apply_keystream(bytes(data, count));
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn crate_ascon_start() -> i32 {
    1
}

/// States of forty bytes, words as SP 800-232 stores them in Ascon v1.2's order: most significant byte first.
#[unsafe(no_mangle)]
extern "C" fn crate_ascon_run(data: *mut u8, count: usize) {
    for state in bytes(data, count).as_chunks_mut::<40>().0 {
        let (words, _) = state.as_chunks_mut::<8>();
        let mut loaded = [0; 5];
        for (word, bytes) in loaded.iter_mut().zip(words.iter()) {
            *word = u64::from_be_bytes(*bytes);
        }
        let mut permuted = ascon_core::State::new(loaded[0], loaded[1], loaded[2], loaded[3], loaded[4]);
        permuted.permute_12();
        state.copy_from_slice(&permuted.as_bytes());
    }
}

#[unsafe(no_mangle)]
extern "C" fn crate_ascon_aead_start(key: *const u8) -> i32 {
    let key = unsafe { std::slice::from_raw_parts(key, 16) };
    ASCON.set(ascon_aead::AsconAead128::new_from_slice(key).ok());
    1
}

#[unsafe(no_mangle)]
extern "C" fn crate_ascon_aead_run(data: *mut u8, count: usize) {
    ASCON.with_borrow(|cipher| {
        if let Some(cipher) = cipher {
            let _ = cipher.encrypt_inout_detached(&Default::default(), &[], bytes(data, count).into());
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn crate_keccak_start() -> i32 {
    1
}

/// States of two hundred bytes, words least significant byte first.
#[unsafe(no_mangle)]
extern "C" fn crate_keccak_run(data: *mut u8, count: usize) {
    keccak::Keccak::new().with_f1600(|permute| {
        for state in bytes(data, count).as_chunks_mut::<200>().0 {
            let mut words = [0u64; 25];
            for (word, bytes) in words.iter_mut().zip(state.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            permute(&mut words);
            for (word, bytes) in words.iter().zip(state.as_chunks_mut::<8>().0) {
                *bytes = word.to_le_bytes();
            }
        }
    });
}

/// The version of a crate in the lock file.
#[unsafe(no_mangle)]
extern "C" fn crate_version(name: *const c_char) -> *const c_char {
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let version = env!("PEER_VERSIONS")
        .split(';')
        .find_map(|entry| entry.strip_prefix(&format!("{name} ")))
        .unwrap_or("unknown");
    CString::new(version).unwrap_or_default().into_raw()
}
