# shellcheck shell=bash
# iroots_row.bash - sourced by what measures campaigns that seek iRoots: their tables.
#
#   iroots_head              the head of the table
#   iroots_row NAME RESULT   a line of it, from the result of a campaign (JSON)
#   iroots_sums FILE         sums of such lines, by idiom

# Six numbers of a result, blanks between them.
iroots_of() { sed -n "s/.*\"$1\":\\[\\([0-9,]*\\)\\].*/\\1/p" "$2" | tr , ' '; }

iroots_head() {
    echo "| program | profiles | guessed | refuted | undecided | proved | exposed of the proved, by idiom 1 to 6 | exposed in all | attempts | failing runs | s |"
    echo "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|"
}

iroots_row() { # NAME RESULT
    local field
    for field in guessed infeasible undecided witnesses witnesses_exposed iroots; do iroots_of $field "$2"; done |
        cat - <(sed -n 's/.*"profiles":\([0-9]*\).*"attempts":\([0-9]*\).*/\1 \2/p' "$2") \
            <(sed -n 's/.*"failing":\([0-9]*\),"redundant.*/\1/p' "$2") \
            <(sed -n 's/.*"profile_seconds":\([0-9.e-]*\).*"seconds":\([0-9.e-]*\).*/\1 \2/p' "$2") |
        awk -v name="$1" '
            NR <= 6 { for (i = 1; i <= 6; i++) { of[NR, i] = $i; sum[NR] += $i } }
            NR == 7 { profiles = $1; attempts = $2 }
            NR == 8 { failing = $1 }
            NR == 9 { seconds = $1 + $2 }
            END {
                printf "| %s | %d | %d | %d | %d | %d |", name, profiles, sum[1], sum[2], sum[3], sum[4]
                for (i = 1; i <= 6; i++)
                    if (of[4, i]) printf " %d: %d/%d", i, of[5, i], of[4, i]
                printf " | %d | %d | %d | %.1f |\n", sum[6], attempts, failing, seconds
            }'
}

iroots_sums() { # FILE
    awk -F'|' '
        { n = split($8, cells, " "); for (c = 1; c <= n; c += 2) { idiom = cells[c] + 0; split(cells[c + 1], of, "/"); got[idiom] += of[1]; all[idiom] += of[2] } }
        END { printf "\nExposed of those with a witness:"; for (i = 1; i <= 6; i++) if (all[i]) printf " idiom %d %d of %d (%.0f%%)", i, got[i], all[i], 100 * got[i] / all[i]; printf "\n" }' "$1"
}
