/*
 * mb_settle.c - which live sections can still get edges.
 *
 * A released section can get an edge only if the clock of its release rises,
 * that is, if it contains the acquire of an incomplete section that can get
 * one.  An open section can.  So those that can, the hot ones, are found by
 * starting from the open ones; all others are complete, whole groups that wait
 * for each other included: rule (3) has been applied to them until nothing
 * rose.
 *
 * That is quick, and mostly enough.  But one lock that is held for ever keeps
 * everything hot that knows of it.  So where many sections are left, a closer
 * look: all that an edge can bring into the acquire of a hot section is before
 * a release of its lock that is not in its past yet; these clocks joined are
 * its *bound*.  A released section is hot only if the clock of its release,
 * raised by the bounds of the hot sections that it contains, and so on,
 * reaches a section of its lock that would be news (`next`).  Clocks that
 * exist now never get above what they are when raised so, whatever the future
 * brings: sections to come are in none of them.
 */
#include "analysis/mb_state.h"

#define CLOSER_LEAST 64u /* sections left after the quick part */

void mb_retire(struct fw_mb *mb)
{
    size_t kept = 0;

    for (size_t i = 0; i < mb->live.len; i++) {
        if (mb->live.at[i].section->complete)
            fw_vec_push(&mb->retired, mb->live.at[i].section);
        else
            mb->live.at[kept++] = mb->live.at[i];
    }
    mb->live.len = kept;
    mb->some_complete = false;
    for (size_t i = 0; i < mb->retired.len; i++) {
        if (mb->retired.at[i]->refs > 1)
            mb_note_pending(mb, &mb->retired.at[i]->begin);
        mb_section_put(mb, mb->retired.at[i]);
    }
    fw_vec_clear(&mb->retired);
}

/* --- a closer look ----------------------------------------------------------------------- */

/* Has the row lost sections that would be news?  Then nothing is known of what they bring. */
static bool has_forgotten(const struct mb_section *section, const struct mb_row *row)
{
    return row->forgotten_released &&
           !fw_clock_covers(&section->begin.clock, row->thread, row->forgotten_released);
}

static void raise_everywhere(const struct fw_mb *mb, struct fw_clock *clock)
{
    for (uint32_t i = 0; i < mb->threads.len; i++)
        mb_clock_raise(clock, i, MB_NEVER - 1);
}

/* Joins what an edge from the thread's sections can bring. */
static void join_row(struct fw_mb *mb, struct mb_section *section, uint32_t thread, bool shared)
{
    const struct mb_row *row = mb_row_of(&mb->locks.at[section->lock], thread, shared);
    uint32_t want = fw_clock_get(&section->want, thread);
    size_t count = row ? row->sections.len : 0;

    while (count && row->sections.at[count - 1].released > want)
        count--;
    if (!count) {
        if (row && has_forgotten(section, row))
            raise_everywhere(mb, &section->bound);
        return;
    }
    mb_adjust(mb, &row->sections.at[count - 1].end->at);
    mb_clock_join(&section->bound, &row->sections.at[count - 1].end->at.clock);
    mb_clock_raise(&section->bound, thread, row->sections.at[count - 1].released);
}

static void find_bound(struct fw_mb *mb, struct mb_section *section)
{
    fw_clock_clear(&section->bound);
    for (uint32_t i = 0; i < section->want.len; i++) {
        if (fw_clock_covers(&section->begin.clock, i, section->want.at[i]))
            continue;
        join_row(mb, section, i, false);
        if (!section->shared)
            join_row(mb, section, i, true);
    }
}

/* Raises the clock by the bounds of hot sections, as far as that goes. */
static void raise_by_bounds(const struct fw_mb *mb, struct fw_clock *clock)
{
    bool risen;

    do {
        risen = false;
        for (size_t i = 0; i < mb->live.len; i++)
            if (mb->live.at[i].section->hot &&
                fw_clock_covers(clock, mb->live.at[i].thread, mb->live.at[i].acquired))
                risen |= mb_clock_join(clock, &mb->live.at[i].section->bound);
    } while (risen);
}

static bool can_get_edge(struct fw_mb *mb, const struct mb_section *section)
{
    fw_clock_copy(&mb->before, &section->end);
    raise_by_bounds(mb, &mb->before);
    return mb_clock_reaches(&mb->before, &section->next);
}

/* --- settling ---------------------------------------------------------------------------- */

static void make_hot(struct fw_mb *mb, struct mb_section *section, struct fw_clock *limits,
                     bool closer)
{
    section->hot = true;
    mb_limits_lower(limits, section->thread, section->acquired);
    if (closer)
        find_bound(mb, section);
}

/* Marks the incomplete sections that may get edges; their acquires are the limits. */
static void find_hot(struct fw_mb *mb, struct fw_clock *limits, bool closer)
{
    bool news;

    for (size_t i = 0; i < mb->live.len; i++) {
        struct mb_section *section = mb->live.at[i].section;

        section->hot = false;
        if (section->open && !section->complete)
            make_hot(mb, section, limits, closer);
    }
    do {
        news = false;
        for (size_t i = 0; i < mb->live.len; i++) {
            struct mb_section *section = mb->live.at[i].section;

            if (section->hot || section->complete || !mb_clock_reaches(&section->end, limits) ||
                (closer && !can_get_edge(mb, section)))
                continue;
            make_hot(mb, section, limits, closer);
            news = true;
        }
    } while (news);
}

static void settle(struct fw_mb *mb, bool closer)
{
    struct fw_clock limits = mb->limits;

    fw_clock_clear(&limits);
    find_hot(mb, &limits, closer);
    for (size_t i = 0; i < mb->live.len; i++)
        mb->live.at[i].section->complete |= !mb->live.at[i].section->hot;
    mb->limits = mb->earliest;
    mb->earliest = limits;
    mb_retire(mb);
}

void mb_settle(struct fw_mb *mb)
{
    if (!mb->live.len)
        return;
    settle(mb, false);
    if (mb->live.len >= mb->closer_at) {
        settle(mb, true);
        mb->closer_at = mb->live.len * 2;
        if (mb->closer_at < CLOSER_LEAST)
            mb->closer_at = CLOSER_LEAST;
        if (mb->settle_least == 1)
            mb->closer_at = 0;
    }
    mb->settle_at = mb->settle_least;
    if (mb->settle_at < mb->live.len * 2 && mb->settle_least > 1)
        mb->settle_at = mb->live.len * 2;
}
