/*
 * corpus.h - runs that have shown something new, as beginnings of others.
 *
 * What a run has shown first may be a state that few schedules reach; what else can happen there is
 * shown by runs that follow it up to some point, and go on at random.  Of the runs that are kept
 * the latest are followed most, since what is new lies close together, and of those the ones that
 * have exposed most: in them threads have met often, and what has not met yet is seldom far away.
 *
 * Runs are added while none is made; orders may be asked for by several threads at once.
 */
#ifndef FW_EXPLORE_CORPUS_H
#define FW_EXPLORE_CORPUS_H

#include "explore/keep.h"

#define FW_CORPUS_ROOM 256u /* the latest are kept */

struct fw_corpus {
    struct fw_capture *at[FW_CORPUS_ROOM];
    size_t exposed[FW_CORPUS_ROOM]; /* iRoots, by each of them */
    uint64_t count; /* that were added */
};

void fw_corpus_release(struct fw_corpus *corpus);

/* Takes the capture over, of a run that has exposed so many iRoots. */
void fw_corpus_add(struct fw_corpus *corpus, struct fw_capture *capture, size_t exposed);

/* The place of the run that the seed decides for; FW_CORPUS_ROOM: there is none. */
size_t fw_corpus_choose(const struct fw_corpus *corpus, uint64_t seed);

/* The order of a run, in `turns`; which run it begins with, and how far it follows that one, is
 * decided by the seed.  False: there is none. */
bool fw_corpus_order(const struct fw_corpus *corpus, uint64_t seed, struct fw_session *session,
                     struct fw_turns *turns, struct fw_run_order *order);

#endif
