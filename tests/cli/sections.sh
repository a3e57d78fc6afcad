#!/usr/bin/env bash
# sections find finds what a program probably means to be atomic, and nothing else; what it has found
# is placed in any build of the program; files of sections that are wrong are refused with the line.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Every pattern once.  Nothing is found of what one thread uses, or all only read.
cat >shop.c <<'END_OF_SOURCE'
#include <foreweave/annotate.h>
#include <pthread.h>
#include <stdlib.h>
static int total, visits, low, high, own, price = 3, spin, stock = 1;
static int *offer;
static void sell(void)
{
    total += price;
}
static int use(void)
{
    if (offer)
        return *offer;
    return 0;
}
static void visit(void)
{
    int seen = visits;
    visits = seen + 1;
    visits = visits ? visits : 1;
}
static void move(void)
{
    FOREWEAVE_ATOMIC_BEGIN("move");
    low = 0;
    high = 9;
    low = 1;
    FOREWEAVE_ATOMIC_END("move");
}
static void look(void)
{
    for (int i = 0; i < 3; i++)
        if (spin)
            own++;
}
static void *work(void *unused)
{
    for (int i = 0; i < 3; i++) {
        sell();
        use();
        visit();
        move();
        look();
    }
    stock = 2;
    offer = NULL;
    spin = 1;
    return unused;
}
int main(void)
{
    static volatile int warm; /* LONG: so long that repeats are left out */
    for (int i = getenv("LONG") ? 20000 : 0; i > 0; i--)
        warm = i;
    pthread_t threads[2];
    offer = calloc(1, sizeof *offer);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END_OF_SOURCE
line() { grep -nF -e "$1" shop.c | head -1 | cut -d: -f1; }
build() { # COMPILER OPTIONS... -o NAME
    local compiler=$1
    shift
    FOREWEAVE_CC=$compiler "$FOREWEAVE" cc -g -pthread "$@" shop.c 2>"$err" || { complain "it does not build"; cat "$err"; }
}
build gcc -O0 -o shop

expect 0 sections find -o all.sections -- ./shop
out_is ''
err_is "foreweave: 8 sections of 7 shared variables: 1 annotation, 2 load-and-store, 1 test-and-use, 4 invariant; in all.sections"
sell=$(line 'total += price'); use=$(line 'if (offer)'); seen=$(line 'int seen'); set=$(line 'visits = seen')
again=$(line 'visits ? visits'); low=$(line 'low = 0'); high=$(line 'low = 1'); spin=$(line 'if (spin)')
cat >expected <<END_OF_SECTIONS
foreweave sections 1
section sell+2 load-and-store sell
  of total
  entry r shop.c:$sell +2 "total += price;"
  end w shop.c:$sell allow=r +2 "total += price;"
section use+2 test-and-use use
  of offer
  entry r shop.c:$use +2 "if (offer)"
  end r shop.c:$((use + 1)) allow=r +3 "return *offer;"
section visit+2 invariant visit
  of visits
  entry r shop.c:$seen +2 "int seen = visits;"
  end w shop.c:$set allow=r +3 "visits = seen + 1;"
section visit+3 invariant visit
  of visits
  entry w shop.c:$set +3 "visits = seen + 1;"
  end r shop.c:$again allow=r +4 "visits = visits ? visits : 1;"
section visit+4 load-and-store visit
  of visits
  entry r shop.c:$again +4 "visits = visits ? visits : 1;"
  end w shop.c:$again allow=r +4 "visits = visits ? visits : 1;"
section visit+4.2 invariant visit
  of visits
  entry r shop.c:$again#2 +4 "visits = visits ? visits : 1;"
  end w shop.c:$again allow=r +4 "visits = visits ? visits : 1;"
section move+3 annotation move
  of low
  entry w shop.c:$low +3 "low = 0;"
  end w shop.c:$high allow=w +5 "low = 1;"
section look+3 invariant look
  of spin
  entry r shop.c:$spin +3 "if (spin)"
  end r shop.c:$spin allow=r +3 "if (spin)"
  flag circular
END_OF_SECTIONS
same all.sections expected

# Only what is asked for, in a recording, printed; without the repeats it says what is missing.
expect 0 record -q --repeats -o t.fwt -- ./shop
expect 0 sections find --from=load-and-store,test-and-use t.fwt
[ "$(grep -c '^section' "$out")" = 3 ] || complain "not three sections: $(cat "$out")"
out_has 'section use+2 test-and-use use'
out_lacks invariant
err_is "foreweave: 3 sections of 7 shared variables: 2 load-and-store, 1 test-and-use"
expect 0 sections find --from=load-and-store t.fwt t.fwt
err_has " of 7 shared variables: " # once, however many runs had them
LONG=1 expect 0 record -q -o less.fwt -- ./shop
expect 0 sections find less.fwt
out_lacks 'section use+2 test-and-use'
err_has "warning: 1 trace was recorded without repeated accesses: most pairs are missing; 'foreweave record --repeats' keeps them"
reads() { "$FOREWEAVE" trace show --plain --kind=r "$1" | wc -l; }
[ "$(reads t.fwt)" -gt "$(reads less.fwt)" ] || complain "--repeats keeps no more reads"
expect 0 sections find --from=annotations --runs=2 --seed=5 -q -o two.sections -- ./shop
silent
grep -A3 annotation expected >wanted
tail -n +2 two.sections >got
same got wanted

# What cannot be looked into is said.
expect 3 sections find "$traces/atomic-mixed.std"
err_has "is no recording of a program ('foreweave record' makes them)"
expect 3 sections find missing.fwt
one_error
expect 3 sections find -- ./missing
err_has "cannot find './missing': there is no such program, and no such trace"
one_error
expect 3 sections find -- true
err_is "foreweave: nothing can be found in 'true': it was not built with 'foreweave cc'"
# No room for a trace (here: no file may grow) is no reason to speak of how it was built.
last="ulimit -f 1; foreweave sections find -- ./shop"
(ulimit -f 1; exec "$FOREWEAVE" sections find -- ./shop) >"$out" 2>"$err"
[ $? = 125 ] || complain "the status is another one without room for a trace"
err_has "nothing was found in './shop'"
err_has "is cut"
err_lacks "was not built"
expect 2 sections find --from=nonsense t.fwt
err_has "nonsense"
expect 2 sections find --runs=0 -- ./shop
expect 2 sections find -o t.fwt t.fwt

# Without any lock that matters: what one thread does alone, or all only read, is no section.
sed 's/pthread_t threads\[2\]/pthread_t threads[1]/; s/i < 2;/i < 1;/' shop.c >alone.c
"$FOREWEAVE" cc -g -O0 -pthread alone.c -o alone
expect 0 sections find -- ./alone
grep -q '^section [^ ]* [^ ]* \(sell\|visit\|move\)' .foreweave/last/sections && complain "found what one thread does alone"

# A section that synchronises inside is never locked.
sed 's/        return \*offer;/    { pthread_mutex_lock(\&mutex); own += *offer; pthread_mutex_unlock(\&mutex); }/
    s/^static int \*offer;/&\nstatic pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;/' shop.c >inside.c
"$FOREWEAVE" cc -g -O0 -pthread inside.c -o inside || complain "inside.c does not build"
expect 0 sections find --from=test-and-use -q -o inside.sections -- ./inside
expect 0 sections show inside.sections ./inside
out_has "use+2: test-and-use in use, of offer"
out_has "  is never locked: calls pthread_mutex_lock at inside.c:$((use + 2))"
expect 0 sections show --format=json --trace=.foreweave/last/trace.fwt inside.sections ./inside
jq -e '.schema == 1 and (.sections[0] | .can_be_locked == false and
    (.never_locked | startswith("calls pthread_mutex_lock")))' "$out" >/dev/null ||
    complain "JSON does not say that it is never locked: $(cat "$out")"
expect 0 sections find --from=test-and-use -q -o use.sections -- ./shop
expect 0 sections show use.sections ./shop
out_has "  can be locked"
out_lacks "is never locked"
cp shop cat # not the one on PATH
expect 0 sections show --format=json use.sections cat
jq -e '.sections[0] | .can_be_locked and .never_locked == null' "$out" >/dev/null ||
    complain "JSON does not say that it can be locked: $(cat "$out")"
rm cat

# A bit-field is named, and placed where it was found: gcc's hook of its write is for the whole word.
cat >bits.c <<'END_OF_SOURCE'
#include <pthread.h>
static struct { unsigned a : 3, b : 13, c : 16; } bits;
static void *work(void *unused)
{
    for (int i = 0; i < 50; i++)
        bits.c = bits.c + 1;
    return unused;
}
int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    return pthread_join(two, NULL);
}
END_OF_SOURCE
for compiler in gcc clang; do
    FOREWEAVE_CC=$compiler "$FOREWEAVE" cc -g -O0 -pthread bits.c -o bits || complain "bits.c does not build"
    expect 0 sections find --from=load-and-store -q -o bits.sections -- ./bits
    expect 0 sections show bits.sections ./bits
    out_lacks "NOT PLACED" "bits.b"
    out_has "1 section, 1 placed"
done
sed -i 's/of bits.*/of bits.b/' bits.sections # clang's hooks are all for the whole word
expect 0 sections show bits.sections ./bits
out_has "1 section, 1 placed"
sed -i 's/of bits.*/of bits.d/' bits.sections
expect 0 sections show bits.sections ./bits
out_has "NOT PLACED"

# Rebuilt: optimised, by the other compiler, with lines above and within, moved to another folder.
expect 0 sections show all.sections ./shop
out_has "8 sections, 8 placed"
out_has "use+2: test-and-use in use, of offer"
out_has "  from the read at shop.c:$use  if (offer)"
out_has "  to the read at shop.c:$((use + 1))  return *offer;"
out_has "    others may only read it"
out_has "look+3: invariant in look, of spin, circular"
sed -n '/^look+3: /,/^[^ ]/p' "$out" | grep -q "is never locked: is circular: others would wait" ||
    complain "a circular section can be locked: $(cat "$out")"
out_lacks missing
out_has "  can be locked"
placed() { sed -n "/^$1: /,/^  in /p" "$out" | tail -1; }
mkdir moved
{ printf 'struct unrelated { int x; };\nextern int nobody;\n\n'; sed 's/^    total += /    own = 1;\n    total += /' shop.c; } >moved/shop.c
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2; do
        (cd moved && build $compiler $level -o shop)
        expect 0 sections show all.sections moved/shop
        [ -n "$(placed 'sell+2')" ] || complain "$compiler $level: sell is not placed: $(cat "$out")"
        out_has "  in shop: entry +0x"
    done
done
(cd moved && build gcc -O0 -o shop)
expect 0 sections show all.sections moved/shop
out_has "8 sections, 8 placed"
expect 0 sections show --format=json all.sections moved/shop
jq -e '[.sections[] | select(.name == "sell+2") | .places[] | .role] == ["entry", "end"]' "$out" >/dev/null ||
    complain "JSON does not say where sell is: $(cat "$out")"
# It is where the line is now, not where it was: the hook of the write.
offset=$(jq '.sections[] | select(.name == "sell+2") | .places[1].offset' "$out")
[ "$(addr2line -e moved/shop "$(printf '%x' $((offset - 1)))" | sed 's/.*://; s/ .*//')" = $((sell + 4)) ] ||
    complain "sell is placed elsewhere"
expect 3 sections find t.fwt -o x.sections
[ -e shop ] && cp moved/shop shop
expect 3 sections find -o x.sections t.fwt
err_has "/shop' was built anew since it was recorded: record it again"

# By hand, and what is wrong with it.
cat >mine <<'END_OF_SECTIONS'
# what I know
foreweave sections 1
section mine given sell
  entry r shop.c:1
  end w shop.c:12 allow=-
section gone given nobody
  entry r shop.c:1
  end w shop.c:1 allow=-
END_OF_SECTIONS
expect 0 sections show mine
out_has "    others may not touch it"
out_has "2 sections"
expect 0 sections show mine moved/shop
out_has "  missing in shop: entry: no read in line shop.c:1 of 'sell'"
out_has "  missing in shop: there is no function 'nobody' with accesses that have hooks"
out_has "2 sections, 0 placed"
sed -i 's/allow=-/allow=x/' mine
expect 3 sections show mine
err_is "foreweave: mine:5: allow= may be -, r, w or rw, not 'x'"
expect 3 sections show all.sections /bin/true
err_has "has no access hooks: build it with 'foreweave cc'"
expect 3 sections show missing.sections
one_error
expect 2 sections show
finish
