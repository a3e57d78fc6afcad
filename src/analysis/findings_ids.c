/*
 * findings_ids.c - see findings.h: ids, as short as they can be without two findings sharing one.
 */
#include "analysis/findings_state.h"

#include "base/bug.h"

#include <inttypes.h>
#include <stdio.h>

#define MIN_DIGITS 6
#define MAX_DIGITS 16

/* A finding whose id is to be written. */
struct naming {
    struct entry *entry;
    uint64_t fingerprint;
    size_t sink, place;
    bool pairs_all;
};

static int compare_namings(const void *a, const void *b)
{
    const struct naming *x = a, *y = b;
    int order = compare(x->fingerprint, y->fingerprint);

    if (order == 0)
        order = compare(x->sink, y->sink);
    return order ? order : compare(x->place, y->place);
}

/* Leading hexadecimal digits that the two have in common. */
static int common_digits(uint64_t a, uint64_t b)
{
    return a == b ? MAX_DIGITS : __builtin_clzll(a ^ b) / 4;
}

static void write_id(const struct naming *naming, int digits)
{
    struct fw_finding *finding = &naming->entry->finding;
    const size_t room = sizeof finding->id - 12; /* for what makes equal ones differ */
    char hex[MAX_DIGITS + 1];
    size_t used;

    snprintf(hex, sizeof hex, "%016" PRIx64, naming->fingerprint);
    used = (size_t)snprintf(finding->id, sizeof finding->id, "%.*s", digits, hex);
    for (size_t i = 0; naming->pairs_all && i < finding->events.len; i++) {
        char index[24];
        size_t len =
            (size_t)snprintf(index, sizeof index, "-%" PRIu64, finding->events.at[i].index);

        if (used + len >= room)
            break;
        memcpy(finding->id + used, index, len + 1);
        used += len;
    }
}

static int compare_id_texts(const void *a, const void *b)
{
    const struct naming *x = a, *y = b;
    int order = strcmp(x->entry->finding.id, y->entry->finding.id);

    if (order == 0)
        order = compare(x->sink, y->sink);
    return order ? order : compare(x->place, y->place);
}

/* Findings of one sink whose ids are still equal get numbers. */
static void number_equals(struct naming *namings, size_t count)
{
    unsigned long number = 1;

    qsort(namings, count, sizeof *namings, compare_id_texts);
    for (size_t i = 1; i < count; i++) {
        struct fw_finding *finding = &namings[i].entry->finding;
        const char *before = namings[i - 1].entry->finding.id;
        size_t len = strlen(finding->id);

        number = namings[i - 1].sink == namings[i].sink && strncmp(before, finding->id, len) == 0 &&
                         (before[len] == '\0' || before[len] == '.')
                     ? number + 1
                     : 1;
        if (number > 1)
            snprintf(finding->id + len, sizeof finding->id - len, ".%lu", number);
    }
}

FW_VEC_TYPE(namings, struct naming);

/* Findings with equal fingerprints share an id; it tells them from both neighbours. */
static void write_ids(const struct namings *all)
{
    size_t end;

    for (size_t start = 0; start < all->len; start = end) {
        uint64_t mine = all->at[start].fingerprint;
        int digits = MIN_DIGITS;

        for (end = start; end < all->len && all->at[end].fingerprint == mine;)
            end++;
        if (start > 0 && common_digits(all->at[start - 1].fingerprint, mine) >= digits)
            digits = common_digits(all->at[start - 1].fingerprint, mine) + 1;
        if (end < all->len && common_digits(all->at[end].fingerprint, mine) >= digits)
            digits = common_digits(all->at[end].fingerprint, mine) + 1;
        for (size_t i = start; i < end; i++)
            write_id(&all->at[i], digits);
    }
}

void fw_findings_finish_ids(struct fw_findings *const *sinks, size_t count)
{
    struct namings all = { 0 };

    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sinks[s]->entries.len; i++) {
            struct entry *entry = &sinks[s]->entries.at[i];

            fw_vec_push(&all,
                        ((struct naming) { entry, entry->fingerprint, s, i, sinks[s]->pairs_all }));
        }
    if (all.len) {
        qsort(all.at, all.len, sizeof *all.at, compare_namings);
        write_ids(&all);
        number_equals(all.at, all.len);
    }
    fw_vec_release(&all);
}
