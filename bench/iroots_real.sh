#!/usr/bin/env bash
# iroots_real.sh [NAME...] - what a campaign that seeks iRoots predicts and exposes in real programs under load: a
# table in Markdown, and its sums by idiom.
#
# pbzip2 compresses a small file in three blocks; memcached has two workers and three clients that compare every
# answer; redis has three I/O threads, and clients that fill it and compare a digest.  Servers listen on 127.0.0.1.
# By the profiler (a): guessed and not exposed by a profile.  By the proof (b): with a witness, refuted, undecided.
#
#   TIME=300 (seconds for each)  ATTEMPTS=2  SEED=1  OPTIONS=""  FOREWEAVE=build/foreweave
#   WORK=build/realworld   sources, builds and results are kept there, as scripts/realworld.sh has them
set -u
cd "$(dirname "$0")/.." || exit 1
scripts=$PWD/scripts
foreweave=$(realpath "${FOREWEAVE:-build/foreweave}")
seconds=${TIME:-300} attempts=${ATTEMPTS:-2} seed=${SEED:-1}
mkdir -p "${WORK:=build/realworld}"
work=$(cd "$WORK" && pwd)
say() { echo "iroots_real.sh: $*" >&2; }
. bench/real.bash
. bench/iroots_row.bash

campaign() { # PROGRAM
    local folder=$work/iroots/$1
    (build_program "$1") || { say "skipping $1: it cannot be built" && return 1; }
    mkdir -p "$folder" && cd "$folder" || return 1
    rm -rf memo.db* of result.json
    describe "$1"
    # shellcheck disable=SC2086  # options are words
    "$foreweave" explore -q -s iroot --seed="$seed" --limit=60 --time="$seconds" --attempts="$attempts" --foresee --db=memo.db --folder=of \
        ${OPTIONS:-} --format=json -o result.json "${escort[@]}" -- "${command[@]}" 2>errors
    [ -s result.json ] || { say "$1: $(head -1 errors)" && return 1; }
}

iroots_head
for program in ${*:-pbzip2 memcached redis}; do
    (campaign "$program") && iroots_row "$program" "$work/iroots/$program/result.json"
done | tee "$work/rows.md"
iroots_sums "$work/rows.md"
