/* program.c - see program.h. */
#include "learn/program.h"

#include "base/alloc.h"
#include "base/strtab.h"
#include "sections/sites.h"
#include "symbol/elf_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sites by a key of which several may share one: chains, the latest first. */
struct chains {
    struct fw_strtab keys;
    FW_VEC(uint32_t) first; /* by key */
    FW_VEC(uint32_t) next;  /* by site */
};

struct fw_learn_program {
    FW_VEC(struct fw_learn_module) modules;
    struct fw_constraints *sites;
    size_t nameless;
    struct chains by_place, by_text;
};

/* --- keys ------------------------------------------------------------------------------------ */

static const char *own_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* What a site is known by when its text cannot be compared. */
static char *place_key(const struct fw_learnt_site *site)
{
    const struct fw_spot *at = &site->at;

    return fw_xasprintf("%d\n%s\n%s\n%s\n%c%" PRId64 "#%" PRIu32, (int)site->does, site->module,
                        site->function, own_name(at->file), at->has_offset ? '+' : ':',
                        at->has_offset ? (int64_t)at->offset : (int64_t)at->line, at->ordinal);
}

/* ... and when its place has changed; NULL: it has no text. */
static char *text_key(const struct fw_learnt_site *site)
{
    const struct fw_spot *at = &site->at;

    return at->text ? fw_xasprintf("%d\n%s\n%s\n%s\n#%" PRIu32 "\n%s", (int)site->does,
                                   site->module, site->function, own_name(at->file), at->ordinal,
                                   at->text)
                    : NULL;
}

static void chains_add(struct chains *chains, char *key, uint32_t site)
{
    uint32_t number;

    if (!key)
        return;
    number = fw_strtab_intern(&chains->keys, key, strlen(key));
    free(key);
    if (number == chains->first.len)
        fw_vec_push(&chains->first, FW_LEARNT_NONE);
    fw_vec_extend(&chains->next, site + 1);
    chains->next.at[site] = chains->first.at[number];
    chains->first.at[number] = site;
}

static uint32_t chains_find(const struct chains *chains, char *key)
{
    uint32_t number = key ? fw_strtab_find(&chains->keys, key, strlen(key)) : FW_STRTAB_NONE;

    free(key);
    return number == FW_STRTAB_NONE ? FW_LEARNT_NONE : chains->first.at[number];
}

static void chains_release(struct chains *chains)
{
    fw_strtab_release(&chains->keys);
    fw_vec_release(&chains->first);
    fw_vec_release(&chains->next);
}

/* --- opening --------------------------------------------------------------------------------- */

static char *read_build_id(const char *path)
{
    struct fw_error err;
    struct fw_elf *file = fw_elf_open(path, &err);
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    for (uint32_t i = 0; file && i < file->build_id_size; i++)
        fw_output_printf(&out, "%02x", file->build_id[i]);
    text = out.used ? fw_xstrndup(out.buffer, out.used) : fw_xstrdup("-");
    fw_output_abandon(&out);
    if (file)
        fw_elf_close(file);
    return text;
}

static uint32_t add_site(struct fw_learn_program *program, const struct fw_learn_module *module,
                         struct fw_sites *sites, const struct fw_site *hook)
{
    struct fw_learnt_site site = { .does = hook->write ? FW_LEARNT_WRITE : FW_LEARNT_READ };
    uint32_t before = fw_constraints_site_count(program->sites), number;

    if (!fw_sites_spot(sites, hook, &site.at))
        return FW_LEARNT_NONE;
    site.module = fw_xstrdup(module->name);
    site.function = fw_xstrdup(hook->function);
    number = fw_constraints_site(program->sites, &site);
    if (number == before) {
        chains_add(&program->by_place, place_key(&site), number);
        chains_add(&program->by_text, text_key(&site), number);
    }
    fw_learnt_site_release(&site);
    return number;
}

static void take_sites(struct fw_learn_program *program, struct fw_learn_module *module,
                       struct fw_sites *sites)
{
    module->sites = fw_xcalloc(module->calls.len + 1, sizeof *module->sites);
    for (size_t i = 0; i < module->calls.len; i++) {
        const struct fw_hook_call *call = &module->calls.at[i];
        const struct fw_site *hook = call->access ? fw_sites_at(sites, call->returns) : NULL;

        module->sites[i] = hook ? add_site(program, module, sites, hook) : FW_LEARNT_NONE;
        program->nameless += call->access && module->sites[i] == FW_LEARNT_NONE;
    }
}

static int add_module(struct fw_learn_program *program, const char *path, struct fw_error *err)
{
    struct fw_learn_module module = { 0 };
    struct fw_sites *sites;

    if (fw_hooks_calls(path, &module.calls, err) < 0)
        return -1;
    sites = fw_sites_open(path, err);
    if (!sites) {
        fw_vec_release(&module.calls);
        return -1;
    }
    module.path = fw_xstrdup(path);
    module.name = own_name(module.path);
    module.build_id = read_build_id(path);
    module.device = fw_sites_device(sites);
    module.inode = fw_sites_inode(sites);
    take_sites(program, &module, sites);
    fw_sites_close(sites);
    fw_vec_push(&program->modules, module);
    return 0;
}

struct fw_learn_program *fw_learn_program_open(const char *const *files, size_t count,
                                               struct fw_error *err)
{
    struct fw_learn_program *program = fw_xcalloc(1, sizeof *program);
    int status = 0;

    program->sites = fw_constraints_create();
    fw_strtab_init(&program->by_place.keys);
    fw_strtab_init(&program->by_text.keys);
    for (size_t i = 0; i < count && !status; i++)
        status = add_module(program, files[i], err);
    if (!status && !fw_constraints_site_count(program->sites))
        status = fw_error_set(err,
                              "'%s' has no hooks whose lines are known: build it with "
                              "'foreweave cc -g'",
                              files[0]);
    if (!status)
        return program;
    fw_learn_program_close(program);
    return NULL;
}

void fw_learn_program_close(struct fw_learn_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->modules.len; i++) {
        struct fw_learn_module *module = &program->modules.at[i];

        free(module->path);
        free(module->build_id);
        free(module->sites);
        fw_vec_release(&module->calls);
    }
    fw_vec_release(&program->modules);
    chains_release(&program->by_place);
    chains_release(&program->by_text);
    fw_constraints_destroy(program->sites);
    free(program);
}

size_t fw_learn_program_module_count(const struct fw_learn_program *program)
{
    return program->modules.len;
}

const struct fw_learn_module *fw_learn_program_module(const struct fw_learn_program *program,
                                                      size_t i)
{
    return &program->modules.at[i];
}

size_t fw_learn_program_nameless(const struct fw_learn_program *program)
{
    return program->nameless;
}

const struct fw_constraints *fw_learn_program_sites(const struct fw_learn_program *program)
{
    return program->sites;
}

/* --- matching -------------------------------------------------------------------------------- */

/* In the same place, where one of the two has no text. */
static uint32_t match_place(const struct fw_learn_program *program,
                            const struct fw_learnt_site *wanted)
{
    uint32_t site = chains_find(&program->by_place, place_key(wanted));

    for (; site != FW_LEARNT_NONE; site = program->by_place.next.at[site])
        if (!wanted->at.text || !fw_constraints_get(program->sites, site)->at.text)
            return site;
    return FW_LEARNT_NONE;
}

static uint32_t match_text(const struct fw_learn_program *program,
                           const struct fw_learnt_site *wanted)
{
    uint32_t site = chains_find(&program->by_text, text_key(wanted)), best = FW_LEARNT_NONE;
    int64_t nearest = INT64_MAX;

    for (; site != FW_LEARNT_NONE; site = program->by_text.next.at[site]) {
        const struct fw_spot *at = &fw_constraints_get(program->sites, site)->at;
        int64_t away = at->has_offset && wanted->at.has_offset
                           ? llabs((long long)at->offset - wanted->at.offset)
                           : llabs((long long)at->line - wanted->at.line);

        if (away < nearest) {
            nearest = away;
            best = site;
        }
    }
    return best;
}

uint32_t *fw_learn_program_match(const struct fw_learn_program *program,
                                 const struct fw_constraints *constraints)
{
    uint32_t count = fw_constraints_site_count(constraints);
    uint32_t *numbers = fw_xcalloc(count + (size_t)1, sizeof *numbers);

    for (uint32_t i = 0; i < count; i++) {
        const struct fw_learnt_site *site = fw_constraints_get(constraints, i);

        numbers[i] = fw_constraints_find(program->sites, site);
        if (numbers[i] == FW_LEARNT_NONE)
            numbers[i] = match_place(program, site);
        if (numbers[i] == FW_LEARNT_NONE)
            numbers[i] = match_text(program, site);
    }
    return numbers;
}
