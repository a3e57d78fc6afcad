/*
 * string_buffer_ok: one text is appended to another one while a third party shortens it.
 *
 * mended: copied as long as it is when it is copied
 */
#include <mutex>
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
        if (wanted > used)
            wanted = used;
        for (int i = 0; i < wanted; i++)
            to[i] = characters[i];
    }

    void shorten(int wanted)
    {
        std::lock_guard<std::mutex> guard(lock);
        used = wanted;
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
