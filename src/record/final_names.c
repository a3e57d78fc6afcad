/*
 * final_names.c - see final_state.h: names for addresses, sites and functions.
 *
 * Names are made when something is kept, never before, and say where it lies in a file or a block,
 * so that they mean the same in every run of the program.
 */
#include "record/final_state.h"

#include <inttypes.h>
#include <stdio.h>

/* Answers about a place in the code, kept beside the id of its site. */
#define SITE_FIXED_KNOWN  (UINT64_C(1) << 32)
#define SITE_FIXED        (UINT64_C(1) << 33)
#define SITE_DIRECT_KNOWN (UINT64_C(1) << 34)
#define SITE_DIRECT       (UINT64_C(1) << 35)

#define HEAP "heap:"

void fw_final_block_name(uint64_t block, uint64_t offset, char name[FW_FINAL_NAME])
{
    if (offset)
        snprintf(name, FW_FINAL_NAME, HEAP "%" PRIu64 "+0x%" PRIx64, block, offset);
    else
        snprintf(name, FW_FINAL_NAME, HEAP "%" PRIu64, block);
}

/* The same, by hand: blocks have many variables. */
uint32_t fw_final_block_id(struct fw_final *f, uint64_t block, uint64_t offset)
{
    static const char digits[] = "0123456789abcdef";
    char name[48], *at = name + sizeof name, *end = at;

    if (offset) {
        for (; offset; offset >>= 4)
            *--at = digits[offset & 15];
        memcpy(at -= 3, "+0x", 3);
    }
    do
        *--at = digits[block % 10];
    while (block /= 10);
    memcpy(at -= 5, HEAP, 5);
    return fw_strtab_add(&f->symbols->table[FW_SPACE_VARIABLE], at, (size_t)(end - at));
}

static bool name_in_heap(const struct fw_final *f, uint64_t address, char *name)
{
    uint64_t start = address & ~UINT64_C(7);

    for (unsigned back = 0; back < FW_FINAL_PROBED && start >= 8; back += 8, start -= 8) {
        const uint64_t *bytes = fw_addrmap_find(&f->lives.bytes, start);

        if (!bytes)
            continue;
        if (address - start >= *bytes)
            return false;
        fw_final_block_name(*fw_addrmap_find(&f->lives.number, start), address - start, name);
        return true;
    }
    for (size_t i = 0; i < f->large.len; i++)
        if (address >= f->large.at[i].start && address < f->large.at[i].end) {
            fw_final_block_name(f->large.at[i].number, address - f->large.at[i].start, name);
            return true;
        }
    return false;
}

static bool name_in_stack(const struct fw_final *f, uint64_t address, char *name)
{
    for (size_t i = 0; i < f->stacks.len; i++) {
        const struct final_stack *stack = &f->stacks.at[i];

        if (address < stack->low || address >= stack->end)
            continue;
        snprintf(name, FW_FINAL_NAME, "stack:T%" PRIu32 "-0x%" PRIx64, stack->thread,
                 stack->end - address);
        return true;
    }
    return false;
}

static bool name_in_module(const struct fw_final *f, uint64_t address, char *name)
{
    const struct fw_module *module = fw_modules_find(&f->modules, address);

    if (!module)
        return false;
    snprintf(name, FW_FINAL_NAME, "%.480s+0x%" PRIx64, module->path, address - module->base);
    return true;
}

void fw_final_name(const struct fw_final *f, uint64_t address, char name[FW_FINAL_NAME])
{
    if (!name_in_module(f, address, name) && !name_in_stack(f, address, name) &&
        !name_in_heap(f, address, name))
        snprintf(name, FW_FINAL_NAME, "mem:0x%" PRIx64, address);
}

uint32_t fw_final_fresh_id(struct fw_final *f, enum fw_space space, const char *name)
{
    struct fw_strtab *table = &f->symbols->table[space];
    const uint64_t *known;
    uint64_t times, key;
    uint32_t first;
    char numbered[FW_FINAL_NAME + 24];

    if (table->unindexed && strncmp(name, HEAP, strlen(HEAP)) == 0)
        fw_strtab_index(table);
    first = fw_strtab_find(table, name, strlen(name));
    if (first == FW_STRTAB_NONE)
        return fw_strtab_intern(table, name, strlen(name));
    key = (uint64_t)first << 8 | space;
    known = fw_addrmap_find(&f->reused, key);
    times = known ? *known + 1 : 2;
    fw_addrmap_set(&f->reused, key, times);
    snprintf(numbered, sizeof numbered, "%s#%" PRIu64, name, times);
    return fw_strtab_intern(table, numbered, strlen(numbered));
}

/* What is known of a place in the code, by its return address. */
static uint64_t *find_site(struct fw_final *f, uint64_t pc)
{
    uint64_t *known = fw_addrmap_find(&f->sites, pc);
    const struct fw_module *module;
    char name[FW_FINAL_NAME];
    uint32_t id;

    if (known)
        return known;
    module = fw_modules_find(&f->modules, pc - 1);
    if (module)
        snprintf(name, sizeof name, "%.480s+0x%" PRIx64, module->path, pc - 1 - module->base);
    else
        snprintf(name, sizeof name, "0x%" PRIx64, pc - 1);
    id = fw_strtab_intern(&f->symbols->table[FW_SPACE_SITE], name, strlen(name));
    fw_addrmap_set(&f->sites, pc, id);
    return fw_addrmap_find(&f->sites, pc);
}

uint32_t fw_final_site(struct fw_final *f, uint64_t pc)
{
    return pc ? (uint32_t)*find_site(f, pc) : 0;
}

/* Asks `answer` once for each place. */
static bool ask(struct fw_final *f, uint64_t pc, uint64_t known, uint64_t yes,
                bool (*answer)(struct fw_operands *, const char *, uint64_t))
{
    uint64_t *site = pc ? find_site(f, pc) : NULL;
    const struct fw_module *module;

    if (!site)
        return false;
    if (!(*site & known)) {
        module = fw_modules_find(&f->modules, pc - 1);
        if (module && answer(f->operands, module->path, pc - module->base))
            *site |= yes;
        *site |= known;
    }
    return *site & yes;
}

bool fw_final_fixed(struct fw_final *f, uint64_t pc)
{
    return ask(f, pc, SITE_FIXED_KNOWN, SITE_FIXED, fw_operands_fixed);
}

bool fw_final_direct(struct fw_final *f, uint64_t pc)
{
    return ask(f, pc, SITE_DIRECT_KNOWN, SITE_DIRECT, fw_operands_direct);
}

uint32_t fw_final_function(struct fw_final *f, uint64_t address)
{
    const uint64_t *known = fw_addrmap_find(&f->functions, address);
    char name[FW_FINAL_NAME];
    uint32_t id;

    if (known)
        return (uint32_t)*known;
    if (!name_in_module(f, address, name))
        snprintf(name, sizeof name, "0x%" PRIx64, address);
    id = fw_strtab_intern(&f->symbols->table[FW_SPACE_FUNCTION], name, strlen(name));
    fw_addrmap_set(&f->functions, address, id);
    return id;
}

/* A label: one line, without what text formats keep for themselves. */
void fw_final_text(struct fw_final *f, const struct fw_wire_unit *record)
{
    size_t len;
    const char *text = fw_unit_text(record, &len);
    char *label = fw_xstrndup(text, len);
    uint32_t id = 0;

    for (char *p = label; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == '|' || *p == ')')
            *p = '?';
    if (*label)
        id = fw_strtab_intern(&f->symbols->table[FW_SPACE_BLOCK], label, strlen(label));
    fw_addrmap_set(&f->labels, fw_wire_operand(record), id);
    free(label);
}

uint32_t fw_final_label(struct fw_final *f, uint64_t address)
{
    const uint64_t *known = fw_addrmap_find(&f->labels, address);

    return known ? (uint32_t)*known : 0;
}

/* Addresses mean something else now. */
void fw_final_modules_changed(struct fw_final *f)
{
    fw_addrmap_clear(&f->sites);
    fw_addrmap_clear(&f->functions);
    memset(f->places, 0, sizeof f->places);
}
