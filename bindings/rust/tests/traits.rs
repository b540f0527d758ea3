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
    for length in (0..=4096).chain([5000, 100_000]) {
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
    for length in (0..=1100).chain((1100..=4096).step_by(7)).chain([9999]) {
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
    use usuba::serpent::{Serpent128, Serpent128Ctr, Serpent192, Serpent256};
    compare_blocks::<Serpent128, serpent::Serpent>();
    compare_blocks::<Serpent192, serpent::Serpent>();
    compare_blocks::<Serpent256, serpent::Serpent>();
    // The mode of the other crate takes the shortest key only.
    compare_counter::<Serpent128Ctr, ctr::Ctr128BE<serpent::Serpent>>();
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

#[cfg(feature = "camellia")]
#[test]
fn camellia() {
    use usuba::camellia::{Camellia128, Camellia128Ctr, Camellia192, Camellia256, Camellia256Ctr};
    compare_blocks::<Camellia128, camellia::Camellia128>();
    compare_blocks::<Camellia192, camellia::Camellia192>();
    compare_blocks::<Camellia256, camellia::Camellia256>();
    compare_counter::<Camellia128Ctr, ctr::Ctr128BE<camellia::Camellia128>>();
    compare_counter::<Camellia256Ctr, ctr::Ctr128BE<camellia::Camellia256>>();
}

#[cfg(feature = "aria")]
#[test]
fn aria() {
    use usuba::aria::{Aria128, Aria192, Aria256, Aria256Ctr};
    compare_blocks::<Aria128, aria::Aria128>();
    compare_blocks::<Aria192, aria::Aria192>();
    compare_blocks::<Aria256, aria::Aria256>();
    compare_counter::<Aria256Ctr, ctr::Ctr128BE<aria::Aria256>>();
}

#[cfg(feature = "sm4")]
#[test]
fn sm4() {
    compare_blocks::<usuba::sm4::Sm4, sm4::Sm4>();
    compare_counter::<usuba::sm4::Sm4Ctr, ctr::Ctr128BE<sm4::Sm4>>();
}

#[cfg(feature = "gift")]
#[test]
fn gift() {
    compare_blocks::<usuba::gift::Gift128, gift_cipher::Gift128>();
}

#[cfg(feature = "keccak")]
#[test]
fn keccak() {
    let mut states: Vec<[u8; 200]> =
        bytes(200 * 77, 1).chunks(200).map(|state| state.try_into().unwrap()).collect();
    let mut words: Vec<[u64; 25]> = states
        .iter()
        .map(|state| {
            let words = state.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
            words.collect::<Vec<u64>>().try_into().unwrap()
        })
        .collect();
    usuba::keccak::KeccakF1600::permute(&mut states);
    keccak::Keccak::new().with_f1600(|f1600| words.iter_mut().for_each(f1600));
    for (state, words) in states.iter().zip(&words) {
        assert_eq!(state[..], words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    }
}

/// The functions for bytes, which need no arrays of generic sizes, against the traits.
#[cfg(feature = "serpent")]
#[test]
fn bytes_of_blocks() {
    use usuba::serpent::Serpent192;
    let key: [u8; Serpent192::KEY_BYTES] = bytes(24, 3).try_into().unwrap();
    let cipher = Serpent192::from_key(&key);
    let plain = bytes(16 * 100, 4);
    let mut blocks: Vec<Block<Serpent192>> =
        plain.chunks(16).map(|block| Block::<Serpent192>::try_from(block).unwrap()).collect();
    cipher.encrypt_blocks(&mut blocks);
    let expected = blocks.concat();
    let (mut data, mut out) = (plain.clone(), vec![0; plain.len()]);
    cipher.encrypt_bytes(&mut data).unwrap();
    assert_eq!(data, expected);
    cipher.encrypt_bytes_to(&plain, &mut out).unwrap();
    assert_eq!(out, expected);
    cipher.decrypt_bytes_to(&data, &mut out).unwrap();
    assert_eq!(out, plain);
    cipher.decrypt_bytes(&mut data).unwrap();
    assert_eq!(data, plain);
    // What has the wrong size is refused, and nothing is written.
    assert_eq!(cipher.encrypt_bytes(&mut data[1..]), Err(usuba::Error::Length));
    assert_eq!(cipher.decrypt_bytes(&mut data[..15]), Err(usuba::Error::Length));
    assert_eq!(cipher.encrypt_bytes_to(&plain, &mut data[16..]), Err(usuba::Error::Length));
    assert_eq!(cipher.decrypt_bytes_to(&plain[1..], &mut data[1..]), Err(usuba::Error::Length));
    assert_eq!(data, plain);
    // Counter mode goes on from call to call.
    let mut counter = [0xff; 16];
    cipher.ctr_xor(&mut counter, &mut data[..160]);
    assert_eq!(counter, [[0; 15].as_slice(), &[9]].concat()[..]);
    cipher.ctr_xor(&mut counter, &mut data[160..1000]);
    let mut expected = plain;
    usuba::serpent::Serpent192Ctr::new(&key.into(), &[0xff; 16].into())
        .apply_keystream(&mut expected[..1000]);
    assert_eq!(data, expected);
    cipher.encrypt_bytes(&mut []).unwrap();
}

/// Counters of 32 bits, which wrap and leave the other bytes alone, against blocks one at a time.
#[cfg(feature = "rectangle")]
#[test]
fn short_counters() {
    use usuba::rectangle::Rectangle80;
    let cipher = Rectangle80::from_key(&[3; 10]);
    for length in (0..=200).chain([1000, 4096]) {
        let mut counter = [1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfd];
        let mut expected = bytes(length, 5);
        for (number, part) in expected.chunks_mut(8).enumerate() {
            let low = 0xffff_fffd_u32.wrapping_add(number as u32);
            let mut block: [u8; 8] = [[1, 2, 3, 4], low.to_be_bytes()].concat().try_into().unwrap();
            cipher.encrypt_bytes(&mut block).unwrap();
            part.iter_mut().zip(block).for_each(|(byte, key)| *byte ^= key);
        }
        let mut data = bytes(length, 5);
        cipher.ctr32_xor(&mut counter, &mut data).unwrap();
        assert!(data == expected, "{length} bytes");
        let next = 0xffff_fffd_u32.wrapping_add(length.div_ceil(8) as u32);
        assert_eq!(counter[..], [[1, 2, 3, 4], next.to_be_bytes()].concat());
    }
}

#[cfg(feature = "chacha20")]
#[test]
fn bytes_of_streams_and_messages() {
    use usuba::chacha20::{ChaCha20, ChaCha20Poly1305, Poly1305, chacha20_xor};
    let (key, nonce) = ([7; 32], [9; 12]);
    let mut expected = bytes(1000, 1);
    let mut data = expected.clone();
    let mut cipher = ChaCha20::new(&key.into(), &nonce.into());
    cipher.seek(64 * 5_u64);
    cipher.apply_keystream(&mut expected);
    chacha20_xor(&key, &nonce, 5, &mut data).unwrap();
    assert_eq!(data, expected);
    let (mut wrapped, mut first) = ([0; 100], [0; 36]);
    chacha20_xor(&key, &nonce, u32::MAX, &mut wrapped).unwrap();
    chacha20_xor(&key, &nonce, 0, &mut first).unwrap();
    assert_eq!(wrapped[64..], first, "the counter wraps");

    let sealer = ChaCha20Poly1305::from_key(&key);
    let mut text = expected.clone();
    let tag = sealer.seal_in_place(&nonce, b"header", &mut text).unwrap();
    let mut wrong = tag;
    wrong[15] ^= 1;
    let secret = text.clone();
    assert_eq!(sealer.open_in_place(&nonce, b"header", &mut text, &wrong), Err(usuba::Error::Tag));
    assert_eq!(text, secret, "ChaCha20-Poly1305 compares first");
    sealer.open_in_place(&nonce, b"header", &mut text, &tag).unwrap();
    assert_eq!(text, expected);

    let tag = Poly1305::tag(&key, &expected);
    assert_eq!(tag[..], poly1305::Poly1305::new(&key.into()).compute_unpadded(&expected)[..]);
    Poly1305::verify(&key, &expected, &tag).unwrap();
    assert_eq!(Poly1305::verify(&key, &expected[1..], &tag), Err(usuba::Error::Tag));
}

/// Poly1305 as a `Mac`, in pieces, against another crate.
#[cfg(primitive = "poly1305")]
#[test]
fn poly1305() {
    use usuba::digest::{KeyInit, Mac};
    for length in 0..=4096 {
        let key: [u8; 32] = bytes(32, length as u64).try_into().unwrap();
        let data = bytes(length, 77);
        let mut ours = <usuba::chacha20::Poly1305 as KeyInit>::new(&key.into());
        let (head, tail) = data.split_at(length / 3);
        ours.update(head);
        ours.update(tail);
        let expected = poly1305::Poly1305::new(&key.into()).compute_unpadded(&data);
        let mut wrong = expected;
        wrong[length % 16] ^= 1;
        assert!(ours.clone().verify(&wrong).is_err());
        ours.verify(&expected).unwrap();
    }
}

#[cfg(feature = "clyde")]
#[test]
fn tweaks() {
    use usuba::cipher::{TweakBlockCipherDecrypt, TweakBlockCipherEncrypt};
    use usuba::clyde::Clyde128;
    let cipher = Clyde128::from_key(&[5; 16]);
    for count in [0, 1, 2, 7, 8, 33, 200] {
        let (tweaks, plain) = (bytes(16 * count, 1), bytes(16 * count, 2));
        let mut data = plain.clone();
        cipher.encrypt_bytes(&tweaks, &mut data).unwrap();
        for ((tweak, plain), secret) in tweaks.chunks(16).zip(plain.chunks(16)).zip(data.chunks(16)) {
            let (tweak, mut block) = (tweak.try_into().unwrap(), Array::try_from(plain).unwrap());
            cipher.encrypt_block(&tweak, &mut block);
            assert_eq!(block[..], *secret);
            cipher.decrypt_block(&tweak, &mut block);
            assert_eq!(block[..], *plain);
        }
        if count > 0 {
            let before = data.clone();
            assert_eq!(cipher.decrypt_bytes(&tweaks[1..], &mut data), Err(usuba::Error::Length));
            assert_eq!(cipher.encrypt_bytes(&tweaks[1..], &mut data[1..]), Err(usuba::Error::Length));
            assert_eq!(data, before);
        }
        cipher.decrypt_bytes(&tweaks, &mut data).unwrap();
        assert_eq!(data, plain);
    }
}

#[cfg(feature = "trivium")]
#[test]
fn generators() {
    use usuba::trivium::Trivium;
    let nonces: Vec<[u8; 10]> =
        (0..700_u16).map(|i| [i.to_le_bytes(); 5].concat().try_into().unwrap()).collect();
    let mut streams: Vec<Trivium> = nonces.iter().map(|nonce| Trivium::from_key(&[3; 10], nonce)).collect();
    let mut alone = streams.clone();
    for length in [0, 1, 7, 8, 9, 100, 1] {
        let mut rows = vec![bytes(length, 1); streams.len()];
        let mut buffers: Vec<&mut [u8]> = rows.iter_mut().map(|row| &mut row[..]).collect();
        Trivium::apply_keystreams(&mut streams, &mut buffers).unwrap();
        for (stream, row) in alone.iter_mut().zip(&rows) {
            let mut expected = bytes(length, 1);
            stream.apply_keystream(&mut expected);
            assert_eq!(*row, expected);
        }
    }
    // All lengths, against one call.
    let mut keystream = vec![0; 4096];
    Trivium::new(&[3; 10].into(), &[4; 10].into()).write_keystream(&mut keystream);
    for length in 0..=4096 {
        let mut data = vec![0; length];
        let mut stream = Trivium::new_from_slices(&[3; 10], &[4; 10]).unwrap();
        stream.apply_keystream(&mut data[..length / 2]);
        stream.apply_keystream(&mut data[length / 2..]);
        assert!(data == keystream[..length], "{length} bytes");
    }
    let (mut one, mut two) = ([1; 8], [2; 9]);
    let wrong = Trivium::apply_keystreams(&mut streams[..2], &mut [&mut one, &mut two]);
    assert_eq!((wrong, one, two), (Err(usuba::Error::Length), [1; 8], [2; 9]));
    assert!(Trivium::apply_keystreams(&mut streams[..2], &mut [&mut one]).is_err());
    assert!(Trivium::new_from_slices(&[3; 9], &[4; 10]).is_err());
}

#[cfg(primitive = "ascon-aead128")]
#[test]
fn messages_side_by_side() {
    use usuba::ascon::{AsconAead128, AsconCxof128, AsconHash256, AsconXof128};
    let texts: Vec<Vec<u8>> = (0..150).map(|i| bytes(i * 7 % 97, i as u64)).collect();
    let (key, nonces) = ([8; 16], (0..150).map(|i| [i as u8; 16]).collect::<Vec<[u8; 16]>>());
    let (mut data, mut tags) = (texts.clone(), vec![[0; 16]; 150]);
    let call = |open: bool, data: &mut [Vec<u8>], tags: &mut [[u8; 16]]| {
        let parts = nonces.iter().zip(data).zip(tags);
        let mut messages: Vec<usuba::Message<'_, AsconAead128>> = parts
            .map(|((nonce, data), tag)| AsconAead128::message(&key, nonce, b"header", data, tag))
            .collect();
        assert_eq!(messages[0].result(), Err(usuba::Error::Unsupported));
        let result = match open {
            true => AsconAead128::open_batch(&mut messages),
            false => AsconAead128::seal_batch(&mut messages),
        };
        (result, messages.iter().map(usuba::Message::result).collect::<Vec<_>>())
    };
    let (result, results) = call(false, &mut data, &mut tags);
    assert!(result.is_ok() && results.iter().all(Result::is_ok));
    let single = AsconAead128::from_key(&key);
    for (((text, nonce), data), tag) in texts.iter().zip(&nonces).zip(&data).zip(&tags) {
        let mut expected = text.clone();
        assert_eq!(single.seal_in_place(nonce, b"header", &mut expected).unwrap(), *tag);
        assert_eq!(expected, *data);
    }
    tags[7][3] ^= 1;
    let (result, results) = call(true, &mut data, &mut tags);
    assert_eq!(result, Err(usuba::Error::Tag));
    for (number, (text, data)) in texts.iter().zip(&data).enumerate() {
        assert_eq!(results[number].is_ok(), number != 7);
        assert!(if number == 7 { data.iter().all(|&byte| byte == 0) } else { text == data });
    }
    assert_eq!(AsconAead128::seal_batch(&mut []), Ok(()));

    let messages: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
    let mut digests = vec![[0; 32]; 150];
    AsconHash256::hash_batch(&messages, &mut digests).unwrap();
    let mut rows: Vec<Vec<u8>> = (0..150).map(|i| vec![0; i % 70]).collect();
    let mut custom = rows.clone();
    let mut outputs: Vec<&mut [u8]> = rows.iter_mut().map(|row| &mut row[..]).collect();
    AsconXof128::output_batch(&messages, &mut outputs).unwrap();
    let mut outputs: Vec<&mut [u8]> = custom.iter_mut().map(|row| &mut row[..]).collect();
    AsconCxof128::output_batch(&messages, &messages, &mut outputs).unwrap();
    for number in 0..150 {
        assert_eq!(digests[number], AsconHash256::hash(messages[number]));
        let mut out = vec![0; number % 70];
        AsconXof128::output(messages[number], &mut out);
        assert_eq!(rows[number], out);
        AsconCxof128::output(messages[number], messages[number], &mut out).unwrap();
        assert_eq!(custom[number], out);
    }
    assert_eq!(AsconHash256::hash_batch(&messages[1..], &mut digests), Err(usuba::Error::Length));
    let mut outputs: Vec<&mut [u8]> = rows.iter_mut().map(|row| &mut row[..]).collect();
    assert_eq!(AsconXof128::output_batch(&messages[1..], &mut outputs), Err(usuba::Error::Length));
    let long = [&[0; 257][..]; 150];
    let before = custom.clone();
    let mut outputs: Vec<&mut [u8]> = custom.iter_mut().map(|row| &mut row[..]).collect();
    assert_eq!(AsconCxof128::output_batch(&long, &messages, &mut outputs), Err(usuba::Error::Length));
    assert_eq!(custom, before);
}

#[cfg(primitive = "ascon-xof128")]
#[test]
fn ascon_xof() {
    use usuba::digest::{ExtendableOutput, Update, XofReader};
    for length in (0..=4096).step_by(13) {
        let data = bytes(length, 1);
        let (mut ours, mut theirs) = (vec![0; length / 5], vec![0; length / 5]);
        usuba::ascon::AsconXof128::output(&data, &mut ours);
        let mut other = ascon_xof128::AsconXof128::default();
        other.update(&data);
        other.finalize_xof().read(&mut theirs);
        assert_eq!(ours, theirs, "{length} bytes");
    }
}

/// Subterranean-SAE has no other crate: every length against a batch of all lengths, which goes another way.
#[cfg(primitive = "subterranean-sae")]
#[test]
fn subterranean_sae() {
    use usuba::subterranean::SubterraneanSae;
    let (key, nonce) = ([1; 16], [2; 16]);
    let mut texts: Vec<Vec<u8>> = (0..=4096_usize).step_by(5).map(|length| bytes(length, 9)).collect();
    let mut tags = vec![[0; 16]; texts.len()];
    let mut messages: Vec<usuba::Message<'_, SubterraneanSae>> = texts
        .iter_mut()
        .zip(&mut tags)
        .map(|(text, tag)| SubterraneanSae::message(&key, &nonce, b"header", text, tag))
        .collect();
    SubterraneanSae::seal_batch(&mut messages).unwrap();
    drop(messages);
    let cipher = SubterraneanSae::from_key(&key);
    for (text, tag) in texts.iter().zip(&tags).step_by(3) {
        let mut alone = bytes(text.len(), 9);
        assert_eq!(cipher.seal_in_place(&nonce, b"header", &mut alone).unwrap(), *tag);
        assert!(alone == *text, "{} bytes", text.len());
        assert_eq!(cipher.open_in_place(&nonce, b"headers", &mut alone, tag), Err(usuba::Error::Tag));
        assert!(alone.iter().all(|&byte| byte == 0));
    }
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
    for length in 0..=4096 {
        let (message, ad) = (bytes(length, 3), bytes(length % 37, 4));
        let sealed = ours.encrypt(&nonce, Payload { msg: &message, aad: &ad }).unwrap();
        let expected = theirs.encrypt(&nonce, Payload { msg: &message, aad: &ad }).unwrap();
        assert!(sealed == expected, "{length} bytes");
        assert!(ours.decrypt(&nonce, Payload { msg: &sealed, aad: &ad }).unwrap() == message);
        if length > 300 && length % 64 != 0 {
            continue;
        }
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

#[cfg(primitive = "aes-256-gcm")]
#[test]
fn aes_modes() {
    use aes::cipher::consts::{U12, U16};
    compare_aeads::<usuba::aes::Aes128Gcm, aes_gcm::Aes128Gcm>();
    compare_aeads::<usuba::aes::Aes256Gcm, aes_gcm::Aes256Gcm>();
    compare_aeads::<usuba::aes::Aes128GcmSiv, aes_gcm_siv::Aes128GcmSiv>();
    compare_aeads::<usuba::aes::Aes256GcmSiv, aes_gcm_siv::Aes256GcmSiv>();
    compare_aeads::<usuba::aes::Aes128Ccm, ccm::Ccm<aes::Aes128, U16, U12>>();
    compare_aeads::<usuba::aes::Aes256Ocb3, ocb3::Ocb3<aes::Aes256, U12, U16>>();
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
    for length in 0..=4096 {
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
