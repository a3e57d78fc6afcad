/*
 * assurance_trace.c - see assurance.h: threads that synchronised inside a section, in a trace.
 *
 * A thread is inside from the event of an entry to that of one of its ends, or until the call that
 * has the entry returns.  Recordings leave out accesses that repeat what was done before without
 * synchronisation in between; then there was none inside either.
 */
#include "sections/assurance.h"

#include "sections/place.h"
#include "symbol/elf_file.h"
#include "symbol/symbolizer.h"
#include "trace/fwt.h"
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>

/* A section that a thread is in. */
struct visit {
    uint32_t section, copy;
    uint32_t depth; /* of calls */
};

struct walker {
    uint32_t depth;
    FW_VEC(struct visit) visits;
};

struct walk {
    struct fw_reader *reader;
    const struct fw_placement *placement;
    char **reasons;
    char *module; /* as the trace names it; NULL: not there */
    struct fw_symbolizer *symbolizer;
    uint32_t number;
    FW_VEC(struct walker) walkers; /* by thread */
    FW_VEC(uint64_t) offsets;      /* of sites, where their hooks return to; 0: elsewhere */
};

/* --- sites ----------------------------------------------------------------------------------- */

/* PATH+0xOFFSET, where the offset is that of a call's last byte. */
static uint64_t offset_of(const struct walk *walk, const char *name)
{
    size_t length = strlen(walk->module);

    if (strncmp(name, walk->module, length) != 0 || strncmp(name + length, "+0x", 3) != 0)
        return 0;
    return strtoull(name + length + 3, NULL, 16) + 1;
}

static uint64_t returns_of(struct walk *walk, uint32_t site)
{
    struct fw_symbols *symbols = fw_reader_symbols(walk->reader);

    for (uint32_t next = (uint32_t)walk->offsets.len; next <= site; next++)
        fw_vec_push(&walk->offsets,
                    offset_of(walk, fw_symbols_name(symbols, FW_SPACE_SITE, next)));
    return walk->offsets.at[site];
}

/* --- events ---------------------------------------------------------------------------------- */

static bool synchronises(unsigned kind)
{
    switch (kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_BRANCH:
    case FW_BEGIN:
    case FW_END:
    case FW_CALL:
    case FW_RETURN:
    case FW_ALLOC:
    case FW_FREE:
        return false;
    default:
        return true;
    }
}

static struct walker *walker_of(struct walk *walk, uint32_t thread)
{
    while (walk->walkers.len <= thread)
        fw_vec_push(&walk->walkers, ((struct walker){ 0 }));
    return &walk->walkers.at[thread];
}

/* Those that this tells true of. */
static void end_visits(struct walker *walker, const struct fw_placed *end, uint32_t depth)
{
    for (size_t i = walker->visits.len; i-- > 0;) {
        const struct visit *visit = &walker->visits.at[i];

        if (end ? visit->section == end->section && visit->copy == end->copy
                : visit->depth > depth)
            walker->visits.at[i] = walker->visits.at[--walker->visits.len];
    }
}

static void take_access(struct walk *walk, struct walker *walker, uint64_t returns)
{
    for (size_t i = 0; i < walk->placement->placed.len; i++) {
        const struct fw_placed *placed = &walk->placement->placed.at[i];

        if (placed->returns != returns)
            continue;
        end_visits(walker, placed, 0);
        if (placed->role == FW_PLACE_ENTRY)
            fw_vec_push(&walker->visits,
                        ((struct visit){ placed->section, placed->copy, walker->depth }));
    }
}

static char *reason_for(struct walk *walk, const struct fw_event *event)
{
    const char *kind = fw_kind_info[event->kind].std_name;
    uint64_t returns = returns_of(walk, event->site);
    struct fw_source at;

    if (!returns ||
        !fw_symbolizer_line(walk->symbolizer, walk->number, returns - 1, &at) || !at.file)
        return fw_xasprintf("synchronised in a trace (%s)", kind);
    return fw_xasprintf("synchronised in a trace (%s) at %s:%u", kind, at.file, at.line);
}

static void take_event(struct walk *walk, const struct fw_event *event)
{
    struct walker *walker = walker_of(walk, event->thread);

    if (event->kind == FW_CALL)
        walker->depth++;
    if (event->kind == FW_RETURN && walker->depth) {
        walker->depth--;
        end_visits(walker, NULL, walker->depth);
    }
    if (event->kind == FW_READ || event->kind == FW_WRITE) {
        uint64_t returns = returns_of(walk, event->site);

        if (returns)
            take_access(walk, walker, returns);
    }
    if (!synchronises(event->kind))
        return;
    for (size_t i = 0; i < walker->visits.len; i++) {
        char **reason = &walk->reasons[walker->visits.at[i].section];

        if (!*reason)
            *reason = reason_for(walk, event);
    }
}

/* --- the whole ------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* By its build id, or by its name if it has none. */
static bool is_same(const struct fw_elf *file, const char *path, const struct fw_fwt_module *module)
{
    if (!file->build_id_size || !module->build_id_size)
        return strcmp(name_of(module->path), name_of(path)) == 0;
    return file->build_id_size == module->build_id_size &&
           memcmp(file->build_id, module->build_id, file->build_id_size) == 0;
}

static void find_module(struct walk *walk)
{
    const char *path = walk->placement->path;
    struct fw_error ignored;
    struct fw_elf *file = fw_elf_open(path, &ignored);
    size_t count;
    const struct fw_fwt_module *modules = fw_reader_modules(walk->reader, &count);

    for (size_t i = 0; file && i < count && !walk->module; i++) {
        if (is_same(file, path, &modules[i]))
            walk->module = fw_xstrdup(modules[i].path);
    }
    if (file)
        fw_elf_close(file);
}

static void walk_release(struct walk *walk)
{
    for (size_t i = 0; i < walk->walkers.len; i++)
        fw_vec_release(&walk->walkers.at[i].visits);
    fw_vec_release(&walk->walkers);
    fw_vec_release(&walk->offsets);
    fw_symbolizer_destroy(walk->symbolizer);
    fw_reader_close(walk->reader);
    free(walk->module);
}

int fw_assurance_trace(const char *trace, const struct fw_placement *placement, char **reasons,
                       struct fw_error *err)
{
    struct walk walk = { .placement = placement, .reasons = reasons };
    struct fw_read_options options = { 0 };
    struct fw_batch batch;
    int got;

    if (fw_reader_open(&walk.reader, trace, &options, err) < 0)
        return -1;
    walk.symbolizer = fw_symbolizer_create();
    walk.number = fw_symbolizer_module(walk.symbolizer, placement->path, NULL, 0);
    while ((got = fw_reader_next(walk.reader, &batch, err)) > 0) {
        if (!walk.module)
            find_module(&walk);
        for (uint32_t i = 0; i < batch.count && walk.module; i++)
            take_event(&walk, &batch.events[i]);
    }
    walk_release(&walk);
    return got;
}
