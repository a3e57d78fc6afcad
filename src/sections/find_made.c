/*
 * find_made.c - see find.h: candidates become sections.
 *
 * Copies of a function (inlined ones, instances of templates) have candidates of their own, which
 * are the same in the source.  So candidates are sorted by what they are there.
 */
#include "sections/find_state.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_spot(const struct fw_site *a, const struct fw_site *b)
{
    int order = strcmp(a->file, b->file);

    if (!order)
        order = compare(a->line, b->line);
    if (!order)
        order = compare(a->write, b->write);
    return order ? order : compare(a->ordinal, b->ordinal);
}

static int by_entry(const struct fw_candidate *a, const struct fw_candidate *b)
{
    int order = by_spot(a->entry, b->entry);

    return order ? order : strcmp(a->entry->function, b->entry->function);
}

static int by_source(const void *a, const void *b)
{
    const struct fw_candidate *x = a, *y = b;
    int order = by_entry(x, y);

    if (!order)
        order = compare(x->origin, y->origin);
    if (!order)
        order = by_spot(x->end, y->end);
    if (!order)
        order = compare(x->module, y->module);
    return order ? order : compare(x->entry->returns, y->entry->returns);
}

static bool same_end(const struct fw_section_end *end, const struct fw_site *site)
{
    return end->at.write == site->write && end->at.line == site->line &&
           end->at.ordinal == site->ordinal && strcmp(end->at.file, site->file) == 0;
}

static void add_end(struct fw_finder *finder, struct fw_atomic_section *section,
                    const struct fw_candidate *candidate)
{
    struct fw_section_end end = { .allow = candidate->allow };

    section->recursive |= candidate->recursive;
    section->circular |= by_spot(candidate->entry, candidate->end) == 0;
    for (size_t i = 0; i < section->ends.len; i++) {
        if (!same_end(&section->ends.at[i], candidate->end))
            continue;
        section->ends.at[i].allow &= candidate->allow;
        return;
    }
    fw_sites_spot(finder->modules.at[candidate->module], candidate->end, &end.at);
    fw_vec_push(&section->ends, end);
}

/* Does the candidate belong to a section of that origin and entry?  Of invariants a load-and-store
 * section has what leaves its line: its own loads are within it. */
static bool belongs(const struct fw_candidate *candidate, enum fw_section_origin origin)
{
    return candidate->origin == origin ||
           (origin == FW_ORIGIN_LOAD_AND_STORE && candidate->origin == FW_ORIGIN_INVARIANT &&
            (candidate->end->line != candidate->entry->line ||
             strcmp(candidate->end->file, candidate->entry->file) != 0));
}

/* One section for all that begin at the same access: [from, to).  It has the variable's name if
 * all agree on one. */
static void make(struct fw_finder *finder, const struct fw_candidate *from,
                 const struct fw_candidate *to, struct fw_sections *sections)
{
    struct fw_atomic_section *section =
        fw_sections_add(sections, from->origin, from->entry->function);
    bool agreed = from->variable != NULL;

    fw_sites_spot(finder->modules.at[from->module], from->entry, &section->entry);
    for (const struct fw_candidate *at = from; at < to; at++) {
        if (!belongs(at, from->origin))
            continue;
        add_end(finder, section, at);
        agreed =
            agreed && at->variable && !at->variables && strcmp(at->variable, from->variable) == 0;
    }
    if (agreed)
        section->variable = fw_xstrdup(from->variable);
    fw_sections_name(sections, section);
}

void fw_finder_finish(struct fw_finder *finder, struct fw_sections *sections)
{
    struct fw_candidate *at = finder->candidates.at;
    size_t len = finder->candidates.len;

    fw_sections_init(sections);
    fw_idmap_release(&finder->map); /* they move */
    if (len)
        qsort(at, len, sizeof *at, by_source);
    for (size_t i = 0, next; i < len; i = next) {
        for (next = i + 1; next < len && by_entry(&at[i], &at[next]) == 0;)
            next++;
        make(finder, &at[i], &at[next], sections);
    }
}
