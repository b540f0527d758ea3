mod cases;
use usuba_transpose::{Plan, moves::Machine, Image};
use std::time::Instant;
#[test]
fn survey() {
    let only = std::env::var("TARGET").unwrap_or_default();
    for target in usuba_target::all() {
        if !only.is_empty() && only != target.name { continue; }
        let machine = Machine { target, big_endian: false };
        for a in cases::cases(false) {
            let fits = a.register == machine.register() || (a.register == 8 && machine.register() == 16 && a.image == Image::B);
            if !fits { continue; }
            for usual in [true, false] {
                let t = Instant::now();
                match Plan::of(a, machine, usual) {
                    Ok(p) => println!("{:12} {:?} {:?} usual {} -> cost {} pack {:?} {} unpack {:?} {} order {:?} {} ({:.2?})", target.name, a.image, a.format, usual, p.cost,
                        Plan::count(&p.pack), p.pack.len(), Plan::count(&p.unpack), p.unpack.len(), p.order, p.usual, t.elapsed()),
                    Err(e) => println!("{:12} {:?} {:?} usual {} -> {e:?} ({:.2?})", target.name, a.image, a.format, usual, t.elapsed()),
                }
            }
        }
    }
}
