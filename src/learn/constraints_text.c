/*
 * constraints_text.c - see constraints.h: constraints as a file.
 *
 * Sites come before what names them, numbered from 1 in the order in which they stand, so that a
 * file that lost lines is refused.  A long pset takes several lines, which begin alike.
 */
#include "learn/constraints_state.h"

#include "base/alloc.h"
#include "base/options.h"
#include "sections/spot_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST    2   /* version */
#define PSET_LINE 64u /* sites in a line */

#define AFTERS 3u
static const char *const afters[AFTERS] = { "none", "self", "read" }; /* by bit of FW_AFTER_* */
static const char *const does_words[] = { "r", "w", "-" };

/* --- reading --------------------------------------------------------------------------------- */

struct reader {
    struct fw_constraints *constraints;
    int version; /* 0: not read yet */
    bool ended;
    struct fw_line line;
};

static int read_program(struct reader *reader)
{
    const char *name = fw_line_any(&reader->line, "'program' needs the name of a file");
    const char *id = name ? fw_line_any(&reader->line, "the build id is missing, or a -") : NULL;

    if (!id)
        return -1;
    fw_constraints_add_module(reader->constraints, name, id);
    return fw_line_end(&reader->line);
}

static int read_count(struct reader *reader, uint64_t *count)
{
    const struct fw_line_word *word = fw_line_peek(&reader->line);

    if (!word || !isdigit((unsigned char)word->text[0]) || fw_parse_count(word->text, count) < 0 ||
        *count > UINT32_MAX)
        return fw_line_complain_of(&reader->line, "a number is expected, not",
                                   word ? word->text : "");
    reader->line.next++;
    return 0;
}

static int read_runs(struct reader *reader)
{
    uint64_t passed, failed;

    if (read_count(reader, &passed) < 0 || read_count(reader, &failed) < 0)
        return -1;
    fw_constraints_add_runs(reader->constraints, passed, failed);
    return fw_line_end(&reader->line);
}

/* A site that was named before. */
static int read_number(struct reader *reader, uint32_t *site)
{
    uint64_t number;

    if (read_count(reader, &number) < 0)
        return -1;
    if (!number || number > reader->constraints->sites.len) {
        reader->line.next--;
        return fw_line_complain_of(&reader->line, "no site has this number:",
                                   fw_line_peek(&reader->line)->text);
    }
    *site = (uint32_t)number - 1;
    return 0;
}

static int read_does(struct reader *reader, struct fw_learnt_site *site)
{
    for (unsigned i = 0; i < 3; i++)
        if (fw_line_take(&reader->line, does_words[i])) {
            site->does = (enum fw_learnt_does)i;
            site->at.write = site->does == FW_LEARNT_WRITE;
            return 0;
        }
    return fw_line_complain(&reader->line, "what the site does is missing: r, w or -");
}

static int read_name(struct reader *reader, char **name, const char *missing)
{
    const char *text = fw_line_any(&reader->line, missing);

    if (!text)
        return -1;
    *name = fw_xstrdup(text);
    return 0;
}

static int read_site(struct reader *reader)
{
    struct fw_learnt_site site = { 0 };
    uint64_t number;
    size_t before = reader->constraints->sites.len;
    int status;

    if (read_count(reader, &number) < 0)
        return -1;
    if (before == FW_LEARNT_SITES_MOST)
        return fw_line_complain(&reader->line, "too many sites");
    if (number != before + 1)
        return fw_line_complain(&reader->line, "sites are numbered from 1 on: one is missing or "
                                               "stands here twice");
    status = read_does(reader, &site);
    if (!status)
        status = read_name(reader, &site.module, "the module of the site is missing");
    if (!status)
        status = read_name(reader, &site.function, "the function of the site is missing");
    if (!status)
        status = fw_spot_read_where(&reader->line, &site.at, true);
    if (!status)
        status = fw_spot_read_hints(&reader->line, &site.at);
    if (!status && fw_constraints_site(reader->constraints, &site) != before)
        status = fw_line_complain(&reader->line, "this site has a number already");
    fw_learnt_site_release(&site);
    return status;
}

static bool is_access(const struct reader *reader, uint32_t site)
{
    return fw_constraints_get(reader->constraints, site)->does != FW_LEARNT_PLACE;
}

static void read_afters(struct reader *reader, uint32_t site)
{
    for (unsigned i = 0; i < AFTERS; i++)
        if (fw_line_take(&reader->line, afters[i]))
            fw_constraints_allow(reader->constraints, site, 1u << i);
}

static int read_own(struct reader *reader)
{
    uint32_t site;

    if (read_number(reader, &site) < 0)
        return -1;
    if (!is_access(reader, site))
        return fw_line_complain(&reader->line, "'own' is of an access, and this site is none");
    read_afters(reader, site);
    return fw_line_end(&reader->line);
}

static int read_pset(struct reader *reader)
{
    struct fw_constraints *constraints = reader->constraints;
    uint32_t site, before;

    if (read_number(reader, &site) < 0)
        return -1;
    if (!is_access(reader, site))
        return fw_line_complain(&reader->line, "a pset is of an access, and this site is none");
    fw_constraints_share(constraints, site);
    read_afters(reader, site);
    while (fw_line_peek(&reader->line)) {
        if (read_number(reader, &before) < 0)
            return -1;
        if (!is_access(reader, before) ||
            (fw_constraints_get(constraints, site)->does == FW_LEARNT_READ &&
             fw_constraints_get(constraints, before)->does == FW_LEARNT_READ))
            return fw_line_complain(&reader->line,
                                    "an access depends on a write, or a write on a read");
        fw_constraints_add_pair(constraints, site, before);
    }
    return 0;
}

static int read_cut(struct reader *reader)
{
    uint32_t site;

    for (unsigned kind = 0; kind < FW_CUT_KINDS; kind++) {
        if (!fw_line_take(&reader->line, fw_cut_kinds[kind]))
            continue;
        if (read_number(reader, &site) < 0)
            return -1;
        fw_constraints_add_cut(reader->constraints, (enum fw_cut_kind)kind, site);
        return fw_line_end(&reader->line);
    }
    return fw_line_complain(&reader->line,
                            "a cut is at an entry, call, loop, iteration or access");
}

static int read_end(struct reader *reader)
{
    reader->ended = true;
    return fw_line_end(&reader->line);
}

static int read_version(struct reader *reader)
{
    reader->version = fw_line_version(&reader->line, "constraints", NEWEST);
    reader->ended = reader->version == 1; /* which has no mark of its own */
    return reader->version < 0 ? -1 : 0;
}

static int read_words(void *context)
{
    static const struct {
        const char *word;
        int (*read)(struct reader *reader);
    } lines[] = {
        { "program", read_program }, { "runs", read_runs }, { "site", read_site },
        { "pset", read_pset },       { "own", read_own },   { "cut", read_cut },
        { "end", read_end },
    };
    struct reader *reader = context;
    const struct fw_line_word *first = fw_line_peek(&reader->line);

    if (!first)
        return 0;
    if (!reader->version)
        return read_version(reader);
    if (reader->ended && reader->version > 1)
        return fw_line_complain_of(&reader->line, "behind the end:", first->text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (fw_line_take(&reader->line, lines[i].word))
            return lines[i].read(reader);
    return fw_line_complain_of(&reader->line, "not known in a file of constraints:", first->text);
}

struct fw_constraints *fw_constraints_read_memory(const char *text, size_t bytes, const char *name,
                                                  struct fw_error *err)
{
    struct reader *reader = fw_xcalloc(1, sizeof *reader);
    struct fw_constraints *constraints = fw_constraints_create();
    int status;

    reader->constraints = constraints;
    reader->line.name = name;
    reader->line.err = err;
    status = fw_line_each(&reader->line, text, bytes, read_words, reader);
    if (!status && !reader->version)
        status = fw_error_set(err, "%s: not a file of constraints: it is empty", name);
    if (!status && !reader->ended)
        status = fw_error_set(err, "%s: the file was cut: its last line must be 'end'", name);
    fw_line_release(&reader->line);
    free(reader);
    if (!status)
        return constraints;
    fw_constraints_destroy(constraints);
    return NULL;
}

struct fw_constraints *fw_constraints_read(const char *path, struct fw_error *err)
{
    struct fw_constraints *constraints;
    char *text, *name;
    size_t bytes;

    if (fw_text_is_file(path, "file of constraints", err) < 0 ||
        fw_text_read(path, "file of constraints", &text, &bytes, &name, err) < 0)
        return NULL;
    constraints = fw_constraints_read_memory(text, bytes, name, err);
    free(text);
    free(name);
    return constraints;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Sites in the order of the file, and back. */
struct order {
    const struct fw_constraints *constraints;
    uint32_t *site;   /* by place */
    uint32_t *number; /* from 1, by site */
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* By where they are in the source; total, since sites differ in one of these. */
static int by_place(const void *a, const void *b, void *context)
{
    const struct fw_constraints *constraints = context;
    const struct fw_learnt_site *x = fw_constraints_get(constraints, *(const uint32_t *)a);
    const struct fw_learnt_site *y = fw_constraints_get(constraints, *(const uint32_t *)b);
    int order = strcmp(x->module, y->module);

    if (!order)
        order = strcmp(x->at.file, y->at.file);
    if (!order)
        order = compare_numbers(x->at.line, y->at.line);
    if (!order)
        order = compare_numbers(x->does, y->does);
    if (!order)
        order = compare_numbers(x->at.ordinal, y->at.ordinal);
    if (!order)
        order = strcmp(x->function, y->function);
    if (!order)
        order = compare_numbers(x->at.has_offset, y->at.has_offset);
    if (!order)
        order = compare_numbers(x->at.offset, y->at.offset);
    return order ? order : compare_texts(x->at.text, y->at.text);
}

static void order_init(struct order *order, const struct fw_constraints *constraints)
{
    size_t count = constraints->sites.len;

    order->constraints = constraints;
    order->site = fw_xcalloc(count + 1, sizeof *order->site);
    order->number = fw_xcalloc(count + 1, sizeof *order->number);
    for (uint32_t i = 0; i < count; i++)
        order->site[i] = i;
    qsort_r(order->site, count, sizeof *order->site, by_place, (void *)(uintptr_t)constraints);
    for (uint32_t i = 0; i < count; i++)
        order->number[order->site[i]] = i + 1;
}

static void print_site(const struct order *order, uint32_t place, struct fw_output *out)
{
    const struct fw_learnt_site *site = fw_constraints_get(order->constraints, order->site[place]);

    fw_output_printf(out, "site %" PRIu32 " %s ", place + 1, does_words[site->does]);
    fw_output_as_word(out, site->module);
    fw_output_text(out, " ");
    fw_output_as_word(out, site->function);
    fw_output_text(out, " ");
    fw_spot_print_where(&site->at, out);
    fw_spot_print_hints(&site->at, out);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void print_afters(unsigned also, struct fw_output *out)
{
    for (unsigned i = 0; i < AFTERS; i++)
        if (also & 1u << i)
            fw_output_printf(out, " %s", afters[i]);
}

static void print_own(const struct order *order, uint32_t site, struct fw_output *out)
{
    fw_output_printf(out, "own %" PRIu32, order->number[site]);
    print_afters(fw_constraints_allowed(order->constraints, site), out);
    fw_output_text(out, "\n");
}

static void print_pset(const struct order *order, uint32_t site, struct fw_output *out)
{
    const uint32_t *before;
    size_t count = fw_constraints_pset(order->constraints, site, &before);
    uint32_t *numbers = fw_xcalloc(count + 1, sizeof *numbers);

    for (size_t i = 0; i < count; i++)
        numbers[i] = order->number[before[i]];
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i == 0 || i < count; i++) {
        if (i % PSET_LINE == 0)
            fw_output_printf(out, "%spset %" PRIu32, i ? "\n" : "", order->number[site]);
        if (i == 0)
            print_afters(fw_constraints_allowed(order->constraints, site), out);
        if (i < count)
            fw_output_printf(out, " %" PRIu32, numbers[i]);
    }
    fw_output_text(out, "\n");
    free(numbers);
}

static int by_cut(const void *a, const void *b)
{
    const struct fw_learnt_cut *x = a, *y = b;

    return x->site != y->site ? (x->site < y->site ? -1 : 1)
                              : compare_numbers(x->kind, y->kind);
}

static void print_cuts(const struct order *order, struct fw_output *out)
{
    size_t count = order->constraints->cuts.len;
    struct fw_learnt_cut *cuts = fw_xcalloc(count + 1, sizeof *cuts);

    for (size_t i = 0; i < count; i++) {
        cuts[i] = order->constraints->cuts.at[i];
        cuts[i].site = order->number[cuts[i].site];
    }
    qsort(cuts, count, sizeof *cuts, by_cut);
    for (size_t i = 0; i < count; i++)
        fw_output_printf(out, "cut %s %" PRIu32 "\n", fw_cut_kinds[cuts[i].kind], cuts[i].site);
    free(cuts);
}

static int by_module(const void *a, const void *b)
{
    return strcmp(((const struct fw_learnt_module *)a)->name,
                  ((const struct fw_learnt_module *)b)->name);
}

static void print_modules(const struct fw_constraints *constraints, struct fw_output *out)
{
    size_t count = constraints->modules.len;
    struct fw_learnt_module *modules = fw_xcalloc(count + 1, sizeof *modules);

    for (size_t i = 0; i < count; i++)
        modules[i] = constraints->modules.at[i];
    qsort(modules, count, sizeof *modules, by_module);
    for (size_t i = 0; i < count; i++) {
        fw_output_text(out, "program ");
        fw_output_as_word(out, modules[i].name);
        fw_output_text(out, " ");
        fw_output_as_word(out, modules[i].build_id);
        fw_output_text(out, "\n");
    }
    free(modules);
}

void fw_constraints_print(const struct fw_constraints *constraints, struct fw_output *out)
{
    struct order order;

    order_init(&order, constraints);
    fw_output_printf(out, "foreweave constraints %d\n", NEWEST);
    print_modules(constraints, out);
    fw_output_printf(out, "runs %" PRIu64 " %" PRIu64 "\n", constraints->passed,
                     constraints->failed);
    for (uint32_t i = 0; i < constraints->sites.len; i++)
        print_site(&order, i, out);
    for (uint32_t i = 0; i < constraints->sites.len; i++)
        if (constraints->sites.at[order.site[i]].shared)
            print_pset(&order, order.site[i], out);
    for (uint32_t i = 0; i < constraints->sites.len; i++)
        if (!constraints->sites.at[order.site[i]].shared &&
            constraints->sites.at[order.site[i]].also)
            print_own(&order, order.site[i], out);
    print_cuts(&order, out);
    fw_output_text(out, "end\n");
    free(order.site);
    free(order.number);
}

int fw_constraints_write(const struct fw_constraints *constraints, const char *path,
                         struct fw_error *err)
{
    struct fw_output out;

    if (fw_output_open(&out, path, err) < 0)
        return -1;
    fw_constraints_print(constraints, &out);
    return fw_output_close(&out, err);
}
