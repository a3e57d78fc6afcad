#!/usr/bin/env bash
# Attempts that see nothing but the places they are about: they find what others find, what they show is seen again
# by a run that sees everything, and the program computes what it would alone.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >long.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
#define LENGTH 1000
#ifndef ROUNDS
#define ROUNDS 5
#endif
static int balance;
static unsigned expected;
static volatile int started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Accesses that nobody shares, in loops. */
static unsigned work(unsigned rounds)
{
    unsigned *own = calloc(LENGTH, sizeof *own), sum = 0;
    for (unsigned i = 0; i < LENGTH; i++)
        own[i] = i * 2654435761u;
    while (rounds--)
        for (unsigned i = 1; i < LENGTH; i++) {
            own[i] ^= own[i - 1] >> (i & 7);
            if (own[i] & 1)
                sum += own[i];
        }
    free(own);
    return sum;
}
static void check(void)
{
    if (work(ROUNDS) != expected)
        exit(3);
}
static void *deposit(void *unused)
{
    check();
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    int old = balance;
    balance = old + 1;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    check();
    return unused;
}
static void *spinner(void *unused)
{
    while (!started) /* nobody watches it */
        ;
    return deposit(unused);
}
int main(void)
{
    pthread_t t[2];
    expected = work(ROUNDS);
    pthread_create(&t[0], NULL, spinner, NULL);
    pthread_create(&t[1], NULL, deposit, NULL);
    started = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return balance != 2;
}
END_C
# explored PROGRAM OPTION...: into result.json, with a folder and a database of its own
explored() {
    local program=$1
    shift
    rm -rf folder memo.db
    "$FOREWEAVE" explore -q -s iroot --predictor=guess --db=memo.db --folder=folder "$@" --format=json -o result.json -- "./$program" >"$out" 2>"$err"
}
exposed() { "$FOREWEAVE" coverage export --db=memo.db --format=json | jq -r '.programs[0].iroots[] | select(.state == "exposed") | [.accesses[].access] | join(" | ")' | sort; }

build() { # NAME OPTION...
    local name=$1
    shift
    "$FOREWEAVE" cc "$@" -g -pthread long.c -o "$name" || complain "cannot build $name with $*"
}
try() { # NAME
    local status=0
    explored long --thin=always || status=$?
    [ $status = 66 ] || complain "$1: the lost update was not found: $status"
    jq -e '.hunt | .thin > 0 and .again > 0 and .exposed > 0 and .thin == .attempts' result.json >/dev/null ||
        complain "$1: not thin: $(jq -c .hunt result.json)"
    jq -e '[.findings[].text] == ["exit 1"]' result.json >/dev/null ||
        complain "$1: it fails otherwise: $(jq -c '[.findings[].text]' result.json)"
    ls folder/*.sched >/dev/null 2>&1 || complain "$1: no schedule"
    for schedule in folder/*.sched; do
        expect 66 replay -q "$schedule"
    done
}
build long --compiler=gcc -O2
build right --compiler=gcc -O2 -DRIGHT
try gcc
explored right --thin=always || complain "the right one fails"
jq -e '.hunt.thin > 0' result.json >/dev/null || complain "the right one is not thin"
exposed >shown
grep -q '^w right deposit.* | r right deposit' shown || complain "the right one exposes nothing: $(cat shown)"
! grep '^r right deposit.* | w right deposit.* | w right deposit' shown || complain "exposed in spite of the lock"
explored right --thin=never || complain "the right one fails"
jq -e '.hunt | .thin == 0 and .again == 0' result.json >/dev/null || complain "thin though it must not be"
# Calls by pointers, and without optimisation.
build long --compiler=gcc -O0 -fno-plt
try no-plt
! command -v clang >/dev/null || {
    build long --compiler=clang -O2
    try clang
}
# By itself where runs are long: a million basic blocks.
explored right --profile=1 --attempts=1
jq -e '.hunt | .thin == 0 and .attempts > 0' result.json >/dev/null || complain "short runs are thin: $(jq -c .hunt result.json)"
build right --compiler=gcc -O1 -DRIGHT -DROUNDS=300
explored right --profile=1 --attempts=1
jq -e '.hunt | .thin > 0' result.json >/dev/null || complain "long runs are not thin: $(jq -c .hunt result.json)"
expect 2 explore -s pct --thin=always -- ./long
err_has "--thin is for --strategy=iroot"
expect 2 explore -s iroot --thin=some -- ./long
finish
