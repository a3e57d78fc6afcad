/* refine.c - see refine.h. */
#include "sections/refine.h"

#include "base/alloc.h"

#include <stdlib.h>

struct end {
    uint64_t seen;             /* in all runs */
    uint64_t violated;         /* in the run at hand */
    uint64_t bad;              /* in failed runs */
    bool given_up;             /* a good run has violated it */
};

struct section {
    FW_VEC(struct end) ends;
};

struct fw_refinement {
    struct fw_sections *sections;
    struct section *at;
    uint64_t good, bad, unchanged;
};

struct fw_refinement *fw_refinement_create(struct fw_sections *sections)
{
    struct fw_refinement *refinement = fw_xcalloc(1, sizeof *refinement);

    refinement->sections = sections;
    refinement->at = fw_xcalloc(sections->at.len + 1, sizeof *refinement->at);
    for (size_t i = 0; i < sections->at.len; i++)
        fw_vec_extend(&refinement->at[i].ends, sections->at.at[i].ends.len);
    return refinement;
}

void fw_refinement_destroy(struct fw_refinement *refinement)
{
    for (size_t i = 0; i < refinement->sections->at.len; i++)
        fw_vec_release(&refinement->at[i].ends);
    free(refinement->at);
    free(refinement);
}

/* --- runs ------------------------------------------------------------------------------------ */

void fw_refinement_count(struct fw_refinement *refinement, uint32_t section, uint32_t end,
                         uint64_t seen, uint64_t violated)
{
    refinement->at[section].ends.at[end].seen += seen;
    refinement->at[section].ends.at[end].violated += violated;
}

static bool take_end(struct end *end, bool good)
{
    bool changed = good && end->violated && !end->given_up;

    if (changed)
        end->given_up = true;
    if (!good)
        end->bad += end->violated;
    end->violated = 0;
    return changed;
}

bool fw_refinement_run(struct fw_refinement *refinement, bool good)
{
    bool changed = false;

    for (size_t i = 0; i < refinement->sections->at.len; i++)
        for (size_t j = 0; j < refinement->at[i].ends.len; j++)
            changed |= take_end(&refinement->at[i].ends.at[j], good);
    refinement->good += good;
    refinement->bad += !good;
    if (changed)
        refinement->unchanged = 0;
    else
        refinement->unchanged += good;
    return changed;
}

unsigned fw_refinement_allow(const struct fw_refinement *refinement, uint32_t section, uint32_t end)
{
    return refinement->at[section].ends.at[end].given_up
               ? FW_ALLOW_ALL
               : refinement->sections->at.at[section].ends.at[end].allow;
}

/* --- what comes of them ---------------------------------------------------------------------- */

static bool is_kept(const struct fw_refinement *refinement, uint32_t section, uint32_t end)
{
    return refinement->at[section].ends.at[end].seen &&
           fw_refinement_allow(refinement, section, end) != FW_ALLOW_ALL;
}

bool fw_refinement_goes(const struct fw_refinement *refinement, uint32_t section)
{
    for (uint32_t i = 0; i < refinement->at[section].ends.len; i++)
        if (is_kept(refinement, section, i))
            return false;
    return true;
}

static bool was_violated(const struct section *section)
{
    for (size_t i = 0; i < section->ends.len; i++)
        if (section->ends.at[i].given_up)
            return true;
    return false;
}

struct fw_refine_facts fw_refinement_facts(const struct fw_refinement *refinement)
{
    struct fw_refine_facts facts = { .good = refinement->good,
                                     .bad = refinement->bad,
                                     .unchanged = refinement->unchanged,
                                     .before = refinement->sections->at.len };

    for (uint32_t i = 0; i < refinement->sections->at.len; i++) {
        if (!fw_refinement_goes(refinement, i))
            continue;
        if (was_violated(&refinement->at[i]))
            facts.violated++;
        else
            facts.unseen++;
    }
    return facts;
}

uint64_t fw_refinement_bad(const struct fw_refinement *refinement, uint32_t section)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < refinement->at[section].ends.len; i++)
        bad += refinement->at[section].ends.at[i].bad;
    return bad;
}

void fw_refinement_finish(struct fw_refinement *refinement)
{
    struct fw_sections *sections = refinement->sections;
    size_t count = sections->at.len;

    for (size_t i = count; i-- > 0;) {
        bool goes = fw_refinement_goes(refinement, (uint32_t)i);

        for (uint32_t j = 0; j < refinement->at[i].ends.len; j++)
            if (!is_kept(refinement, (uint32_t)i, j))
                sections->at.at[i].ends.at[j].allow = FW_ALLOW_ALL;
        fw_vec_release(&refinement->at[i].ends);
        if (goes)
            fw_sections_remove(sections, i);
    }
}
