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
# The runtime lives in other programs and includes nothing of ours; wire.h is for both sides.  So do
# atomrace and guard, which are kinds of it.
layers="cmd report lifetx learn explore memo analysis predict iroot order tiddle record sections trace symbol base atomrace guard runtime"
awk -v layers="$layers" '
    BEGIN { n = split(layers, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
    FNR == 1 { split(FILENAME, parts, "/"); from = parts[2] }
    /^#include "/ {
        split($0, quoted, "\""); n = split(quoted[2], parts, "/"); to = n > 1 ? parts[1] : from
        if (!rank[from]) wrong("folder \047" from "\047 has no place in the layers")
        if (!rank[to]) wrong("includes from unknown folder \047" to "\047")
        if (rank[to] < rank[from]) wrong("\047" from "\047 includes \047" to "\047, which is above it")
    }
    function wrong(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    END { exit bad }' src/*/*.c src/*/*.h || failures=$((failures + 1))

# Tests' support code is never needed by the product.
grep -n '#include "\(tests\|support\)/' src/*/*.[ch] && complain "the product includes test code"

sources=$(ls src/*/*.[ch] tests/*/*.[ch] bench/*.[ch] include/foreweave/*.h 2>/dev/null)
awk '
    FNR == 1 && last { size() }
    FNR == 1 { last = FILENAME; if ($0 !~ /^\/\*/) wrong("does not open with a comment that says what it is") }
    { lines = FNR }
    function size() { if (lines > 600) { print last ": " lines " lines (at most 600)"; bad = 1 } }
    function wrong(what) { print FILENAME ": " what; bad = 1 }
    END { size(); exit bad }' $sources || failures=$((failures + 1))
# Columns are characters, not bytes.
LC_ALL=C.UTF-8 grep -nE '^.{101,}' $sources && complain "lines of more than 100 columns"
# A function over 70 lines says why in a comment inside it.
awk '
    FNR == 1 { start = 0; explained = 0 }
    /\t/ { printf "%s:%d: tab\n", FILENAME, FNR; bad = 1 }
    /[ \t]$/ { printf "%s:%d: blank at the end of the line\n", FILENAME, FNR; bad = 1 }
    /^\{/ { start = FNR }
    /^\}/ { if (start && FNR - start - 1 > 70 && !explained) { printf "%s:%d: function of %d lines without a reason\n", FILENAME, start, FNR - start - 1; bad = 1 } start = 0; explained = 0 }
    /Long because/ { explained = 1 }
    END { exit bad }' $sources || failures=$((failures + 1))

[ "$failures" = 0 ] && echo "layout: all files in order" && exit 0
echo "layout: $failures complaints"
exit 1
