//! Clang keeps vectors on the stack in places that are as long as they are: across two lines of the cache ChaCha20 on AVX2 took
//! 1.8 times as long on Zen 4, in every second process.

use usuba_ir::layout::Slicing;
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library;
use usuba_target::by_name;
use usuba_tests::ciphers::Cipher;
use usuba_trial::run::{Compiler, Family};

#[test]
fn no_vector_lies_across_lines() {
    let target = by_name("avx2").expect("it is a target");
    // It is only compiled: another machine than one with AVX2 can do that, too.
    let compiler = Compiler::of(&target.toolchains[0], Family::Clang).expect("clang is installed");
    for (folder, slicing) in [("chacha20", Slicing::V), ("aes", Slicing::H), ("des", Slicing::B)] {
        let cipher = Cipher::read(folder);
        let primitive = &cipher.manifest.primitives[0];
        let library = library::one_level(primitive, &cipher.loaded, target, &Choices::new(slicing));
        let library = library.unwrap_or_else(|error| panic!("{error}"));
        let (_, compiled) = library.kernels.first().expect("there is a kernel");
        // The kernel by itself: what is around it has places of its own on the stack.
        let kernel = &compiled.kernel;
        let path = format!("{}.c", kernel.symbol);
        let files = [
            OutputFile { path: format!("{}.h", kernel.symbol), contents: kernel.header.clone() },
            OutputFile { path: path.clone(), contents: kernel.source.clone() },
        ];
        let objects = compiler.objects(&files, &["-O3"], None).unwrap_or_else(|error| panic!("{error}"));
        let text = objects.disassembly(&path, target).expect("objdump is installed");
        let moves =
            |how: &str| text.lines().filter(|line| line.contains(how) && line.contains("(%rsp")).count();
        assert!(moves("vmova") + moves("vmovdqa") > 0, "{folder}: nothing is kept on the stack any more");
        assert_eq!(moves("vmovu") + moves("vmovdqu"), 0, "{folder}: {text}");
    }
}
