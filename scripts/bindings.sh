#!/bin/sh
# Makes the Rust crate, the Python package and the OpenSSL provider, and tests them.
#
# usage: scripts/bindings.sh generate|rust|python|quick|check|provider
#   generate  the C of every cipher, into bindings/rust/csrc
#   rust      generate, and the tests of the crate with all ciphers; the tutorial's example in Rust
#   python    generate, a wheel, its tests and the check of its types in a fresh virtual environment; the tutorial's example
#   quick     the tests of the crate with a few small ciphers, one of each kind
#   check     whether the crate compiles with these: no C is compiled and nothing is run
#   provider  libusuba with all ciphers, the provider of it in build/openssl, and its tests
#
# USUBAC: the compiler (default: the release build, made if it is not there); CIPHERS: only these, but for the provider. A wheel
# has all ciphers: for python they are those that are generated anew, and the others must be there.
# LIBRARY: a libusuba of all ciphers that is there already, for the provider.
# The code of all ciphers is 330 megabytes, most of them straight lines. With ccache installed it is compiled once for both.
set -eu
cd "$(dirname "$0")/.."
build=${CARGO_TARGET_DIR:-$PWD/target}
usubac=${USUBAC:-}
generated=$PWD/bindings/rust/csrc
wheels=$PWD/bindings/python/dist
pebble=32bf786a95cfd922
few="ascon chacha20 clyde trivium rectangle des"
if [ -z "${CC:-}" ] && command -v ccache >/dev/null 2>&1; then export CC="ccache cc"; fi

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

find_usubac() {
    [ -z "$usubac" ] || return 0
    cargo build --release --quiet -p usubac
    usubac=$build/release/usubac
}

# generate CIPHER…: each in a folder of its own, complete before it takes the place of what was there.
generate() {
    find_usubac
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

# The example of the tutorial in Rust, as it says.
rust_example() {
    find_usubac
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cp -r docs/examples/pebble/rust "$work/pebble"
    "$usubac" build docs/examples/pebble --drop-in -o "$work/pebble/csrc" >/dev/null
    said=$(CARGO_TARGET_DIR="$build/bindings" cargo run --quiet --release --manifest-path "$work/pebble/Cargo.toml")
    [ "$said" = "$pebble" ] || {
        echo "bindings: docs/examples/pebble/rust says $said in place of $pebble" >&2
        exit 1
    }
}

# A wheel has all ciphers, and so have its tests: what is missing is said before anything is compiled.
check_generated() {
    for cipher in $(all); do
        [ -d "$generated/$cipher" ] || {
            echo "bindings: a wheel has all ciphers, and $cipher is not in bindings/rust/csrc: run this without CIPHERS once" >&2
            exit 1
        }
    done
}

# python_tests: builds the wheel, and checks it where nothing else is installed than it asks for.
python_tests() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m venv "$work/venv"
    python=$work/venv/bin/python
    "$python" -m pip install --quiet 'maturin>=1.9,<2' pytest mypy cryptography
    rm -rf "$wheels"
    (cd bindings/python && CARGO_TARGET_DIR="$build" "$work/venv/bin/maturin" build --quiet --release --out "$wheels")
    "$python" -m pip install --quiet "$wheels"/*.whl
    "$python" -m pytest -q -p no:cacheprovider bindings/python/tests
    # Types: of the package itself, and of the native half against what it really has. Outside of the sources, so that it
    # is the installed package that is looked at.
    (cd "$work" && "$python" -m mypy --strict --cache-dir "$work/types" -p usuba)
    (cd "$work" && "$python" -m mypy.stubtest usuba)
    said=$("$python" docs/examples/pebble/pebble.py | sed -n 1p)
    [ "$said" = "$pebble" ] || {
        echo "bindings: docs/examples/pebble/pebble.py says $said in place of $pebble" >&2
        exit 1
    }
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
    rust_example
    ;;
python)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    check_generated
    python_tests
    ;;
quick)
    check_features
    # shellcheck disable=SC2086 # the list is a list
    generate $few
    # shellcheck disable=SC2086
    rust_tests $few
    ;;
check)
    check_features
    # Elsewhere, so that what is there is not made anew.
    generated=$build/bindings/csrc
    # shellcheck disable=SC2086
    generate $few
    (cd bindings/rust && DOCS_RS=1 USUBA_CSRC="$generated" CARGO_TARGET_DIR="$build/bindings" \
        cargo check --quiet --no-default-features --features "$(echo "$few" | tr ' ' ',')")
    ;;
provider)
    library=${LIBRARY:-$PWD/build/libusuba}
    mkdir -p build
    [ -n "${LIBRARY:-}" ] || sh scripts/lib.sh
    make -s -C bindings/openssl USUBA="$library" BUILD="$PWD/build/openssl"
    USUBA_LIBRARY=$library cargo test --quiet -p usuba-tests --test provider
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,15p' >&2
    exit 2
    ;;
esac
