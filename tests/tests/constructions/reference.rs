//! The same constructions by other implementations, which share nothing with ours: those of RustCrypto, and where it has
//! none, one bit at a time.

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
        "xchacha20-poly1305" => {
            seal_with::<chacha20poly1305::XChaCha20Poly1305>(&key, &nonce, &ad, &mut cipher)
        }
        "subterranean-sae" => subterranean_sae(&key, &nonce, &ad, &mut cipher),
        _ => panic!("no reference for {name}"),
    };
    Sealed { key, nonce, ad, plain, cipher, tag }
}

/// The duplex object of Subterranean 2.0: bits 0 to 256.
struct Subterranean([bool; 257]);

impl Subterranean {
    /// The places of the bits of a block, and of the padding after 32 of them: the powers of 12^4 = 176.
    const PLACES: [usize; 33] = {
        let mut places = [1; 33];
        let mut number = 1;
        while number < 33 {
            places[number] = places[number - 1] * 176 % 257;
            number += 1;
        }
        places
    };

    fn duplex(&mut self, block: &[u8]) {
        let s = self.0;
        let mut chi: [bool; 257] = std::array::from_fn(|i| s[i] ^ (!s[(i + 1) % 257] & s[(i + 2) % 257]));
        chi[0] = !chi[0];
        let theta: [bool; 257] = std::array::from_fn(|i| chi[i] ^ chi[(i + 3) % 257] ^ chi[(i + 8) % 257]);
        self.0 = std::array::from_fn(|i| theta[12 * i % 257]);
        for bit in 0..8 * block.len() {
            self.0[Self::PLACES[bit]] ^= block[bit / 8] >> (bit % 8) & 1 == 1;
        }
        self.0[Self::PLACES[8 * block.len()]] ^= true;
    }

    fn extract(&self) -> [u8; 4] {
        let mut output = [0; 4];
        for bit in 0..32 {
            let place = Self::PLACES[bit];
            output[bit / 8] |= u8::from(self.0[place] ^ self.0[257 - place]) << (bit % 8);
        }
        output
    }

    /// Absorbs blocks of four bytes and a shorter one; gives each to `before` first.
    fn absorb(&mut self, bytes: &[u8], mut before: impl FnMut(&Self, &[u8])) {
        for number in 0..=bytes.len() / 4 {
            let block = &bytes[4 * number..bytes.len().min(4 * number + 4)];
            before(self, block);
            self.duplex(block);
        }
    }
}

/// Subterranean-SAE: replaces the text by its encryption and returns the tag.
fn subterranean_sae(key: &[u8], nonce: &[u8], ad: &[u8], text: &mut Vec<u8>) -> Vec<u8> {
    let mut state = Subterranean([false; 257]);
    let blank = |state: &mut Subterranean| (0..8).for_each(|_| state.duplex(&[]));
    state.absorb(key, |_, _| ());
    state.absorb(nonce, |_, _| ());
    blank(&mut state);
    state.absorb(ad, |_, _| ());
    let mut cipher = Vec::new();
    state.absorb(text, |state, block| cipher.extend(block.iter().zip(state.extract()).map(|(a, b)| a ^ b)));
    *text = cipher;
    blank(&mut state);
    let mut tag = Vec::new();
    for _ in 0..4 {
        tag.extend(state.extract());
        state.duplex(&[]);
    }
    tag
}

/// Hashes or authenticates with a construction of this name. The prefix is a key or a customization string.
pub fn digest(name: &str, prefix: Vec<u8>, message: Vec<u8>, size: usize) -> Digested {
    let mut output = vec![0; size];
    match name {
        "ascon-hash256" => output.copy_from_slice(&<AsconHash256 as Digest>::digest(&message)),
        "sha3-224" => output.copy_from_slice(&<sha3::Sha3_224 as Digest>::digest(&message)),
        "sha3-256" => output.copy_from_slice(&<sha3::Sha3_256 as Digest>::digest(&message)),
        "sha3-384" => output.copy_from_slice(&<sha3::Sha3_384 as Digest>::digest(&message)),
        "sha3-512" => output.copy_from_slice(&<sha3::Sha3_512 as Digest>::digest(&message)),
        "shake128" => {
            let mut hash = sha3::Shake128::default();
            hash.update(&message);
            hash.finalize_xof().read(&mut output);
        }
        "shake256" => {
            let mut hash = sha3::Shake256::default();
            hash.update(&message);
            hash.finalize_xof().read(&mut output);
        }
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
