/* learn.c - see learn.h. */
#include "lifetx/learn.h"

#include "base/vec.h"
#include "lifetx/places.h"
#include "trace/fwt.h"
#include "trace/reader.h"

#include <string.h>

struct fw_lifetx_learning {
    struct fw_constraints *constraints;
    struct fw_lifetx_options options;
    struct fw_cut_places *places;
    struct fw_cuts *cuts;
    FW_VEC(char *) modules; /* whose cutpoints are in `cuts` */
    uint32_t stored;        /* of the cuts: looked at so far */
};

struct fw_lifetx_learning *fw_lifetx_learning_create(struct fw_constraints *constraints,
                                                     const struct fw_lifetx_options *options)
{
    struct fw_lifetx_learning *learning = fw_xcalloc(1, sizeof *learning);

    learning->constraints = constraints;
    learning->options = *options;
    learning->options.ends = true;
    learning->places = fw_cut_places_create();
    learning->cuts = fw_cuts_create();
    return learning;
}

void fw_lifetx_learning_destroy(struct fw_lifetx_learning *learning)
{
    if (!learning)
        return;
    for (size_t i = 0; i < learning->modules.len; i++)
        free(learning->modules.at[i]);
    fw_vec_release(&learning->modules);
    fw_cuts_destroy(learning->cuts);
    fw_cut_places_destroy(learning->places);
    free(learning);
}

/* Does any cutpoint that is known name this file? */
static bool has_cuts(const struct fw_lifetx_learning *learning, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < fw_constraints_cut_count(learning->constraints); i++) {
        uint32_t site = fw_constraints_cut(learning->constraints, i)->site;

        if (strcmp(fw_constraints_get(learning->constraints, site)->module, name) == 0)
            return true;
    }
    return false;
}

/* The cutpoints of a module are looked up once, for these cuts and for the learning's own. */
static size_t meet_module(struct fw_lifetx_learning *learning, const char *path,
                          struct fw_cuts *cuts)
{
    for (size_t i = 0; i < learning->modules.len; i++)
        if (strcmp(learning->modules.at[i], path) == 0)
            return 0;
    fw_vec_push(&learning->modules, fw_xstrdup(path));
    if (!has_cuts(learning, path))
        return 0;
    fw_cut_places_load(learning->places, learning->constraints, path, cuts);
    return fw_cut_places_load(learning->places, learning->constraints, path, learning->cuts);
}

/* A module is told before the first event in it. */
static size_t meet_modules(struct fw_lifetx_learning *learning, const struct fw_reader *reader,
                           struct fw_cuts *cuts)
{
    size_t count = 0, missing = 0;
    const struct fw_fwt_module *modules = fw_reader_modules(reader, &count);

    for (size_t i = 0; i < count; i++)
        missing += meet_module(learning, modules[i].path, cuts);
    return missing;
}

static int go_through(struct fw_lifetx_learning *learning, struct fw_reader *reader,
                      struct fw_cuts *cuts, struct fw_lifetx_news *news, struct fw_error *err)
{
    struct fw_lifetx_code code = fw_cut_places_code(learning->places);
    struct fw_lifetx *learner =
        fw_lifetx_create(fw_reader_symbols(reader), &code, cuts, &learning->options);
    struct fw_batch batch;
    int got;

    while ((got = fw_reader_next(reader, &batch, err)) > 0) {
        news->missing += meet_modules(learning, reader, cuts);
        fw_lifetx_batch(learner, &batch);
    }
    fw_lifetx_finish(learner);
    news->stats = *fw_lifetx_stats(learner);
    fw_lifetx_destroy(learner);
    return got;
}

static bool is_cutpoint(enum fw_cut_kind kind)
{
    return kind < FW_CUT_CLAIM;
}

/* A site may have other places, which are cut from the next trace on. */
static void store(struct fw_lifetx_learning *learning, struct fw_lifetx_news *news)
{
    for (; learning->stored < fw_cuts_count(learning->cuts); learning->stored++) {
        struct fw_cut cut = fw_cuts_get(learning->cuts, learning->stored);
        bool is_new = false;

        if (!fw_cut_places_store(learning->places, &cut, learning->constraints, &is_new))
            news->nameless += is_cutpoint(cut.kind);
        else if (is_cutpoint(cut.kind))
            news->cuts += is_new;
        else
            news->claims += is_new;
    }
    for (size_t i = 0; news->cuts && i < learning->modules.len; i++)
        if (has_cuts(learning, learning->modules.at[i]))
            fw_cut_places_load(learning->places, learning->constraints, learning->modules.at[i],
                               learning->cuts);
}

size_t fw_lifetx_cut_count(const struct fw_constraints *constraints)
{
    size_t count = 0;

    for (size_t i = 0; i < fw_constraints_cut_count(constraints); i++)
        count += is_cutpoint(fw_constraints_cut(constraints, i)->kind);
    return count;
}

int fw_lifetx_learn_trace(struct fw_lifetx_learning *learning, const char *path,
                          struct fw_lifetx_news *news, struct fw_error *err)
{
    struct fw_reader *reader;
    int got;

    *news = (struct fw_lifetx_news) { 0 };
    if (fw_reader_open(&reader, path, &(struct fw_read_options) { 0 }, err) < 0)
        return -1;
    got = go_through(learning, reader, learning->cuts, news, err);
    store(learning, news);
    fw_reader_close(reader);
    return got;
}

int fw_lifetx_check_trace(struct fw_lifetx_learning *learning, const char *path,
                          struct fw_lifetx_news *news, struct fw_error *err)
{
    struct fw_cuts *cuts;
    struct fw_reader *reader;
    int got;

    *news = (struct fw_lifetx_news) { 0 };
    if (fw_reader_open(&reader, path, &(struct fw_read_options) { 0 }, err) < 0)
        return -1;
    cuts = fw_cuts_create();
    for (uint32_t i = 0; i < fw_cuts_count(learning->cuts); i++)
        fw_cuts_add(cuts, fw_cuts_get(learning->cuts, i).kind,
                    fw_cuts_get(learning->cuts, i).place);
    got = go_through(learning, reader, cuts, news, err);
    fw_cuts_destroy(cuts);
    fw_reader_close(reader);
    return got;
}
