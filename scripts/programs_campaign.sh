#!/usr/bin/env bash
# Records every program of tests/programs many times, each time with another seed, and compares what it
# prints and returns with a native run, and now and then what is reported with what its head says.
#
#   programs_campaign.sh [RUNS (1000)] [OPTIONS OF tests/programs/run.sh]
set -u
runs=${1:-1000}
[ $# -gt 0 ] && shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec bash "$root/tests/programs/run.sh" --runs="$runs" --check-every=50 --compilers=gcc --levels=-O2 \
    "$@"
