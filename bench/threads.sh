#!/bin/sh
# What threads bring: makes a library of a few ciphers with --threads and measures it; `bench/README.md` has figures.
# Arguments are cipher folders to take instead. MEBIBYTES of input (32), THREADS at most (as many as there are CPUs).
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- ciphers/aes ciphers/chacha20 ciphers/serpent ciphers/ascon
cargo build --release --quiet -p usubac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CARGO_TARGET_DIR:-target}/release/usubac" build "$@" --threads -o "$work/library" >/dev/null
make -s -j"$(nproc)" -C "$work/library"
${CC:-cc} -std=c99 -O2 -fopenmp -I "$work/library/include" bench/threads.c "$work/library/build/libusuba.a" -o "$work/threads"
"$work/threads" "${MEBIBYTES:-32}" "${THREADS:-$(nproc)}"
