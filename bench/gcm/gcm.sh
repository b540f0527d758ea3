#!/bin/sh
# AES-GCM of this tree, by gcc and by clang, and of its fastest peers, whole messages by turns in one process: prints tables of core
# cycles a call (gcm.c has the method), and before them the machine and what its ports start in a cycle. Beside Debian's libraries
# peers come from crates. IPSEC_MB=DIR adds a second multi-buffer library, DIR/include and DIR/lib, such as an unpacked newer package;
# MORE="NAME=OBJECT …" adds shared objects that are there, such as code of this tree from before; ROUNDS is how often each is timed.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-${CARGO_TARGET_DIR:-target}/bench}
out=$build/gcm
mkdir -p "$out"
out=$(cd "$out" && pwd)
log=$out/build.log
: >"$log"
here=bench/gcm
missing() { echo "missing: $1"; }

echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), family $(sed -n 's/^cpu family[^:]*: //p' /proc/cpuinfo | head -n 1) model $(sed -n 's/^model[^ n:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
grep -qw vaes /proc/cpuinfo && grep -qw avx512bw /proc/cpuinfo || {
    echo "bench: AES-GCM is measured where there is AVX-512 with VAES" >&2
    exit 0
}
gcc -O2 -I bench bench/ports.c -o "$out/ports"
"$out/ports" >"$out/ports.txt"
echo
cat "$out/ports.txt"

gcc -O2 -Wall -Wextra $here/gcm.c -o "$out/gcm" -ldl
objects() { [ -z "${list:-}" ] && list=$1 || list="$list
$1"; }
shared() { # what label object compiler arguments…
    what=$1 label=$2 object=$out/$3
    shift 3
    if "$@" -O2 -fPIC -shared -o "$object" >>"$log" 2>&1; then objects "$label=$object"; else missing "$what"; fi
}

# ---- Usuba ----
cargo build --release --quiet -p usubac
flags="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2 -mgfni -mvaes -mvpclmulqdq -mavx -maes -mpclmul -mbmi2"
for way in "" --keep-first-round "--backend asm"; do
    case $way in --keep*) name=", first round kept" ;; --backend*) name=", loops in assembly" ;; *) name= ;; esac
    ours=$out/ours$(echo "$way" | tr -d ' ')
    rm -rf "$ours"
    for primitive in aes-128 aes-256; do
        for mode in gcm-seal gcm-open; do
            # shellcheck disable=SC2086 # options, or none
            "${CARGO_TARGET_DIR:-target}/release/usubac" build ciphers/aes --mode $mode --primitive $primitive --target avx512-vaes \
                $way -o "$ours" >/dev/null
        done
    done
    for compiler in gcc clang-19 clang; do
        command -v $compiler >/dev/null 2>&1 || continue
        case $compiler in clang) command -v clang-19 >/dev/null 2>&1 && continue ;; esac
        # shellcheck disable=SC2086,SC2046 # lists
        shared "Usuba by $compiler" "Usuba $compiler$name" "usuba-$compiler$(echo "$way" | tr -d ' ').so" $compiler $flags -I$here \
            -I"$ours" $here/ours.c "$ours"/*.c $(find "$ours" -name '*.S' | sort)
    done
done

# ---- Peers ----
shared "libipsec-mb (Debian's libipsec-mb-dev)" "ipsec-mb $(dpkg-query -W -f '${Version}' libipsec-mb-dev 2>/dev/null || true)" \
    ipsec-mb.so gcc $here/ipsec.c -lIPSec_MB
if [ -n "${IPSEC_MB:-}" ]; then
    library=$(find -L "$IPSEC_MB/" -name 'libIPSec_MB.so.*.*.*' | head -n 1)
    shared "the library in $IPSEC_MB" "ipsec-mb ${library##*.so.}" ipsec-mb-other.so gcc "-I$IPSEC_MB/include" $here/ipsec.c "$library" \
        "-Wl,-rpath,$(dirname "$library")"
fi
if built=$(sh bench/openssl-src.sh "$build" 2>>"$log"); then
    shared "OpenSSL (crate openssl-src)" "OpenSSL $(basename "$built" | sed 's/.*+//')" openssl-src.so gcc "-I$built/include" \
        "-I$(cat "$built/source")/include" -Wl,--exclude-libs,ALL -Wl,-Bsymbolic $here/openssl.c "$built/libcrypto.a" -lpthread
else
    missing "OpenSSL (crate openssl-src: cargo fetch --manifest-path bench/crates/Cargo.toml)"
fi
shared "OpenSSL (Debian's libssl-dev)" "OpenSSL $(dpkg-query -W -f '${Version}' libssl-dev 2>/dev/null | sed 's/-.*//')" openssl.so \
    gcc $here/openssl.c -lcrypto
features=
for feature in aws-lc ring graviola; do
    if CARGO_TARGET_DIR=$out/crates cargo build --manifest-path $here/crates/Cargo.toml --release --locked \
        --features "$features$feature" >>"$log" 2>&1; then
        features=$features$feature,
        cp "$out/crates/release/libgcm_crates.so" "$out/crates.so"
    else
        missing "the crate of $feature cannot be fetched or built"
    fi
done
[ -z "$features" ] || objects "=$out/crates.so"
for more in ${MORE:-}; do objects "$more"; done

# ---- All lengths, before anything is timed ----
gcc -O2 -Wall -Wextra $here/lengths.c -o "$out/lengths" -ldl
for compiler in gcc clang-19 clang; do
    for way in "" --keep-first-round --backendasm; do
        [ -f "$out/usuba-$compiler$way.so" ] || continue
        echo
        # Two others that have nothing in common; the first of the crates is AWS-LC where it could be built.
        for other in openssl crates; do
            [ -f "$out/$other.so" ] || continue
            echo "Usuba by $compiler ${way:+($way) }and $other.so: $("$out/lengths" "$out/usuba-$compiler$way.so" "$out/$other.so")"
        done
    done
done

old=$IFS
IFS='
'
# shellcheck disable=SC2086 # a list, a line each
set -- $list
IFS=$old
"$out/gcm" --rounds "${ROUNDS:-400}" "$@"
