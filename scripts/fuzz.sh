#!/usr/bin/env bash
# fuzz.sh RUNS [FUZZER...] - runs each fuzzer for that many executions, from the kept seeds.
# A crash, leak, hang (25 s) or allocation above 512 MiB ends it and leaves the input behind.
set -u
runs=$1
shift
cd "$(dirname "$0")/.." || exit 1
fuzzers=${*:-$(ls build-fuzz/fuzz 2>/dev/null)}
status=0
for fuzzer in $fuzzers; do
    name=${fuzzer#fuzz_}
    work=build-fuzz/corpus/$name
    mkdir -p "$work" "tests/fuzz/seeds/$name"
    echo "fuzz: $fuzzer, $runs executions"
    # Entropic scheduling costs more than it finds on targets this quick.
    if ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=2:allocator_release_to_os_interval_ms=-1 \
        build-fuzz/fuzz/"$fuzzer" -runs="$runs" -entropic=0 -timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=512 \
        -max_len=256 -dict=tests/fuzz/words.dict -print_final_stats=1 -artifact_prefix="build-fuzz/$name-" \
        "$work" "tests/fuzz/seeds/$name" >"build-fuzz/$name.log" 2>&1; then
        grep -E 'number_of_executed_units|peak_rss_mb' "build-fuzz/$name.log"
    else
        tail -n 40 "build-fuzz/$name.log"
        echo "fuzz: $fuzzer FAILED (build-fuzz/$name.log)"
        status=1
    fi
done
exit $status
