/* dwarf_scopes.c - see dwarf_scopes.h. */
#include "symbol/dwarf_scopes.h"

#include "base/alloc.h"
#include "symbol/dwarf_code.h"

#include <dwarf.h>
#include <stdlib.h>

bool fw_dwarf_is_scope(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
        return true;
    default:
        return false;
    }
}

/* --- taking them in -------------------------------------------------------------------------- */

/* Has no name, but may have scopes in it. */
static bool is_block(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_lexical_block || tag == DW_TAG_module;
}

static void walk(struct fw_dwarf_scopes *scopes, Dwarf_Die *above, uint32_t parent, unsigned depth,
                 uint32_t *steps)
{
    Dwarf_Die die;
    int more = dwarf_child(above, &die);

    for (; more == 0 && depth < FW_DWARF_DEPTH && ++*steps < FW_DWARF_STEPS;
         more = dwarf_siblingof(&die, &die)) {
        bool is_scope = fw_dwarf_is_scope(&die);
        uint32_t at = (uint32_t)scopes->list.len;
        Dwarf_Die next;

        if (!is_scope && !is_block(&die))
            continue;
        if (is_scope)
            fw_vec_push(&scopes->list, ((struct fw_dwarf_scope) {
                                           dwarf_dieoffset(&die), 0, parent, die }));
        walk(scopes, &die, is_scope ? at + 1 : parent, depth + 1, steps);
        if (is_scope && dwarf_siblingof(&die, &next) == 0)
            scopes->list.at[at].end = dwarf_dieoffset(&next);
    }
}

/* What stands last in its scope ends with it. */
static void set_ends(struct fw_dwarf_scopes *scopes)
{
    for (size_t i = 0; i < scopes->list.len; i++) {
        struct fw_dwarf_scope *scope = &scopes->list.at[i];

        if (!scope->end)
            scope->end = scope->parent ? scopes->list.at[scope->parent - 1].end : UINT64_MAX;
    }
}

static const struct fw_dwarf_scopes *of_unit(struct fw_dwarf_scope_units *units,
                                             const Dwarf_Die *die)
{
    struct fw_dwarf_scopes *scopes;
    Dwarf_Die top;
    uint32_t steps = 0;

    for (size_t i = 0; i < units->len; i++)
        if (units->at[i]->unit == die->cu)
            return units->at[i];
    scopes = fw_xcalloc(1, sizeof *scopes);
    scopes->unit = die->cu;
    if (dwarf_cu_die(die->cu, &top, NULL, NULL, NULL, NULL, NULL, NULL))
        walk(scopes, &top, 0, 0, &steps);
    set_ends(scopes);
    fw_vec_push(units, scopes);
    return scopes;
}

void fw_dwarf_scopes_release(struct fw_dwarf_scope_units *units)
{
    for (size_t i = 0; i < units->len; i++) {
        fw_vec_release(&units->at[i]->list);
        free(units->at[i]);
    }
    fw_vec_release(units);
}

/* --- looking --------------------------------------------------------------------------------- */

/* How many begin before the offset. */
static size_t count_before(const struct fw_dwarf_scopes *scopes, uint64_t offset)
{
    size_t low = 0, high = scopes->list.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (scopes->list.at[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t fw_dwarf_scopes_of(struct fw_dwarf_scope_units *units, Dwarf_Die *die, Dwarf_Die *scopes,
                          size_t most)
{
    const struct fw_dwarf_scopes *unit = of_unit(units, die);
    uint64_t offset = dwarf_dieoffset(die);
    size_t at = count_before(unit, offset), count = 0;

    for (; at && count < most; at = unit->list.at[at - 1].parent)
        if (offset < unit->list.at[at - 1].end)
            scopes[count++] = unit->list.at[at - 1].die;
    return count;
}
