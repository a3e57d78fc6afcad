/*
 * cxx_mutex_ok: setter and getter take the lock.
 *
 * expect: nothing
 */
#include <cstdio>
#include <mutex>
#include <thread>

class Account
{
  public:
    __attribute__((noinline)) void set(int to)
    {
        std::lock_guard<std::mutex> guard(lock);

        balance = to; /* @A */
    }
    __attribute__((noinline)) int get()
    {
        std::lock_guard<std::mutex> guard(lock);

        return balance; /* @B */
    }

  private:
    std::mutex lock;
    volatile int balance = 0;
};

int main()
{
    Account account;
    int seen = 0;
    std::thread one([&] { account.set(3); });
    std::thread two([&] { seen = account.get(); });

    one.join();
    two.join();
    std::printf("%d\n", seen <= 3);
    return 0;
}
