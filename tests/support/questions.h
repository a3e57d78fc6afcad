/*
 * questions.h - everything that can be asked about a trace.
 *
 * Lists the well-formed claims of a trace: every pair of conflicting accesses,
 * every cycle of acquires that wait for each other, every unserialisable
 * triple of consecutive accesses, every other write that a read might see, and
 * orders drawn at random.  Which of them can happen is for oracles and
 * predictors to say; here only the shape counts.
 */
#ifndef FW_TESTS_QUESTIONS_H
#define FW_TESTS_QUESTIONS_H

#include "support/oracle.h"
#include "support/random.h"

#include "base/vec.h"
#include "trace/verify.h"

#define FW_QUESTION_EVENTS 16u

struct fw_question {
    enum fw_claim claim;
    uint32_t count;
    uint32_t events[FW_QUESTION_EVENTS];
};

FW_VEC_TYPE(fw_questions, struct fw_question);

/* Adds all questions of the claim (not FW_CLAIM_ORDER), in the order of their events. */
void fw_questions_list(struct fw_questions *questions, const struct fw_trace *trace,
                       enum fw_claim claim);

/* Adds so many orders of two to four events. */
void fw_questions_draw_orders(struct fw_questions *questions, const struct fw_trace *trace,
                              uint32_t count, struct fw_random *random);

/* Adds instances of interleaving idioms among the trace's `total` events: so many are tried for. */
void fw_questions_draw_iroots(struct fw_questions *questions, const struct fw_oracle *oracle,
                              uint32_t total, uint32_t count, struct fw_random *random);

/* Keeps at most so many from the number `from` on, drawn at random. */
void fw_questions_sample(struct fw_questions *questions, size_t from, size_t count,
                         struct fw_random *random);

/* "race 3 17"; for messages. */
const char *fw_question_text(const struct fw_question *question, char *text, size_t size);

#endif
