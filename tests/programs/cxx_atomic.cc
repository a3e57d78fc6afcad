/*
 * cxx_atomic: a pointer is published by a relaxed store.
 *
 * analyses: hb
 * expect: race A B
 * overlap: no, an atomic variable keeps them apart
 */
#include <atomic>
#include <cstdio>
#include <thread>

struct Message {
    int text;
};
Message message;
std::atomic<Message *> box;

static void send()
{
    message.text = 3; /* @A */
    box.store(&message, std::memory_order_relaxed);
}

static void receive()
{
    Message *got;

    while (!(got = box.load(std::memory_order_acquire)))
        std::this_thread::yield();
    got->text += 1; /* @B */
}

int main()
{
    std::thread one(send);
    std::thread two(receive);

    one.join();
    two.join();
    std::printf("%d\n", message.text);
    return 0;
}
