#!/bin/sh
# Runs every test: formatting and lints, the crates' own tests, and those that cross crates. None may change the tree.
# A program whose tests all pass is one line, with the time it took; of others everything is printed.
set -eu
tree() { if [ -e .git ]; then git status --porcelain; git diff | cksum; fi; }
before=$(tree)
cargo fmt --check
cargo clippy --workspace --all-targets --quiet -- -D warnings

# Reads what `cargo test` says, line by line.
digest() {
    program="" all=0 failures=0
    while IFS= read -r line; do
        case $line in
            *"Running "*" ("*-*")")
                # "Running tests/text.rs (target/debug/deps/text-b7de…)", "Running unittests src/lib.rs (…/usuba_ir-1a46…)"
                program=${line##*/}
                program=${program%-*}
                ;;
            *"Doc-tests "*) program="${line##* }, examples" ;;
            "test result: ok. 0 passed; 0 failed; 0 ignored"*) ;;
            "test result: "*)
                passed=${line#*. }
                all=$((all + ${passed%% passed*}))
                rest=${passed#*passed; }
                failures=$((failures + ${rest%% failed*}))
                printf '%10s  %-24s %s\n' "${line##* }" "$program" "${passed%; 0 measured*}"
                ;;
            "" | "test "*" ... ok" | "test "*" ... ignored"* | "test "*"has been running for over"*) ;;
            "running "*" test" | "running "*" tests" | *" Compiling "* | *" Finished "* | *" Blocking "*) ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
    echo "$all passed, $failures failed"
}

failed=$(mktemp)
started=$(date +%s)
{ cargo test --workspace --no-fail-fast 2>&1 || echo failed >"$failed"; } | digest
echo "all tests: $(($(date +%s) - started)) s"
status=0
if [ -s "$failed" ]; then status=1; fi
rm -f "$failed"

# The crate in bindings/ over what the compiler makes now: its types only. `make rust` and `make python` test the bindings.
started=$(date +%s)
USUBAC=${CARGO_TARGET_DIR:-target}/debug/usubac sh scripts/bindings.sh check || status=1
echo "bindings: $(($(date +%s) - started)) s"

# The book, where mdbook is installed (`make book` installs it): what it warns of is an error here.
if command -v mdbook >/dev/null 2>&1; then
    book=$(mktemp -d)
    mdbook build docs --dest-dir "$book" >"$book/log" 2>&1 || status=1
    if grep -E 'WARN|ERROR' "$book/log"; then status=1; fi
    rm -rf "$book"
fi

after=$(tree)
if [ "$before" != "$after" ]; then
    printf 'the tests have changed the tree; before:\n%s\nafter:\n%s\n' "$before" "$after" >&2
    exit 1
fi
exit $status
