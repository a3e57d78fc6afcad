/* constraints.c - see constraints.h: constraints in memory. */
#include "learn/constraints_state.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const fw_cut_kinds[FW_CUT_KINDS + 1] = {
    [FW_CUT_ENTRY] = "entry",         [FW_CUT_CALL] = "call",     [FW_CUT_LOOP] = "loop",
    [FW_CUT_ITERATION] = "iteration", [FW_CUT_ACCESS] = "access", [FW_CUT_CLAIM] = "claim",
    [FW_CUT_LAST] = "last", [FW_CUT_MORE] = "more",
};

struct fw_constraints *fw_constraints_create(void)
{
    struct fw_constraints *constraints = fw_xcalloc(1, sizeof *constraints);

    fw_strtab_init(&constraints->keys);
    return constraints;
}

void fw_learnt_site_release(struct fw_learnt_site *site)
{
    free(site->module);
    free(site->function);
    fw_spot_release(&site->at);
    *site = (struct fw_learnt_site) { 0 };
}

void fw_constraints_destroy(struct fw_constraints *constraints)
{
    if (!constraints)
        return;
    for (size_t i = 0; i < constraints->modules.len; i++) {
        free(constraints->modules.at[i].name);
        free(constraints->modules.at[i].build_id);
    }
    for (size_t i = 0; i < constraints->sites.len; i++) {
        fw_learnt_site_release(&constraints->sites.at[i].site);
        fw_vec_release(&constraints->sites.at[i].before);
    }
    fw_vec_release(&constraints->modules);
    fw_vec_release(&constraints->sites);
    fw_vec_release(&constraints->pairs);
    fw_vec_release(&constraints->cuts);
    fw_idmap_release(&constraints->pair_map);
    fw_idmap_release(&constraints->cut_map);
    fw_strtab_release(&constraints->keys);
    free(constraints);
}

/* --- the program ----------------------------------------------------------------------------- */

void fw_constraints_add_module(struct fw_constraints *constraints, const char *name,
                               const char *build_id)
{
    for (size_t i = 0; i < constraints->modules.len; i++) {
        struct fw_learnt_module *module = &constraints->modules.at[i];

        if (strcmp(module->name, name) == 0) {
            char *copy = fw_xstrdup(build_id);

            free(module->build_id);
            module->build_id = copy;
            return;
        }
    }
    fw_vec_push(&constraints->modules,
                ((struct fw_learnt_module) { fw_xstrdup(name), fw_xstrdup(build_id) }));
}

size_t fw_constraints_module_count(const struct fw_constraints *constraints)
{
    return constraints->modules.len;
}

const struct fw_learnt_module *fw_constraints_module(const struct fw_constraints *constraints,
                                                     size_t i)
{
    return &constraints->modules.at[i];
}

int fw_constraints_are_of(const struct fw_constraints *constraints, const char *program,
                          const char *path, struct fw_error *err)
{
    size_t count = fw_constraints_module_count(constraints);

    for (size_t i = 0; i < count; i++)
        if (strcmp(fw_constraints_module(constraints, i)->name, program) == 0)
            return 0;
    return fw_error_set(err, "the constraints in '%s' are of '%s', not of '%s'", path,
                        count ? fw_constraints_module(constraints, 0)->name : "nobody", program);
}

void fw_constraints_add_runs(struct fw_constraints *constraints, uint64_t passed, uint64_t failed)
{
    constraints->passed += passed;
    constraints->failed += failed;
}

uint64_t fw_constraints_passed(const struct fw_constraints *constraints)
{
    return constraints->passed;
}

uint64_t fw_constraints_failed(const struct fw_constraints *constraints)
{
    return constraints->failed;
}

/* --- sites ----------------------------------------------------------------------------------- */

static const char *own_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What makes a site the same one; texts are kept apart by what no text has in it. */
static char *key_of(const struct fw_learnt_site *site)
{
    const struct fw_spot *at = &site->at;

    return fw_xasprintf("%d\n%s\n%s\n%s\n%c%" PRId64 "#%" PRIu32 "\n%s", (int)site->does,
                        site->module, site->function, own_name(at->file),
                        at->has_offset ? '+' : ':',
                        at->has_offset ? (int64_t)at->offset : (int64_t)at->line, at->ordinal,
                        at->text ? at->text : "");
}

uint32_t fw_constraints_find(const struct fw_constraints *constraints,
                             const struct fw_learnt_site *site)
{
    char *key = key_of(site);
    uint32_t found = fw_strtab_find(&constraints->keys, key, strlen(key));

    free(key);
    return found == FW_STRTAB_NONE ? FW_LEARNT_NONE : found;
}

uint32_t fw_constraints_site(struct fw_constraints *constraints, const struct fw_learnt_site *site)
{
    char *key = key_of(site);
    uint32_t number = fw_strtab_intern(&constraints->keys, key, strlen(key));
    struct fw_learnt_state state = { .site.does = site->does };

    free(key);
    if (number < constraints->sites.len) {
        constraints->sites.at[number].site.at.line = site->at.line; /* the newest build's */
        return number;
    }
    state.site.module = fw_xstrdup(site->module);
    state.site.function = fw_xstrdup(site->function);
    fw_spot_copy(&state.site.at, &site->at);
    state.site.at.write = site->does == FW_LEARNT_WRITE;
    fw_vec_push(&constraints->sites, state);
    return number;
}

uint32_t fw_constraints_site_count(const struct fw_constraints *constraints)
{
    return (uint32_t)constraints->sites.len;
}

const struct fw_learnt_site *fw_constraints_get(const struct fw_constraints *constraints,
                                                uint32_t site)
{
    return &constraints->sites.at[site].site;
}

char *fw_learnt_site_text(const struct fw_learnt_site *site)
{
    static const char *const does[] = { "read", "write", "place" };
    char *where = fw_spot_where(&site->at);
    char *text = fw_xasprintf("%s at %s in %s", does[site->does], where, site->function);

    free(where);
    return text;
}

/* --- predecessor sets ------------------------------------------------------------------------ */

static uint32_t hash_two(uint32_t a, uint32_t b)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

    return (uint32_t)(mixed >> 32);
}

struct key {
    const struct fw_constraints *constraints;
    uint32_t a, b;
};

static bool is_pair(const void *key, uint32_t id)
{
    const struct key *wanted = key;
    const struct fw_learnt_pair *pair = &wanted->constraints->pairs.at[id];

    return pair->site == wanted->a && pair->before == wanted->b;
}

bool fw_constraints_share(struct fw_constraints *constraints, uint32_t site)
{
    bool news = !constraints->sites.at[site].shared;

    constraints->sites.at[site].shared = true;
    return news;
}

bool fw_constraints_is_shared(const struct fw_constraints *constraints, uint32_t site)
{
    return constraints->sites.at[site].shared;
}

bool fw_constraints_has_pair(const struct fw_constraints *constraints, uint32_t site,
                             uint32_t before)
{
    struct key key = { constraints, site, before };

    return fw_idmap_find(&constraints->pair_map, hash_two(site, before), is_pair, &key) !=
           FW_IDMAP_NONE;
}

bool fw_constraints_add_pair(struct fw_constraints *constraints, uint32_t site, uint32_t before)
{
    if (fw_constraints_has_pair(constraints, site, before))
        return false;
    fw_idmap_add(&constraints->pair_map, hash_two(site, before), (uint32_t)constraints->pairs.len);
    fw_vec_push(&constraints->pairs, ((struct fw_learnt_pair) { site, before }));
    fw_vec_push(&constraints->sites.at[site].before, before);
    fw_constraints_share(constraints, site);
    fw_constraints_share(constraints, before);
    return true;
}

size_t fw_constraints_pair_count(const struct fw_constraints *constraints)
{
    return constraints->pairs.len;
}

size_t fw_constraints_pset(const struct fw_constraints *constraints, uint32_t site,
                           const uint32_t **before)
{
    *before = constraints->sites.at[site].before.at;
    return constraints->sites.at[site].before.len;
}

bool fw_constraints_allow(struct fw_constraints *constraints, uint32_t site, unsigned also)
{
    struct fw_learnt_state *state = &constraints->sites.at[site];
    bool news = also & ~state->also;

    state->also |= also;
    return news;
}

unsigned fw_constraints_allowed(const struct fw_constraints *constraints, uint32_t site)
{
    return constraints->sites.at[site].also;
}

/* --- cutpoints ------------------------------------------------------------------------------- */

static bool is_cut(const void *key, uint32_t id)
{
    const struct key *wanted = key;
    const struct fw_learnt_cut *cut = &wanted->constraints->cuts.at[id];

    return cut->kind == wanted->a && cut->site == wanted->b;
}

bool fw_constraints_has_cut(const struct fw_constraints *constraints, enum fw_cut_kind kind,
                            uint32_t site)
{
    struct key key = { constraints, kind, site };

    return fw_idmap_find(&constraints->cut_map, hash_two(kind, site), is_cut, &key) !=
           FW_IDMAP_NONE;
}

bool fw_constraints_add_cut(struct fw_constraints *constraints, enum fw_cut_kind kind,
                            uint32_t site)
{
    if (fw_constraints_has_cut(constraints, kind, site))
        return false;
    fw_idmap_add(&constraints->cut_map, hash_two(kind, site), (uint32_t)constraints->cuts.len);
    fw_vec_push(&constraints->cuts, ((struct fw_learnt_cut) { kind, site }));
    return true;
}

size_t fw_constraints_cut_count(const struct fw_constraints *constraints)
{
    return constraints->cuts.len;
}

const struct fw_learnt_cut *fw_constraints_cut(const struct fw_constraints *constraints, size_t i)
{
    return &constraints->cuts.at[i];
}

/* --- merging --------------------------------------------------------------------------------- */

struct fw_learnt_news fw_constraints_merge(struct fw_constraints *into,
                                           const struct fw_constraints *from)
{
    uint32_t *numbers = fw_xcalloc(from->sites.len + 1, sizeof *numbers);
    struct fw_learnt_news news = { .sites = into->sites.len };

    for (size_t i = 0; i < from->modules.len; i++)
        fw_constraints_add_module(into, from->modules.at[i].name, from->modules.at[i].build_id);
    fw_constraints_add_runs(into, from->passed, from->failed);
    for (size_t i = 0; i < from->sites.len; i++) {
        numbers[i] = fw_constraints_site(into, &from->sites.at[i].site);
        if (from->sites.at[i].shared)
            news.shared += fw_constraints_share(into, numbers[i]);
        if (from->sites.at[i].also)
            news.also += fw_constraints_allow(into, numbers[i], from->sites.at[i].also) &&
                         into->sites.at[numbers[i]].shared;
    }
    for (size_t i = 0; i < from->pairs.len; i++)
        news.pairs += fw_constraints_add_pair(into, numbers[from->pairs.at[i].site],
                                              numbers[from->pairs.at[i].before]);
    for (size_t i = 0; i < from->cuts.len; i++)
        news.cuts += fw_constraints_add_cut(into, from->cuts.at[i].kind,
                                            numbers[from->cuts.at[i].site]);
    news.sites = into->sites.len - news.sites;
    free(numbers);
    return news;
}
