#!/usr/bin/env bash
# foreweave record: statuses, files, processes, and what is left when things go wrong.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >race.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void *set(void *argument) { x = 2; return argument; }
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    x = 1;
    pthread_join(thread, NULL);
    printf("x=%d\n", x);
    fflush(stdout);
    if (argc > 2)
        kill(getpid(), atoi(argv[2]));
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
cat >long.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
static long cells[4096], sum;
static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 4096; i++) {
            cells[i] += r ^ i;
            if (i % 64 == 0) {
                pthread_mutex_lock(&lock);
                sum += cells[(i * 7 + r) % 4096] ? 1 + i % 5 : 1 + i % 5;
                pthread_mutex_unlock(&lock);
            }
        }
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    rounds = argc > 1 ? atoi(argv[1]) : 10;
    if (argc > 2)
        alarm(20); /* nobody waits for it: it must not stay for ever */
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("sum %ld\n", sum);
    return 0;
}
END
sed -i '/#include <signal.h>/a #include <unistd.h>' long.c
cat >children.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int x;
static void *set(void *argument) { x++; return argument; }
static void two(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
int main(void)
{
    int status;
    two();
    if (fork() == 0) {
        two();
        _exit(0);
    }
    wait(&status);
    if (fork() == 0) {
        execl("./race", "./race", NULL);
        _exit(9);
    }
    wait(&status);
    printf("done\n");
    return 0;
}
END
for name in race long children; do
    "$FOREWEAVE" cc -g -O1 $name.c -o $name || complain "cannot build $name"
done
gcc -O1 race.c -o plain -pthread

# The program's own output and status come through; one closing line, with the next command.
expect 0 record -o t.fwt -- ./race
out_is "x=2"
err_has "threads in t.fwt; next: foreweave check t.fwt"
one_error
expect 0 record -o "it's t.fwt" -- ./race
err_has "in it's t.fwt; next: foreweave check 'it'\\''s t.fwt'"
expect 0 record -o t.fwt -- ./race
expect 66 check t.fwt
out_has "race.c"
expect 66 check --format=json t.fwt
expect 0 trace info t.fwt
out_has "threads             2"
expect 41 record -q -o t.fwt -- ./race 41
silent
expect 143 record -o t.fwt -- ./race 0 15
out_is "x=2"
expect 137 record -o t.fwt -- ./race 0 9
expect 66 check t.fwt

# The same seed, the same trace.
expect 0 record -q --seed=5 --quantum=100 -o a.fwt -- ./long 3
expect 0 record -q --seed=5 --quantum=100 -o b.fwt -- ./long 3
"$FOREWEAVE" trace convert -q a.fwt a.std
"$FOREWEAVE" trace convert -q b.fwt b.std
[ "$(wc -l <a.std)" = "$(wc -l <b.std)" ] || complain "the same seed gives another trace"

# Without -o: a folder a run, and a link to the newest.
expect 0 record -- ./race
err_has ".foreweave/"
first=$(readlink .foreweave/last)
expect 66 check .foreweave/last/trace.fwt
expect 0 record -- ./race
[ "$(readlink .foreweave/last)" != "$first" ] || complain "last still points to the first run"
[ -f ".foreweave/$first/trace.fwt" ] || complain "the first run is gone"

# Bad use.  Nothing is written if there is nothing to run, nothing is run if nothing can be written.
expect 3 record -o none.fwt -- ./missing
err_is "foreweave: cannot run './missing': no such file or directory"
[ ! -e none.fwt ] || complain "a trace of a program that is not there"
expect 3 record -o none.fwt -- no-such-program-anywhere
one_error
expect 3 record -o none.fwt -- ./race.c
err_has "permission denied"
expect 3 record -o none.fwt -- .
one_error
expect 2 record
expect 2 record -o -  -- ./race
one_error 2
cat >mark.c <<'END'
#include <fcntl.h>
int main(void) { return open("marked", O_CREAT | O_WRONLY, 0600) < 0; }
END
"$FOREWEAVE" cc mark.c -o mark
expect 125 record -o race.c/t.fwt -- ./mark
err_is "foreweave: cannot write 'race.c/t.fwt': not a directory"
expect 125 record -o no/such/folder/t.fwt -- ./mark
one_error
expect 125 record -o . -- ./mark
one_error
[ ! -e marked ] || complain "the program was started although its trace cannot be written"
mkdir ro && cd ro && touch .foreweave || exit 1
expect 125 record -- ../mark
one_error
cd ..

# A program that was not built with the wrapper: its synchronisation, and a warning.
expect 0 record -o p.fwt -- ./plain
out_is "x=2"
err_has "was not built with 'foreweave cc'"
expect 0 trace info p.fwt
out_has "fork 1"
expect 0 record -o p.fwt -- true

expect 0 check p.fwt
out_has "Memory accesses were not seen"
expect 0 check --format=json p.fwt
out_has '"accesses":false'
expect 0 trace info p.fwt
out_has "not seen: nothing was built with 'foreweave cc'"

# A race that is expected is counted, not reported; one on other memory is.
cat >benign.c <<'END'
#include <foreweave/annotate.h>
#include <pthread.h>
int hits, x;
static void *set(void *argument)
{
    hits++;
    if (argument)
        x = 2;
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    FOREWEAVE_EXPECT_RACE(&hits, sizeof hits, "statistics");
    pthread_create(&thread, NULL, set, argc > 1 ? argv : NULL);
    hits++;
    x = 1;
    pthread_join(thread, NULL);
    return 0;
}
END
"$FOREWEAVE" cc -g benign.c -o benign || complain "cannot build benign"
expect 0 record -o e.fwt -- ./benign
expect 0 check e.fwt
out_has "expected"
expect 0 record -o e.fwt -- ./benign both
expect 66 check e.fwt
out_has "race: 1 finding, complete"
expect 66 check --format=json e.fwt
out_has '"expected":'
expect 0 trace info e.fwt
out_has "races expected      on 1 variables"

# Processes: the forked one and the executed one have traces of their own.
expect 0 record -o c.fwt -- ./children
out_has "x=2"
out_has "done"
expect 66 check c.fwt
expect 66 check c.1.fwt
out_has "children.c"
expect 66 check c.2.fwt
out_has "race.c"
[ ! -e c.3.fwt ] || complain "more traces than processes"
# A shell and env hand their file on.
expect 7 record -o s.fwt -- sh -c 'exec env A=b ./race 7'
out_is "x=2"
expect 66 check s.fwt
[ ! -e s.1.fwt ] || complain "a trace of the shell"
expect 7 record -o s.fwt -- sh -c './race 5; ./race 7'
expect 66 check s.1.fwt
expect 66 check s.2.fwt

# A process that outlives the program is ended, and its trace is cut there; one that was there before is not.
cat >daemon.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0) {
        close(open("ready", O_CREAT | O_WRONLY, 0600));
        setsid();
        for (;;)
            pause();
    }
    while (access("ready", F_OK) < 0)
        usleep(1000);
    return 0;
}
END
"$FOREWEAVE" cc daemon.c -o daemon
expect 0 record -o d.fwt -- ./daemon
err_has "it went on after the program had ended"
err_has "1 process outlived the program and was ended"
no_daemons() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" = "$scratch" ] || continue
        ! tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q '^./daemon' || complain "one is there still"
    done
}
no_daemons
expect 0 trace info d.1.fwt
err_has "is cut"
last='exec foreweave record, by a shell with a child'
bash -c 'sleep 1000 & echo $! >other; exec "$FOREWEAVE" record -q -o e.fwt -- ./daemon' >"$out" 2>&1
kill "$(cat other)" || complain "a child that it had before was ended"

# A signal for the recorder is one for the program; its trace is finished.
cat >waits.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
int x;
static void *set(void *argument) { x = 2; return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    x = 1;
    pthread_join(thread, NULL);
    alarm(60);
    kill(getppid(), SIGTERM);
    for (;;)
        pause();
}
END
"$FOREWEAVE" cc waits.c -o waits
expect 143 record -o w.fwt -- ./waits
expect 66 check w.fwt
err_lacks "cut"

# A full disk (here: a file that may not grow) never stops the program.
long_sum=$(./long 40)
last="ulimit -f 32; foreweave record -o f.fwt -- ./long 40"
(ulimit -f 32; exec "$FOREWEAVE" record -o f.fwt -- ./long 40) >"$out" 2>"$err"
[ $? = 0 ] || complain "a full disk changed the status"
out_is "$long_sum"
err_has "is cut"
err_has "ulimit -f"
err_lacks "was not built"
expect 0 trace info f.fwt
err_has "is cut"

# Killed at any moment, program, recorder or both: what is there can be read.
tries=20
[ -z "${FOREWEAVE_SANITIZE-}" ] || tries=6
last="bash tests/campaign/kill.sh $tries"
bash "$FOREWEAVE_SOURCE/tests/campaign/kill.sh" $tries >"$out" || { complain "killed:"; cat "$out"; }

finish
