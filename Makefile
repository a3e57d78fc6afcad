# Foreweave's front door.  Each goal does all the set-up it needs on a fresh
# Debian 12 machine; a second call only does what is left to do.
#
#   make            build/foreweave
#   make demo       the main job on an example
#   make test       all tests          (make test-asan, test-ubsan, test-tsan: the same, sanitized)
#   make install    PREFIX=/usr/local, DESTDIR= for packagers
#   make bench      speed and memory, side by side
#   make bench-record  what recording costs, beside ThreadSanitizer and Helgrind
#   make realworld  real programs from Debian's sources: built, recorded, checked
#   make fuzz       FUZZ_RUNS=10000000 executions of each fuzzer
#   make clean
PREFIX    ?= /usr/local
FUZZ_RUNS ?= 10000000
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all build demo test test-asan test-ubsan test-tsan install bench bench-record realworld fuzz clean setup

all: build

setup:
	@sh scripts/setup.sh build

build: setup
	@sh scripts/build.sh release $(JOBS)

demo: build
	@sh scripts/demo.sh build/foreweave

test: build
	@ctest --preset release -j $(JOBS)

test-asan test-ubsan test-tsan: test-%: setup
	@sh scripts/build.sh $* $(JOBS)
	@ctest --preset $* -j $(JOBS)

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

bench: build
	@bash bench/run.sh
	@SIZES="1000000 10000000" bash bench/analyses.sh

bench-record: build
	@sh scripts/setup.sh bench
	@bash bench/record.sh

realworld: build
	@sh scripts/setup.sh realworld
	@bash scripts/realworld.sh

fuzz: setup
	@sh scripts/setup.sh fuzz
	@sh scripts/build.sh fuzz $(JOBS)
	@bash scripts/fuzz.sh $(FUZZ_RUNS)

clean:
	rm -rf build build-debug build-asan build-ubsan build-tsan build-fuzz
