/* shared.c - see shared.h. */
#include "iroot/shared.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "iroot/iroot.h"

#include <stdlib.h>

/* An object: whose it is, and what touched it, until it is shared.  By its number. */
struct owned {
    uint32_t thread;   /* + 1; 0: nobody touched it; UINT32_MAX: it is shared */
    uint32_t accesses; /* place in the list, + 1 */
};

#define SHARED UINT32_MAX

/* An access of an object, and those before it. */
struct touch {
    uint32_t access, earlier; /* place, + 1; 0: none */
};

struct fw_shared {
    FW_VEC(struct owned) objects;
    FW_VEC(struct touch) touches;
    FW_VEC(bool) is_shared; /* by access */
};

struct fw_shared *fw_shared_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_shared));
}

void fw_shared_begin(struct fw_shared *shared)
{
    fw_vec_release(&shared->objects);
    fw_vec_release(&shared->touches);
}

void fw_shared_destroy(struct fw_shared *shared)
{
    if (!shared)
        return;
    fw_shared_begin(shared);
    fw_vec_release(&shared->is_shared);
    free(shared);
}

static void mark(struct fw_shared *shared, uint32_t access)
{
    if (access == FW_ACCESS_NONE)
        return;
    fw_vec_extend(&shared->is_shared, (size_t)access + 1);
    shared->is_shared.at[access] = true;
}

static void remember(struct fw_shared *shared, struct owned *owned, uint32_t access)
{
    for (uint32_t i = owned->accesses; i; i = shared->touches.at[i - 1].earlier)
        if (shared->touches.at[i - 1].access == access)
            return;
    fw_vec_push(&shared->touches, ((struct touch) { access, owned->accesses }));
    owned->accesses = (uint32_t)shared->touches.len;
}

void fw_shared_touch(struct fw_shared *shared, uint32_t thread, uint64_t object, uint32_t access)
{
    struct owned *owned;

    fw_vec_extend(&shared->objects, object + 1);
    owned = &shared->objects.at[object];
    if (!owned->thread)
        owned->thread = thread + 1;
    if (owned->thread == thread + 1) {
        remember(shared, owned, access);
        return;
    }
    if (owned->thread != SHARED)
        for (uint32_t i = owned->accesses; i; i = shared->touches.at[i - 1].earlier)
            mark(shared, shared->touches.at[i - 1].access);
    owned->thread = SHARED;
    mark(shared, access);
}

bool fw_shared_has(const struct fw_shared *shared, uint32_t access)
{
    return access < shared->is_shared.len && shared->is_shared.at[access];
}

bool fw_shared_object(const struct fw_shared *shared, uint64_t object)
{
    return object < shared->objects.len && shared->objects.at[object].thread == SHARED;
}
