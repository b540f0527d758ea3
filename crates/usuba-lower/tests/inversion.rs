//! Tables that are inversion in GF(2^8) between affine maps are recognised, and no others.

use usuba_algebra::inversion::inversion_form;
use usuba_ir::bytes::ByteAffine;
use usuba_ir::random::Random;
use usuba_lower::circuits::database;

fn table(sbox: &str) -> Vec<u64> {
    let found = database().iter().find(|one| one.sbox == sbox);
    found.unwrap_or_else(|| panic!("no circuit for {sbox}")).table.clone()
}

#[test]
fn s_boxes_made_of_inversion_are_recognised() {
    for sbox in ["aes", "aes_inv", "aria_s2", "aria_s2_inv", "camellia_s1", "sm4"] {
        let table = table(sbox);
        let form = inversion_form(&table).unwrap_or_else(|| panic!("{sbox} is not recognised"));
        assert_eq!(form.table(), table, "{sbox}");
    }
}

/// RFC 3713, section 2.4.4: the other S-boxes of Camellia are the first one with rotations.
#[test]
fn rotations_are_linear() {
    let first = table("camellia_s1");
    let rotated = |x: u64, by: u32| u64::from((x as u8).rotate_left(by));
    let others: [Vec<u64>; 3] = [
        first.iter().map(|&entry| rotated(entry, 1)).collect(),
        first.iter().map(|&entry| rotated(entry, 7)).collect(),
        (0..256).map(|x| first[rotated(x, 1) as usize]).collect(),
    ];
    for other in others {
        assert_eq!(inversion_form(&other).map(|form| form.table()), Some(other));
    }
}

/// FIPS 197, section 5.1.1; the matrix in the order of bytes and bits that GFNI has.
#[test]
fn the_maps_of_aes_are_those_of_the_standard() {
    let form = inversion_form(&table("aes")).expect("it is made of inversion");
    assert_eq!(form.before, ByteAffine::IDENTITY);
    assert_eq!(form.after.constant, 0x63);
    assert_eq!(form.after.columns, [0x1f, 0x3e, 0x7c, 0xf8, 0xf1, 0xe3, 0xc7, 0x8f]);
    assert_eq!(form.after.matrix(), 0xf1e3_c78f_1f3e_7cf8);
    let inverse = inversion_form(&table("aes_inv")).expect("it is made of inversion");
    assert_eq!(inverse.after, ByteAffine::IDENTITY);
    for x in 0..=255 {
        assert_eq!(inverse.before.of(form.after.of(x)), x);
    }
}

#[test]
fn other_tables_are_not() {
    let mut random = Random::new(3);
    let mut permutation: Vec<u64> = (0..256).collect();
    assert_eq!(inversion_form(&permutation), None, "linear");
    for end in (1..256).rev() {
        permutation.swap(end, random.below(end as u32 + 1) as usize);
    }
    assert_eq!(inversion_form(&permutation), None, "random");
    for sbox in ["skinny8", "skinny8_inv", "present"] {
        assert_eq!(inversion_form(&table(sbox)), None, "{sbox}");
    }
    let mut wrong = table("aes");
    wrong.swap(17, 200);
    assert_eq!(inversion_form(&wrong), None, "two entries have changed places");
    wrong[17] = wrong[200];
    assert_eq!(inversion_form(&wrong), None, "no permutation");
    assert_eq!(inversion_form(&table("aes")[..128]), None, "half a table");
}

/// ByteAffine maps drawn at random, around the S-box of AES.
#[test]
fn random_maps_are_found() {
    let mut random = Random::new(11);
    let aes = table("aes");
    let mut found = 0;
    while found < 12 {
        let mut map = || ByteAffine {
            columns: std::array::from_fn(|_| random.bits() as u8),
            constant: random.bits() as u8,
        };
        let (before, after) = (map(), map());
        let table: Vec<u64> =
            (0..=255u8).map(|x| u64::from(after.of(aes[usize::from(before.of(x))] as u8))).collect();
        let mut images = table.clone();
        images.sort_unstable();
        images.dedup();
        if images.len() < 256 {
            assert_eq!(inversion_form(&table), None, "a map is not invertible");
            continue;
        }
        assert_eq!(inversion_form(&table).map(|form| form.table()), Some(table));
        found += 1;
    }
}
