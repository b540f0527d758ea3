#!/bin/sh
# What kernels in assembly wait for: core cycles per byte of each, and of copies of it from which something was taken, so that
# they compute nothing of use (limits.awk says what). What is left without dependences, loads and stores is what ports and the
# front end need.
#
# USUBAC: the compiler (default: the release build); KERNELS: lines of cipher, primitive, slicing, target.
set -eu
cd "$(dirname "$0")/.."
usubac=${USUBAC:-${CARGO_TARGET_DIR:-target}/release/usubac}
kernels=${KERNELS:-"aes aes-128 b avx512
aes aes-128 b avx2
des des b avx512
des des b avx2
serpent serpent-128 v avx512
serpent serpent-128 v avx2
rectangle rectangle-80 h avx512
rectangle rectangle-80 h avx2
ascon ascon-p12 v avx512
ascon ascon-p12 v avx2
chacha20 chacha20 v avx512
chacha20 chacha20 v avx2"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core cycles per byte, least of five medians"
printf '%-36s%13s%13s%13s%13s\n' kernel whole "no stores" "nor waiting" "nor loads"
echo "$kernels" | while read -r cipher primitive slicing target; do
    rm -rf "$work/code"
    "$usubac" build "ciphers/$cipher" --primitive "$primitive" --slicing "$slicing" --target "$target" --backend asm \
        -o "$work/code" >"$work/log" 2>&1 || { cat "$work/log" >&2; continue; }
    source=
    for entry in encrypt kernel block; do
        for file in "$work"/code/src/*_$entry.S; do
            [ -e "$file" ] && source=$file
        done
    done
    defined() { sed -n "s/^#define USUBA_[A-Z0-9_]*_$1 //p" "$work"/code/src/*.c | head -n 1; }
    bytes=$(($(defined BATCH) * $(defined '\(BLOCK\|STATE\)_BYTES')))
    [ -n "$source" ] || { echo "limits: $primitive has no kernel that is known here" >&2; continue; }
    {
        printf '#include <stdio.h>\n#include "timing.h"\nstatic _Alignas(64) unsigned char in[65536], key[1 << 20], out[65536], more[65536];\n'
        for without in w s ds dsl; do
            gcc -E -P "$source" | awk -v without=$without -v name=kernel_$without -f bench/limits.awk >"$work/kernel_$without.S"
            printf 'void kernel_%s(const void *, const void *, void *, void *);\n' $without
            printf 'static void run_%s(void) { kernel_%s(in, key, out, more); }\n' $without $without
        done
        printf 'static void (*const runs[4])(void) = {run_w, run_s, run_ds, run_dsl};\nint main(void) {\n'
        printf '    double least[4] = {1e9, 1e9, 1e9, 1e9}, one; int i, j;\n'
        printf '    for (j = 0; j < 5; j++) for (i = 0; i < 4; i++) if ((one = measure(runs[i], %s)) < least[i]) least[i] = one;\n' "$bytes"
        printf '    for (i = 0; i < 4; i++) printf(" %%12.3f", least[i]);\n    printf("\\n");\n    return 0;\n}\n'
    } >"$work/main.c"
    gcc -O2 -Wall -I bench "$work/main.c" "$work"/kernel_*.S -o "$work/limits"
    printf '%-36s' "$primitive $slicing $target"
    "$work/limits"
done
