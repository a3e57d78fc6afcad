/*
 * cache: results that are computed once and kept.
 *
 * bug: looked up and kept under the lock, but computed in between: two threads can compute the same
 * fails-as: exit 1
 * depth: 2 (each looks before the other keeps)
 * preemptions: 1
 * recorded: yes
 */
#include <mutex>
#include <thread>

static std::mutex lock;
static int kept; /* 0: nothing yet */
static int computed;

static int result()
{
    std::unique_lock<std::mutex> guard(lock);
    int value = kept; /* @bug */

    if (value != 0)
        return value;
    guard.unlock();
    value = 6 * 7;
    guard.lock();
    kept = value; /* @bug */
    computed++;
    return value;
}

int main()
{
    std::thread one(result);
    std::thread two(result);

    one.join();
    two.join();
    return computed == 1 ? 0 : 1;
}
