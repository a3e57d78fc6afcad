/* sought.c - see sought.h. */
#include "cmd/sought.h"

#include "base/alloc.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>

static struct fw_memo_iroot named(const struct fw_iroot *iroot, struct fw_coverage *coverage)
{
    struct fw_memo_names names = fw_coverage_names(coverage);
    struct fw_memo_iroot words = { .idiom = iroot->idiom,
                                   .waits = iroot->waits,
                                   .count = fw_idiom_accesses(iroot->idiom) };

    for (unsigned i = 0; i < words.count; i++) {
        const char *place = names.places[iroot->access[i]];

        words.access[i] = fw_strtab_text(names.accesses, iroot->access[i]);
        words.place[i] = place ? place : "";
    }
    return words;
}

/* --- of this campaign ------------------------------------------------------------------------ */

void fw_sought_text(struct fw_output *out, const struct fw_failure *failure,
                    struct fw_coverage *coverage)
{
    struct fw_memo_iroot words;

    if (!failure->sought.idiom)
        return;
    words = named(&failure->sought, coverage);
    fw_output_printf(out, "  sought idiom %u: ", words.idiom);
    fw_words_iroot(out, &words);
    fw_output_printf(out, " (run %" PRIu64 " %s it)\n", failure->seeker,
                     failure->reached ? "exposed" : "did not expose");
}

void fw_sought_json(struct fw_json *json, const struct fw_failure *failure,
                    struct fw_coverage *coverage)
{
    struct fw_memo_iroot words;

    if (!failure->sought.idiom)
        return;
    words = named(&failure->sought, coverage);
    fw_json_object(json, "sought");
    fw_words_json(json, &words);
    fw_json_number(json, "run", failure->seeker);
    fw_json_bool(json, "exposed", failure->reached);
    fw_json_end(json);
}

/* --- of earlier ones ------------------------------------------------------------------------- */

void fw_sought_known_text(struct fw_output *out, const struct fw_memo_iroot *iroot)
{
    if (!iroot->idiom)
        return;
    fw_output_printf(out, "\n  sought idiom %u: ", iroot->idiom);
    fw_words_iroot(out, iroot);
}

void fw_sought_known_json(struct fw_json *json, const struct fw_memo_iroot *iroot)
{
    if (!iroot->idiom)
        return;
    fw_json_object(json, "sought");
    fw_words_json(json, iroot);
    fw_json_end(json);
}

struct fw_memo_iroot fw_sought_copy(const struct fw_memo_iroot *iroot)
{
    struct fw_memo_iroot copy = *iroot;

    for (unsigned i = 0; i < copy.count; i++) {
        copy.access[i] = fw_xstrdup(iroot->access[i]);
        copy.place[i] = fw_xstrdup(iroot->place[i]);
    }
    return copy;
}

void fw_sought_release(struct fw_memo_iroot *copy)
{
    for (unsigned i = 0; i < copy->count; i++) {
        free((char *)copy->access[i]);
        free((char *)copy->place[i]);
    }
}
