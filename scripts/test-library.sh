#!/bin/sh
# Tests a whole library as its users have it: build/libusuba, or OUT, made first if it is not there.
#
# usage: scripts/test-library.sh answers|lengths|residue|peers|package|matrix
#   answers  all known answers, and CIPHERS are those in the library if these are not all; chains of at most CHAIN
#            applications, by default a million, or a thousand in the matrix
#   lengths  all lengths from 0 to 4096, or every STEP-th, against single blocks and bytes
#   residue  what of keys functions leave on the stack: a table for each level; setting a key leaves at most 16 bytes
#   peers    random keys and texts against OpenSSL, libgcrypt, libsodium, Botan and Crypto++; CASES of each, from SEED
#   package  installed by make and by CMake; found by pkg-config and by CMake; static and shared; clean C99 and C++ headers
#   matrix   the library by gcc and clang at four levels, static and shared, with LTO, and under sanitizers, and static by gcc
#            for AArch64 and POWER in qemu; each asked for all known answers and some lengths. Hours of one core;
#            WAYS="gcc-O0 clang-lto gcc-sanitizers aarch64" takes some of it
#
# All of it for each target that this machine has code for, forced by USUBA_TARGET, or for LEVELS. CC, CFLAGS as usual.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
out=${OUT:-build/libusuba}
case ${1:-} in
answers | lengths | residue | peers | package | matrix) ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '4,15p' >&2
    exit 2
    ;;
esac
mkdir -p "$(dirname "$out")"
[ -d "$out" ] || sh scripts/lib.sh ${CIPHERS:+$(printf 'ciphers/%s ' $CIPHERS)}
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ways=${WAYS:-"gcc-O0 gcc-O1 gcc-O2 gcc-O3 clang-O0 clang-O1 clang-O2 clang-O3 gcc-lto clang-lto gcc-sanitizers clang-sanitizers aarch64 powerpc64le"}

has() { grep -q "^flags.* $1" /proc/cpuinfo 2>/dev/null; }
levels() {
    list="gp64 ${vectors:-}"
    [ -n "${vectors:-}" ] && echo "${LEVELS:-$list}" && return
    has ssse3 && list="$list ssse3"
    has avx2 && list="$list avx2"
    has avx2 && has aes && has pclmulqdq && list="$list avx-aes"
    has avx512vl && has avx512bw && list="$list avx512"
    has avx512vl && has avx512bw && has gfni && list="$list avx512-gfni"
    has avx512vl && has avx512bw && has gfni && has vaes && has vpclmulqdq && list="$list avx512-vaes"
    echo "${LEVELS:-$list}"
}

find_clang() {
    for version in "" -19 -18 -17 -16 -15 -14; do
        if command -v "clang$version" >/dev/null 2>&1; then
            echo "clang$version"
            return
        fi
    done
    echo "test-library: clang is not installed" >&2
    exit 1
}

# need PACKAGE…: installs Debian packages that are missing.
need() {
    missing=""
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "^install ok" || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "test-library: please install:$missing" >&2
        exit 1
    fi
    echo "test-library: installing$missing"
    apt-get update -qq
    # shellcheck disable=SC2086 # the list is a list
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

strict="-std=c99 -pedantic -Wall -Wextra -Werror"

# asked PROGRAM: all known answers. It prints how many of them each primitive had.
asked() {
    if [ ! -e "$work/lines" ]; then
        # shellcheck disable=SC2086 # the list is a list
        cargo run --release --quiet -p usuba-tests --bin known-answers -- "${CHAIN:-1000000}" ${CIPHERS:-} >"$work/lines"
    fi
    for level in $(levels); do
        # shellcheck disable=SC2086 # what runs programs is a command and its options
        USUBA_TARGET=$level ${runner:-} "$1" <"$work/lines" >"$work/counts" || return 1
        if grep -q ' 0$' "$work/counts"; then
            echo "no known answers: $(grep ' 0$' "$work/counts" | tr '\n' ' ')" >&2
            return 1
        fi
        echo "$level: $(wc -l <"$work/lines") known answers of $(wc -l <"$work/counts") primitives"
    done
}

# lengths PROGRAM STEP
lengths() {
    for level in $(levels); do
        # shellcheck disable=SC2086
        USUBA_TARGET=$level ${runner:-} "$1" "$2"
    done
}

# programs COMPILER FLAGS LIBRARY: the two programs, linked with it.
programs() {
    # shellcheck disable=SC2086 # the flags are flags
    $1 $strict $2 -I"$out/include" -Itests/tests/provider -Itests/library tests/tests/provider/table.c tests/library/batches.c $3 \
        -o "$work/answers"
    # shellcheck disable=SC2086
    $1 $strict $2 -I"$out/include" -Itests/library tests/library/lengths.c tests/library/references.c $3 -o "$work/lengths"
}

# soname OBJECT: the name under which programs ask for a shared library.
soname() { readelf -d "$1" | sed -n 's/.*soname: \[\(.*\)\]/\1/p'; }

# installed_by make|cmake: in $work/make or $work/cmake, found there by pkg-config.
installed_by() {
    prefix=$work/$1
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c99 -Itests/library $(pkg-config --cflags usuba) tests/library/lengths.c \
        tests/library/references.c $(pkg-config --libs usuba) -o "$work/shared"
    LD_LIBRARY_PATH=$prefix/lib "$work/shared" 512
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c99 -static -Itests/library $(pkg-config --cflags usuba) tests/library/lengths.c \
        tests/library/references.c $(pkg-config --static --libs usuba) -o "$work/static"
    "$work/static" 512
    echo "installed by $1, found by pkg-config: shared and static"
}

case ${1:-} in
answers | lengths)
    make -s -j"$(nproc)" -C "$out"
    programs "${CC:-cc}" -O1 "$out/build/libusuba.a"
    if [ "$1" = answers ]; then asked "$work/answers"; else lengths "$work/lengths" "${STEP:-1}"; fi
    ;;
residue)
    make -s -j"$(nproc)" -C "$out"
    # shellcheck disable=SC2086 # the flags are flags
    ${CC:-cc} $strict -O1 -Wl,-z,now -I"$out/include" tests/library/residue.c "$out/build/libusuba.a" -lpthread -o "$work/residue"
    for level in $(levels); do
        USUBA_TARGET=$level "$work/residue" 16
    done
    ;;
peers)
    need g++ pkg-config libssl-dev libgcrypt20-dev libsodium-dev libbotan-2-dev libcrypto++-dev
    make -s -j"$(nproc)" -C "$out"
    # shellcheck disable=SC2086
    ${CC:-cc} $strict -O1 -I"$out/include" -c tests/peers/differential.c -o "$work/differential.o"
    failed=0
    for peer in openssl:libcrypto gcrypt:libgcrypt sodium:libsodium botan:botan-2 cryptopp:libcrypto++; do
        name=${peer%%:*}
        flags=$(pkg-config --cflags --libs "${peer#*:}")
        if [ -e "tests/peers/$name.c" ]; then
            # The headers of peers are theirs: no pedantry.
            # shellcheck disable=SC2086
            ${CC:-cc} -std=c99 -Wall -Wextra -Werror -O1 -Itests/peers "tests/peers/$name.c" "$work/differential.o" \
                "$out/build/libusuba.a" $flags -o "$work/$name"
        else
            # shellcheck disable=SC2086
            ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -O1 -Itests/peers "tests/peers/$name.cpp" \
                "$work/differential.o" "$out/build/libusuba.a" $flags -o "$work/$name"
        fi
        for level in $(levels); do
            USUBA_TARGET=$level "$work/$name" "${CASES:-300}" "${SEED:-1}" || failed=1
        done
    done
    exit $failed
    ;;
package)
    need cmake pkg-config g++ abigail-tools
    make -s -j"$(nproc)" -C "$out"
    for compiler in gcc "$(find_clang)"; do
        # Every header by itself, in both languages.
        for header in "$out"/include/*.h; do
            name=$(basename "$header")
            echo "#include \"$name\"" >"$work/one.c"
            # shellcheck disable=SC2086
            $compiler $strict -I"$out/include" -fsyntax-only "$work/one.c"
            case $compiler in
            gcc) g++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$out/include" -fsyntax-only -x c++ "$work/one.c" ;;
            esac
        done
        # Every source; not longer than this takes without making code.
        for source in "$out"/src/*.c; do
            # shellcheck disable=SC2086
            $compiler $strict -I"$out/include" -fsyntax-only "$source"
        done
        echo "$compiler: headers and sources are clean C99"
    done
    make -s -C "$out" install DESTDIR="$work/staged" PREFIX=/opt/usuba
    make -s -C "$out" install BUILD="$out/build" PREFIX="$work/make"
    [ -e "$work/staged/opt/usuba/lib/libusuba.so" ]
    # What make has staged knows nothing of where it was staged.
    if grep -r "$work" "$work/staged/opt/usuba/lib/pkgconfig"; then exit 1; fi
    grep -qx prefix=/opt/usuba "$work/staged/opt/usuba/lib/pkgconfig/usuba.pc"
    installed_by make
    # This compiles all of it again, with the flags that CMake has for a release.
    cmake -S "$out" -B "$work/cmake-build" -DCMAKE_INSTALL_PREFIX="$work/cmake" -DCMAKE_INSTALL_LIBDIR=lib \
        ${CMAKE_FLAGS:-} >"$work/log" || { cat "$work/log"; exit 1; }
    cmake --build "$work/cmake-build" -j "$(nproc)" >"$work/log" || { cat "$work/log"; exit 1; }
    cmake --install "$work/cmake-build" >"$work/log" || { cat "$work/log"; exit 1; }
    installed_by cmake
    for by in make cmake; do
        cmake -S tests/library -B "$work/user-$by" -DCMAKE_PREFIX_PATH="$work/$by" >"$work/log" || { cat "$work/log"; exit 1; }
        cmake --build "$work/user-$by" >"$work/log" || { cat "$work/log"; exit 1; }
        "$work/user-$by/lengths-shared" 512
        "$work/user-$by/lengths-static" 512
        echo "installed by $by, found by find_package: shared and static"
    done
    # Both have the same interface.
    abidiff "$work/make/lib/$(soname "$out/build/libusuba.so")" "$work/cmake/lib/$(soname "$out/build/libusuba.so")"
    # Hidden are all functions but the public ones: those that the headers name.
    nm -D --defined-only "$out/build/libusuba.so" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort >"$work/exported"
    while IFS= read -r symbol; do
        grep -qw "$symbol" "$out"/include/*.h || { echo "$symbol is exported, but no header has it" >&2; exit 1; }
    done <"$work/exported"
    echo "$(wc -l <"$work/exported") functions are exported, all of them in headers"
    ;;
matrix)
    status=0
    CHAIN=${CHAIN:-1000}
    for way in $ways; do
        family=${way%%-*}
        if [ "$family" = clang ]; then compiler=$(find_clang); else compiler=$family; fi
        archiver=ar
        kinds="static shared"
        runner="" vectors=""
        case $way in
        *-lto)
            flags="-O2 -flto"
            if [ "$family" = clang ]; then
                archiver=llvm-ar${compiler#clang}
                flags="$flags -fuse-ld=lld -Wno-unused-command-line-argument"
                need lld"${compiler#clang}" llvm"${compiler#clang}"
            else
                archiver=gcc-ar
            fi
            ;;
        # Kernels have thousands of loads and stores in a row. What a check does when it fails is out of line, or a trap, and
        # variables are left out of the debug information: compilers take a third of the time.
        gcc-sanitizers)
            flags="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all"
            flags="$flags --param asan-instrumentation-with-call-threshold=100"
            ;;
        clang-sanitizers)
            flags="-O1 -g1 -fsanitize=address,undefined -fsanitize-trap=undefined"
            need libclang-rt"${compiler#clang}"-dev
            ;;
        aarch64 | powerpc64le)
            compiler=$way-linux-gnu-gcc
            archiver=$way-linux-gnu-ar
            flags=-O2
            kinds=static
            case $way in
            aarch64) vectors=neon && runner=qemu-aarch64 && need qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
            *) vectors=altivec && runner=qemu-ppc64le && need qemu-user gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross ;;
            esac
            ;;
        *) flags=-${way#*-} ;;
        esac
        build=$work/$way
        started=$(date +%s)
        if ! make -s -j"$(nproc)" -C "$out" BUILD="$build" CC="$compiler" AR="$archiver" CFLAGS="$flags"; then
            echo "$way: does not compile"
            status=1
            continue
        fi
        made=$(($(date +%s) - started))
        for kind in $kinds; do
            library=$build/libusuba.a
            [ -z "$runner" ] || library="-static $library"
            [ $kind = static ] || library="-L$build -lusuba -Wl,-rpath,$build"
            if programs "$compiler" "$flags" "$library" && { [ $kind = static ] || ln -sf libusuba.so "$build/$(soname "$build/libusuba.so")"; } &&
                asked "$work/answers" && lengths "$work/lengths" "${STEP:-512}"; then
                echo "$way, $kind: passed; made in $made s, $(wc -c <"$build/libusuba.a") bytes"
            else
                echo "$way, $kind: FAILED"
                status=1
            fi
        done
        rm -rf "$build"
    done
    exit $status
    ;;
esac
