/* selection.c - see selection.h. */
#include "cmd/selection.h"

#include "analysis/engine.h"
#include "base/suggest.h"
#include "cmd/cmd.h"

static int unknown_analysis(const char *name)
{
    struct fw_suggestion near = { .word = name };

    for (size_t i = 0; fw_analyses[i]; i++)
        fw_suggest(&near, fw_analyses[i]->name);
    if (near.best)
        return fw_cmd_usage("no analysis '%s' in this version: did you mean '%s'? "
                            "'foreweave list' names them",
                            name, near.best);
    return fw_cmd_usage("no analysis '%s' in this version: 'foreweave list' names them", name);
}

static bool selected(const struct fw_selection *selection, const struct fw_analysis *analysis)
{
    for (size_t i = 0; i < selection->len; i++)
        if (selection->at[i] == analysis)
            return true;
    return false;
}

/* Naming an analysis twice runs it once. */
static int select_named(struct fw_selection *selection, const struct fw_words *names)
{
    for (size_t i = 0; i < names->len; i++) {
        const struct fw_analysis *analysis = fw_analysis_find(names->at[i]);

        if (!analysis)
            return unknown_analysis(names->at[i]);
        if (!selected(selection, analysis))
            fw_vec_push(selection, analysis);
    }
    return 0;
}

static void select_default(struct fw_selection *selection)
{
    for (size_t i = 0; fw_analyses[i]; i++)
        if (fw_analyses[i]->by_default)
            fw_vec_push(selection, fw_analyses[i]);
}

int fw_selection_make(struct fw_selection *selection, const struct fw_words *names)
{
    if (names->len)
        return select_named(selection, names);
    select_default(selection);
    return 0;
}
