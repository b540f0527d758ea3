#!/bin/sh
# Messages that are encrypted by a key stream (ChaCha20-Poly1305, ChaCha20, AES in counter mode) beside OpenSSL, libsodium and
# libgcrypt, on each of LEVELS: names of targets, or `best`. The library is build/libusuba, or LIBRARY; `make lib` makes it.
# BEFORE=libusuba.so adds another library of this tree, such as that from before a change.
set -eu
cd "$(dirname "$0")/.."
library=${LIBRARY:-build/libusuba}
[ -e "$library/build/libusuba.so" ] || OUT=$library sh scripts/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=gnu99 -O2 -Wall -Wextra -Werror -I bench bench/streams.c -lcrypto -lsodium -lgcrypt -ldl -o "$work/streams"
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), family $(sed -n 's/^cpu family[^:]*: //p' /proc/cpuinfo | head -n 1) model $(sed -n 's/^model[^ n:]*: //p' /proc/cpuinfo | head -n 1), ticks of the time-stamp counter, least of 500 means of 16 calls"
for level in ${LEVELS:-avx2 best}; do
    unset USUBA_TARGET OPENSSL_ia32cap GCRYPT_WITHOUT
    case $level in
    best) ;;
    # OpenSSL is left what the level has; libgcrypt and libsodium have nothing for AVX-512.
    avx2) export USUBA_TARGET=avx2 OPENSSL_ia32cap='~0x200000000000000:~0x80010000' GCRYPT_WITHOUT=intel-vaes-vpclmul,intel-aesni ;;
    *) export USUBA_TARGET="$level" ;;
    esac
    echo
    "$work/streams" "usuba=$(realpath "$library/build/libusuba.so")" ${BEFORE:+"before=$(realpath "$BEFORE")"}
done
