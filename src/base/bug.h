/*
 * bug.h - the end of the road for errors that are ours.
 *
 * FW_BUG(...) is for states that no input can cause: it prints file, line and
 * a message and aborts, in release builds too.  Bad input never comes here;
 * it is described in a struct fw_error (error.h).
 */
#ifndef FW_BASE_BUG_H
#define FW_BASE_BUG_H

#include <stdio.h>
#include <stdlib.h>

#define FW_BUG(...)                                                                                \
    do {                                                                                           \
        fprintf(stderr, "foreweave: BUG at %s:%d: ", __FILE__, __LINE__);                          \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        abort();                                                                                   \
    } while (0)

/* Checks an invariant of our own; never a property of the input. */
#define FW_ASSERT(cond)                                                                            \
    do {                                                                                           \
        if (!(cond))                                                                               \
            FW_BUG("broken invariant: %s", #cond);                                                 \
    } while (0)

#define FW_LIKELY(x)   __builtin_expect(!!(x), 1)
#define FW_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
