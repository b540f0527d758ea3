#!/bin/sh
# What keys cost: contexts, `init`, calls of a few blocks and the stack they take, of every primitive of a library with a key.
# The library is build/libusuba, or LIBRARY; `make lib` makes it. For each of LEVELS:
# names of targets, or `best`.
set -eu
cd "$(dirname "$0")/.."
library=${LIBRARY:-build/libusuba}
[ -e "$library/build/libusuba.a" ] || OUT=$library sh scripts/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=gnu99 -O2 -Wall -Wextra -Werror -pthread -I bench -I tests/library -I "$library/include" bench/contexts.c \
    "$library/build/libusuba.a" -o "$work/contexts"
# Names of primitives, and the bytes of their round keys: of the key where the manifest has none.
sizes=$(awk -F'[ ,]+' '
    function said() { if (name != "" && keys != "") print name, keys; name = keys = "" }
    FNR == 1 || /^\[\[/ { said() }
    /^name = / { name = $3; gsub(/"/, "", name) }
    /^key = / && keys == "" { for (i = 1; i < NF; i++) if ($i == "bytes") keys = $(i + 2) }
    /^round-keys = / { for (i = 1; i < NF; i++) if ($i == "bytes") keys = $(i + 2) }
    END { said() }' ciphers/*/usuba.toml)
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core cycles, medians"
for level in ${LEVELS:-gp64 avx2 best}; do
    if [ "$level" = best ]; then unset USUBA_TARGET; else export USUBA_TARGET="$level"; fi
    # shellcheck disable=SC2086 # the list is a list
    "$work/contexts" $sizes
done
