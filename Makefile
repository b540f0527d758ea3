# Usuba: `make demo` shows it at work, `make test` runs every test. Both install what is missing, if they may; `make lib` and
# `make demo` need little (scripts/setup.sh says what).

.PHONY: all demo man lib test test-long prove prove-library prove-modes second-opinion mutants test-library test-peers library-matrix bench bench-gcm bench-contexts bench-modes bench-streams bench-page pages covers book compile-speed rust packages python wheel provider setup setup-build setup-demo setup-provider fmt lint clean

all:
	cargo build --release

setup:
	@sh scripts/setup.sh test

setup-build:
	@sh scripts/setup.sh build

setup-demo:
	@sh scripts/setup.sh demo

setup-provider:
	@sh scripts/setup.sh provider

# The C library of all ciphers, or of CIPHERS="ciphers/aes …": build/libusuba has its sources and what installs them.
lib: setup-build
	@mkdir -p build
	@sh scripts/lib.sh $(CIPHERS)

demo: setup-demo
	@cargo build --release --quiet -p usubac
	@sh demo/demo.sh

test: setup
	@sh scripts/test.sh

# The same with longer random runs and all ways to compile (see the file heads in tests/tests/), those of constructions that a
# normal run leaves out, and 100,000 functions through the allocation of registers.
test-long: setup
	USUBA_PROGRAMS=20000 USUBA_FUZZ=200000 USUBA_WAYS=all sh scripts/test.sh
	cargo test --quiet -p usuba-tests --test constructions -- --ignored
	cargo test --release --quiet -p usuba-codegen --lib -- --ignored hundred_thousand

# Proves what is made of every cipher in every slicing, before code generation (ten minutes on one core); object code of every
# kernel (up to a minute each), of which it writes the table of docs/proofs.md (KERNELS="aes serpent" renews the rows of these);
# and engines from bytes to bytes, with 500 faults (half an hour for twelve primitives, on one core of a shared Xeon).
prove: setup-build
	USUBA_WAYS=all cargo test --release --quiet -p usuba-tests --test proofs --test object_proofs
	cargo run --release --quiet -p usuba-tests --bin prove-kernels -- $(KERNELS)
	USUBA_WAYS=all cargo test --release --quiet -p usuba-tests --test engine_proofs -- --include-ignored --nocapture

# Proves the engines of the library that make lib has made, and writes the table of docs/proofs-library.md. PRIMITIVES="aes-128 sm4"
# renews the rows of these; LIBRARY is another folder.
prove-library: setup-build
	cargo build --release --quiet -p usubac -p usuba-tests --bins
	cargo run --release --quiet -p usuba-tests --bin prove-library -- $(or $(LIBRARY),build/libusuba) $(PRIMITIVES)

# The same of modes of operation, for docs/proofs-modes.md. MODES="aes-128 any16" renews the rows of code over these.
prove-modes: setup-build
	cargo build --release --quiet -p usubac -p usuba-tests --bins
	cargo run --release --quiet -p usuba-tests --bin prove-modes -- $(or $(LIBRARY),build/libusuba) $(MODES)

# Asks ABC (Debian's berkeley-abc) the same of kernels and of programs of Usuba0, both sides as AIGER, and Z3 of exported circuits.
second-opinion: setup-build
	@cargo run --release --quiet -p usuba-tests --bin second-opinion

# Seeds 500 faults into Usuba0 and 500 into object code of each of ten ciphers, and prints what the prover and test vectors say of
# them: USUBA_MUTANTS=60 for a first look.
mutants: setup-build
	@cargo run --release --quiet -p usuba-tests --bin mutants

# The whole library: known answers, all lengths to 4096, what it leaves of keys, and how it is installed, found and linked.
test-library: setup
	@sh scripts/test-library.sh answers
	@sh scripts/test-library.sh lengths
	@sh scripts/test-library.sh residue
	@sh scripts/test-library.sh package

# The whole library against OpenSSL, libgcrypt, libsodium, Botan and Crypto++; installs them from Debian's packages.
test-peers: setup
	@sh scripts/test-library.sh peers

# The whole library by gcc and clang at four levels, with LTO, under sanitizers, and for AArch64 and POWER, each tested: hours.
library-matrix: setup
	@sh scripts/test-library.sh matrix

# Measures Usuba and its peers and writes PAGE; QUICK=1 for a first look of a few minutes.
PAGE = docs/performance.md
bench: setup
	@QUICK=$(QUICK) PAGE=$(PAGE) sh bench/bench.sh

# AES-GCM against the libraries that are fastest in it: a few minutes, most of them for building these once.
bench-gcm: setup-build
	@sh bench/gcm/gcm.sh

# What keys cost users: contexts, `init`, calls of a few blocks and their stack; LEVELS="gp64 avx2 best", LIBRARY=build/libusuba.
bench-contexts: setup-build
	@sh bench/contexts.sh

# What modes take beside their ciphers, over the block ciphers of PRIMITIVES="aes-128 …" or all; LEVELS and LIBRARY as above.
bench-modes: setup-build
	@sh bench/modes.sh $(PRIMITIVES)

# ChaCha20-Poly1305, ChaCha20 and AES in counter mode beside OpenSSL, libsodium and libgcrypt, messages of 16 bytes to 16 KiB.
bench-streams: setup
	@sh bench/streams.sh

# Writes the page again from the data beside it.
bench-page:
	@cargo run --release --quiet -p usuba-report -- page $(PAGE:.md=/data.json) $(PAGE)

# A page for each cipher in docs/ciphers/.
pages: setup-build
	@cargo run --release --quiet -p usuba-tests --bin pages

# The table of solved covers, crates/usuba-codegen/covers/covers.txt.
covers: setup-build
	@cargo run --release --quiet -p usuba-tests --bin covers

# The documentation as a book, in build/book.
book:
	@command -v mdbook >/dev/null || cargo install --locked mdbook
	mdbook build docs

# Compile speed of every cipher, slicing and target.
compile-speed: setup
	@cargo run --release --quiet -p usuba-tests --bin compile-speed

# The Rust crate in bindings/rust: generates its C and tests it.
rust: setup-build
	@sh scripts/bindings.sh rust

# The Rust crates as a registry takes them, in build/packages/package: none may have more than 5 MB.
packages: setup-build
	@sh scripts/bindings.sh packages

# The Python package in bindings/python: generates the C of the ciphers, makes a wheel and tests it.
python: setup-build
	@sh scripts/bindings.sh python

# The wheel as PyPI takes it, in bindings/python/dist: for Python 3.9 and later, and every Linux with glibc 2.28.
wheel: setup-build
	@sh scripts/bindings.sh wheel

# The OpenSSL provider in bindings/openssl: makes libusuba with all ciphers, build/openssl/usuba.so, and tests it.
provider: setup-provider
	@sh scripts/bindings.sh provider

# The manual pages of usubac, in build/man: MANPATH=build/man man usubac-build.
man:
	@cargo run --release --quiet -p usubac -- man --output build/man/man1

fmt:
	cargo fmt
	cargo run --release --quiet -p usubac -- fmt ciphers/*/*.ua docs/examples/*.ua

lint:
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings

clean:
	cargo clean
	rm -rf build
