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
        "ascon-128" => ascon_v12(&key, &nonce, &ad, &mut cipher, 8, 6),
        "ascon-128a" => ascon_v12(&key, &nonce, &ad, &mut cipher, 16, 8),
        "xoodyak" => xoodyak(&key, &nonce, &ad, &mut cipher),
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

/// The Ascon permutation of so many rounds, from the S-box as functions of words.
fn ascon_rounds(s: &mut [u64; 5], rounds: u64) {
    for round in 12 - rounds..12 {
        s[2] ^= (15 - round) << 4 | round;
        let x = [s[0] ^ s[4], s[1], s[2] ^ s[1], s[3], s[4] ^ s[3]];
        let mut y: [u64; 5] = std::array::from_fn(|i| x[i] ^ (!x[(i + 1) % 5] & x[(i + 2) % 5]));
        y[1] ^= y[0];
        y[0] ^= y[4];
        y[3] ^= y[2];
        y[2] = !y[2];
        for (place, (a, b)) in [(19, 28), (61, 39), (1, 6), (10, 17), (7, 41)].into_iter().enumerate() {
            s[place] = y[place] ^ y[place].rotate_right(a) ^ y[place].rotate_right(b);
        }
    }
}

/// Ascon-128 and Ascon-128a of version 1.2, byte by byte: blocks of `rate` bytes, `rounds` between them.
fn ascon_v12(key: &[u8], nonce: &[u8], ad: &[u8], text: &mut [u8], rate: usize, rounds: u64) -> Vec<u8> {
    let word = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().expect("eight bytes"));
    let (k, n) = ([word(&key[..8]), word(&key[8..])], [word(&nonce[..8]), word(&nonce[8..])]);
    let initial = 0x80 << 56 | (8 * rate as u64) << 48 | 12 << 40 | rounds << 32;
    let mut s = [initial, k[0], k[1], n[0], n[1]];
    let add = |s: &mut [u64; 5], at: usize, byte: u8| s[at / 8] ^= u64::from(byte) << (56 - 8 * (at % 8));
    ascon_rounds(&mut s, 12);
    s[3] ^= k[0];
    s[4] ^= k[1];
    if !ad.is_empty() {
        for (at, &byte) in ad.iter().enumerate() {
            add(&mut s, at % rate, byte);
            if at % rate == rate - 1 {
                ascon_rounds(&mut s, rounds);
            }
        }
        add(&mut s, ad.len() % rate, 0x80);
        ascon_rounds(&mut s, rounds);
    }
    s[4] ^= 1;
    for (number, byte) in text.iter_mut().enumerate() {
        let at = number % rate;
        add(&mut s, at, *byte);
        *byte = (s[at / 8] >> (56 - 8 * (at % 8))) as u8;
        if at == rate - 1 {
            ascon_rounds(&mut s, rounds);
        }
    }
    add(&mut s, text.len() % rate, 0x80);
    s[rate / 8] ^= k[0];
    s[rate / 8 + 1] ^= k[1];
    ascon_rounds(&mut s, 12);
    [(s[3] ^ k[0]).to_be_bytes(), (s[4] ^ k[1]).to_be_bytes()].concat()
}

/// Xoodoo[12] on the lanes x + 4 y, a bit of a column at a time in chi.
fn xoodoo(state: &mut [u8; 48]) {
    const CONSTANTS: [u32; 12] = [0x58, 0x38, 0x3c0, 0xd0, 0x120, 0x14, 0x60, 0x2c, 0x380, 0xf0, 0x1a0, 0x12];
    let mut a: [u32; 12] = std::array::from_fn(|lane| {
        u32::from_le_bytes(state[4 * lane..4 * lane + 4].try_into().expect("four bytes"))
    });
    for constant in CONSTANTS {
        let p: [u32; 4] = std::array::from_fn(|x| a[x] ^ a[4 + x] ^ a[8 + x]);
        for (lane, word) in a.iter_mut().enumerate() {
            let before = p[(lane + 3) % 4];
            *word ^= before.rotate_left(5) ^ before.rotate_left(14);
        }
        let mut b = a;
        for x in 0..4 {
            b[4 + x] = a[4 + (x + 3) % 4];
            b[8 + x] = a[8 + x].rotate_left(11);
        }
        b[0] ^= constant;
        for x in 0..4 {
            for y in 0..3 {
                a[4 * y + x] = b[4 * y + x] ^ (!b[4 * ((y + 1) % 3) + x] & b[4 * ((y + 2) % 3) + x]);
            }
        }
        let moved: [u32; 4] = std::array::from_fn(|x| a[8 + (x + 2) % 4].rotate_left(8));
        a[8..].copy_from_slice(&moved);
        a[4..8].iter_mut().for_each(|word| *word = word.rotate_left(1));
    }
    for (lane, word) in a.into_iter().enumerate() {
        state[4 * lane..4 * lane + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// Cyclist, whose parts know only whether the last of them was Up.
struct Cyclist {
    state: [u8; 48],
    is_up: bool,
    is_keyed: bool,
}

impl Cyclist {
    fn down(&mut self, block: &[u8], colour: u8) {
        for (byte, value) in self.state.iter_mut().zip(block.iter().chain(&[1])) {
            *byte ^= value;
        }
        self.state[47] ^= if self.is_keyed { colour } else { colour & 1 };
        self.is_up = false;
    }

    fn up(&mut self, colour: u8) -> [u8; 48] {
        if self.is_keyed {
            self.state[47] ^= colour;
        }
        xoodoo(&mut self.state);
        self.is_up = true;
        self.state
    }

    fn absorb(&mut self, bytes: &[u8], rate: usize, mut colour: u8) {
        for number in 0..bytes.len().div_ceil(rate).max(1) {
            if !self.is_up {
                self.up(0);
            }
            self.down(&bytes[rate * number..bytes.len().min(rate * number + rate)], colour);
            colour = 0;
        }
    }
}

/// Xoodyak of the final round, the nonce being the identifier of the key.
fn xoodyak(key: &[u8], nonce: &[u8], ad: &[u8], text: &mut [u8]) -> Vec<u8> {
    let mut cyclist = Cyclist { state: [0; 48], is_up: true, is_keyed: true };
    cyclist.absorb(&[key, nonce, &[nonce.len() as u8]].concat(), 44, 2);
    cyclist.absorb(ad, 44, 3);
    for number in 0..text.len().div_ceil(24).max(1) {
        let stream = cyclist.up(if number == 0 { 0x80 } else { 0 });
        let end = text.len().min(24 * number + 24);
        let block = &mut text[24 * number..end];
        let plain = block.to_vec();
        block.iter_mut().zip(stream).for_each(|(byte, value)| *byte ^= value);
        cyclist.down(&plain, 0);
    }
    cyclist.up(0x40)[..16].to_vec()
}

fn xoodyak_hash(message: &[u8]) -> Vec<u8> {
    let mut cyclist = Cyclist { state: [0; 48], is_up: true, is_keyed: false };
    cyclist.absorb(message, 16, 3);
    let first = cyclist.up(0x40);
    cyclist.down(&[], 0);
    [&first[..16], &cyclist.up(0)[..16]].concat()
}

/// Hashes or authenticates with a construction of this name. The prefix is a key or a customization string.
pub fn digest(name: &str, prefix: Vec<u8>, message: Vec<u8>, size: usize) -> Digested {
    let mut output = vec![0; size];
    match name {
        "xoodyak-hash" => output.copy_from_slice(&xoodyak_hash(&message)),
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
