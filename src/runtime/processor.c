/*
 * processor.c - see processor.h.
 */
#include "runtime/processor.h"

#include "runtime/futex.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define WORDS 128 /* 8192 processors */
#define WORD_BITS (8 * sizeof(unsigned long))

static unsigned long given[WORDS], one[WORDS];
static size_t given_bytes; /* 0: nothing is changed */

static unsigned count(const unsigned long *set)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < WORDS; i++)
        sum += (unsigned)__builtin_popcountl(set[i]);
    return sum;
}

static void set_of(int tid, const unsigned long *set)
{
    fw_call(SYS_sched_setaffinity, tid, given_bytes, set, 0);
}

void fw_processor_begin(void)
{
    long bytes = fw_call(SYS_sched_getaffinity, 0, sizeof given, given, 0);
    unsigned here = 0;

    if (bytes <= 0 || count(given) < 2 || fw_call(SYS_getcpu, &here, NULL, NULL, 0) != 0 ||
        here >= WORDS * WORD_BITS)
        return;
    one[here / WORD_BITS] = 1ul << here % WORD_BITS;
    given_bytes = (size_t)bytes;
    set_of(0, one);
}

void fw_processor_leave(void)
{
    if (given_bytes)
        set_of(0, given);
}

static bool is_number(const char *text)
{
    return *text >= '0' && *text <= '9';
}

static int number_of(const char *text)
{
    int number = 0;

    while (is_number(text))
        number = 10 * number + *text++ - '0';
    return number;
}

/* As getdents64 writes it. */
struct entry {
    uint64_t node;
    int64_t offset;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

void fw_processor_end(void)
{
    long fd, got;
    char some[1024] __attribute__((aligned(8)));

    if (!given_bytes)
        return;
    fd = fw_call(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        set_of(0, given);
    while (fd >= 0 && (got = fw_call(SYS_getdents64, fd, some, sizeof some, 0)) > 0)
        for (char *at = some; at < some + got;) {
            const struct entry *entry = (const struct entry *)(const void *)at;

            if (is_number(entry->name))
                set_of(number_of(entry->name), given);
            at += entry->bytes;
        }
    if (fd >= 0)
        fw_call(SYS_close, fd, 0, 0, 0);
    given_bytes = 0;
}

bool fw_processor_told(size_t bytes, void *set)
{
    if (given_bytes && bytes >= given_bytes && memcmp(set, one, given_bytes) == 0)
        memcpy(set, given, given_bytes);
    return true;
}
