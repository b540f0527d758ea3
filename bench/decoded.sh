#!/bin/sh
# What other code between two calls costs a kernel: DES on AVX-512VL with one batch a call and with two, in assembly, alone and with
# 2 to 24 KB of code in between. bench/README.md has what was found.
set -eu
cd "$(dirname "$0")/.."
grep -q avx512vl /proc/cpuinfo || {
    echo "decoded.sh: this machine has no AVX-512VL" >&2
    exit 1
}
cargo build --release --quiet -p usubac
usubac=${CARGO_TARGET_DIR:-target}/release/usubac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for batches in 1 2; do
    "$usubac" build ciphers/des --primitive des --target avx512-256 --slicing b --backend asm --inter-factor "$batches" --no-tuned \
        -o "$folder/$batches" >/dev/null
    source=$(echo "$folder/$batches"/src/usuba_des_*_encrypt.S)
    kernel=$(basename "$source" .S)
    gcc -E -P "$source" | sed "s/$kernel/des_$batches/g; /\.hidden/d" >"$folder/des_$batches.S"
done
{
    echo ".intel_syntax noprefix"
    echo ".section .note.GNU-stack,\"\",@progbits"
    echo ".text"
    for size in 0 2 4 8 16 24; do
        echo ".globl other_$size
.p2align 6
other_$size:
.rept $((size * 1024 / 7))
lea rax, [rax + 0x12345678]
.endr
ret"
    done
} >"$folder/other.S"
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core cycles per byte, medians"
gcc -O2 -Wall -Wextra -I bench bench/decoded.c "$folder"/*.S -o "$folder/decoded"
"$folder/decoded"
