/* shared_maps.c - see shared_maps.h. */
#include "guard/shared_maps.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/rt.h"

#include <fcntl.h>
#include <signal.h>

#define MAPS 64u

/* In order of their making.  Who looks takes no lock: a range is empty while it is changed, and
 * memory is the program's only when it is there. */
static struct {
    _Atomic uintptr_t begin, end;
} maps[MAPS];
static _Atomic uint32_t count;
static struct fw_lock lock;

/* Handlers are kept out: they may map memory. */
static uint64_t enter(void)
{
    uint64_t all = UINT64_MAX, mask = 0;

    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    fw_lock(&lock);
    return mask;
}

static void leave(uint64_t mask)
{
    fw_unlock(&lock);
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

static void widen(uint32_t at, uintptr_t begin, uintptr_t end)
{
    if (begin < maps[at].begin)
        maps[at].begin = begin;
    if (end > maps[at].end)
        maps[at].end = end;
}

static void add(const void *start, size_t bytes)
{
    uintptr_t begin = (uintptr_t)start, end = begin + bytes;
    uint64_t mask = enter();
    uint32_t at = 0;

    while (at < count && maps[at].end)
        at++;
    if (at == MAPS) {
        widen(MAPS - 1, begin, end);
    } else {
        maps[at].begin = begin;
        maps[at].end = end;
        if (at == count)
            count = at + 1;
    }
    leave(mask);
}

void fw_shared_maps_forget(uintptr_t address, size_t bytes)
{
    uint64_t mask;

    if (!count)
        return;
    mask = enter();
    for (uint32_t i = 0; i < count; i++)
        if (maps[i].end && maps[i].begin >= address && maps[i].end <= address + bytes)
            maps[i].end = 0;
    leave(mask);
}

bool fw_shared_maps_have(uintptr_t address, size_t bytes)
{
    for (uint32_t i = 0; i < count; i++)
        if (address < maps[i].end && address + bytes > maps[i].begin)
            return true;
    return false;
}

static bool is_shared(const void *memory)
{
    return fw_shared_maps_have((uintptr_t)memory, 1);
}

/* --- what is there --------------------------------------------------------------------------- */

/* A line of /proc/self/maps as far as it was read: "begin-end rwxs ..." */
struct line {
    uintptr_t number[2];
    unsigned field, letters; /* 0 and 1: the numbers, 2: the letters, 3: the rest */
};

static void take(struct line *line, char c)
{
    if (c == '\n')
        *line = (struct line){ { 0, 0 }, 0, 0 };
    else if (line->field < 2 && c != '-' && c != ' ')
        line->number[line->field] = line->number[line->field] << 4 |
                                    (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    else if (line->field < 2)
        line->field++;
    else if (line->field == 2 && ++line->letters == 4) {
        line->field = 3;
        if (c == 's')
            add((const void *)line->number[0], line->number[1] - line->number[0]);
    }
}

void fw_shared_maps_begin(void)
{
    long fd = fw_call(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0), got = fd;
    struct line line = { { 0, 0 }, 0, 0 };
    char text[1024];

    fw_map_shared = add;
    fw_map_is_shared = is_shared;
    while (fd >= 0 && (got = fw_call(SYS_read, fd, text, sizeof text, 0)) > 0)
        for (long i = 0; i < got; i++)
            take(&line, text[i]);
    if (fd >= 0)
        fw_call(SYS_close, fd, 0, 0, 0);
    if (got < 0) /* what is shared is not known */
        fw_regions_blind();
}
