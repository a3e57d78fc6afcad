/* iroot_text.c - static accesses and iRoots as texts. */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/words.h"
#include "iroot/iroot.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- writing --------------------------------------------------------------------------------- */

static bool is_plain(const char *word, bool function)
{
    if (!*word || (function && (isdigit((unsigned char)*word) || strchr(word, '+'))))
        return false;
    for (; *word; word++)
        if ((unsigned char)*word <= ' ' || *word == 0x7f || strchr("|#\"\\", *word))
            return false;
    return true;
}

static void print_word(struct fw_output *out, const char *word, bool function)
{
    fw_output_text(out, " ");
    if (is_plain(word, function))
        fw_output_text(out, word);
    else
        fw_output_quoted(out, word);
}

uint32_t fw_access_intern(struct fw_strtab *accesses, const struct fw_access *access)
{
    struct fw_output out;
    uint32_t number;

    fw_output_open_memory(&out);
    fw_output_text(&out, fw_iroot_does_names[access->does]);
    print_word(&out, access->module ? access->module : access->site, false);
    if (access->module && access->function)
        print_word(&out, access->function, true);
    else if (access->module)
        fw_output_printf(&out, " 0x%" PRIx64, access->offset);
    if (access->module && access->function && access->ordinal)
        fw_output_printf(&out, "+%u#%u", access->line, access->ordinal);
    number = fw_strtab_intern(accesses, out.buffer, out.used);
    fw_output_abandon(&out);
    return number;
}

/* --- taking apart ---------------------------------------------------------------------------- */

/* A text that is being read; what it says is copied to `to`, which has room for all of it. */
struct cursor {
    const char *all, *at;
    char *to;
    struct fw_error *err;
};

struct word {
    char *text;
    bool quoted;
    char *tail; /* what stands right behind the quotes */
};

static int complain(const struct cursor *cursor, const char *what)
{
    return fw_error_set(cursor->err, "%s in '%.200s'", what, cursor->all);
}

static void skip_blanks(struct cursor *cursor)
{
    cursor->at += strspn(cursor->at, " ");
}

static bool at_end(const struct cursor *cursor)
{
    return !*cursor->at || *cursor->at == '|';
}

/* As far as the next blank, `|`, or the end. */
static int take_plain(struct cursor *cursor, char **text)
{
    *text = cursor->to;
    for (; !at_end(cursor) && *cursor->at != ' '; cursor->at++) {
        if (strchr("\"\\", *cursor->at) || (unsigned char)*cursor->at < ' ' || *cursor->at == 0x7f)
            return complain(cursor, "a letter that has to stand in quotes");
        *cursor->to++ = *cursor->at;
    }
    *cursor->to++ = '\0';
    return 0;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The letter behind a backslash; 0: there is no such. */
static char take_escaped(struct cursor *cursor)
{
    const char *at = cursor->at + 1;

    cursor->at += 2;
    switch (*at) {
    case '"':
    case '\\':
        return *at;
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'x':
        if (hex_digit(at[1]) < 0 || hex_digit(at[2]) < 0)
            return '\0';
        cursor->at += 2;
        return (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
    default:
        return '\0';
    }
}

static int take_quoted(struct cursor *cursor, char **text)
{
    *text = cursor->to;
    for (cursor->at++; *cursor->at != '"';) {
        char c = *cursor->at;

        if ((unsigned char)c < ' ' || c == 0x7f)
            return complain(cursor, c ? "a control letter" : "a quoted text without an end");
        if (c == '\\')
            c = take_escaped(cursor);
        else
            cursor->at++;
        if (!c)
            return complain(cursor, "an unknown letter behind a backslash (\\\", \\\\, \\n, \\t "
                                    "and \\xHH are known)");
        *cursor->to++ = c;
    }
    cursor->at++;
    *cursor->to++ = '\0';
    return 0;
}

/* -1: err, or there is none. */
static int take_word(struct cursor *cursor, struct word *word)
{
    skip_blanks(cursor);
    if (at_end(cursor))
        return complain(cursor, "a word is missing");
    *word = (struct word) { .quoted = *cursor->at == '"' };
    if (!word->quoted)
        return take_plain(cursor, &word->text);
    return take_quoted(cursor, &word->text) < 0 ? -1 : take_plain(cursor, &word->tail);
}

/* A number of at most 32 bits in decimal digits; false: it is none. */
static bool take_number(const char **at, unsigned *number)
{
    unsigned long value;
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    value = strtoul(*at, &end, 10);
    *at = end;
    *number = (unsigned)value;
    return value < UINT32_MAX;
}

/* +LINE#ORDINAL, or nothing. */
static int parse_line(const struct cursor *cursor, struct fw_access *access, const char *at)
{
    if (!*at)
        return 0;
    if (*at++ == '+' && take_number(&at, &access->line) && *at++ == '#' &&
        take_number(&at, &access->ordinal) && !*at && access->ordinal)
        return 0;
    return complain(cursor, "no +LINE#ORDINAL behind the function");
}

static int parse_offset(const struct cursor *cursor, struct fw_access *access, const char *at)
{
    size_t digits = strlen(at) - 2;

    if (strncmp(at, "0x", 2) != 0 || !digits || digits > 16 ||
        strspn(at + 2, "0123456789abcdef") != digits)
        return complain(cursor, "no offset (0xHEX)");
    access->offset = strtoull(at, NULL, 16);
    return 0;
}

/* What stands behind the module. */
static int parse_function(const struct cursor *cursor, struct fw_access *access, struct word *word)
{
    char *line = NULL;

    if (word->quoted) {
        access->function = word->text;
        return parse_line(cursor, access, word->tail);
    }
    if (isdigit((unsigned char)*word->text))
        return parse_offset(cursor, access, word->text);
    line = strchr(word->text, '+');
    access->function = word->text;
    if (!line)
        return 0;
    if (parse_line(cursor, access, line) < 0)
        return -1;
    *line = '\0';
    return *word->text ? 0 : complain(cursor, "no function before the line");
}

/* As far as a `|`, or the end. */
static int parse_access(struct cursor *cursor, struct fw_access *access)
{
    struct word does, module, function;
    unsigned i = 0;

    if (take_word(cursor, &does) < 0 || take_word(cursor, &module) < 0)
        return -1;
    while (i < FW_DOES_COUNT && (does.quoted || strcmp(does.text, fw_iroot_does_names[i]) != 0))
        i++;
    if (i == FW_DOES_COUNT)
        return complain(cursor, "an access does not begin with r, w, lock or unlock");
    access->does = (enum fw_iroot_does)i;
    if (module.quoted && *module.tail)
        return complain(cursor, "a blank is missing behind a quoted text");
    skip_blanks(cursor);
    if (at_end(cursor)) {
        access->site = module.text;
        return 0;
    }
    access->module = module.text;
    if (take_word(cursor, &function) < 0 || parse_function(cursor, access, &function) < 0)
        return -1;
    skip_blanks(cursor);
    return at_end(cursor) ? 0 : complain(cursor, "too many words");
}

/* Each word needs a byte more than is read, and of one in quotes two. */
static struct cursor open_cursor(const char *text, char **memory, struct fw_error *err)
{
    *memory = fw_xmalloc(2 * strlen(text) + 2);
    return (struct cursor) { .all = text, .at = text, .to = *memory, .err = err };
}

int fw_access_parse(struct fw_access *access, const char *text, struct fw_error *err)
{
    char *memory;
    struct cursor cursor = open_cursor(text, &memory, err);

    *access = (struct fw_access) { .memory = memory };
    if (parse_access(&cursor, access) < 0) {
        fw_access_release(access);
        return -1;
    }
    if (*cursor.at) {
        fw_access_release(access);
        return complain(&cursor, "more than one access");
    }
    return 0;
}

void fw_access_release(struct fw_access *access)
{
    free(access->memory);
    *access = (struct fw_access) { 0 };
}

enum fw_iroot_does fw_access_does(const char *text)
{
    switch (*text) {
    case 'r':
        return FW_DOES_READ;
    case 'w':
        return FW_DOES_WRITE;
    case 'l':
        return FW_DOES_LOCK;
    default:
        return FW_DOES_UNLOCK;
    }
}

/* --- iRoots ---------------------------------------------------------------------------------- */

/* The same from the side of the other thread, where the texts come first then. */
static struct fw_iroot by_text(const struct fw_iroot *iroot, const struct fw_strtab *accesses)
{
    struct fw_iroot other = *iroot;
    int order;

    if (iroot->idiom != 5)
        return *iroot;
    for (unsigned i = 0; i < 4; i++)
        other.access[i] = iroot->access[i ^ 2];
    order = strcmp(fw_strtab_text(accesses, iroot->access[0]),
                   fw_strtab_text(accesses, other.access[0]));
    if (!order)
        order = strcmp(fw_strtab_text(accesses, iroot->access[1]),
                       fw_strtab_text(accesses, other.access[1]));
    return order <= 0 ? *iroot : other;
}

void fw_iroot_print(const struct fw_iroot *iroot, const struct fw_strtab *accesses,
                    struct fw_output *out)
{
    struct fw_iroot printed = by_text(iroot, accesses);

    fw_output_printf(out, "%u%s", printed.idiom, printed.waits ? "w" : "");
    for (unsigned i = 0; i < fw_idiom_accesses(printed.idiom); i++)
        fw_output_printf(out, "%s%s", i ? " | " : " ",
                         fw_strtab_text(accesses, printed.access[i]));
}

static bool is_of_lock(enum fw_iroot_does does)
{
    return does == FW_DOES_LOCK || does == FW_DOES_UNLOCK;
}

static bool can_depend(enum fw_iroot_does a, enum fw_iroot_does b)
{
    if (is_of_lock(a) || is_of_lock(b))
        return a == FW_DOES_UNLOCK && b == FW_DOES_LOCK;
    return a == FW_DOES_WRITE || b == FW_DOES_WRITE;
}

/* Could there be an instance, by what its accesses do? */
static bool is_possible(const struct fw_iroot *iroot, const enum fw_iroot_does *does)
{
    if (iroot->waits)
        return does[0] == FW_DOES_LOCK && does[1] == FW_DOES_LOCK && does[2] == FW_DOES_LOCK &&
               does[3] == FW_DOES_LOCK;
    if (!can_depend(does[0], does[1]))
        return false;
    if (iroot->idiom == 2)
        return can_depend(does[1], does[2]);
    if (iroot->idiom == 3 && is_of_lock(does[0]) != is_of_lock(does[2]))
        return false;
    return iroot->idiom == 1 || can_depend(does[2], does[3]);
}

static int parse_accesses(struct cursor *cursor, struct fw_iroot *iroot, struct fw_strtab *accesses)
{
    struct fw_access access[FW_IROOT_MOST] = { 0 };
    enum fw_iroot_does does[FW_IROOT_MOST] = { 0 };
    unsigned count = fw_idiom_accesses(iroot->idiom);

    for (unsigned i = 0; i < count; i++) {
        if (i && *cursor->at++ != '|')
            return complain(cursor, "fewer accesses than the idiom has");
        if (parse_access(cursor, &access[i]) < 0)
            return -1;
        does[i] = access[i].does;
    }
    if (*cursor->at)
        return complain(cursor, "more accesses than the idiom has");
    if (!is_possible(iroot, does))
        return complain(cursor, "accesses that cannot depend on each other so");
    for (unsigned i = 0; i < count; i++)
        iroot->access[i] = fw_access_intern(accesses, &access[i]);
    return 0;
}

int fw_iroot_parse(struct fw_iroot *iroot, const char *text, struct fw_strtab *accesses,
                   struct fw_error *err)
{
    char *memory;
    struct cursor cursor = open_cursor(text, &memory, err);
    int result = -1;

    skip_blanks(&cursor);
    *iroot = (struct fw_iroot) { 0 };
    if (*cursor.at >= '1' && *cursor.at <= '0' + (int)FW_IDIOMS) {
        iroot->idiom = (uint8_t)(*cursor.at++ - '0');
        iroot->waits = iroot->idiom == 5 && *cursor.at == 'w';
        cursor.at += iroot->waits;
    }
    if (!iroot->idiom || *cursor.at != ' ')
        complain(&cursor, "no idiom (1 to 6, 5w) at the beginning");
    else
        result = parse_accesses(&cursor, iroot, accesses);
    *iroot = fw_iroot_normal(iroot);
    free(memory);
    return result;
}
