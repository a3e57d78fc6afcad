/*
 * velodrome_graph.c - transactions and what they reach; see velodrome_state.h.
 *
 * After a cycle has been reported the transaction that closed it is cut in two
 * before the present event.  The graph stays free of cycles without dropping
 * an edge, and every later cycle is one of the whole transactions too: putting
 * the parts together again makes no cycle go away that has an event of another
 * thread in it, and there is no other kind.  If every function is atomic, the
 * functions that hold both ends of the cycle are known not to be from then on,
 * and it is the functions inside them that are looked at.
 */
#include "analysis/velodrome_state.h"

#include "base/bug.h"

/* --- tables of open transactions --------------------------------------------------------- */

static void widen(struct open *open, uint32_t from, uint32_t to)
{
    open->first = fw_xrealloc(open->first, to, sizeof *open->first);
    open->link = fw_xrealloc(open->link, to, sizeof *open->link);
    for (uint32_t u = from; u < to; u++)
        open->first[u] = VELODROME_NEVER;
}

static void make_room(struct velodrome *v, uint32_t threads)
{
    uint32_t from = v->width, to = from ? from * 2 : 16;

    if (threads <= from)
        return;
    v->width = to = to > threads ? to : threads;
    for (size_t i = 0; i < v->open.len; i++)
        widen(v->open.at[i], from, to);
    for (size_t i = 0; i < v->spare.len; i++)
        widen(v->spare.at[i], from, to);
}

struct thread *velodrome_thread(struct velodrome *v, uint32_t t)
{
    size_t known = v->threads.len;

    if (FW_LIKELY(t < known))
        return &v->threads.at[t];
    fw_vec_extend(&v->threads, t + (size_t)1);
    for (size_t i = known; i < v->threads.len; i++)
        v->threads.at[i].transaction = 1;
    make_room(v, t + 1);
    return &v->threads.at[t];
}

static struct open *spare_open(struct velodrome *v)
{
    struct open *open;

    if (v->spare.len)
        return fw_vec_pop(&v->spare);
    open = fw_xcalloc(1, sizeof *open);
    widen(open, 0, v->width);
    return open;
}

static void reach(struct open *open, uint32_t u, uint32_t transaction, uint32_t link)
{
    if (open->first[u] == VELODROME_NEVER)
        fw_vec_push(&open->touched, u);
    open->first[u] = transaction;
    open->link[u] = link;
}

static void release_open(struct open *open)
{
    free(open->first);
    free(open->link);
    fw_vec_release(&open->touched);
    free(open);
}

void velodrome_graph_release(struct velodrome *v)
{
    for (size_t i = 0; i < v->open.len; i++)
        release_open(v->open.at[i]);
    for (size_t i = 0; i < v->spare.len; i++)
        release_open(v->spare.at[i]);
    for (size_t i = 0; i < v->threads.len; i++)
        fw_vec_release(&v->threads.at[i].blocks);
    fw_vec_release(&v->open);
    fw_vec_release(&v->spare);
    fw_vec_release(&v->threads);
    fw_vec_release(&v->links);
    fw_vec_release(&v->free_links);
}

/* --- transactions ------------------------------------------------------------------------ */

static void begin_transaction(struct velodrome *v, uint32_t t, uint32_t level)
{
    struct thread *thread = &v->threads.at[t];
    struct open *open = spare_open(v);

    if (thread->used)
        thread->transaction++;
    thread->used = true;
    thread->level = level;
    thread->open = open;
    open->thread = t;
    open->place = (uint32_t)v->open.len;
    fw_vec_push(&v->open, open);
    reach(open, t, thread->transaction, 0);
}

static void end_transaction(struct velodrome *v, uint32_t t)
{
    struct thread *thread = &v->threads.at[t];
    struct open *open = thread->open, *last = fw_vec_pop(&v->open);

    if (last != open) {
        v->open.at[open->place] = last;
        last->place = open->place;
    }
    for (size_t i = 0; i < open->touched.len; i++)
        open->first[open->touched.at[i]] = VELODROME_NEVER;
    fw_vec_clear(&open->touched);
    fw_vec_push(&v->spare, open);
    thread->open = NULL;
    thread->transaction++;
    thread->used = false;
}

static bool is_refuted(const struct velodrome *v, uint32_t label)
{
    return label < v->refuted.len && v->refuted.at[label];
}

void velodrome_enter(struct velodrome *v, uint32_t t)
{
    const struct thread *thread = &v->threads.at[t];

    if (!thread->open && !is_refuted(v, fw_vec_last(&thread->blocks).label))
        begin_transaction(v, t, (uint32_t)thread->blocks.len);
}

void velodrome_leave(struct velodrome *v, uint32_t t)
{
    const struct thread *thread = &v->threads.at[t];

    if (thread->open && thread->blocks.len < thread->level)
        end_transaction(v, t);
}

/* The rest of the thread's outermost block that may still be atomic is a transaction. */
static void cut_transaction(struct velodrome *v, uint32_t t)
{
    const struct thread *thread = &v->threads.at[t];

    end_transaction(v, t);
    for (uint32_t level = 1; level <= thread->blocks.len; level++) {
        if (!is_refuted(v, thread->blocks.at[level - 1].label)) {
            begin_transaction(v, t, level);
            return;
        }
    }
}

/* --- links ------------------------------------------------------------------------------- */

static void mark_links(const struct velodrome *v, bool *used)
{
    for (size_t i = 0; i < v->open.len; i++) {
        const struct open *open = v->open.at[i];

        for (size_t j = 0; j < open->touched.len; j++)
            used[open->link[open->touched.at[j]]] = true;
    }
}

/* Collects the links that no table names any more. */
static void sweep_links(struct velodrome *v)
{
    bool *used = fw_xcalloc(v->links.len, sizeof *used);

    mark_links(v, used);
    for (size_t i = 1; i < v->links.len; i++)
        if (!used[i])
            fw_vec_push(&v->free_links, (uint32_t)i);
    if (v->free_links.len < v->links.len / 2)
        v->link_limit = v->links.len * 2;
    free(used);
}

/* Link 0 stands for none: a transaction reaches itself. */
static uint32_t add_link(struct velodrome *v, const struct link *link)
{
    uint32_t id;

    if (!v->links.len) {
        v->link_limit = 64;
        fw_vec_push(&v->links, (struct link) { 0 });
    }
    if (!v->free_links.len && v->links.len >= v->link_limit)
        sweep_links(v);
    if (!v->free_links.len) {
        fw_vec_push(&v->links, *link);
        return (uint32_t)v->links.len - 1;
    }
    id = fw_vec_pop(&v->free_links);
    v->links.at[id] = *link;
    return id;
}

/* --- edges ------------------------------------------------------------------------------- */

bool velodrome_alive(const struct velodrome *v, const struct access *access)
{
    for (size_t i = 0; i < v->open.len; i++)
        if (v->open.at[i]->first[access->thread] <= access->transaction)
            return true;
    return false;
}

/* What the transaction at the edge's end reaches is now reached by `open` too. */
static void inherit(struct open *open, const struct open *from)
{
    for (size_t i = 0; i < from->touched.len; i++) {
        uint32_t u = from->touched.at[i];

        if (from->first[u] < open->first[u])
            reach(open, u, from->first[u], from->link[u]);
    }
}

/* An edge that closes no cycle, into the present transaction of thread t. */
static void add_edge(struct velodrome *v, const struct link *link, uint32_t t)
{
    struct thread *thread = &v->threads.at[t];
    uint32_t u = link->from.thread, k = link->from.transaction, id = 0;

    for (size_t i = 0; i < v->open.len; i++) {
        struct open *open = v->open.at[i];

        if (open->first[u] > k || open->first[t] <= thread->transaction)
            continue;
        if (!id) {
            id = add_link(v, link);
            if (thread->used && !thread->open) {
                thread->transaction++;
                thread->used = false;
            }
        }
        reach(open, t, thread->transaction, id);
        if (thread->open)
            inherit(open, thread->open);
    }
}

/* What the event at hand knows of its transaction. */
static void refresh(struct velodrome *v)
{
    const struct thread *thread = &v->threads.at[v->now.thread];

    v->now.transaction = thread->transaction;
    v->now.block = thread->open ? thread->blocks.at[thread->level - 1].label + 1 : 0;
}

void velodrome_event(struct velodrome *v, const struct fw_place *place)
{
    const struct fw_event *event = &place->batch->events[place->i];

    velodrome_actor(v, place);
    v->now = (struct access) {
        .index = fw_place_index(place),
        .thread = event->thread,
        .kind = event->kind,
        .site = event->site,
        .context = place->contexts[place->i],
    };
    v->now_target = event->target;
    v->now_place = place;
    refresh(v);
}

void velodrome_add_edge(struct velodrome *v, const struct access *from)
{
    uint32_t t = v->now.thread;
    const struct thread *thread = &v->threads.at[t];
    struct link link;

    if (!v->open.len)
        return;
    link = (struct link) { *from, v->now, v->now_target };
    if (thread->open && thread->open->first[from->thread] <= from->transaction) {
        velodrome_report(v, &link);
        cut_transaction(v, t);
    }
    add_edge(v, &link, t);
    refresh(v);
}

/* The child has not started: nothing is reached from it, so no cycle can close. */
void velodrome_fork(struct velodrome *v, uint32_t child)
{
    struct link link = { *velodrome_use(v), { .index = VELODROME_NO_EVENT }, child };

    velodrome_thread(v, child)->fork = link.from;
    add_edge(v, &link, child);
}

/*
 * The child has ended, even if a block of it has not.  A child without any
 * event did nothing that could come between its fork and its join, but these
 * two are in order.
 */
void velodrome_join(struct velodrome *v, uint32_t child)
{
    const struct thread *joined = velodrome_thread(v, child);
    struct access from = {
        .index = VELODROME_NO_EVENT,
        .thread = child,
        .transaction = joined->transaction,
    };

    velodrome_edge(v, joined->started ? &from : &joined->fork);
    if (joined->open)
        end_transaction(v, child);
}
