/*
 * string_buffer: one text is appended to another one while a third party shortens it.
 *
 * bug: the length is asked under the lock, and the characters are copied under the lock, but not
 * under the same one: in between the text can become shorter
 * fails-as: signal 6
 * depth: 2 (shortened after the length was read, before the characters are copied)
 * preemptions: 1
 * recorded: yes
 */
#include <mutex>
#include <stdexcept>
#include <thread>

class Text {
public:
    int length()
    {
        std::lock_guard<std::mutex> guard(lock);
        return used;
    }

    void copy(char *to, int wanted)
    {
        std::lock_guard<std::mutex> guard(lock);
        if (wanted > used) /* @bug */
            throw std::out_of_range("text");
        for (int i = 0; i < wanted; i++)
            to[i] = characters[i];
    }

    void shorten(int wanted)
    {
        std::lock_guard<std::mutex> guard(lock);
        used = wanted; /* @bug */
    }

private:
    std::mutex lock;
    char characters[4] = { 't', 'e', 'x', 't' };
    int used = 4;
};

static Text text;

static void append()
{
    char copied[4];

    text.copy(copied, text.length());
}

int main()
{
    std::thread appender(append);
    std::thread cutter([] { text.shorten(0); });

    appender.join();
    cutter.join();
    return 0;
}
