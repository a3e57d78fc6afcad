/* chosen.c - see chosen.h. */
#include "cmd/chosen.h"

#include "base/alloc.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of several with this id the one with a witness; else one whose id alone begins like that. */
static const struct fw_result_finding *find(const struct fw_result *result, const char *id)
{
    const struct fw_result_finding *found = NULL, *near = NULL;
    size_t close = 0;

    for (size_t i = 0; i < result->count; i++) {
        const struct fw_result_finding *finding = &result->findings[i];

        if (strcmp(finding->id, id) == 0 && (!found || !found->has_witness))
            found = finding;
        if (strncmp(finding->id, id, strlen(id)) == 0 && *id) {
            close += !near || strcmp(near->id, finding->id) != 0;
            if (!near || !near->has_witness)
                near = finding;
        }
    }
    return found ? found : close == 1 ? near : NULL;
}

static void refuse_id(const struct fw_result *result, const char *path, const char *id)
{
    struct fw_suggestion near = { .word = id };

    for (size_t i = 0; i < result->count; i++)
        fw_suggest(&near, result->findings[i].id);
    if (result->count == 0)
        fw_cmd_error("%s: there is no finding '%s', nor any other", path, id);
    else if (near.best)
        fw_cmd_error("%s: there is no finding '%s'; did you mean '%s'?", path, id, near.best);
    else
        fw_cmd_error("%s: there is no finding '%s' among its %zu, the first of which is '%s'", path,
                     id, result->count, result->findings[0].id);
}

const struct fw_result_finding *fw_chosen_finding(const struct fw_result *result, const char *path,
                                                  const char *id, const char *what)
{
    const struct fw_result_finding *finding = find(result, id);

    if (!finding) {
        refuse_id(result, path, id);
    } else if (what && !finding->has_witness) {
        fw_cmd_error("%s: finding '%s' (%s) has no witness to %s: only race, deadlock, atomicity "
                     "and nondet give one",
                     path, finding->id, finding->kind, what);
        return NULL;
    }
    return finding;
}

char *fw_chosen_trace(const struct fw_result *result, const char *path, const char *given)
{
    const char *slash = strrchr(path, '/');
    char *beside;

    if (given)
        return fw_xstrdup(given);
    if (!result->trace) {
        fw_cmd_error("%s: it does not say which trace was analysed: add --trace=FILE", path);
        return NULL;
    }
    if (result->trace[0] == '/' || access(result->trace, R_OK) == 0)
        return fw_xstrdup(result->trace);
    beside = fw_xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, result->trace);
    if (access(beside, R_OK) == 0)
        return beside;
    free(beside);
    fw_cmd_error("%s: the trace that it is about, '%s', is not here: add --trace=FILE", path,
                 result->trace);
    return NULL;
}

int fw_chosen_witness(struct fw_result_match *match, const struct fw_result_finding *finding,
                      bool values, struct fw_witness *witness)
{
    struct fw_verdict verdict = { 0 };
    struct fw_verifier *verifier;

    if (!fw_result_match(match, finding, witness, &verdict)) {
        fw_cmd_error("finding '%s' is not about '%s': %s", finding->id, match->trace->name,
                     verdict.reason);
        return FW_EXIT_INPUT;
    }
    verifier = fw_verifier_create(match->trace);
    fw_verifier_use_values(verifier, values);
    fw_verifier_use_window(verifier, finding->window);
    verdict = fw_verify(verifier, witness);
    fw_verifier_destroy(verifier);
    if (verdict.accepted)
        return 0;
    fw_cmd_error("the witness of '%s' is none for '%s': %s", finding->id, match->trace->name,
                 verdict.reason);
    return FW_EXIT_INPUT;
}
