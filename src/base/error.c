/* error.c - see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fw_error_set(struct fw_error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    return -1;
}

int fw_error_errno(struct fw_error *err, const char *fmt, ...)
{
    const char *reason = strerror(errno);
    va_list args;
    size_t used;

    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, ": %c%s",
             reason[0] >= 'A' && reason[0] <= 'Z' ? reason[0] - 'A' + 'a' : reason[0], reason + 1);
    return -1;
}

int fw_error_context(struct fw_error *err, const char *fmt, ...)
{
    char old[sizeof err->message];
    va_list args;
    size_t used;

    memcpy(old, err->message, sizeof old);
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, ": %s", old);
    return -1;
}
