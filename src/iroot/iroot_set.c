/* iroot_set.c - sets of iRoots: an array, and where in it each one is. */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "iroot/iroot.h"

struct fw_iroot_set {
    FW_VEC(struct fw_iroot) at; /* in their normal form */
    struct fw_idmap map;
    uint32_t of_idiom[FW_IDIOMS + 1];
};

struct fw_iroot_set *fw_iroot_set_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_iroot_set));
}

void fw_iroot_set_destroy(struct fw_iroot_set *set)
{
    if (!set)
        return;
    fw_vec_release(&set->at);
    fw_idmap_release(&set->map);
    free(set);
}

struct sought {
    const struct fw_iroot_set *set;
    const struct fw_iroot *iroot;
};

static bool is_sought(const void *key, uint32_t id)
{
    const struct sought *sought = key;

    return fw_iroot_compare(&sought->set->at.at[id], sought->iroot) == 0;
}

static uint32_t find(const struct fw_iroot_set *set, const struct fw_iroot *iroot, uint32_t hash)
{
    struct sought sought = { set, iroot };

    return fw_idmap_find(&set->map, hash, is_sought, &sought);
}

bool fw_iroot_set_add(struct fw_iroot_set *set, const struct fw_iroot *iroot)
{
    uint32_t hash = (uint32_t)fw_iroot_hash(iroot);

    FW_ASSERT(iroot->idiom >= 1 && iroot->idiom <= FW_IDIOMS);
    if (find(set, iroot, hash) != FW_IDMAP_NONE)
        return false;
    fw_idmap_add(&set->map, hash, (uint32_t)set->at.len);
    fw_vec_push(&set->at, fw_iroot_normal(iroot));
    set->of_idiom[iroot->idiom]++;
    return true;
}

_Static_assert(FW_IROOT_NONE == FW_IDMAP_NONE, "what the map says is what we say");

uint32_t fw_iroot_set_find(const struct fw_iroot_set *set, const struct fw_iroot *iroot)
{
    return find(set, iroot, (uint32_t)fw_iroot_hash(iroot));
}

bool fw_iroot_set_has(const struct fw_iroot_set *set, const struct fw_iroot *iroot)
{
    return fw_iroot_set_find(set, iroot) != FW_IROOT_NONE;
}

uint32_t fw_iroot_set_count(const struct fw_iroot_set *set)
{
    return (uint32_t)set->at.len;
}

uint32_t fw_iroot_set_of_idiom(const struct fw_iroot_set *set, unsigned idiom)
{
    FW_ASSERT(idiom >= 1 && idiom <= FW_IDIOMS);
    return set->of_idiom[idiom];
}

const struct fw_iroot *fw_iroot_set_get(const struct fw_iroot_set *set, uint32_t number)
{
    FW_ASSERT(number < set->at.len);
    return &set->at.at[number];
}
