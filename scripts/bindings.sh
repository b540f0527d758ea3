#!/bin/sh
# Makes the Rust crate, the Python package and the OpenSSL provider, and tests them.
#
# usage: scripts/bindings.sh generate|rust|python|quick|provider
#   generate  the C of every cipher, into bindings/rust/csrc
#   rust      generate, and the tests of the crate with all ciphers
#   python    generate, a wheel, and its tests in a fresh virtual environment
#   quick     the tests of the crate with two ciphers
#   provider  libusuba with all ciphers, the provider of it in build/openssl, and its tests
#
# USUBAC: the compiler (default: the release build, made if it is not there); CIPHERS: only these, but for the provider.
# LIBRARY: a libusuba of all ciphers that is there already, for the provider.
set -eu
cd "$(dirname "$0")/.."
build=${CARGO_TARGET_DIR:-$PWD/target}
usubac=${USUBAC:-}
generated=$PWD/bindings/rust/csrc

# A feature for each cipher, or a cipher would not be in the crate and nobody would notice.
check_features() {
    for folder in ciphers/*/; do
        cipher=$(basename "$folder")
        grep -q "^$cipher = \[\]" bindings/rust/Cargo.toml && grep -q "^    \"$cipher\",\$" bindings/rust/Cargo.toml || {
            echo "bindings: $folder has no feature in bindings/rust/Cargo.toml: add \`$cipher = []\`, and \"$cipher\" to \`all\`" >&2
            exit 1
        }
    done
}

# generate CIPHER…: each in a folder of its own, complete before it takes the place of what was there.
generate() {
    if [ -z "$usubac" ]; then
        cargo build --release --quiet -p usubac
        usubac=$build/release/usubac
    fi
    mkdir -p "$generated"
    for cipher in "$@"; do
        rm -rf "$generated/.$cipher"
        "$usubac" build "ciphers/$cipher" --drop-in -o "$generated/.$cipher" >/dev/null
        rm -rf "${generated:?}/$cipher"
        mv "$generated/.$cipher" "$generated/$cipher"
    done
}

all() { for folder in ciphers/*/; do basename "$folder"; done; }

# rust_tests CIPHER…: with the features of these.
rust_tests() {
    features=$(echo "$@" | tr ' ' ',')
    (cd bindings/rust && CARGO_TARGET_DIR="$build/bindings" cargo test --quiet --no-default-features --features "$features")
}

# python_tests: builds the wheel and runs its tests on it, where nothing else is installed.
python_tests() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet 'maturin>=1.9,<2' pytest
    (cd bindings/python && CARGO_TARGET_DIR="$build" "$work/venv/bin/maturin" build --quiet --release --out "$work/wheel")
    "$work/venv/bin/pip" install --quiet "$work"/wheel/*.whl
    "$work/venv/bin/python" -m pytest -q -p no:cacheprovider bindings/python/tests
}

case ${1:-} in
generate)
    check_features
    # shellcheck disable=SC2046 # the list is a list
    generate ${CIPHERS:-$(all)}
    ;;
rust)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    # shellcheck disable=SC2046
    rust_tests ${CIPHERS:-$(all)}
    ;;
python)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    python_tests
    ;;
quick)
    check_features
    generate ascon chacha20
    rust_tests ascon chacha20
    ;;
provider)
    library=${LIBRARY:-$PWD/build/libusuba}
    mkdir -p build
    [ -n "${LIBRARY:-}" ] || sh scripts/lib.sh
    make -s -C bindings/openssl USUBA="$library" BUILD="$PWD/build/openssl"
    USUBA_LIBRARY=$library cargo test --quiet -p usuba-tests --test provider
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,12p' >&2
    exit 2
    ;;
esac
