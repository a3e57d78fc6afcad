#!/usr/bin/env bash
# Short recordings have every access, long ones leave repeats out. Neither may name a place for an access that
# was not made there: two variables lie in one word, and one of them is written twice in a row.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >words.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static volatile int own, reads;
static volatile struct {
    int x, y;
} word __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *argument)
{
    pthread_mutex_lock(&mutex);
    word.x = 1;
    word.y = 2;
    word.x = 3; /* again */
    word.x = 4; /* and again */
    pthread_mutex_unlock(&mutex);
    return argument;
}
static void *reader(void *argument)
{
#ifdef SILENT
    pthread_mutex_lock(&mutex);
#endif
    reads = word.y; /* reads y */
    reads = word.x; /* reads x */
#ifdef SILENT
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t one, two;
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
        own++;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END_C
"$FOREWEAVE" cc -g words.c -o words || complain "cannot build"
"$FOREWEAVE" cc -g -DSILENT words.c -o silent || complain "cannot build the silent one"
line() { grep -n "$1" words.c | cut -d: -f1; }
y=$(line 'reads y') x=$(line 'reads x')
first=$(line 'word.x = 1') other=$(line 'word.y = 2') again=$(line '/\* again') more=$(line 'and again')

# pairs FILE: the lines of each race, a pair a line
pairs() {
    jq -r '.findings[] | [.events[].site | split(":")[1] | tonumber] | sort | map(tostring) | join(" ")' "$1"
}

# short: all four writes race with the read of their variable, each is confirmed
expect 66 run -q -a race --format=json -o short.json -- ./words
pairs short.json | sort -u >short.pairs
printf '%s\n' "$other $y" "$first $x" "$again $x" "$more $x" | sort >wanted.pairs
cmp -s short.pairs wanted.pairs || complain "races of the short run: $(tr '\n' ';' <short.pairs)"
[ "$(jq '[.findings[] | select(.status == "confirmed")] | length' short.json)" = 4 ] || complain "not all four were confirmed"
expect 0 run -q -a race -- ./silent

# long: repeats are left out, and what is said again of the word has no place: hb and the others as well
for analysis in race hb cp nondet; do
    "$FOREWEAVE" record -q -o long.fwt -- ./words 9000 || complain "cannot record"
    expect 66 check -a $analysis --format=json -o long.json long.fwt
    pairs long.json | tr ' ' '\n' | sort -u >lines
    grep -qx "$again\|$more" lines && complain "$analysis names a repeat that is not in the trace"
    [ $analysis != race ] || {
        pairs long.json | sort -u >long.pairs
        printf '%s\n' "$other $y" "$first $x" | sort | cmp -s - long.pairs ||
            complain "races of the long run: $(tr '\n' ';' <long.pairs)"
    }
done
"$FOREWEAVE" record -q -o quiet.fwt -- ./silent 9000 || complain "cannot record the silent one"
expect 0 check -a race,hb,cp quiet.fwt

# no iRoot has an access that is nowhere in the code
expect 66 check -a iroot --pairs=all --format=json -o iroot.json long.fwt
jq -e '(.findings | length > 0) and all(.findings[].events[]; .site != null)' iroot.json >/dev/null ||
    complain "an iRoot names what was said again: $(jq -c '[.findings[].events | map(.site)] | unique' iroot.json)"

# with --repeats long ones have all of it, too
"$FOREWEAVE" record -q --repeats -o all.fwt -- ./words 9000 || complain "cannot record with repeats"
expect 66 check -a race --format=json -o all.json all.fwt
pairs all.json | sort -u | cmp -s - wanted.pairs || complain "races with --repeats: $(pairs all.json | tr '\n' ';')"

finish
