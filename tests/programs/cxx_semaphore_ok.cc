/*
 * cxx_semaphore_ok: a binary semaphore as a lock.
 *
 * flags: -std=c++20
 * expect: nothing
 */
#include <cstdio>
#include <semaphore>
#include <thread>

std::binary_semaphore token(1);
int value;

static void add()
{
    token.acquire();
    value++; /* @A */
    token.release();
}

int main()
{
    std::thread one(add);
    std::thread two(add);

    one.join();
    two.join();
    std::printf("%d\n", value);
    return 0;
}
