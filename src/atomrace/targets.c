/*
 * targets.c - see targets.h.
 */
#include "atomrace/targets.h"

#include "atomrace/noise.h"
#include "runtime/futex.h"

#include <sys/stat.h>

#define TARGETS 1024u

static struct target {
    enum fw_noise_place place;
    uint64_t device, inode, begin, end;
} targets[TARGETS];
static unsigned count;

struct text {
    const char *at, *end;
};

static bool number(struct text *text, uint64_t *value)
{
    const char *first = text->at;

    *value = 0;
    for (; text->at < text->end; text->at++) {
        char c = *text->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;

        if (digit == 16)
            break;
        *value = *value << 4 | digit;
    }
    return text->at > first;
}

static bool take(struct text *text, char c)
{
    bool is = text->at < text->end && *text->at == c;

    text->at += is;
    return is;
}

static bool place(struct text *text, enum fw_noise_place *to)
{
    static const char letters[] = "vcrw"; /* in the order of the places */

    for (unsigned i = 0; letters[i]; i++)
        if (take(text, letters[i])) {
            *to = (enum fw_noise_place)i;
            return true;
        }
    return false;
}

static bool target(struct text *text, struct target *to)
{
    return place(text, &to->place) && number(text, &to->device) && take(text, '.') &&
           number(text, &to->inode) && take(text, '.') && number(text, &to->begin) &&
           take(text, '.') && number(text, &to->end);
}

bool fw_targets_parse(const char *text, size_t length)
{
    struct text rest = { text, text + length };

    for (count = 0; count < TARGETS && length && target(&rest, &targets[count]); count++)
        if (!take(&rest, ','))
            return ++count;
    return count;
}

void fw_targets_module(const char *path, uintptr_t base)
{
    struct stat file;

    if (!count || fw_call(SYS_stat, path, &file, 0, 0) != 0)
        return;
    for (unsigned i = 0; i < count; i++)
        if (targets[i].device == file.st_dev && targets[i].inode == file.st_ino)
            fw_noise_target(targets[i].place, base + targets[i].begin, base + targets[i].end);
}
