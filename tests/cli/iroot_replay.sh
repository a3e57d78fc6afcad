#!/usr/bin/env bash
# The program itself runs what check --analysis=iroot predicts: its dependencies, and the deadlock.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >two.c <<'END'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *one(void *p)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    x = 1;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}

static void *two(void *p)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    x = 2;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}

int main(void)
{
    pthread_t s, t;

    pthread_create(&s, NULL, one, NULL);
    pthread_create(&t, NULL, two, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
"$FOREWEAVE" cc -g -pthread two.c -o two || complain "cannot build two"
expect 0 record --positions -q -o two.fwt -- ./two
expect 66 check -a iroot --format=json -o two.json two.fwt
ids() { grep -o '"id":"[0-9a-f]*","analysis":"iroot","kind":"iroot","label":"'"$1" two.json | cut -d'"' -f4; }
for label in 'idiom 1 unlock>lock' 'idiom 1 w>w' 'idiom 5w lock>lock' 'idiom 6 unlock>lock unlock>lock'; do
    id=$(ids "$label" | head -1)
    [ -n "$id" ] || { complain "no $label is predicted"; continue; }
    expect 66 replay two.json "$id"
    out_has "reproduced: iroot"
done
finish
