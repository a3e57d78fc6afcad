/* coverage.c - see coverage.h. */
#include "explore/coverage.h"

#include "base/alloc.h"
#include "iroot/locate.h"
#include "iroot/naming.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct fw_coverage {
    pthread_mutex_t lock;
    struct fw_strtab accesses; /* these are guarded by lock */
    struct fw_locator *locator;
    FW_VEC(char *) places; /* FILE:LINE by number; NULL: not known */
    FW_VEC(bool) own;
    struct fw_iroot_set *exposed, *controlled;
};

struct fw_coverage *fw_coverage_create(void)
{
    struct fw_coverage *coverage = fw_xcalloc(1, sizeof *coverage);

    pthread_mutex_init(&coverage->lock, NULL);
    fw_strtab_init(&coverage->accesses);
    coverage->locator = fw_locator_create();
    coverage->exposed = fw_iroot_set_create();
    coverage->controlled = fw_iroot_set_create();
    return coverage;
}

void fw_coverage_destroy(struct fw_coverage *coverage)
{
    if (!coverage)
        return;
    pthread_mutex_destroy(&coverage->lock);
    fw_strtab_release(&coverage->accesses);
    fw_locator_destroy(coverage->locator);
    for (size_t i = 0; i < coverage->places.len; i++)
        free(coverage->places.at[i]);
    fw_vec_release(&coverage->places);
    fw_vec_release(&coverage->own);
    fw_iroot_set_destroy(coverage->exposed);
    fw_iroot_set_destroy(coverage->controlled);
    free(coverage);
}

/* Numbers up to the table's have an entry; what nobody has located counts as the program's own. */
static void make_room(struct fw_coverage *coverage)
{
    while (coverage->places.len < fw_strtab_count(&coverage->accesses)) {
        fw_vec_push(&coverage->places, NULL);
        fw_vec_push(&coverage->own, true);
    }
}

uint32_t fw_coverage_number(void *context, const char *module, uint64_t offset,
                            enum fw_iroot_does does)
{
    struct fw_coverage *coverage = context;
    struct fw_located located;
    uint32_t number;

    pthread_mutex_lock(&coverage->lock);
    located = fw_locate(coverage->locator, module, offset, does);
    number = fw_access_intern(&coverage->accesses, &located.access);
    make_room(coverage);
    coverage->own.at[number] = located.own;
    if (located.file && !coverage->places.at[number])
        coverage->places.at[number] = fw_xasprintf("%s:%u", located.file, located.line);
    pthread_mutex_unlock(&coverage->lock);
    return number;
}

void fw_coverage_locate(struct fw_coverage *coverage, const struct fw_trace *trace)
{
    size_t sites = fw_symbols_count(trace->symbols, FW_SPACE_SITE);
    uint8_t *done = fw_xcalloc(sites + 1, 1);

    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        enum fw_iroot_does does = fw_iroot_does_of(event->kind);
        const char *name = fw_symbols_name(trace->symbols, FW_SPACE_SITE, event->site);
        uint64_t offset;
        char *path;

        if (does == FW_DOES_COUNT || !event->site || done[event->site] & 1u << does)
            continue;
        done[event->site] |= (uint8_t)(1u << does);
        if (!fw_naming_recorded(name, &path, &offset))
            continue;
        fw_coverage_number(coverage, path, offset, does);
        free(path);
    }
    free(done);
}

uint32_t fw_coverage_add_recorded(struct fw_coverage *coverage, const struct fw_iroot_vec *exposed)
{
    uint32_t fresh = 0;

    for (size_t i = 0; i < exposed->len; i++)
        fresh += fw_iroot_set_add(coverage->exposed, &exposed->at[i]);
    return fresh;
}

uint32_t fw_coverage_add(struct fw_coverage *coverage, const struct fw_iroot_vec *exposed)
{
    for (size_t i = 0; i < exposed->len; i++)
        fw_iroot_set_add(coverage->controlled, &exposed->at[i]);
    return fw_coverage_add_recorded(coverage, exposed);
}

void fw_coverage_count(const struct fw_coverage *coverage, uint32_t all[FW_IDIOMS + 1],
                       uint32_t controlled[FW_IDIOMS + 1])
{
    for (unsigned i = 1; i <= FW_IDIOMS; i++) {
        all[i] = fw_iroot_set_of_idiom(coverage->exposed, i);
        controlled[i] = fw_iroot_set_of_idiom(coverage->controlled, i);
    }
}

struct fw_iroot_set *fw_coverage_set(struct fw_coverage *coverage)
{
    return coverage->exposed;
}

const struct fw_iroot_set *fw_coverage_controlled(const struct fw_coverage *coverage)
{
    return coverage->controlled;
}

struct fw_strtab *fw_coverage_accesses(struct fw_coverage *coverage)
{
    return &coverage->accesses;
}

struct fw_memo_names fw_coverage_names(struct fw_coverage *coverage)
{
    make_room(coverage);
    return (struct fw_memo_names) { .accesses = &coverage->accesses,
                                    .places = (const char *const *)coverage->places.at,
                                    .own = coverage->own.at };
}
