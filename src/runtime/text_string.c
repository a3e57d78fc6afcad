/*
 * text_string.c - strlen, strcpy and their relatives: what they read and write.
 *
 * Told is what was touched: as far as the string's end, the found character or the first
 * difference.  The real function comes first where only it knows; nobody runs in between.
 */
#include "runtime/intercept.h"

#include <string.h>
#include <strings.h>

char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t most, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t most, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t most, size_t room);
char *__strdup(const char *text);
char *__strndup(const char *text, size_t most);
char *__strtok_r(char *text, const char *apart, char **save);

FW_REAL_OR(strlen, __wrap_strlen);

size_t fw_text_length(const char *text)
{
    return real_strlen(text);
}

/* Bytes that a function reads which stops at the end or after `most`. */
static size_t touched(const char *text, size_t most)
{
    size_t length = REAL(strnlen)(text, most);

    return length < most ? length + 1 : most;
}

/* --- length --------------------------------------------------------------------------------- */

FW_EXPORT size_t strlen(const char *text)
{
    struct fw_thread *t;
    size_t length;

    fw_call_begins(FW_PC, "strlen()");
    t = fw_tell_after();
    length = real_strlen(text);
    fw_reads(t, text, length + 1, FW_PC);
    fw_done(t);
    return length;
}

FW_EXPORT size_t strnlen(const char *text, size_t most)
{
    struct fw_thread *t;
    size_t length;

    fw_call_begins(FW_PC, "strnlen()");
    t = fw_tell_after();
    length = REAL(strnlen)(text, most);
    fw_reads(t, text, length < most ? length + 1 : most, FW_PC);
    fw_done(t);
    return length;
}

/* --- copying -------------------------------------------------------------------------------- */

static void tell_copy(const char *to, const char *from, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    fw_reads(t, from, bytes, pc);
    fw_writes(t, to, bytes, pc);
    fw_done(t);
}

static inline void tell_whole(const char *to, const char *from, uintptr_t pc)
{
    if (fw_self)
        tell_copy(to, from, real_strlen(from) + 1, pc);
}

/* strncpy fills up with zeros. */
static inline void tell_padded(const char *to, const char *from, size_t most, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    if (!t)
        return;
    fw_reads(t, from, touched(from, most), pc);
    fw_writes(t, to, most, pc);
    fw_leave(t);
}

static inline void tell_appended(const char *to, const char *from, size_t most, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);
    size_t had, added;

    if (!t)
        return;
    had = real_strlen(to);
    added = REAL(strnlen)(from, most);
    fw_reads(t, to, had + 1, pc);
    fw_reads(t, from, added < most ? added + 1 : most, pc);
    fw_writes(t, to + had, added + 1, pc);
    fw_leave(t);
}

FW_EXPORT char *strcpy(char *to, const char *from)
{
    tell_whole(to, from, FW_PC);
    return REAL(strcpy)(to, from);
}

FW_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
    tell_whole(to, from, FW_PC);
    return REAL(__strcpy_chk)(to, from, room);
}

FW_EXPORT char *stpcpy(char *to, const char *from)
{
    tell_whole(to, from, FW_PC);
    return REAL(stpcpy)(to, from);
}

FW_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    tell_whole(to, from, FW_PC);
    return REAL(__stpcpy_chk)(to, from, room);
}

FW_EXPORT char *strncpy(char *to, const char *from, size_t most)
{
    tell_padded(to, from, most, FW_PC);
    return REAL(strncpy)(to, from, most);
}

FW_EXPORT char *__strncpy_chk(char *to, const char *from, size_t most, size_t room)
{
    tell_padded(to, from, most, FW_PC);
    return REAL(__strncpy_chk)(to, from, most, room);
}

FW_EXPORT char *stpncpy(char *to, const char *from, size_t most)
{
    tell_padded(to, from, most, FW_PC);
    return REAL(stpncpy)(to, from, most);
}

FW_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t most, size_t room)
{
    tell_padded(to, from, most, FW_PC);
    return REAL(__stpncpy_chk)(to, from, most, room);
}

FW_EXPORT char *strcat(char *to, const char *from)
{
    tell_appended(to, from, SIZE_MAX, FW_PC);
    return REAL(strcat)(to, from);
}

FW_EXPORT char *__strcat_chk(char *to, const char *from, size_t room)
{
    tell_appended(to, from, SIZE_MAX, FW_PC);
    return REAL(__strcat_chk)(to, from, room);
}

FW_EXPORT char *strncat(char *to, const char *from, size_t most)
{
    tell_appended(to, from, most, FW_PC);
    return REAL(strncat)(to, from, most);
}

FW_EXPORT char *__strncat_chk(char *to, const char *from, size_t most, size_t room)
{
    tell_appended(to, from, most, FW_PC);
    return REAL(__strncat_chk)(to, from, most, room);
}

/* The block is allocated by libc through malloc, which tells of it. */
static char *copied(char *copy, const char *text, size_t most, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);
    size_t length;

    if (!t)
        return copy;
    length = REAL(strnlen)(text, most);
    fw_reads(t, text, length < most ? length + 1 : most, pc);
    if (copy)
        fw_writes(t, copy, length + 1, pc);
    fw_leave(t);
    return copy;
}

FW_EXPORT char *strdup(const char *text)
{
    return copied(FW_FIRST(strdup)(text), text, SIZE_MAX, FW_PC);
}

FW_EXPORT char *__strdup(const char *text)
{
    return copied(FW_FIRST(__strdup)(text), text, SIZE_MAX, FW_PC);
}

FW_EXPORT char *strndup(const char *text, size_t most)
{
    return copied(FW_FIRST(strndup)(text, most), text, most, FW_PC);
}

FW_EXPORT char *__strndup(const char *text, size_t most)
{
    return copied(FW_FIRST(__strndup)(text, most), text, most, FW_PC);
}

/* --- comparing ------------------------------------------------------------------------------ */

/* As far as two strings are equal, in the sense of `fold`, and what ends that. */
static size_t equal_part(const char *a, const char *b, size_t most, bool fold)
{
    size_t i;

    for (i = 0; i < most; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];

        if (fold && x >= 'A' && x <= 'Z')
            x = (unsigned char)(x + 32);
        if (fold && y >= 'A' && y <= 'Z')
            y = (unsigned char)(y + 32);
        if (x != y || !x)
            return i + 1;
    }
    return most;
}

static int compared(int result, const char *a, const char *b, size_t most, bool fold, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);
    size_t bytes;

    if (!t)
        return result;
    bytes = equal_part(a, b, most, fold);
    fw_reads(t, a, bytes, pc);
    fw_reads(t, b, bytes, pc);
    fw_leave(t);
    return result;
}

FW_EXPORT int strcmp(const char *a, const char *b)
{
    return compared(FW_FIRST(strcmp)(a, b), a, b, SIZE_MAX, false, FW_PC);
}

FW_EXPORT int strncmp(const char *a, const char *b, size_t most)
{
    return compared(FW_FIRST(strncmp)(a, b, most), a, b, most, false, FW_PC);
}

FW_EXPORT int strcasecmp(const char *a, const char *b)
{
    return compared(FW_FIRST(strcasecmp)(a, b), a, b, SIZE_MAX, true, FW_PC);
}

FW_EXPORT int strncasecmp(const char *a, const char *b, size_t most)
{
    return compared(FW_FIRST(strncasecmp)(a, b, most), a, b, most, true, FW_PC);
}

FW_EXPORT int strcoll(const char *a, const char *b)
{
    struct fw_thread *t = fw_tell();
    int result;

    if (!t)
        return REAL(strcoll)(a, b);
    fw_reads_text(t, a, FW_PC);
    fw_reads_text(t, b, FW_PC);
    FW_PLAINLY(t, result = REAL(strcoll)(a, b));
    fw_done(t);
    return result;
}

/* --- searching ------------------------------------------------------------------------------ */

/* Read as far as `end` and that, or to the string's end if it is NULL. */
static void tell_search(const char *text, const char *end, const char *set, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);

    if (!t)
        return;
    fw_reads(t, text, (end ? (size_t)(end - text) : real_strlen(text)) + 1, pc);
    if (set)
        fw_reads(t, set, real_strlen(set) + 1, pc);
    fw_leave(t);
}

FW_EXPORT char *strchr(const char *text, int c)
{
    char *found = FW_FIRST(strchr)(text, c);

    tell_search(text, found, NULL, FW_PC);
    return found;
}

FW_EXPORT char *index(const char *text, int c)
{
    char *found = FW_FIRST(strchr)(text, c);

    tell_search(text, found, NULL, FW_PC);
    return found;
}

FW_EXPORT char *strchrnul(const char *text, int c)
{
    char *found = FW_FIRST(strchrnul)(text, c);

    tell_search(text, found, NULL, FW_PC);
    return found;
}

FW_EXPORT char *strrchr(const char *text, int c)
{
    char *found = FW_FIRST(strrchr)(text, c);

    tell_search(text, NULL, NULL, FW_PC);
    return found;
}

FW_EXPORT char *rindex(const char *text, int c)
{
    char *found = FW_FIRST(strrchr)(text, c);

    tell_search(text, NULL, NULL, FW_PC);
    return found;
}

FW_EXPORT char *strpbrk(const char *text, const char *set)
{
    char *found = FW_FIRST(strpbrk)(text, set);

    tell_search(text, found, set, FW_PC);
    return found;
}

FW_EXPORT size_t strspn(const char *text, const char *set)
{
    size_t length = FW_FIRST(strspn)(text, set);

    tell_search(text, text + length, set, FW_PC);
    return length;
}

FW_EXPORT size_t strcspn(const char *text, const char *set)
{
    size_t length = FW_FIRST(strcspn)(text, set);

    tell_search(text, text + length, set, FW_PC);
    return length;
}

/* Found: read to the end of what was found. */
static char *found_part(const char *text, char *found, const char *part, uintptr_t pc)
{
    const char *end = found;

    if (!fw_self)
        return found;
    if (found && *part)
        end = found + real_strlen(part) - 1;
    tell_search(text, end, part, pc);
    return found;
}

FW_EXPORT char *strstr(const char *text, const char *part)
{
    return found_part(text, FW_FIRST(strstr)(text, part), part, FW_PC);
}

FW_EXPORT char *strcasestr(const char *text, const char *part)
{
    return found_part(text, FW_FIRST(strcasestr)(text, part), part, FW_PC);
}

/* --- taking apart --------------------------------------------------------------------------- */

/* A token was read to its end, where a zero was put, or the text's end was met. */
static char *tell_token(char *start, char *token, const char *apart, char **save, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_after_from(pc);
    size_t length;

    if (!t)
        return token;
    fw_reads_text(t, apart, pc);
    if (token) {
        length = real_strlen(token);
        fw_reads(t, start, (size_t)(token - start) + length + 1, pc);
        fw_writes(t, token + length, 1, pc);
    }
    if (save)
        fw_writes(t, save, sizeof *save, pc);
    fw_leave(t);
    return token;
}

FW_EXPORT char *strtok_r(char *text, const char *apart, char **save)
{
    char *start;

    fw_call_begins(FW_PC, "strtok_r()");
    start = text ? text : *save;
    return tell_token(start, REAL(strtok_r)(text, apart, save), apart, save, FW_PC);
}

FW_EXPORT char *__strtok_r(char *text, const char *apart, char **save)
{
    char *start;

    fw_call_begins(FW_PC, "strtok_r()");
    start = text ? text : *save;
    return tell_token(start, REAL(strtok_r)(text, apart, save), apart, save, FW_PC);
}

/* libc's own pointer between calls is one for the whole process, and so is this: two threads that
 * use strtok at once race on it. */
FW_EXPORT char *strtok(char *text, const char *apart)
{
    static char *rest;
    char *start, *token;

    fw_call_begins(FW_PC, "strtok()");
    start = text ? text : rest;
    token = REAL(strtok_r)(text, apart, &rest);
    return tell_token(start, token, apart, &rest, FW_PC);
}

FW_EXPORT char *strsep(char **text, const char *apart)
{
    char *start, *token;

    fw_call_begins(FW_PC, "strsep()");
    start = *text;
    token = REAL(strsep)(text, apart);
    return start ? tell_token(start, token, apart, text, FW_PC) : token;
}
