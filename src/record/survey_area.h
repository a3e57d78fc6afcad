/*
 * survey_area.h - inside the survey: what is known of each word.
 *
 * A word's state has 63 bits:
 *
 *     0..8    boundaries: bit i at byte i; bit 8 at its end.  There is a boundary between two
 *             words if one of them says so: no access has to touch a word it does not cover
 *     9..16   byte i was touched in this life
 *     17..24  ... by two threads
 *     25..43  the thread that touched the low four bytes; 44..62 the high four
 *
 * Where single bytes of a half have different owners, the half's owner is OWNER_MIXED and the
 * area's table says whose each byte is.  Thread numbers beyond what fits become OWNER_MANY, which
 * never equals itself: such threads' memory counts as shared.
 */
#ifndef FW_RECORD_SURVEY_AREA_H
#define FW_RECORD_SURVEY_AREA_H

#include "record/chunks.h"
#include "record/lives.h"
#include "record/survey.h"

#define TOUCHED_SHIFT 9
#define SHARED_SHIFT  17
#define OWNER_SHIFT   25
#define OWNER_BITS    19
#define OWNER_MIXED   0x7ffffu
#define OWNER_MANY    0x7fffeu

#define BYTE_MANY 0xffffu /* owner of a byte: the same, in 16 bits */

struct area {
    uint64_t word[FW_CHUNK_WORDS];
    uint32_t life;    /* of all words ... */
    uint32_t *lives;  /* ... unless this says it of each one */
    uint16_t *owners; /* of each byte, where a half is mixed; or NULL */
};

/* A life so large that it is not written into every chunk; ascending, disjoint. */
struct large {
    uint64_t word, end;
    uint32_t life;
};

struct fw_survey {
    struct fw_chunks *areas; /* tag: the life of a chunk without area */
    FW_VEC(struct large) large;
    struct fw_lives lives;
    struct fw_kept_list kept;
    uint32_t thread;
    uint32_t forks;
    uint64_t bytes, limit;
    bool full;
};

static inline unsigned word_shared(uint64_t state)
{
    return state >> SHARED_SHIFT & 0xff;
}

static inline unsigned word_touched(uint64_t state)
{
    return state >> TOUCHED_SHIFT & 0xff;
}

static inline uint32_t area_life(const struct area *area, unsigned i)
{
    return area->lives ? area->lives[i] : area->life;
}

/* The area of a chunk, made if it is new; NULL: no memory is left. */
struct area *fw_survey_area(struct fw_survey *survey, uint64_t number);

/* survey_touch.c: bytes of one word; `cuts` are the boundaries it sets. */
void fw_survey_word(struct fw_survey *survey, struct area *area, unsigned i, unsigned bytes,
                    unsigned cuts);
/* One access of the current thread. */
void fw_survey_touch(struct fw_survey *survey, uint64_t address, uint64_t bytes);

/* survey_life.c */
void fw_survey_begin(struct fw_survey *survey, const struct fw_life *life);
/* No variable reaches across the beginning of this word. */
void fw_survey_cut(struct fw_survey *survey, uint64_t word);
/* Writes the area's shared words into the list. */
void fw_survey_keep(struct fw_survey *survey, uint64_t number, unsigned from, unsigned to);

#endif
