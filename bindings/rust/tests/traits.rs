//! The types through the traits of RustCrypto, against RustCrypto's own crates and against each other.
//!
//! Which ciphers are compared depends on the features; `scripts/bindings.sh` says which runs have which.

#![allow(dead_code, unused_imports, reason = "what is compared depends on the features")]

use usuba::cipher::inout::InOutBuf;
use usuba::cipher::{
    Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, Key, KeyInit, KeyIvInit,
    StreamCipher, StreamCipherSeek,
};

/// Bytes that look random: a linear congruential generator.
fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2) + 1;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect()
}

/// Blocks of both crates, for numbers of blocks around those that are done at a time.
fn compare_blocks<Ours, Theirs>()
where
    Ours: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Clone,
    Theirs: BlockCipherEncrypt<BlockSize = Ours::BlockSize> + KeyInit,
{
    for (seed, count) in [0, 1, 2, 3, 7, 8, 31, 63, 64, 65, 200, 513].into_iter().enumerate() {
        let key = Key::<Ours>::try_from(&bytes(Ours::key_size(), seed as u64)[..]).unwrap();
        let plain: Vec<Block<Ours>> = bytes(count * Ours::block_size(), seed as u64 + 99)
            .chunks(Ours::block_size())
            .map(|block| Block::<Ours>::try_from(block).unwrap())
            .collect();
        let (ours, theirs) = (Ours::new(&key), Theirs::new_from_slice(&key).unwrap());
        let mut expected = plain.clone();
        theirs.encrypt_blocks(&mut expected);

        let mut secret = plain.clone();
        ours.encrypt_blocks(&mut secret);
        assert!(secret == expected, "{count} blocks in place");
        let mut apart = vec![Block::<Ours>::default(); count];
        ours.encrypt_blocks_b2b(&plain, &mut apart).unwrap();
        assert!(apart == expected, "{count} blocks from one place to another");
        for (one, expected) in plain.iter().zip(&expected).take(3) {
            let mut out = Block::<Ours>::default();
            ours.encrypt_block_b2b(one, &mut out);
            assert_eq!(out, *expected);
        }

        let copy = ours.clone();
        drop(ours);
        copy.decrypt_blocks(&mut secret);
        assert!(secret == plain, "{count} blocks back");
        copy.decrypt_blocks_b2b(&expected, &mut apart).unwrap();
        assert!(apart == plain, "{count} blocks back from one place to another");
        copy.decrypt_blocks_inout(InOutBuf::from(&mut expected[..]));
        assert!(expected == plain);
        assert!(copy.encrypt_blocks_b2b(&plain, &mut vec![Block::<Ours>::default(); count + 1]).is_err());
    }
    assert!(Ours::new_from_slice(&vec![0; Ours::key_size() + 1]).is_err());
}

/// Two stream ciphers that must be the same, for all lengths and in parts, from this place on.
fn compare_streams<Ours, Theirs>(first: u64)
where
    Ours: StreamCipher + StreamCipherSeek + KeyIvInit + Clone,
    Theirs: StreamCipher + StreamCipherSeek + KeyIvInit<KeySize = Ours::KeySize, IvSize = Ours::IvSize>,
{
    let key = Key::<Ours>::try_from(&bytes(Ours::key_size(), 5)[..]).unwrap();
    let nonce = usuba::cipher::Iv::<Ours>::try_from(&bytes(Ours::iv_size(), 6)[..]).unwrap();
    let (mut ours, mut theirs) = (Ours::new(&key, &nonce), Theirs::new(&key, &nonce));
    ours.seek(first);
    theirs.seek(first);
    for length in (0..300).chain([1023, 1024, 1025, 4096, 5000]) {
        let mut data = bytes(length, length as u64);
        let mut expected = data.clone();
        ours.apply_keystream(&mut data);
        theirs.apply_keystream(&mut expected);
        assert!(data == expected, "{length} bytes");
    }
    assert_eq!(ours.current_pos::<u64>(), theirs.current_pos::<u64>());
    let (input, mut out) = (bytes(777, 1), vec![0; 777]);
    let mut expected = input.clone();
    ours.apply_keystream_b2b(&input, &mut out);
    theirs.apply_keystream(&mut expected);
    assert!(out == expected);
}

/// Counter mode in one call, against the mode of another crate over the same cipher and over another's.
fn compare_counter<Ours, Theirs>()
where
    Ours: StreamCipher + KeyIvInit,
    Theirs: StreamCipher + KeyIvInit<IvSize = Ours::IvSize>,
{
    let key = Key::<Ours>::try_from(&bytes(Ours::key_size(), 5)[..]).unwrap();
    // Wraps to zero after three blocks.
    let mut nonce = usuba::cipher::Iv::<Ours>::default();
    nonce.fill(0xff);
    *nonce.last_mut().unwrap() = 0xfd;
    for length in (0..150).chain([1023, 1024, 1025, 9999]) {
        let (mut ours, mut theirs) =
            (Ours::new(&key, &nonce), Theirs::new_from_slices(&key, &nonce).unwrap());
        let mut data = bytes(length, length as u64);
        let mut expected = data.clone();
        let (head, tail) = data.split_at_mut(length / 3);
        ours.apply_keystream(head);
        ours.apply_keystream(tail);
        theirs.apply_keystream(&mut expected);
        assert!(data == expected, "{length} bytes");
    }
}

#[cfg(feature = "aes")]
#[test]
fn aes() {
    use usuba::aes::{Aes128, Aes128Ctr, Aes192, Aes192Ctr, Aes256, Aes256Ctr};
    compare_blocks::<Aes128, aes::Aes128>();
    compare_blocks::<Aes192, aes::Aes192>();
    compare_blocks::<Aes256, aes::Aes256>();
    compare_counter::<Aes128Ctr, ctr::Ctr128BE<aes::Aes128>>();
    compare_counter::<Aes192Ctr, ctr::Ctr128BE<aes::Aes192>>();
    compare_counter::<Aes256Ctr, ctr::Ctr128BE<aes::Aes256>>();
    compare_counter::<ctr::Ctr128BE<Aes256>, ctr::Ctr128BE<aes::Aes256>>();
}

#[cfg(feature = "des")]
#[test]
fn des() {
    compare_blocks::<usuba::des::Des, des::Des>();
    compare_blocks::<usuba::des::TdesEde3, des::TdesEde3>();
    compare_counter::<usuba::des::DesCtr, ctr::Ctr64BE<des::Des>>();
    compare_counter::<usuba::des::TdesEde3Ctr, ctr::Ctr64BE<usuba::des::TdesEde3>>();
}

#[cfg(feature = "serpent")]
#[test]
fn serpent() {
    use usuba::serpent::{Serpent128, Serpent192, Serpent256, Serpent256Ctr};
    compare_blocks::<Serpent128, serpent::Serpent>();
    compare_blocks::<Serpent192, serpent::Serpent>();
    compare_blocks::<Serpent256, serpent::Serpent>();
    compare_counter::<Serpent256Ctr, ctr::Ctr128BE<serpent::Serpent>>();
}

#[cfg(feature = "chacha20")]
#[test]
fn chacha20() {
    use usuba::chacha20::ChaCha20;
    compare_streams::<ChaCha20, chacha20::ChaCha20>(0);
    compare_streams::<ChaCha20, chacha20::ChaCha20>(64 * 12345 + 17);
    let mut cipher = ChaCha20::new(&[1; 32].into(), &[2; 12].into());
    cipher.seek(64 * (u64::from(u32::MAX) - 1));
    let mut data = [9; 65];
    assert!(cipher.try_apply_keystream(&mut data).is_err(), "more than the counter can number");
    assert_eq!(data, [9; 65]);
    cipher.try_apply_keystream(&mut data[..64]).unwrap();
}

/// Messages of all lengths through two authenticated ciphers, and changed ones, which must be refused.
fn compare_aeads<Ours, Theirs>()
where
    Ours: usuba::aead::AeadInOut + KeyInit,
    Theirs: usuba::aead::AeadInOut<NonceSize = Ours::NonceSize, TagSize = Ours::TagSize>
        + KeyInit<KeySize = Ours::KeySize>,
{
    use usuba::aead::{Aead, Nonce, Payload};
    let key = Key::<Ours>::try_from(&bytes(Ours::key_size(), 5)[..]).unwrap();
    let mut nonce = Nonce::<Ours>::default();
    let length = nonce.len();
    nonce.copy_from_slice(&bytes(length, 8));
    let (ours, theirs) = (Ours::new(&key), Theirs::new(&key));
    for length in (0..140).chain([1023, 1024, 1025, 4096]) {
        let (message, ad) = (bytes(length, 3), bytes(length % 37, 4));
        let sealed = ours.encrypt(&nonce, Payload { msg: &message, aad: &ad }).unwrap();
        let expected = theirs.encrypt(&nonce, Payload { msg: &message, aad: &ad }).unwrap();
        assert!(sealed == expected, "{length} bytes");
        assert!(ours.decrypt(&nonce, Payload { msg: &sealed, aad: &ad }).unwrap() == message);
        for place in [0, sealed.len() / 2, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[place] ^= 0x10;
            assert!(ours.decrypt(&nonce, Payload { msg: &changed, aad: &ad }).is_err());
        }
        assert!(ours.decrypt(&nonce, Payload { msg: &sealed, aad: b"other data" }).is_err());
        assert!(
            ours.decrypt(&nonce, Payload { msg: &sealed[..15], aad: &ad }).is_err(),
            "shorter than a tag"
        );
    }
}

#[cfg(primitive = "ascon-aead128")]
#[test]
fn ascon_aead() {
    compare_aeads::<usuba::ascon::AsconAead128, ascon_aead::AsconAead128>();
}

#[cfg(primitive = "chacha20-poly1305")]
#[test]
fn chacha20_poly1305() {
    compare_aeads::<usuba::chacha20::ChaCha20Poly1305, chacha20poly1305::ChaCha20Poly1305>();
}

#[cfg(primitive = "ascon-hash256")]
#[test]
fn ascon_hash() {
    use usuba::digest::Digest;
    let mut again = usuba::ascon::AsconHash256::new();
    for length in (0..200).chain([1023, 1024, 1025]) {
        let data = bytes(length, 1);
        let expected = ascon_hash256::AsconHash256::digest(&data);
        assert_eq!(usuba::ascon::AsconHash256::digest(&data), expected);
        let (head, tail) = data.split_at(length / 3);
        again.update(head);
        again.update(tail);
        assert_eq!(again.finalize_reset(), expected, "{length} bytes in parts, after a reset");
    }
}

#[cfg(primitive = "ascon-cxof128")]
#[test]
fn customized() {
    use usuba::digest::{ExtendableOutput, TryCustomizedInit, Update, XofReader};
    let output = |customization: &[u8], parts: usize| {
        let mut out = [0; 60];
        let mut xof = usuba::ascon::AsconCxof128::try_new_customized(customization).unwrap();
        xof.update(b"a message");
        let mut reader = xof.finalize_xof();
        out.chunks_mut(parts).for_each(|part| reader.read(part));
        out
    };
    assert_eq!(output(b"one", 60), output(b"one", 7));
    assert_ne!(output(b"one", 60), output(b"two", 60));
    let long = usuba::ascon::AsconCxof128::try_new_customized(&[0; 257]);
    assert_eq!(long.err(), Some(usuba::Error::Length));
}

#[cfg(feature = "ascon")]
#[test]
fn permutations() {
    use usuba::ascon::AsconP12;
    let mut states: Vec<[u8; 40]> =
        bytes(40 * 77, 1).chunks(40).map(|state| state.try_into().unwrap()).collect();
    let mut flat = states.concat();
    let mut single = states.clone();
    AsconP12::permute(&mut states);
    AsconP12::permute_bytes(&mut flat).unwrap();
    single.iter_mut().for_each(|state| AsconP12::permute(core::slice::from_mut(state)));
    assert_eq!(states, single);
    assert_eq!(states.concat(), flat);
    assert_eq!(AsconP12::permute_bytes(&mut flat[1..]), Err(usuba::Error::Length));
    assert_eq!(states.concat(), flat);
}
