#!/usr/bin/env bash
# trace convert: every format to every other and back; what is lost is said.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# The whole corpus: to binary and back gives what text to text gives; so does Tiddle where the
# threads have numbers.
for trace in "$traces"/*.std "$traces"/*.tid; do
    name=$(basename "$trace")
    expect 0 trace convert -q "$trace" one.std
    expect 0 trace convert -q "$trace" one.fwt
    expect 0 trace convert -q one.fwt two.std
    same one.std two.std
    expect 0 trace convert -q two.std three.std # canonical text stays as it is
    same one.std three.std
    expect 0 trace convert -q two.std two.fwt # and so does the binary form
    same one.fwt two.fwt
    if "$FOREWEAVE" trace convert -q one.std one.tid 2>"$err"; then
        expect 0 trace convert -q one.tid two.std
        same one.std two.std
        expect 0 trace convert -q one.tid two.tid
        same one.tid two.tid
    else
        last="foreweave trace convert -q $name one.tid"
        one_error
    fi
done

cat >a.std <<'TRACE'
# a comment
T0|fork(1)|1
T0|acq(l)|2
T0|acq(l)|3
T0|rel(l)|4
T0|req(l)|5
T0|rel(l)|6
T0|post(s)|7
T1|pend(s)|8|rf=6
TRACE
expect 0 trace convert a.std b.std
out_is "a.std -> b.std: 7 events, 1 line without meaning left out"
[ "$(cat b.std)" = "T0|fork(T1)|1
T0|acq(l)|2
T0|acq(l)|3
T0|rel(l)|4
T0|rel(l)|6
T0|post(s)|7
T1|pend(s)|8|rf=5" ] || { complain "b.std is:"; cat b.std; }
expect 0 trace convert b.std b.fwt
out_is "b.std -> b.fwt: 7 events, nothing lost"
expect 0 trace convert --quiet b.std c.std
out_is ""
expect 0 trace convert b.std - # standard output gets the trace alone
same "$out" b.std
expect 0 trace convert --to=fwt b.std -
same "$out" b.fwt
expect 0 trace convert - c.fwt <b.std
same b.fwt c.fwt
expect 0 trace convert --from=std --to=std b.std name.txt
same b.std name.txt
expect 0 trace convert b.fwt - # .fwt is known by its first bytes
same "$out" b.std
expect 0 trace convert - - <b.fwt
same "$out" b.std

# A byte order mark is skipped; behind it, or in a later line, it belongs to the name.
printf '\357\273\277T1|w(x)|1\n' >marked.std
expect 0 trace convert marked.std d.std
printf 'T1|w(x)|1\n' | same d.std -
printf '\357\273\277\357\273\277a|w(x)|1\n' >marked.std
expect 0 trace convert marked.std d.std
same marked.std d.std
printf '# branches: yes\n\357\273\277a|w(x)|1\n' >marked.std
expect 0 trace convert marked.std d.std
same marked.std d.std

# The file that is read is never overwritten.
cp b.std keep.std
ln -s keep.std link.std
for pair in "keep.std keep.std" "link.std keep.std" "keep.std link.std"; do
    # shellcheck disable=SC2086
    expect 2 trace convert $pair
done
expect 2 trace convert - keep.std <keep.std
same b.std keep.std

expect 0 trace convert --repair "$traces/bad/rel-nonholder.std" d.std
out_has "1 ill-formed dropped"
err_has "warning: "
head -c 30 b.fwt >cut.fwt
expect 0 trace convert cut.fwt d.std
err_has "foreweave: warning: 'cut.fwt' is cut ("
err_has "): converted to its last complete block"
finish
