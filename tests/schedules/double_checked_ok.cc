/*
 * double_checked_ok: an object that is made once, looked for without the lock first.
 *
 * mended: first the object, then the pointer
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
    Settings *found = settings.load(std::memory_order_acquire);

    if (found != nullptr)
        return found;
    std::lock_guard<std::mutex> guard(lock);
    if (settings.load(std::memory_order_relaxed) == nullptr) {
        storage.limit.store(10, std::memory_order_relaxed);
        settings.store(&storage, std::memory_order_release);
    }
    return &storage;
}

static void use()
{
    int limit = get()->limit.load(std::memory_order_relaxed);

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
