/*
 * velodrome_report.c - shows the cycle that an edge closes.
 *
 * The way from the open transaction to the edge's start is found backwards:
 * the table's link into the thread at hand, then the link into the thread that
 * one came from, until it came from the transaction itself.  The graph has no
 * cycles yet, so this ends.
 *
 * Cycles of one block with the same closing edge differ in their ways only;
 * unless every occurrence is wanted they count as the first one of them.
 */
#include "analysis/velodrome_state.h"

#include "base/bug.h"

#include <inttypes.h>

FW_VEC_TYPE(marks, struct fw_mark);

/* The block, and the sites at both ends of the closing edge; targets where there are none. */
struct key {
    uint32_t block, from, to;
    bool sites;
};

struct known {
    struct key key;
    struct marks events;
};

struct velodrome_known {
    FW_VEC(struct known) items;
    struct fw_idmap ids;
};

FW_VEC_TYPE(way, const struct link *);

void velodrome_report_release(struct velodrome *v)
{
    if (!v->known)
        return;
    for (size_t i = 0; i < v->known->items.len; i++)
        fw_vec_release(&v->known->items.at[i].events);
    fw_vec_release(&v->known->items);
    fw_idmap_release(&v->known->ids);
    free(v->known);
}

/* --- the cycle --------------------------------------------------------------------------- */

static void find_way(const struct velodrome *v, const struct link *closing, struct way *way)
{
    const struct open *open = v->threads.at[v->now.thread].open;
    const struct link *last = closing;

    fw_vec_push(way, last);
    while (last->from.thread != v->now.thread) {
        FW_ASSERT(way->len <= v->threads.len);
        last = &v->links.at[open->link[last->from.thread]];
        fw_vec_push(way, last);
    }
    for (size_t i = 0, j = way->len - 1; i < j; i++, j--) {
        const struct link *link = way->at[i];

        way->at[i] = way->at[j];
        way->at[j] = link;
    }
}

static struct fw_mark mark_of(const struct access *access, uint32_t target)
{
    return (struct fw_mark) {
        .index = access->index,
        .thread = access->thread,
        .kind = access->kind,
        .target = target,
        .site = access->site,
        .context = access->context,
    };
}

static void add_mark(struct marks *marks, struct fw_mark mark)
{
    if (!marks->len || fw_vec_last(marks).index != mark.index)
        fw_vec_push(marks, mark);
}

/* The events along the way, each once; a fork leads to the first event of the child. */
static void list_events(const struct velodrome *v, const struct way *way, struct marks *events)
{
    for (size_t i = 0; i < way->len; i++) {
        const struct link *link = way->at[i];

        if (link->from.index != VELODROME_NO_EVENT)
            add_mark(events, mark_of(&link->from, link->target));
        if (link->to.index != VELODROME_NO_EVENT)
            add_mark(events, mark_of(&link->to, link->target));
        else
            add_mark(events, v->threads.at[link->target].first);
    }
    fw_vec_last(events) = fw_place_mark(v->now_place);
}

/* --- texts ------------------------------------------------------------------------------- */

/* "T1 in block 'a': w(x) at f.c:3 (event 7)" */
static char *describe_end(const struct velodrome *v, const struct access *access, uint32_t target)
{
    struct fw_event event = { .target = target, .kind = access->kind };
    const char *thread = fw_thread_name(v->symbols, access->thread);
    const char *site = fw_symbols_name(v->symbols, FW_SPACE_SITE, access->site);
    char text[128], *name, *line;

    if (access->index == VELODROME_NO_EVENT)
        return fw_xasprintf("%s", fw_thread_name(v->symbols, target));
    name = access->block ? fw_block_name(&v->paths, v->symbols, access->block - 1) : NULL;
    line = fw_xasprintf("%s%s%s: %s%s%s (event %" PRIu64 ")", thread, name ? " in " : "",
                        name                 ? name
                        : v->paths.functions ? " outside functions"
                                             : " outside blocks",
                        fw_event_text(v->symbols, &event, text, sizeof text), *site ? " at " : "",
                        site, access->index);
    free(name);
    return line;
}

static char *describe_link(const struct velodrome *v, const struct link *link)
{
    char *from = describe_end(v, &link->from, link->target);
    char *to = describe_end(v, &link->to, link->target);
    char *line = fw_xasprintf("%s before %s", from, to);

    free(from);
    free(to);
    return line;
}

/* The blocks that hold both ends of the cycle are to blame, then the cycle edge by edge. */
static char *describe(struct velodrome *v, const struct way *way)
{
    struct thread *thread = &v->threads.at[v->now.thread];
    uint32_t common = fw_blocks_common(&thread->blocks, way->at[0]->from.index);
    uint32_t path = fw_block_path(&v->paths, &thread->blocks, common);
    char *text = fw_block_blame(&v->paths, v->symbols, path, thread->level);

    for (size_t i = 0; i < way->len; i++) {
        char *line = describe_link(v, way->at[i]);
        char *longer = fw_xasprintf("%s\n%s", text, line);

        free(line);
        free(text);
        text = longer;
    }
    return text;
}

/* --- findings ---------------------------------------------------------------------------- */

static bool known_is(const void *key, uint32_t id)
{
    const struct velodrome *v = ((const void *const *)key)[0];
    const struct key *a = ((const void *const *)key)[1], *b = &v->known->items.at[id].key;

    return a->block == b->block && a->from == b->from && a->to == b->to && a->sites == b->sites;
}

static uint32_t hash_key(const struct key *key)
{
    uint64_t x = ((uint64_t)key->from << 32 | key->to) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 29 ^ key->block) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32) ^ key->sites;
}

static struct key key_of(const struct velodrome *v, const struct link *closing)
{
    bool sites = closing->from.site && closing->to.site;

    return (struct key) {
        .block = v->now.block,
        .from = sites ? closing->from.site : closing->target,
        .to = sites ? closing->to.site : closing->to.kind,
        .sites = sites,
    };
}

/* The events of the earlier cycle that this one counts as, or NULL and a place for new ones. */
static const struct marks *find_known(struct velodrome *v, const struct link *closing,
                                      struct marks **fresh)
{
    struct key key = key_of(v, closing);
    const void *wanted[] = { v, &key };
    uint32_t hash = hash_key(&key), id;

    if (!v->known)
        v->known = fw_xcalloc(1, sizeof *v->known);
    id = fw_idmap_find(&v->known->ids, hash, known_is, wanted);
    if (id != FW_IDMAP_NONE)
        return &v->known->items.at[id].events;
    id = (uint32_t)v->known->items.len;
    fw_vec_push(&v->known->items, ((struct known) { .key = key }));
    fw_idmap_add(&v->known->ids, hash, id);
    *fresh = &fw_vec_last(&v->known->items).events;
    return NULL;
}

static void add_finding(struct velodrome *v, const struct marks *events, const char *detail)
{
    bool access = fw_is_class(v->now.kind, FW_CLASS_CONFLICT);
    struct fw_occurrence occurrence = {
        .kind = FW_FINDING_ATOMICITY,
        .events = events->at,
        .event_count = (uint32_t)events->len,
        .variable = access ? v->now_target : FW_NO_VARIABLE,
        .detail = detail,
    };

    fw_findings_add(v->findings, &occurrence);
}

static void add_new_finding(struct velodrome *v, const struct way *way, struct marks *events)
{
    char *detail = describe(v, way);

    list_events(v, way, events);
    add_finding(v, events, detail);
    free(detail);
}

/* Functions that hold both ends of the cycle are not atomic. */
static void refute(struct velodrome *v, const struct way *way)
{
    const struct thread *thread = &v->threads.at[v->now.thread];
    uint32_t common = fw_blocks_common(&thread->blocks, way->at[0]->from.index);

    for (uint32_t level = thread->level; level <= common; level++) {
        uint32_t function = thread->blocks.at[level - 1].label;

        fw_vec_extend(&v->refuted, function + (size_t)1);
        v->refuted.at[function] = true;
    }
}

void velodrome_report(struct velodrome *v, const struct link *closing)
{
    struct way way = { 0 };
    struct marks all = { 0 }, *fresh = &all;
    const struct marks *known = v->pairs_all ? NULL : find_known(v, closing, &fresh);

    find_way(v, closing, &way);
    if (known)
        add_finding(v, known, NULL);
    else
        add_new_finding(v, &way, fresh);
    if (v->functions)
        refute(v, &way);
    fw_vec_release(&all);
    fw_vec_release(&way);
}
