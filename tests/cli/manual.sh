#!/usr/bin/env bash
# The examples in the manuals run, and those in the documents print what is printed there.
#
# In documents, blocks marked `console` are sessions: lines that begin with "$ " are run in a copy
# of examples/, the others are what is printed.  `manual.sh --update FILE...` writes the output of
# this build into the files.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
mkdir bin
ln -s "$FOREWEAVE" bin/foreweave
PATH=$scratch/bin:$PATH
export TMPDIR=$scratch
cp -r "$FOREWEAVE_SOURCE/examples" .

# Prints the document with the output of its sessions as it is now.  /tmp is the scratch directory.
rerun() {
    local line session=
    while IFS= read -r line; do
        case "$session:$line" in
        :'```console') session=yes; echo "$line" ;;
        yes:'```') session=; echo "$line" ;;
        yes:'$ '*)
            echo "$line"
            bash -c "${line:2}" 2>&1 </dev/null | sed "s:$scratch/tmp:/tmp:g"
            ;;
        yes:*) ;;
        *) echo "$line" ;;
        esac
    done < <(sed "/^\\$ /s:/tmp/:$scratch/tmp/:g" "$1") | sed "/^\\$ /s:$scratch/tmp/:/tmp/:g"
}
mkdir tmp

if [ "${1-}" = --update ]; then
    shift
    for document; do
        rerun "$document" >new
        cat new >"$document"
    done
    exit
fi

for document in "$FOREWEAVE_SOURCE"/README.md "$FOREWEAVE_SOURCE"/docs/*.md "$FOREWEAVE_SOURCE"/docs/*/*.md; do
    [ -e "$document" ] && grep -q '^```console' "$document" || continue
    rerun "$document" >new
    last="bash tests/cli/manual.sh --update $document"
    same "$document" new
done

# The manuals' examples, all in one directory that has the files they speak of.
mkdir work
cd work || exit 1
cp ../examples/hidden-race.std a.std
cp ../examples/hidden-race.json result.json
cp ../examples/hidden.c hidden.c
cp ../examples/hidden.c hidden.cc
cp ../examples/lost.* .
foreweave cc -g lost.c -o lost
foreweave cc -g -O2 lost.c -o lost-O2
cp ../examples/till.* .
mkdir .foreweave
for file in .foreweave/memo.db a.db b.db all.db; do
    "$FOREWEAVE_BUILD/tests/memo_fill" $file <"$FOREWEAVE_SOURCE/tests/cli/coverage/till.memo"
done
foreweave cc -g till.c -o till
foreweave trace convert -q a.std a.fwt
foreweave trace convert -q a.std a.tid
gzip -k a.std
cp "$traces/bad/rel-nonholder.std" log.std
command -v man >/dev/null || { printf '#!/bin/sh\nexec cat\n' >../bin/man && chmod +x ../bin/man; }
while IFS= read -r command; do
    # shellcheck disable=SC2086
    while IFS= read -r example; do
        last=$example
        bash -o pipefail -c "$example" >"$out" 2>"$err" </dev/null
        status=$?
        case $status in
        0 | 66) ;;
        *) complain "an example of 'foreweave $command --help' ends with status $status:"; head -5 "$err" ;;
        esac
    done < <(foreweave help $command | sed -n '/^EXAMPLES/,/^EXIT/s/^    \([a-z].*\)/\1/p')
done < <(foreweave help --completion=bash | sed -n 's/^    "foreweave *\([a-z+ ]*\)") echo.*--help.*/\1/p')
finish
