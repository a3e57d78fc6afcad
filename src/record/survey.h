/*
 * survey.h - the first pass over a recording: which memory is shared, and how it is cut.
 *
 * Accesses may overlap in any way; variables of a trace must not.  A *variable* is a maximal run
 * of bytes without a boundary inside, and every access sets a boundary at each of its ends.  So
 * what is only ever touched as a whole (a block that is copied) is one variable, and four bytes
 * read from a word of eight make two.  All bytes of a variable are touched by the same accesses.
 * It is *shared* if two threads touch it in one life (lives.h); freeing counts as touching.
 *
 * State: eight bytes for each word (survey_area.h), so about as much memory as the program has
 * touched.  What is left at the end is a list of the words that hold shared variables, by life:
 * the second pass puts them back at the beginning of each life, knowing the future.
 */
#ifndef FW_RECORD_SURVEY_H
#define FW_RECORD_SURVEY_H

#include "base/error.h"
#include "base/vec.h"
#include "runtime/wire.h"

#include <stddef.h>
#include <stdint.h>

/* So many words, from `word` on (address / 8), look like this in one life. */
struct fw_kept {
    uint64_t word;
    uint32_t life;
    uint16_t words;
    uint8_t cuts;   /* bit i: a variable begins at byte i */
    uint8_t shared; /* bit i: byte i belongs to a shared variable */
};

FW_VEC_TYPE(fw_kept_list, struct fw_kept); /* by life, then by address */

struct fw_survey;

/* `limit`: bytes of memory that it may use. */
struct fw_survey *fw_survey_create(uint64_t limit);
void fw_survey_destroy(struct fw_survey *survey);

/* Whole records, in order.  -1: it would need more memory than it may use; it is of no use then. */
int fw_survey_feed(struct fw_survey *survey, const struct fw_wire_unit *units, size_t count);
uint64_t fw_survey_bytes(const struct fw_survey *survey);
uint32_t fw_survey_threads(const struct fw_survey *survey); /* started by the program */

/* Ends it: *kept is the caller's.  The survey can only be destroyed from here on. */
void fw_survey_finish(struct fw_survey *survey, struct fw_kept_list *kept);

/* Half of this machine's memory. */
uint64_t fw_survey_default_limit(void);

#endif
