/*
 * cxx_shared_mutex: the cache is filled under the shared lock.
 *
 * expect: race A A
 */
#include <cstdio>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int cache;

static void fill(int with)
{
    std::shared_lock<std::shared_mutex> guard(lock);

    cache = with; /* @A */
}

int main()
{
    std::thread one([] { fill(1); });
    std::thread two([] { fill(2); });

    one.join();
    two.join();
    std::printf("%d\n", cache > 0);
    return 0;
}
