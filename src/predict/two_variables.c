/* two_variables.c - see two_variables.h. */
#include "predict/two_variables.h"

#include "base/strtab.h"
#include "predict/core.h"
#include "predict/lanes.h"

#define NEAR 16u /* variables before an access that are paired with it, by default */
#define KEEP 8u  /* pairs of one kind that are kept, by default */

static const char label[] = "two variables";

/* What pairs of one kind have in common; compared as bytes. */
struct kind {
    uint32_t thread;
    uint32_t variables[2], sites[2], kinds[2]; /* of a1 and a2 */
};

struct sort {
    struct kind kind;
    FW_VEC(struct fw_span) spans;
    uint64_t count; /* kept or not */
};

/* The latest access of a thread to a variable. */
struct recent {
    uint32_t variable, event;
};

FW_VEC_TYPE(recents, struct recent); /* the latest last, each variable once */
FW_VEC_TYPE(numbers, uint32_t);

struct job {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_scopes *scopes;
    struct fw_gather *gather;
    bool all;
    bool *shared;           /* by variable: two threads access it, one writes */
    struct recents *recent; /* by thread */
    struct fw_strtab kinds; /* kind → sort */
    FW_VEC(struct sort) sorts;
    struct fw_strtab couples; /* two variables, ascending → list of sorts */
    FW_VEC(struct numbers) lists;
};

static bool is_access(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

static void find_shared(struct job *job)
{
    const struct fw_rows *rows = &job->index->by_variable;

    job->shared = fw_xcalloc((size_t)rows->rows + 1, sizeof *job->shared);
    for (uint32_t v = 0; v < rows->rows; v++) {
        bool two = false, writes = false;

        for (uint32_t i = rows->start[v]; i < rows->start[v + 1] && !(two && writes); i++) {
            const struct fw_event *event = &job->trace->events[rows->items[i]];

            two |= event->thread != job->trace->events[rows->items[rows->start[v]]].thread;
            writes |= fw_is_write(event->kind);
        }
        job->shared[v] = two && writes && !fw_variable_is_order(job->trace->symbols, v);
    }
}

/* --- pairs of a thread ------------------------------------------------------------------- */

static struct sort *sort_of(struct job *job, const struct kind *kind)
{
    uint32_t id = fw_strtab_intern(&job->kinds, (const char *)kind, sizeof *kind);
    uint32_t x = kind->variables[0], y = kind->variables[1], couple;
    uint32_t key[2] = { x < y ? x : y, x < y ? y : x };

    if (id < job->sorts.len)
        return &job->sorts.at[id];
    fw_vec_push(&job->sorts, ((struct sort) { .kind = *kind }));
    couple = fw_strtab_intern(&job->couples, (const char *)key, sizeof key);
    if (couple == job->lists.len)
        fw_vec_push(&job->lists, ((struct numbers) { 0 }));
    fw_vec_push(&job->lists.at[couple], id);
    return &fw_vec_last(&job->sorts);
}

static void add_pair(struct job *job, uint32_t a1, uint32_t a2)
{
    const struct fw_event *x = &job->trace->events[a1], *y = &job->trace->events[a2];
    struct kind kind = { .thread = x->thread,
                         .variables = { x->target, y->target },
                         .kinds = { x->kind, y->kind } };
    struct sort *sort;

    if (!job->all) {
        kind.sites[0] = x->site;
        kind.sites[1] = y->site;
    }
    sort = sort_of(job, &kind);
    if (sort->count++ < KEEP || job->all)
        fw_vec_push(&sort->spans, ((struct fw_span) { a1, a2 }));
}

static void forget(struct recents *recent, uint32_t variable)
{
    for (size_t i = 0; i < recent->len; i++)
        if (recent->at[i].variable == variable) {
            memmove(recent->at + i, recent->at + i + 1, (recent->len - i - 1) * sizeof *recent->at);
            recent->len--;
            return;
        }
}

/* Pairs of this access with the latest ones to other variables since the last one to its own. */
static void visit(struct job *job, uint32_t at)
{
    const struct fw_event *event = &job->trace->events[at];
    struct recents *recent = &job->recent[event->thread];
    size_t from = 0;

    if (!is_access(event->kind) || !job->shared[event->target])
        return;
    if (fw_trace_says_again(job->trace, event)) {
        forget(recent, event->target);
        return;
    }
    while (from < recent->len && !fw_scopes_together(job->scopes, recent->at[from].event, at))
        from++;
    if (!job->all && recent->len - from > NEAR)
        from = recent->len - NEAR;
    if (from)
        memmove(recent->at, recent->at + from, (recent->len - from) * sizeof *recent->at);
    recent->len -= from;
    for (size_t i = 0; i < recent->len; i++)
        if (recent->at[i].variable == event->target) {
            for (size_t k = i + 1; k < recent->len; k++)
                add_pair(job, recent->at[k].event, at);
            memmove(recent->at + i, recent->at + i + 1, (recent->len - i - 1) * sizeof *recent->at);
            recent->at[recent->len - 1] = (struct recent) { event->target, at };
            return;
        }
    for (size_t i = 0; i < recent->len; i++)
        add_pair(job, recent->at[i].event, at);
    fw_vec_push(recent, ((struct recent) { event->target, at }));
}

/* --- against each other ------------------------------------------------------------------ */

static bool conflict(uint32_t a, uint32_t b)
{
    return fw_is_write(a) || fw_is_write(b);
}

/* Do the accesses to each variable conflict?  They are the same two variables. */
static bool fit(const struct kind *a, const struct kind *b)
{
    bool crossed = a->variables[0] != b->variables[0];

    return a->thread != b->thread && conflict(a->kinds[0], b->kinds[crossed]) &&
           conflict(a->kinds[1], b->kinds[!crossed]);
}

/* Does the thread hold a lock all the way from a1 to a2 that conflicts with the set? */
static bool is_protected(const struct job *job, struct fw_span a, uint32_t set)
{
    uint32_t thread = job->trace->events[a.first].thread;

    for (uint32_t p = job->index->in_thread[a.first]; p <= job->index->in_thread[a.last]; p++)
        if (fw_lock_sets_compatible(job->index,
                                    job->index->lock_set[fw_event_at(job->core, thread, p)], set))
            return false;
    return true;
}

static bool is_open(const struct job *job, struct fw_span a, struct fw_span b)
{
    if (b.first < a.first && fw_core_must_precede(job->core, b.first, a.first))
        return false;
    if (a.last < b.last && fw_core_must_precede(job->core, a.last, b.last))
        return false;
    return !is_protected(job, a, job->index->lock_set[b.first]) &&
           !is_protected(job, a, job->index->lock_set[b.last]);
}

static void match(struct job *job, const struct sort *a, const struct sort *b)
{
    const uint32_t sites[4] = { a->kind.sites[0], b->kind.sites[0], b->kind.sites[1],
                                a->kind.sites[1] };
    struct fw_gather_key key = { .claim = FW_CLAIM_ORDER, .label = label, .width = 4 };
    uint32_t bin = fw_gather_bin_of_sites(job->gather, &key, sites, 4, false, a->kind.variables[0]);
    uint64_t looked = (uint64_t)a->spans.len * b->spans.len, open = 0;

    if (bin == FW_GATHER_NONE) {
        fw_gather_skip(job->gather, a->count * b->count);
        return;
    }
    for (size_t i = 0; i < a->spans.len; i++)
        for (size_t k = 0; k < b->spans.len; k++) {
            struct fw_span x = a->spans.at[i], y = b->spans.at[k];

            if (!is_open(job, x, y))
                continue;
            fw_gather_add(job->gather, bin, (uint32_t[]) { x.first, y.first, y.last, x.last });
            open++;
        }
    if (open) /* those that were not kept may be open as well */
        open += a->count * b->count - looked;
    fw_gather_count(job->gather, bin, a->count * b->count, open);
}

static void match_all(struct job *job)
{
    for (size_t i = 0; i < job->lists.len; i++) {
        const struct numbers *list = &job->lists.at[i];

        for (size_t k = 0; k < list->len; k++)
            for (size_t n = 0; n < list->len; n++) {
                const struct sort *a = &job->sorts.at[list->at[k]];
                const struct sort *b = &job->sorts.at[list->at[n]];

                if (fit(&a->kind, &b->kind))
                    match(job, a, b);
            }
        if (list->len)
            fw_gather_close(job->gather, job->sorts.at[list->at[0]].kind.variables[0]);
    }
}

/* --- the whole --------------------------------------------------------------------------- */

static void release(struct job *job)
{
    for (uint32_t t = 0; t < fw_trace_thread_count(job->trace); t++)
        fw_vec_release(&job->recent[t]);
    for (size_t i = 0; i < job->sorts.len; i++)
        fw_vec_release(&job->sorts.at[i].spans);
    for (size_t i = 0; i < job->lists.len; i++)
        fw_vec_release(&job->lists.at[i]);
    fw_vec_release(&job->sorts);
    fw_vec_release(&job->lists);
    fw_strtab_release(&job->kinds);
    fw_strtab_release(&job->couples);
    free(job->recent);
    free(job->shared);
}

void fw_two_variables_gather(const struct fw_core *core, const struct fw_predict_options *options,
                             const struct fw_scopes *scopes, struct fw_gather *gather)
{
    const struct fw_index *index = fw_core_index(core);
    struct job job = { .core = core,
                       .index = index,
                       .trace = index->trace,
                       .scopes = scopes,
                       .gather = gather,
                       .all = options->pairs_all };

    find_shared(&job);
    job.recent = fw_xcalloc(fw_trace_thread_count(job.trace) + 1, sizeof *job.recent);
    fw_strtab_init(&job.kinds);
    fw_strtab_init(&job.couples);
    for (uint32_t i = 0; i < job.trace->count; i++)
        visit(&job, i);
    match_all(&job);
    release(&job);
}
