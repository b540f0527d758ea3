//! Prints the networks of the cases of `bench/transposition.c` for a target, as a C header.

use usuba_package::driver::transposition::{Transposition, Wanted, functions};
use usuba_package::driver::{Format, Image, format_definition};
use usuba_package::order::Order;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(target) = usuba_target::by_name(&name) else {
        eprintln!("no target `{name}`: name one of `usubac targets`");
        std::process::exit(1);
    };
    let register = target.register_bits as usize / 8;
    let mut text = format!("#define SIZE {register}\n\n");
    for (name, order, width, words, image, register) in [
        ("aes_b", Order::Planes, 16, 8, Image::B, register),
        ("serpent_b", Order::Little, 32, 4, Image::B, register),
        ("des_b", Order::Big, 1, 64, Image::B, register),
        ("rectangle_b", Order::Little, 16, 4, Image::B, register),
        ("aes_b8", Order::Planes, 16, 8, Image::B, 8),
        ("des_b8", Order::Big, 1, 64, Image::B, 8),
        ("serpent_v", Order::Little, 32, 4, Image::V { lane: 4 }, register),
        ("chacha_v", Order::Little, 32, 16, Image::V { lane: 4 }, register),
        ("ascon_v", Order::Big, 64, 5, Image::V { lane: 8 }, register),
        ("rectangle_v", Order::Little, 16, 4, Image::V { lane: 2 }, register),
        ("gift_v", Order::Nibbles, 32, 4, Image::V { lane: 4 }, register),
        ("aes_h", Order::Planes, 16, 8, Image::H { batch: 8 }, register),
        ("camellia_h", Order::Planes, 8, 16, Image::H { batch: 16 }, register),
        ("sm4_h", Order::Planes, 4, 32, Image::H { batch: 32 }, register),
        ("rectangle_h", Order::Little, 16, 4, Image::H { batch: 8 }, register),
        ("gift_64_h", Order::Nibbles, 16, 4, Image::H { batch: 8 }, register),
        ("gift_128_h", Order::Nibbles, 32, 4, Image::H { batch: 8 }, register),
        ("serpent_h", Order::Little, 32, 4, Image::H { batch: 8 }, register),
    ]
    .into_iter()
    .filter(|(name, ..)| name.contains(&std::env::args().nth(2).unwrap_or_default()))
    {
        let instances = match image {
            Image::B => 8 * register as u32,
            Image::V { lane } | Image::Packed { lane } => (register / lane) as u32,
            Image::H { .. } => 8 * register as u32 / width,
            Image::BitInterleaved { batch } => batch as u32,
        };
        let format = Format { order, width, words, bytes: width * words / 8 };
        text += &format_definition(&format!("{name}_format"), &format);
        let wanted = Wanted { pack: true, unpack: true, add: true };
        let (calls, headers) = functions(&[Transposition { name, format, image, instances, wanted }], target);
        for line in calls.lines() {
            let included = headers.iter().find(|header| line == format!("#include \"{}\"", header.path));
            text += included.map_or(line, |header| &header.contents);
            text.push('\n');
        }
    }
    print!("{text}");
}
