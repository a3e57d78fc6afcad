/*
 * cxx_async_ok: main looks at what the task wrote when it has the result.
 *
 * expect: nothing
 */
#include <cstdio>
#include <future>

int side;

static int task()
{
    side = 2; /* @A */
    return 40;
}

int main()
{
    std::future<int> result = std::async(std::launch::async, task);
    int sum = result.get();

    sum += side; /* @B */
    std::printf("%d\n", sum);
    return 0;
}
