#!/usr/bin/env bash
# What threads do to each other through the kernel is searched like what they do to memory: the end of the process, signals,
# files and their names, descriptors, pipes, fork. Each case fails if another thread comes between, and has a twin that does not.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

cat >effects.c <<'END_C'
/* What threads do to each other through the kernel: `how` says what, `right` whether it is done in order. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int fd, ends[2], failed, right;
static char name[64], how;
static void handler(int number)
{
    (void)number;
}
static void enter(void)
{
    if (right)
        pthread_mutex_lock(&lock);
}
static void leave(void)
{
    if (right)
        pthread_mutex_unlock(&lock);
}
/* Check, then act. */
static void take_file(void)
{
    enter();
    if (access(name, F_OK) == 0 && unlink(name) != 0)
        failed = 1;
    leave();
}
static void make_folder(void)
{
    struct stat about;
    enter();
    if (stat(name, &about) != 0 && mkdir(name, 0700) != 0)
        failed = 1;
    leave();
}
static void put(int place)
{
    char byte = (char)('0' + place);
    enter();
    if (lseek(fd, place, SEEK_SET) < 0 || write(fd, &byte, 1) != 1)
        failed = 1;
    leave();
}
/* Two writes that belong together. */
static void send_pair(char byte)
{
    enter();
    if (write(ends[1], &byte, 1) != 1 || write(ends[1], &byte, 1) != 1)
        failed = 1;
    leave();
}
static void *work(void *argument)
{
    int first = argument == &failed;
    switch (how) {
    case 'e': /* the end of the process does not wait for this */
    case 'x':
        if (!right)
            sem_post(&done);
        if (write(fd, "done", 4) != 4)
            failed = 1;
        if (right)
            sem_post(&done);
        break;
    case 'k': /* the handler may be gone by then */
        if (!right)
            sem_post(&done);
        kill(getpid(), SIGUSR1);
        if (right)
            sem_post(&done);
        break;
    case 'u':
        take_file();
        break;
    case 'm':
        make_folder();
        break;
    case 'l':
        put(first);
        break;
    case 'p':
        send_pair(first ? 'a' : 'b');
        break;
    case 'f': /* a child has what others hold locked */
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        break;
    }
    return NULL;
}
static void take(void)
{
    pthread_mutex_lock(&lock);
}
static void give(void)
{
    pthread_mutex_unlock(&lock);
}
static int fork_locked(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(pthread_mutex_trylock(&lock) != 0);
    return waitpid(child, &status, 0) != child || status != 0;
}
static int check_file(void)
{
    char text[4] = "";
    return pread(fd, text, 4, 0) != 2 || memcmp(text, "01", 2) != 0;
}
static int check_pipe(void)
{
    char text[4];
    return read(ends[0], text, 4) != 4 || text[0] != text[1];
}
int main(int count, char **words)
{
    pthread_t one, two;
    int result = count != 3;
    how = words[1][0];
    right = words[2][0] == '1';
    snprintf(name, sizeof name, "effect-%c.%d", how, (int)getpid());
    sem_init(&done, 0, 0);
    signal(SIGUSR1, handler);
    if (how == 'e' || how == 'x')
        fd = open("effect", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (how == 'u' || how == 'l')
        fd = open(name, O_CREAT | O_RDWR, 0600);
    if (pipe(ends) != 0)
        return 2;
    if (how == 'f' && right)
        pthread_atfork(take, give, give);
    pthread_create(&one, NULL, work, &failed);
    if (how == 'e' || how == 'x') {
        pthread_detach(one);
        sem_wait(&done);
        if (how == 'x')
            _exit(0);
        return 0;
    }
    if (how == 'k') {
        sem_wait(&done);
        signal(SIGUSR1, SIG_DFL);
    } else if (how == 'f') {
        result = fork_locked();
    } else {
        pthread_create(&two, NULL, work, NULL);
        pthread_join(two, NULL);
    }
    pthread_join(one, NULL);
    if (how == 'l')
        result = check_file();
    if (how == 'p')
        result = check_pipe();
    unlink(name);
    rmdir(name);
    return result || failed;
}
END_C
judge() { # how: the option that judges runs of this case
    case $1 in
    e | x) echo "--ok=grep -q done effect" ;;
    *) echo "--idle=1000000" ;;
    esac
}
"$FOREWEAVE" cc -g -o effects effects.c || complain "effects.c does not compile"
# When a child has ended the kernel decides, and which thread runs a handler.
all_run() {
    case $how in
    f) out_has '"complete":false' 'other processes are not controlled' ;;
    k) out_has '"complete":false,"why":"signals come when and to whom no schedule says"' ;;
    *) out_has '"complete":true' ;;
    esac
}
for how in e x k u m l p f; do
    for strategy in random pct pos; do
        expect 66 explore -q -s $strategy -n 300 --until-first --folder=$how-$strategy "$(judge $how)" -- ./effects $how 0
        expect 0 explore -q -s $strategy -n 30 "$(judge $how)" -- ./effects $how 1
    done
    expect 66 replay --runs=3 $how-random/*.sched
    out_has '(3 of 3 runs)'
    expect 66 explore -q -s chess --format=json "$(judge $how)" -- ./effects $how 0
    all_run
    expect 0 explore -q -s chess --format=json "$(judge $how)" -- ./effects $how 1
    all_run
    expect 66 explore -q -s chess --preemptions=all --until-first "$(judge $how)" -- ./effects $how 0
done
expect 0 explore -q -s chess --preemptions=all --format=json -- ./effects m 1
out_has '"complete":true'

# Schedules name these calls, and hold for another build.
"$FOREWEAVE" cc -g -O2 -o fast effects.c || complain "effects.c does not compile"
for how in x u l; do
    expect 66 replay $how-random/*.sched -- ./fast $how 0
done
grep -q 'before unlink in take_file' u-random/*.sched || complain "no unlink in the schedule"

# So does the order in which is printed.
cat >out.c <<'END_C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int right;
static void *says(void *text)
{
    if (right)
        pthread_mutex_lock(&lock);
    printf("<");
    fputs(text, stdout);
    printf(">");
    if (right)
        pthread_mutex_unlock(&lock);
    return text;
}
int main(int count, char **words)
{
    pthread_t one, two;
    right = count > 1 && strcmp(words[1], "1") == 0;
    pthread_create(&one, NULL, says, "a");
    pthread_create(&two, NULL, says, "b");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts("");
    return 0;
}
END_C
"$FOREWEAVE" cc -g out.c -o out || complain "out.c does not compile"
judged() {
    expect $1 explore -q -s chess --format=json --ok='grep -Eq "<a><b>|<b><a>" $FOREWEAVE_OUTPUT' -- ./out $2
    out_has '"complete":true'
}
judged 66 0
judged 0 1

# Looking for a file in a loop is spinning: others go first, and the search ends.
cat >looks.c <<'END_C'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *makes(void *argument)
{
    close(open(argument, O_CREAT | O_WRONLY, 0600));
    return argument;
}
int main(void)
{
    char name[] = "looks.1";
    pthread_t thread;
    unlink(name);
    pthread_create(&thread, NULL, makes, name);
    while (access(name, F_OK) != 0)
        ;
    pthread_join(thread, NULL);
    return 0;
}
END_C
"$FOREWEAVE" cc -g looks.c -o looks || complain "looks.c does not compile"
expect 0 explore -q -s chess --format=json -- ./looks
out_has '"complete":false,"why":"threads that tried in vain were held back"'
expect 0 explore -q -s random -n 20 -- ./looks
finish
