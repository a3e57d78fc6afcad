/*
 * double_checked: an object that is made once, looked for without the lock first.
 *
 * bug: the pointer is published before the object is complete
 * fails-as: assertion
 * depth: 2 (the pointer is seen after it is stored, the contents before they are)
 * preemptions: 1
 * recorded: yes
 */
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings {
    std::atomic<int> limit { 0 };
};

static Settings storage;
static std::atomic<Settings *> settings { nullptr };
static std::mutex lock;

static Settings *get()
{
    Settings *found = settings.load(std::memory_order_acquire); /* @bug */

    if (found != nullptr)
        return found;
    std::lock_guard<std::mutex> guard(lock);
    if (settings.load(std::memory_order_relaxed) == nullptr) {
        settings.store(&storage, std::memory_order_release); /* @bug */
        storage.limit.store(10, std::memory_order_relaxed); /* @bug */
    }
    return &storage;
}

static void use()
{
    int limit = get()->limit.load(std::memory_order_relaxed); /* @bug */

    assert(limit == 10);
}

int main()
{
    std::thread one(use);
    std::thread two(use);

    one.join();
    two.join();
    return 0;
}
