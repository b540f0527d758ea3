#!/bin/sh
# Builds OpenSSL's libcrypto from the source in its crate, without what is not measured: openssl-src.sh BUILD. Prints the folder,
# where `source` names that of the source; exits with 1 if the crate has not been fetched or cannot be built.
set -eu
build=$1
cd "$(dirname "$0")"
version=$(sed -n '/^name = "openssl-src"$/{n;s/version = "\(.*\)"/\1/p;}' crates/Cargo.lock)
source=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 2 -name "openssl-src-$version" 2>/dev/null | head -n 1)/openssl
[ -e "$source/Configure" ] || exit 1
built=$build/openssl-src-$version
mkdir -p "$built"
built=$(cd "$built" && pwd)
if [ ! -e "$built/libcrypto.a" ]; then
    cd "$built"
    without=
    for feature in shared module dso tests apps docs tls dtls quic http sock ocsp cmp cms ct ts srp async argon2 scrypt \
        blake2 siphash siv ocb cmac rmd160 whirlpool md4 mdc2 idea seed bf cast rc2 rc4 sm2 ec dh dsa ml-kem ml-dsa \
        slh-dsa lms rfc3779 ui-console autoload-config err filenames makedepend; do
        without="$without no-$feature"
    done
    {
        # shellcheck disable=SC2086 # a list
        CC=gcc perl "$source/Configure" linux-x86_64 $without && make -j "$(nproc)" build_generated libcrypto.a
    } >&2 || exit 1
fi
echo "$source" >"$built/source"
echo "$built"
