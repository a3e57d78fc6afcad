/*
 * guard_stretches.c - see guard.h: what of a build can be run again, as places that the runtime
 * passes (symbol/rerun.h).
 */
#include "cmd/guard.h"

#include "symbol/rerun.h"

#include <stdlib.h>

struct look {
    const struct fw_learn_module *module;
    const bool *watched; /* by site of the program */
    uint32_t number;
    uint32_t functions;
    struct fw_rerun_places places;
};

static bool is_watched(const struct look *look, size_t call)
{
    uint32_t site = look->module->sites[call];

    return site != FW_LEARNT_NONE && look->watched[site];
}

/* fw_rerun_find asks whether the hook will be called. */
static bool is_kept(uint64_t returns, void *context)
{
    const struct look *look = context;
    size_t low = 0, high = look->module->calls.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (look->module->calls.at[middle].returns < returns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < look->module->calls.len && look->module->calls.at[low].returns == returns &&
           !look->module->calls.at[low].jumps && is_watched(look, low);
}

/* Functions with hooks that are watched, each once. */
static void find_places(struct look *look, struct fw_elf *file, struct fw_rerun *rerun)
{
    uint64_t done = 0;

    for (size_t i = 0; i < look->module->calls.len; i++) {
        uint64_t at = look->module->calls.at[i].start;
        const struct fw_elf_symbol *function;

        if (at < done || !is_watched(look, i))
            continue;
        function = fw_elf_function_at(file, at);
        if (!function)
            continue;
        fw_rerun_find(rerun, at, is_kept, look, &look->places);
        done = function->end;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct fw_rerun_place *x = a, *y = b;

    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

static int by_function(const void *a, const void *b)
{
    const struct fw_rerun_place *x = a, *y = b;

    return x->function < y->function ? -1 : x->function > y->function ? 1 : by_address(a, b);
}

/* Functions that share code with others have none: it would not be known whose frame it is. */
static void drop_shared(struct fw_rerun_places *places)
{
    FW_VEC(uint64_t) shared = { 0 };
    size_t kept = 0;

    qsort(places->at, places->len, sizeof *places->at, by_address);
    for (size_t i = 1; i < places->len; i++)
        if (places->at[i].returns == places->at[i - 1].returns) {
            fw_vec_push(&shared, places->at[i].function);
            fw_vec_push(&shared, places->at[i - 1].function);
        }
    for (size_t i = 0; i < places->len; i++) {
        bool drop = false;

        for (size_t k = 0; k < shared.len && !drop; k++)
            drop = shared.at[k] == places->at[i].function;
        if (!drop)
            places->at[kept++] = places->at[i];
    }
    places->len = kept;
    fw_vec_release(&shared);
}

/* A function is of use if one can go back in it: where something goes on. */
static void take_places(struct look *look, struct fw_guard_stretches *stretches)
{
    struct fw_rerun_places *places = &look->places;

    if (places->len)
        drop_shared(places);
    if (places->len)
        qsort(places->at, places->len, sizeof *places->at, by_function);
    for (size_t i = 0, end; i < places->len; i = end) {
        uint64_t function = places->at[i].function;
        bool use = false;

        for (end = i; end < places->len && places->at[end].function == function; end++)
            use |= !places->at[end].begins;
        look->functions += use;
        for (size_t k = i; use && k < end; k++) {
            const struct fw_rerun_place *place = &places->at[k];
            unsigned how = (place->begins ? FW_GUARD_BEGINS : FW_GUARD_GOES_ON) |
                           (place->bare ? FW_GUARD_BARE : 0);

            fw_vec_push(stretches, ((struct fw_guard_stretch) { look->number, look->functions,
                                                                place->returns,
                                                                (uint16_t)(how | place->frame) }));
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const struct fw_guard_stretch *x = a, *y = b;

    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->returns < y->returns ? -1 : x->returns > y->returns;
}

uint32_t fw_guard_stretches_find(const struct fw_learn_program *program, const bool *watched,
                                 struct fw_guard_stretches *stretches)
{
    struct look look = { .watched = watched };

    for (uint32_t i = 0; i < fw_learn_program_module_count(program); i++) {
        struct fw_error err;
        struct fw_elf *file;
        struct fw_rerun *rerun;

        look.module = fw_learn_program_module(program, i);
        look.number = i;
        look.places.len = 0;
        file = fw_elf_open(look.module->path, &err);
        rerun = file ? fw_rerun_create(file) : NULL;
        if (rerun)
            find_places(&look, file, rerun);
        take_places(&look, stretches);
        fw_rerun_destroy(rerun);
        if (file)
            fw_elf_close(file);
    }
    if (stretches->len)
        qsort(stretches->at, stretches->len, sizeof *stretches->at, by_place);
    fw_vec_release(&look.places);
    return look.functions;
}
