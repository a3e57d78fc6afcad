/*
 * dwarf_find.c - see dwarf_find.h.
 *
 * A name is that of a variable and the way down to a part of it: "accounts", "[3]", ".balance".
 * Scopes may be left out from the left: "total" is also bank::total, if nothing is called so.
 */
#include "symbol/dwarf_find.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* A variable, or a part of it. */
struct part {
    Dwarf_Die type;
    uint64_t start, size;
};

/* --- elements -------------------------------------------------------------------------------- */

/* "[3]" of the text; false: there is none. */
static bool take_index(const char **text, uint64_t *index)
{
    char *end;

    if (**text != '[' || !isdigit((unsigned char)(*text)[1]))
        return false;
    *index = strtoull(*text + 1, &end, 10);
    if (*end != ']')
        return false;
    *text = end + 1;
    return true;
}

/* One dimension after the other, as long as there are indices. */
static bool enter_array(struct part *part, const char **text)
{
    uint64_t extents[FW_DWARF_DIMENSIONS], block = 1, index, size;
    unsigned count;
    Dwarf_Die element;

    if (!fw_dwarf_type_of(&part->type, &element) || !(size = fw_dwarf_size_of(&element)))
        return false;
    count = fw_dwarf_extents(&part->type, extents);
    for (unsigned i = 1; i < count; i++)
        if (!extents[i] || __builtin_mul_overflow(block, extents[i], &block))
            return false;
    for (unsigned i = 0; i < count && take_index(text, &index); i++) {
        if (extents[i] && index >= extents[i])
            return false;
        part->start += index * block * size;
        part->size = block * size;
        if (i + 1 < count)
            block /= extents[i + 1];
        else
            part->type = element;
    }
    return **text != '[';
}

static bool is_named(Dwarf_Die *member, const char *name, size_t len)
{
    const char *own = dwarf_diename(member);

    return own && strlen(own) == len && strncmp(own, name, len) == 0;
}

/* Also in what has no name of its own: anonymous structures, base classes. */
static bool find_member(struct part *part, const char *name, size_t len, unsigned depth)
{
    bool in_union = dwarf_tag(&part->type) == DW_TAG_union_type;
    Dwarf_Die member;

    if (depth > FW_DWARF_DEPTH || dwarf_child(&part->type, &member) != 0)
        return false;
    for (uint32_t n = 0; n < FW_DWARF_STEPS; n++) {
        int tag = dwarf_tag(&member);
        struct part inner = { .start = part->start };
        uint64_t place;

        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            fw_dwarf_member_place(&member, in_union, &place, &inner.size) &&
            fw_dwarf_type_of(&member, &inner.type)) {
            bool named = tag == DW_TAG_member && dwarf_diename(&member);
            bool found = named && is_named(&member, name, len);

            inner.start += place;
            if (!named && fw_dwarf_peel(&inner.type))
                found = find_member(&inner, name, len, depth + 1);
            if (found)
                *part = inner;
            if (found)
                return true;
        }
        if (dwarf_siblingof(&member, &member) != 0)
            break;
    }
    return false;
}

static bool enter_member(struct part *part, const char **text)
{
    const char *name = *text + 1;
    size_t len = strcspn(name, ".[");

    *text = name + len;
    return len && find_member(part, name, len, 0);
}

/* Down the way that the text names. */
static bool descend(struct part *part, const char *text)
{
    while (*text) {
        int tag;

        if (!fw_dwarf_peel(&part->type))
            return false;
        tag = dwarf_tag(&part->type);
        if (*text == '[' ? tag != DW_TAG_array_type || !enter_array(part, &text)
                         : *text != '.' || !enter_member(part, &text))
            return false;
    }
    return true;
}

/* --- variables ------------------------------------------------------------------------------- */

/* What of the name is left behind the variable's own; NULL: it is another one. */
static const char *behind(const char *variable, const char *name)
{
    size_t len = strlen(variable);

    if (strncmp(name, variable, len) == 0 && (!name[len] || name[len] == '[' || name[len] == '.'))
        return name + len;
    return NULL;
}

static const char *behind_scopes(const char *variable, const char *name)
{
    const char *rest = NULL;

    while (!rest && (variable = strstr(variable, "::"))) {
        variable += 2;
        rest = behind(variable, name);
    }
    return rest;
}

static void suggest(struct fw_suggestion *near, const char *variable)
{
    const char *last = strrchr(variable, ':');

    fw_suggest(near, variable);
    if (last)
        fw_suggest(near, last + 1);
}

/* The variable, or the part of it that `rest` names. */
static bool add_part(struct fw_dwarf_variable *variable, const char *rest,
                     struct fw_symbol_ranges *ranges)
{
    struct part part = { .start = variable->start, .size = variable->size };
    struct fw_symbol_range range;

    if (!rest ||
        (*rest && (!fw_dwarf_type_of(&variable->die, &part.type) || !descend(&part, rest))))
        return false;
    range.start = part.start;
    range.end = part.start + (part.size ? part.size : 1);
    fw_vec_push(ranges, range);
    return true;
}

size_t fw_dwarf_find_variable(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, const char *name,
                              struct fw_symbol_ranges *ranges, struct fw_suggestion *near)
{
    size_t found = 0;

    fw_dwarf_data_read(data, dwarf);
    for (size_t i = 0; i < data->variables.len; i++) {
        struct fw_dwarf_variable *variable = &data->variables.at[i];

        suggest(near, variable->name);
        found += add_part(variable, behind(variable->name, name), ranges);
    }
    for (size_t i = 0, all = found; !all && i < data->variables.len; i++) {
        struct fw_dwarf_variable *variable = &data->variables.at[i];

        found += add_part(variable, behind_scopes(variable->name, name), ranges);
    }
    return found;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Do they name the same file, one of them with fewer folders? */
static bool is_file(const char *known, const char *wanted)
{
    size_t a, b;

    while (strncmp(wanted, "./", 2) == 0)
        wanted += 2;
    a = strlen(known);
    b = strlen(wanted);
    if (a < b) {
        const char *swap = known;
        size_t length = a;

        known = wanted;
        wanted = swap;
        a = b;
        b = length;
    }
    return strcmp(known + a - b, wanted) == 0 && (a == b || known[a - b - 1] == '/');
}

static unsigned distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

/* The code from this row of the table to the next one. */
static void add_row(Dwarf_Lines *lines, size_t row, struct fw_symbol_ranges *ranges)
{
    Dwarf_Addr start = 0, end = 0;

    dwarf_lineaddr(dwarf_onesrcline(lines, row), &start);
    dwarf_lineaddr(dwarf_onesrcline(lines, row + 1), &end);
    if (start >= end)
        return;
    if (ranges->len && fw_vec_last(ranges).end == start)
        fw_vec_last(ranges).end = end;
    else
        fw_vec_push(ranges, ((struct fw_symbol_range) { start, end }));
}

/* The line of a row, and whether it is one of the file that is wanted. */
struct row_line {
    const char *file;
    unsigned number;
    bool matches;
};

/* False: it is no code of a line.  What follows a line and belongs to none (number 0: what a
 * compiler has made of several lines) is of that line, as in reports (fw_dwarf_line). */
static bool line_of_row(Dwarf_Lines *lines, size_t row, const char *wanted, struct row_line *line,
                        unsigned *unnumbered)
{
    Dwarf_Line *one = dwarf_onesrcline(lines, row);
    const char *source = dwarf_linesrc(one, NULL, NULL);
    bool end = true;
    int number = 0;

    if (dwarf_lineendsequence(one, &end) != 0 || end) {
        *line = (struct row_line) { 0 };
        return false;
    }
    if (dwarf_lineno(one, &number) != 0 || number <= 0)
        return ++*unnumbered < FW_DWARF_BACK && line->number;
    if (source && source != line->file)
        line->matches = is_file(source, wanted);
    line->file = source;
    line->number = (unsigned)number;
    *unnumbered = 0;
    return source != NULL;
}

static void find_in_unit(struct fw_dwarf_unit *unit, const char *file, unsigned wanted,
                         struct fw_symbol_ranges *ranges, unsigned *nearest)
{
    struct row_line line = { 0 };
    unsigned unnumbered = 0;
    Dwarf_Lines *lines;
    size_t count;

    if (dwarf_getsrclines(&unit->die, &lines, &count) != 0)
        return;
    for (size_t row = 0; row + 1 < count; row++) {
        if (!line_of_row(lines, row, file, &line, &unnumbered) || !line.matches)
            continue;
        if (!*nearest || distance(line.number, wanted) < distance(*nearest, wanted))
            *nearest = line.number;
        if (line.number == wanted)
            add_row(lines, row, ranges);
    }
}

size_t fw_dwarf_find_line(struct fw_dwarf *dwarf, const char *file, unsigned line,
                          struct fw_symbol_ranges *ranges, unsigned *nearest)
{
    size_t before = ranges->len;

    for (size_t i = 0; i < dwarf->units.len; i++)
        find_in_unit(&dwarf->units.at[i], file, line, ranges, nearest);
    return ranges->len - before;
}
