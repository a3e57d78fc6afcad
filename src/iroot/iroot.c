/* iroot.c - see iroot.h. */
#include "iroot/iroot.h"

#include "base/bug.h"

#include <string.h>

const char *const fw_iroot_does_names[FW_DOES_COUNT] = { "r", "w", "lock", "unlock" };

unsigned fw_idiom_accesses(unsigned idiom)
{
    FW_ASSERT(idiom >= 1 && idiom <= FW_IDIOMS);
    return idiom == 1 ? 2 : idiom == 2 ? 3 : 4;
}

struct fw_iroot fw_iroot_normal(const struct fw_iroot *iroot)
{
    const uint32_t *at = iroot->access;
    struct fw_iroot normal = *iroot;

    if (iroot->idiom == 5 && (at[2] < at[0] || (at[2] == at[0] && at[3] < at[1])))
        for (unsigned i = 0; i < 4; i++)
            normal.access[i] = at[i ^ 2];
    return normal;
}

int fw_iroot_compare(const struct fw_iroot *a, const struct fw_iroot *b)
{
    struct fw_iroot left = fw_iroot_normal(a), right = fw_iroot_normal(b);

    if (left.idiom != right.idiom)
        return left.idiom < right.idiom ? -1 : 1;
    if (left.waits != right.waits)
        return left.waits ? 1 : -1;
    for (unsigned i = 0; i < FW_IROOT_MOST; i++)
        if (left.access[i] != right.access[i])
            return left.access[i] < right.access[i] ? -1 : 1;
    return 0;
}

uint64_t fw_iroot_hash(const struct fw_iroot *iroot)
{
    struct fw_iroot normal = fw_iroot_normal(iroot);
    uint64_t hash = normal.idiom * 2u + normal.waits;

    for (unsigned i = 0; i < FW_IROOT_MOST; i++) {
        hash = (hash ^ normal.access[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}
