/*
 * control_cover.c - which sites have met at an object: what a campaign calls something new.
 *
 * A table tells for each object (neighbours lie side by side; of two in one place the later one
 * wins) who was there last and where.  When
 * another thread comes and one of the two writes, the two sites are a pair.  Locks and other
 * objects count like memory, so that another order of two critical sections is new as well.
 */
#include "runtime/control.h"
#include "runtime/sink.h"

#define LAST_BITS 14u

struct last {
    uint64_t object;
    uint32_t site;
    uint32_t who; /* (1 + thread) << 1 | wrote; 0: nobody */
};

static struct last *latest;

static struct last *last_of(uint64_t object)
{
    return &latest[(object >> 2 ^ object << 12 ^ object >> 16) & ((1u << LAST_BITS) - 1)];
}

static uint64_t pair_of(uint32_t first, uint32_t second)
{
    uint64_t mixed = fw_control_site_key(first) * 3 + fw_control_site_key(second);

    mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u;
    return mixed ^ mixed >> 29 ? mixed ^ mixed >> 29 : 1;
}

/* Not inlined, so that the usual way saves no registers. */
static __attribute__((noinline)) void add_pair(uint32_t first, uint32_t second)
{
    uint64_t pair = pair_of(first, second);
    struct fw_control_pairs *pairs =
        (struct fw_control_pairs *)((char *)fw_control + fw_control->pairs_at);
    uint32_t at = (uint32_t)(pair >> 40) % FW_CONTROL_PAIRS;

    while (pairs->all[at]) {
        if (pairs->all[at] == pair)
            return;
        at = (at + 1) % FW_CONTROL_PAIRS;
    }
    if (pairs->count >= FW_CONTROL_PAIRS / 4 * 3 || fw_control->new_pairs == FW_CONTROL_NEW_PAIRS)
        return;
    pairs->count++;
    pairs->all[at] = pair;
    pairs->added[fw_control->new_pairs++] = pair;
}

void fw_control_cover_start(void)
{
    latest = fw_map_memory(sizeof *latest << LAST_BITS);
}

void fw_control_cover(const struct fw_thread *t, const struct fw_op *op, uint32_t site)
{
    uint32_t who = (t->number + 1) << 1 | op->writes;
    struct last *last;

    if (!op->object || !latest)
        return;
    last = last_of(op->object);
    if (last->object == op->object && last->who && last->who >> 1 != who >> 1 &&
        (last->who | who) & 1)
        add_pair(last->site, site);
    *last = (struct last){ op->object, site, who };
}
