#!/bin/sh
# Core cycles per byte of the runtime's transpositions and of generated networks, side by side in one process, for targets that
# run here: each in the order of blocks of the runtime, and networks also in an order of their own.
#
# TARGETS, CC: which targets and C compilers.
set -eu
cd "$(dirname "$0")/.."
usubac=${USUBAC:-${CARGO_TARGET_DIR:-target}/release/usubac}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build -q --release -p usuba-transpose --example networks
for target in ${TARGETS:-avx512-gfni avx512 avx2-gfni avx2 ssse3 sse2}; do
    "${CARGO_TARGET_DIR:-target}/release/examples/networks" "$target" >"$work/networks.h"
    flags=$("$usubac" targets --flags "$target")
    case $target in avx512 | avx512-gfni) size=64 ;; avx2* | avx512-256) size=32 ;; *) size=16 ;; esac
    for compiler in ${CC:-clang-19 gcc}; do
        echo
        echo "$target, $compiler -O2"
        # shellcheck disable=SC2086 # flags are words
        "$compiler" -O2 -falign-functions=64 -std=gnu11 -Wall -Wextra -Wno-unused-function $flags -DSIZE=$size -I runtime -I bench -I "$work" bench/networks.c -o "$work/bench"
        "$work/bench"
    done
done
