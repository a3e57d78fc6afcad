/* traced.c - see traced.h. */
#include "learn/traced.h"

#include "base/alloc.h"
#include "base/strtab.h"
#include "guard/words.h"
#include "iroot/naming.h"
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The words of a variable: their numbers are those of `first` and the next ones. */
struct extent {
    uint32_t block;  /* what it is a part of */
    int64_t word;    /* in the block */
    uint32_t offset; /* bytes of that word before it */
};

struct fw_traced {
    const struct fw_learn_program *program;
    struct fw_constraints *constraints;
    uint32_t *known; /* by site of the program: its number in the constraints, or NONE */
    struct fw_learnt_news *news;
    bool *private; /* by site of the program: earlier runs came by, and it was not shared */
    /* of the trace at hand */
    const struct fw_symbols *symbols;
    FW_VEC(uint32_t) sites; /* by site of the trace: that of the program, + 2; 0: not known yet */
    FW_VEC(struct extent) extents; /* by variable; block 0: not known yet */
    struct fw_strtab blocks;       /* id + 1 is a block */
    struct fw_strtab words;        /* block and word: id + 1 is the address / 4 */
};

struct fw_traced *fw_traced_create(const struct fw_learn_program *program,
                                   struct fw_constraints *constraints, struct fw_error *err)
{
    uint32_t count = fw_constraints_site_count(fw_learn_program_sites(program));
    struct fw_traced *traced;
    void *cells = mmap(NULL, FW_WORDS_ROOM, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (cells == MAP_FAILED) {
        fw_error_errno(err, "no address space for what words of memory need");
        return NULL;
    }
    fw_word_cells = cells;
    traced = fw_xcalloc(1, sizeof *traced);
    traced->program = program;
    traced->constraints = constraints;
    traced->known = fw_xmalloc((count + (size_t)1) * sizeof *traced->known);
    traced->private = fw_xcalloc(count + (size_t)1, sizeof *traced->private);
    for (uint32_t i = 0; i < count; i++)
        traced->known[i] = FW_LEARNT_NONE;
    return traced;
}

void fw_traced_destroy(struct fw_traced *traced)
{
    if (!traced)
        return;
    munmap(fw_word_cells, FW_WORDS_ROOM);
    fw_word_cells = NULL;
    free(traced->known);
    free(traced->private);
    free(traced);
}

/* --- sites ----------------------------------------------------------------------------------- */

static uint32_t site_at(const struct fw_learn_module *module, uint64_t returns)
{
    size_t low = 0, high = module->calls.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (module->calls.at[middle].returns < returns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == module->calls.len || module->calls.at[low].returns != returns)
        return FW_LEARNT_NONE;
    return module->sites[low];
}

/* FW_LEARNT_NONE: no access hook of the program is there. */
static uint32_t look_up_site(const struct fw_traced *traced, const char *name)
{
    uint32_t site = FW_LEARNT_NONE;
    uint64_t returns;
    char *path;

    if (!fw_naming_recorded(name, &path, &returns))
        return FW_LEARNT_NONE;
    for (size_t i = 0; i < fw_learn_program_module_count(traced->program); i++) {
        const struct fw_learn_module *module = fw_learn_program_module(traced->program, i);
        const char *slash = strrchr(path, '/');

        if (strcmp(slash ? slash + 1 : path, module->name) == 0)
            site = site_at(module, returns);
    }
    free(path);
    return site;
}

static uint32_t site_of(struct fw_traced *traced, uint32_t site)
{
    fw_vec_extend(&traced->sites, site + (size_t)1);
    if (!traced->sites.at[site])
        traced->sites.at[site] =
            look_up_site(traced, fw_symbols_name(traced->symbols, FW_SPACE_SITE, site)) + 2;
    return traced->sites.at[site] - 2; /* of none it is 1 */
}

/* The constraints' number of a site of the program. */
static uint32_t name_site(struct fw_traced *traced, uint32_t site)
{
    uint32_t before = fw_constraints_site_count(traced->constraints);

    if (traced->known[site] == FW_LEARNT_NONE) {
        traced->known[site] = fw_constraints_site(
            traced->constraints,
            fw_constraints_get(fw_learn_program_sites(traced->program), site));
        traced->news->sites += fw_constraints_site_count(traced->constraints) - before;
    }
    return traced->known[site];
}

/* --- words ----------------------------------------------------------------------------------- */

static uint32_t block_of(struct fw_traced *traced, const char *name, size_t len, const char *rest)
{
    char *key = fw_xasprintf("%.*s\n%s", (int)len, name, rest);
    uint32_t block = fw_strtab_intern(&traced->blocks, key, strlen(key)) + 1;

    free(key);
    return block;
}

/* BLOCK, BLOCK+0xOFFSET or BLOCK-0xOFFSET, perhaps #NUMBER behind: blocks begin at whole words. */
static struct extent look_up_variable(struct fw_traced *traced, const char *name)
{
    const char *at = NULL;
    char *rest = "";
    uint64_t offset = 0;
    bool below = false;

    for (const char *next = name; (next = strstr(next, "0x")) != NULL; next++)
        if (next > name && (next[-1] == '+' || next[-1] == '-'))
            at = next - 1;
    if (at) {
        offset = strtoull(at + 3, &rest, 16);
        below = *at == '-';
    }
    return (struct extent) { block_of(traced, name, at ? (size_t)(at - name) : strlen(name), rest),
                             below ? -(int64_t)(offset / 4 + (offset % 4 != 0))
                                   : (int64_t)(offset / 4),
                             (uint32_t)((below ? 0 - offset : offset) % 4) };
}

static const struct extent *extent_of(struct fw_traced *traced, uint32_t variable)
{
    fw_vec_extend(&traced->extents, variable + (size_t)1);
    if (!traced->extents.at[variable].block)
        traced->extents.at[variable] = look_up_variable(
            traced, fw_symbols_name(traced->symbols, FW_SPACE_VARIABLE, variable));
    return &traced->extents.at[variable];
}

static uintptr_t address_of(struct fw_traced *traced, uint32_t block, int64_t word)
{
    struct {
        int64_t word;
        uint64_t block;
    } key = { word, block };

    return ((uintptr_t)fw_strtab_intern(&traced->words, (const char *)&key, sizeof key) + 1) * 4;
}

/* --- lessons --------------------------------------------------------------------------------- */

static void share(struct fw_traced *traced, uint32_t site)
{
    traced->news->shared += fw_constraints_share(traced->constraints, name_site(traced, site));
}

static void add_pair(struct fw_traced *traced, uint32_t site, uint32_t before)
{
    traced->news->pairs +=
        fw_constraints_add_pair(traced->constraints, name_site(traced, site),
                                name_site(traced, fw_word_site(before) - 1));
}

/* What else a site came behind counts for those that are shared; that may turn out later.  A read
 * of what its thread writes now is shared as well, as in guard/learning.c. */
static void learn(struct fw_traced *traced, uint32_t who, const struct fw_word_seen *seen,
                  uint8_t *also)
{
    uint32_t site = fw_word_site(who) - 1;

    also[site] |= (uint8_t)seen->also;
    if (seen->shared)
        share(traced, site);
    if (seen->shared && seen->own)
        share(traced, fw_word_site(seen->own) - 1);
    for (unsigned i = 0; i < seen->others; i++)
        share(traced, fw_word_site(seen->other[i]) - 1);
    for (unsigned i = 0; i < seen->count; i++)
        add_pair(traced, site, seen->before[i]);
    if (seen->of)
        add_pair(traced, site, seen->of);
}

static bool is_private(const struct fw_traced *traced, uint32_t who)
{
    uint32_t site = fw_word_site(who);

    return site && traced->private[site - 1];
}

static void access_word(struct fw_traced *traced, uintptr_t word, uint32_t site, uint32_t thread,
                        bool write, uint8_t *also)
{
    uint32_t who = fw_word_who(site + 1, thread % FW_WORD_THREADS + 1);
    uint64_t cell = *fw_word_cell(word);
    struct fw_word_seen seen;

    if (fw_word_repeats(cell, who, write))
        return;
    also[site] |= (uint8_t)fw_word_unseen(cell, who, write,
                                          !is_private(traced, (uint32_t)(cell >> 32)),
                                          !is_private(traced, (uint32_t)cell));
    /* else it has read this before, and nobody else knows of it */
    if (write || !(cell >> 32) || !fw_word_is_own(cell, who) || fw_word_is_shared(cell, who)) {
        fw_word_look(word, cell, who, write, &seen);
        learn(traced, who, &seen, also);
    }
    fw_word_note(word, who, write);
}

static void take_event(struct fw_traced *traced, const struct fw_batch *batch,
                       const struct fw_event *event, uint8_t *also)
{
    const struct fw_attr *attr = &batch->attrs[event->attr];
    uint32_t size = attr->has & FW_ATTR_SIZE ? attr->size : 4, site;
    struct extent extent;

    if (event->kind != FW_READ && event->kind != FW_WRITE)
        return;
    site = site_of(traced, event->site);
    if (site == FW_LEARNT_NONE || !size)
        return;
    name_site(traced, site);
    extent = *extent_of(traced, event->target);
    for (uint32_t i = 0; i * UINT64_C(4) < extent.offset + (uint64_t)size; i++)
        access_word(traced, address_of(traced, extent.block, extent.word + i), site, event->thread,
                    event->kind == FW_WRITE, also);
}

static void take_also(struct fw_traced *traced, const uint8_t *also, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (also[i])
            traced->news->also +=
                fw_constraints_allow(traced->constraints, name_site(traced, i), also[i]) &&
                fw_constraints_is_shared(traced->constraints, name_site(traced, i));
}

static void find_private(struct fw_traced *traced)
{
    const struct fw_constraints *sites = fw_learn_program_sites(traced->program);

    for (uint32_t i = 0; i < fw_constraints_site_count(sites); i++) {
        uint32_t known = fw_constraints_find(traced->constraints, fw_constraints_get(sites, i));

        traced->private[i] =
            known != FW_LEARNT_NONE && !fw_constraints_is_shared(traced->constraints, known);
    }
}

static int go_through(struct fw_traced *traced, struct fw_reader *reader, struct fw_error *err)
{
    uint32_t count = fw_constraints_site_count(fw_learn_program_sites(traced->program));
    uint8_t *also = fw_xcalloc(count + (size_t)1, 1);
    struct fw_batch batch;
    int got;

    traced->symbols = fw_reader_symbols(reader);
    while ((got = fw_reader_next(reader, &batch, err)) > 0)
        for (uint32_t i = 0; i < batch.count; i++)
            take_event(traced, &batch, &batch.events[i], also);
    take_also(traced, also, count);
    free(also);
    return got;
}

int fw_traced_learn(struct fw_traced *traced, const char *path, struct fw_learnt_news *news,
                    struct fw_error *err)
{
    struct fw_reader *reader;
    int got;

    *news = (struct fw_learnt_news) { 0 };
    traced->news = news;
    if (fw_reader_open(&reader, path, &(struct fw_read_options) { 0 }, err) < 0)
        return -1;
    fw_strtab_init(&traced->blocks);
    fw_strtab_init(&traced->words);
    find_private(traced);
    got = go_through(traced, reader, err);
    fw_words_forget(0, (fw_strtab_count(&traced->words) + (size_t)1) * 4);
    fw_strtab_release(&traced->words);
    fw_strtab_release(&traced->blocks);
    fw_vec_release(&traced->extents);
    fw_vec_release(&traced->sites);
    fw_reader_close(reader);
    return got;
}
