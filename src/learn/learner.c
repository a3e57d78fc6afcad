/* learner.c - see learner.h. */
#include "learn/learner.h"

#include "base/alloc.h"

#include <stdlib.h>

struct fw_learner {
    const struct fw_learn_program *program;
    struct fw_constraints *constraints;
    struct fw_guard_file file;
    struct fw_learnt_news news; /* of the run at hand */
};

/* Sites that earlier runs have come by: are they known not to be shared? */
static void mark_private(struct fw_learner *learner)
{
    const struct fw_constraints *known = learner->constraints;
    uint32_t *numbers = fw_learn_program_match(learner->program, known);

    for (uint32_t i = 0; i < fw_constraints_site_count(known); i++) {
        _Atomic uint8_t *marks = fw_guard_sites(learner->file.head);

        if (numbers[i] == FW_LEARNT_NONE)
            continue;
        if (fw_constraints_is_shared(known, i))
            marks[numbers[i] + 1] &= (uint8_t)~FW_GUARD_PRIVATE;
        else
            marks[numbers[i] + 1] |= FW_GUARD_PRIVATE;
    }
    free(numbers);
}

static int add_known(struct fw_learner *learner, struct fw_error *err)
{
    const struct fw_constraints *known = learner->constraints;
    uint32_t *numbers = fw_learn_program_match(learner->program, known);
    int status = 0;

    for (uint32_t i = 0; i < fw_constraints_site_count(known); i++) {
        const uint32_t *before;
        size_t count = fw_constraints_pset(known, i, &before);

        for (size_t k = 0; k < count; k++)
            if (numbers[i] != FW_LEARNT_NONE && numbers[before[k]] != FW_LEARNT_NONE &&
                fw_guard_file_add_pair(&learner->file, numbers[i], numbers[before[k]]) < 0)
                status = fw_error_set(err, "there are more pairs than can be watched");
    }
    free(numbers);
    return status;
}

struct fw_learner *fw_learner_create(const struct fw_learn_program *program,
                                     struct fw_constraints *constraints,
                                     const struct fw_guard_wish *wish, struct fw_error *err)
{
    uint32_t count = fw_constraints_site_count(fw_learn_program_sites(program));
    bool *watched = fw_xcalloc(count + (size_t)1, sizeof *watched);
    struct fw_learner *learner = fw_xcalloc(1, sizeof *learner);
    struct fw_guard_wish own = *wish;
    int status;

    for (uint32_t i = 0; i < count; i++)
        watched[i] = true;
    learner->program = program;
    learner->constraints = constraints;
    own.mode = FW_GUARD_LEARN;
    own.pairs = fw_constraints_pair_count(constraints);
    own.watched = watched;
    status = fw_guard_file_make(&learner->file, program, &own, NULL, err);
    if (!status)
        status = add_known(learner, err);
    free(watched);
    if (!status) {
        mark_private(learner);
        return learner;
    }
    fw_learner_destroy(learner);
    return NULL;
}

void fw_learner_destroy(struct fw_learner *learner)
{
    if (!learner)
        return;
    fw_guard_file_release(&learner->file);
    free(learner);
}

struct fw_guard_file *fw_learner_file(struct fw_learner *learner)
{
    return &learner->file;
}

/* --- runs ------------------------------------------------------------------------------------ */

/* The program's site as one of the constraints. */
static uint32_t site_of(struct fw_learner *learner, uint32_t site)
{
    const struct fw_constraints *all = fw_learn_program_sites(learner->program);
    uint32_t before = fw_constraints_site_count(learner->constraints), number;

    number = fw_constraints_site(learner->constraints, fw_constraints_get(all, site));
    learner->news.sites += number == before;
    return number;
}

static uint32_t site_count(const struct fw_learner *learner)
{
    return fw_constraints_site_count(fw_learn_program_sites(learner->program));
}

/* The program may have written anything into the file. */
static void take_pair(uint32_t site, uint32_t before, void *context)
{
    struct fw_learner *learner = context;
    uint32_t first, second;

    if (site >= site_count(learner) || before >= site_count(learner))
        return;
    first = site_of(learner, site);
    second = site_of(learner, before);
    learner->news.pairs += fw_constraints_add_pair(learner->constraints, first, second);
}

static void take_sites(struct fw_learner *learner)
{
    struct fw_guard_head *head = learner->file.head;

    for (uint32_t i = 0; i < site_count(learner); i++) {
        uint8_t marks = fw_guard_sites(head)[i + 1];
        uint32_t site;

        if (!(marks & (FW_GUARD_SEEN | FW_GUARD_SHARED))) /* what is quick is found by others */
            continue;
        site = site_of(learner, i);
        if (marks & FW_GUARD_SHARED)
            learner->news.shared += fw_constraints_share(learner->constraints, site);
        /* What it does to memory of its own counts once it is shared. */
        learner->news.also +=
            fw_constraints_allow(learner->constraints, site, marks >> FW_GUARD_ALSO & 7) &&
            fw_constraints_is_shared(learner->constraints, site);
    }
}

static void take_modules(struct fw_learner *learner)
{
    for (size_t i = 0; i < fw_learn_program_module_count(learner->program); i++) {
        const struct fw_learn_module *module = fw_learn_program_module(learner->program, i);

        fw_constraints_add_module(learner->constraints, module->name, module->build_id);
    }
}

/* Parts that lie where they were, as large as they were: all that is read of it is there. */
static bool is_usable(const struct fw_learner *learner)
{
    const struct fw_guard_head *head = learner->file.head;

    return head->site_count == site_count(learner) &&
           fw_guard_is_whole(head, learner->file.bytes);
}

int fw_learner_take(struct fw_learner *learner, bool passed, struct fw_learnt_news *news,
                    struct fw_error *err)
{
    if (!is_usable(learner))
        return fw_error_set(err, "the program has written over the memory that it shares with "
                                 "'foreweave learn'");
    learner->news = (struct fw_learnt_news) { 0 };
    if (passed) {
        take_modules(learner);
        take_sites(learner);
        fw_guard_file_take_new(&learner->file, take_pair, learner);
    } else {
        fw_guard_file_forget_new(&learner->file);
    }
    mark_private(learner);
    fw_constraints_add_runs(learner->constraints, passed, !passed);
    *news = learner->news;
    return 0;
}

/* --- what was learnt ------------------------------------------------------------------------- */

struct fw_learnt_sizes fw_learnt_sizes(const struct fw_constraints *constraints)
{
    struct fw_learnt_sizes sizes = { 0 };

    for (uint32_t i = 0; i < fw_constraints_site_count(constraints); i++) {
        const uint32_t *before;
        size_t count = fw_constraints_pset(constraints, i, &before);

        if (fw_constraints_get(constraints, i)->does == FW_LEARNT_PLACE)
            continue;
        sizes.sites++;
        sizes.shared += fw_constraints_is_shared(constraints, i);
        sizes.of_size[count < FW_LEARN_SIZES - 1 ? count : FW_LEARN_SIZES - 1]++;
        if (count > sizes.largest)
            sizes.largest = count;
    }
    return sizes;
}
