/*
 * heal_owner.c - see heal_state.h: what keeps the thread that has a lock, as the kernel tells it.
 */
#include "atomrace/heal_state.h"

#include <fcntl.h>
#include <string.h>

static char *put_number(char *text, int32_t number)
{
    char digits[12];
    unsigned count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *text++ = digits[--count];
    return text;
}

static uint64_t number_in(const char *text, const char *end, unsigned base)
{
    uint64_t number = 0;

    for (; text < end; text++) {
        unsigned digit = *text >= 'a' ? (unsigned)(*text - 'a') + 10 : (unsigned)(*text - '0');

        if (digit >= base)
            break;
        number = number * base + digit;
    }
    return number;
}

/* The bytes of that file of a thread; 0: there are none. */
static long ask(const struct fw_healer *owner, const char *file, char *text, size_t size)
{
    char path[48] = "/proc/self/task/";
    long fd, got;

    memcpy(put_number(path + strlen(path), owner->tid), file, strlen(file) + 1);
    fd = fw_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    got = fw_call(SYS_read, fd, text, size, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    return got > 0 ? got : 0;
}

/* "TID (NAME) STATE ..."; a name has at most 15 bytes, whichever they are. */
static char state_of(const struct fw_healer *owner)
{
    char text[128];

    for (long i = ask(owner, "/stat", text, sizeof text) - 3; i > 0; i--)
        if (text[i] == ')' && text[i + 1] == ' ')
            return text[i + 2];
    return '\0';
}

/* Does it sleep until another thread has left the gate, or has woken it, for it has the lock now?
 * "NUMBER 0xADDRESS ..." */
static bool waits_for_us(const struct fw_healer *owner)
{
    char text[128];
    long got = ask(owner, "/syscall", text, sizeof text);
    const char *end = text + got, *space = got ? memchr(text, ' ', (size_t)got) : NULL;
    uint64_t address;

    if (!space || space + 3 > end || number_in(text, space, 10) != SYS_futex)
        return false;
    address = number_in(space + 3, end, 16);
    return fw_heal_gate_is(address) || address == (uintptr_t)&owner->go;
}

bool fw_heal_owner_can_run(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = fw_healer_of(atomic_load(&lock->owner));
    char state = owner ? state_of(owner) : '\0';

    return state == 'R' || state == 'D' || (state == 'S' && waits_for_us(owner));
}

uint64_t fw_heal_owner_executed(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = fw_healer_of(atomic_load(&lock->owner));
    char text[128];

    return owner ? number_in(text, text + ask(owner, "/schedstat", text, sizeof text), 10) : 0;
}
