#!/usr/bin/env bash
# Compares what 'foreweave explore -s chess' sees of random programs with all that they can do.
#
#   search_campaign.sh [PROGRAMS (300)] [SEED (1)]
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export FOREWEAVE=${FOREWEAVE:-$root/build/foreweave} PYTHONDONTWRITEBYTECODE=1
exec python3 "$root/tests/cli/search/compare.py" "${1:-300}" "${2:-1}"
