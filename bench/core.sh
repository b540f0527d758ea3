#!/bin/sh
# Core cycles that a core with AVX-512 takes for each line of core.c: what the model that orders instructions is made of.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), core cycles of each, medians"
gcc -O2 -mavx512f -Wall -Wextra -I bench bench/core.c -o "$work/core"
"$work/core"
