/*
 * gen_shaped.c - the style `shaped`: a trace with given numbers of each kind of event.
 *
 * For traces like those of published tables, of which only these numbers are
 * known.  Threads take turns of about eight steps.  Two thirds of the accesses
 * are in critical sections, on variables of the section's lock (variable v has
 * lock v modulo the number of locks), the others outside on any variable; a few
 * variables are much more popular, and some locks (Zipf's law).  A wait is a
 * section that gives its lock up until another thread has notified it.  What
 * is left of the events are calls that return at once.
 */
#include "gen_program.h"

#define TURN        8u
#define WRITES      3u /* of eight accesses */
#define WAIT_EVENTS 6u /* release; acquire, notify, release; wake, acquire */

struct shaped {
    uint64_t inside, outside; /* accesses to come */
    uint64_t sections, waits; /* to come */
    uint64_t calls;           /* calls and returns to come */
    uint64_t length;          /* of a section, in accesses; 8 times it */
    struct zipf variables, locks;
};

static uint32_t any_site(struct gen *g, uint32_t variable)
{
    return 1 + (variable * 7 + gen_below(g, 4)) % g->options.sites;
}

static uint32_t popular_variable(struct gen *g, const struct shaped *s)
{
    uint32_t a = zipf_rank(g, &s->variables), b = zipf_rank(g, &s->variables);

    return a < b ? a : b;
}

static void access(struct gen *g, uint32_t t, uint32_t variable)
{
    unsigned kind = gen_below(g, 8) < WRITES ? FW_WRITE : FW_READ;

    gen_emit(g, kind, t, variable, any_site(g, variable));
}

static void access_inside(struct gen *g, struct shaped *s, uint32_t t, uint32_t lock)
{
    uint32_t variables = g->options.variables, of_lock = variables / g->options.locks;
    uint32_t variable = popular_variable(g, s) % (of_lock ? of_lock : 1);

    variable = (lock + variable * g->options.locks) % variables;
    access(g, t, variable);
    s->inside--;
}

static uint32_t other_thread(struct gen *g, uint32_t t)
{
    uint32_t other = gen_below(g, g->options.threads);

    return other != t && !g->stacks[other].depth ? other : t;
}

/* The thread is in a section of the lock and waits; another one notifies it. */
static void wait(struct gen *g, struct shaped *s, uint32_t t, uint32_t lock)
{
    uint32_t other = other_thread(g, t), site = 1 + lock % g->options.sites;

    if (other == t || !gen_room(g, WAIT_EVENTS))
        return;
    gen_pop(g, t, site);
    gen_acquire(g, other, lock, site);
    gen_emit(g, FW_NOTIFY, other, lock, site);
    gen_pop(g, other, site);
    gen_emit(g, FW_WAKE, t, lock, site);
    gen_acquire(g, t, lock, site);
    s->waits--;
    s->sections -= s->sections > 1 ? 2 : s->sections;
}

static void step_inside(struct gen *g, struct shaped *s, uint32_t t)
{
    uint32_t lock = g->stacks[t].owed[0].id;

    if (s->waits && gen_below(g, 4) == 0)
        wait(g, s, t, lock);
    else if (!s->inside || !gen_room(g, 1) || gen_below(g, (uint32_t)s->length + 8) < 8)
        gen_pop(g, t, 1 + lock % g->options.sites);
    else
        access_inside(g, s, t, lock);
}

/* False if the thread cannot go on. */
static bool step_outside(struct gen *g, struct shaped *s, uint32_t t)
{
    uint32_t lock = zipf_rank(g, &s->locks);
    uint64_t total, draw;

    if (!s->sections) {
        s->outside += s->inside;
        s->inside = 0;
    }
    total = s->sections + s->outside + s->calls / 2;
    draw = total ? gen_random(g) % total : 0;
    if (draw < s->sections) {
        if (g->holder[lock])
            return false;
        gen_acquire(g, t, lock, 1 + lock % g->options.sites);
        s->sections--;
    } else if (draw < s->sections + s->outside) {
        access(g, t, popular_variable(g, s));
        s->outside--;
    } else {
        gen_emit(g, FW_CALL, t, 0, 1);
        gen_emit(g, FW_RETURN, t, 0, 1);
        s->calls -= s->calls > 1 ? 2 : s->calls;
    }
    return true;
}

void shaped_run(struct gen *g)
{
    const struct options *o = &g->options;
    uint64_t known = o->accesses + o->lock_events + o->waits;
    struct shaped s = { .inside = o->accesses * 2 / 3,
                        .sections = o->lock_events / 2,
                        .waits = o->waits / 2,
                        .calls = o->events > known ? o->events - known : 0 };
    uint32_t running = 0;

    s.outside = o->accesses - s.inside;
    s.length = s.sections ? 8 * s.inside / s.sections : 0;
    if (s.length > UINT32_MAX / 2)
        s.length = UINT32_MAX / 2;
    zipf_init(&s.variables, o->variables);
    zipf_init(&s.locks, o->locks);
    gen_names(g, FW_SPACE_CONDITION, "C%u", o->locks);
    gen_names(g, FW_SPACE_FUNCTION, "f%u", 1);
    while (gen_room(g, 2)) {
        bool goes_on = true;

        if (g->stacks[running].depth)
            step_inside(g, &s, running);
        else
            goes_on = step_outside(g, &s, running);
        if (!goes_on || gen_one_in(g, TURN))
            running = gen_below(g, o->threads);
    }
}
