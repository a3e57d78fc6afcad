#!/usr/bin/env bash
# foreweave explore, when threads wait in the kernel while others end: what they share is learnt all the
# same.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# The worker has ended when the main thread comes back from where it waits.
cat >ended.cc <<'END'
#include <future>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
static int n, ends[2];
static std::promise<int> promised;
static std::mutex lock;
static void add()
{
    for (int i = 0; i < 3; i++)
        if (RIGHT == 1) {
            std::lock_guard<std::mutex> guard(lock);
            n = n + 1;
        } else {
            n = n + 1;
        }
}
static void *work(void *argument)
{
    char byte = 0;
    if (HOW == 'p' && write(ends[1], &byte, 1) != 1)
        _exit(2);
    if (HOW == 'f')
        promised.set_value(4);
    add();
    return argument;
}
int main()
{
    pthread_t thread;
    char byte;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, work, NULL) != 0)
        return 2;
    if (HOW == 'p' && read(ends[0], &byte, 1) != 1)
        return 2;
    if (HOW == 'f')
        promised.get_future().wait();
    if (HOW == 's')
        usleep(1000);
    if (RIGHT == 2)
        pthread_join(thread, NULL);
    add();
    if (RIGHT != 2)
        pthread_join(thread, NULL);
    return n != 6;
}
END
for how in p f s; do
    for right in 0 1 2; do
        "$FOREWEAVE" c++ -g -DRIGHT=$right -DHOW="'$how'" -o $how-$right ended.cc ||
            complain "ended.cc does not compile"
    done
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-0
    out_lacks '"shared":0,'
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-1
    out_lacks '"shared":0,' # they are, as before
    expect 0 explore -q -s none -n 2 --format=json -- ./$how-2
    [ $how = f ] || out_has '"shared":0,' # what comes behind a join is the joiner's own
done
for how in p f; do
    expect 66 explore -q -s random -n 1000 --until-first --folder=$how -- ./$how-0
    expect 66 replay $how/*.sched
    expect 0 explore -q -s random -n 50 -- ./$how-1
    expect 0 explore -q -s random -n 50 -- ./$how-2
done
finish
