/*
 * cxx_local_static: the object is made once, but its uses are not protected.
 *
 * expect: race A A
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
    log().lines += 1; /* @A */
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
