/*
 * prop_record.c - what the recorder keeps, compared with a model that looks at single bytes.
 *
 * Random raw records: accesses of any size at any place, allocations that overlap what was there,
 * blocks that grow and shrink, mappings, stacks.  The model knows of every byte in every life who
 * touched it.  Then, of the trace that is made of them:
 *   - an access has events for exactly its bytes that two threads touched in this life, in order;
 *   - an event's variable is a range of bytes in one life, the same for all its events;
 *   - variables do not overlap.
 *
 *     FOREWEAVE_COUNT=N, FOREWEAVE_SEED=N, FOREWEAVE_FIRST=N as in property.h
 */
#include "record/lives.h"
#include "support/random.h"
#include "support/raw.h"

#include <inttypes.h>
#include <stdio.h>

#define SPACE   8192u /* bytes of memory there are ... */
#define BASE    UINT64_C(0x10000f00) /* ... from here on, across chunks */
#define THREADS 4u

/* One byte in one life. */
struct cell {
    unsigned threads;  /* bits */
    uint32_t variable; /* + 1; 0: none yet */
};

FW_VEC_TYPE(cells, struct cell);

struct model {
    struct cells cells;
    uint32_t now[SPACE]; /* the cell of each byte in its present life */
};

/* A variable as its events show it. */
struct shown {
    uint32_t first_cell; /* + 1; 0: not yet */
    uint64_t size;
};

struct sample {
    struct raw raw;
    struct fw_random random;
    struct {
        uint64_t start, bytes;
    } blocks[64]; /* heap blocks that live */
    unsigned block_count;
};

/* --- making records -------------------------------------------------------------------------- */

static uint64_t somewhere(struct sample *s, unsigned align)
{
    /* Half of the time in a small part, so that things meet. */
    uint32_t room = fw_random_percent(&s->random, 50) ? 128 : SPACE - 256;

    return (BASE + fw_random_below(&s->random, room)) & ~(uint64_t)(align - 1);
}

static void make_access(struct sample *s)
{
    static const unsigned sizes[] = { 1, 2, 4, 8, 8, 4, 16, 3, 7, 12 };
    static const enum fw_wire_kind kinds[] = { FW_WIRE_READ, FW_WIRE_WRITE, FW_WIRE_READ,
                                               FW_WIRE_ATOMIC_LOAD, FW_WIRE_ATOMIC_STORE,
                                               FW_WIRE_ATOMIC_RMW };
    unsigned size = sizes[fw_random_below(&s->random, sizeof sizes / sizeof *sizes)];
    unsigned align = fw_random_percent(&s->random, 70) && !(size & (size - 1)) ? size : 1;
    enum fw_wire_kind kind = kinds[fw_random_below(&s->random, sizeof kinds / sizeof *kinds)];

    raw_put(&s->raw, kind, somewhere(s, align), size, 5, 0x400000);
}

static void make_range(struct sample *s)
{
    static const unsigned most[] = { 8, 64, 200, 2500 };
    uint64_t bytes = fw_random_below(&s->random, most[fw_random_below(&s->random, 4)]);
    uint64_t at = somewhere(s, fw_random_percent(&s->random, 60) ? 8 : 1);

    if (at + bytes > BASE + SPACE)
        bytes = BASE + SPACE - at;
    raw_put_more(&s->raw, fw_random_percent(&s->random, 50) ? FW_WIRE_READ_RANGE
                                                            : FW_WIRE_WRITE_RANGE,
                 at, bytes, 0, 0x400010);
}

/* Blocks that overlap a range end: nobody frees them any more. */
static void end_blocks(struct sample *s, uint64_t start, uint64_t bytes)
{
    for (unsigned i = 0; i < s->block_count;) {
        uint64_t end = (s->blocks[i].start + s->blocks[i].bytes + 7) & ~UINT64_C(7);

        if (s->blocks[i].start < start + bytes + 8 && end + 8 > start)
            s->blocks[i] = s->blocks[--s->block_count];
        else
            i++;
    }
}

static void make_block(struct sample *s)
{
    uint64_t at = somewhere(s, fw_random_percent(&s->random, 90) ? 16 : 1);
    uint64_t bytes = fw_random_below(&s->random, fw_random_percent(&s->random, 80) ? 80 : 2000);

    if (at + bytes > BASE + SPACE)
        return;
    end_blocks(s, at, bytes);
    raw_put_more(&s->raw, FW_WIRE_ALLOC, at, bytes, 0, 0x400020);
    if (s->block_count == 64)
        return;
    s->blocks[s->block_count].start = at;
    s->blocks[s->block_count++].bytes = bytes;
}

static void use_block(struct sample *s)
{
    unsigned i;
    uint64_t bytes = fw_random_below(&s->random, 200), start;

    if (!s->block_count)
        return;
    i = fw_random_below(&s->random, s->block_count);
    start = s->blocks[i].start;
    if (fw_random_percent(&s->random, 30) && start + bytes <= BASE + SPACE) {
        end_blocks(s, start, bytes);
        raw_put_more(&s->raw, FW_WIRE_RESIZE, start, bytes, 0, 0x400030);
        s->blocks[s->block_count].start = start;
        s->blocks[s->block_count++].bytes = bytes;
        return;
    }
    raw_put(&s->raw, FW_WIRE_FREE, start, 0, 0, 0x400040);
    s->blocks[i] = s->blocks[--s->block_count];
}

static void make_map(struct sample *s)
{
    static const enum fw_wire_kind kinds[] = { FW_WIRE_MAP, FW_WIRE_UNMAP };
    uint64_t at = somewhere(s, fw_random_percent(&s->random, 50) ? 1024 : 64);
    uint64_t bytes = 64 * fw_random_below(&s->random, 40);

    if (fw_random_percent(&s->random, 10)) { /* of the large sort */
        at = (BASE + fw_random_below(&s->random, SPACE)) & ~UINT64_C(7);
        bytes = UINT64_C(2) << 20;
    } else if (at < BASE || at + bytes > BASE + SPACE) {
        return;
    }
    end_blocks(s, at, bytes);
    if (fw_random_percent(&s->random, 20))
        raw_put_more(&s->raw, FW_WIRE_START, 0, at, bytes, 0);
    else
        raw_put_more(&s->raw, kinds[fw_random_below(&s->random, 2)], at, bytes, 0, 0x400050);
}

static void make_records(struct sample *s, uint64_t seed)
{
    unsigned count;

    memset(s, 0, sizeof *s);
    fw_random_init(&s->random, seed);
    count = fw_random_between(&s->random, 5, 150);
    for (unsigned i = 1; i < THREADS; i++)
        raw_put(&s->raw, FW_WIRE_FORK, i, 0, 0, 0);
    for (unsigned i = 0; i < count; i++) {
        unsigned dice = fw_random_below(&s->random, 100);

        if (dice < 20)
            raw_switch(&s->raw, fw_random_below(&s->random, THREADS));
        else if (dice < 70)
            make_access(s);
        else if (dice < 80)
            make_range(s);
        else if (dice < 88)
            make_block(s);
        else if (dice < 96)
            use_block(s);
        else
            make_map(s);
    }
}

/* --- the model ------------------------------------------------------------------------------- */

static uint32_t *cell_at(struct model *m, uint64_t address)
{
    return address >= BASE && address < BASE + SPACE ? &m->now[address - BASE] : NULL;
}

static void begin_life(struct model *m, const struct fw_life *life)
{
    for (uint64_t at = BASE; at < BASE + SPACE; at++)
        if (at / 8 >= life->word && at / 8 < life->end) {
            *cell_at(m, at) = (uint32_t)m->cells.len;
            fw_vec_push(&m->cells, ((struct cell) { 0 }));
        }
}

static void start_model(struct model *m)
{
    m->cells.len = 0;
    for (uint32_t i = 0; i < SPACE; i++) {
        m->now[i] = i;
        fw_vec_push(&m->cells, ((struct cell) { 0 }));
    }
}

/* The range that a record touches; false: none. */
static bool access_range(const struct fw_wire_unit *record, uint64_t *start, uint64_t *end)
{
    unsigned kind = fw_wire_kind(record);

    *start = fw_wire_operand(record);
    if (kind == FW_WIRE_READ_RANGE || kind == FW_WIRE_WRITE_RANGE)
        *end = *start + record[1].a;
    else if (kind >= FW_WIRE_READ && kind <= FW_WIRE_ATOMIC_RMW)
        *end = *start + fw_wire_n(record);
    else
        return false;
    return true;
}

/* Goes through the records; `visit` sees each with the cells of that moment. */
static bool replay(const struct raw *raw, struct model *m,
                   bool (*visit)(struct model *, const struct fw_wire_unit *, unsigned thread,
                                 const struct fw_life *freed, void *data),
                   void *data)
{
    struct fw_lives lives = { 0 };
    unsigned thread = 0;
    bool good = true;

    start_model(m);
    for (size_t at = 0; at < raw->units.len && good;
         at += 1 + (size_t)fw_wire_more(&raw->units.at[at])) {
        const struct fw_wire_unit *record = &raw->units.at[at];
        struct fw_life life;
        enum fw_life_event event = fw_lives_note(&lives, record, &life);

        if (fw_wire_kind(record) == FW_WIRE_SWITCH)
            thread = (unsigned)fw_wire_operand(record);
        if (event == FW_LIFE_BEGINS)
            begin_life(m, &life);
        good = visit(m, record, thread, event == FW_LIFE_FREED ? &life : NULL, data);
    }
    fw_lives_release(&lives);
    return good;
}

static bool note_touch(struct model *m, const struct fw_wire_unit *record, unsigned thread,
                       const struct fw_life *freed, void *data)
{
    uint64_t start, end;

    (void)data;
    if (access_range(record, &start, &end))
        for (; start < end; start++)
            m->cells.at[*cell_at(m, start)].threads |= 1u << thread;
    for (uint64_t at = freed ? freed->word * 8 : 0; freed && at < freed->end * 8; at++) {
        const uint32_t *cell = cell_at(m, at);

        if (cell) /* freeing touches all of it */
            m->cells.at[*cell].threads |= 1u << thread;
    }
    return true;
}

/* --- the comparison ------------------------------------------------------------------------- */

struct comparison {
    const struct fw_trace *trace;
    const struct cells *touched; /* of the first pass: who touched what, at the end */
    uint32_t next;               /* event */
    FW_VEC(struct shown) shown;  /* by variable */
    char *why;
    size_t size;
};

static bool is_shared(const struct comparison *c, uint32_t cell)
{
    unsigned threads = c->touched->at[cell].threads;

    return threads & (threads - 1);
}

/* The variable of an event covers exactly these cells, now and in all its events. */
static bool same_variable(struct comparison *c, struct model *m, uint64_t at, uint64_t size,
                          uint32_t variable)
{
    struct shown *shown;

    fw_vec_extend(&c->shown, (size_t)variable + 1);
    shown = &c->shown.at[variable];
    if (!shown->first_cell)
        *shown = (struct shown) { *cell_at(m, at) + 1, size };
    if (shown->first_cell != *cell_at(m, at) + 1 || shown->size != size) {
        snprintf(c->why, c->size, "event %" PRIu32 ": variable %" PRIu32 " changes its place",
                 c->next - 1, variable);
        return false;
    }
    for (uint64_t i = at; i < at + size; i++) {
        struct cell *cell = &m->cells.at[*cell_at(m, i)];

        if (cell->variable && cell->variable != variable + 1) {
            snprintf(c->why, c->size, "event %" PRIu32 ": variables overlap at 0x%" PRIx64,
                     c->next - 1, i);
            return false;
        }
        cell->variable = variable + 1;
    }
    return true;
}

/* The events of one record cover its shared bytes from..to and no others. */
static bool events_cover(struct comparison *c, struct model *m, uint64_t from, uint64_t to,
                         unsigned thread, unsigned classes, unsigned kind)
{
    for (uint64_t at = from; at < to;) {
        const struct fw_event *event;
        uint64_t size;

        if (!cell_at(m, at) || !is_shared(c, *cell_at(m, at))) {
            at++;
            continue;
        }
        while (c->next < c->trace->count && c->trace->events[c->next].kind == FW_BRANCH)
            c->next++;
        event = &c->trace->events[c->next < c->trace->count ? c->next : 0];
        size = c->trace->attrs[event->attr].size;
        if (c->next++ >= c->trace->count || event->thread != thread || !size || at + size > to ||
            (kind != FW_KIND_COUNT ? event->kind != kind
                                   : fw_kind_info[event->kind].classes != classes)) {
            snprintf(c->why, c->size, "event %" PRIu32 " is not the access at 0x%" PRIx64 " by T%u",
                     c->next - 1, at, thread);
            return false;
        }
        for (uint64_t i = at; i < at + size; i++)
            if (!is_shared(c, *cell_at(m, i))) {
                snprintf(c->why, c->size, "event %" PRIu32 " covers a private byte", c->next - 1);
                return false;
            }
        if (!same_variable(c, m, at, size, event->target))
            return false;
        at += size;
    }
    return true;
}

static bool compare_record(struct model *m, const struct fw_wire_unit *record, unsigned thread,
                           const struct fw_life *freed, void *data)
{
    static const unsigned kinds[] = { [FW_WIRE_READ] = FW_READ,
                                      [FW_WIRE_WRITE] = FW_WRITE,
                                      [FW_WIRE_READ_RANGE] = FW_READ,
                                      [FW_WIRE_WRITE_RANGE] = FW_WRITE,
                                      [FW_WIRE_ATOMIC_LOAD] = FW_ATOMIC_LOAD,
                                      [FW_WIRE_ATOMIC_STORE] = FW_ATOMIC_STORE,
                                      [FW_WIRE_ATOMIC_RMW] = FW_ATOMIC_RMW };
    struct comparison *c = data;
    unsigned kind = fw_wire_kind(record);
    uint64_t start, end;

    if (kind == FW_WIRE_FORK)
        return c->trace->events[c->next++].kind == FW_FORK;
    if (access_range(record, &start, &end))
        return events_cover(c, m, start, end, thread, 0, kinds[kind]);
    if (freed)
        return events_cover(c, m, freed->word * 8, freed->end * 8, thread, 0, FW_FREE);
    return true;
}

/* An alloc stands where the block begins; it is checked by what comes before the next event. */
static bool skip_allocs(struct model *m, const struct fw_wire_unit *record, unsigned thread,
                        const struct fw_life *freed, void *data)
{
    struct comparison *c = data;
    unsigned kind = fw_wire_kind(record);

    if (kind == FW_WIRE_ALLOC || kind == FW_WIRE_RESIZE)
        while (c->next < c->trace->count && (c->trace->events[c->next].kind == FW_ALLOC ||
                                             c->trace->events[c->next].kind == FW_BRANCH))
            c->next++;
    return compare_record(m, record, thread, freed, data);
}

static bool holds(uint64_t seed, char *why, size_t size)
{
    static struct model model;
    struct sample sample;
    struct comparison c = { .why = why, .size = size };
    struct cells touched;
    struct fw_trace *trace;
    bool good;

    make_records(&sample, seed);
    replay(&sample.raw, &model, note_touch, NULL);
    touched = model.cells;
    memset(&model.cells, 0, sizeof model.cells);
    c.touched = &touched;
    c.trace = trace = raw_trace(&sample.raw);
    snprintf(why, size, "forks are missing");
    good = replay(&sample.raw, &model, skip_allocs, &c);
    if (good && c.next != trace->count) {
        snprintf(why, size, "event %" PRIu32 " is of no access", c.next);
        good = false;
    }
    if (good && trace->status.dropped) {
        snprintf(why, size, "events were dropped: %s", trace->status.first_drop);
        good = false;
    }
    fw_trace_destroy(trace);
    fw_vec_release(&model.cells);
    fw_vec_release(&touched);
    fw_vec_release(&c.shown);
    fw_vec_release(&sample.raw.units);
    return good;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

int main(void)
{
    const char *sanitizer = getenv("FOREWEAVE_SANITIZE");
    uint64_t one = from_environment("FOREWEAVE_SEED", 0);
    uint64_t first = one ? one : from_environment("FOREWEAVE_FIRST", 1);
    uint64_t count = from_environment("FOREWEAVE_COUNT", sanitizer && *sanitizer ? 1000 : 10000);

    for (uint64_t seed = first; seed < first + (one ? 1 : count); seed++) {
        char why[512] = "";

        if (holds(seed, why, sizeof why))
            continue;
        printf("seed %" PRIu64 ": %s\nreplay: FOREWEAVE_SEED=%" PRIu64 " prop_record\n", seed, why,
               seed);
        return 1;
    }
    printf("%" PRIu64 " recordings\n", one ? 1 : count);
    return 0;
}
