/*
 * cxx_shared_ptr_ok: two threads share an object by a smart pointer; whoever is last destroys it.
 *
 * expect: nothing
 */
#include <cstdio>
#include <memory>
#include <thread>

struct Parts {
    int part[2] = { 0, 0 };
    int sum = 0;
};

static void work(std::shared_ptr<Parts> parts, int which)
{
    parts->part[which] = which + 1;
}

int main()
{
    std::shared_ptr<Parts> parts = std::make_shared<Parts>();
    std::shared_ptr<Parts> first = parts, second = parts;
    std::thread one(work, std::move(first), 0);
    std::thread two(work, std::move(second), 1);

    parts.reset();
    one.join();
    two.join();
    std::puts("destroyed");
    return 0;
}
