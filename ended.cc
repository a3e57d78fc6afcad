#include <future>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
static int n, ends[2];
static std::promise<int> promised;
static std::mutex lock;
static void add()
{
    for (int i = 0; i < 3; i++)
        if (RIGHT == 1) {
            std::lock_guard<std::mutex> guard(lock);
            n = n + 1;
        } else {
            n = n + 1;
        }
}
static void *work(void *argument)
{
    char byte = 0;
    if (HOW == 'p' && write(ends[1], &byte, 1) != 1)
        _exit(2);
    if (HOW == 'f')
        promised.set_value(4);
    add();
    return argument;
}
int main()
{
    pthread_t thread;
    char byte;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, work, NULL) != 0)
        return 2;
    if (HOW == 'p' && read(ends[0], &byte, 1) != 1)
        return 2;
    if (HOW == 'f')
        promised.get_future().wait();
    if (HOW == 's')
        usleep(1000);
    if (RIGHT == 2)
        pthread_join(thread, NULL);
    add();
    if (RIGHT != 2)
        pthread_join(thread, NULL);
    return n != 6;
}
