/*
 * find.c - see find.h: traces become candidates.
 *
 * The first reading tells which variables two threads access, one of them writing; the second one
 * follows what each thread does to them.  Sites are asked for by their recorded names, module and
 * offset, which is the hook's return address less one.
 *
 * An inlined function has no activation of its own in a trace.  Where its code is reached at or
 * before the address of its last access, it has probably begun anew; so a loop within an inlined
 * function shows less than it could.
 */
#include "sections/find_state.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "symbol/elf_file.h"
#include "trace/fwt.h"
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>

#define RUN_MOST 16u /* loads of a test-and-use section */

/* Where an access was made. */
struct spot {
    const struct fw_site *site; /* NULL: not known */
    uint32_t module;
    uint64_t activation;
};

/* What a thread did to a variable last. */
struct past {
    uint32_t thread;
    struct spot last;
    struct spot loads; /* the first of the loads of one line that came last; site NULL: none */
    struct spot run[RUN_MOST]; /* loads without a store in between */
    uint32_t run_len;
    uint64_t block; /* the atomic block that the rest is about */
    struct spot first;
    uint32_t accesses, reads, writes; /* some do both */
    bool again; /* the first access was met in an inner activation */
};

struct variable {
    uint32_t thread; /* the first */
    bool touched, shared, written;
    FW_VEC(struct past) pasts; /* one for each thread */
};

struct thread {
    FW_VEC(uint64_t) activations;
    uint32_t depth;           /* of blocks */
    uint64_t block;           /* the outermost open one; 0: none */
    FW_VEC(uint32_t) touched; /* variables, in it */
};

/* A site of the trace, looked up once. */
struct known_site {
    bool looked;
    uint32_t module;
    const struct fw_site *site;
};

struct walk {
    struct fw_finder *finder;
    struct fw_reader *reader;
    struct fw_symbols *symbols;
    FW_VEC(struct variable) variables;
    FW_VEC(struct thread) threads;
    FW_VEC(struct known_site) sites;
    uint64_t activations, blocks; /* numbers given out */
    struct fw_error *err;
    bool failed;
};

unsigned fw_invariant_allows(bool first_writes, bool second_writes)
{
    return first_writes && second_writes ? FW_ALLOW_WRITES : FW_ALLOW_READS;
}

/* --- modules --------------------------------------------------------------------------------- */

/* Is the file still what was recorded? */
static int check_build(const char *path, const struct fw_fwt_module *module, struct fw_error *err)
{
    struct fw_error why;
    struct fw_elf *file = fw_elf_open(path, &why);
    bool same;

    if (!file)
        return fw_error_set(err, "%s", why.message);
    same = !module->build_id_size ||
           (file->build_id_size == module->build_id_size &&
            memcmp(file->build_id, module->build_id, module->build_id_size) == 0);
    fw_elf_close(file);
    if (same)
        return 0;
    return fw_error_set(err, "'%s' was built anew since it was recorded: record it again", path);
}

/* The module of that path; UINT32_MAX: not one that can be looked into. */
static uint32_t find_module(struct walk *walk, const char *path)
{
    struct fw_finder *finder = walk->finder;
    const struct fw_fwt_module *modules;
    struct fw_sites *sites = NULL;
    size_t count, i;

    for (uint32_t n = 0; n < finder->modules.len; n++)
        if (strcmp(fw_sites_path(finder->modules.at[n]), path) == 0)
            return n;
    modules = fw_reader_modules(walk->reader, &count);
    for (i = 0; i < count && strcmp(modules[i].path, path) != 0;)
        i++;
    if (i == count)
        return UINT32_MAX;
    if (check_build(path, &modules[i], walk->err) == 0)
        sites = fw_sites_open(path, walk->err);
    if (!sites) {
        walk->failed = true;
        return UINT32_MAX;
    }
    fw_vec_push(&finder->modules, sites);
    return (uint32_t)finder->modules.len - 1;
}

/* PATH+0xOFFSET */
static bool parse_name(const char *name, char **path, uint64_t *offset)
{
    const char *plus = strrchr(name, '+');
    char *end;

    if (!plus || plus == name || strncmp(plus, "+0x", 3) != 0)
        return false;
    *offset = strtoull(plus + 3, &end, 16);
    if (*end)
        return false;
    *path = fw_xstrndup(name, (size_t)(plus - name));
    return true;
}

static struct known_site *look_up(struct walk *walk, uint32_t id)
{
    struct known_site *known;
    uint64_t offset;
    char *path;

    fw_vec_extend(&walk->sites, id + 1);
    known = &walk->sites.at[id];
    if (known->looked)
        return known;
    known->looked = true;
    if (!parse_name(fw_symbols_name(walk->symbols, FW_SPACE_SITE, id), &path, &offset))
        return known;
    known->module = find_module(walk, path);
    if (known->module != UINT32_MAX)
        known->site = fw_sites_at(walk->finder->modules.at[known->module], offset + 1);
    if (known->site && (!known->site->function || !known->site->file))
        known->site = NULL;
    free(path);
    return known;
}

/* --- candidates ------------------------------------------------------------------------------ */

struct key {
    const struct fw_finder *finder;
    enum fw_section_origin origin;
    const struct fw_site *entry, *end;
};

static bool equal(const void *wanted, uint32_t id)
{
    const struct key *key = wanted;
    const struct fw_candidate *candidate = &key->finder->candidates.at[id];

    return candidate->origin == key->origin && candidate->entry == key->entry &&
           candidate->end == key->end;
}

/* A global variable by its name; NULL: it is none. */
static char *variable_name(struct walk *walk, uint32_t variable)
{
    const char *recorded = fw_symbols_name(walk->symbols, FW_SPACE_VARIABLE, variable);
    struct fw_finder *finder = walk->finder;
    char *name = NULL, *path;
    uint64_t offset;

    if (!parse_name(recorded, &path, &offset))
        return NULL;
    for (size_t i = 0; i < finder->modules.len && !name; i++)
        if (strcmp(fw_sites_path(finder->modules.at[i]), path) == 0)
            name = fw_sites_variable(finder->modules.at[i], offset);
    free(path);
    return name;
}

static void add_candidate(struct walk *walk, enum fw_section_origin origin, const struct spot *from,
                          const struct spot *to, unsigned allow, uint32_t variable, bool recursive)
{
    struct fw_finder *finder = walk->finder;
    struct key key = { finder, origin, from->site, to->site };
    uint32_t hash = (uint32_t)(from->site->returns * 31 + to->site->returns * 7 + origin);
    uint32_t id = fw_idmap_find(&finder->map, hash, equal, &key);
    struct fw_candidate *candidate;

    if (id == FW_IDMAP_NONE) {
        id = (uint32_t)finder->candidates.len;
        fw_vec_push(&finder->candidates,
                    ((struct fw_candidate) { .origin = origin,
                                             .module = from->module,
                                             .entry = from->site,
                                             .end = to->site,
                                             .allow = allow,
                                             .variable = variable_name(walk, variable) }));
        fw_idmap_add(&finder->map, hash, id);
    }
    candidate = &finder->candidates.at[id];
    candidate->allow &= allow;
    candidate->recursive |= recursive;
    if (candidate->variable && !candidate->variables) {
        char *name = variable_name(walk, variable);

        candidate->variables = !name || strcmp(name, candidate->variable) != 0;
        free(name);
    }
}

/* --- patterns -------------------------------------------------------------------------------- */

/* Are both in one activation of one function, the second after the first? */
static bool same_activation(const struct spot *a, const struct spot *b)
{
    return a->site && b->site && a->module == b->module && a->activation == b->activation &&
           a->site->copy == b->site->copy &&
           (!a->site->inlined || a->site->returns < b->site->returns);
}

static bool same_line(const struct spot *a, const struct spot *b)
{
    return a->site->line == b->site->line && strcmp(a->site->file, b->site->file) == 0;
}

static bool wants(const struct walk *walk, enum fw_section_origin origin)
{
    return walk->finder->origins & 1u << origin;
}

/* The loads that came without a store are over. */
static void end_run(struct walk *walk, struct past *past, uint32_t variable)
{
    const struct spot *first = &past->run[0], *last = &past->run[past->run_len - 1];

    if (past->run_len > 1 && first->site->branches != last->site->branches &&
        wants(walk, FW_ORIGIN_TEST_AND_USE))
        add_candidate(walk, FW_ORIGIN_TEST_AND_USE, first, last, FW_ALLOW_READS, variable, false);
    past->run_len = 0;
}

/* A load that was met in the run before, as in a loop, begins a new one. */
static bool goes_on(const struct past *past, const struct spot *at)
{
    if (!past->run_len || past->run_len == RUN_MOST ||
        !same_activation(&past->run[past->run_len - 1], at))
        return false;
    for (uint32_t i = 0; i < past->run_len; i++)
        if (past->run[i].site == at->site)
            return false;
    return true;
}

static void test_and_use(struct walk *walk, struct past *past, const struct spot *at, bool write,
                         uint32_t variable)
{
    if (past->run_len && (write || !goes_on(past, at)))
        end_run(walk, past, variable);
    if (!write && at->site)
        past->run[past->run_len++] = *at;
}

static void load_and_store(struct walk *walk, struct past *past, const struct spot *at, bool write,
                           uint32_t variable)
{
    bool with_loads =
        past->loads.site && same_activation(&past->last, at) && same_line(&past->loads, at);

    if (write) {
        if (with_loads && wants(walk, FW_ORIGIN_LOAD_AND_STORE))
            add_candidate(walk, FW_ORIGIN_LOAD_AND_STORE, &past->loads, at, FW_ALLOW_READS,
                          variable, false);
        past->loads.site = NULL;
    } else if (!with_loads) {
        past->loads = *at;
    }
}

static void invariant(struct walk *walk, const struct past *past, const struct spot *at,
                      uint32_t variable)
{
    if (wants(walk, FW_ORIGIN_INVARIANT) && same_activation(&past->last, at))
        add_candidate(walk, FW_ORIGIN_INVARIANT, &past->last, at,
                      fw_invariant_allows(past->last.site->write, at->site->write), variable,
                      false);
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void in_block(struct thread *thread, struct past *past, const struct spot *at,
                     const struct fw_event *event)
{
    if (!thread->block)
        return;
    if (past->block != thread->block) {
        past->block = thread->block;
        past->first = *at;
        past->accesses = past->reads = past->writes = 0;
        past->again = false;
        fw_vec_push(&thread->touched, event->target);
    } else if (at->site && at->site == past->first.site &&
               at->activation != past->first.activation) {
        past->again = true;
    }
    past->accesses++;
    past->reads += fw_is_class(event->kind, FW_CLASS_READ);
    past->writes += fw_is_write(event->kind);
}

static struct past *past_of(struct variable *variable, uint32_t thread)
{
    for (size_t i = 0; i < variable->pasts.len; i++)
        if (variable->pasts.at[i].thread == thread)
            return &variable->pasts.at[i];
    fw_vec_push(&variable->pasts, ((struct past) { .thread = thread }));
    return &fw_vec_last(&variable->pasts);
}

static void end_block(struct walk *walk, uint32_t number)
{
    struct thread *thread = &walk->threads.at[number];

    for (size_t i = 0; i < thread->touched.len; i++) {
        uint32_t variable = thread->touched.at[i];
        struct past *past = past_of(&walk->variables.at[variable], number);
        unsigned allow =
            (past->writes <= 1 ? FW_ALLOW_READS : 0) | (past->reads ? 0 : FW_ALLOW_WRITES);

        if (past->accesses < 2 || !wants(walk, FW_ORIGIN_ANNOTATION))
            continue;
        if (same_activation(&past->first, &past->last))
            add_candidate(walk, FW_ORIGIN_ANNOTATION, &past->first, &past->last, allow, variable,
                          past->again);
        else
            walk->finder->facts.spread++;
    }
    fw_vec_clear(&thread->touched);
    thread->block = 0;
}

/* --- events ---------------------------------------------------------------------------------- */

static void access_variable(struct walk *walk, const struct fw_event *event)
{
    struct variable *variable = &walk->variables.at[event->target];
    struct thread *thread = &walk->threads.at[event->thread];
    bool write = event->kind == FW_WRITE;
    struct known_site *known;
    struct spot at = { 0 };
    struct past *past;

    if (!variable->shared || !variable->written)
        return;
    past = past_of(variable, event->thread);
    if (event->kind == FW_READ || write) {
        known = look_up(walk, event->site);
        at.site = known->site;
        at.module = known->module;
        walk->finder->facts.unknown += !at.site;
    }
    at.activation = thread->activations.len ? fw_vec_last(&thread->activations) : 0;
    if (at.site && at.site->write != write) /* read and written by one hook */
        at.site = NULL;
    in_block(thread, past, &at, event);
    test_and_use(walk, past, &at, write || !at.site, event->target);
    load_and_store(walk, past, &at, write || !at.site, event->target);
    invariant(walk, past, &at, event->target);
    past->last = at;
}

static void follow(struct walk *walk, const struct fw_event *event)
{
    struct thread *thread = &walk->threads.at[event->thread];

    switch (event->kind) {
    case FW_CALL:
        fw_vec_push(&thread->activations, ++walk->activations);
        break;
    case FW_RETURN:
        if (thread->activations.len)
            (void)fw_vec_pop(&thread->activations);
        break;
    case FW_BEGIN:
        if (thread->depth++ == 0)
            thread->block = ++walk->blocks;
        break;
    case FW_END:
        if (thread->depth && --thread->depth == 0)
            end_block(walk, event->thread);
        break;
    default:
        if (fw_is_class(event->kind, FW_CLASS_READ | FW_CLASS_WRITE))
            access_variable(walk, event);
    }
}

/* Who accesses what. */
static void survey(struct walk *walk, const struct fw_event *event)
{
    struct variable *variable;

    if (!fw_is_class(event->kind, FW_CLASS_READ | FW_CLASS_WRITE))
        return;
    fw_vec_extend(&walk->variables, event->target + 1);
    variable = &walk->variables.at[event->target];
    variable->shared |= variable->touched && variable->thread != event->thread;
    variable->written |= fw_is_write(event->kind);
    variable->touched = true;
    variable->thread = event->thread;
}

/* --- traces ---------------------------------------------------------------------------------- */

static int read_all(struct walk *walk, const char *path,
                    void (*take)(struct walk *walk, const struct fw_event *event))
{
    static const struct fw_read_options plain = { .repair = true };
    struct fw_batch batch;
    int more;

    if (fw_reader_open(&walk->reader, path, &plain, walk->err) < 0)
        return -1;
    walk->symbols = fw_reader_symbols(walk->reader);
    while ((more = fw_reader_next(walk->reader, &batch, walk->err)) > 0 && !walk->failed) {
        fw_vec_extend(&walk->threads, fw_symbols_count(walk->symbols, FW_SPACE_THREAD));
        for (uint32_t i = 0; i < batch.count && !walk->failed; i++)
            take(walk, &batch.events[i]);
    }
    return more < 0 || walk->failed ? -1 : 0;
}

static int survey_all(struct walk *walk, const char *path)
{
    int status = read_all(walk, path, survey);
    size_t modules;

    if (status == 0 && (!fw_reader_modules(walk->reader, &modules) || !modules))
        status = fw_error_set(
            walk->err, "'%s' is no recording of a program ('foreweave record' makes them)", path);
    if (status == 0)
        walk->finder->facts.lacking += fw_reader_metadata(walk->reader, FW_FWT_REPEATS) &&
                                       !fw_reader_metadata(walk->reader, FW_FWT_REPEATS_KEPT);
    fw_reader_close(walk->reader);
    walk->reader = NULL;
    return status;
}

/* What threads were about to do when the trace ended. */
static void end_runs(struct walk *walk)
{
    uint64_t *most = &walk->finder->facts.variables, shared = 0;

    for (uint32_t i = 0; i < walk->variables.len; i++) {
        struct variable *variable = &walk->variables.at[i];

        shared += variable->shared && variable->written;
        for (size_t j = 0; j < variable->pasts.len; j++)
            if (variable->pasts.at[j].run_len)
                end_run(walk, &variable->pasts.at[j], i);
    }
    if (*most < shared)
        *most = shared;
}

static void release(struct walk *walk)
{
    for (size_t i = 0; i < walk->variables.len; i++)
        fw_vec_release(&walk->variables.at[i].pasts);
    for (size_t i = 0; i < walk->threads.len; i++) {
        fw_vec_release(&walk->threads.at[i].activations);
        fw_vec_release(&walk->threads.at[i].touched);
    }
    fw_vec_release(&walk->variables);
    fw_vec_release(&walk->threads);
    fw_vec_release(&walk->sites);
    fw_reader_close(walk->reader);
}

int fw_finder_add(struct fw_finder *finder, const char *path, struct fw_error *err)
{
    struct walk walk = { .finder = finder, .err = err };
    int status;

    status = survey_all(&walk, path);
    if (status == 0)
        status = read_all(&walk, path, follow);
    if (status == 0) {
        end_runs(&walk);
        finder->facts.traces++;
    }
    release(&walk);
    return status;
}

/* --- the finder ------------------------------------------------------------------------------ */

struct fw_finder *fw_finder_create(unsigned origins)
{
    struct fw_finder *finder = fw_xcalloc(1, sizeof *finder);

    finder->origins = origins;
    return finder;
}

void fw_finder_destroy(struct fw_finder *finder)
{
    if (!finder)
        return;
    for (size_t i = 0; i < finder->candidates.len; i++)
        free(finder->candidates.at[i].variable);
    for (size_t i = 0; i < finder->modules.len; i++)
        fw_sites_close(finder->modules.at[i]);
    fw_vec_release(&finder->candidates);
    fw_vec_release(&finder->modules);
    fw_idmap_release(&finder->map);
    free(finder);
}

const struct fw_finder_facts *fw_finder_facts(const struct fw_finder *finder)
{
    return &finder->facts;
}
