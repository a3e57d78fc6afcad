/*
 * count.c - how many orders a trace has, without visiting them (enumerate.h).
 *
 * Step by step: a state is how far each thread has come; its number is how many
 * ways lead there.  States of one step are all kept, those of earlier steps are
 * not.
 */
#include "base/alloc.h"
#include "tiddle/enumerate.h"

#define MOST_STATES 500000u /* in one step */

typedef unsigned __int128 number;

/* The states of one step; the key is the place of each thread's next event. */
struct states {
    struct fw_strtab keys;
    FW_VEC(number) ways;
};

struct count {
    const struct fw_index *index;
    uint32_t *before_start; /* event → its slice of before_items */
    uint32_t *before_items;
    uint32_t *key; /* scratch */
};

/* The edges the other way round. */
static void reverse(struct count *count, const struct fw_depend *depend)
{
    uint32_t *next = fw_xcalloc(depend->count, sizeof *next);

    count->before_start = fw_xcalloc((size_t)depend->count + 1, sizeof *count->before_start);
    for (uint32_t i = 0; i < depend->count; i++)
        count->before_start[i + 1] = count->before_start[i] + depend->before[i];
    count->before_items =
        fw_xcalloc(count->before_start[depend->count], sizeof *count->before_items);
    for (uint32_t i = 0; i < depend->count; i++) {
        const uint32_t *after = fw_row(&depend->after, i);

        for (uint32_t j = 0; j < fw_row_count(&depend->after, i); j++)
            count->before_items[count->before_start[after[j]] + next[after[j]]++] = i;
    }
    free(next);
}

static bool is_ready(const struct count *count, uint32_t event)
{
    const struct fw_event *events = count->index->trace->events;

    for (uint32_t i = count->before_start[event]; i < count->before_start[event + 1]; i++) {
        uint32_t earlier = count->before_items[i];

        if (count->index->in_thread[earlier] >= count->key[events[earlier].thread])
            return false;
    }
    return true;
}

static int add_ways(struct states *states, const uint32_t *key, size_t size, number ways)
{
    uint32_t id = fw_strtab_intern(&states->keys, (const char *)key, size);

    if (id == states->ways.len)
        fw_vec_push(&states->ways, 0);
    return __builtin_add_overflow(states->ways.at[id], ways, &states->ways.at[id]) ? -1 : 0;
}

/* All states one event further. */
static int step(struct count *count, const struct states *from, struct states *to)
{
    const struct fw_rows *threads = &count->index->by_thread;
    size_t size = threads->rows * sizeof *count->key;

    for (uint32_t s = 0; s < from->keys.count; s++) {
        if (size)
            memcpy(count->key, fw_strtab_text(&from->keys, s), size);
        for (uint32_t t = 0; t < threads->rows; t++) {
            int result;

            if (count->key[t] == fw_row_count(threads, t) ||
                !is_ready(count, fw_row(threads, t)[count->key[t]]))
                continue;
            count->key[t]++;
            result = add_ways(to, count->key, size, from->ways.at[s]);
            count->key[t]--;
            if (result < 0 || to->keys.count > MOST_STATES)
                return -1;
        }
    }
    return 0;
}

static void release_states(struct states *states)
{
    fw_strtab_release(&states->keys);
    fw_vec_release(&states->ways);
}

int fw_count_orders(const struct fw_index *index, const struct fw_depend *depend,
                    unsigned __int128 *result)
{
    struct count count = { .index = index };
    size_t size = index->by_thread.rows * sizeof *count.key;
    struct states now = { 0 };
    int status = 0;

    count.key = fw_xcalloc(index->by_thread.rows, sizeof *count.key);
    reverse(&count, depend);
    fw_strtab_init(&now.keys);
    add_ways(&now, count.key, size, 1);
    for (uint32_t i = 0; i < depend->count && status == 0; i++) {
        struct states next = { 0 };

        fw_strtab_init(&next.keys);
        status = step(&count, &now, &next);
        release_states(&now);
        now = next;
    }
    if (status == 0)
        *result = now.ways.at[0];
    release_states(&now);
    free(count.key);
    free(count.before_start);
    free(count.before_items);
    return status;
}
