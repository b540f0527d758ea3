#!/bin/sh
# Makes sure that what is needed is there; installs Debian packages if it may.
#
# usage: scripts/setup.sh [build|demo|provider|test]
#   build     the compiler and libraries made with it: Rust and a C compiler
#   demo      also what `make demo` compares and compiles with: openssl, its headers, pkg-config
#   provider  also the gcc that the provider's tests call
#   test      also what every test needs: both C compilers, cross compilers, emulators (the default)
set -eu

for_what=${1:-test}
case $for_what in
build | demo | provider | test) ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '4,8p' >&2
    exit 2
    ;;
esac

need_rust="1.88"
if ! command -v cargo >/dev/null 2>&1; then
    echo "setup: cargo is not installed: install Rust $need_rust or newer from https://rustup.rs or your distribution" >&2
    exit 1
fi
have_rust=$(rustc --version | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
if [ "$(printf '%s\n%s\n' "$need_rust" "$have_rust" | sort -V | head -n 1)" != "$need_rust" ]; then
    echo "setup: Rust $have_rust is too old: $need_rust or newer is needed (rustup update)" >&2
    exit 1
fi

# Any clang from 14 on will do; 19 is what the figures in the documentation were made with.
has_clang() {
    for version in "" -14 -15 -16 -17 -18 -19 -20 -21 -22 -23; do
        command -v "clang$version" >/dev/null 2>&1 && return 0
    done
    return 1
}

missing=""
want() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
# The compiler that make will call; CC may have options, or be "ccache cc".
compiler=${CC:-cc}
want "${compiler%% *}" "gcc libc6-dev"
if [ "$for_what" != build ]; then
    want openssl openssl
    want pkg-config pkg-config
    pkg-config --exists 'libcrypto >= 3' 2>/dev/null || missing="$missing libssl-dev"
fi
if [ "$for_what" = provider ] || [ "$for_what" = test ]; then
    want gcc "gcc libc6-dev"
fi
if [ "$for_what" = test ]; then
    want qemu-aarch64 qemu-user
    want aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    want powerpc64le-linux-gnu-gcc "gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross"
    # The same machine in the other byte order: the one that shows what little-endian tests cannot.
    want powerpc64-linux-gnu-gcc "gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross"
    has_clang || missing="$missing CLANG"
fi
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: please install:$(echo "$missing" | sed 's/CLANG/clang/')" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "setup: please run: apt-get install$(echo "$missing" | sed 's/CLANG/clang/')" >&2
    exit 1
fi
$as_root apt-get update -qq
if apt-cache show clang-19 >/dev/null 2>&1; then clang=clang-19; else clang=clang; fi
packages=$(echo "$missing" | sed "s/CLANG/$clang/")
echo "setup: installing$packages"
# shellcheck disable=SC2086 # the list is a list
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $packages >/dev/null
