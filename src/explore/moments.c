/* moments.c - see moments.h. */
#include "explore/moments.h"

#include "base/alloc.h"
#include "trace/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1000u /* events among which those of one moment are looked for */

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
           fw_variable_is_order(symbols, event->target);
}

static void add_batch(struct fw_moments *moments, const struct fw_symbols *symbols,
                      const struct fw_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct fw_event *event = &batch->events[i];
        uint64_t index = fw_batch_index(batch, i);

        fw_vec_extend(&moments->events, (size_t)index + 1);
        moments->events.at[index] =
            (struct fw_moment) { .site = event->site,
                                 .thread = event->thread,
                                 .kind = event->kind & 0xff,
                                 .annotated = is_annotation(symbols, event) };
        if (event->kind == FW_FORK)
            note_fork(moments, event);
        if (event->kind == FW_JOIN)
            fw_vec_push(&moments->joins, ((struct fw_join) { index, event->target }));
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

uint64_t fw_moments_blocks(const struct fw_moments *moments, uint64_t index)
{
    return fw_positions_at(moments->positions, moments->events.at[index].thread, index);
}

/* Is the site in a module? */
static bool is_known(const struct fw_moments *moments, uint32_t site)
{
    return site && strstr(fw_symbols_name(moments->symbols, FW_SPACE_SITE, site), "+0x");
}

bool fw_moments_has_place(const struct fw_moments *moments, uint64_t index)
{
    unsigned kind = moments->events.at[index].kind;

    return is_known(moments, moments->events.at[index].site) && kind != FW_CALL &&
           kind != FW_RETURN && kind != FW_BRANCH &&
           fw_moments_blocks(moments, index) != FW_NO_POSITION;
}

bool fw_moments_same(const struct fw_moments *moments, uint64_t a, uint64_t b)
{
    const struct fw_moment *first = &moments->events.at[a], *second = &moments->events.at[b];

    return first->thread == second->thread && first->site == second->site &&
           fw_moments_blocks(moments, a) == fw_moments_blocks(moments, b);
}

/* --- landmarks ------------------------------------------------------------------------------- */

static bool is_landmark(const struct fw_moments *moments, uint64_t index)
{
    const struct fw_moment *moment = &moments->events.at[index];
    bool lasts = moment->annotated || (moment->kind >= FW_ACQUIRE && moment->kind <= FW_JOIN);

    return lasts && fw_moments_has_place(moments, index);
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
        const struct fw_moment *moment = &moments->events.at[i];
        struct fw_landmarks *list;

        if (!is_landmark(moments, i))
            continue;
        fw_vec_extend(&moments->landmarks, (size_t)moment->thread + 1);
        list = &moments->landmarks.at[moment->thread];
        if (list->len && fw_moments_same(moments, list->at[list->len - 1].event, i))
            continue;
        fw_vec_push(list, ((struct fw_landmark) {
                              .event = i,
                              .blocks = fw_moments_blocks(moments, i),
                              .ordinal = count_up(&counters, moment->thread, moment->site) }));
    }
    free(counters.at);
}

const struct fw_landmark *fw_moments_landmark(const struct fw_moments *moments, uint64_t index)
{
    uint32_t thread = moments->events.at[index].thread;
    const struct fw_landmarks *list;
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
    fw_vec_release(&moments->joins);
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
uint32_t fw_moments_site(const struct fw_moments *moments, uint64_t index,
                         struct fw_session *session)
{
    const struct fw_moment *moment = &moments->events.at[index];
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

uint64_t fw_moments_start(const struct fw_moments *moments, uint64_t index)
{
    uint64_t first = index;

    for (uint64_t i = index; i-- > 0 && index - i < NEAR;) {
        if (moments->events.at[i].thread != moments->events.at[index].thread)
            continue;
        if (!fw_moments_has_place(moments, i) || !fw_moments_same(moments, i, index))
            break;
        first = i;
    }
    return first;
}

uint32_t fw_moments_joined(const struct fw_moments *moments, uint64_t index)
{
    size_t low = 0, high = moments->joins.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (moments->joins.at[middle].event < index)
            low = middle + 1;
        else
            high = middle;
    }
    return moments->joins.at[low].child;
}
