/* unhooked_fields.c - see unhooked_fields.h. */
#include "symbol/unhooked_fields.h"

#include "base/alloc.h"

#include <dwarf.h>
#include <string.h>

#define MOST_RUNS 64u /* of one group of bit-fields; the rest is not looked at */

/* Bits [start, end) of a structure. */
struct run {
    uint64_t start, end;
};

/* Bit-fields with nothing else between them: runs without gaps. */
struct group {
    struct run runs[MOST_RUNS];
    size_t count;
};

struct walk {
    struct fw_dwarf *dwarf;
    const struct fw_dwarf_unit *unit;
    unsigned clang_version;
    struct fw_unhooked_texts *texts;
    size_t most;
    uint32_t steps;
};

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0)
        return false;
    *number = value;
    return true;
}

/* --- which have no hooks ----------------------------------------------------------------- */

/* The smallest size that has hooks and holds so many bytes; 0: there is none. */
static uint64_t natural_size(const struct walk *walk, uint64_t bytes)
{
    uint64_t most = walk->clang_version < 19 ? 16 : 8, size = 1;

    while (size < bytes && size <= most)
        size *= 2;
    return size <= most ? size : 0;
}

/* A unit is as large as is natural if nothing stands in the way; else it has just its bytes. */
static bool is_unhooked(const struct walk *walk, const struct run *run, uint64_t limit)
{
    uint64_t start = run->start / 8, bytes = (run->end + 7) / 8 - start;
    uint64_t natural = natural_size(walk, bytes);

    return !natural || (natural != bytes && start + natural > limit);
}

/* Bit-fields that stand together, and where what follows them begins.  Gaps between them may be
 * bit-fields or not; the last one is, if it is more than alignment can explain. */
static bool group_is_unhooked(const struct walk *walk, const struct group *group, uint64_t limit)
{
    const struct run *runs = group->runs;

    for (size_t i = 0; i < group->count; i++)
        for (size_t j = i; j < group->count; j++) {
            bool last = j + 1 == group->count;
            uint64_t next = last ? limit : runs[j + 1].start / 8;
            struct run joined = { runs[i].start, runs[j].end };

            if (is_unhooked(walk, &joined, next))
                return true;
            if (last && limit > (joined.end + 7) / 8 &&
                limit - (joined.end + 7) / 8 >= (limit & (0 - limit)))
                joined.end = limit * 8;
            if (is_unhooked(walk, &joined, next))
                return true;
        }
    return false;
}

/* Where a bit-field lies; false: the member is none.  Debug information before DWARF 4 counts from
 * the upper end of a unit of memory. */
static bool take_field(Dwarf_Die *member, struct run *run)
{
    uint64_t bits, start;

    if (!number_of(member, DW_AT_bit_size, &bits))
        return false;
    if (!number_of(member, DW_AT_data_bit_offset, &start)) {
        uint64_t above = 0, place = 0, bytes = 0;

        number_of(member, DW_AT_bit_offset, &above);
        number_of(member, DW_AT_data_member_location, &place);
        number_of(member, DW_AT_byte_size, &bytes);
        start = place * 8 + bytes * 8 - above - bits;
    }
    *run = (struct run) { start, start + bits };
    return true;
}

static void add_field(struct group *group, const struct run *run)
{
    if (group->count && group->runs[group->count - 1].end == run->start)
        group->runs[group->count - 1].end = run->end;
    else if (group->count < MOST_RUNS)
        group->runs[group->count++] = *run;
}

/* In C++ what derives from a class may use the bytes at its end, which debug information does not
 * tell; then nothing can be taken in behind the last bit-field. */
static uint64_t end_of_record(const struct walk *walk, Dwarf_Die *record, const struct group *group)
{
    uint64_t size = 0;

    number_of(record, DW_AT_byte_size, &size);
    if (walk->unit->plain || dwarf_tag(record) == DW_TAG_union_type || !group->count)
        return size;
    return (group->runs[group->count - 1].end + 7) / 8;
}

/* Members of a union lie on top of each other: each is by itself. */
static bool record_is_unhooked(const struct walk *walk, Dwarf_Die *record)
{
    bool is_union = dwarf_tag(record) == DW_TAG_union_type;
    struct group group = { 0 };
    Dwarf_Die die;

    if (dwarf_child(record, &die) != 0)
        return false;
    do {
        struct run run;
        uint64_t place;

        if (dwarf_tag(&die) != DW_TAG_member)
            continue;
        if (take_field(&die, &run)) {
            add_field(&group, &run);
            if (!is_union)
                continue;
            place = end_of_record(walk, record, &group);
        } else if (is_union || !number_of(&die, DW_AT_data_member_location, &place)) {
            continue;
        }
        if (group_is_unhooked(walk, &group, place))
            return true;
        group.count = 0;
    } while (dwarf_siblingof(&die, &die) == 0);
    return group_is_unhooked(walk, &group, end_of_record(walk, record, &group));
}

/* --- whose they are ---------------------------------------------------------------------- */

/* What the C and C++ libraries, the kernel and the compiler bring along. */
static bool is_system(const char *file)
{
    static const char *const folders[] = {
        "c++/",
        "x86_64-linux-gnu/bits/",
        "x86_64-linux-gnu/sys/",
        "x86_64-linux-gnu/asm/",
        "bits/",
        "x86_64-linux-gnu/c++/",
        "x86_64-linux-gnu/gnu/",
        "asm-generic/",
        "sys/",
        "linux/",
        "net/",
        "netinet/",
        "arpa/",
        "rpc/",
        "asm/",
        "gnu/",
    };

    if (strstr(file, "/lib/clang/") || strstr(file, "/include/c++/") ||
        strncmp(file, "/usr/lib/", 9) == 0)
        return true;
    if (strncmp(file, "/usr/include/", 13) != 0)
        return false;
    file += 13;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(file, folders[i], strlen(folders[i])) == 0)
            return true;
    return !strchr(file, '/');
}

static void take_record(struct walk *walk, Dwarf_Die *record)
{
    struct fw_source at = fw_dwarf_declared(walk->dwarf, walk->unit, record);
    const char *name = fw_dwarf_name(walk->dwarf, walk->unit, record);
    const char *word = dwarf_tag(record) == DW_TAG_union_type   ? "union"
                       : dwarf_tag(record) == DW_TAG_class_type ? "class"
                                                                : "struct";
    char *text;

    if (!at.file || is_system(at.file))
        return;
    text = fw_xasprintf("bit-fields of %s%s%s at %s:%u", word, name ? " " : "", name ? name : "",
                        at.file, at.line);
    for (size_t i = 0; i < walk->texts->len; i++)
        if (strcmp(walk->texts->at[i], text) == 0) {
            free(text);
            return;
        }
    fw_vec_push(walk->texts, text);
}

/* --- the walk ---------------------------------------------------------------------------- */

/* Do entries of the unit have the attribute at all?  Nearly all units can be left out by that. */
static bool mentions(Dwarf_Die *unit, unsigned wanted)
{
    Dwarf_Off offset = 0;

    for (uint32_t n = 0; n < FW_DWARF_STEPS; n++) {
        size_t length = 0, count = 0;
        Dwarf_Abbrev *abbrev = dwarf_getabbrev(unit, offset, &length);

        if (!abbrev || abbrev == DWARF_END_ABBREV || dwarf_getattrcnt(abbrev, &count) != 0)
            return false;
        for (size_t i = 0; i < count; i++) {
            unsigned name = 0;

            if (dwarf_getabbrevattr(abbrev, i, &name, NULL, NULL) == 0 && name == wanted)
                return true;
        }
        offset += length;
    }
    return false;
}

static void visit(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;

    if (depth > FW_DWARF_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (++walk->steps > FW_DWARF_STEPS || walk->texts->len >= walk->most)
            return;
        switch (dwarf_tag(&die)) {
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            if (record_is_unhooked(walk, &die))
                take_record(walk, &die);
            visit(walk, &die, depth + 1);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            visit(walk, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

void fw_unhooked_fields(struct fw_dwarf *dwarf, const struct fw_dwarf_unit *unit,
                        unsigned clang_version, struct fw_unhooked_texts *texts, size_t most)
{
    struct walk walk = {
        .dwarf = dwarf, .unit = unit, .clang_version = clang_version, .texts = texts, .most = most
    };
    Dwarf_Die content = unit->content;

    if (mentions(&content, DW_AT_bit_size))
        visit(&walk, &content, 0);
}
