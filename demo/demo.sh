#!/bin/sh
# Compiles AES from its specification, encrypts a file with AES-128 in counter mode and seals it with AES-256-GCM, and compares
# every byte with OpenSSL. Installs a library, and proves object code.
#
# USUBAC: the compiler (default: the release build); DEMO_MIB: size of the file (default 64); CC: the C compiler.
set -eu
cd "$(dirname "$0")/.."
usubac=${USUBAC:-${CARGO_TARGET_DIR:-target}/release/usubac}
size=${DEMO_MIB:-64}
key=2b7e151628aed2a6abf7158809cf4f3c
counter=f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compiler=${CC:-}
if [ -z "$compiler" ]; then
    for candidate in clang-19 clang gcc cc; do
        if command -v "$candidate" >/dev/null 2>&1; then compiler=$candidate; break; fi
    done
fi

echo "AES-128 in counter mode, $size MiB, from $(grep -c . ciphers/aes/aes.ua) lines of ciphers/aes/aes.ua"
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $compiler -O2"
# Any bytes will do as a file: a keystream under another key.
head -c $((size << 20)) /dev/zero |
    openssl enc -aes-128-ctr -K 000102030405060708090a0b0c0d0e0f -iv 00000000000000000000000000000000 >"$work/plain"
openssl enc -aes-128-ctr -K $key -iv $counter -in "$work/plain" -out "$work/openssl"

# encrypt NAME: compiles for a target, encrypts, compares, decrypts, compares.
encrypt() {
    target=$1
    out="$work/$target"
    "$usubac" build ciphers/aes --primitive aes-128 --target "$target" -o "$out" >"$out.log" || { cat "$out.log"; exit 1; }
    # No flags for the target: the files say what they are for.
    "$compiler" -O2 -Wall -Wextra -Werror -I "$out/include" demo/encrypt.c "$out"/src/*.c -o "$out/encrypt"
    echo
    sed -n 's/^  *\(.* slicing .*\)/target: \1/p' "$out.log"
    printf '  encrypt: '
    "$out/encrypt" $key $counter "$work/plain" "$out/cipher"
    cmp "$out/cipher" "$work/openssl"
    echo "  every byte equals OpenSSL's"
    printf '  decrypt: '
    "$out/encrypt" $key $counter "$out/cipher" "$out/again"
    cmp "$out/again" "$work/plain"
    echo "  every byte is back"
    rm -f "$out/cipher" "$out/again"
}

# The best target of this machine, then two others that it runs.
best=$("$usubac" targets --native)
others=$("$usubac" targets --here | grep -v "^$best\$" | sed -n '1p;$p')
for target in $best $others; do encrypt "$target"; done

# Authenticated encryption, beside OpenSSL in one program.
echo
echo "AES-256-GCM, from $(grep -c . modes/gcm.ua) lines of modes/gcm.ua over ciphers/aes/aes.ua"
"$usubac" build ciphers/aes --primitive aes-256 -o "$work/gcm" >"$work/gcm.log" || { cat "$work/gcm.log"; exit 1; }
make -s -j2 -C "$work/gcm" CC="$compiler" >"$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
# shellcheck disable=SC2046 # flags are words
"$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -Werror -I "$work/gcm/include" demo/seal.c \
    "$work/gcm/build/libusuba.a" $(pkg-config --cflags --libs libcrypto) -o "$work/seal"
printf '  '
"$work/seal" $key$key "$work/plain" "$work/sealed"
echo "  every byte and every tag equals OpenSSL's, and a changed bit is refused"
rm -f "$work/sealed"

# A library of one cipher, installed, found by pkg-config, and used by the program of the README.
echo
echo "a library of Serpent: build, install, compile demo/library.c against it"
"$usubac" build ciphers/serpent -o "$work/serpent" >"$work/serpent.log" || { cat "$work/serpent.log"; exit 1; }
make -s -j2 -C "$work/serpent" CC="$compiler" install PREFIX="$work/installed" >"$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
PKG_CONFIG_PATH="$work/installed/lib/pkgconfig"
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"$compiler" -std=c99 -Wall -Wextra -Werror demo/library.c $(pkg-config --cflags --libs usuba) -o "$work/library"
wide=$(LD_LIBRARY_PATH="$work/installed/lib" "$work/library")
narrow=$(USUBA_TARGET=gp64 LD_LIBRARY_PATH="$work/installed/lib" "$work/library")
printf '  %s\n  %s\n' "$wide" "$narrow"
[ "${wide%% *}" = "${narrow%% *}" ]
echo "  both are the same bytes"

# Object code, whoever compiled it, is decoded and proved to compute what the source says.
echo
echo "Serpent's rounds on avx2, compiled by $compiler -O2: proof that the object is the source"
"$usubac" build ciphers/serpent/serpent.ua --entry Encrypt --slicing v --target avx2 -o "$work/kernel" >"$work/kernel.log" || { cat "$work/kernel.log"; exit 1; }
"$compiler" -std=gnu11 -O2 -mavx2 -I "$work/kernel" -c "$work/kernel/usuba_encrypt_v_avx2.c" -o "$work/kernel.o"
"$usubac" verify ciphers/serpent/serpent.ua "$work/kernel.o" --entry Encrypt --slicing v --target avx2 | sed 's/^/  /'
