/* states.c - see states.h. */
#include "explore/states.h"

#define FIRST_CAP  1024u
#define MOST_WORDS 64u /* of one operation that are looked at */

bool fw_decision_next(const char *bytes, size_t length, size_t *at, struct fw_decision *decision)
{
    size_t need;

    if (length - *at < sizeof decision->head)
        return false;
    memcpy(&decision->head, bytes + *at, sizeof decision->head);
    need = decision->head.count * sizeof *decision->candidates;
    if (length - *at - sizeof decision->head < need ||
        decision->head.chosen >= decision->head.count)
        return false;
    decision->candidates = (const void *)(bytes + *at + sizeof decision->head);
    *at += sizeof decision->head + need;
    return true;
}

static uint64_t first_word(const struct fw_control_candidate *of)
{
    return of->object >> 3;
}

static uint64_t last_word(const struct fw_control_candidate *of)
{
    uint64_t last = (of->object + (of->size ? of->size : 1) - 1) >> 3;

    return last - first_word(of) < MOST_WORDS ? last : first_word(of) + MOST_WORDS;
}

bool fw_candidates_depend(const struct fw_control_candidate *a,
                          const struct fw_control_candidate *b)
{
    uint32_t any = a->flags | b->flags;

    if (any & FW_CANDIDATE_NOTHING)
        return false;
    if (any & FW_CANDIDATE_GLOBAL)
        return true;
    return any & FW_CANDIDATE_WRITES && first_word(a) <= last_word(b) &&
           first_word(b) <= last_word(a);
}

/* --- hashes of traces ------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu + b;

    z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
    return z ^ z >> 29;
}

/* Sites have other numbers in other sessions, files may have others in other runs. */
uint32_t fw_decision_hash(const struct fw_decision *decision)
{
    uint64_t hash = decision->head.count;

    for (uint32_t i = 0; i < decision->head.count; i++) {
        const struct fw_control_candidate *one = &decision->candidates[i];

        hash = mix(hash, (uint64_t)one->thread << 32 ^ one->flags);
        hash = mix(hash, one->size);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

void fw_trace_hash_init(struct fw_trace_hash *hash)
{
    memset(hash, 0, sizeof *hash);
}

void fw_trace_hash_release(struct fw_trace_hash *hash)
{
    fw_vec_release(&hash->threads);
    free(hash->words);
}

/* word + 1, the latest write's hash, the sum of the hashes of reads since */
static uint64_t *probe(uint64_t *words, size_t cap, uint64_t word)
{
    size_t at = (word * 0x9e3779b97f4a7c15u >> 32) & (cap - 1);

    while (words[3 * at] && words[3 * at] != word + 1)
        at = (at + 1) & (cap - 1);
    return &words[3 * at];
}

static void grow_words(struct fw_trace_hash *hash)
{
    size_t cap = hash->cap ? hash->cap * 2 : 64;
    uint64_t *words = fw_xcalloc(cap, 3 * sizeof *words);

    for (size_t i = 0; i < hash->cap; i++)
        if (hash->words[3 * i])
            memcpy(probe(words, cap, hash->words[3 * i] - 1), &hash->words[3 * i],
                   3 * sizeof *words);
    free(hash->words);
    hash->words = words;
    hash->cap = cap;
}

static uint64_t *find_word(struct fw_trace_hash *hash, uint64_t word)
{
    uint64_t *at;

    if (hash->used * 2 >= hash->cap)
        grow_words(hash);
    at = probe(hash->words, hash->cap, word);
    if (!at[0]) {
        at[0] = word + 1;
        hash->used++;
    }
    return at;
}

static uint64_t sum_of_threads(const struct fw_trace_hash *hash)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < hash->threads.len; i++)
        sum += mix(i, hash->threads.at[i]);
    return sum;
}

void fw_trace_hash_add(struct fw_trace_hash *hash, const struct fw_control_candidate *done)
{
    bool writes = done->flags & FW_CANDIDATE_WRITES;
    uint64_t mine, word;

    fw_vec_extend(&hash->threads, done->thread + 1);
    mine = mix(hash->threads.at[done->thread], hash->global + 1);
    if (done->flags & FW_CANDIDATE_GLOBAL) {
        mine = mix(mine, sum_of_threads(hash));
        hash->global = mine;
    } else if (!(done->flags & FW_CANDIDATE_NOTHING)) {
        for (word = first_word(done); word <= last_word(done); word++) {
            const uint64_t *at = find_word(hash, word);

            mine = mix(mine, at[1] + (writes ? mix(1, at[2]) : 0));
        }
        for (word = first_word(done); word <= last_word(done); word++) {
            uint64_t *at = find_word(hash, word);

            at[1] = writes ? mine : at[1];
            at[2] = writes ? 0 : at[2] + mine;
        }
    }
    hash->threads.at[done->thread] = mine;
}

uint64_t fw_trace_hash_state(const struct fw_trace_hash *hash, const struct fw_decision *decision)
{
    uint64_t state = mix(sum_of_threads(hash), decision->head.current);

    for (uint32_t i = 0; i < decision->head.count; i++)
        state = mix(state, decision->candidates[i].thread);
    return state ? state : 1;
}

/* --- sets of states --------------------------------------------------------------------------- */

void fw_states_init(struct fw_states *states)
{
    memset(states, 0, sizeof *states);
}

void fw_states_release(struct fw_states *states)
{
    free(states->keys);
    free(states->preemptions);
    memset(states, 0, sizeof *states);
}

void fw_states_clear(struct fw_states *states)
{
    fw_states_release(states);
}

static size_t place_of(const uint64_t *keys, size_t cap, uint64_t state)
{
    size_t at = state & (cap - 1);

    while (keys[at] && keys[at] != state)
        at = (at + 1) & (cap - 1);
    return at;
}

static void grow_states(struct fw_states *states)
{
    size_t cap = states->cap ? states->cap * 2 : FIRST_CAP;
    uint64_t *keys = fw_xcalloc(cap, sizeof *keys);
    uint32_t *preemptions = fw_xcalloc(cap, sizeof *preemptions);

    for (size_t i = 0; i < states->cap; i++) {
        size_t at;

        if (!states->keys[i])
            continue;
        at = place_of(keys, cap, states->keys[i]);
        keys[at] = states->keys[i];
        preemptions[at] = states->preemptions[i];
    }
    free(states->keys);
    free(states->preemptions);
    states->keys = keys;
    states->preemptions = preemptions;
    states->cap = cap;
}

bool fw_states_add(struct fw_states *states, uint64_t state, uint32_t preemptions)
{
    size_t at;

    if (states->used * 2 >= states->cap)
        grow_states(states);
    at = place_of(states->keys, states->cap, state);
    if (states->keys[at] && states->preemptions[at] <= preemptions)
        return false;
    states->used += !states->keys[at];
    states->keys[at] = state;
    states->preemptions[at] = preemptions;
    return true;
}
