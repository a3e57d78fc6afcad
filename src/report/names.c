/*
 * names.c - see names.h.  Equal names of one string table are one text in
 * memory: comparing addresses is enough.
 */
#include "report/names.h"

struct named {
    const char *name;
    size_t place;
};

static int compare(uintptr_t a, uintptr_t b)
{
    return a < b ? -1 : a > b;
}

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = compare((uintptr_t)x->name, (uintptr_t)y->name);

    return order ? order : compare(x->place, y->place);
}

static int by_place(const void *a, const void *b)
{
    return compare(((const struct named *)a)->place, ((const struct named *)b)->place);
}

/* Names lie in memory in the order in which they came, but where a new block of text starts. */
static bool all_ascend(const struct named *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if ((uintptr_t)all[i - 1].name >= (uintptr_t)all[i].name)
            return false;
    return true;
}

/* Keeps the first of each name; returns how many there are. */
static size_t drop_repeated(struct named *all, size_t count)
{
    size_t kept = 0;

    qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || all[kept - 1].name != all[i].name)
            all[kept++] = all[i];
    qsort(all, kept, sizeof *all, by_place);
    return kept;
}

void fw_names_of_variables(struct fw_names *names, const struct fw_symbols *symbols,
                           const struct fw_finding *finding)
{
    size_t count = finding->variables.len;
    struct named *all = fw_xcalloc(count, sizeof *all);

    for (size_t i = 0; i < count; i++)
        all[i] =
            (struct named) { fw_symbols_name(symbols, FW_SPACE_VARIABLE, finding->variables.at[i]),
                             i };
    if (!all_ascend(all, count))
        count = drop_repeated(all, count);
    fw_vec_clear(names);
    for (size_t i = 0; i < count; i++)
        fw_vec_push(names, all[i].name);
    free(all);
}
