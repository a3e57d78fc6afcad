/*
 * text_convert.c - characters of several bytes, messages, random numbers, patterns: what their
 * functions read and write.
 */
#include "runtime/told.h"

#include <iconv.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

int __xpg_strerror_r(int error, char *to, size_t most);

#define FAILED ((size_t)-1)
#define WIDE(count) ((count) * sizeof(wchar_t))

/* --- characters of several bytes ------------------------------------------------------------ */

/* Those that return a count have written an end as well, if there was room. */
static size_t with_end(size_t count, size_t most)
{
    return count < most ? count + 1 : most;
}

TOLD(size_t, mbstowcs, (wchar_t *restrict to, const char *restrict from, size_t most),
     (to, from, most), result != FAILED, if (result < most) RT(from);
     WS(to, WIDE(with_end(result, most))))
TOLD(size_t, wcstombs, (char *restrict to, const wchar_t *restrict from, size_t most),
     (to, from, most), result != FAILED, WS(to, with_end(result, most)))
TOLD(size_t, mbsrtowcs,
     (wchar_t *restrict to, const char **restrict from, size_t most, mbstate_t *restrict state),
     (to, from, most, state), result != FAILED && to, W(from); W(state);
     WS(to, WIDE(with_end(result, most))))
TOLD(size_t, wcsrtombs,
     (char *restrict to, const wchar_t **restrict from, size_t most, mbstate_t *restrict state),
     (to, from, most, state), result != FAILED && to, W(from); W(state);
     WS(to, with_end(result, most)))
/* -2: all bytes are the beginning of a character. */
TOLD(size_t, mbrtowc,
     (wchar_t *restrict to, const char *restrict from, size_t most, mbstate_t *restrict state),
     (to, from, most, state), from && result != FAILED, if (result <= most) W(to); W(state);
     RS(from, result > most ? most : result ? result : 1))
TOLD(size_t, mbrlen, (const char *restrict from, size_t most, mbstate_t *restrict state),
     (from, most, state), from && result != FAILED, W(state);
     RS(from, result > most ? most : result ? result : 1))
TOLD(size_t, wcrtomb, (char *restrict to, wchar_t c, mbstate_t *restrict state), (to, c, state),
     result != FAILED, WS(to, result); W(state))
TOLD(int, mbtowc, (wchar_t *restrict to, const char *restrict from, size_t most), (to, from, most),
     from && result >= 0, W(to); RS(from, result ? (size_t)result : 1))
TOLD(int, wctomb, (char *to, wchar_t c), (to, c), to && result > 0, WS(to, (size_t)result))

FW_EXPORT size_t iconv(iconv_t how, char **restrict from, size_t *restrict from_left,
                       char **restrict to, size_t *restrict to_left)
{
    const char *first, *to_first;
    struct fw_thread *t;
    size_t result;

    fw_call_begins(FW_PC, "iconv()");
    first = from ? *from : NULL;
    to_first = to ? *to : NULL;
    result = REAL(iconv)(how, from, from_left, to, to_left);
    t = fw_tell_after();
    if (!t)
        return result;
    if (first) {
        RS(first, (size_t)(*from - first));
        W(from);
        W(from_left);
    }
    if (to_first) {
        WS(to_first, (size_t)(*to - to_first));
        W(to);
        W(to_left);
    }
    fw_leave(t);
    return result;
}

/* --- text ----------------------------------------------------------------------------------- */

/* A text of libc's own may be returned instead of the buffer. */
TOLD(char *, strerror_r, (int error, char *to, size_t most), (error, to, most), result == to,
     WT(to))
TOLD(int, __xpg_strerror_r, (int error, char *to, size_t most), (error, to, most),
     result == 0 && most, WT(to))
TOLD(char *, strptime, (const char *restrict text, const char *restrict format,
                        struct tm *restrict when),
     (text, format, when), result, RS(text, (size_t)(result - text)); RT(format); W(when))
TOLD(size_t, strxfrm, (char *restrict to, const char *restrict from, size_t most),
     (to, from, most), true, RT(from); if (result < most) WS(to, result + 1))
/* It lets go of a lock of its own in the end. */
TOLD_SERIAL(int, regexec,
            (const regex_t *restrict pattern, const char *restrict text, size_t count,
             regmatch_t matches[restrict count], int flags),
            (pattern, text, count, matches, flags), true, R(pattern);
            if (!(flags & REG_STARTEND)) RT(text);
            if (!result && !pattern->no_sub && count) WS(matches, count * sizeof *matches))

FW_EXPORT void swab(const void *restrict from, void *restrict to, ssize_t bytes)
{
    struct fw_thread *t = bytes > 1 ? fw_tell() : NULL;

    RS(from, (size_t)bytes & ~(size_t)1);
    WS(to, (size_t)bytes & ~(size_t)1);
    fw_done(t);
    REAL(swab)(from, to, bytes);
}

/* --- random numbers -------------------------------------------------------------------------- */

#define DONE (result == 0)

TOLD(int, random_r, (struct random_data *restrict state, int32_t *restrict value), (state, value),
     DONE, W(state); W(value))
TOLD(int, srandom_r, (unsigned seed, struct random_data *state), (seed, state), DONE, W(state))
TOLD(int, initstate_r,
     (unsigned seed, char *restrict array, size_t bytes, struct random_data *restrict state),
     (seed, array, bytes, state), DONE, W(state); WS(array, bytes))
TOLD(int, rand_r, (unsigned *seed), (seed), true, R(seed); W(seed))
#define DRAND(name, type)                                                                          \
    TOLD(int, name, (struct drand48_data *restrict state, type *restrict value), (state, value),   \
         DONE, W(state); W(value))
DRAND(drand48_r, double)
DRAND(lrand48_r, long)
DRAND(mrand48_r, long)
TOLD(int, srand48_r, (long seed, struct drand48_data *state), (seed, state), DONE, W(state))
TOLD(double, erand48, (unsigned short state[3]), (state), true, RS(state, 6); WS(state, 6))
TOLD(long, nrand48, (unsigned short state[3]), (state), true, RS(state, 6); WS(state, 6))
TOLD(long, jrand48, (unsigned short state[3]), (state), true, RS(state, 6); WS(state, 6))

/* --- trees and queues ------------------------------------------------------------------------ */

/* Nodes are libc's; of the program's memory there is the pointer to the root.  They call back, and
 * who is called may synchronise. */
TOLD_SERIAL(void *, tfind, (const void *key, void *const *root, __compar_fn_t compare),
            (key, root, compare), true, R(root))

#define ROOT(name)                                                                                 \
    FW_EXPORT void *name(const void *restrict key, void **restrict root, __compar_fn_t compare)    \
    {                                                                                              \
        const void *before;                                                                        \
        struct fw_thread *t;                                                                       \
        void *result;                                                                              \
                                                                                                   \
        fw_call_begins(FW_PC, #name "()");                                                         \
        before = root ? *root : NULL;                                                              \
        result = REAL(name)(key, root, compare);                                                   \
        t = root ? fw_enter() : NULL;                                                              \
        RS(root, sizeof *root);                                                                    \
        if (t && *root != before)                                                                  \
            WS(root, sizeof *root);                                                                \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }

ROOT(tsearch)
ROOT(tdelete)

struct link {
    struct link *next, *previous;
};

FW_EXPORT void insque(void *element, void *where)
{
    struct link *link = element, *before = where, *next = before ? before->next : NULL;
    struct fw_thread *t = fw_tell();

    W(link);
    if (before)
        W(&before->next);
    if (next)
        W(&next->previous);
    fw_done(t);
    REAL(insque)(element, where);
}

FW_EXPORT void remque(void *element)
{
    struct link *link = element, *next = link->next, *previous = link->previous;
    struct fw_thread *t = fw_tell();

    R(link);
    if (next)
        W(&next->previous);
    if (previous)
        W(&previous->next);
    fw_done(t);
    REAL(remque)(element);
}
