#!/bin/sh
# Makes libusuba of all ciphers: its sources in build/libusuba, the static and the shared library in build/libusuba/build.
# Arguments are cipher folders to take instead of all. OUT, CC, CFLAGS as usual.
set -eu
cd "$(dirname "$0")/.."
out=${OUT:-build/libusuba}
[ $# -gt 0 ] || set -- ciphers/*/
mkdir -p "$(dirname "$out")"
cargo build --release --quiet -p usubac
usubac=${CARGO_TARGET_DIR:-target}/release/usubac
rm -rf "$out"
"$usubac" build "$@" -o "$out" >"$out.log" || { cat "$out.log"; exit 1; }
make -s -j"$(nproc)" -C "$out"
echo "$(grep -c 'blocks at once' "$out.log") engines, listed in $out.log"
ls -l "$out"/build/lib*.a "$out"/build/lib*.so
