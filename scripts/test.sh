#!/bin/sh
# Runs every test: formatting and lints, the crates' own tests, and those that cross crates.
set -eu
cargo fmt --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet --no-fail-fast
