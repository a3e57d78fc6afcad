/* sites.c - see sites.h. */
#include "sections/sites.h"

#include "base/alloc.h"
#include "symbol/hooks.h"
#include "symbol/source_text.h"
#include "symbol/symbolizer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FRAMES 64u

/* What a copy is known by while copies have no numbers. */
struct key {
    uint64_t function, copy;
    uint32_t site;
};

struct fw_sites {
    char *path;
    struct stat about;
    struct fw_symbolizer *symbolizer;
    struct fw_source_texts *texts;
    uint32_t module;
    FW_VEC(struct fw_site) all; /* by address */
};

const char *fw_sites_path(const struct fw_sites *sites)
{
    return sites->path;
}

uint64_t fw_sites_device(const struct fw_sites *sites)
{
    return sites->about.st_dev;
}

uint64_t fw_sites_inode(const struct fw_sites *sites)
{
    return sites->about.st_ino;
}

size_t fw_sites_count(const struct fw_sites *sites)
{
    return sites->all.len;
}

const struct fw_site *fw_sites_get(const struct fw_sites *sites, size_t i)
{
    return &sites->all.at[i];
}

/* --- where they are -------------------------------------------------------------------------- */

static void describe(struct fw_sites *sites, struct fw_site *site, struct key *key)
{
    struct fw_source_frame frames[FRAMES];
    struct fw_source_function function = { 0 };
    uint64_t call = site->returns - 1;
    const struct fw_source_frame *frame = fw_source_own_frame(
        frames, fw_symbolizer_frames(sites->symbolizer, sites->module, call, frames, FRAMES));

    if (!frame)
        return;
    fw_symbolizer_function(sites->symbolizer, sites->module, call, &function);
    key->function = function.start;
    key->copy = frame->copy;
    site->function = frame->function;
    site->file = frame->at.file;
    site->line = frame->at.line;
    site->first_line = frame->first_line;
    site->inlined = frame->inlined;
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

/* Which one is it of its copy and line?  `first` is the first of its copy. */
static void count(struct fw_sites *sites, const struct key *keys, size_t first, size_t at)
{
    struct fw_site *site = &sites->all.at[keys[at].site];

    site->ordinal = 1;
    for (size_t i = at; i-- > first;) {
        const struct fw_site *other = &sites->all.at[keys[i].site];

        if (other->write == site->write && other->line == site->line && other->file && site->file &&
            strcmp(other->file, site->file) == 0) {
            site->ordinal = other->ordinal + 1;
            return;
        }
    }
}

static void number(struct fw_sites *sites, struct key *keys, size_t len)
{
    uint32_t copies = 0;
    size_t first = 0;

    if (len)
        qsort(keys, len, sizeof *keys, by_key);
    for (size_t i = 0; i < len; i++) {
        if (i && (keys[i].function != keys[i - 1].function || keys[i].copy != keys[i - 1].copy)) {
            copies++;
            first = i;
        }
        sites->all.at[keys[i].site].copy = copies;
        count(sites, keys, first, i);
    }
}

/* --- opening --------------------------------------------------------------------------------- */

static void take(struct fw_sites *sites, const struct fw_hooks *hooks)
{
    struct key *keys = fw_xcalloc(hooks->len, sizeof *keys);

    for (size_t i = 0; i < hooks->len; i++) {
        const struct fw_hook *hook = &hooks->at[i];

        fw_vec_push(&sites->all, ((struct fw_site) { .returns = hook->returns,
                                                     .write = hook->write,
                                                     .address = hook->address,
                                                     .size = hook->size,
                                                     .branches = hook->branches }));
        keys[i].site = (uint32_t)i;
        describe(sites, &sites->all.at[i], &keys[i]);
    }
    number(sites, keys, hooks->len);
    free(keys);
}

struct fw_sites *fw_sites_open(const char *path, struct fw_error *err)
{
    struct fw_hooks hooks = { 0 };
    struct fw_sites *sites;
    struct stat about;

    if (stat(path, &about) < 0) {
        fw_error_errno(err, "cannot read '%s'", path);
        return NULL;
    }
    if (fw_hooks_find(path, &hooks, err) < 0)
        return NULL;
    sites = fw_xcalloc(1, sizeof *sites);
    sites->path = fw_xstrdup(path);
    sites->about = about;
    sites->symbolizer = fw_symbolizer_create();
    sites->texts = fw_source_texts_create();
    fw_source_texts_until(sites->texts, &about.st_mtim);
    sites->module = fw_symbolizer_module(sites->symbolizer, path, NULL, 0);
    take(sites, &hooks);
    fw_vec_release(&hooks);
    return sites;
}

void fw_sites_close(struct fw_sites *sites)
{
    if (!sites)
        return;
    fw_symbolizer_destroy(sites->symbolizer);
    fw_source_texts_destroy(sites->texts);
    fw_vec_release(&sites->all);
    free(sites->path);
    free(sites);
}

/* --- questions ------------------------------------------------------------------------------- */

const struct fw_site *fw_sites_at(const struct fw_sites *sites, uint64_t returns)
{
    size_t low = 0, high = sites->all.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sites->all.at[middle].returns < returns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == sites->all.len || sites->all.at[low].returns != returns)
        return NULL;
    return &sites->all.at[low];
}

const char *fw_sites_text(struct fw_sites *sites, const struct fw_site *site)
{
    const char *directory =
        fw_symbolizer_directory(sites->symbolizer, sites->module, site->returns - 1);

    return site->file ? fw_source_text(sites->texts, directory, site->file, site->line) : NULL;
}

char *fw_sites_variable(struct fw_sites *sites, uint64_t offset)
{
    char name[FW_SYMBOL_NAME];

    return fw_symbolizer_variable_name(sites->symbolizer, sites->module, offset, name)
               ? fw_xstrdup(name)
               : NULL;
}

bool fw_sites_spot(struct fw_sites *sites, const struct fw_site *site, struct fw_spot *spot)
{
    const char *text;

    if (!site->function || !site->file || !site->line)
        return false;
    text = fw_sites_text(sites, site);
    *spot = (struct fw_spot) {
        .write = site->write,
        .file = fw_xstrdup(site->file),
        .line = site->line,
        .ordinal = site->ordinal,
        .has_offset = site->first_line > 0,
        .offset = site->first_line ? (int32_t)site->line - (int32_t)site->first_line : 0,
        .text = text ? fw_xstrdup(text) : NULL,
    };
    return true;
}
