/*
 * cxx_library: strings, streams and containers say that data is ready before it is.
 *
 * expect: race A B
 */
#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <sched.h>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>

static std::string text, words, big;
static std::ostringstream out;
static std::stringstream both;
static char letters[3];
static std::list<int> list, numbers { 3, 1, 2 };
static std::map<int, int> tree, emptied { { 1, 1 }, { 2, 2 }, { 3, 3 } };
static std::unordered_map<std::string, int> table;
static std::istringstream in("12 34 a line\nx");
static long value;
static std::string line, last;

/* Ways to say that something is ready, all through memory that the C++ library's code writes. */
struct way {
    void (*set)();
    bool (*is_set)();
    int data;
};

static way ways[] = {
    { [] { text.push_back('A'); }, [] { return !text.empty(); }, 0 },
    { [] { words = "yes"; }, [] { return words[0] == 'y'; }, 0 },
    { [] { big.append(100, 'x'); }, [] { return big.size() == 100; }, 0 },
    { [] { out << "abc" << 1; }, [] { return out.tellp() > 0; }, 0 },
    { [] { both << 12; }, [] { return both.str() == "12"; }, 0 },
    { [] { std::copy_n("abc", 3, letters); }, [] { return letters[2] == 'c'; }, 0 },
    { [] { list.push_back(1); }, [] { return list.begin() != list.end(); }, 0 },
    { [] { numbers.sort(); }, [] { return numbers.front() == 1; }, 0 },
    { [] { tree[1] = 1; }, [] { return tree.begin() != tree.end(); }, 0 },
    { [] { emptied.erase(2); }, [] { return emptied.find(2) == emptied.end(); }, 0 },
    { [] { table["key"] = 1; }, [] { return table.count("key") == 1; }, 0 },
    { [] { in >> value; }, [] { return value == 12; }, 0 },
    { [] { std::getline(in, line); }, [] { return line == " 34 a line"; }, 0 },
    { [] { std::getline(in, last); }, [] { return in.eof(); }, 0 },
};

static std::mutex mutex;

static void publish()
{
    for (way &way : ways) {
        mutex.lock();
        way.set();
        mutex.unlock();
        way.data = 1; /* @A */
    }
}

static void consume()
{
    for (way &way : ways) {
        for (bool ready = false; !ready; sched_yield()) {
            std::lock_guard<std::mutex> guard(mutex);

            ready = way.is_set();
        }
        way.data += 2; /* @B */
    }
}

int main()
{
    std::thread one(publish), other(consume);

    one.join();
    other.join();
    std::printf("%d\n", ways[0].data > 0);
    return 0;
}
