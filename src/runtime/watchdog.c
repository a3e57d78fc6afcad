/*
 * watchdog.c - is a thread that has the token sitting in the kernel?
 *
 * /proc/self/task/TID/syscall tells: "running", or the number of the system call (-1: in the
 * kernel for another reason, such as a page that has to be fetched; then an access of the program
 * may still be under way, and the token stays).  Where that file cannot be read the answer is no.
 */
#include "runtime/futex.h"
#include "runtime/thread.h"

#include <fcntl.h>
#include <string.h>

static char *put_number(char *at, unsigned number)
{
    char digits[12];
    int count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

bool fw_watchdog_in_kernel(const struct fw_thread *t)
{
    static const char prefix[] = "/proc/self/task/", suffix[] = "/syscall";
    char path[64], text[16], *at = path;
    long fd, got;

    if (!t->has_tid)
        return false;
    memcpy(at, prefix, sizeof prefix - 1);
    at = put_number(at + sizeof prefix - 1, (unsigned)t->tid);
    memcpy(at, suffix, sizeof suffix);
    fd = fw_call(SYS_open, path, O_RDONLY | O_CLOEXEC, 0, 0);
    if (fd < 0)
        return false;
    got = fw_call(SYS_read, fd, text, sizeof text, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    return got > 0 && text[0] >= '0' && text[0] <= '9';
}
