#!/usr/bin/env bash
# programs.sh [RUNS] - every program of tests/programs in all four ways, each recorded RUNS times (25)
# with a seed of its own: what it prints is the same every time, what is reported every fifth time.
here=$(cd "$(dirname "$0")" && pwd)
exec bash "$here/../programs/run.sh" --runs="${1:-25}" --check-every=5
