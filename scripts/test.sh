#!/bin/sh
# Runs every test: formatting and lints, the crates' own tests, and those that cross crates. None may change the tree.
set -eu
tree() { if [ -e .git ]; then git status --porcelain; git diff | cksum; fi; }
before=$(tree)
cargo fmt --check
cargo clippy --workspace --all-targets --quiet -- -D warnings
cargo test --workspace --quiet --no-fail-fast
after=$(tree)
if [ "$before" != "$after" ]; then
    printf 'the tests have changed the tree; before:\n%s\nafter:\n%s\n' "$before" "$after" >&2
    exit 1
fi
