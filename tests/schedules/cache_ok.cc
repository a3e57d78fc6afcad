/*
 * cache_ok: results that are computed once and kept.
 *
 * mended: the first one to look computes; the others wait
 */
#include <mutex>
#include <thread>

static std::mutex lock;
static int kept; /* 0: nothing yet */
static int computed;

static int result()
{
    std::unique_lock<std::mutex> guard(lock);
    int value = kept;

    if (value != 0)
        return value;
    value = 6 * 7;
    kept = value;
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
