#!/bin/sh
# Makes the Rust crates, the Python package and the OpenSSL provider, and tests them.
#
# usage: scripts/bindings.sh manifests|generate|rust|packages|python|wheel|quick|check|provider
#   manifests the crates of the families, bindings/rust/families/NAME, without their C: what Cargo needs to read the crate usuba
#   generate  the same with the C of every cipher
#   rust      generate, and the tests of the crate with all ciphers; the tutorial's example in Rust
#   packages  generate, and all crates as a registry takes them, in build/packages: none may have more than 5 MB
#   python    generate, a wheel, its tests and the check of its types in a fresh virtual environment; the tutorial's example
#   wheel     generate, and the wheel as PyPI takes it: for every Linux with glibc 2.28, whatever this one has
#   quick     the tests of the crate with a few small ciphers, one of each kind
#   check     whether the crate compiles with these, and how large their packages are: no C is compiled and nothing is run
#   provider  libusuba with all ciphers, the provider of it in build/openssl, and its tests
#
# USUBAC: the compiler (default: the release build, made if it is not there); CIPHERS: only these, but for the provider. A wheel
# and the packages have all ciphers: there they are those that are generated anew, and the others must be there.
# LIBRARY: a libusuba of all ciphers that is there already, for the provider.
# The code of all ciphers is 145 megabytes, most of them straight lines. With ccache installed it is compiled once for both.
set -eu
cd "$(dirname "$0")/.."
build=${CARGO_TARGET_DIR:-$PWD/target}
usubac=${USUBAC:-}
crate=$PWD/bindings/rust
wheels=$PWD/bindings/python/dist
pebble=32bf786a95cfd922
few="ascon chacha20 clyde trivium rectangle"
# Bytes that a package may have: registries take ten million.
most=5000000
if [ -z "${CC:-}" ] && command -v ccache >/dev/null 2>&1; then export CC="ccache cc"; fi

# A feature for each cipher, or a cipher would not be in the crate and nobody would notice.
check_features() {
    for folder in ciphers/*/; do
        cipher=$(basename "$folder")
        grep -q "^$cipher = \[\"dep:usuba-$cipher-sys\"\]" bindings/rust/Cargo.toml &&
            grep -q "^usuba-$cipher-sys = { .*path = \"families/$cipher\"" bindings/rust/Cargo.toml &&
            grep -q "^    \"$cipher\",\$" bindings/rust/Cargo.toml || {
            echo "bindings: $folder has no feature in bindings/rust/Cargo.toml: add \`$cipher = [\"dep:usuba-$cipher-sys\"]\`," \
                "\"$cipher\" to \`all\`, and \`usuba-$cipher-sys\` to the dependencies" >&2
            exit 1
        }
    done
}

# family NAME TITLE: the crate of a family but for its C. Cargo compiles anew what is written, so that files which are right stay.
family() {
    folder=$crate/families/$1
    version=$(sed -n 's/^version = "\(.*\)"$/\1/p' bindings/rust/Cargo.toml | sed -n 1p)
    mkdir -p "$folder/src"
    for file in Cargo.toml build.rs lib.rs README.md; do
        to=$folder/$file
        [ $file != lib.rs ] || to=$folder/src/lib.rs
        sed -e "s|@NAME@|$1|g" -e "s|@TITLE@|$2|g" -e "s|@VERSION@|$version|g" bindings/rust/family/$file >"$folder/.new"
        if [ "$1" = common ]; then
            # It is below all others.
            sed -i -e '/^usuba-common-sys = /d' -e '/^use usuba_common_sys/d' -e 's|, "![^"]*"||g' \
                -e '/^# What all families/d' "$folder/.new"
        fi
        if cmp -s "$folder/.new" "$to"; then rm "$folder/.new"; else mv "$folder/.new" "$to"; fi
    done
    cp -p bindings/rust/LICENSE-* "$folder"
}

# The crates of all families without their C.
manifests() {
    family common "what all ciphers share"
    for cipher in $(all); do
        family "$cipher" "$(sed -n 's/^title = "\(.*\)"$/\1/p' "ciphers/$cipher/usuba.toml" | sed -n 1p)"
    done
}

find_usubac() {
    [ -z "$usubac" ] || return 0
    cargo build --release --quiet -p usubac
    usubac=$build/release/usubac
}

# share FOLDER: what is the same in the folders of all ciphers, and the headers that it includes, into the crate that is below them.
share() {
    common=$crate/families/common/csrc
    mkdir -p "$common"
    seen=" "
    wanted=$(cd "$1" && ls | grep -E '^usuba_(any.*|cpu)\.c$')
    while [ -n "$wanted" ]; do
        next=""
        for file in $wanted; do
            case $seen in *" $file "*) continue ;; esac
            seen="$seen$file "
            # The comment names the cipher.
            sed '/^ \* Command: /d' "$1/$file" >"$common/.new"
            if cmp -s "$common/.new" "$common/$file"; then rm "$common/.new"; else mv "$common/.new" "$common/$file"; fi
            next="$next $(sed -n 's/^#include "\(.*\)"$/\1/p' "$1/$file")"
        done
        # shellcheck disable=SC2086 # the list is a list
        wanted=$(echo $next)
    done
}

# generate CIPHER…: each in a folder of its own, complete before it takes the place of what was there.
generate() {
    find_usubac
    manifests
    # All of it is made anew, so that nothing stays which no family has any more.
    [ $# -lt "$(all | wc -l)" ] || rm -rf "$crate/families/common/csrc"
    for cipher in "$@"; do
        folder=$crate/families/$cipher
        rm -rf "$folder/.csrc"
        "$usubac" build "ciphers/$cipher" --drop-in -o "$folder/.csrc" >/dev/null
        share "$folder/.csrc"
        rm -rf "$folder/csrc"
        mv "$folder/.csrc" "$folder/csrc"
    done
}

all() { for folder in ciphers/*/; do basename "$folder"; done; }

# rust_tests CIPHER…: with the features of these.
rust_tests() {
    features=$(echo "$@" | tr ' ' ',')
    (cd bindings/rust && CARGO_TARGET_DIR="$build/bindings" cargo test --quiet --no-default-features --features "$features")
}

# packages FOLDER: all crates as a registry takes them, none too large. What is generated is in no commit; the lock file is for
# programs, and making one would ask the registry for families that it does not have yet.
packages() {
    rm -rf "$1/package"
    (cd "$crate" && cargo package --quiet --workspace --no-verify --allow-dirty --offline --exclude-lockfile --target-dir "$1")
    for file in "$1"/package/*.crate; do
        bytes=$(wc -c <"$file")
        [ "$bytes" -le $most ] || {
            echo "bindings: $file has $bytes bytes, and may have $most" >&2
            exit 1
        }
        for part in LICENSE-MIT LICENSE-APACHE README.md; do
            tar -tzf "$file" | grep -q "/$part\$" || {
                echo "bindings: $file lacks $part" >&2
                exit 1
            }
        done
    done
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

# A wheel and the packages have all ciphers: what is missing is said before anything is compiled.
check_generated() {
    for cipher in $(all); do
        [ -d "$crate/families/$cipher/csrc" ] || {
            echo "bindings: $cipher is not in bindings/rust/families: run this without CIPHERS once" >&2
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
    "$python" -m pip install --quiet 'maturin>=1.9,<2' pytest mypy cryptography numpy
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

# The wheel for PyPI: Zig links with the symbols of an old glibc. Maturin refuses a wheel that needs newer ones.
wheel() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet 'maturin[zig]>=1.9,<2' auditwheel
    rm -rf "$wheels"
    (cd bindings/python && PATH=$work/venv/bin:$PATH CARGO_TARGET_DIR="$build" maturin build --quiet --release \
        --zig --compatibility manylinux_2_28 --out "$wheels")
    "$work/venv/bin/auditwheel" show "$wheels"/*.whl
}

case ${1:-} in
manifests)
    check_features
    manifests
    ;;
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
packages)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    check_generated
    packages "$PWD/build/packages"
    ls -l build/packages/package/*.crate
    ;;
python)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    check_generated
    python_tests
    ;;
wheel)
    check_features
    # shellcheck disable=SC2046
    generate ${CIPHERS:-$(all)}
    check_generated
    wheel
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
    # A copy, so that what is there is not made anew.
    crate=$build/bindings/check
    mkdir -p "$crate"
    rm -rf "$crate/src" "$crate/build"
    cp -Rp bindings/rust/src bindings/rust/build bindings/rust/Cargo.* bindings/rust/README.md bindings/rust/LICENSE-* "$crate"
    # shellcheck disable=SC2086
    generate $few
    (cd "$crate" && DOCS_RS=1 CARGO_TARGET_DIR="$build/bindings" \
        cargo check --quiet --no-default-features --features "$(echo "$few" | tr ' ' ',')")
    packages "$build/bindings"
    ;;
provider)
    library=${LIBRARY:-$PWD/build/libusuba}
    mkdir -p build
    [ -n "${LIBRARY:-}" ] || sh scripts/lib.sh
    make -s -C bindings/openssl USUBA="$library" BUILD="$PWD/build/openssl"
    USUBA_LIBRARY=$library cargo test --quiet -p usuba-tests --test provider
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,18p' >&2
    exit 2
    ;;
esac
