/* crew.cc - the program in C++: three workers add to the tally, one of them fails. */
#include "mailbox.h"
#include "tally.h"

#include <future>
#include <iostream>
#include <stdexcept>
#include <vector>

static int work(int amount)
{
    if (amount < 0)
        throw std::runtime_error("not a share");
    tally_add(amount);
    return amount;
}

int main()
{
    std::vector<std::future<int>> crew;
    int failures = 0;

    for (int amount : { 20, -1, 22 })
        crew.push_back(std::async(std::launch::async, work, amount));
    for (auto &worker : crew) {
        try {
            mailbox_put(worker.get());
            mailbox_take();
        } catch (const std::runtime_error &) {
            failures++;
        }
    }
    std::cout << "total " << tally_total() << ", failures " << failures << '\n';
    return 0;
}
