/* witness.c - see witness.h. */
#include "explore/witness.h"

#include "base/alloc.h"
#include "trace/positions.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct moment {
    uint32_t site; /* in the raw symbols */
    uint32_t thread : 20;
    uint32_t kind : 8;
    uint32_t annotated : 1; /* an order that the program or an interceptor has told */
};

/* An event of a thread that is never left out, by which its position is counted anew. */
struct landmark {
    uint64_t event, blocks;
    uint64_t ordinal; /* among moments of its thread at its site */
};

FW_VEC_TYPE(landmarks, struct landmark);

struct fw_moments {
    FW_VEC(struct moment) events; /* by index */
    FW_VEC(struct landmarks) landmarks; /* by thread id, ascending */
    struct fw_symbols *symbols;
    struct fw_positions *positions;
    struct fw_paths paths;        /* by thread id: the same numbers serve as paths */
    FW_VEC(uint32_t) children;    /* by thread id: forks so far */
};

/* --- reading --------------------------------------------------------------------------------- */

static void note_fork(struct fw_moments *moments, const struct fw_event *fork)
{
    size_t needed = (fork->target > fork->thread ? fork->target : fork->thread) + (size_t)1;

    fw_vec_extend(&moments->children, needed);
    fw_vec_extend(&moments->paths, needed);
    moments->paths.at[fork->target] =
        (struct fw_control_path) { fork->thread, ++moments->children.at[fork->thread] };
}

static bool is_annotation(const struct fw_symbols *symbols, const struct fw_event *event)
{
    return (event->kind == FW_ATOMIC_RMW || event->kind == FW_ATOMIC_LOAD) &&
           strncmp(fw_symbols_name(symbols, FW_SPACE_VARIABLE, event->target), "hb:", 3) == 0;
}

static void add_batch(struct fw_moments *moments, const struct fw_symbols *symbols,
                      const struct fw_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct fw_event *event = &batch->events[i];
        uint64_t index = fw_batch_index(batch, i);

        fw_vec_extend(&moments->events, (size_t)index + 1);
        moments->events.at[index] =
            (struct moment) { .site = event->site,
                              .thread = event->thread,
                              .kind = event->kind & 0xff,
                              .annotated = is_annotation(symbols, event) };
        if (event->kind == FW_FORK)
            note_fork(moments, event);
    }
}

static int read_events(struct fw_moments *moments, const char *path, struct fw_error *err)
{
    struct fw_read_options options = { 0 };
    struct fw_reader *reader;
    struct fw_batch batch;
    int got;

    if (fw_reader_open(&reader, path, &options, err) < 0)
        return -1;
    while ((got = fw_reader_next(reader, &batch, err)) > 0)
        add_batch(moments, fw_reader_symbols(reader), &batch);
    moments->symbols = fw_reader_take_symbols(reader);
    fw_reader_close(reader);
    return got;
}

/* --- moments --------------------------------------------------------------------------------- */

static uint64_t blocks_at(const struct fw_moments *moments, uint64_t index)
{
    return fw_positions_at(moments->positions, moments->events.at[index].thread, index);
}

/* Is the site in a module? */
static bool is_known(const struct fw_moments *moments, uint32_t site)
{
    return site && strstr(fw_symbols_name(moments->symbols, FW_SPACE_SITE, site), "+0x");
}

/* Was it made by a hook or call that the program makes, not by bookkeeping? */
static bool has_place(const struct fw_moments *moments, uint64_t index)
{
    unsigned kind = moments->events.at[index].kind;

    return is_known(moments, moments->events.at[index].site) && kind != FW_CALL &&
           kind != FW_RETURN && kind != FW_BRANCH && blocks_at(moments, index) != FW_NO_POSITION;
}

static bool is_same_moment(const struct fw_moments *moments, uint64_t a, uint64_t b)
{
    const struct moment *first = &moments->events.at[a], *second = &moments->events.at[b];

    return first->thread == second->thread && first->site == second->site &&
           blocks_at(moments, a) == blocks_at(moments, b);
}

/* --- landmarks ------------------------------------------------------------------------------- */

static bool is_landmark(const struct fw_moments *moments, uint64_t index)
{
    const struct moment *moment = &moments->events.at[index];
    bool lasts = moment->annotated || (moment->kind >= FW_ACQUIRE && moment->kind <= FW_JOIN);

    return lasts && has_place(moments, index);
}

/* A thread is at a site for the so-manieth time: by hash of both, open addressing. */
struct counter {
    uint64_t key, count;
};

struct counters {
    struct counter *at;
    size_t size; /* a power of two */
};

static uint64_t count_up(struct counters *counters, uint32_t thread, uint32_t site)
{
    uint64_t key = ((uint64_t)thread << 32 | site) + 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (counters->size - 1);

    while (counters->at[i].key && counters->at[i].key != key)
        i = (i + 1) & (counters->size - 1);
    counters->at[i].key = key;
    return ++counters->at[i].count;
}

static void find_landmarks(struct fw_moments *moments)
{
    size_t pairs = fw_symbols_count(moments->symbols, FW_SPACE_THREAD) *
                   (size_t)fw_symbols_count(moments->symbols, FW_SPACE_SITE);
    struct counters counters = { .size = 64 };

    while (counters.size < 2 * pairs && counters.size < 4 * moments->events.len)
        counters.size *= 2;
    counters.at = fw_xcalloc(counters.size, sizeof *counters.at);
    for (uint64_t i = 0; i < moments->events.len; i++) {
        const struct moment *moment = &moments->events.at[i];
        struct landmarks *list;

        if (!is_landmark(moments, i))
            continue;
        fw_vec_extend(&moments->landmarks, (size_t)moment->thread + 1);
        list = &moments->landmarks.at[moment->thread];
        if (list->len && is_same_moment(moments, list->at[list->len - 1].event, i))
            continue;
        fw_vec_push(list, ((struct landmark) {
                              .event = i,
                              .blocks = blocks_at(moments, i),
                              .ordinal = count_up(&counters, moment->thread, moment->site) }));
    }
    free(counters.at);
}

/* The thread's latest landmark up to the event; NULL: none. */
static const struct landmark *landmark_before(const struct fw_moments *moments, uint64_t index)
{
    uint32_t thread = moments->events.at[index].thread;
    const struct landmarks *list;
    size_t low = 0, high;

    if (thread >= moments->landmarks.len)
        return NULL;
    list = &moments->landmarks.at[thread];
    high = list->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->at[middle].event <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &list->at[low - 1] : NULL;
}

struct fw_moments *fw_moments_load(const char *path, struct fw_error *err)
{
    struct fw_moments *moments = fw_xcalloc(1, sizeof *moments);

    moments->positions = fw_positions_load(path, err);
    if (moments->positions && read_events(moments, path, err) == 0) {
        fw_vec_extend(&moments->paths, 1);
        find_landmarks(moments);
        return moments;
    }
    fw_moments_destroy(moments);
    return NULL;
}

void fw_moments_destroy(struct fw_moments *moments)
{
    if (!moments)
        return;
    fw_vec_release(&moments->events);
    fw_vec_release(&moments->paths);
    fw_vec_release(&moments->children);
    for (size_t i = 0; i < moments->landmarks.len; i++)
        fw_vec_release(&moments->landmarks.at[i]);
    fw_vec_release(&moments->landmarks);
    fw_positions_destroy(moments->positions);
    if (moments->symbols)
        fw_symbols_destroy(moments->symbols);
    free(moments);
}

static const char *operation(unsigned kind)
{
    switch (kind) {
    case FW_READ:
        return "read";
    case FW_WRITE:
        return "write";
    default: /* one of several: a load, a compare-exchange that failed, an annotation */
        return "";
    }
}

/* "PATH+0xOFFSET", where OFFSET is that of the last byte of the call. */
static uint32_t site_of(const struct fw_moments *moments, uint64_t index,
                        struct fw_session *session)
{
    const struct moment *moment = &moments->events.at[index];
    const char *name = fw_symbols_name(moments->symbols, FW_SPACE_SITE, moment->site);
    const char *plus = strrchr(name, '+');
    uint64_t offset;
    uint32_t site;
    char *path;

    if (!plus || sscanf(plus, "+0x%" SCNx64, &offset) != 1)
        return FW_CONTROL_NONE;
    path = fw_xstrndup(name, (size_t)(plus - name));
    site = fw_session_add_site(session, path, offset + 1, operation(moment->kind));
    free(path);
    return site;
}

#define FAR  100000u /* events behind the witness that are looked at */
#define NEAR 1000u /* events among which those of one moment are looked for */

/* --- steps ----------------------------------------------------------------------------------- */

struct builder {
    const struct fw_moments *moments;
    struct fw_session *session;
    struct fw_steps *steps;
    FW_VEC(uint64_t) begun; /* by thread: 1 + the latest event whose moment it has begun */
    FW_VEC(uint64_t) aligned; /* by thread: 1 + the event of the latest landmark it was led to */
    struct fw_error *err;
};

static struct fw_control_step *add_step(struct builder *b, uint32_t thread, enum fw_step_how how)
{
    fw_vec_push(b->steps, ((struct fw_control_step) { .path = thread, .how = (uint8_t)how }));
    return &b->steps->at[b->steps->len - 1];
}

static uint64_t *begun(struct builder *b, uint32_t thread)
{
    fw_vec_extend(&b->begun, (size_t)thread + 1);
    return &b->begun.at[thread];
}

/* A repeated write is told when it is over; the one that it repeats has the same site and was made
 * by the same thread just before.  Returns an event with a place, or the event itself. */
static uint64_t placed_twin(const struct fw_moments *moments, uint64_t index)
{
    const struct moment *moment = &moments->events.at[index];

    for (uint64_t i = index + 1; i-- > 0;) {
        const struct moment *earlier = &moments->events.at[i];

        if (earlier->thread == moment->thread && earlier->site == moment->site &&
            earlier->kind == moment->kind && has_place(moments, i))
            return i;
    }
    return index;
}

/* The thread's steps to just before the event: by its latest landmark, and from there. */
static struct fw_control_step *lead_to(struct builder *b, uint64_t index, uint32_t site)
{
    uint32_t thread = b->moments->events.at[index].thread;
    const struct landmark *mark = landmark_before(b->moments, index);
    struct fw_control_step *step = NULL;

    fw_vec_extend(&b->aligned, (size_t)thread + 1);
    if (mark && b->aligned.at[thread] != mark->event + 1) {
        uint32_t at = site_of(b->moments, mark->event, b->session);

        step = add_step(b, thread, FW_STEP_SITE);
        step->site = at;
        step->ordinal = mark->ordinal;
        b->aligned.at[thread] = mark->event + 1;
        if (is_same_moment(b->moments, mark->event, index))
            return step;
    }
    step = add_step(b, thread, FW_STEP_BLOCKS);
    step->site = site;
    step->ordinal = blocks_at(b->moments, index) - (mark ? mark->blocks : 0);
    return step;
}

/* The first event of the moment that the event belongs to. */
static uint64_t moment_start(const struct fw_moments *moments, uint64_t index)
{
    uint64_t first = index;

    for (uint64_t i = index; i-- > 0 && index - i < NEAR;) {
        if (moments->events.at[i].thread != moments->events.at[index].thread)
            continue;
        if (!has_place(moments, i) || !is_same_moment(moments, i, index))
            break;
        first = i;
    }
    return first;
}

/* The thread runs until the event is next: it has not begun what makes it. */
static int until_before(struct builder *b, uint64_t event, int goal)
{
    uint64_t index = moment_start(b->moments, placed_twin(b->moments, event));
    uint32_t site = has_place(b->moments, index) ? site_of(b->moments, index, b->session)
                                                 : FW_CONTROL_NONE;
    struct fw_control_step *step;

    if (site == FW_CONTROL_NONE)
        return fw_error_set(b->err, "event %" PRIu64 " has no place in the program", index);
    step = lead_to(b, index, site);
    if (goal >= 0) {
        step->flags = FW_STEP_GOAL;
        step->goal = (uint16_t)goal;
    }
    return 0;
}

static bool has_begun(struct builder *b, uint64_t index)
{
    uint64_t last = *begun(b, b->moments->events.at[index].thread);

    return last && is_same_moment(b->moments, last - 1, index);
}

/* The thread runs until the event is done. */
static int through(struct builder *b, uint64_t index, int goal)
{
    uint32_t thread = b->moments->events.at[index].thread;

    if (!has_begun(b, index) && until_before(b, index, goal) < 0)
        return -1;
    add_step(b, thread, FW_STEP_ONE);
    *begun(b, thread) = index + 1;
    return 0;
}

/* The latest event of order[from..to] with a place; `to` + 1 if there is none. */
static size_t last_placed(const struct fw_moments *moments, const uint64_t *order, size_t from,
                          size_t to)
{
    for (size_t i = to + 1; i > from; i--)
        if (has_place(moments, order[i - 1]))
            return i - 1;
    return to + 1;
}

static int goal_of(const struct fw_shown *witness, uint64_t index)
{
    for (size_t i = 0; i < witness->event_count && i < FW_CONTROL_GOALS; i++)
        if (witness->events[i] == index)
            return (int)i;
    return -1;
}

/* Does a stretch end behind order[i]: another thread comes next, or a goal is here or next? */
static bool ends_stretch(const struct fw_moments *moments, const struct fw_shown *witness,
                         size_t count, size_t i)
{
    if (i + 1 == count || goal_of(witness, witness->order[i]) >= 0)
        return true;
    return moments->events.at[witness->order[i]].thread !=
           moments->events.at[witness->order[i + 1]].thread;
}

/* An access of a race may belong to a call that has told of something else already: then the call
 * as a whole is what comes next, and is not begun. */
static bool is_held(const struct builder *b, const struct fw_shown *witness, uint64_t index)
{
    for (size_t i = 0; i < witness->event_count && witness->claim == FW_CLAIM_RACE; i++)
        if (is_same_moment(b->moments, index, witness->events[i]))
            return true;
    return false;
}

/* A stretch of one thread that ends with the event. */
static int add_stretch(struct builder *b, const struct fw_shown *witness, uint64_t index)
{
    if (is_held(b, witness, index))
        return until_before(b, index, -1);
    return through(b, index, goal_of(witness, index));
}

static int add_order(struct builder *b, const struct fw_shown *witness, size_t count)
{
    size_t from = 0;

    for (size_t i = 0; i < count; i++) {
        size_t last;

        if (!ends_stretch(b->moments, witness, count, i))
            continue;
        last = last_placed(b->moments, witness->order, from, i);
        if (last <= i && add_stretch(b, witness, witness->order[last]) < 0)
            return -1;
        from = i + 1;
    }
    return 0;
}

/* Both accesses next, then one after the other. */
static int add_race(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    const uint64_t *events = witness->events;

    for (int i = 0; i < 2; i++)
        if (until_before(b, events[i], i) < 0)
            return -1;
    for (int i = 0; i < 2; i++)
        add_step(b, b->moments->events.at[events[variant & 1 ? 1 - i : i]].thread, FW_STEP_ONE);
    return 0;
}

/* Each one at its acquire, then each one tries. */
static int add_deadlock(struct builder *b, const struct fw_shown *witness)
{
    for (size_t i = 0; i < witness->event_count; i++)
        if (!has_begun(b, witness->events[i]) &&
            until_before(b, witness->events[i], (int)(i % FW_CONTROL_GOALS)) < 0)
            return -1;
    for (size_t i = 0; i < witness->event_count; i++)
        add_step(b, b->moments->events.at[witness->events[i]].thread, FW_STEP_AWAY);
    return 0;
}

/* The n-th of the threads that did not make the last step: the finding's first, then all others,
 * the main one last; from the beginning again behind the last. */
static uint32_t other_thread(const struct builder *b, const struct fw_shown *witness, size_t n)
{
    uint32_t last = b->steps->at[b->steps->len - 1].path;
    size_t threads = b->moments->paths.len, wanted = n % (threads > 1 ? threads - 1 : 1), seen = 0;

    for (size_t i = 0; i < witness->event_count + threads; i++) {
        bool of_finding = i < witness->event_count;
        uint32_t thread = of_finding ? b->moments->events.at[witness->events[i]].thread
                                     : (uint32_t)((i - witness->event_count + 1) % threads);
        bool known = thread == last;

        for (size_t j = 0; j < i && j < witness->event_count; j++)
            known |= b->moments->events.at[witness->events[j]].thread == thread;
        if (!known && seen++ == wanted)
            return thread;
    }
    return last;
}

/* The thread of the event, the last one of the witness, leaves the section it may be in: others
 * could not do much until then. */
static void leave_section(struct builder *b, uint64_t event)
{
    const struct fw_moments *moments = b->moments;

    for (uint64_t i = event + 1; i < moments->events.len && i - event < FAR; i++)
        if (moments->events.at[i].thread == moments->events.at[event].thread &&
            fw_is_class(moments->events.at[i].kind, FW_CLASS_RELEASE) && has_place(moments, i)) {
            through(b, i, -1);
            return;
        }
}

/* Who runs next: the one who made the last step; or another one, at once or after the next release
 * of a lock. */
static void add_continuation(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    uint32_t last, other;

    if (!variant || witness->claim == FW_CLAIM_DEADLOCK || !witness->order_count || !b->steps->len)
        return;
    last = b->steps->at[b->steps->len - 1].path;
    other = other_thread(b, witness, (variant - 1) / 2);
    if (variant % 2)
        leave_section(b, witness->order[witness->order_count - 1]);
    if (other && b->moments->paths.at[other].parent != last)
        add_step(b, b->moments->paths.at[other].parent, FW_STEP_AWAY); /* it may not be born yet */
    add_step(b, other, FW_STEP_AWAY);
}

static int check_indices(const struct fw_moments *moments, const uint64_t *indices, size_t count,
                         struct fw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= moments->events.len)
            return fw_error_set(err, "the trace has no event %" PRIu64, indices[i]);
    return 0;
}

static int add_all(struct builder *b, const struct fw_shown *witness, unsigned variant)
{
    bool is_race = witness->claim == FW_CLAIM_RACE && witness->event_count == 2;
    size_t count = witness->order_count - (is_race && witness->order_count >= 2 ? 2 : 0);

    if (add_order(b, witness, count) < 0 || (is_race && add_race(b, witness, variant) < 0) ||
        (witness->claim == FW_CLAIM_DEADLOCK && add_deadlock(b, witness) < 0))
        return -1;
    add_continuation(b, witness, is_race ? variant / 2 : variant);
    return 0;
}

int fw_witness_steps(const struct fw_moments *moments, const struct fw_shown *witness,
                     unsigned variant, struct fw_session *session, struct fw_steps *steps,
                     struct fw_paths *paths, struct fw_error *err)
{
    struct builder b = { .moments = moments, .session = session, .steps = steps, .err = err };
    int status;

    if (check_indices(moments, witness->order, witness->order_count, err) < 0 ||
        check_indices(moments, witness->events, witness->event_count, err) < 0)
        return -1;
    paths->len = steps->len = 0;
    for (size_t i = 0; i < moments->paths.len; i++)
        fw_vec_push(paths, moments->paths.at[i]);
    status = add_all(&b, witness, variant);
    fw_vec_release(&b.begun);
    fw_vec_release(&b.aligned);
    return status;
}
