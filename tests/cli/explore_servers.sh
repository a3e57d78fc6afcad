#!/usr/bin/env bash
# Programs that do nothing until they are asked, and do not end by themselves.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
cat >server.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *locks)
{
    if (locks)
        pthread_mutex_lock(&lock);
    int old = sum;
    sum = old + 1;
    if (locks)
        pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client;
    void *locks = argc > 2 ? &lock : NULL;

    strcpy(address.sun_path, argv[1]);
    if (bind(server, (struct sockaddr *)&address, sizeof address) < 0 || listen(server, 4) < 0)
        return 3;
    while ((client = accept(server, NULL, NULL)) >= 0) {
        pthread_t one, two;
        char answer;

        pthread_create(&one, NULL, add, locks);
        pthread_create(&two, NULL, add, locks);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        answer = (char)('0' + sum);
        write(client, &answer, 1);
        close(client);
    }
    return 0;
}
END_C
cat >client.c <<'END_C'
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int server = socket(AF_UNIX, SOCK_STREAM, 0), tries = 0;
    char answer = '?';

    (void)argc;
    strcpy(address.sun_path, argv[1]);
    while (connect(server, (struct sockaddr *)&address, sizeof address) < 0)
        if (usleep(1000), ++tries == 5000)
            return 2;
    read(server, &answer, 1);
    return answer != '2';
}
END_C
"$FOREWEAVE" cc -g server.c -o server || complain "cannot build"
cc client.c -o client || complain "cannot build"

# The driver says what is wrong, and the schedule brings its commands along.
expect 66 explore -q -s random --until-first -n 200 --folder=kept --setup='rm -f door' --drive='./client door' \
    -- ./server door
out_has 'failure 1: driver exit 1'
out_has 'replay: foreweave replay kept/driver-exit-1'
grep -q '^drive "./client door"$' kept/*.sched || complain "the driver is not in the schedule"
grep -q '^setup "rm -f door"$' kept/*.sched || complain "nor is the setup"
for run in 1 2 3; do expect 66 replay -q kept/*.sched; done
expect 66 replay kept/*.sched
out_has 'reproduced: driver exit 1'

# The right one ends by our signal, which is no failure.
expect 0 explore -q -s random -n 30 --setup='rm -f door' --drive='./client door' -- ./server door right
out_has '30 runs, 0 failed'
expect 0 explore -q -s random -n 3 --setup='rm -f door' --drive='./client door; exit 0' \
    --teardown='kill $FOREWEAVE_PID; sleep 5; true' -- ./server door right
out_has '3 runs, 0 failed'
out_lacks 'outlived'
expect 0 explore -q -s random -n 3 --setup='rm -f door' --drive='./client door; exit 0' \
    --teardown='kill -9 $FOREWEAVE_PID' --ok='test $FOREWEAVE_STATUS = 137' -- ./server door right

# What goes wrong outside the program.
expect 125 explore -q -n 3 --setup='exit 7' --drive='./client door' -- ./server door right
err_has "the setup command 'exit 7' failed with status 7"
expect 125 explore -q -n 3 --limit=0.3 --setup='sleep 30; true' --drive='./client door' -- ./server door right
err_has "the setup command 'sleep 30; true' takes longer than 0.3 seconds (--limit)"
expect 66 explore -q -n 3 --setup='rm -f door' --drive='./nothing-there' -- ./server door right
out_has 'driver exit 127'
# A driver that outlives the program is waited for: it judges; one that goes on for longer than a run may take is ended.
cat >ends.c <<'END_C'
#include <pthread.h>
static void *nothing(void *unused) { return unused; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    return pthread_join(t, NULL);
}
END_C
"$FOREWEAVE" cc -g ends.c -o ends || complain "cannot build"
late='while kill -0 $FOREWEAVE_PID 2>/dev/null; do sleep 0.01; done'
expect 66 explore -q -s random -n 2 --drive="$late; exit 5" -- ./ends
out_has 'driver exit 5' '2 failed'
expect 0 explore -q -s random -n 2 --drive="$late" --teardown='touch torn' -- ./ends
[ ! -e torn ] || complain "a program that had ended was told to end"
expect 66 explore -q -s iroot --db=ends.db --drive="$late; exit 5" -- ./ends
out_has 'driver exit 5'
expect 66 explore -q -s random -n 1 --limit=0.5 --drive='sleep 100' -- ./ends
out_has 'driver exit 124'
expect 66 explore -q -n 1 --limit=1 --setup='rm -f door' --drive='sleep 30' -- ./server door right
out_has 'hang'
finish
