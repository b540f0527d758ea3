#!/bin/sh
# Runs every test: formatting and lints, the crates' own tests, and those that cross crates. None may change the tree.
# A program whose tests all pass is one line, with the time it took; of others everything is printed.
set -eu
tree() { if [ -e .git ]; then git status --porcelain; git diff | cksum; fi; }
before=$(tree)
cargo fmt --check
cargo clippy --workspace --all-targets --quiet -- -D warnings

# Tests that take longest, with several that leave a core idle: they run beside all others.
long="known_answers constructions provider instructions transposition blockwise library_modes"

# The names of all other tests that are programs of their own.
short() {
    for program in tests/tests/*.rs tests/tests/*/main.rs crates/*/tests/*.rs crates/*/tests/*/main.rs bench/report/tests/*.rs; do
        [ -f "$program" ] || continue
        name=${program%/main.rs}
        name=$(basename "$name" .rs)
        case " $long " in *" $name "*) ;; *) echo "$name" ;; esac
    done | sort -u
}

# Reads what `cargo test` says, line by line, and writes how many passed and failed to a file.
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
    echo "$all $failures" >"$1"
}

# tests NAME OPTION…: the tests that options choose; that one failed is a file.
tests() {
    name=$1
    shift
    { cargo test --workspace --no-fail-fast "$@" 2>&1 || : >"$work/$name.failed"; } | digest "$work/$name.count"
}

work=$(mktemp -d)
started=$(date +%s)
cargo test --workspace --no-run --quiet
echo "compiled: $(($(date +%s) - started)) s"
options() { for name in "$@"; do printf ' --test %s' "$name"; done; }
# shellcheck disable=SC2046,SC2086 # lists
{
    tests long $(options $long) >"$work/long.text" &
    tests short --lib --bins $(options $(short))
    tests examples --doc
    wait
}
cat "$work/long.text"
status=0
for name in long short examples; do if [ -f "$work/$name.failed" ]; then status=1; fi; done
awk '{ passed += $1; failed += $2 } END { print passed " passed, " failed " failed" }' "$work"/*.count
echo "all tests: $(($(date +%s) - started)) s"
rm -rf "$work"

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
