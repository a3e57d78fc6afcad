/* cuts.c - see cuts.h. */
#include "lifetx/cuts.h"

#include "base/strtab.h"
#include "base/vec.h"

/* A key is a letter for the kind, then the place. */
struct fw_cuts {
    struct fw_strtab keys;
    FW_VEC(char) key;
};

struct fw_cuts *fw_cuts_create(void)
{
    struct fw_cuts *cuts = fw_xcalloc(1, sizeof *cuts);

    fw_strtab_init(&cuts->keys);
    return cuts;
}

void fw_cuts_destroy(struct fw_cuts *cuts)
{
    if (!cuts)
        return;
    fw_strtab_release(&cuts->keys);
    fw_vec_release(&cuts->key);
    free(cuts);
}

static void make_key(struct fw_cuts *cuts, enum fw_cut_kind kind, const char *place)
{
    fw_vec_clear(&cuts->key);
    fw_vec_push(&cuts->key, (char)('a' + (int)kind));
    for (const char *c = place; *c; c++)
        fw_vec_push(&cuts->key, *c);
}

bool fw_cuts_add(struct fw_cuts *cuts, enum fw_cut_kind kind, const char *place)
{
    uint32_t before = fw_strtab_count(&cuts->keys);

    make_key(cuts, kind, place);
    return fw_strtab_intern(&cuts->keys, cuts->key.at, cuts->key.len) == before;
}

bool fw_cuts_has(struct fw_cuts *cuts, enum fw_cut_kind kind, const char *place)
{
    make_key(cuts, kind, place);
    return fw_strtab_find(&cuts->keys, cuts->key.at, cuts->key.len) != FW_STRTAB_NONE;
}

uint32_t fw_cuts_count(const struct fw_cuts *cuts)
{
    return fw_strtab_count(&cuts->keys);
}

struct fw_cut fw_cuts_get(const struct fw_cuts *cuts, uint32_t i)
{
    const char *key = fw_strtab_text(&cuts->keys, i);

    return (struct fw_cut) { (enum fw_cut_kind)(key[0] - 'a'), key + 1 };
}
