//! Prints the networks of the cases of `bench/transposition.c` for a target, as a C header.

use usuba_transpose::moves::Machine;
use usuba_transpose::{Arrangement, Format, Image, Order, Plan, c};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(target) = usuba_target::by_name(&name) else {
        eprintln!("no target `{name}`: name one of `usubac targets`");
        std::process::exit(1);
    };
    let machine = Machine { target, big_endian: false };
    let register = machine.register();
    let mut text = c::helpers(&machine) + &format!("#define SIZE {register}\n\n");
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
        let arrangement =
            Arrangement { format: Format { order, width, words }, image, register, big_endian: false };
        match Plan::of(arrangement, machine) {
            Ok(plan) => {
                let (pack, unpack) = (Plan::count(&plan.pack), Plan::count(&plan.unpack));
                text += &format!(
                    "/* {name}: price {}, instructions and accesses {pack:?} in, {unpack:?} out */\n",
                    plan.price
                );
                text += &(c::pack(&plan, &machine, name, "") + &c::unpack(&plan, &machine, name, ""));
            }
            Err(error) => text += &format!("/* {name}: {error:?} */\n"),
        }
    }
    print!("{text}");
}
