/*
 * prop_sections_find.c - the sections that are found in a recording are those of the definitions
 * (sections/find.h), written down as loops over the accesses of one thread to one variable; and
 * what is made of them is one section for each access that any begins at.
 *
 * The program that was recorded is made up: a table of sites in some functions, some inlined, some
 * of them copies of each other.  The table takes the place of sections/sites.c.
 *
 * FOREWEAVE_COUNT, FOREWEAVE_FIRST and FOREWEAVE_SEED as in support/property.h.
 */
#include "base/alloc.h"
#include "sections/find_state.h"
#include "trace/fwt.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITES   14u
#define THREADS 3u
#define MOST    80u /* events */
#define DEPTH   8u

/* --- the program ----------------------------------------------------------------------------- */

static struct fw_site program[SITES];
static char program_path[PATH_MAX];

struct fw_sites {
    int unused;
};

struct fw_sites *fw_sites_open(const char *path, struct fw_error *err)
{
    (void)path;
    (void)err;
    return fw_xcalloc(1, sizeof(struct fw_sites));
}

void fw_sites_close(struct fw_sites *sites)
{
    free(sites);
}

const char *fw_sites_path(const struct fw_sites *sites)
{
    (void)sites;
    return program_path;
}

const struct fw_site *fw_sites_at(const struct fw_sites *sites, uint64_t returns)
{
    (void)sites;
    for (unsigned i = 0; i < SITES; i++)
        if (program[i].returns == returns)
            return &program[i];
    return NULL;
}

char *fw_sites_variable(struct fw_sites *sites, uint64_t offset)
{
    (void)sites;
    (void)offset;
    return NULL;
}

bool fw_sites_spot(struct fw_sites *sites, const struct fw_site *site, struct fw_spot *spot)
{
    (void)sites;
    *spot = (struct fw_spot){ .write = site->write,
                              .file = fw_xstrdup(site->file),
                              .line = site->line,
                              .ordinal = site->ordinal };
    return true;
}

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % below);
}

/* Two functions, the second of which is inlined somewhere; the third is a copy of the second. */
static void make_program(void)
{
    static const char *const names[] = { "f", "g", "g" };

    for (unsigned i = 0; i < SITES; i++) {
        unsigned copy = draw(2) ? 0 : draw(3); /* mostly of the first */

        program[i] = (struct fw_site){ .returns = 0x101 + 16 * (uint64_t)i,
                                       .write = draw(5) < 2,
                                       .branches = i / 3,
                                       .function = draw(12) ? names[copy] : NULL,
                                       .file = draw(6) ? "a.c" : "b.h",
                                       .line = 1 + draw(3),
                                       .inlined = copy > 0,
                                       .copy = copy,
                                       .ordinal = i + 1 };
    }
}

/* --- a run of it ----------------------------------------------------------------------------- */

struct access {
    uint32_t thread, variable;
    bool read, write; /* an atomic one may do both */
    const struct fw_site *site; /* NULL: nothing is known of it */
    uint64_t activation;
    uint64_t block; /* 0: in none, or in one that does not end */
};

static struct access accesses[MOST];
static unsigned access_count;
static char text[MOST * 128 + PATH_MAX * MOST];

static void put_access(size_t *size, uint32_t thread, uint64_t activation, uint64_t block)
{
    static const char *const atomic[] = { "ald", "ast", "armw" };
    unsigned at = draw(SITES), how = draw(20), which = draw(3);
    struct access *access = &accesses[access_count++];
    bool write = how == 1 ? !program[at].write : program[at].write; /* 1: a hook that does both */

    *access = (struct access){ .thread = thread,
                               .variable = draw(2),
                               .read = how ? !write : which != 1,
                               .write = how ? write : which != 0,
                               .activation = activation,
                               .block = block };
    if (how > 1 && program[at].function)
        access->site = &program[at];
    *size += (size_t)sprintf(text + *size, "T%u|%s(%s)|%s+0x%" PRIx64 "\n", thread,
                             !how ? atomic[which] : write ? "w" : "r",
                             access->variable ? "y" : "x", program_path, program[at].returns - 1);
}

/* Who leaves its last block has ended it; of those that are open at the end nothing is known. */
static void forget_blocks(const uint64_t *block)
{
    for (unsigned i = 0; i < access_count; i++)
        if (accesses[i].block && accesses[i].block == block[accesses[i].thread])
            accesses[i].block = 0;
}

static size_t make_text(void)
{
    uint64_t activations[THREADS][DEPTH] = { 0 }, block[THREADS] = { 0 }, numbers = 0, blocks = 0;
    unsigned depth[THREADS] = { 0 }, count = 20 + draw(MOST - 20), threads = 1 + draw(THREADS);
    size_t size = 0;

    access_count = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned t = draw(threads), what = draw(24);

        if (what == 0 && depth[t] < DEPTH - 1) {
            activations[t][++depth[t]] = ++numbers;
            size += (size_t)sprintf(text + size, "T%u|call(f)\n", t);
        } else if (what == 1 && depth[t]) {
            depth[t]--;
            size += (size_t)sprintf(text + size, "T%u|ret(f)\n", t);
        } else if (what <= 3 && !block[t]) {
            block[t] = ++blocks;
            size += (size_t)sprintf(text + size, "T%u|begin(b)\n", t);
        } else if (what <= 7 && what > 3 && block[t]) {
            block[t] = 0;
            size += (size_t)sprintf(text + size, "T%u|end(b)\n", t);
        } else {
            put_access(&size, t, activations[t][depth[t]], block[t]);
        }
    }
    forget_blocks(block);
    return size;
}

/* --- the definitions ------------------------------------------------------------------------- */

struct found {
    enum fw_section_origin origin;
    const struct fw_site *entry, *end;
    unsigned allow;
    bool recursive;
};

static struct found wanted[MOST * 4];
static unsigned wanted_count;

static void want(enum fw_section_origin origin, const struct access *from, const struct access *to,
                 unsigned allow, bool recursive)
{
    for (unsigned i = 0; i < wanted_count; i++)
        if (wanted[i].origin == origin && wanted[i].entry == from->site &&
            wanted[i].end == to->site) {
            wanted[i].allow &= allow;
            wanted[i].recursive |= recursive;
            return;
        }
    wanted[wanted_count++] = (struct found){ origin, from->site, to->site, allow, recursive };
}

/* One activation of one copy of a function, and where it is inlined, further down in its code. */
static bool together(const struct access *a, const struct access *b)
{
    return a->site && b->site && a->activation == b->activation &&
           a->site->copy == b->site->copy &&
           (!a->site->inlined || a->site->returns < b->site->returns);
}

static bool is_load(const struct access *access)
{
    return access->site && !access->write;
}

static bool in_line(const struct access *a, const struct access *b)
{
    return a->site->line == b->site->line && strcmp(a->site->file, b->site->file) == 0;
}

/* Between two writes nobody may read, in all other cases nobody may write. */
static void want_invariants(const struct access *const *own, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++)
        if (together(own[i], own[i + 1]))
            want(FW_ORIGIN_INVARIANT, own[i], own[i + 1],
                 own[i]->write && own[i + 1]->write ? FW_ALLOW_WRITES : FW_ALLOW_READS, false);
}

/* To each store: the loads of its line right before it, from the first one. */
static void want_load_and_store(const struct access *const *own, unsigned count)
{
    for (unsigned store = 1; store < count; store++) {
        unsigned first = store;

        if (!own[store]->site || !own[store]->write)
            continue;
        while (first > 0 && is_load(own[first - 1]) && in_line(own[first - 1], own[store]) &&
               together(own[first - 1], own[first]))
            first--;
        if (first < store)
            want(FW_ORIGIN_LOAD_AND_STORE, own[first], own[store], FW_ALLOW_READS, false);
    }
}

static bool is_among(const struct access *const *own, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        if (own[i]->site == own[to]->site)
            return true;
    return false;
}

/* Loads with no store in between, each site once, at most 16: from the first to the last, if a
 * branch is in between. */
static void want_test_and_use(const struct access *const *own, unsigned count)
{
    for (unsigned first = 0, next; first < count; first = next) {
        next = first + 1;
        if (!is_load(own[first]))
            continue;
        while (next < count && next - first < 16 && is_load(own[next]) &&
               together(own[next - 1], own[next]) && !is_among(own, first, next))
            next++;
        if (next - first > 1 && own[first]->site->branches != own[next - 1]->site->branches)
            want(FW_ORIGIN_TEST_AND_USE, own[first], own[next - 1], FW_ALLOW_READS, false);
    }
}

/* Blocks that end; returns how many are spread over functions. */
static unsigned want_annotations(const struct access *const *own, unsigned count)
{
    unsigned spread = 0;

    for (unsigned first = 0, next; first < count; first = next) {
        unsigned reads = 0, writes = 0;
        bool again = false;

        for (next = first; next < count && own[next]->block == own[first]->block; next++) {
            writes += own[next]->write;
            reads += own[next]->read;
            again |= own[next]->site && own[next]->site == own[first]->site &&
                     own[next]->activation != own[first]->activation;
        }
        if (!own[first]->block || next - first < 2)
            continue;
        if (together(own[first], own[next - 1]))
            want(FW_ORIGIN_ANNOTATION, own[first], own[next - 1],
                 (writes <= 1 ? FW_ALLOW_READS : 0) | (reads ? 0 : FW_ALLOW_WRITES), again);
        else
            spread++;
    }
    return spread;
}

static bool is_shared(uint32_t variable)
{
    bool written = false, two = false;
    uint32_t thread = UINT32_MAX;

    for (unsigned i = 0; i < access_count; i++) {
        if (accesses[i].variable != variable)
            continue;
        written |= accesses[i].write;
        two |= thread != UINT32_MAX && thread != accesses[i].thread;
        thread = accesses[i].thread;
    }
    return written && two;
}

/* Returns how many blocks are spread. */
static unsigned want_all(void)
{
    unsigned spread = 0;

    wanted_count = 0;
    for (uint32_t variable = 0; variable < 2; variable++)
        for (uint32_t thread = 0; thread < THREADS && is_shared(variable); thread++) {
            const struct access *own[MOST];
            unsigned count = 0;

            for (unsigned i = 0; i < access_count; i++)
                if (accesses[i].thread == thread && accesses[i].variable == variable)
                    own[count++] = &accesses[i];
            want_invariants(own, count);
            want_load_and_store(own, count);
            want_test_and_use(own, count);
            spread += want_annotations(own, count);
        }
    return spread;
}

/* --- what was found -------------------------------------------------------------------------- */

static void write_recording(const char *path, size_t size)
{
    struct fw_fwt_module module = { .path = program_path, .size = 1 << 20 };
    struct fw_writer *writer;
    struct fw_trace *trace;
    struct fw_batch batch;
    struct fw_error err;

    if (fw_trace_load_memory(&trace, text, size, "a.std", NULL, &err) < 0) {
        fprintf(stderr, "%s\n%s", err.message, text);
        exit(1);
    }
    batch = fw_trace_batch(trace);
    if (fw_writer_open(&writer, path, "fwt", trace->symbols, false, &err) < 0 ||
        fw_fwt_write_modules(fw_writer_encoder(writer), &module, 1, &err) < 0 ||
        fw_writer_batch(writer, &batch, &err) < 0 || fw_writer_close(writer, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    fw_trace_destroy(trace);
}

static bool is_wanted(const struct fw_candidate *candidate)
{
    for (unsigned i = 0; i < wanted_count; i++)
        if (wanted[i].origin == candidate->origin && wanted[i].entry == candidate->entry &&
            wanted[i].end == candidate->end)
            return wanted[i].allow == candidate->allow &&
                   wanted[i].recursive == candidate->recursive;
    return false;
}

static const char *check_candidates(const struct fw_finder *finder, unsigned spread)
{
    if (finder->candidates.len != wanted_count)
        return finder->candidates.len < wanted_count ? "something is not found"
                                                     : "something is found that is none";
    for (size_t i = 0; i < finder->candidates.len; i++)
        if (!is_wanted(&finder->candidates.at[i]))
            return "what is found is not what is wanted";
    if (fw_finder_facts(finder)->spread != spread)
        return "another number of spread blocks";
    return fw_finder_facts(finder)->variables == (uint64_t)is_shared(0) + is_shared(1)
               ? NULL
               : "another number of shared variables";
}

/* By spots: all of them have ordinals of their own. */
static bool is_at(const struct fw_spot *spot, const struct fw_site *site)
{
    return spot->ordinal == site->ordinal;
}

static bool in_same_line(const struct found *found)
{
    return found->entry->line == found->end->line &&
           strcmp(found->entry->file, found->end->file) == 0;
}

/* The best kind of those that begin there; of a load-and-store the invariant's ends elsewhere. */
static const char *check_section(const struct fw_atomic_section *section)
{
    enum fw_section_origin best = FW_ORIGIN_COUNT;
    bool circular = false, recursive = false;
    size_t ends = 0;

    for (unsigned i = 0; i < wanted_count; i++)
        if (is_at(&section->entry, wanted[i].entry) && wanted[i].origin < best)
            best = wanted[i].origin;
    if (section->origin != best)
        return "a section is of another origin";
    for (unsigned i = 0; i < wanted_count; i++) {
        const struct found *found = &wanted[i];
        unsigned allow = FW_ALLOW_ALL;
        bool has = false;

        if (!is_at(&section->entry, found->entry) ||
            (found->origin != best && !(best == FW_ORIGIN_LOAD_AND_STORE &&
                                        found->origin == FW_ORIGIN_INVARIANT &&
                                        !in_same_line(found))))
            continue;
        circular |= found->entry == found->end;
        recursive |= found->recursive;
        for (size_t k = 0; k < section->ends.len; k++)
            if (is_at(&section->ends.at[k].at, found->end)) {
                has = true;
                allow = section->ends.at[k].allow;
            }
        if (!has || allow & ~found->allow)
            return "an end is missing, or allows more";
        ends++;
    }
    return section->ends.len > ends                 ? "there are more ends"
           : section->circular != circular          ? "circular"
           : section->recursive != recursive        ? "recursive"
                                                    : NULL;
}

static const char *check_sections(struct fw_finder *finder)
{
    struct fw_sections sections;
    const char *wrong = NULL;
    size_t entries = 0;

    for (unsigned i = 0; i < wanted_count; i++) {
        bool first = true;

        for (unsigned k = 0; k < i; k++)
            first &= wanted[k].entry != wanted[i].entry;
        entries += first;
    }
    fw_finder_finish(finder, &sections);
    if (sections.at.len != entries)
        wrong = "another number of sections";
    for (size_t i = 0; i < sections.at.len && !wrong; i++)
        wrong = check_section(&sections.at.at[i]);
    fw_sections_release(&sections);
    return wrong;
}

/* NULL: all is well. */
static const char *check(uint64_t seed, const char *path, unsigned seen[FW_ORIGIN_COUNT])
{
    struct fw_finder *finder = fw_finder_create((1u << FW_ORIGIN_COUNT) - 1);
    struct fw_error err;
    const char *wrong;
    unsigned spread;

    random_state = seed;
    make_program();
    write_recording(path, make_text());
    spread = want_all();
    for (unsigned i = 0; i < wanted_count; i++)
        seen[wanted[i].origin]++;
    wrong = fw_finder_add(finder, path, &err) < 0 ? "it cannot be read"
                                                  : check_candidates(finder, spread);
    if (!wrong)
        wrong = check_sections(finder);
    fw_finder_destroy(finder);
    return wrong;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value ? strtoull(value, NULL, 10) : otherwise;
}

int main(void)
{
    uint64_t one = setting("FOREWEAVE_SEED", 0), first = one ? one : setting("FOREWEAVE_FIRST", 1);
    uint64_t count = one ? 1 : setting("FOREWEAVE_COUNT", 1500);
    unsigned seen[FW_ORIGIN_COUNT] = { 0 };
    char path[] = "/tmp/foreweave-prop-find.XXXXXX";
    int fd = mkstemp(path), status = 0;

    if (fd < 0 || !realpath("/proc/self/exe", program_path)) {
        perror("prop_sections_find");
        return 1;
    }
    close(fd);
    for (uint64_t seed = first; seed < first + count && !status; seed++) {
        const char *wrong = check(seed, path, seen);

        if (wrong) {
            fprintf(stderr, "%s\nFOREWEAVE_SEED=%" PRIu64 " prop_sections_find: %s\n", text, seed,
                    wrong);
            status = 1;
        }
    }
    unlink(path);
    for (unsigned i = FW_ORIGIN_ANNOTATION; i < FW_ORIGIN_COUNT && !one && !status; i++)
        if (seen[i] < count / 10) {
            fprintf(stderr, "too few of kind %u: %u\n", i, seen[i]);
            status = 1;
        }
    printf("%" PRIu64 " recordings: %u in blocks, %u load-and-store, %u test-and-use, %u pairs\n",
           count, seen[FW_ORIGIN_ANNOTATION], seen[FW_ORIGIN_LOAD_AND_STORE],
           seen[FW_ORIGIN_TEST_AND_USE], seen[FW_ORIGIN_INVARIANT]);
    return status;
}
