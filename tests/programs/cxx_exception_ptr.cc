/*
 * cxx_exception_ptr: two threads rethrow one exception, and its handlers count in the object.
 *
 * expect: race A A
 */
#include <cstdio>
#include <exception>
#include <thread>

struct failure {
    int code;
    int seen;
};

static void handle(std::exception_ptr exception)
{
    try {
        std::rethrow_exception(exception);
    } catch (failure &caught) {
        if (caught.code != 7)
            std::puts("another one");
        caught.seen++; /* @A */
    }
}

int main()
{
    std::exception_ptr exception;

    try {
        throw failure{ 7, 0 };
    } catch (...) {
        exception = std::current_exception();
    }
    std::thread one(handle, exception);
    std::thread two(handle, exception);

    exception = nullptr;
    one.join();
    two.join();
    std::puts("done");
    return 0;
}
