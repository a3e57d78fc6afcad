/*
 * cxx_async: main looks at what the task writes before it asks for the result.
 *
 * expect: race A B
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
    int early = side; /* @B */
    int sum = result.get();

    std::printf("%d\n", sum + (early > 2));
    return 0;
}
