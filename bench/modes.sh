#!/bin/sh
# What modes take beside their ciphers: messages of 16 KiB, of the block ciphers named, or all. The library is build/libusuba, or
# LIBRARY; `make lib` makes it. For each of LEVELS: names of targets, or `best`.
set -eu
cd "$(dirname "$0")/.."
library=${LIBRARY:-build/libusuba}
[ -e "$library/build/libusuba.a" ] || OUT=$library sh scripts/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=gnu99 -O2 -Wall -Wextra -Werror -I bench -I "$library/include" bench/modes.c "$library/build/libusuba.a" -o "$work/modes"
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), family $(sed -n 's/^cpu family[^:]*: //p' /proc/cpuinfo | head -n 1) model $(sed -n 's/^model[^ n:]*: //p' /proc/cpuinfo | head -n 1), core cycles, medians"
for level in ${LEVELS:-gp64 avx2 best}; do
    if [ "$level" = best ]; then unset USUBA_TARGET; else export USUBA_TARGET="$level"; fi
    "$work/modes" "$@"
done
