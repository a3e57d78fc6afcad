/*
 * iroot_pairs.c - see iroot_state.h: idioms of two dependencies.
 *
 * First the pairs of accesses that a thread makes of shared objects within the window, sorted by
 * what they have in common: thread, objects, static accesses, kinds.  Of each sort some are kept,
 * evenly spread over the run.  Then the sorts of the same two objects by different threads are
 * held against each other: S has p, T has q, the first of p and so on are P1, P2, Q1, Q2.
 *
 *     objects of p, q     S: A .  T: . .     idiom
 *     x x        x        P1 => Q1 => P2     2   p is tight; T has one access, Q1
 *     x x        x x      P1 => Q1, Q2 => P2 3   p is tight
 *     x y        x y      P1 => Q1, Q2 => P2 4   p is tight
 *     x y        y x      P1 => Q2, Q1 => P2 5
 *     x y        x y      P1 => Q1, P2 => Q2 6
 *     x y        y x      P1, Q1 take, P2, Q2 wait   5 as a deadlock; both hold on
 *
 * A pair is tight if its thread accesses neither object between the two.  A candidate is a pair of
 * each sort; those that a filter refutes (iroot_facts.c) are dropped.  Of two long sorts only those
 * are looked at that come near each other in the trace, and the others counted.
 *
 * Long traces have more pairs than can be looked at.  Then accesses that have been seen often are
 * passed over, and of the couples of objects on which a thread makes the same two accesses some are
 * kept, those first that another thread has, too.  From then on no compound iRoot is called
 * infeasible.
 */
#include "base/strtab.h"
#include "predict/iroot_state.h"

#define KEEP  32u    /* pairs of one sort */
#define NEAR  2u     /* pairs of another sort on either side that are held against one */
#define ALL   256u   /* with at most so many combinations all are looked at */
#define SLICE 16384u /* steps of work after which to return */

/* Where there is too much to see, from MANY pairs on. */
#define MANY    (1u << 22)
#define FEW     16u        /* so many of one access of one object by one thread, */
#define SOME    512u       /* so many of one access by one thread, */
#define COUPLES 4u         /* pairs of two accesses by one thread on so many couples of objects, */
#define MET     16u        /* or so many, if another thread has such a couple, too; */
#define SORTS   (1u << 20) /* and at most so many sorts */
#define COUNTS  (1u << 20) /* counters; a power of two.  If two share one, less is seen */

#define NO_OBJECT UINT32_MAX

enum {
    TIGHT = 1,
    HOLDS = 2, /* the first one takes a lock that is still held at the second */
};

/* What the pairs of a sort have in common; compared as bytes.  A single access is the first. */
struct kind {
    uint32_t thread;
    uint32_t objects[2];
    uint32_t accesses[2];
    uint8_t kinds[2];
    uint16_t flags;
};

struct sort {
    struct kind kind;
    FW_VEC(struct fw_span) spans; /* ascending */
    uint64_t count;               /* kept or not */
    uint32_t stride;              /* one of so many is kept */
};

FW_VEC_TYPE(numbers, uint32_t);
FW_VEC_TYPE(lists, struct numbers);

/* An access of a thread's window. */
struct recent {
    uint32_t event, ordinal;
};

struct fw_iroot_pairs {
    const struct fw_iroot_facts *facts;
    struct fw_iroot_roots *roots;
    const struct fw_predict_options *options;
    uint32_t window;
    uint32_t event;       /* the next one to visit */
    uint64_t visited;     /* pairs */
    uint16_t *times;      /* hash → how often one access was seen, by thread, perhaps by object */
    uint16_t *couples_of; /* hash → couples of objects of two accesses by one thread */
    struct recents {
        struct recent *at;
        uint32_t len, from, size;
    } * recent;             /* by thread */
    struct fw_strtab kinds; /* kind → sort */
    FW_VEC(struct sort) sorts;
    struct fw_strtab couples; /* two objects, ascending → list of sorts */
    struct lists lists;
    struct fw_strtab objects; /* an object → list of sorts of single accesses */
    struct lists singles;
    size_t list, first, second; /* where matching stands */
    uint32_t work;              /* since the last return */
};

static const struct fw_event *event_at(const struct fw_iroot_pairs *pairs, uint32_t e)
{
    return &pairs->facts->trace->events[e];
}

/* --- sorts ------------------------------------------------------------------------------- */

static void list_in(struct fw_strtab *keys, struct lists *lists, const uint32_t *key, size_t size,
                    uint32_t id)
{
    uint32_t at = fw_strtab_intern(keys, (const char *)key, size);

    if (at == lists->len)
        fw_vec_push(lists, ((struct numbers) { 0 }));
    fw_vec_push(&lists->at[at], id);
}

static uint16_t *counter(uint16_t *counters, const uint32_t *key, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return &counters[hash & (COUNTS - 1)];
}

/* Counts up; false: it is at its limit, or would be counted beyond what a counter holds. */
static bool count_up(uint16_t *count, uint32_t limit)
{
    if (*count >= limit || *count == UINT16_MAX)
        return false;
    ++*count;
    return true;
}

/* A sort more?  Couples that another thread has are what sorts are matched by. */
static bool has_room(struct fw_iroot_pairs *pairs, const struct kind *kind, bool met)
{
    uint32_t key[4] = { kind->thread, kind->accesses[0], kind->accesses[1], kind->flags };

    if (pairs->options->pairs_all)
        return true;
    if (pairs->sorts.len < SORTS &&
        (count_up(counter(pairs->couples_of, key, 4), met ? MET : COUPLES) ||
         pairs->visited < MANY))
        return true;
    pairs->roots->lost = true;
    return false;
}

/* Made if it is new; NULL: it would be one too many. */
static struct sort *sort_of(struct fw_iroot_pairs *pairs, const struct kind *kind)
{
    uint32_t id = fw_strtab_find(&pairs->kinds, (const char *)kind, sizeof *kind);
    uint32_t x = kind->objects[0], y = kind->objects[1];
    uint32_t key[2] = { x < y ? x : y, x < y ? y : x };
    bool single = y == NO_OBJECT;
    struct fw_strtab *keys = single ? &pairs->objects : &pairs->couples;
    size_t size = single ? sizeof *key : sizeof key;

    if (id != FW_STRTAB_NONE)
        return &pairs->sorts.at[id];
    if (!has_room(pairs, kind, fw_strtab_find(keys, (const char *)key, size) != FW_STRTAB_NONE))
        return NULL;
    id = fw_strtab_intern(&pairs->kinds, (const char *)kind, sizeof *kind);
    fw_vec_push(&pairs->sorts, ((struct sort) { .kind = *kind, .stride = 1 }));
    list_in(keys, single ? &pairs->singles : &pairs->lists, key, size, id);
    return &fw_vec_last(&pairs->sorts);
}

/* Every second one goes when there are too many. */
static void keep(const struct fw_iroot_pairs *pairs, struct sort *sort, struct fw_span span)
{
    if (!sort || sort->count++ % sort->stride)
        return;
    if (sort->spans.len == KEEP && !pairs->options->pairs_all) {
        for (uint32_t i = 0; i < KEEP / 2; i++)
            sort->spans.at[i] = sort->spans.at[i * 2];
        sort->spans.len = KEEP / 2;
        sort->stride *= 2;
        if ((sort->count - 1) % sort->stride)
            return;
    }
    fw_vec_push(&sort->spans, span);
}

static bool is_tight(const struct fw_iroot_facts *facts, uint32_t first, uint32_t second)
{
    const uint32_t *place = facts->index->in_thread;
    uint32_t behind = facts->behind[first], before = facts->before[second];

    return (behind == FW_NO_EVENT || place[behind] >= place[second]) &&
           (before == FW_NO_EVENT || place[before] <= place[first]);
}

static bool holds_on(const struct fw_iroot_facts *facts, uint32_t first, uint32_t second)
{
    uint32_t release = facts->index->partner[first];

    return fw_is_class(facts->trace->events[first].kind, FW_CLASS_ACQUIRE) &&
           fw_is_class(facts->trace->events[second].kind, FW_CLASS_BLOCKING) &&
           (release == FW_NO_EVENT ||
            facts->index->in_thread[release] > facts->index->in_thread[second]);
}

static void add_pair(struct fw_iroot_pairs *pairs, uint32_t first, uint32_t second)
{
    const struct fw_event *x = event_at(pairs, first), *y = event_at(pairs, second);
    struct kind kind = {
        .thread = x->thread,
        .objects = { fw_iroot_object(x), fw_iroot_object(y) },
        .accesses = { pairs->facts->accesses[first], pairs->facts->accesses[second] },
        .kinds = { (uint8_t)x->kind, (uint8_t)y->kind },
    };

    kind.flags = (uint16_t)((is_tight(pairs->facts, first, second) ? TIGHT : 0) |
                            (holds_on(pairs->facts, first, second) ? HOLDS : 0));
    if (fw_is_class(y->kind, FW_CLASS_REQUEST) && !(kind.flags & HOLDS))
        return;
    keep(pairs, sort_of(pairs, &kind), (struct fw_span) { first, second });
    pairs->visited++;
    pairs->work++;
}

static void add_single(struct fw_iroot_pairs *pairs, uint32_t e)
{
    struct kind kind = { .thread = event_at(pairs, e)->thread,
                         .objects = { fw_iroot_object(event_at(pairs, e)), NO_OBJECT },
                         .accesses = { pairs->facts->accesses[e] },
                         .kinds = { (uint8_t)event_at(pairs, e)->kind } };

    keep(pairs, sort_of(pairs, &kind), (struct fw_span) { e, e });
}

/* --- the window of a thread -------------------------------------------------------------- */

static void remember(struct recents *recent, uint32_t event, uint32_t ordinal)
{
    if (recent->len == recent->size && recent->from) {
        memmove(recent->at, recent->at + recent->from,
                (recent->len - recent->from) * sizeof *recent->at);
        recent->len -= recent->from;
        recent->from = 0;
    }
    if (recent->len * 2 >= recent->size) {
        recent->size = recent->size ? recent->size * 2 : 16;
        recent->at = fw_xrealloc(recent->at, recent->size, sizeof *recent->at);
    }
    recent->at[recent->len++] = (struct recent) { event, ordinal };
}

/* Has this access been seen often enough, where there is too much to see? */
static bool is_stale(struct fw_iroot_pairs *pairs, uint32_t e)
{
    const struct fw_event *event = event_at(pairs, e);
    uint32_t key[3] = { event->thread, pairs->facts->accesses[e], fw_iroot_object(event) };
    bool few = count_up(counter(pairs->times, key, 3), FEW); /* both are counted */
    bool some = count_up(counter(pairs->times, key, 2), SOME);

    if ((few && some) || pairs->visited < MANY || pairs->options->pairs_all)
        return false;
    pairs->roots->lost = true;
    return true;
}

static void visit(struct fw_iroot_pairs *pairs, uint32_t e)
{
    const struct fw_event *event = event_at(pairs, e);
    struct recents *recent = &pairs->recent[event->thread];
    uint32_t ordinal = pairs->facts->ordinal[e];
    bool request = fw_is_class(event->kind, FW_CLASS_REQUEST) && event->kind != FW_RELOCK;

    pairs->work++;
    if ((!fw_iroot_is_access(event->kind) && !request) ||
        pairs->facts->accesses[e] == FW_ACCESS_NONE ||
        !fw_iroot_shared(pairs->facts, fw_iroot_object(event)))
        return;
    while (recent->from < recent->len && ordinal - recent->at[recent->from].ordinal > pairs->window)
        recent->from++;
    if (!is_stale(pairs, e))
        for (uint32_t i = recent->from; i < recent->len; i++)
            add_pair(pairs, recent->at[i].event, e);
    if (request)
        return;
    add_single(pairs, e);
    remember(recent, e, ordinal);
}

/* --- sorts against each other ------------------------------------------------------------ */

/* An idiom of two sorts: its events are these of P1, P2, Q1, Q2. */
struct shape {
    uint8_t idiom;
    bool waits;
    uint8_t count;
    uint8_t events[4];
};

enum {
    P1,
    P2,
    Q1,
    Q2
};

static const struct shape shape_2 = { 2, false, 3, { P1, Q1, P2 } };
static const struct shape shape_3 = { 3, false, 4, { P1, Q1, Q2, P2 } };
static const struct shape shape_4 = { 4, false, 4, { P1, Q1, Q2, P2 } };
static const struct shape shape_5 = { 5, false, 4, { P1, Q2, Q1, P2 } };
static const struct shape shape_5w = { 5, true, 4, { P1, Q2, Q1, P2 } };
static const struct shape shape_6 = { 6, false, 4, { P1, Q1, P2, Q2 } };

static unsigned kind_at(const struct sort *p, const struct sort *q, uint8_t at)
{
    return (at < Q1 ? p : q)->kind.kinds[at % 2];
}

/* Do the kinds of its accesses allow the dependencies? */
static bool kinds_fit(const struct shape *shape, const struct sort *p, const struct sort *q)
{
    const uint8_t *at = shape->events;
    unsigned second = shape->count == 3 ? 1 : 2;

    if (shape->waits)
        return (fw_iroot_writes(p->kind.kinds[0]) || fw_iroot_writes(q->kind.kinds[1])) &&
               (fw_iroot_writes(q->kind.kinds[0]) || fw_iroot_writes(p->kind.kinds[1]));
    return fw_iroot_kinds_depend(kind_at(p, q, at[0]), kind_at(p, q, at[1])) &&
           fw_iroot_kinds_depend(kind_at(p, q, at[second]), kind_at(p, q, at[second + 1]));
}

static bool is_open(const struct fw_iroot_facts *facts, const struct shape *shape,
                    const uint32_t *events)
{
    unsigned second = shape->count == 3 ? 1 : 2;

    /* Stopped before D and B, neither thread must be past its stop for the other's sake. */
    if (shape->waits)
        return !fw_core_must_precede(facts->core, events[3], events[2]) &&
               !fw_core_must_precede(facts->core, events[1], events[0]);
    return fw_iroot_open(facts, events[0], events[1]) &&
           fw_iroot_open(facts, events[second], events[second + 1]);
}

/* The iRoot that all of these would be of. */
static struct fw_iroot iroot_of(const struct shape *shape, const struct sort *p,
                                const struct sort *q)
{
    struct fw_iroot iroot = { .idiom = shape->idiom, .waits = shape->waits };

    for (unsigned i = 0; i < shape->count; i++) {
        uint8_t at = shape->events[i];

        iroot.access[i] = (at < Q1 ? p : q)->kind.accesses[at % 2];
    }
    return iroot;
}

static void try_spans(struct fw_iroot_pairs *pairs, const struct shape *shape,
                      const struct fw_iroot *iroot, struct fw_span p, struct fw_span q)
{
    const uint32_t of[4] = { p.first, p.last, q.first, q.last };
    uint32_t events[4] = { 0 };

    for (unsigned i = 0; i < shape->count; i++)
        events[i] = of[shape->events[i]];
    pairs->work++;
    if (is_open(pairs->facts, shape, events))
        fw_iroot_add(pairs->roots, iroot, events);
}

static uint32_t first_behind(const struct sort *sort, uint32_t position)
{
    uint32_t low = 0, high = (uint32_t)sort->spans.len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sort->spans.at[middle].first < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void match(struct fw_iroot_pairs *pairs, const struct shape *shape, const struct sort *p,
                  const struct sort *q)
{
    bool all = p->spans.len * q->spans.len <= ALL || pairs->options->pairs_all;
    uint32_t count = (uint32_t)q->spans.len;
    struct fw_iroot iroot = iroot_of(shape, p, q);
    uint64_t looked = 0;

    if (!fw_iroot_wanted(pairs->options, shape->idiom) || !kinds_fit(shape, p, q) ||
        fw_iroot_set_has(pairs->facts->known, &iroot))
        return;
    if (fw_iroot_is_full(pairs->roots, &iroot)) {
        fw_iroot_leave(pairs->roots, &iroot, p->count * q->count);
        return;
    }
    for (uint32_t i = 0; i < p->spans.len; i++) {
        uint32_t at = all ? 0 : first_behind(q, p->spans.at[i].first);
        uint32_t from = at > NEAR ? at - NEAR : 0;
        uint32_t to = all || count - at < NEAR ? count : at + NEAR;

        for (uint32_t k = from; k < to; k++)
            try_spans(pairs, shape, &iroot, p->spans.at[i], q->spans.at[k]);
        looked += to - from;
    }
    fw_iroot_leave(pairs->roots, &iroot, p->count * q->count - looked);
}

/* p is S's, q is T's; sorts of pairs of the same two objects. */
static void match_as(struct fw_iroot_pairs *pairs, const struct sort *p, const struct sort *q)
{
    bool tight = p->kind.flags & TIGHT;

    if (p->kind.objects[0] == p->kind.objects[1]) {
        if (tight)
            match(pairs, &shape_3, p, q);
        return;
    }
    if (p->kind.objects[0] != q->kind.objects[0])
        return;
    if (tight)
        match(pairs, &shape_4, p, q);
    match(pairs, &shape_6, p, q);
}

/* Both ways round; idiom 5 is the same from both sides. */
static void match_sorts(struct fw_iroot_pairs *pairs, const struct sort *p, const struct sort *q)
{
    if (p->kind.thread == q->kind.thread)
        return;
    if (p->kind.objects[0] != q->kind.objects[0]) {
        match(pairs, &shape_5, p, q);
        if (p->kind.flags & q->kind.flags & HOLDS)
            match(pairs, &shape_5w, p, q);
        return;
    }
    match_as(pairs, p, q);
    match_as(pairs, q, p);
}

/* Idiom 2: p against the single accesses of its object. */
static void match_singles(struct fw_iroot_pairs *pairs, const struct sort *p)
{
    uint32_t at = fw_strtab_find(&pairs->objects, (const char *)p->kind.objects, sizeof(uint32_t));

    if (p->kind.objects[0] != p->kind.objects[1] || !(p->kind.flags & TIGHT) ||
        at == FW_STRTAB_NONE)
        return;
    for (size_t i = 0; i < pairs->singles.at[at].len; i++) {
        const struct sort *q = &pairs->sorts.at[pairs->singles.at[at].at[i]];

        if (q->kind.thread != p->kind.thread)
            match(pairs, &shape_2, p, q);
    }
}

/* False: all sorts have been matched. */
static bool match_some(struct fw_iroot_pairs *pairs)
{
    while (pairs->list < pairs->lists.len && pairs->work < SLICE) {
        const struct numbers *list = &pairs->lists.at[pairs->list];

        if (pairs->first == list->len) {
            pairs->list++;
            pairs->first = pairs->second = 0;
            continue;
        }
        if (pairs->second == pairs->first) {
            match_singles(pairs, &pairs->sorts.at[list->at[pairs->first++]]);
            pairs->second = 0;
            continue;
        }
        match_sorts(pairs, &pairs->sorts.at[list->at[pairs->first]],
                    &pairs->sorts.at[list->at[pairs->second++]]);
        pairs->work++;
    }
    return pairs->list < pairs->lists.len;
}

/* --- the whole --------------------------------------------------------------------------- */

struct fw_iroot_pairs *fw_iroot_pairs_create(const struct fw_iroot_facts *facts,
                                             struct fw_iroot_roots *roots,
                                             const struct fw_predict_options *options)
{
    struct fw_iroot_pairs *pairs = fw_xcalloc(1, sizeof *pairs);

    pairs->facts = facts;
    pairs->roots = roots;
    pairs->options = options;
    pairs->window = options->window ? options->window : FW_IROOT_WINDOW;
    pairs->recent = fw_xcalloc((size_t)facts->core->threads + 1, sizeof *pairs->recent);
    pairs->times = fw_xcalloc(COUNTS, sizeof *pairs->times);
    pairs->couples_of = fw_xcalloc(COUNTS, sizeof *pairs->couples_of);
    fw_strtab_init(&pairs->kinds);
    fw_strtab_init(&pairs->couples);
    fw_strtab_init(&pairs->objects);
    return pairs;
}

static void release_lists(struct lists *lists)
{
    for (size_t i = 0; i < lists->len; i++)
        fw_vec_release(&lists->at[i]);
    fw_vec_release(lists);
}

void fw_iroot_pairs_destroy(struct fw_iroot_pairs *pairs)
{
    if (!pairs)
        return;
    for (uint32_t t = 0; t < pairs->facts->core->threads; t++)
        free(pairs->recent[t].at);
    for (size_t i = 0; i < pairs->sorts.len; i++)
        fw_vec_release(&pairs->sorts.at[i].spans);
    release_lists(&pairs->lists);
    release_lists(&pairs->singles);
    fw_vec_release(&pairs->sorts);
    free(pairs->times);
    free(pairs->couples_of);
    fw_strtab_release(&pairs->kinds);
    fw_strtab_release(&pairs->couples);
    fw_strtab_release(&pairs->objects);
    free(pairs->recent);
    free(pairs);
}

bool fw_iroot_pairs_work(struct fw_iroot_pairs *pairs)
{
    pairs->work = 0;
    while (pairs->event < pairs->facts->trace->count && pairs->work < SLICE)
        visit(pairs, pairs->event++);
    return pairs->event < pairs->facts->trace->count || match_some(pairs);
}
