/*
 * edges.c - see edges.h.
 *
 * A node is a run of words in the pool: a head (count of entries, room for
 * entries), then columns of equal length.  A leaf has three, a node above the
 * leaves (an inner node) two more:
 *
 *     SOURCE  source of the edge          of the first edge below
 *     TARGET  target of the edge          least target below
 *     LEAST   least TARGET of this entry and those behind it
 *     FIRST                               target of the first edge below
 *     CHILD                               the node below
 *
 * Entries are sorted by (source, target) of the edge, or of the first edge
 * below.  SOURCE and FIRST are exact, not mere separators, so that one of
 * several equal edges is found even if they are spread over nodes.
 *
 * Allocation may move the pool's words: columns are looked up again after it.
 */
#include "order/edges.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>
#include <string.h>

enum {
    SOURCE,
    TARGET,
    LEAST,
    FIRST,
    CHILD,
    COLUMNS
};

#define NO_NODE      0u
#define LEAF_COLUMNS 3u
#define SMALL_NODE   16u /* words of the smallest node; each class has twice the one before */
#define LARGEST      (FW_EDGE_CLASSES - 1u)
#define MAX_WORDS    UINT32_MAX

static inline uint32_t columns_at(uint32_t level)
{
    return level ? COLUMNS : LEAF_COLUMNS;
}

static inline uint32_t room_of_class(uint32_t class, uint32_t level)
{
    return ((SMALL_NODE << class) - 1) / columns_at(level);
}

static inline uint32_t count_of(const struct fw_edge_pool *pool, uint32_t node)
{
    return pool->words[node] & 0xffff;
}

static inline uint32_t room_of(const struct fw_edge_pool *pool, uint32_t node)
{
    return pool->words[node] >> 16;
}

static inline uint32_t *column(const struct fw_edge_pool *pool, uint32_t node, uint32_t which)
{
    return pool->words + node + 1 + which * room_of(pool, node);
}

static inline void add_count(struct fw_edge_pool *pool, uint32_t node, int more)
{
    pool->words[node] += (uint32_t)more;
}

/* --- the pool ----------------------------------------------------------------------------- */

void fw_edge_pool_init(struct fw_edge_pool *pool)
{
    *pool = (struct fw_edge_pool) { 0 };
}

void fw_edge_pool_release(struct fw_edge_pool *pool)
{
    free(pool->words);
    fw_edge_pool_init(pool);
}

void fw_edge_pool_clear(struct fw_edge_pool *pool)
{
    pool->used = 0;
    memset(pool->free, 0, sizeof pool->free);
}

/* Word 0 is never part of a node. */
static void reserve(struct fw_edge_pool *pool, size_t words)
{
    size_t want = pool->used + words;

    if (want > MAX_WORDS)
        FW_BUG("more edges than a pool can hold");
    if (want <= pool->cap)
        return;
    pool->cap = pool->cap * 2 > want ? pool->cap * 2 : want + 1023;
    pool->words = fw_xrealloc(pool->words, pool->cap, sizeof *pool->words);
}

static uint32_t node_create(struct fw_edge_pool *pool, uint32_t class, uint32_t level)
{
    uint32_t node = pool->free[class];

    if (node) {
        pool->free[class] = pool->words[node];
    } else {
        if (!pool->used)
            pool->used = 1;
        reserve(pool, SMALL_NODE << class);
        node = (uint32_t)pool->used;
        pool->used += SMALL_NODE << class;
    }
    pool->words[node] = room_of_class(class, level) << 16;
    return node;
}

static uint32_t class_of(const struct fw_edge_pool *pool, uint32_t node, uint32_t level)
{
    uint32_t class = 0;

    while (room_of_class(class, level) < room_of(pool, node))
        class ++;
    return class;
}

static void node_destroy(struct fw_edge_pool *pool, uint32_t node, uint32_t level)
{
    uint32_t class = class_of(pool, node, level);

    pool->words[node] = pool->free[class];
    pool->free[class] = node;
}

/* --- entries of a node -------------------------------------------------------------------- */

typedef int32_t lanes __attribute__((vector_size(16)));

/*
 * How many of the values are below the limit.  Looks at all of them, four at a time, because
 * loads that do not wait for each other are faster than a binary search in so short an array.
 */
static inline uint32_t rank(const uint32_t *values, uint32_t count, uint32_t limit)
{
    const lanes flip = { INT32_MIN, INT32_MIN, INT32_MIN,
                         INT32_MIN }; /* unsigned to signed order */
    lanes limits = { (int32_t)limit, (int32_t)limit, (int32_t)limit, (int32_t)limit };
    lanes sum = { 0 }, four;
    uint32_t i = 0, rest = 0;

    limits ^= flip;
    for (; i + 4 <= count; i += 4) {
        memcpy(&four, values + i, sizeof four);
        sum += (four ^ flip) < limits; /* -1 each */
    }
    for (; i < count; i++)
        rest += values[i] < limit;
    return rest - (uint32_t)(sum[0] + sum[1] + sum[2] + sum[3]);
}

/* How many entries are at or before this edge. */
static uint32_t position(const struct fw_edge_pool *pool, uint32_t node, uint32_t level,
                         uint32_t source, uint32_t target)
{
    const uint32_t *sources = column(pool, node, SOURCE);
    const uint32_t *targets = column(pool, node, level ? FIRST : TARGET);
    uint32_t count = count_of(pool, node), at = rank(sources, count, source);

    while (at < count && sources[at] == source && targets[at] <= target)
        at++;
    return at;
}

/* The entry's TARGET has changed, or it is new: what is before it may have another LEAST. */
static void refresh(struct fw_edge_pool *pool, uint32_t node, uint32_t at)
{
    const uint32_t *target = column(pool, node, TARGET);
    uint32_t *least = column(pool, node, LEAST), count = count_of(pool, node);
    uint32_t below = at + 1 < count ? least[at + 1] : UINT32_MAX;
    bool first = true;

    for (uint32_t i = at + 1; i-- > 0; first = false) {
        below = target[i] < below ? target[i] : below;
        if (least[i] == below && !first)
            return;
        least[i] = below;
    }
}

static void entry_insert(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at,
                         const uint32_t entry[COLUMNS])
{
    uint32_t behind = count_of(pool, node) - at;

    for (uint32_t c = 0; c < columns_at(level); c++) {
        uint32_t *values = column(pool, node, c) + at;

        memmove(values + 1, values, behind * sizeof *values);
        *values = entry[c];
    }
    add_count(pool, node, 1);
    refresh(pool, node, at);
}

static void entry_remove(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at)
{
    uint32_t behind = count_of(pool, node) - at - 1;

    for (uint32_t c = 0; c < columns_at(level); c++) {
        uint32_t *values = column(pool, node, c) + at;

        memmove(values, values + 1, behind * sizeof *values);
    }
    add_count(pool, node, -1);
    if (at)
        refresh(pool, node, at - 1);
}

/* Appends entries `from` and on of one node to another; LEAST is left to the caller. */
static void move_tail(struct fw_edge_pool *pool, uint32_t level, uint32_t to, uint32_t node,
                      uint32_t from)
{
    uint32_t moved = count_of(pool, node) - from, at = count_of(pool, to);

    for (uint32_t c = 0; c < columns_at(level); c++)
        memcpy(column(pool, to, c) + at, column(pool, node, c) + from, moved * sizeof(uint32_t));
    add_count(pool, to, (int)moved);
    add_count(pool, node, -(int)moved);
}

static void refresh_all(struct fw_edge_pool *pool, uint32_t node)
{
    const uint32_t *target = column(pool, node, TARGET);
    uint32_t *least = column(pool, node, LEAST), below = UINT32_MAX;

    for (uint32_t i = count_of(pool, node); i-- > 0;)
        least[i] = below = target[i] < below ? target[i] : below;
}

/* The entry that stands for a node in the one above it. */
static void entry_for(const struct fw_edge_pool *pool, uint32_t node, uint32_t level,
                      uint32_t entry[COLUMNS])
{
    entry[SOURCE] = column(pool, node, SOURCE)[0];
    entry[TARGET] = column(pool, node, LEAST)[0];
    entry[LEAST] = 0;
    entry[FIRST] = column(pool, node, level ? FIRST : TARGET)[0];
    entry[CHILD] = node;
}

/* The child of an entry has changed. */
static void entry_renew(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at)
{
    uint32_t entry[COLUMNS];

    entry_for(pool, column(pool, node, CHILD)[at], level - 1, entry);
    column(pool, node, SOURCE)[at] = entry[SOURCE];
    column(pool, node, FIRST)[at] = entry[FIRST];
    if (column(pool, node, TARGET)[at] == entry[TARGET])
        return;
    column(pool, node, TARGET)[at] = entry[TARGET];
    refresh(pool, node, at);
}

/* --- insert ------------------------------------------------------------------------------- */

/* Inserts an entry; the new node behind this one if it had to be split, else NO_NODE. */
static uint32_t place(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at,
                      const uint32_t entry[COLUMNS])
{
    uint32_t count = count_of(pool, node), right, kept;

    if (count < room_of(pool, node)) {
        entry_insert(pool, node, level, at, entry);
        return NO_NODE;
    }
    /* Edges mostly come in order: near the end the node stays full, and the new one has room. */
    kept = at >= count - count / 8 ? at : count / 2;
    right = node_create(pool, LARGEST, level);
    move_tail(pool, level, right, node, kept);
    refresh_all(pool, node);
    if (at < kept)
        entry_insert(pool, node, level, at, entry);
    else
        entry_insert(pool, right, level, at - kept, entry);
    return right;
}

/* The same below a node. */
static uint32_t insert_below(struct fw_edge_pool *pool, uint32_t node, uint32_t level,
                             uint32_t source, uint32_t target)
{
    uint32_t at = position(pool, node, level, source, target);
    uint32_t entry[COLUMNS] = { source, target }, right;

    if (!level)
        return place(pool, node, level, at, entry);
    at -= at > 0;
    right = insert_below(pool, column(pool, node, CHILD)[at], level - 1, source, target);
    entry_renew(pool, node, level, at);
    if (!right)
        return NO_NODE;
    entry_for(pool, right, level - 1, entry);
    return place(pool, node, level, at + 1, entry);
}

/* Gives the set, which is one leaf, a leaf of another size. */
static void resize(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t class)
{
    uint32_t leaf = node_create(pool, class, 0);

    move_tail(pool, 0, leaf, edges->root, 0);
    node_destroy(pool, edges->root, 0);
    edges->root = leaf;
}

static void grow_root(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t right)
{
    uint32_t entry[COLUMNS], root = node_create(pool, LARGEST, edges->height + 1);

    entry_for(pool, edges->root, edges->height, entry);
    entry_insert(pool, root, edges->height + 1, 0, entry);
    entry_for(pool, right, edges->height, entry);
    entry_insert(pool, root, edges->height + 1, 1, entry);
    edges->root = root;
    edges->height++;
}

void fw_edges_insert(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                     uint32_t target)
{
    uint32_t right;

    if (!edges->count++) {
        edges->last_source = source;
        edges->first_target = target;
        return;
    }
    if (edges->count == 2) {
        edges->root = node_create(pool, 0, 0);
        edges->height = 0;
        insert_below(pool, edges->root, 0, edges->last_source, edges->first_target);
    } else if (!edges->height && count_of(pool, edges->root) == room_of(pool, edges->root) &&
               class_of(pool, edges->root, 0) < LARGEST) {
        resize(pool, edges, class_of(pool, edges->root, 0) + 1);
    }
    right = insert_below(pool, edges->root, edges->height, source, target);
    if (right)
        grow_root(pool, edges, right);
    if (source > edges->last_source)
        edges->last_source = source;
    if (target < edges->first_target)
        edges->first_target = target;
}

/* --- delete ------------------------------------------------------------------------------- */

/* Puts two neighbours into one node if that leaves some room. */
static bool merge(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at)
{
    const uint32_t *child = column(pool, node, CHILD);
    uint32_t left, right, room;

    if (at + 1 >= count_of(pool, node))
        return false;
    left = child[at];
    right = child[at + 1];
    room = room_of(pool, left);
    if (count_of(pool, left) + count_of(pool, right) > room - room / 4)
        return false;
    move_tail(pool, level - 1, left, right, 0);
    refresh_all(pool, left);
    node_destroy(pool, right, level - 1);
    entry_remove(pool, node, level, at + 1);
    entry_renew(pool, node, level, at);
    return true;
}

/* Something below an entry was deleted. */
static void mend(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t at)
{
    uint32_t child = column(pool, node, CHILD)[at], count = count_of(pool, child);

    if (!count) {
        node_destroy(pool, child, level - 1);
        entry_remove(pool, node, level, at);
        return;
    }
    entry_renew(pool, node, level, at);
    if (count <= room_of(pool, child) / 4 && !merge(pool, node, level, at) && at)
        merge(pool, node, level, at - 1);
}

static bool delete_below(struct fw_edge_pool *pool, uint32_t node, uint32_t level, uint32_t source,
                         uint32_t target)
{
    uint32_t at = position(pool, node, level, source, target);

    if (!at)
        return false;
    at--;
    if (!level) {
        if (column(pool, node, SOURCE)[at] != source || column(pool, node, TARGET)[at] != target)
            return false;
        entry_remove(pool, node, level, at);
        return true;
    }
    if (!delete_below(pool, column(pool, node, CHILD)[at], level - 1, source, target))
        return false;
    mend(pool, node, level, at);
    return true;
}

/* The root gives up a level, a size, or its place in the pool. */
static void shrink_root(struct fw_edge_pool *pool, struct fw_edges *edges)
{
    uint32_t class;

    while (edges->height && count_of(pool, edges->root) == 1) {
        uint32_t child = column(pool, edges->root, CHILD)[0];

        node_destroy(pool, edges->root, edges->height--);
        edges->root = child;
    }
    if (edges->height)
        return;
    class = class_of(pool, edges->root, 0);
    if (edges->count == 1)
        node_destroy(pool, edges->root, 0);
    else if (class && edges->count <= room_of_class(class - 1, 0) / 2)
        resize(pool, edges, class - 1);
}

static void sum_up(const struct fw_edge_pool *pool, struct fw_edges *edges)
{
    uint32_t node = edges->root;

    edges->first_target = column(pool, node, LEAST)[0];
    for (uint32_t level = edges->height; level; level--)
        node = column(pool, node, CHILD)[count_of(pool, node) - 1];
    edges->last_source = column(pool, node, SOURCE)[count_of(pool, node) - 1];
}

bool fw_edges_delete(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                     uint32_t target)
{
    if (edges->count < 2) {
        if (!edges->count || edges->last_source != source || edges->first_target != target)
            return false;
        edges->count = 0;
        return true;
    }
    if (!delete_below(pool, edges->root, edges->height, source, target))
        return false;
    edges->count--;
    sum_up(pool, edges);
    shrink_root(pool, edges);
    return true;
}

/* --- questions ---------------------------------------------------------------------------- */

uint32_t fw_edges_target(const struct fw_edge_pool *pool, const struct fw_edges *edges,
                         uint32_t source, uint32_t bound)
{
    uint32_t node = edges->root;

    if (!edges->count || edges->last_source < source || edges->first_target >= bound)
        return bound;
    if (edges->count == 1)
        return edges->first_target;
    for (uint32_t level = edges->height;; level--) {
        uint32_t count = count_of(pool, node);
        uint32_t at = rank(column(pool, node, SOURCE), count, source);

        /* All behind is from `source` or later; what is just before may have some that is. */
        if (at < count && column(pool, node, LEAST)[at] < bound)
            bound = column(pool, node, LEAST)[at];
        if (!level || !at)
            return bound;
        node = column(pool, node, CHILD)[at - 1];
    }
}

uint32_t fw_edges_source(const struct fw_edge_pool *pool, const struct fw_edges *edges,
                         uint32_t target)
{
    uint32_t node = edges->root;

    if (!edges->count || edges->first_target > target)
        return 0;
    if (edges->count == 1)
        return edges->last_source + 1;
    for (uint32_t level = edges->height;; level--) {
        /* The last entry with such a target is the last whose LEAST is one. */
        uint32_t at = rank(column(pool, node, LEAST), count_of(pool, node), target + 1) - 1;

        if (!level)
            return column(pool, node, SOURCE)[at] + 1;
        node = column(pool, node, CHILD)[at];
    }
}

/* --- useful edges only -------------------------------------------------------------------- */

/* The last edge that starts at *source or earlier; false if there is none. */
static bool last_before(const struct fw_edge_pool *pool, const struct fw_edges *edges,
                        uint32_t *source, uint32_t *target)
{
    uint32_t node = edges->root, at;

    if (edges->count < 2) {
        at = edges->count && edges->last_source <= *source;
        *source = edges->last_source;
        *target = edges->first_target;
        return at;
    }
    for (uint32_t level = edges->height;; level--) {
        at = rank(column(pool, node, SOURCE), count_of(pool, node), *source + 1);
        if (!at)
            return false;
        if (!level)
            break;
        node = column(pool, node, CHILD)[at - 1];
    }
    *source = column(pool, node, SOURCE)[at - 1];
    *target = column(pool, node, TARGET)[at - 1];
    return true;
}

void fw_edges_insert_useful(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                            uint32_t target)
{
    uint32_t start = source, end;

    if (fw_edges_target(pool, edges, source, UINT32_MAX) <= target)
        return;
    while (last_before(pool, edges, &start, &end) && end >= target) {
        fw_edges_delete(pool, edges, start, end);
        start = source;
    }
    fw_edges_insert(pool, edges, source, target);
}

/* --- invariants --------------------------------------------------------------------------- */

static void check_columns(const struct fw_edge_pool *pool, uint32_t node, uint32_t level)
{
    const uint32_t *source = column(pool, node, SOURCE), *target = column(pool, node, TARGET);
    const uint32_t *least = column(pool, node, LEAST);
    const uint32_t *second = level ? column(pool, node, FIRST) : target;
    uint32_t count = count_of(pool, node), below = UINT32_MAX;

    FW_ASSERT(count && count <= room_of(pool, node));
    for (uint32_t i = count; i-- > 0;) {
        below = target[i] < below ? target[i] : below;
        FW_ASSERT(least[i] == below);
        FW_ASSERT(i + 1 == count || source[i] < source[i + 1] ||
                  (source[i] == source[i + 1] && second[i] <= second[i + 1]));
    }
}

/* Returns the number of edges below. */
static uint32_t check_below(const struct fw_edge_pool *pool, uint32_t node, uint32_t level)
{
    uint32_t edges = 0, entry[COLUMNS];

    check_columns(pool, node, level);
    if (!level)
        return count_of(pool, node);
    for (uint32_t i = 0; i < count_of(pool, node); i++) {
        edges += check_below(pool, column(pool, node, CHILD)[i], level - 1);
        entry_for(pool, column(pool, node, CHILD)[i], level - 1, entry);
        FW_ASSERT(entry[SOURCE] == column(pool, node, SOURCE)[i]);
        FW_ASSERT(entry[TARGET] == column(pool, node, TARGET)[i]);
        FW_ASSERT(entry[FIRST] == column(pool, node, FIRST)[i]);
    }
    return edges;
}

void fw_edges_check(const struct fw_edge_pool *pool, const struct fw_edges *edges)
{
    struct fw_edges again = *edges;

    if (edges->count < 2)
        return;
    FW_ASSERT(!edges->height || count_of(pool, edges->root) > 1);
    FW_ASSERT(check_below(pool, edges->root, edges->height) == edges->count);
    sum_up(pool, &again);
    FW_ASSERT(again.last_source == edges->last_source);
    FW_ASSERT(again.first_target == edges->first_target);
}
