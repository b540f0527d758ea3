#!/bin/sh
# Measures Usuba and its peers and writes docs/performance.md: `make bench`, or `make bench QUICK=1` for a first look. What a
# peer needs and is missing is installed if it may be, else said, and the rest goes on. BUILD is the folder for what is built;
# PARTS="ours compile" measures only these of peers, ours, varied, compile, and keeps the rest of the data; with PARTS=ours,
# PRIMITIVES="xoodoo-12 photon-256" measures only these; with PARTS=peers, PEERS="openssl-src" measures only what these programs
# have (their names are those of the files in BUILD/peers), and the page says at which commit and load. PAGE is the page, by
# default docs/performance.md; its data and charts are in the folder of its name beside it.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-${CARGO_TARGET_DIR:-target}/bench}
mkdir -p "$build/peers"
build=$(cd "$build" && pwd)
set --
missing() {
    echo "bench: $1" >&2
    set_missing="${set_missing:-}$1
"
}

if [ "$(uname -m)" != x86_64 ]; then
    echo "bench: measuring needs the time-stamp counter of x86-64; this is $(uname -m)" >&2
    exit 1
fi

clang=
for name in clang-19 clang clang-21 clang-20 clang-18 clang-17 clang-16 clang-15 clang-14; do
    if command -v "$name" >/dev/null 2>&1; then
        clang=$name
        break
    fi
done

# ---- Packages: a header that must be there, and the package that has it ----
wanted=""
want() { [ -e "$1" ] || [ -e "/usr/include/x86_64-linux-gnu/${1#/usr/include/}" ] || wanted="$wanted $2"; }
want /usr/include/openssl/evp.h libssl-dev
want /usr/include/gcrypt.h libgcrypt20-dev
want /usr/include/sodium.h libsodium-dev
want /usr/include/cryptopp/chacha.h libcrypto++-dev
want /usr/include/botan-2/botan/block_cipher.h libbotan-2-dev
command -v g++ >/dev/null 2>&1 || wanted="$wanted g++"
perl -MFindBin -MFile::Compare -e 1 >/dev/null 2>&1 || wanted="$wanted perl"
if [ -n "$wanted" ] && command -v apt-get >/dev/null 2>&1; then
    as_root=none
    if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root=sudo; fi
    if [ "$as_root" != none ]; then
        echo "bench: installing$wanted" >&2
        $as_root apt-get update -qq || true
        for package in $wanted; do
            DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
                missing "Debian package $package cannot be installed"
        done
    else
        missing "not allowed to install$wanted"
    fi
fi

# ---- Usuba ----
cargo build --release --quiet -p usubac -p usuba-report
cargo build --release --quiet -p usuba-tests --bin compile-speed
target=${CARGO_TARGET_DIR:-target}
usubac=$target/release/usubac

# ---- Peers ----
log=$build/build.log
: >"$log"
peer=bench/peers
cc() { # what OUTPUT compiler arguments…
    what=$1 output=$2
    shift 2
    "$@" -o "$build/peers/$output" >>"$log" 2>&1 || missing "$what is not there or cannot be built"
}
gcc -O2 -c $peer/peer.c -o "$build/peer.o"
object=$build/peer.o
echo "bench: building the peers" >&2

rm -rf "$build/ours"
ciphers= primitives=
for primitive in aes:aes-128 aria:aria-128 ascon:ascon-p12 camellia:camellia-128 chacha20:chacha20 des:des des:tdes-ede3 serpent:serpent-128 sm4:sm4; do
    case "$ciphers " in *" ciphers/${primitive%:*} "*) ;; *) ciphers="$ciphers ciphers/${primitive%:*}" ;; esac
    primitives="$primitives --primitive ${primitive#*:}"
done
# shellcheck disable=SC2086 # the lists are lists
"$usubac" build $ciphers $primitives --target native -o "$build/ours" >/dev/null
gcc -O2 -march=native -I"$build/ours/include" -I$peer $peer/ours.c "$build"/ours/src/*.[cS] "$object" -lm -o "$build/peers/ours"

cc "OpenSSL (libssl-dev)" openssl gcc -O2 $peer/openssl.c "$object" -lcrypto
cc "libgcrypt (libgcrypt20-dev)" gcrypt gcc -O2 $peer/gcrypt.c "$object" -lgcrypt
cc "libsodium (libsodium-dev)" sodium gcc -O2 $peer/sodium.c "$object" -lsodium
cc "Crypto++ (libcrypto++-dev)" cryptopp g++ -O2 $peer/cryptopp.cpp "$object" -lcryptopp
cc "Botan 2 (libbotan-2-dev)" botan2 g++ -O2 -I/usr/include/botan-2 $peer/botan.cpp "$object" -lbotan-2

if [ -n "$clang" ]; then
    reference() { # level flags…
        level=$1
        shift
        cc "the plain C for $level" "references-$level.o" "$clang" -O3 "$@" "-DLEVEL=\"$level\"" -c bench/references/references.c
        cc "the plain C for $level" "references-$level" gcc "$build/peers/references-$level.o" "$object" -lm
    }
    reference gp64 -fno-vectorize -fno-slp-vectorize
    reference sse2 -march=x86-64
    reference avx2 -march=haswell
    reference avx512-256 -march=icelake-server -mprefer-vector-width=256
    reference avx512 -march=icelake-server -mprefer-vector-width=512
else
    missing "clang is not there: no plain C references"
fi

# The crates, in a workspace of their own. Botan 3 is built from the source in its crate, only the modules that are measured.
crates() { # program flags
    if RUSTFLAGS="$2" CARGO_TARGET_DIR="$build/$1" cargo build --manifest-path bench/crates/Cargo.toml --release --locked >>"$log" 2>&1; then
        cc "the program $1" "$1" gcc -O2 $peer/crates.c "$object" "$build/$1/release/libpeer_rustcrypto.a" -lm -lpthread -ldl
    else
        missing "the crates of bench/crates cannot be fetched or built ($1)"
    fi
}
crates crates '--cfg aes_backend="soft"'
crates crates-avx512 '--cfg aes_backend="soft" --cfg chacha20_avx512'

archive=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -path '*/botan-src-0.31300*/vendor/Botan-*.tar.xz' 2>/dev/null | head -n 1)
if [ -n "$archive" ] && [ -n "$clang" ] && command -v python3 >/dev/null 2>&1; then
    if [ ! -e "$build/botan3/libbotan-3.a" ]; then
        mkdir -p "$build/botan3"
        (
            tar xf "$archive" -C "$build/botan3"
            cd "$build"/botan3/Botan-*/
            python3 configure.py --minimized-build --build-targets=static --without-documentation --cc=clang \
                "--cc-bin=$(echo "$clang" | sed 's/clang/clang++/')" "--with-build-dir=$build/botan3" \
                --enable-modules=os_utils,serpent,serpent_simd,serpent_avx2,serpent_avx512,des,chacha,chacha_simd32,chacha_avx2,chacha_avx512,aes,aes_vperm,ctr,ctr_avx2,ctr_simd32,aria,aria_avx512_gfni,camellia,camellia_avx2_gfni,camellia_avx512_gfni,sm4,sm4_gfni,sm4_avx512
            make -f "$build/botan3/Makefile" libs -j "$(nproc)"
        ) >>"$log" 2>&1 || missing "Botan 3 (crate botan-src) cannot be built"
    fi
    [ -e "$build/botan3/libbotan-3.a" ] && cc "Botan 3 (crate botan-src)" botan3 "$(echo "$clang" | sed 's/clang/clang++/')" -std=c++20 -O2 \
        "-I$build/botan3/build/include/public" $peer/botan.cpp "$object" "$build/botan3/libbotan-3.a"
else
    missing "Botan 3 needs its crate (fetched with the others), clang and python3"
fi

# OpenSSL from the source in its crate.
if built=$(sh bench/openssl-src.sh "$build" 2>>"$log"); then
    cc "OpenSSL (crate openssl-src)" openssl-src gcc -O2 '-DPEER_SOURCE=" (openssl-src)"' "-I$built/include" \
        "-I$(cat "$built/source")/include" $peer/openssl.c "$object" "$built/libcrypto.a" -lpthread
else
    missing "OpenSSL's source (crate openssl-src, fetched with the others) is not there or cannot be built"
fi

# ---- Measuring, and the page ----
page=${PAGE:-docs/performance.md}
data=${page%.md}/data.json
mkdir -p "${page%.md}"
[ -z "${QUICK:-}" ] || set -- --quick
for part in ${PARTS:-}; do set -- "$@" --part "$part"; done
for primitive in ${PRIMITIVES:-}; do set -- "$@" --primitive "$primitive"; done
for program in ${PEERS:-}; do set -- "$@" --peer "$program"; done
old=$IFS
IFS='
'
for line in ${set_missing:-}; do set -- "$@" --missing "$line"; done
IFS=$old
"$target/release/usuba-report" measure --usubac "$usubac" --compile-speed "$target/release/compile-speed" \
    --peers "$build/peers" --out "${DATA:-$data}" "$@"
[ -n "${DATA:-}" ] || "$target/release/usuba-report" page "$data" "$page"

# AES-GCM whole, against the libraries that are fastest in it.
case " ${PARTS:-peers} " in *" peers "*) BUILD=$build sh bench/gcm/gcm.sh ;; esac
