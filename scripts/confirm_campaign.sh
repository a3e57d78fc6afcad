#!/usr/bin/env bash
# Compares what 'foreweave run' finds in random programs with all that they can do.
#
#   confirm_campaign.sh [PROGRAMS (200)] [SEED (1)] [long]
#
# long: the programs make so many accesses before their threads start that repeats are left out of recordings.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export FOREWEAVE=${FOREWEAVE:-$root/build/foreweave} PYTHONDONTWRITEBYTECODE=1
exec python3 "$root/tests/cli/confirm/compare.py" "${1:-200}" "${2:-1}" "${3:-}"
