#!/bin/sh
# Core cycles per byte of transposition, counters and exclusive-or, and of AES-128 with all of it, for every x86-64 target
# that runs here.
#
# USUBAC: the compiler (default: the release build); CC, TARGETS: which C compilers and targets.
set -eu
cd "$(dirname "$0")/.."
usubac=${USUBAC:-${CARGO_TARGET_DIR:-target}/release/usubac}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build -q --release -p usuba-package --example networks
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core cycles per byte, median"
for compiler in ${CC:-clang-19 gcc}; do
    for target in ${TARGETS:-$("$usubac" targets --here)}; do
        flags=$("$usubac" targets --flags "$target")
        case $target in gp64) continue ;; esac
        "${CARGO_TARGET_DIR:-target}/release/examples/networks" "$target" >"$work/networks.h"
        echo
        echo "$target, $compiler -O2"
        # shellcheck disable=SC2086 # flags are words
        "$compiler" -O2 -std=gnu11 -Wall -Wextra -Werror $flags -I runtime -I bench -I "$work" bench/transposition.c -o "$work/bench"
        "$work/bench"
        for slicing in b h; do
            rm -rf "$work/aes"
            "$usubac" build ciphers/aes --primitive aes-128 --target "$target" --slicing $slicing -o "$work/aes" \
                >"$work/log" 2>&1 || continue
            echo "slicing $slicing:"
            engine=$(basename "$work"/aes/src/usuba_aes_128_*.c .c)
            batch=$(echo "$engine" | tr '[:lower:]' '[:upper:]')_BATCH
            # shellcheck disable=SC2086
            "$compiler" -O2 -std=gnu11 $flags "-DENGINE=$engine" "-DENGINE_FILE=\"$engine.c\"" "-DBATCH=$batch" \
                -I "$work/aes/src" -I bench bench/aes.c -o "$work/bench"
            "$work/bench"
        done
    done
done
