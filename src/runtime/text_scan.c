/*
 * text_scan.c - the scanf family: what it stores through its arguments.
 *
 * Walks the format once more after the real function, as far as its result says that something was
 * stored.  A format that it does not understand (numbered arguments) ends the walk.
 */
#include "runtime/told.h"

#include <stdarg.h>
#include <string.h>
#include <wchar.h>

/* <stdio.h> would give these functions other names. */
struct _IO_FILE;
extern struct _IO_FILE *stdin;

/* One conversion: what stands between % and its letter. */
struct piece {
    bool dropped, made; /* *: nothing is stored; m: a pointer to a new block */
    size_t width;       /* 0: none */
    char length;        /* 'c' for hh, 'q' for ll; 0: none */
    char letter;
};

static const char *parse_length(const char *at, struct piece *piece)
{
    for (; *at && REAL(strchr)("hlqjztLm", *at); at++) {
        if (*at == 'm')
            piece->made = true;
        else if (*at == 'h')
            piece->length = piece->length == 'h' ? 'c' : 'h';
        else
            piece->length = *at == 'l' && piece->length == 'l' ? 'q' : *at;
    }
    return at;
}

/* [...]: a ] that comes first is one of the characters. */
static const char *skip_set(const char *at)
{
    if (*at == '^')
        at++;
    if (*at == ']')
        at++;
    while (*at && *at != ']')
        at++;
    return *at ? at + 1 : at;
}

/* From behind the %; returns what follows the conversion. */
static const char *parse_piece(const char *at, struct piece *piece)
{
    *piece = (struct piece) { 0 };
    for (; *at == '*' || *at == '\'' || *at == 'I'; at++)
        piece->dropped |= *at == '*';
    for (; *at >= '0' && *at <= '9'; at++)
        piece->width = piece->width * 10 + (size_t)(*at - '0');
    at = parse_length(at, piece);
    piece->letter = *at;
    if (!*at)
        return at;
    return *at == '[' ? skip_set(at + 1) : at + 1;
}

static size_t integer_size(char length)
{
    switch (length) {
    case 'c':
        return sizeof(char);
    case 'h':
        return sizeof(short);
    case 0:
        return sizeof(int);
    default:
        return sizeof(long);
    }
}

static size_t text_size(const struct piece *piece, const void *text)
{
    size_t unit = piece->length == 'l' ? sizeof(wchar_t) : 1;

    if (piece->letter == 'c' || piece->letter == 'C')
        return (piece->width ? piece->width : 1) * unit;
    return unit == 1 ? fw_text_length(text) + 1 : (REAL(wcslen)(text) + 1) * unit;
}

/* How much the conversion stores; 0: it is none that we know. */
static size_t stored_size(const struct piece *piece, const void *at)
{
    if (piece->made || piece->letter == 'p')
        return sizeof(void *);
    if (REAL(strchr)("diouxXn", piece->letter))
        return integer_size(piece->length);
    if (REAL(strchr)("aAeEfFgG", piece->letter))
        return piece->length == 'L' ? sizeof(long double)
               : piece->length      ? sizeof(double)
                                    : sizeof(float);
    if (REAL(strchr)("sScC[", piece->letter))
        return text_size(piece, at);
    return 0;
}

/* `stored` is what the real function returned. */
static void tell_stored(const char *format, va_list arguments, int stored, bool from_memory,
                        uintptr_t pc)
{
    struct fw_thread *t = from_memory ? fw_tell_after_from(pc) : fw_enter_from(pc);
    struct piece piece;
    va_list rest;

    if (!t)
        return;
    fw_reads_text(t, format, pc);
    va_copy(rest, arguments);
    while ((format = REAL(strchr)(format, '%'))) {
        void *at;
        size_t bytes;

        format = parse_piece(format + 1, &piece);
        if (!piece.letter)
            break;
        if (piece.letter == '%' || piece.dropped)
            continue;
        if (piece.letter != 'n' && stored-- <= 0)
            break;
        at = va_arg(rest, void *);
        bytes = stored_size(&piece, at);
        if (!bytes)
            break;
        fw_writes(t, at, bytes, pc);
    }
    va_end(rest);
    fw_leave(t);
}

/* The text is read to its end, however much of it is converted. */
static void tell_source(const char *text, uintptr_t pc)
{
    struct fw_thread *t = fw_tell_from(pc);

    fw_reads_text(t, text, pc);
    fw_done(t);
}

/* At most: all of the source, or as much as the width allows. */
static size_t most_stored(const struct piece *piece, size_t source)
{
    size_t unit = piece->length == 'l' ? sizeof(wchar_t) : 1;

    if (piece->made || !REAL(strchr)("sS[", piece->letter))
        return stored_size(piece, NULL);
    return ((piece->width && piece->width < source ? piece->width : source) + 1) * unit;
}

/* What may be stored, before it is known whether it will be. */
static void await_turn(const char *text, const char *format, va_list arguments, uintptr_t pc)
{
    struct fw_extent extents[FW_TURNS];
    size_t source = fw_text_length(text);
    unsigned count = 0;
    struct piece piece;
    va_list rest;

    va_copy(rest, arguments);
    while (count < FW_TURNS && (format = REAL(strchr)(format, '%'))) {
        format = parse_piece(format + 1, &piece);
        if (!piece.letter)
            break;
        if (piece.letter == '%' || piece.dropped)
            continue;
        extents[count].address = va_arg(rest, void *);
        extents[count].bytes = most_stored(&piece, source);
        if (!extents[count].bytes)
            break;
        count++;
    }
    va_end(rest);
    fw_await_turn(extents, count, pc);
}

#define LIST(...) __VA_ARGS__
#define SCAN(name, list_name, parameters, pass, around)                                            \
    int list_name(parameters, va_list rest);                                                       \
    int name(parameters, ...);                                                                     \
    FW_EXPORT int list_name(parameters, va_list rest)                                              \
    {                                                                                              \
        va_list again;                                                                             \
        int stored;                                                                                \
                                                                                                   \
        va_copy(again, rest);                                                                      \
        fw_call_begins(FW_PC, #name "()");                                                         \
        around##_FIRST;                                                                            \
        around(stored = REAL(list_name)(pass, rest));                                              \
        if (fw_self)                                                                               \
            tell_stored(format, again, stored, around##_IS_MEMORY, FW_PC);                         \
        va_end(again);                                                                             \
        return stored;                                                                             \
    }                                                                                              \
    FW_EXPORT int name(parameters, ...)                                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        int stored;                                                                                \
                                                                                                   \
        va_start(rest, format);                                                                    \
        fw_call_begins(FW_PC, #name "()");                                                         \
        around##_FIRST;                                                                            \
        around(stored = REAL(list_name)(pass, rest));                                              \
        va_end(rest);                                                                              \
        va_start(rest, format);                                                                    \
        if (fw_self)                                                                               \
            tell_stored(format, rest, stored, around##_IS_MEMORY, FW_PC);                          \
        va_end(rest);                                                                              \
        return stored;                                                                             \
    }

#define TEXT   LIST(const char *restrict text, const char *restrict format)
#define STREAM LIST(struct _IO_FILE *restrict stream, const char *restrict format)
#define INPUT  const char *restrict format

/* A text is memory; a stream may wait, and gives its lock back after it has stored. */
#define FROM_TEXT_FIRST                                                                            \
    do {                                                                                           \
        if (fw_self)                                                                               \
            tell_source(text, FW_PC);                                                              \
        if (FW_UNLIKELY(fw_tells_first) && fw_self)                                                \
            await_turn(text, format, rest, FW_PC);                                                 \
    } while (0)
#define FROM_TEXT(call) call
#define FROM_TEXT_IS_MEMORY true
#define FROM_STREAM_FIRST (void)0
#define FROM_STREAM(call) FW_STREAM_INPUT(stream, call)
#define FROM_STREAM_IS_MEMORY false
#define FROM_INPUT_FIRST (void)0
#define FROM_INPUT(call)  FW_STREAM_INPUT(stdin, call)
#define FROM_INPUT_IS_MEMORY false

/* Plain, and as the compiler's headers rename them by the standard that is asked for. */
#define SCANS(prefix)                                                                              \
    SCAN(prefix##sscanf, prefix##vsscanf, TEXT, LIST(text, format), FROM_TEXT)                     \
    SCAN(prefix##fscanf, prefix##vfscanf, STREAM, LIST(stream, format), FROM_STREAM)               \
    SCAN(prefix##scanf, prefix##vscanf, INPUT, format, FROM_INPUT)

SCANS()
SCANS(__isoc99_)
SCANS(__isoc23_)
