/*
 * cxx_local_static_ok: a local static is made by one thread, and read by all.
 *
 * expect: nothing
 */
#include <cstdio>
#include <thread>

struct Log {
    int lines;
    __attribute__((noinline)) Log() : lines(7)
    {
    }
};

static Log &log()
{
    static Log only;

    return only;
}

static void use()
{
    if (log().lines != 7)
        std::puts("not made");
}

int main()
{
    std::thread one(use);
    std::thread two(use);

    one.join();
    two.join();
    std::printf("%d\n", log().lines >= 7);
    return 0;
}
