/* corpus.c - see corpus.h. */
#include "explore/corpus.h"

#define PATIENCE 10u /* ms for a thread in the kernel */

void fw_corpus_release(struct fw_corpus *corpus)
{
    for (size_t i = 0; i < FW_CORPUS_ROOM; i++)
        fw_capture_destroy(corpus->at[i]);
    *corpus = (struct fw_corpus) { 0 };
}

void fw_corpus_add(struct fw_corpus *corpus, struct fw_capture *capture)
{
    struct fw_capture **place = &corpus->at[corpus->count++ % FW_CORPUS_ROOM];

    fw_capture_destroy(*place);
    *place = capture;
}

/* Below `limit`; another one for each salt. */
static uint64_t draw(uint64_t seed, uint64_t salt, uint64_t limit)
{
    uint64_t z = (seed + salt) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % limit;
}

bool fw_corpus_order(const struct fw_corpus *corpus, uint64_t seed, struct fw_session *session,
                     struct fw_turns *turns, struct fw_run_order *order)
{
    uint64_t kept = corpus->count < FW_CORPUS_ROOM ? corpus->count : FW_CORPUS_ROOM;
    const struct fw_capture *capture;

    if (!kept)
        return false;
    capture = corpus->at[draw(seed, 1, kept)];
    fw_capture_translate(capture, draw(seed, 2, capture->turns.steps.len + 1), session, turns);
    order->strategy = FW_STRATEGY_STEPS;
    order->flags |= FW_CONTROL_WALK;
    order->patience = PATIENCE;
    order->steps = turns->steps.at;
    order->step_count = (uint32_t)turns->steps.len;
    order->paths = turns->paths.at;
    order->path_count = (uint32_t)turns->paths.len;
    return true;
}
