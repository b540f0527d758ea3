//! The formats and layouts of `usuba-trial/tests/transposition.rs`.

use usuba_transpose::{Arrangement, Format, Image, Order};

/// Every case, of which registers of the given size have some.
pub fn cases(big_endian: bool) -> Vec<Arrangement> {
    let mut cases = Vec::new();
    let mut add = |order, width, words, image, register| {
        cases.push(Arrangement { format: Format { order, width, words }, image, register, big_endian });
    };
    for register in [8, 16, 32, 64] {
        add(Order::Planes, 16, 8, Image::B, register); // AES
        add(Order::Big, 1, 64, Image::B, register); // DES
        add(Order::Nibbles, 16, 4, Image::B, register); // SKINNY-64
        add(Order::Little, 32, 4, Image::B, register); // Serpent
    }
    add(Order::Big, 64, 5, Image::B, 8); // Ascon
    add(Order::Little, 16, 5, Image::B, 16);
    add(Order::Little, 1, 257, Image::B, 8);
    add(Order::Big, 48, 1, Image::B, 16);
    for register in [8, 16, 32, 64] {
        add(Order::Little, 32, 3, Image::B, register); // Pyjamask-96
    }
    add(Order::Big, 4, 16, Image::B, 8);
    add(Order::Planes, 2, 8, Image::B, 8);
    add(Order::Nibbles, 6, 8, Image::B, 8);
    for register in [16, 32, 64] {
        add(Order::Little, 32, 16, Image::V { lane: 4 }, register); // ChaCha20
        add(Order::Big, 64, 5, Image::V { lane: 8 }, register);
        add(Order::Little, 16, 4, Image::V { lane: 2 }, register);
        add(Order::Big, 8, 16, Image::V { lane: 1 }, register); // AES on bytes
        add(Order::Little, 8, 8, Image::V { lane: 1 }, register);
        add(Order::Big, 8, 16, Image::Packed { lane: 1 }, register);
        add(Order::Little, 32, 16, Image::Packed { lane: 4 }, register);
        add(Order::Big, 32, 4, Image::Packed { lane: 4 }, register);
        add(Order::Little, 32, 4, Image::V { lane: 4 }, register); // Serpent
    }
    for lane in [1, 2, 4, 8] {
        add(Order::Big, 8 * lane, 4, Image::V { lane }, lane);
        add(Order::Little, 8, 4, Image::V { lane }, 4 * lane);
    }
    add(Order::Planes, 16, 8, Image::V { lane: 2 }, 16);
    add(Order::Nibbles, 16, 4, Image::V { lane: 2 }, 16);
    add(Order::Nibbles, 32, 4, Image::V { lane: 4 }, 32); // GIFT-128
    for (width, lane) in [(4, 1), (8, 1), (16, 2), (32, 4), (64, 8)] {
        add(Order::Planes, width, 8, Image::V { lane }, lane);
        add(Order::Nibbles, width, 8, Image::V { lane }, lane);
        for register in [16, 32, 64] {
            add(Order::Planes, width, 8, Image::V { lane }, register);
            add(Order::Nibbles, width, 4, Image::V { lane }, register);
        }
    }
    add(Order::Big, 4, 16, Image::V { lane: 1 }, 1);
    add(Order::Big, 48, 3, Image::V { lane: 8 }, 32);
    add(Order::Little, 24, 3, Image::V { lane: 4 }, 16);
    for register in [16, 32, 64] {
        add(Order::Planes, 16, 8, Image::H { batch: 8 }, register); // AES
        add(Order::Little, 16, 4, Image::H { batch: 8 }, register); // RECTANGLE
        add(Order::Big, 8, 4, Image::H { batch: 16 }, register);
        add(Order::Big, 4, 16, Image::H { batch: 32 }, register);
        add(Order::Planes, 2, 8, Image::H { batch: 64 }, register);
        add(Order::Planes, 8, 16, Image::H { batch: 16 }, register); // Camellia
        add(Order::Nibbles, 16, 4, Image::H { batch: 8 }, register); // SKINNY-64
        add(Order::Planes, 4, 32, Image::H { batch: 32 }, register); // SM4
        add(Order::Planes, 4, 64, Image::H { batch: 32 }, register); // PHOTON
        add(Order::Planes, 4, 16, Image::H { batch: 32 }, register);
    }
    for register in [32, 64] {
        add(Order::Little, 32, 4, Image::H { batch: 8 }, register); // Serpent
        add(Order::Big, 32, 4, Image::H { batch: 8 }, register); // GIFTb-128
        add(Order::Nibbles, 32, 4, Image::H { batch: 8 }, register); // GIFT-128
    }
    add(Order::Big, 64, 5, Image::H { batch: 8 }, 64);
    add(Order::Little, 16, 5, Image::H { batch: 8 }, 16);
    for (width, batch) in [(64, 1), (32, 2), (16, 4), (8, 8), (4, 16), (2, 32)] {
        for order in [Order::Big, Order::Little, Order::Planes, Order::Nibbles] {
            if order != Order::Little || width >= 8 {
                add(order, width, 8, Image::BitInterleaved { batch }, 8);
            }
        }
    }
    cases
}
