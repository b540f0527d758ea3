#!/bin/sh
# How many of each instruction a core with AVX-512, GFNI and VAES starts in a cycle, by itself and beside others.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
gcc -O2 -Wall -Wextra -I bench bench/ports.c -o "$work/ports"
"$work/ports"
