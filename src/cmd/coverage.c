/* coverage.c - see coverage.h. */
#include "cmd/coverage.h"

#include "base/suggest.h"

#include <string.h>

FW_VEC_TYPE(programs, struct fw_memo_program);

static int take_program(void *context, const struct fw_memo_program *program)
{
    struct fw_memo_program own = *program;

    own.name = fw_xstrdup(program->name);
    fw_vec_push((struct programs *)context, own);
    return 0;
}

static int no_such_program(const struct programs *programs, const char *db, const char *name)
{
    struct fw_suggestion near = { .word = name };

    for (size_t i = 0; i < programs->len; i++)
        fw_suggest(&near, programs->at[i].name);
    if (near.best)
        fw_cmd_error("'%s' knows no program '%s': did you mean '%s'?", db, name, near.best);
    else
        fw_cmd_error("'%s' knows no program '%s'", db, name);
    return FW_EXIT_INPUT;
}

static int load(struct fw_chosen_coverage *chosen, const struct programs *programs,
                const struct fw_chosen *wanted)
{
    struct fw_error err;

    for (size_t i = 0; i < programs->len; i++) {
        struct fw_coverage coverage;
        int result;

        if (wanted->program && strcmp(wanted->program, programs->at[i].name) != 0)
            continue;
        result = fw_coverage_load(&coverage, chosen->memo, &programs->at[i], wanted->build,
                                  (unsigned)wanted->idiom, &err);
        fw_vec_push(&chosen->programs, coverage);
        if (result < 0)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    return 0;
}

int fw_chosen_coverage_load(struct fw_chosen_coverage *chosen, const struct fw_chosen *wanted)
{
    struct programs programs = { 0 };
    struct fw_error err;
    int status;

    memset(chosen, 0, sizeof *chosen);
    if (wanted->idiom > FW_IDIOMS)
        return fw_cmd_usage("--idiom: there are idioms 1 to %u", FW_IDIOMS);
    if (fw_memo_open(&chosen->memo, wanted->db, FW_MEMO_READ, 0, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (fw_memo_each_program(chosen->memo, take_program, &programs, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else
        status = load(chosen, &programs, wanted);
    if (!status && wanted->program && !chosen->programs.len)
        status = no_such_program(&programs, fw_memo_name(chosen->memo), wanted->program);
    for (size_t i = 0; i < programs.len; i++)
        free((char *)programs.at[i].name);
    fw_vec_release(&programs);
    return status;
}

void fw_chosen_coverage_release(struct fw_chosen_coverage *chosen)
{
    for (size_t i = 0; i < chosen->programs.len; i++)
        fw_coverage_release(&chosen->programs.at[i]);
    fw_vec_release(&chosen->programs);
    fw_memo_close(chosen->memo);
}
