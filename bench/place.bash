# place.bash - sourced by record.sh, atomrace.sh and noise.sh, from the project's folder: $work, a place for what is
# built and written, and the programs $foreweave and $measure, built if $build was not named by BUILD.
say() { echo "${0##*/}: $*" >&2; }
die() { say "$@" && exit 1; }
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK"
    work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
fi
sources=${SOURCES:-build/realworld/sources}

if [ -z "${BUILD:-}" ]; then
    say "building"
    {
        cmake --preset release -DFOREWEAVE_BENCH=ON
        cmake --build build --parallel "$(nproc)"
    } >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2 && die "the build failed"; }
fi
for program in foreweave bench/measure; do
    [ -x "$build/$program" ] || die "'$build/$program' is missing: build with -DFOREWEAVE_BENCH=ON"
done
foreweave=$(cd "$build" && pwd)/foreweave
measure=$(cd "$build" && pwd)/bench/measure
