#!/usr/bin/env bash
# Includes go only downward, and files stay readable.
set -u
cd "$FOREWEAVE_SOURCE" || exit 1
failures=0
complain() {
    echo "$*"
    failures=$((failures + 1))
}

# From the top down; a folder may include itself and what stands after it.
# The runtime lives in other programs and includes nothing of ours; wire.h is for both sides.  So does
# atomrace, which is a kind of it.
layers="cmd report explore memo analysis predict iroot order tiddle record sections trace symbol base atomrace runtime"
rank() {
    local i=0 layer
    for layer in $layers; do
        i=$((i + 1))
        [ "$layer" = "$1" ] && echo $i && return
    done
    echo 0
}

while IFS=: read -r file line text; do
    from=${file#src/}; from=${from%%/*}
    to=${text#*\"}; to=${to%%\"*}
    case "$to" in */*) to=${to%%/*} ;; *) to=$from ;; esac
    from_rank=$(rank "$from"); to_rank=$(rank "$to")
    if [ "$from_rank" = 0 ]; then complain "$file:$line: folder '$from' has no place in the layers"; fi
    if [ "$to_rank" = 0 ]; then complain "$file:$line: includes from unknown folder '$to'"; fi
    if [ "$to_rank" -lt "$from_rank" ]; then complain "$file:$line: '$from' includes '$to', which is above it"; fi
done < <(grep -n '^#include "' src/*/*.c src/*/*.h)

# Tests' support code is never needed by the product.
grep -n '#include "\(tests\|support\)/' src/*/*.[ch] && complain "the product includes test code"

sources=$(ls src/*/*.[ch] tests/*/*.[ch] bench/*.[ch] include/foreweave/*.h 2>/dev/null)
for file in $sources; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || complain "$file: $lines lines (at most 600)"
    head -c 2 "$file" | grep -q '/\*' || complain "$file: does not open with a comment that says what it is"
done
# Columns are characters, not bytes.
LC_ALL=C.UTF-8 grep -nE '^.{101,}' $sources && complain "lines of more than 100 columns"
# A function over 70 lines says why in a comment inside it.
for file in $sources; do
    awk -v file="$file" '
        /\t/ { printf "%s:%d: tab\n", file, FNR; bad = 1 }
        /[ \t]$/ { printf "%s:%d: blank at the end of the line\n", file, FNR; bad = 1 }
        /^\{/ { start = FNR }
        /^\}/ { if (start && FNR - start - 1 > 70 && !explained) { printf "%s:%d: function of %d lines without a reason\n", file, start, FNR - start - 1; bad = 1 } start = 0; explained = 0 }
        /Long because/ { explained = 1 }
        END { exit bad }' "$file" || failures=$((failures + 1))
done

[ "$failures" = 0 ] && echo "layout: all files in order" && exit 0
echo "layout: $failures complaints"
exit 1
