/*
 * dwarf_data.c - see dwarf_data.h.
 *
 * All units are walked once, since nothing tells which of them has the variable at an address.
 */
#include "symbol/dwarf_data.h"

#include "base/alloc.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fw_dwarf_data_release(struct fw_dwarf_data *data)
{
    fw_vec_release(&data->variables);
}

/* --- finding variables ------------------------------------------------------------------- */

struct walk {
    struct fw_dwarf_data *data;
    struct fw_dwarf *dwarf;
    uint32_t unit;
    const char *function; /* that the entries are in, or NULL */
};

/* Variables at a fixed address only: not those in registers, on stacks, of threads. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attribute, resolved;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
        return false;
    if (ops[0].atom == DW_OP_addr) {
        *address = ops[0].number;
        return true;
    }
    return ops[0].atom == DW_OP_addrx && dwarf_getlocation_attr(&attribute, ops, &resolved) == 0 &&
           dwarf_formaddr(&resolved, address) == 0;
}

uint64_t fw_dwarf_size_of(Dwarf_Die *type)
{
    Dwarf_Word size;

    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool fw_dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL;
}

static void add_variable(const struct walk *walk, Dwarf_Die *die)
{
    struct fw_dwarf *dwarf = walk->dwarf;
    struct fw_dwarf_variable variable = { .unit = walk->unit, .die = *die };
    Dwarf_Die type;

    if (!fixed_address(die, &variable.start))
        return;
    variable.name = fw_dwarf_name(dwarf, &dwarf->units.at[walk->unit], die);
    if (!variable.name)
        return;
    if (walk->function && !strstr(variable.name, "::")) {
        char *text = fw_xasprintf("%s::%s", walk->function, variable.name);

        variable.name = fw_dwarf_keep(dwarf, text);
        free(text);
    }
    if (fw_dwarf_type_of(die, &type))
        variable.size = fw_dwarf_size_of(&type);
    if (variable.size > UINT64_MAX - variable.start)
        variable.size = 0;
    fw_vec_push(&walk->data->variables, variable);
}

static void walk_entries(const struct walk *walk, Dwarf_Die *parent, unsigned depth);

static void walk_entry(const struct walk *walk, Dwarf_Die *die, unsigned depth)
{
    struct walk inside = *walk;

    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
        add_variable(walk, die);
        break;
    case DW_TAG_subprogram:
        inside.function = dwarf_diename(die);
        walk_entries(&inside, die, depth + 1);
        break;
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_module:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        walk_entries(walk, die, depth + 1);
        break;
    default:
        break;
    }
}

static void walk_entries(const struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;

    if (depth > FW_DWARF_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (++walk->data->steps > FW_DWARF_STEPS)
            return;
        walk_entry(walk, &die, depth);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* A static variable of an inlined function is described several times: the shortest name stays. */
static int by_start(const void *a, const void *b)
{
    const struct fw_dwarf_variable *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (strlen(x->name) != strlen(y->name))
        return strlen(x->name) < strlen(y->name) ? -1 : 1;
    return strcmp(x->name, y->name);
}

void fw_dwarf_data_read(struct fw_dwarf_data *data, struct fw_dwarf *dwarf)
{
    size_t kept = 0;

    if (data->read)
        return;
    data->read = true;
    for (uint32_t i = 0; i < dwarf->units.len; i++) {
        struct walk walk = { data, dwarf, i, NULL };
        Dwarf_Die die = dwarf->units.at[i].content;

        walk_entries(&walk, &die, 0);
    }
    if (data->variables.len)
        qsort(data->variables.at, data->variables.len, sizeof *data->variables.at, by_start);
    for (size_t i = 0; i < data->variables.len; i++)
        if (!kept || data->variables.at[kept - 1].start != data->variables.at[i].start)
            data->variables.at[kept++] = data->variables.at[i];
    data->variables.len = kept;
}

static struct fw_dwarf_variable *variable_at(struct fw_dwarf_data *data, uint64_t address)
{
    size_t low = 0, high = data->variables.len;
    struct fw_dwarf_variable *found;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (data->variables.at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    found = &data->variables.at[low - 1];
    return address - found->start < (found->size ? found->size : 1) ? found : NULL;
}

/* --- parts ------------------------------------------------------------------------------- */

/* The way down to what is at an offset: "[3].balance". */
struct path {
    char text[256];
    size_t len;
};

static void __attribute__((format(printf, 2, 3))) add(struct path *path, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(path->text + path->len, sizeof path->text - path->len, fmt, args);
    va_end(args);
    if (len > 0)
        path->len += (size_t)len;
    if (path->len >= sizeof path->text)
        path->len = sizeof path->text - 1;
}

/* What locks are called: nobody wants to see what they are made of. */
static bool is_opaque(const char *name)
{
    static const char *const names[] = {
        "pthread_mutex_t",
        "pthread_rwlock_t",
        "pthread_spinlock_t",
        "pthread_cond_t",
        "pthread_barrier_t",
        "pthread_once_t",
        "sem_t",
        "mtx_t",
        "cnd_t",
        "once_flag",
        "mutex",
        "recursive_mutex",
        "timed_mutex",
        "recursive_timed_mutex",
        "shared_mutex",
        "shared_timed_mutex",
        "condition_variable",
        "condition_variable_any",
        "__gthread_mutex_t",
        "__gthread_cond_t",
    };

    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return name && strncmp(name, "atomic<", 7) == 0;
}

/* Behind typedefs and qualifiers; false: it is to be taken as a whole. */
bool fw_dwarf_peel(Dwarf_Die *type)
{
    for (unsigned i = 0; i < FW_DWARF_DEPTH; i++) {
        if (is_opaque(dwarf_diename(type)))
            return false;
        switch (dwarf_tag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            if (!fw_dwarf_type_of(type, type))
                return false;
            break;
        default:
            return true;
        }
    }
    return false;
}

/* Elements of one dimension; 0: unknown. */
static uint64_t extent(Dwarf_Die *range)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;

    if (dwarf_formudata(dwarf_attr_integrate(range, DW_AT_count, &attribute), &number) == 0)
        return number;
    if (dwarf_formudata(dwarf_attr_integrate(range, DW_AT_upper_bound, &attribute), &number) == 0 &&
        number < INT64_MAX)
        return number + 1;
    return 0;
}

unsigned fw_dwarf_extents(Dwarf_Die *type, uint64_t extents[FW_DWARF_DIMENSIONS])
{
    unsigned count = 0;
    Dwarf_Die range;

    if (dwarf_child(type, &range) == 0)
        do
            if (dwarf_tag(&range) == DW_TAG_subrange_type)
                extents[count++] = extent(&range);
        while (count < FW_DWARF_DIMENSIONS && dwarf_siblingof(&range, &range) == 0);
    return count;
}

static uint64_t enter_array(struct path *path, Dwarf_Die *type, uint64_t offset, Dwarf_Die *element)
{
    uint64_t extents[FW_DWARF_DIMENSIONS], size, index, block = 1;
    unsigned count;

    if (!fw_dwarf_type_of(type, element) || !(size = fw_dwarf_size_of(element)))
        return UINT64_MAX;
    count = fw_dwarf_extents(type, extents);
    for (unsigned i = 1; i < count; i++)
        if (!extents[i] || __builtin_mul_overflow(block, extents[i], &block))
            return UINT64_MAX;
    index = offset / size;
    for (unsigned i = 0; i < count; i++) {
        add(path, "[%" PRIu64 "]", index / block);
        index %= block;
        if (i + 1 < count)
            block /= extents[i + 1];
    }
    return count ? offset % size : UINT64_MAX;
}

/* Before version 5 a bit-field is told by its word and the bits that are left above it there. */
static void place_old_bits(Dwarf_Die *member, uint64_t *place, uint64_t *size)
{
    Dwarf_Attribute attribute;
    Dwarf_Word bits, above, start;

    if (dwarf_formudata(dwarf_attr(member, DW_AT_bit_size, &attribute), &bits) != 0 ||
        dwarf_formudata(dwarf_attr(member, DW_AT_bit_offset, &attribute), &above) != 0 ||
        *size > 16 || above > *size * 8 || bits > *size * 8 - above)
        return;
    start = *size * 8 - above - bits;
    *place += start / 8;
    *size = (start % 8 + bits + 7) / 8;
}

/* Bytes from the beginning; false: it has no place of its own (static, or worked out). */
bool fw_dwarf_member_place(Dwarf_Die *member, bool in_union, uint64_t *place, uint64_t *size)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die type;

    if (!fw_dwarf_type_of(member, &type))
        return false;
    *size = fw_dwarf_size_of(&type);
    *place = 0;
    if (dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &attribute), &number) == 0) {
        Dwarf_Word bits;

        *place = number / 8;
        *size = 1;
        if (dwarf_formudata(dwarf_attr(member, DW_AT_bit_size, &attribute), &bits) == 0 &&
            bits <= 64)
            *size = (number % 8 + bits + 7) / 8;
        return true;
    }
    if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
        return in_union;
    if (dwarf_formudata(&attribute, &number) != 0)
        return false;
    *place = number;
    place_old_bits(member, place, size);
    return true;
}

static uint64_t enter_member(struct path *path, Dwarf_Die *type, uint64_t offset, Dwarf_Die *inner)
{
    bool in_union = dwarf_tag(type) == DW_TAG_union_type;
    Dwarf_Die member;

    if (dwarf_child(type, &member) != 0)
        return UINT64_MAX;
    for (uint32_t n = 0; n < FW_DWARF_STEPS; n++) {
        int tag = dwarf_tag(&member);
        uint64_t place, size;

        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            fw_dwarf_member_place(&member, in_union, &place, &size) && offset >= place &&
            offset - place < size && fw_dwarf_type_of(&member, inner)) {
            const char *name = tag == DW_TAG_member ? dwarf_diename(&member) : NULL;

            if (name)
                add(path, ".%s", name);
            return offset - place;
        }
        if (dwarf_siblingof(&member, &member) != 0)
            break;
    }
    return UINT64_MAX;
}

/* Down to the smallest part that covers the offset. */
static void descend(struct path *path, Dwarf_Die type, uint64_t offset)
{
    for (unsigned i = 0; i < FW_DWARF_DEPTH && fw_dwarf_peel(&type); i++) {
        Dwarf_Die inner;
        uint64_t rest = UINT64_MAX;
        int tag = dwarf_tag(&type);

        if (tag == DW_TAG_array_type)
            rest = enter_array(path, &type, offset, &inner);
        else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                 tag == DW_TAG_union_type)
            rest = enter_member(path, &type, offset, &inner);
        if (rest == UINT64_MAX)
            break;
        offset = rest;
        type = inner;
    }
    if (offset)
        add(path, "+0x%" PRIx64, offset);
}

/* --- the answer -------------------------------------------------------------------------- */

static struct fw_dwarf_variable *find_variable(struct fw_dwarf_data *data, struct fw_dwarf *dwarf,
                                               uint64_t address)
{
    fw_dwarf_data_read(data, dwarf);
    return variable_at(data, address);
}

static void name_at(struct fw_dwarf_variable *variable, uint64_t offset, char *text, size_t size)
{
    struct path path = { 0 };
    Dwarf_Die type;

    if (fw_dwarf_type_of(&variable->die, &type))
        descend(&path, type, offset);
    snprintf(text, size, "%s%s", variable->name, path.text);
}

bool fw_dwarf_data_name(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, uint64_t address,
                        char *text, size_t size)
{
    struct fw_dwarf_variable *found = find_variable(data, dwarf, address);

    if (found)
        name_at(found, address - found->start, text, size);
    return found != NULL;
}

bool fw_dwarf_data_at(struct fw_dwarf_data *data, struct fw_dwarf *dwarf, uint64_t address,
                      struct fw_source_variable *variable)
{
    struct fw_dwarf_variable *found = find_variable(data, dwarf, address);
    char text[FW_SYMBOL_NAME];

    if (!found)
        return false;
    name_at(found, address - found->start, text, sizeof text);
    *variable = (struct fw_source_variable) {
        .name = fw_dwarf_keep(dwarf, text),
        .object = found->name,
        .size = found->size,
        .declared = fw_dwarf_declared(dwarf, &dwarf->units.at[found->unit], &found->die),
    };
    return true;
}
