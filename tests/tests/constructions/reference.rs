//! The same constructions by other implementations, those of RustCrypto, which share nothing with ours.

use super::program::{Digested, Sealed};
use ascon_hash256::{AsconHash256, Digest};
use ascon_xof128::{AsconCxof128, AsconXof128, ExtendableOutput, TryCustomizedInit, Update, XofReader};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use poly1305::Poly1305;

fn seal_with<A: KeyInit + AeadInOut>(key: &[u8], nonce: &[u8], ad: &[u8], text: &mut [u8]) -> Vec<u8> {
    let cipher = A::new_from_slice(key).expect("a key of the right size");
    let nonce = nonce.try_into().expect("a nonce of the right size");
    cipher.encrypt_inout_detached(nonce, ad, text.into()).expect("a text that is not too long").to_vec()
}

/// Seals with a construction of this name.
pub fn seal(name: &str, key: Vec<u8>, nonce: Vec<u8>, ad: Vec<u8>, plain: Vec<u8>) -> Sealed {
    let mut cipher = plain.clone();
    let tag = match name {
        "ascon-aead128" => seal_with::<ascon_aead::AsconAead128>(&key, &nonce, &ad, &mut cipher),
        "chacha20-poly1305" => {
            seal_with::<chacha20poly1305::ChaCha20Poly1305>(&key, &nonce, &ad, &mut cipher)
        }
        _ => panic!("no reference for {name}"),
    };
    Sealed { key, nonce, ad, plain, cipher, tag }
}

/// Hashes or authenticates with a construction of this name. The prefix is a key or a customization string.
pub fn digest(name: &str, prefix: Vec<u8>, message: Vec<u8>, size: usize) -> Digested {
    let mut output = vec![0; size];
    match name {
        "ascon-hash256" => output.copy_from_slice(&<AsconHash256 as Digest>::digest(&message)),
        "ascon-xof128" => {
            let mut hash = AsconXof128::default();
            hash.update(&message);
            hash.finalize_xof().read(&mut output);
        }
        "ascon-cxof128" => {
            let mut hash = AsconCxof128::try_new_customized(&prefix).expect("a string that is not too long");
            hash.update(&message);
            hash.finalize_xof().read(&mut output);
        }
        "poly1305" => {
            let key = prefix.as_slice().try_into().expect("a key of the right size");
            output.copy_from_slice(&Poly1305::new(key).compute_unpadded(&message));
        }
        _ => panic!("no reference for {name}"),
    }
    Digested { prefix, message, output }
}
