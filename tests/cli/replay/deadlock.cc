/* deadlock.cc - two guards in two orders; in one order with -DOK. */
#include <mutex>
#include <thread>
#include <unistd.h>

static std::mutex first, second;
static int shared;

static void one()
{
    std::lock_guard<std::mutex> a(first);
    std::lock_guard<std::mutex> b(second);
    shared++;
}

static void two()
{
#ifdef OK
    std::lock_guard<std::mutex> a(first);
    std::lock_guard<std::mutex> b(second);
#else
    std::lock_guard<std::mutex> b(second);
    std::lock_guard<std::mutex> a(first);
#endif
    shared--;
}

int main()
{
    alarm(60); /* a signal that is to come changes nothing */
    std::thread t(one), u(two);

    t.join();
    u.join();
    return shared;
}
