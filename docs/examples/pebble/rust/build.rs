fn main() {
    println!("cargo::rerun-if-changed=csrc");
    let folder = std::fs::read_dir("csrc").expect("usubac build … --drop-in -o csrc has made it");
    let files = folder.flatten().map(|entry| entry.path());
    let sources = files.filter(|path| path.extension().is_some_and(|ending| ending == "c"));
    cc::Build::new().std("c99").opt_level(2).include("csrc").files(sources).file("src/size.c").compile("pebble");
}
