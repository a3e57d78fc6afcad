#!/usr/bin/env bash
# iroots.sh [NAME...] - what a campaign that seeks iRoots predicts and exposes, for each program of tests/schedules
# (or those named): a table in Markdown.
#
# guessed: predicted by the profiler and exposed by no profile; proved: of all that are predicted, those with a
# witness; refuted, undecided: those that no reordering of the profiles exposes, or that took too long; exposed of
# the proved, by idiom: 1 (12/12).  The last line sums up.
#
#   PATIENCE=60 (seconds for one program)  ATTEMPTS=2  JOBS=2  SEED=1  WORK=folder (kept)
set -u
cd "$(dirname "$0")/.." || exit 1
export FOREWEAVE=${FOREWEAVE:-$PWD/build/foreweave}
patience=${PATIENCE:-60} attempts=${ATTEMPTS:-2} jobs=${JOBS:-2} seed=${SEED:-1}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$(cd "$WORK" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
bash tests/schedules/build.sh -o "$work" "$@" >"$work/built.txt" || exit 1
names=$(bash tests/schedules/build.sh --list "$@" | cut -f1)

# Six numbers of a result, blanks between them.
row() { sed -n "s/.*\"$1\":\\[\\([0-9,]*\\)\\].*/\\1/p" "$2" | tr , ' '; }

echo "| program | profiles | guessed | refuted | undecided | proved | exposed of the proved, by idiom 1 to 6 | attempts | failing runs | s |"
echo "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|"
for name in $names; do
    result=$work/$name.iroots.json
    [ -s "$result" ] || (cd "$work" && rm -rf "$result.db"* && timeout -s INT "$patience" "$FOREWEAVE" explore -q -s iroot --seed="$seed" -j "$jobs" --limit=20 \
        --attempts="$attempts" --db="$result.db" --folder="$result.of" --format=json -o "$result" -- "./$name" \
        2>"$result.errors")
    rm -rf "$result.of" "$result.db"*
    [ -s "$result" ] || { echo "| $name | failed: $(head -1 "$result.errors") |"; continue; }
    {
        row guessed "$result"; row infeasible "$result"; row undecided "$result"
        row witnesses "$result"; row witnesses_exposed "$result"
        sed -n 's/.*"profiles":\([0-9]*\).*"attempts":\([0-9]*\).*/\1 \2/p' "$result"
        sed -n 's/.*"failing":\([0-9]*\),"redundant.*/\1/p' "$result"
        sed -n 's/.*"profile_seconds":\([0-9.e-]*\).*"seconds":\([0-9.e-]*\).*/\1 \2/p' "$result"
    } | awk -v name="$name" '
        NR <= 5 { for (i = 1; i <= 6; i++) { of[NR, i] = $i; sum[NR] += $i } }
        NR == 6 { profiles = $1; attempts = $2 }
        NR == 7 { failing = $1 }
        NR == 8 { seconds = $1 + $2 }
        END {
            printf "| %s | %d | %d | %d | %d | %d |", name, profiles, sum[1], sum[2], sum[3], sum[4]
            for (i = 1; i <= 6; i++)
                if (of[4, i]) printf " %d: %d/%d", i, of[5, i], of[4, i]
            printf " | %d | %d | %.1f |\n", attempts, failing, seconds
        }'
done | tee "$work/rows.md"
awk -F'|' '
    { n = split($8, cells, " "); for (c = 1; c <= n; c += 2) { idiom = cells[c] + 0; split(cells[c + 1], of, "/"); got[idiom] += of[1]; all[idiom] += of[2] } }
    END { printf "\nExposed of those with a witness:"; for (i = 1; i <= 6; i++) if (all[i]) printf " idiom %d %d of %d (%.0f%%)", i, got[i], all[i], 100 * got[i] / all[i]; printf "\n" }' "$work/rows.md"
