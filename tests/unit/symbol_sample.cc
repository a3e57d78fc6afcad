// symbol_sample.cc - the part of the sample of test_symbol that is C++.
#include <atomic>
#include <mutex>

namespace bank {
struct account {
    static int count;
    std::mutex lock;
    int id;
};
int account::count;
account accounts[3];
template <class T> struct adder {
    __attribute__((noinline)) T add(T to)
    {
        static T calls;

        return to + ++calls;
    }
};
} // namespace bank

namespace {
int hidden;
}
std::atomic<int> turns;

extern "C" int *twin_of_other(void)
{
    static int twin;
    bank::adder<int> adder;

    hidden = adder.add(bank::account::count);
    turns++;
    bank::accounts[1].lock.lock();
    return &twin;
}
