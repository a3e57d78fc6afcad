/*
 * text_format.c - what the printf family reads and writes through its arguments.
 *
 * Walks the format next to the real function: strings are read as far as they are printed, %n
 * writes.  A format that it does not understand (numbered arguments, extensions of the program's
 * own) ends the walk: what follows is not told.
 */
#include "runtime/text_format.h"

#include "runtime/intercept.h"

#include <stddef.h>
#include <string.h>
#include <wchar.h>

/* One conversion: what stands between % and its letter. */
struct piece {
    long precision; /* -1: none */
    char length;    /* 'h' also for hh, 'q' for ll; 0: none */
    char letter;
};

static const char *parse_number(const char *at, long *number, va_list *rest)
{
    if (*at == '*') {
        *number = va_arg(*rest, int);
        return at + 1;
    }
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (*at - '0');
    return at;
}

static const char *parse_length(const char *at, struct piece *piece)
{
    piece->length = 0;
    for (; *at && REAL(strchr)("hlqjztL", *at); at++)
        piece->length = piece->length == 'l' && *at == 'l' ? 'q' : *at;
    return at;
}

/* From behind the %; returns what follows the letter. */
static const char *parse_piece(const char *at, struct piece *piece, va_list *rest)
{
    long width;

    while (*at && REAL(strchr)("#0- +'I", *at))
        at++;
    at = parse_number(at, &width, rest);
    piece->precision = -1;
    if (*at == '.')
        at = parse_number(at + 1, &piece->precision, rest);
    at = parse_length(at, piece);
    piece->letter = *at;
    return *at ? at + 1 : at;
}

static void skip_integer(char length, va_list *rest)
{
    switch (length) {
    case 'l':
    case 'j':
    case 'z':
    case 't':
    case 'q':
    case 'L':
        va_arg(*rest, long long);
        break;
    default:
        va_arg(*rest, int);
    }
}

static void tell_text(struct fw_thread *t, const struct piece *piece, const char *text,
                      uintptr_t pc)
{
    size_t most = piece->precision < 0 ? SIZE_MAX : (size_t)piece->precision, length;

    if (!text || piece->length == 'l')
        return;
    length = REAL(strnlen)(text, most);
    fw_reads(t, text, length < most ? length + 1 : most, pc);
}

/* Takes the piece's argument; false: what it is cannot be known. */
static bool tell_piece(struct fw_thread *t, const struct piece *piece, va_list *rest, uintptr_t pc)
{
    switch (piece->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
        skip_integer(piece->length, rest);
        return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (piece->length == 'L')
            va_arg(*rest, long double);
        else
            va_arg(*rest, double);
        return true;
    case 's':
        tell_text(t, piece, va_arg(*rest, const char *), pc);
        return true;
    case 'n':
        fw_writes(t, va_arg(*rest, int *), sizeof(int), pc);
        return true;
    case 'p':
        va_arg(*rest, void *);
        return true;
    case '%':
    case 'm':
        return true;
    default:
        return false;
    }
}

bool fw_tell_format(enum fw_prints how, const char *format, va_list arguments, uintptr_t pc)
{
    struct fw_thread *t = how == FW_PRINTS_MEMORY ? fw_tell() : fw_enter();
    const char *at = format;
    bool known = true, plain = true;
    struct piece piece;
    va_list rest;

    if (!t)
        return false;
    fw_reads_text(t, format, pc);
    va_copy(rest, arguments);
    while (known && (at = REAL(strchr)(at, '%'))) {
        at = parse_piece(at + 1, &piece, &rest);
        plain &= piece.letter != 'n';
        known = tell_piece(t, &piece, &rest, pc);
    }
    va_end(rest);
    fw_leave(t);
    return known && plain;
}
