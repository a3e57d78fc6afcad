/*
 * guard_cuts.c - see guard.h: where the cutpoints of constraints are in this build, as hooks and
 * calls that the runtime sees.
 *
 *   access     the hook itself, or the call of the synchronisation function
 *   call       the call; that it is made tells the entry hook of what it calls
 *   entry      the function's entry hook
 *   claim      the hook of the read
 *   last, more the hook of the access
 *   loop, iteration   the first hook of the header's block, which is passed in every iteration: the
 *                     runtime does not tell the first one from others
 */
#include "cmd/guard.h"

#include "base/alloc.h"
#include "lifetx/places.h"
#include "symbol/elf_file.h"
#include "symbol/operand.h"

#include <stdlib.h>
#include <string.h>

struct look {
    const struct fw_learn_module *module;
    uint32_t number;
    struct fw_operands *operands;
    struct fw_loops *loops;
    struct fw_elf *file;
    struct fw_guard_points *points;
    bool *claims; /* by site of the program */
    bool *ends, *goes_on; /* the same: the last access of a transaction, or not always */
    bool all_entries; /* are kept */
};

static void add(struct look *look, uint64_t returns, bool cut)
{
    fw_vec_push(look->points, ((struct fw_guard_point) { look->number, returns, cut }));
}

/* --- entry hooks ----------------------------------------------------------------------------- */

static bool is_entry_hook(const struct look *look, const struct fw_hook_call *call)
{
    const char *callee =
        call->access ? NULL
                     : fw_operands_callee(look->operands, look->module->path, call->returns);

    return callee && strcmp(callee, "__tsan_func_entry") == 0;
}

/* Those in the code from start to end. */
static size_t add_entries(struct look *look, uint64_t start, uint64_t end, bool cut)
{
    size_t found = 0;

    for (size_t i = 0; i < look->module->calls.len; i++) {
        const struct fw_hook_call *call = &look->module->calls.at[i];

        if (call->start >= start && call->start < end && is_entry_hook(look, call)) {
            add(look, call->returns, cut);
            found++;
        }
    }
    return found;
}

/* What the call calls tells that it is made; if that may be anything, everything does. */
static void keep_callee(struct look *look, uint64_t returns)
{
    const char *callee = fw_operands_callee(look->operands, look->module->path, returns);
    const struct fw_elf_symbols *functions = fw_elf_functions(look->file);

    for (size_t i = 0; callee && i < functions->len; i++)
        if (strcmp(functions->at[i].name, callee) == 0 &&
            add_entries(look, functions->at[i].start, functions->at[i].end, false))
            return;
    if (!look->all_entries)
        add_entries(look, 0, UINT64_MAX, false);
    look->all_entries = true;
}

/* --- cutpoints ------------------------------------------------------------------------------- */

static bool cut_loop(struct look *look, uint64_t header)
{
    for (size_t i = 0; i < look->module->calls.len; i++) {
        const struct fw_hook_call *call = &look->module->calls.at[i];
        struct fw_loop_place place;

        if (call->start < header ||
            !fw_loops_at(look->loops, look->module->path, call->returns, &place) ||
            place.innermost == FW_NO_LOOP ||
            fw_loops_header(look->loops, place.innermost) != header)
            continue;
        add(look, call->returns, true);
        return true;
    }
    return false;
}

/* Of the access that returns there. */
static bool set_mark(const struct look *look, uint64_t returns, bool *marks)
{
    for (size_t i = 0; i < look->module->calls.len; i++)
        if (look->module->calls.at[i].returns == returns &&
            look->module->sites[i] != FW_LEARNT_NONE) {
            marks[look->module->sites[i]] = true;
            return true;
        }
    return false;
}

static bool place(struct look *look, const struct fw_cut *cut)
{
    const struct fw_elf_symbol *function;
    uint64_t offset;
    size_t len;

    if (!fw_cut_place_parse(cut->place, &len, &offset))
        return false;
    switch (cut->kind) {
    case FW_CUT_LOOP:
    case FW_CUT_ITERATION:
        return cut_loop(look, offset);
    case FW_CUT_ENTRY:
        function = fw_elf_function_at(look->file, offset);
        return function && add_entries(look, function->start, function->end, true);
    case FW_CUT_CALL:
        keep_callee(look, offset + 1);
        add(look, offset + 1, true);
        return true;
    case FW_CUT_CLAIM:
        return set_mark(look, offset + 1, look->claims);
    case FW_CUT_LAST:
        return set_mark(look, offset + 1, look->ends);
    case FW_CUT_MORE:
        return set_mark(look, offset + 1, look->goes_on);
    default:
        add(look, offset + 1, true);
        return true;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct fw_guard_point *x = a, *y = b;

    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

static void merge(struct fw_guard_points *points)
{
    size_t kept = 0;

    if (points->len)
        qsort(points->at, points->len, sizeof *points->at, by_place);
    for (size_t i = 0; i < points->len; i++) {
        if (kept && by_place(&points->at[kept - 1], &points->at[i]) == 0)
            points->at[kept - 1].cut |= points->at[i].cut;
        else
            points->at[kept++] = points->at[i];
    }
    points->len = kept;
}

size_t fw_guard_cuts_place(const struct fw_learn_program *program,
                           const struct fw_constraints *constraints, struct fw_guard_points *points,
                           bool *claims, bool *ends)
{
    uint32_t count = fw_constraints_site_count(fw_learn_program_sites(program));
    struct fw_cut_places *places = fw_cut_places_create();
    struct look look = { .operands = fw_operands_create(),
                         .loops = fw_loops_create(),
                         .points = points,
                         .claims = claims,
                         .ends = ends,
                         .goes_on = fw_xcalloc(count + (size_t)1, sizeof(bool)) };
    size_t missing = 0;

    for (uint32_t i = 0; i < fw_learn_program_module_count(program); i++) {
        struct fw_cuts *cuts = fw_cuts_create();
        struct fw_error err;

        look.module = fw_learn_program_module(program, i);
        look.number = i;
        look.all_entries = false;
        look.file = fw_elf_open(look.module->path, &err);
        missing += fw_cut_places_load(places, constraints, look.module->path, cuts);
        for (uint32_t k = 0; look.file && k < fw_cuts_count(cuts); k++) {
            struct fw_cut cut = fw_cuts_get(cuts, k);

            missing += !place(&look, &cut);
        }
        if (look.file)
            fw_elf_close(look.file);
        fw_cuts_destroy(cuts);
    }
    for (uint32_t i = 0; i < count; i++)
        ends[i] &= !look.goes_on[i];
    free(look.goes_on);
    merge(points);
    fw_operands_destroy(look.operands);
    fw_loops_destroy(look.loops);
    fw_cut_places_destroy(places);
    return missing;
}
