/*
 * cxx_exception_ptr_ok: two threads rethrow one exception; whoever lets go of it last destroys it.
 *
 * expect: nothing
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
