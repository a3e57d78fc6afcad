#!/usr/bin/env bash
# kill.sh [TRIES] - kill -9 at random moments leaves a readable trace: of the program, of the
# recorder, of both, in turn.  200 tries by default; `make test` does 20.
: "${FOREWEAVE_SOURCE:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${FOREWEAVE:=$FOREWEAVE_SOURCE/build/foreweave}"
export FOREWEAVE FOREWEAVE_SOURCE
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
tries=${1:-200}

cat >busy.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static long cells[4096], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    for (long r = 0;; r++)
        for (int i = 0; i < 4096; i++) {
            long *block = malloc(64);
            cells[i] += r ^ i;
            block[i % 8] = cells[i];
            pthread_mutex_lock(&lock);
            sum += block[i % 8];
            pthread_mutex_unlock(&lock);
            free(block);
        }
    return argument;
}
int main(void)
{
    pthread_t threads[3];
    alarm(20); /* nobody waits for it: it must not stay for ever */
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
"$FOREWEAVE" cc -g -O1 busy.c -o busy || exit 1

# Waits until there is a file, so that every try counts, and then some random time.
await_file() {
    local n
    for ((n = 0; n < 2000; n++)); do
        [ -s k.fwt ] && break
        sleep 0.005
    done
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
}

cut=0
for ((i = 0; i < tries; i++)); do
    rm -f k.fwt
    "$FOREWEAVE" record -q -o k.fwt -- ./busy >/dev/null 2>&1 &
    recorder=$!
    await_file
    program=$(pgrep -P "$recorder" -x busy)
    case $((i % 3)) in
    0) victims=${program:-$recorder} ;;
    1) victims=$recorder ;;
    2) victims="$recorder $program" ;;
    esac
    kill -9 $victims 2>/dev/null
    wait "$recorder" 2>/dev/null
    [ -z "$program" ] || kill -9 "$program" 2>/dev/null
    expect 0 trace info k.fwt
    grep -q "is cut" "$err" && cut=$((cut + 1))
done
echo "$((tries - failures)) of $tries traces readable, $cut of them cut"
finish
