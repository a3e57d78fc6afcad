/*
 * index_lockset.c - which locks each event holds, and which release ends which
 * acquire.
 *
 * Sets are interned: equal sets share one id, so an event costs four bytes and
 * two events hold the same locks if and only if their ids are equal.  A
 * thread's set changes at acquires and releases only.
 */
#include "base/strtab.h"
#include "base/vec.h"
#include "trace/index_build.h"

struct held {
    uint32_t key; /* lock times 2, plus 1 if shared */
    uint32_t acquire;
};

FW_VEC_TYPE(keys, uint32_t);

struct holder {
    FW_VEC(struct held) locks; /* ascending by key */
    uint32_t set;
};

/* `keys` is scratch. */
static uint32_t intern_set(struct fw_strtab *sets, const struct holder *holder, struct keys *keys)
{
    fw_vec_clear(keys);
    for (size_t i = 0; i < holder->locks.len; i++)
        fw_vec_push(keys, holder->locks.at[i].key);
    return fw_strtab_intern(sets, (const char *)keys->at, keys->len * sizeof *keys->at);
}

static void add_lock(struct holder *holder, struct held lock)
{
    size_t i = holder->locks.len;

    fw_vec_push(&holder->locks, lock);
    for (; i > 0 && holder->locks.at[i - 1].key > lock.key; i--)
        holder->locks.at[i] = holder->locks.at[i - 1];
    holder->locks.at[i] = lock;
}

/* Removes the lock; returns its acquire. */
static uint32_t remove_lock(struct holder *holder, uint32_t key)
{
    for (size_t i = 0; i < holder->locks.len; i++) {
        uint32_t acquire = holder->locks.at[i].acquire;

        if (holder->locks.at[i].key != key)
            continue;
        memmove(holder->locks.at + i, holder->locks.at + i + 1,
                (holder->locks.len - i - 1) * sizeof *holder->locks.at);
        holder->locks.len--;
        return acquire;
    }
    return FW_NO_EVENT;
}

static void visit(struct fw_index *index, uint32_t at, struct holder *holder,
                  struct fw_strtab *sets, struct keys *keys)
{
    const struct fw_event *event = &index->trace->events[at];
    uint32_t key = event->target * 2 + fw_is_class(event->kind, FW_CLASS_SHARED);

    index->lock_set[at] = holder->set;
    if (fw_is_class(event->kind, FW_CLASS_ACQUIRE)) {
        add_lock(holder, (struct held) { key, at });
        holder->set = intern_set(sets, holder, keys);
    } else if (fw_is_class(event->kind, FW_CLASS_RELEASE)) {
        uint32_t acquire = remove_lock(holder, key);

        index->partner[at] = acquire;
        index->partner[acquire] = at;
        holder->set = intern_set(sets, holder, keys);
    }
}

static void build_rows(struct fw_rows *rows, const struct fw_strtab *sets)
{
    rows->rows = sets->count;
    rows->start = fw_xcalloc((size_t)sets->count + 1, sizeof *rows->start);
    for (uint32_t i = 0; i < sets->count; i++)
        rows->start[i + 1] = rows->start[i] + sets->entries[i].len / (uint32_t)sizeof(uint32_t);
    rows->items = fw_xrealloc(NULL, rows->start[sets->count], sizeof *rows->items);
    for (uint32_t i = 0; i < sets->count; i++)
        memcpy(rows->items + rows->start[i], sets->entries[i].text, sets->entries[i].len);
}

void fw_index_build_lock_sets(struct fw_index *index)
{
    uint32_t threads = fw_trace_thread_count(index->trace);
    struct holder *holders = fw_xcalloc(threads, sizeof *holders);
    struct keys keys = { 0 };
    struct fw_strtab sets;

    fw_strtab_init(&sets);
    fw_strtab_intern(&sets, "", 0); /* set 0: no locks */
    index->lock_set = fw_xrealloc(NULL, index->trace->count, sizeof *index->lock_set);
    for (uint32_t i = 0; i < index->trace->count; i++)
        visit(index, i, &holders[index->trace->events[i].thread], &sets, &keys);
    build_rows(&index->lock_sets, &sets);
    for (uint32_t i = 0; i < threads; i++)
        fw_vec_release(&holders[i].locks);
    fw_strtab_release(&sets);
    fw_vec_release(&keys);
    free(holders);
}
