/* watcher.c - see watcher.h. */
#include "explore/watcher.h"

#include "base/alloc.h"
#include "explore/extents.h"
#include "runtime/wire.h"

#include <stdlib.h>
#include <string.h>

#define LOCK (UINT64_C(1) << 63) /* objects that are locks */
#define LATER 24u /* entries ahead that are fetched from memory, ... */
#define SOON  12u /* ... in two steps */

FW_VEC_TYPE(numbers, uint32_t);
FW_VEC_TYPE(seen_vec, struct fw_control_seen);

struct fw_watcher {
    const struct fw_session *session;
    struct fw_observe_options options;
    fw_number_access number;
    void *context;
    struct fw_extents objects;
    struct fw_iroot_set *set;
    struct fw_observer *observer; /* of the run at hand */
    struct numbers accesses;      /* site and what is done there → number + 1; 0: not asked yet */
};

struct fw_watcher *fw_watcher_create(const struct fw_session *session,
                                     const struct fw_observe_options *options,
                                     fw_number_access number, void *context)
{
    struct fw_watcher *watcher = fw_xcalloc(1, sizeof *watcher);

    watcher->session = session;
    watcher->options = *options;
    watcher->number = number;
    watcher->context = context;
    fw_extents_init(&watcher->objects);
    return watcher;
}

void fw_watcher_destroy(struct fw_watcher *watcher)
{
    if (!watcher)
        return;
    fw_extents_release(&watcher->objects);
    fw_iroot_set_destroy(watcher->set);
    fw_vec_release(&watcher->accesses);
    free(watcher);
}

/* --- static accesses ------------------------------------------------------------------------- */

static uint32_t access_of(struct fw_watcher *watcher, uint32_t site, enum fw_iroot_does does)
{
    size_t at = (size_t)site * FW_DOES_COUNT + does;

    while (watcher->accesses.len <= at)
        fw_vec_push(&watcher->accesses, 0);
    if (!watcher->accesses.at[at]) {
        const struct fw_control_site *place = fw_session_site(watcher->session, site);

        watcher->accesses.at[at] =
            watcher->number(watcher->context, fw_session_module(watcher->session, place->module),
                            place->offset, does) +
            1;
    }
    return watcher->accesses.at[at] - 1;
}

/* Operations of locks are all told, so that places of locks which a run came by have their numbers;
 * to number other calls, in whichever library, would mean to read all of its code. */
static bool is_numbered(const struct fw_watcher *watcher, uint32_t site, enum fw_iroot_does does)
{
    size_t at = (size_t)site * FW_DOES_COUNT + does;

    return at < watcher->accesses.len && watcher->accesses.at[at];
}

static bool can_do(const struct fw_watcher *watcher, uint32_t number, enum fw_iroot_does does)
{
    const struct fw_control_site *site = fw_session_site(watcher->session, number);

    switch (does) {
    case FW_DOES_READ:
        return strcmp(site->operation, "read") == 0 || strcmp(site->operation, "load") == 0;
    case FW_DOES_WRITE:
        return strcmp(site->operation, "write") == 0 || strcmp(site->operation, "store") == 0 ||
               strcmp(site->operation, "rmw") == 0 || strcmp(site->operation, "free") == 0;
    default:
        return is_numbered(watcher, number, does);
    }
}

uint32_t fw_watcher_access(struct fw_watcher *watcher, uint32_t site, enum fw_iroot_does does)
{
    return can_do(watcher, site, does) ? access_of(watcher, site, does) : FW_STRTAB_NONE;
}

/* --- one run --------------------------------------------------------------------------------- */

/* Of memory: neighbours have numbers side by side, as most begin at words. */
static uint64_t object_of(uint64_t address)
{
    return address >> 2 | (address & 3) << 60;
}

static void take_memory(struct fw_watcher *watcher, const struct fw_control_seen *seen,
                        enum fw_iroot_does does)
{
    uint64_t objects[FW_EXTENTS_WORDS];
    unsigned count = fw_extents_of(&watcher->objects, seen->object, seen->size, objects);
    struct fw_observed observed = { .thread = seen->thread,
                                    .access = access_of(watcher, seen->site, does),
                                    .writes = does == FW_DOES_WRITE,
                                    .does = (uint8_t)does };

    for (unsigned i = 0; i < count; i++) {
        observed.object = object_of(objects[i]);
        fw_observer_access(watcher->observer, &observed);
    }
}

static struct fw_observed lock_of(struct fw_watcher *watcher, const struct fw_control_seen *seen,
                                  enum fw_iroot_does does, bool exclusive)
{
    return (struct fw_observed) { .thread = seen->thread,
                                  .access = access_of(watcher, seen->site, does),
                                  .object = seen->object | LOCK,
                                  .writes = exclusive,
                                  .does = (uint8_t)does };
}

static void take_lock(struct fw_watcher *watcher, const struct fw_control_seen *seen,
                      enum fw_iroot_does does, bool exclusive)
{
    struct fw_observed observed = lock_of(watcher, seen, does, exclusive);

    fw_observer_access(watcher->observer, &observed);
}

static void take_wait(struct fw_watcher *watcher, const struct fw_control_seen *seen,
                      bool exclusive)
{
    struct fw_observed observed = lock_of(watcher, seen, FW_DOES_LOCK, exclusive);

    fw_observer_wait(watcher->observer, &observed);
}

struct freeing {
    struct fw_watcher *watcher;
    const struct fw_control_seen *by; /* NULL: nobody knows who */
};

static void forget_object(void *context, uint64_t object)
{
    const struct freeing *freeing = context;
    struct fw_observer *observer = freeing->watcher->observer;

    if (freeing->by && freeing->by->site != FW_CONTROL_NONE)
        fw_observer_access(observer,
                           &(struct fw_observed) {
                               .thread = freeing->by->thread,
                               .access = access_of(freeing->watcher, freeing->by->site,
                                                   FW_DOES_WRITE),
                               .object = object_of(object),
                               .writes = true,
                               .does = FW_DOES_WRITE,
                           });
    fw_observer_forget(observer, object_of(object));
}

static void forget_memory(struct fw_watcher *watcher, const struct fw_control_seen *seen,
                          bool freed)
{
    struct freeing freeing = { watcher, freed ? seen : NULL };

    fw_extents_forget(&watcher->objects, seen->object, seen->size, forget_object, &freeing);
}

/* What is done at a place that is not known. */
static bool take_placeless(struct fw_watcher *watcher, const struct fw_control_seen *seen)
{
    switch (seen->kind) {
    case FW_WIRE_ALLOC:
    case FW_WIRE_MAP:
    case FW_WIRE_UNMAP:
        forget_memory(watcher, seen, false);
        return true;
    case FW_WIRE_FREE:
        forget_memory(watcher, seen, true);
        return true;
    case FW_WIRE_DESTROY:
        fw_observer_forget(watcher->observer, seen->object | LOCK);
        return true;
    case FW_WIRE_FINISH:
        fw_observer_end_thread(watcher->observer, seen->thread);
        return true;
    default:
        return seen->site >= fw_session_head(watcher->session)->site_count;
    }
}

static void take(struct fw_watcher *watcher, const struct fw_control_seen *seen)
{
    if (take_placeless(watcher, seen))
        return;
    switch (seen->kind) {
    case FW_WIRE_READ:
    case FW_WIRE_ATOMIC_LOAD:
        take_memory(watcher, seen, FW_DOES_READ);
        return;
    case FW_WIRE_WRITE:
    case FW_WIRE_ATOMIC_STORE:
    case FW_WIRE_ATOMIC_RMW:
        take_memory(watcher, seen, FW_DOES_WRITE);
        return;
    case FW_WIRE_ACQUIRE:
    case FW_WIRE_TRY_ACQUIRE:
        take_lock(watcher, seen, FW_DOES_LOCK, true);
        return;
    case FW_WIRE_SHARED_ACQUIRE:
    case FW_WIRE_TRY_SHARED_ACQUIRE:
        take_lock(watcher, seen, FW_DOES_LOCK, false);
        return;
    case FW_WIRE_RELEASE:
        take_lock(watcher, seen, FW_DOES_UNLOCK, true);
        return;
    case FW_WIRE_SHARED_RELEASE:
        take_lock(watcher, seen, FW_DOES_UNLOCK, false);
        return;
    case FW_WIRE_REQUEST:
        take_wait(watcher, seen, true);
        return;
    case FW_WIRE_SHARED_REQUEST:
        take_wait(watcher, seen, false);
        return;
    default:
        return;
    }
}

#define DIGIT 11u /* bits */

/* From one array to the other, by some bits of the time. */
static void sort_by(const struct fw_control_seen *from, struct fw_control_seen *to, uint32_t count,
                    unsigned shift)
{
    uint32_t at[1u << DIGIT] = { 0 }, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        at[from[i].when >> shift & ((1u << DIGIT) - 1)]++;
    for (uint32_t i = 0; i < 1u << DIGIT; i++) {
        uint32_t here = at[i];

        at[i] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[at[from[i].when >> shift & ((1u << DIGIT) - 1)]++] = from[i];
}

/* Those that come behind later ones leave the array; returns how many are left.  *most: the latest
 * time. */
static uint32_t take_late(struct fw_control_seen *seen, uint32_t count, struct seen_vec *late,
                          uint64_t *most)
{
    uint32_t kept = 0;

    *most = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (seen[i].when < *most) {
            fw_vec_push(late, seen[i]);
            continue;
        }
        *most = seen[i].when;
        seen[kept++] = seen[i];
    }
    return kept;
}

/* What was told late comes where it belongs. */
static void sort(struct fw_control_seen *seen, uint32_t count)
{
    struct seen_vec late = { 0 }, other = { 0 };
    uint64_t most;
    uint32_t kept = take_late(seen, count, &late, &most), left = count - kept;

    fw_vec_reserve(&other, late.len);
    for (unsigned shift = 0; late.len && shift < 64 && most >> shift; shift += DIGIT) {
        struct fw_control_seen *sorted = other.at;

        sort_by(late.at, sorted, left, shift);
        other.at = late.at;
        late.at = sorted;
    }
    while (left) /* from the end, where there is room */
        if (kept && seen[kept - 1].when > late.at[left - 1].when) {
            seen[kept + left - 1] = seen[kept - 1];
            kept--;
        } else {
            seen[kept + left - 1] = late.at[left - 1];
            left--;
        }
    fw_vec_release(&late);
    fw_vec_release(&other);
}

static void fetch(const struct fw_watcher *watcher, uint64_t later, uint64_t soon)
{
    fw_extents_fetch(&watcher->objects, later);
    fw_observer_fetch(watcher->observer, object_of(later), object_of(soon));
}

const struct fw_iroot_set *fw_watcher_look(struct fw_watcher *watcher)
{
    struct fw_control_seen *seen = fw_session_seen(watcher->session);
    const struct fw_control_head *head = fw_session_head(watcher->session);
    uint32_t count = head->seen_count < head->seen_room ? head->seen_count : head->seen_room;

    fw_iroot_set_destroy(watcher->set);
    watcher->set = fw_iroot_set_create();
    fw_extents_clear(&watcher->objects);
    watcher->observer = fw_observer_create(watcher->set, &watcher->options);
    sort(seen, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i + LATER < count)
            fetch(watcher, seen[i + LATER].object, seen[i + SOON].object);
        take(watcher, &seen[i]);
    }
    fw_observer_finish(watcher->observer);
    fw_observer_destroy(watcher->observer);
    watcher->observer = NULL;
    return watcher->set;
}

void fw_watcher_list(struct fw_watcher *watcher, struct fw_iroot_vec *list)
{
    const struct fw_iroot_set *set = fw_watcher_look(watcher);

    for (uint32_t i = 0; i < fw_iroot_set_count(set); i++)
        fw_vec_push(list, *fw_iroot_set_get(set, i));
}
