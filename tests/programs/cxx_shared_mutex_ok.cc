/*
 * cxx_shared_mutex_ok: the cache is filled under the exclusive lock and read under the shared one.
 *
 * expect: nothing
 */
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int cache;

static void fill(int with)
{
    std::unique_lock<std::shared_mutex> guard(lock);

    cache = with; /* @A */
}

static int look()
{
    std::shared_lock<std::shared_mutex> guard(lock);

    return cache;
}

int main()
{
    std::thread one([] { fill(1); });
    std::thread two([] { fill(2); });
    int seen = look();

    one.join();
    two.join();
    std::printf("%d\n", cache > 0 && seen >= 0);
    return 0;
}
