/* knowledge.c - see knowledge.h. */
#include "explore/knowledge.h"

#include <inttypes.h>

#define TRIES 4u /* runs of one failure that schedules are made of, until one can be repeated */

uint64_t fw_campaign_seed(uint64_t seed, uint64_t number)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + number * 0xbf58476d1ce4e5b9u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) >> 16; /* short enough to be read */
}

void fw_knowledge_init(struct fw_knowledge *knowledge)
{
    memset(knowledge, 0, sizeof *knowledge);
    fw_strtab_init(&knowledge->places);
    fw_strtab_init(&knowledge->failures);
    fw_strtab_init(&knowledge->messages);
    fw_strtab_init(&knowledge->pairs);
}

static void release_failure(struct fw_failure *failure)
{
    free(failure->schedule);
    free(failure->timeouts);
}

void fw_knowledge_release(struct fw_knowledge *knowledge)
{
    for (size_t i = 0; i < knowledge->shared.len; i++)
        fw_place_release(&knowledge->shared.at[i]);
    fw_vec_release(&knowledge->shared);
    for (size_t i = 0; i < knowledge->state.failures.len; i++)
        release_failure(&knowledge->state.failures.at[i]);
    fw_vec_release(&knowledge->state.failures);
    fw_strtab_release(&knowledge->places);
    fw_strtab_release(&knowledge->failures);
    fw_strtab_release(&knowledge->messages);
    fw_strtab_release(&knowledge->pairs);
}

/* Adds the text to the set; true: it was not there. */
static bool is_new(struct fw_strtab *set, const char *text, size_t length)
{
    uint32_t before = fw_strtab_count(set);

    fw_strtab_intern(set, text, length);
    return fw_strtab_count(set) > before;
}

static bool add_place(struct fw_knowledge *knowledge, const struct fw_spot *place)
{
    char *text = fw_xasprintf("%s+%" PRIx64 " %s", place->module, place->offset, place->operation);
    bool fresh = is_new(&knowledge->places, text, strlen(text));
    struct fw_spot copy = { fw_xstrdup(place->module), fw_xstrdup(place->operation),
                             place->offset };

    free(text);
    if (fresh)
        fw_vec_push(&knowledge->shared, copy);
    else
        fw_place_release(&copy);
    return fresh;
}

bool fw_knowledge_wants(const struct fw_knowledge *knowledge, const char *failure)
{
    uint32_t id = fw_strtab_find(&knowledge->failures, failure, strlen(failure));
    const struct fw_failure *known;

    if (id == FW_STRTAB_NONE)
        return true;
    known = &knowledge->state.failures.at[id];
    return !known->schedule && known->tried < TRIES;
}

struct fw_failure *fw_knowledge_failure(struct fw_knowledge *knowledge, const char *failure)
{
    uint32_t id = fw_strtab_find(&knowledge->failures, failure, strlen(failure));

    return &knowledge->state.failures.at[id];
}

static bool add_failure(struct fw_knowledge *knowledge, const struct fw_trial *trial, uint64_t seed)
{
    struct fw_campaign_state *state = &knowledge->state;
    const char *message = trial->message ? trial->message : "";
    uint32_t id = fw_strtab_intern(&knowledge->failures, trial->failure, strlen(trial->failure));
    struct fw_failure failure = { .result = trial->result, .first = trial->number, .seed = seed };

    state->failing++;
    if (id < state->failures.len) {
        state->failures.at[id].count++;
        return false;
    }
    failure.count = 1;
    failure.text = fw_strtab_text(&knowledge->failures, id);
    failure.message = fw_strtab_text(
        &knowledge->messages, fw_strtab_intern(&knowledge->messages, message, strlen(message)));
    fw_vec_push(&state->failures, failure);
    return true;
}

/* How long a run is.  What says nothing about it: how far one came that hangs. */
static void learn_length(struct fw_campaign_state *state, const struct fw_trial *trial)
{
    bool ends = trial->result.end != FW_RUN_TIMEOUT;

    if (ends < state->ended)
        return;
    if (trial->points > state->length || ends > state->ended)
        state->length = trial->points;
    state->ended = ends;
}

bool fw_knowledge_add(struct fw_knowledge *knowledge, const struct fw_trial *trial, uint64_t seed)
{
    struct fw_campaign_state *state = &knowledge->state;
    bool fresh = false;

    state->blind = state->runs++ ? state->blind && trial->blind : trial->blind;
    state->redundant += trial->redundant;
    state->diverged += trial->diverged;
    state->partly += trial->partly;
    state->returned += trial->returned;
    state->longer += trial->longer;
    state->limits += trial->limits;
    state->fair += trial->fair;
    state->clock += trial->clock;
    state->random += trial->random;
    for (unsigned i = 0; i < FW_CHANCES; i++)
        state->chances[i] += trial->chances >> i & 1;
    state->several += trial->several;
    state->beyond += trial->beyond;
    state->at_once += trial->at_once;
    state->unseen += trial->unseen;
    state->cut += trial->cut > 0;
    if (trial->away > state->away)
        state->away = trial->away;
    learn_length(state, trial);
    if (trial->blocks > state->blocks)
        state->blocks = trial->blocks;
    if (trial->threads > state->threads)
        state->threads = trial->threads;
    for (size_t i = 0; i < trial->found.len; i++)
        fresh |= add_place(knowledge, &trial->found.at[i]);
    for (size_t i = 0; i < trial->pairs.len; i++)
        fresh |=
            is_new(&knowledge->pairs, (const char *)&trial->pairs.at[i], sizeof *trial->pairs.at);
    if (trial->failure)
        fresh |= add_failure(knowledge, trial, seed);
    state->shared = knowledge->shared.len;
    state->pairs = fw_strtab_count(&knowledge->pairs);
    state->quiet = fresh ? 0 : state->quiet + 1;
    return fresh;
}

bool fw_knowledge_ends(struct fw_knowledge *knowledge, const struct fw_campaign_setup *setup)
{
    struct fw_campaign_state *state = &knowledge->state;

    if (setup->until_first && state->failing)
        state->end = FW_CAMPAIGN_FIRST;
    else if (setup->runs && state->runs + state->recorded >= setup->runs)
        state->end = FW_CAMPAIGN_RUNS;
    else if (setup->idle && state->quiet >= setup->idle)
        state->end = FW_CAMPAIGN_IDLE;
    else
        return false;
    return true;
}
