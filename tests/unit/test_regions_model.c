/*
 * test_regions_model.c - random sequences of what threads do are judged by the runtime as the
 * definition of sections says, which is written down here once more.
 */
#include "regions_check.h"

/* --- random sequences ------------------------------------------------------------------------ */

/* A section that the thread is in, by the definition. */
struct model {
    bool open, inside, violated[2]; /* by a read, by a write */
    unsigned entry, word, activation, depth;
};

static struct {
    struct model members[12];
    unsigned stack[FRAMES], depth, activations;
    unsigned seen[5], violated[5];
} model;

static const unsigned entries_at[4] = { LOAD, LOAD, STORE, LOAD };
static const unsigned ends_at[5] = { STORE, USE, PLAIN + 16, STORE, DEEP };
static const unsigned entry_of_end[5] = { 0, 1, 1, 2, 3 };
static const unsigned allow_of_end[5] = { 1, 0, 2, 3, 1 };

static bool is_active(unsigned activation)
{
    for (unsigned i = 0; i < model.depth; i++)
        if (model.stack[i] == activation)
            return true;
    return false;
}

static void model_come_along(void)
{
    for (unsigned i = 0; i < 12; i++) {
        model.members[i].open &= is_active(model.members[i].activation);
        model.members[i].inside = true;
    }
}

static void model_end(struct model *member, unsigned end)
{
    bool here = member->activation == model.stack[model.depth - 1];

    if (member->entry == 3 && --member->depth > 0)
        return;
    if (here) {
        model.seen[end]++;
        model.violated[end] += (member->violated[0] && !(allow_of_end[end] & 1)) ||
                               (member->violated[1] && !(allow_of_end[end] & 2));
    }
    member->open = !here && member->entry != 3;
}

static void model_enter(unsigned entry, unsigned word)
{
    struct model *free_one = NULL;

    for (unsigned i = 0; i < 12; i++) {
        struct model *member = &model.members[i];

        if (!member->open) {
            free_one = member;
        } else if (member->entry == entry && member->word == word &&
                   (entry == 3 || member->activation == model.stack[model.depth - 1])) {
            member->depth++;
            return;
        }
    }
    assert_non_null(free_one);
    *free_one = (struct model){ .open = true,
                                .entry = entry,
                                .word = word,
                                .activation = model.stack[model.depth - 1],
                                .depth = 1 };
}

static void model_hook(unsigned offset, unsigned word)
{
    model_come_along();
    for (unsigned i = 0; i < 12 && offset == OUT; i++)
        if (model.members[i].entry == 1 &&
            model.members[i].activation == model.stack[model.depth - 1])
            model.members[i].open = false;
    for (unsigned end = 0; end < 5; end++)
        for (unsigned i = 0; i < 12; i++)
            if (model.members[i].open && ends_at[end] == offset &&
                model.members[i].entry == entry_of_end[end] && model.members[i].word == word)
                model_end(&model.members[i], end);
    for (unsigned entry = 0; entry < 4; entry++)
        if (entries_at[entry] == offset)
            model_enter(entry, word);
}

static void model_meet(unsigned word, bool write)
{
    for (unsigned i = 0; i < 12; i++)
        if (model.members[i].open && model.members[i].inside && model.members[i].word == word)
            model.members[i].violated[write] = true;
}

static unsigned seed, meets;

static unsigned draw(unsigned below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % below;
}

/* Neither members nor suspects are ever too many. */
static void random_step(void)
{
    static const unsigned offsets[] = { LOAD, LOAD, STORE, USE, OUT, DEEP, PLAIN, PLAIN + 16 };
    unsigned offset = offsets[draw(8)], write;

    switch (draw(8)) {
    case 0:
        if (model.depth < 3) {
            model.stack[model.depth++] = ++model.activations;
            model_come_along();
            call();
        }
        break;
    case 1:
        if (model.depth > 1) {
            model.depth--;
            model_come_along();
            leave();
        }
        break;
    case 2:
    case 3:
        if (++meets > FW_SUSPECTS)
            break;
        write = draw(2);
        model_meet(0, write);
        meet(0, write);
        break;
    default:
        model_hook(offset, 0);
        hook(offset, 0);
    }
}

static void random_sequences_are_judged_as_the_definition_says(void **state)
{
    unsigned violations = 0;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        seed = round;
        meets = 0;
        begin();
        memset(&model, 0, sizeof model);
        model.stack[model.depth++] = ++model.activations;
        call();
        for (unsigned i = 0; i < 16; i++)
            random_step();
        for (unsigned i = 0; i < 5; i++) {
            if (file->ends[i].seen != model.seen[i] || file->ends[i].violated != model.violated[i])
                fail_msg("seed %u: end %u was passed %lu times and violated %lu; should be %u, %u",
                         round, i, (unsigned long)file->ends[i].seen,
                         (unsigned long)file->ends[i].violated, model.seen[i], model.violated[i]);
            violations += model.violated[i];
        }
        end();
    }
    assert_true(violations > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences_are_judged_as_the_definition_says),
    };

    return cmocka_run_group_tests(tests, open_file, NULL);
}
