//! CBC, CFB, OFB and CMAC through the traits of RustCrypto and as functions on bytes, against RustCrypto's own modes over the same
//! and over other crates' ciphers.
//!
//! Which ciphers are compared depends on the features; `scripts/bindings.sh` says which runs have which.

#![allow(dead_code, unused_imports, unused_macros, reason = "what is compared depends on the features")]

use usuba::cipher::block_padding::{NoPadding, Pkcs7};
use usuba::cipher::{
    Array, Block, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, Iv, IvSizeUser, IvState,
    Key, KeyInit, KeyIvInit, KeySizeUser, SetIvState, StreamCipher,
};
use usuba::{AnyLength, ChainedMode, Decryptor, Encryptor, Ofb, OfbCore};

/// Bytes that look random.
fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2) + 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn key_of<T: KeySizeUser>() -> Key<T> {
    Key::<T>::try_from(&bytes(T::key_size(), 5)[..]).unwrap()
}

fn vector_of<T: IvSizeUser>() -> Iv<T> {
    Iv::<T>::try_from(&bytes(T::iv_size(), 6)[..]).unwrap()
}

/// Both directions of a mode, for whole blocks: all at once, one by one, in parts, and padded.
fn compare_blocks<K, TheirEnc, TheirDec>(most: usize)
where
    K: ChainedMode + KeyInit + Clone,
    TheirEnc: BlockModeEncrypt<BlockSize = K::BlockSize> + KeyIvInit<IvSize = K::VectorSize>,
    TheirDec: BlockModeDecrypt<BlockSize = K::BlockSize> + KeyIvInit<IvSize = K::VectorSize>,
{
    let (key, vector) = (key_of::<K>(), vector_of::<Encryptor<K>>());
    let block = K::block_size();
    let blocks_of = |data: &[u8]| -> Vec<Block<K>> {
        data.chunks(block).map(|block| Block::<K>::try_from(block).unwrap()).collect()
    };
    for count in (0..=most).chain([100, 129, 300]) {
        let plain = blocks_of(&bytes(count * block, count as u64));
        let mut expected = plain.clone();
        TheirEnc::new_from_slices(&key, &vector).unwrap().encrypt_blocks(&mut expected);

        let mut secret = plain.clone();
        let mut ours = Encryptor::<K>::new_from_slices(&key, &vector).unwrap();
        ours.encrypt_blocks(&mut secret);
        assert!(secret == expected, "{count} blocks in place");
        // In parts, from one place to another, and block by block.
        let (mut parts, mut single) =
            (Encryptor::<K>::new(&key, &vector), Encryptor::<K>::new(&key, &vector));
        let mut apart = vec![Block::<K>::default(); count];
        let middle = count / 3;
        parts.encrypt_blocks_b2b(&plain[..middle], &mut apart[..middle]).unwrap();
        parts.encrypt_blocks_b2b(&plain[middle..], &mut apart[middle..]).unwrap();
        assert!(apart == expected, "{count} blocks in two parts");
        assert!(parts.encrypt_blocks_b2b(&plain, &mut vec![Block::<K>::default(); count + 1]).is_err());
        secret.clone_from(&plain);
        secret.iter_mut().for_each(|one| single.encrypt_block(one));
        assert!(secret == expected, "{count} blocks one by one");
        assert_eq!(parts.iv_state(), single.iv_state());

        let mut theirs = expected.clone();
        TheirDec::new_from_slices(&key, &vector).unwrap().decrypt_blocks(&mut theirs);
        assert!(theirs == plain);
        let mut ours = Decryptor::<K>::inner_iv_init(K::new(&key), &vector);
        ours.decrypt_blocks(&mut secret[..middle]);
        ours.decrypt_blocks(&mut secret[middle..]);
        assert!(secret == plain, "{count} blocks back");
        assert_eq!(ours.iv_state(), parts.iv_state());
        ours.set_iv(&vector);
        ours.decrypt_blocks_b2b(&expected, &mut apart).unwrap();
        assert!(apart == plain, "{count} blocks back from one place to another");
    }
    if block > 1 {
        for length in 0..=5 * block {
            let message = bytes(length, 7);
            let (mut ours, mut theirs) = (vec![0; length + block], vec![0; length + block]);
            let ours =
                Encryptor::<K>::new(&key, &vector).encrypt_padded_b2b::<Pkcs7>(&message, &mut ours).unwrap();
            let theirs = TheirEnc::new_from_slices(&key, &vector)
                .unwrap()
                .encrypt_padded_b2b::<Pkcs7>(&message, &mut theirs)
                .unwrap();
            assert_eq!(ours, theirs);
            let mut back = ours.to_vec();
            let back = Decryptor::<K>::new(&key, &vector).decrypt_padded::<Pkcs7>(&mut back).unwrap();
            assert_eq!(back, message);
            let is_whole = length.is_multiple_of(block);
            let unpadded =
                Decryptor::<K>::new(&key, &vector).decrypt_padded::<NoPadding>(&mut message.clone()).is_ok();
            assert_eq!(unpadded, is_whole);
        }
    }
    assert!(Encryptor::<K>::new_from_slices(&key, &[0; 3]).is_err());
    assert!(Encryptor::<K>::new_from_slices(&key[1..], &vector).is_err());
    assert!(format!("{:?}", Encryptor::<K>::new(&key, &vector)).starts_with("Encryptor"));
}

/// Messages of any length in cipher feedback: all up to `most`.
fn compare_lengths<K: AnyLength + KeyInit>(
    most: usize,
    theirs: impl Fn(bool, &Key<K>, &Iv<Encryptor<K>>, &mut [u8]),
) {
    let (key, vector) = (key_of::<K>(), vector_of::<Encryptor<K>>());
    for length in 0..=most {
        let plain = bytes(length, length as u64);
        let (mut expected, mut data, mut out) = (plain.clone(), plain.clone(), vec![0; length]);
        theirs(true, &key, &vector, &mut expected);
        Encryptor::<K>::new(&key, &vector).encrypt(&mut data);
        assert!(data == expected, "{length} bytes");
        Encryptor::<K>::new(&key, &vector).encrypt_b2b(&plain, &mut out).unwrap();
        assert!(out == expected, "{length} bytes from one place to another");
        theirs(false, &key, &vector, &mut expected);
        assert!(expected == plain);
        Decryptor::<K>::new(&key, &vector).decrypt_b2b(&data, &mut out).unwrap();
        Decryptor::<K>::new(&key, &vector).decrypt(&mut data);
        assert!(data == plain && out == plain, "{length} bytes back");
        assert!(Decryptor::<K>::new(&key, &vector).decrypt_b2b(&data, &mut vec![0; length + 1]).is_err());
    }
}

/// Two stream ciphers that must be the same, for all lengths up to `most`, in parts that end within blocks.
fn compare_streams<Ours, Theirs>(most: usize)
where
    Ours: StreamCipher + KeyIvInit,
    Theirs: StreamCipher + KeyIvInit<IvSize = Ours::IvSize>,
{
    let (key, vector) = (key_of::<Ours>(), vector_of::<Ours>());
    for length in (0..=most).chain([4096, 5001]) {
        let mut data = bytes(length, length as u64);
        let mut expected = data.clone();
        let mut ours = Ours::new(&key, &vector);
        let (head, tail) = data.split_at_mut(length / 3);
        ours.apply_keystream(head);
        ours.apply_keystream(tail);
        Theirs::new_from_slices(&key, &vector).unwrap().apply_keystream(&mut expected);
        assert!(data == expected, "{length} bytes");
    }
    let mut keystream = vec![1; 333];
    Ours::new(&key, &vector).write_keystream(&mut keystream);
    let mut expected = vec![0; 333];
    Theirs::new_from_slices(&key, &vector).unwrap().apply_keystream(&mut expected);
    assert_eq!(keystream, expected);
}

/// Two authenticators that must be the same, in pieces, and over many messages at once.
fn compare_macs<Ours, Theirs>(most: usize)
where
    Ours: usuba::digest::Mac + usuba::digest::FixedOutputReset + KeyInit + Clone,
    Theirs: usuba::digest::Mac<OutputSize = Ours::OutputSize> + KeyInit,
{
    let key = key_of::<Ours>();
    let fresh = <Ours as KeyInit>::new(&key);
    let mut again = fresh.clone();
    for length in 0..=most {
        let message = bytes(length, length as u64);
        let mut theirs = <Theirs as KeyInit>::new_from_slice(&key).unwrap();
        theirs.update(&message);
        let expected = theirs.finalize().into_bytes();
        let mut ours = fresh.clone();
        message.chunks(1 + length % 23).for_each(|part| usuba::digest::Mac::update(&mut ours, part));
        let mut wrong = expected.clone();
        wrong[length % 8] ^= 1;
        assert!(ours.clone().verify(&wrong).is_err());
        ours.clone().verify(&expected).unwrap();
        ours.verify_truncated_left(&expected[..5]).unwrap();
        usuba::digest::Mac::update(&mut again, &message);
        assert!(again.finalize_reset().into_bytes() == expected, "{length} bytes, after a reset");
    }
}

/// The functions on bytes of a mode, and those for many messages at once, against each other and against the traits.
macro_rules! bytes_of_mode {
    ($key:ty, $encryptor:ty, step $step:literal) => {{
        const BLOCK: usize = <$key>::BLOCK_BYTES;
        let key = <$key>::from_key(&bytes(<$key>::KEY_BYTES, 5).try_into().unwrap());
        let vectors: Vec<[u8; BLOCK]> = (0..600).map(|i| bytes(BLOCK, 50 + i).try_into().unwrap()).collect();
        // Messages of unequal lengths, more than a call has.
        let plain: Vec<Vec<u8>> =
            (0..600_usize).map(|i| bytes(i * 13 % (4 * BLOCK) / $step * $step, i as u64)).collect();
        for count in [0, 1, 2, 7, 256, 257, 600] {
            let (mut left, mut data) = (vectors[..count].to_vec(), plain[..count].to_vec());
            let mut rows: Vec<&mut [u8]> = data.iter_mut().map(|row| &mut row[..]).collect();
            key.encrypt_batch(&mut left, &mut rows).unwrap();
            for number in 0..count {
                let (mut vector, mut single) = (vectors[number], plain[number].clone());
                key.encrypt_bytes(&mut vector, &mut single).unwrap();
                assert!(data[number] == single && left[number] == vector, "message {number} of {count}");
                let (mut vector, mut out) = (vectors[number], vec![0; single.len()]);
                key.encrypt_bytes_to(&mut vector, &plain[number], &mut out).unwrap();
                assert!(out == single && left[number] == vector);
                let mut vector = vectors[number];
                key.decrypt_bytes_to(&mut vector, &single, &mut out).unwrap();
                assert!(out == plain[number] && left[number] == vector);
                let mut vector = vectors[number];
                key.decrypt_bytes(&mut vector, &mut single).unwrap();
                assert!(single == plain[number] && left[number] == vector);
            }
        }
        // Against the traits.
        let mut expected = bytes(8 * BLOCK, 1);
        let mut data = expected.clone();
        let blocks = <Block<$key>>::slice_as_chunks_mut(&mut expected).0;
        <$encryptor>::inner_iv_init(key.clone(), &vectors[0].into()).encrypt_blocks(blocks);
        let mut vector = vectors[0];
        key.encrypt_bytes(&mut vector, &mut data[..3 * BLOCK]).unwrap();
        key.encrypt_bytes(&mut vector, &mut data[3 * BLOCK..]).unwrap();
        assert_eq!(data, expected);
        // What has the wrong size is refused, and nothing is written.
        let (mut vector, mut out) = (vectors[0], vec![9; 3 * BLOCK]);
        let refused = Err(usuba::Error::Length);
        assert_eq!(key.encrypt_bytes_to(&mut vector, &data[..BLOCK], &mut out[..2 * BLOCK]), refused);
        assert_eq!(key.decrypt_bytes_to(&mut vector, &data[..BLOCK], &mut out[..2 * BLOCK]), refused);
        let (mut one, mut other) = (out.clone(), out.clone());
        assert_eq!(key.encrypt_batch(&mut vectors[..1].to_vec(), &mut [&mut one, &mut other]), refused);
        if $step > 1 {
            assert_eq!(key.encrypt_bytes(&mut vector, &mut out[1..]), refused);
            assert_eq!(key.decrypt_bytes(&mut vector, &mut out[1..]), refused);
            let mut both = vectors[..2].to_vec();
            assert_eq!(key.encrypt_batch(&mut both, &mut [&mut one, &mut other[1..]]), refused);
            assert_eq!(both, vectors[..2]);
        }
        assert!(
            [&out, &one, &other].iter().all(|data| data.iter().all(|&byte| byte == 9))
                && vector == vectors[0]
        );
    }};
}

/// The same of output feedback.
macro_rules! bytes_of_ofb {
    ($key:ty) => {{
        const BLOCK: usize = <$key>::BLOCK_BYTES;
        let key = <$key>::from_key(&bytes(<$key>::KEY_BYTES, 5).try_into().unwrap());
        let vectors: Vec<[u8; BLOCK]> = (0..300).map(|i| bytes(BLOCK, 50 + i).try_into().unwrap()).collect();
        let plain: Vec<Vec<u8>> = (0..300_usize).map(|i| bytes(i * 13 % (4 * BLOCK), i as u64)).collect();
        for count in [0, 1, 2, 300] {
            let (mut left, mut data) = (vectors[..count].to_vec(), plain[..count].to_vec());
            let mut rows: Vec<&mut [u8]> = data.iter_mut().map(|row| &mut row[..]).collect();
            key.xor_batch(&mut left, &mut rows).unwrap();
            for number in 0..count {
                let mut expected = plain[number].clone();
                Ofb::from_core(OfbCore::inner_iv_init(key.clone(), &vectors[number].into()))
                    .apply_keystream(&mut expected);
                let (mut vector, mut single) = (vectors[number], plain[number].clone());
                key.xor_bytes(&mut vector, &mut single).unwrap();
                assert!(data[number] == expected && single == expected && left[number] == vector);
                key.xor_bytes_to(&mut vectors[number].clone(), &expected, &mut single).unwrap();
                assert_eq!(single, plain[number]);
            }
        }
        // Whole blocks go on.
        let (mut data, mut vector) = (bytes(6 * BLOCK, 1), vectors[0]);
        let mut expected = data.clone();
        Ofb::from_core(OfbCore::inner_iv_init(key.clone(), &vectors[0].into()))
            .apply_keystream(&mut expected);
        key.xor_bytes(&mut vector, &mut data[..2 * BLOCK]).unwrap();
        key.xor_bytes(&mut vector, &mut data[2 * BLOCK..]).unwrap();
        assert_eq!(data, expected);
        let mut out = vec![9; BLOCK];
        assert_eq!(key.xor_bytes_to(&mut vector, &data, &mut out), Err(usuba::Error::Length));
        assert_eq!(key.xor_batch(&mut [], &mut [&mut out]), Err(usuba::Error::Length));
        assert_eq!(out, vec![9; BLOCK]);
    }};
}

/// The functions of CMAC on whole messages.
macro_rules! bytes_of_cmac {
    ($mac:ty, $key:ty) => {{
        const TAG: usize = <$key>::TAG_BYTES;
        let key_bytes = bytes(<$key>::KEY_BYTES, 5).try_into().unwrap();
        let key = <$key>::from_key(&key_bytes);
        let messages: Vec<Vec<u8>> = (0..600_usize).map(|i| bytes(i * 7 % (5 * TAG), i as u64)).collect();
        let references: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        for count in [0, 1, 2, 256, 257, 600] {
            let mut tags = vec![[0; TAG]; count];
            key.tag_batch(&references[..count], &mut tags).unwrap();
            for (message, tag) in references.iter().zip(&tags) {
                let mut mac = <$mac as KeyInit>::new(&key_bytes.into());
                usuba::digest::Update::update(&mut mac, message);
                assert_eq!(usuba::digest::FixedOutput::finalize_fixed(mac)[..], *tag);
                assert_eq!(key.tag(message), *tag);
            }
        }
        let tag = <$mac>::tag(&key_bytes, b"a message");
        assert_eq!(tag, key.tag(b"a message"));
        key.verify(b"a message", &tag).unwrap();
        <$mac>::verify(&key_bytes, b"a message", &tag).unwrap();
        assert_eq!(key.verify(b"another message", &tag), Err(usuba::Error::Tag));
        assert_eq!(<$mac>::verify(&key_bytes, b"another message", &tag), Err(usuba::Error::Tag));
        let mut tags = [[9; TAG]; 2];
        assert_eq!(key.tag_batch(&references[..1], &mut tags), Err(usuba::Error::Length));
        assert_eq!(tags, [[9; TAG]; 2]);
    }};
}

#[cfg(primitive = "aes-256-cfb8")]
#[test]
fn aes() {
    use usuba::aes::*;
    compare_blocks::<Aes128CbcKey, cbc::Encryptor<aes::Aes128>, cbc::Decryptor<aes::Aes128>>(70);
    compare_blocks::<Aes192CbcKey, cbc::Encryptor<aes::Aes192>, cbc::Decryptor<aes::Aes192>>(70);
    compare_blocks::<Aes256CbcKey, cbc::Encryptor<aes::Aes256>, cbc::Decryptor<aes::Aes256>>(70);
    compare_blocks::<Aes128CfbKey, cfb_mode::Encryptor<aes::Aes128>, cfb_mode::Decryptor<aes::Aes128>>(70);
    compare_blocks::<Aes256CfbKey, cfb_mode::Encryptor<aes::Aes256>, cfb_mode::Decryptor<aes::Aes256>>(70);
    compare_blocks::<Aes192Cfb8Key, cfb8::Encryptor<aes::Aes192>, cfb8::Decryptor<aes::Aes192>>(70);
    compare_lengths::<Aes192CfbKey>(600, |encrypts, key, vector, data| match encrypts {
        true => cfb_mode::Encryptor::<aes::Aes192>::new(key, vector).encrypt(data),
        false => cfb_mode::Decryptor::<aes::Aes192>::new(key, vector).decrypt(data),
    });
    compare_lengths::<Aes256Cfb8Key>(150, |encrypts, key, vector, data| match encrypts {
        true => cfb8::Encryptor::<aes::Aes256>::new(key, vector).encrypt(data),
        false => cfb8::Decryptor::<aes::Aes256>::new(key, vector).decrypt(data),
    });
    compare_streams::<Aes128Ofb, ofb::Ofb<aes::Aes128>>(600);
    compare_streams::<Aes256Ofb, ofb::Ofb<aes::Aes256>>(600);
    compare_macs::<Aes128Cmac, cmac::Cmac<aes::Aes128>>(600);
    compare_macs::<Aes192Cmac, cmac::Cmac<aes::Aes192>>(600);
    compare_macs::<Aes256Cmac, cmac::Cmac<aes::Aes256>>(600);
    bytes_of_mode!(Aes256CbcKey, Aes256CbcEnc, step 16);
    bytes_of_mode!(Aes256CfbKey, Aes256CfbEnc, step 1);
    bytes_of_mode!(Aes128Cfb8Key, Aes128Cfb8Enc, step 1);
    bytes_of_ofb!(Aes192OfbKey);
    bytes_of_cmac!(Aes128Cmac, Aes128CmacKey);
}

#[cfg(feature = "des")]
#[test]
fn des() {
    use usuba::des::*;
    compare_blocks::<DesCbcKey, cbc::Encryptor<des::Des>, cbc::Decryptor<des::Des>>(70);
    compare_blocks::<TdesEde3CbcKey, cbc::Encryptor<des::TdesEde3>, cbc::Decryptor<des::TdesEde3>>(30);
    compare_lengths::<TdesEde3CfbKey>(100, |encrypts, key, vector, data| match encrypts {
        true => cfb_mode::Encryptor::<des::TdesEde3>::new(key, vector).encrypt(data),
        false => cfb_mode::Decryptor::<des::TdesEde3>::new(key, vector).decrypt(data),
    });
    compare_streams::<DesOfb, ofb::Ofb<des::Des>>(100);
    compare_macs::<TdesEde3Cmac, cmac::Cmac<des::TdesEde3>>(100);
    bytes_of_mode!(DesCbcKey, DesCbcEnc, step 8);
    bytes_of_cmac!(DesCmac, DesCmacKey);
}

/// RustCrypto's modes over the cipher of this crate: it is the modes that are compared.
#[cfg(feature = "rectangle")]
#[test]
fn rectangle() {
    use usuba::rectangle::*;
    compare_blocks::<Rectangle80CbcKey, cbc::Encryptor<Rectangle80>, cbc::Decryptor<Rectangle80>>(70);
    compare_blocks::<Rectangle128CfbKey, cfb_mode::Encryptor<Rectangle128>, cfb_mode::Decryptor<Rectangle128>>(
        70,
    );
    compare_lengths::<Rectangle80CfbKey>(200, |encrypts, key, vector, data| match encrypts {
        true => cfb_mode::Encryptor::<Rectangle80>::new(key, vector).encrypt(data),
        false => cfb_mode::Decryptor::<Rectangle80>::new(key, vector).decrypt(data),
    });
    compare_streams::<Rectangle80Ofb, ofb::Ofb<Rectangle80>>(200);
    bytes_of_mode!(Rectangle80CbcKey, Rectangle80CbcEnc, step 8);
    bytes_of_mode!(Rectangle128CfbKey, Rectangle128CfbEnc, step 1);
    bytes_of_ofb!(Rectangle80OfbKey);
}

#[cfg(feature = "camellia")]
#[test]
fn camellia() {
    use usuba::camellia::*;
    compare_blocks::<
        Camellia256CbcKey,
        cbc::Encryptor<camellia::Camellia256>,
        cbc::Decryptor<camellia::Camellia256>,
    >(70);
    compare_streams::<Camellia128Ofb, ofb::Ofb<camellia::Camellia128>>(100);
    compare_macs::<Camellia128Cmac, cmac::Cmac<camellia::Camellia128>>(100);
    bytes_of_mode!(Camellia128CbcKey, Camellia128CbcEnc, step 16);
}

#[cfg(feature = "noekeon")]
#[test]
fn noekeon() {
    use usuba::noekeon::*;
    compare_blocks::<NoekeonDirectCbcKey, cbc::Encryptor<NoekeonDirect>, cbc::Decryptor<NoekeonDirect>>(70);
    compare_streams::<NoekeonIndirectOfb, ofb::Ofb<NoekeonIndirect>>(100);
    bytes_of_cmac!(NoekeonDirectCmac, NoekeonDirectCmacKey);
}
