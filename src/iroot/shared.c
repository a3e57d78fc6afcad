/* shared.c - see shared.h. */
#include "iroot/shared.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/vec.h"

/* An object: whose it is, and what touched it, until it is shared. */
struct owned {
    uint64_t object;
    uint32_t thread;
    bool shared;
    FW_VEC(uint32_t) accesses;
};

struct fw_shared {
    FW_VEC(struct owned) objects;
    struct fw_idmap by_object;
    FW_VEC(bool) is_shared; /* by access */
};

struct fw_shared *fw_shared_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_shared));
}

void fw_shared_begin(struct fw_shared *shared)
{
    for (size_t i = 0; i < shared->objects.len; i++)
        fw_vec_release(&shared->objects.at[i].accesses);
    fw_vec_release(&shared->objects);
    fw_idmap_release(&shared->by_object);
}

void fw_shared_destroy(struct fw_shared *shared)
{
    if (!shared)
        return;
    fw_shared_begin(shared);
    fw_vec_release(&shared->is_shared);
    free(shared);
}

struct sought {
    const struct fw_shared *shared;
    uint64_t object;
};

static bool is_object(const void *key, uint32_t id)
{
    const struct sought *sought = key;

    return sought->shared->objects.at[id].object == sought->object;
}

static uint32_t hash_object(uint64_t object)
{
    return (uint32_t)(object * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t find_object(const struct fw_shared *shared, uint64_t object)
{
    struct sought sought = { shared, object };

    return fw_idmap_find(&shared->by_object, hash_object(object), is_object, &sought);
}

static struct owned *get_object(struct fw_shared *shared, uint64_t object, uint32_t thread)
{
    uint32_t id = find_object(shared, object);

    if (id == FW_IDMAP_NONE) {
        id = (uint32_t)shared->objects.len;
        fw_idmap_add(&shared->by_object, hash_object(object), id);
        fw_vec_push(&shared->objects, ((struct owned) { .object = object, .thread = thread }));
    }
    return &shared->objects.at[id];
}

static void mark(struct fw_shared *shared, uint32_t access)
{
    fw_vec_extend(&shared->is_shared, (size_t)access + 1);
    shared->is_shared.at[access] = true;
}

static void remember(struct owned *owned, uint32_t access)
{
    for (size_t i = 0; i < owned->accesses.len; i++)
        if (owned->accesses.at[i] == access)
            return;
    fw_vec_push(&owned->accesses, access);
}

void fw_shared_touch(struct fw_shared *shared, uint32_t thread, uint64_t object, uint32_t access)
{
    struct owned *owned = get_object(shared, object, thread);

    if (owned->thread != thread && !owned->shared) {
        owned->shared = true;
        for (size_t i = 0; i < owned->accesses.len; i++)
            mark(shared, owned->accesses.at[i]);
        fw_vec_release(&owned->accesses);
    }
    if (owned->shared)
        mark(shared, access);
    else
        remember(owned, access);
}

bool fw_shared_has(const struct fw_shared *shared, uint32_t access)
{
    return access < shared->is_shared.len && shared->is_shared.at[access];
}

bool fw_shared_object(const struct fw_shared *shared, uint64_t object)
{
    uint32_t id = find_object(shared, object);

    return id != FW_IDMAP_NONE && shared->objects.at[id].shared;
}
