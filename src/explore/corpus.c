/* corpus.c - see corpus.h. */
#include "explore/corpus.h"

#define PATIENCE 10u /* ms for a thread in the kernel */
#define LOOKS    4u  /* runs that are drawn, of which the best one is chosen */
#define LOOK     8u  /* salts between two of them */

void fw_corpus_release(struct fw_corpus *corpus)
{
    for (size_t i = 0; i < FW_CORPUS_ROOM; i++)
        fw_capture_destroy(corpus->at[i]);
    *corpus = (struct fw_corpus) { 0 };
}

void fw_corpus_add(struct fw_corpus *corpus, struct fw_capture *capture, size_t exposed)
{
    size_t place = corpus->count++ % FW_CORPUS_ROOM;

    fw_capture_destroy(corpus->at[place]);
    corpus->at[place] = capture;
    corpus->exposed[place] = exposed;
}

/* Below `limit`; another one for each salt. */
static uint64_t draw(uint64_t seed, uint64_t salt, uint64_t limit)
{
    uint64_t z = (seed + salt) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % limit;
}

static uint64_t count_kept(const struct fw_corpus *corpus)
{
    return corpus->count < FW_CORPUS_ROOM ? corpus->count : FW_CORPUS_ROOM;
}

size_t fw_corpus_choose(const struct fw_corpus *corpus, uint64_t seed)
{
    uint64_t kept = count_kept(corpus);
    size_t best = FW_CORPUS_ROOM;

    for (unsigned i = 0; kept && i < LOOKS; i++) {
        uint64_t reach = draw(seed, LOOK * i, kept) + 1;
        size_t place = (corpus->count - 1 - draw(seed, LOOK * i + 1, reach)) % FW_CORPUS_ROOM;

        if (best == FW_CORPUS_ROOM || corpus->exposed[place] > corpus->exposed[best])
            best = place;
    }
    return best;
}

bool fw_corpus_order(const struct fw_corpus *corpus, uint64_t seed, struct fw_session *session,
                     struct fw_turns *turns, struct fw_run_order *order)
{
    size_t place = fw_corpus_choose(corpus, seed);
    const struct fw_capture *capture;

    if (place == FW_CORPUS_ROOM)
        return false;
    capture = corpus->at[place];
    fw_capture_translate(capture, draw(seed, LOOK * LOOKS, capture->turns.steps.len + 1), session,
                         turns);
    order->strategy = FW_STRATEGY_STEPS;
    order->flags |= FW_CONTROL_WALK;
    order->patience = PATIENCE;
    order->steps = turns->steps.at;
    order->step_count = (uint32_t)turns->steps.len;
    order->paths = turns->paths.at;
    order->path_count = (uint32_t)turns->paths.len;
    return true;
}
