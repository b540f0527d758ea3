//! XTS and GMAC of AES: published answers, XTS against its definition over the block cipher, GMAC against GCM without a text, and
//! what is refused.
#![cfg(feature = "aes")]

use usuba::Error;
use usuba::aead::{AeadInOut, KeyInit};
use usuba::aes::{Aes128, Aes128Gcm, Aes128Gmac, Aes128Xts, Aes256Xts};
use usuba::cipher::BlockCipherEncrypt;

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// IEEE 1619-2018, annex B: vectors 2 and 15, the second of which ends within a block.
#[test]
fn published_units() {
    for (key, number, plain, secret) in [
        (
            "1111111111111111111111111111111122222222222222222222222222222222",
            0x33_3333_3333,
            "4444444444444444444444444444444444444444444444444444444444444444",
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
        (
            "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
            0x12_3456_789a,
            "000102030405060708090a0b0c0d0e0f10",
            "6c1625db4671522d3d7599601de7ca09ed",
        ),
    ] {
        let cipher = Aes128Xts::from_key(bytes(key).as_slice().try_into().unwrap());
        let mut data = bytes(plain);
        cipher.encrypt_unit(number, &mut data).unwrap();
        assert_eq!(data, bytes(secret));
        let mut out = vec![0; data.len()];
        cipher.decrypt_unit_to(number, &data, &mut out).unwrap();
        assert_eq!(out, bytes(plain));
    }
}

/// Whole blocks of many units, as the standard defines them.
#[test]
fn units_by_their_definition() {
    let key: [u8; 32] = std::array::from_fn(|at| (at * 11 + 3) as u8);
    let cipher = Aes128Xts::from_key(&key);
    let [blocks, tweaks] =
        [&key[..16], &key[16..]].map(|key| <Aes128 as usuba::cipher::KeyInit>::new_from_slice(key).unwrap());
    for number in [0_u128, 1, 255, 256, 1 << 64, u128::MAX] {
        let plain: Vec<u8> = (0..16 * 33).map(|at| (at * 7 + number as usize % 251) as u8).collect();
        let mut tweak = number.to_le_bytes();
        tweaks.encrypt_block((&mut tweak).into());
        let mut expected = plain.clone();
        for block in expected.chunks_mut(16) {
            let add = |block: &mut [u8]| block.iter_mut().zip(tweak).for_each(|(byte, tweak)| *byte ^= tweak);
            add(block);
            blocks.encrypt_block(block.try_into().unwrap());
            add(block);
            let value = u128::from_le_bytes(tweak);
            tweak = (value << 1 ^ (value >> 127) * 0x87).to_le_bytes();
        }
        let mut found = plain.clone();
        cipher.encrypt_unit(number, &mut found).unwrap();
        assert_eq!(found, expected, "{number}");
        cipher.decrypt_unit(number, &mut found).unwrap();
        assert_eq!(found, plain, "{number}");
    }
}

#[test]
fn refused_units() {
    let cipher = Aes256Xts::from_key(&std::array::from_fn(|at| at as u8));
    let mut short = [1; 15];
    assert_eq!(cipher.encrypt_unit(0, &mut short), Err(Error::Length));
    assert_eq!(short, [1; 15]);
    assert_eq!(cipher.decrypt_unit(0, &mut []), Err(Error::Length));
    assert_eq!(cipher.encrypt_unit_to(0, &[0; 32], &mut [0; 31]), Err(Error::Length));
}

/// GMAC is GCM without a text (SP 800-38D, section 3).
#[test]
fn tags_with_a_nonce() {
    let key: [u8; 16] = std::array::from_fn(|at| (at * 5 + 1) as u8);
    let (mac, aead) = (Aes128Gmac::from_key(&key), Aes128Gcm::new((&key).into()));
    for length in [0, 1, 15, 16, 17, 63, 64, 100, 1000] {
        let message: Vec<u8> = (0..length).map(|at| (at * 13) as u8).collect();
        let nonce: [u8; 12] = std::array::from_fn(|at| (at + length) as u8);
        let tag = mac.tag(&nonce, &message).unwrap();
        let mut nothing: [u8; 0] = [];
        let expected =
            aead.encrypt_inout_detached((&nonce).into(), &message, nothing.as_mut_slice().into()).unwrap();
        assert_eq!(tag.as_slice(), expected.as_slice(), "{length}");
        assert_eq!(mac.verify(&nonce, &message, &tag), Ok(()));
        let mut other = tag;
        other[length % 16] ^= 8;
        assert_eq!(mac.verify(&nonce, &message, &other), Err(Error::Tag));
    }
    // Test case 1 of D. McGrew, J. Viega, "The Galois/Counter Mode of Operation".
    let zero = Aes128Gmac::from_key(&[0; 16]);
    assert_eq!(zero.tag(&[0; 12], &[]).unwrap().as_slice(), bytes("58e2fccefa7e3061367f1d57a4e7455a"));
    assert_eq!(zero.tag(&[], &[]), Err(Error::Length));
}
