/*
 * cxx_semaphore: the token is given back too early.
 *
 * flags: -std=c++20
 * expect: race A A
 */
#include <cstdio>
#include <semaphore>
#include <thread>

std::binary_semaphore token(1);
int value;

static void add()
{
    token.acquire();
    token.release();
    value++; /* @A */
}

int main()
{
    std::thread one(add);
    std::thread two(add);

    one.join();
    two.join();
    std::printf("%d\n", value > 0);
    return 0;
}
