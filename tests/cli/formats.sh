#!/usr/bin/env bash
# The examples in docs/formats.md are what the program reads and writes, byte for byte.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
document=$FOREWEAVE_SOURCE/docs/formats.md

# The indented lines of a section, without the line of the grammar.
example() { sed -n "/^## $1/,/^## /s/^    //p" "$document" | grep -v -e '^THREAD|' -e '^OP THREAD'; }

example STD >a.std
expect 0 trace convert -q a.std canonical.std
grep -v '^#' a.std >without-comments.std
same without-comments.std canonical.std
expect 0 trace info a.std
out_has "events              5"

example Tiddle >a.tid
expect 0 trace info a.tid
out_has "events              9"
expect 0 trace convert -q a.tid b.std
expect 0 trace convert -q b.std b.tid
out_is ""

# The table of kinds: Tiddle's and STD's names, in the order of their numbers.
sed -n '/^## Events/,/^## STD/p' "$document" | tr -d '`' |
    awk -F ' *[|] *' '$2 ~ /^[0-9]+$/ { print $2, $3, $4; if ($6) print $6, $7, $8 }' |
    sort -n >documented
sed -n 's/^    X(\([A-Z_]*\), "\([a-z]*\)", "\([a-z]*\)".*/\2 \3/p' "$FOREWEAVE_SOURCE/src/trace/event.h" |
    awk '{ print NR - 1, $0 }' >kinds
same documented kinds

# The bytes of the example, up to the first word that is not a byte.
printf 'T0|fork(T1)|a.c:9\nT0|w(x)|a.c:3\nT1|r(x)|a.c:5|rf=1,size=4\n' >c.std
sed -n '/^### Example/,$s/^    //p' "$document" | while read -r _ bytes; do
    for byte in $bytes; do
        [[ $byte =~ ^[0-9a-f]{2}$ ]] || break
        printf "\\x$byte"
    done
done >c.fwt
expect 0 trace convert -q c.std d.fwt
same c.fwt d.fwt
expect 0 trace convert -q c.fwt d.std
same c.std d.std
finish
