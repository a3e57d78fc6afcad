/* proposals.c - see proposals.h. */
#include "explore/proposals.h"

#define VARIANTS 10u /* of each prediction ... */
#define PLAIN    6u  /* ... of which so many go on without a preemption, the others at random */
#define EACH     2u  /* preemptions for each witness */

static struct fw_proposal witness(const struct fw_proposals *proposals, uint64_t n)
{
    unsigned variant = (unsigned)(n / proposals->predicted_count);

    return (struct fw_proposal){ .shown = &proposals->predicted[n % proposals->predicted_count],
                                 .variant = variant,
                                 .walks = variant >= PLAIN };
}

bool fw_proposals_get(const struct fw_proposals *proposals, uint64_t n,
                      struct fw_proposal *proposal)
{
    uint64_t first = proposals->first_count, preemptions = proposals->preemption_count;
    uint64_t others = proposals->predicted_count * VARIANTS - first, rest = n - first;
    uint64_t rounds = others < preemptions / EACH ? others : preemptions / EACH;
    uint64_t round = rest / (EACH + 1), place = rest % (EACH + 1);
    bool preempts = place < EACH;

    if (n >= first + others + preemptions)
        return false;
    if (n < first) {
        *proposal = witness(proposals, n);
        return true;
    }
    if (round < rounds) {
        rest = preempts ? EACH * round + place : round;
    } else { /* only one kind is left, but for a few preemptions */
        rest -= rounds * (EACH + 1);
        preempts = rest < preemptions - EACH * rounds;
        rest = preempts ? EACH * rounds + rest : rounds + rest - (preemptions - EACH * rounds);
    }
    *proposal = preempts ? (struct fw_proposal){ .event = proposals->preemptions[rest] }
                         : witness(proposals, first + rest);
    return true;
}

int fw_proposals_steps(const struct fw_proposals *proposals, const struct fw_proposal *proposal,
                       struct fw_session *session, struct fw_steps *steps, struct fw_paths *paths,
                       struct fw_error *err)
{
    struct fw_way way = { .variant = proposal->variant };

    if (!proposal->shown)
        return fw_preemption_steps(proposals->moments, proposal->event, session, steps, paths, err);
    return fw_witness_steps(proposals->moments, proposal->shown, way, session, steps, paths, err);
}
