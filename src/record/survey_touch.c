/*
 * survey_touch.c - see survey_area.h: accesses.
 *
 * Nearly all accesses repeat what is known: the boundaries are there and the bytes are the
 * thread's own, or shared already.  That is one masked comparison each.
 */
#include "base/bug.h"
#include "record/survey_area.h"

/* What an access of `size` bytes from byte `at` of a word asks for. */
struct shape {
    uint64_t need;   /* boundaries and touched bits */
    uint64_t owners; /* the owner fields of its halves */
    uint64_t unit;   /* times the thread: these fields if they are all its own */
    uint64_t shared; /* shared bits */
};

#define BYTES(at, size)   ((uint64_t)((1u << (size)) - 1) << (at))
#define FIELD(half)       ((uint64_t)OWNER_MIXED << (OWNER_SHIFT + (half) * OWNER_BITS))
#define ONE(half)         (UINT64_C(1) << (OWNER_SHIFT + (half) * OWNER_BITS))
#define LOW(at, x)        ((at) < 4 ? (x) : 0)
#define HIGH(at, size, x) ((at) + (size) > 4 ? (x) : 0)
#define SHAPE(at, size)                                                                            \
    {                                                                                              \
        1u << (at) | 1u << ((at) + (size)) | BYTES(at, size) << TOUCHED_SHIFT,                     \
            LOW(at, FIELD(0)) | HIGH(at, size, FIELD(1)),                                          \
            LOW(at, ONE(0)) | HIGH(at, size, ONE(1)), BYTES(at, size) << SHARED_SHIFT              \
    }

/* Aligned accesses: by size (0: 1 byte ... 3: 8 bytes) and place. */
static const struct shape shapes[4][8] = {
    { SHAPE(0, 1), SHAPE(1, 1), SHAPE(2, 1), SHAPE(3, 1), SHAPE(4, 1), SHAPE(5, 1), SHAPE(6, 1),
      SHAPE(7, 1) },
    { [0] = SHAPE(0, 2), [2] = SHAPE(2, 2), [4] = SHAPE(4, 2), [6] = SHAPE(6, 2) },
    { [0] = SHAPE(0, 4), [4] = SHAPE(4, 4) },
    { [0] = SHAPE(0, 8) },
};

static bool is_owner(uint32_t owner, uint32_t thread)
{
    return owner == thread && thread != OWNER_MANY;
}

/* The bytes of a half that others own become shared, new ones the thread's; byte by byte. */
static unsigned touch_mixed(struct area *area, unsigned first, unsigned bytes, unsigned touched,
                            uint32_t thread)
{
    uint16_t self = thread < BYTE_MANY ? (uint16_t)thread : BYTE_MANY;
    unsigned shared = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint16_t *owner = &area->owners[first + i];

        if (!(bytes >> i & 1))
            continue;
        if (!(touched >> i & 1))
            *owner = self;
        else if (*owner != self || self == BYTE_MANY)
            shared |= 1u << i;
    }
    return shared;
}

/* The half has one owner and now gets another for some of its bytes. */
static void mix(struct fw_survey *survey, struct area *area, unsigned first, uint32_t owner)
{
    if (!area->owners) {
        area->owners = fw_xcalloc(FW_CHUNK_BYTES, sizeof *area->owners);
        survey->bytes += FW_CHUNK_BYTES * sizeof *area->owners;
    }
    for (unsigned i = 0; i < 4; i++)
        area->owners[first + i] = owner < BYTE_MANY ? (uint16_t)owner : BYTE_MANY;
}

/* Owners and sharing of one half of a word; returns the word's new state. */
static uint64_t touch_half(struct fw_survey *survey, struct area *area, unsigned i, unsigned half,
                           unsigned bytes, uint64_t state)
{
    unsigned touched = word_touched(state) >> half * 4 & 15;
    unsigned shared = word_shared(state) >> half * 4 & 15;
    unsigned place = OWNER_SHIFT + half * OWNER_BITS, first = i * 8 + half * 4;
    uint32_t owner = state >> place & OWNER_MIXED, self = survey->thread;
    unsigned fresh = bytes & ~touched;

    self = self < OWNER_MANY ? self : OWNER_MANY;
    if (!(touched & ~shared)) { /* nobody's half */
        owner = self;
    } else if (owner == OWNER_MIXED) {
        shared |= touch_mixed(area, first, bytes, touched, self);
    } else if (!is_owner(owner, self)) {
        shared |= bytes & touched;
        if (!(touched & ~shared)) {
            owner = self;
        } else if (fresh) {
            mix(survey, area, first, owner);
            touch_mixed(area, first, fresh, 0, self);
            owner = OWNER_MIXED;
        }
    }
    state |= (uint64_t)shared << (SHARED_SHIFT + half * 4);
    return (state & ~((uint64_t)OWNER_MIXED << place)) | (uint64_t)owner << place;
}

void fw_survey_word(struct fw_survey *survey, struct area *area, unsigned i, unsigned bytes,
                    unsigned cuts)
{
    uint64_t state = area->word[i];

    for (unsigned half = 0; half < 2; half++)
        if (bytes >> half * 4 & 15)
            state = touch_half(survey, area, i, half, bytes >> half * 4 & 15, state);
    area->word[i] = state | cuts | (uint64_t)bytes << TOUCHED_SHIFT;
}

/* The part of a range that lies in one chunk: words from..to, with masks for the ends. */
static void touch_chunk(struct fw_survey *survey, uint64_t start, uint64_t end, uint64_t number)
{
    struct area *area = fw_survey_area(survey, number);
    uint64_t low = number << FW_CHUNK_SHIFT, high = low + FW_CHUNK_BYTES;
    uint64_t word = (start > low ? start : low) / 8, last = ((end < high ? end : high) - 1) / 8;

    for (; area && word <= last; word++) {
        uint64_t at = word * 8;
        unsigned bytes = 0xff, cuts = 0;

        if (start >= at) {
            cuts |= 1u << (start - at);
            bytes &= 0xffu << (start - at);
        }
        if (end <= at + 8) {
            cuts |= 1u << (end - at);
            bytes &= 0xffu >> (at + 8 - end);
        }
        fw_survey_word(survey, area, (unsigned)(word % FW_CHUNK_WORDS), bytes, cuts);
    }
}

static void touch_range(struct fw_survey *survey, uint64_t start, uint64_t bytes)
{
    uint64_t end = fw_range_end(start, bytes);

    if (end == start)
        return;
    for (uint64_t n = start >> FW_CHUNK_SHIFT; n <= (end - 1) >> FW_CHUNK_SHIFT; n++) {
        if (survey->full)
            return;
        touch_chunk(survey, start, end, n);
    }
}

/* Does an access of that shape change nothing? */
static inline bool is_known(const struct fw_survey *survey, uint64_t state,
                            const struct shape *shape)
{
    return ((state & (shape->need | shape->owners)) ==
                (shape->need | survey->thread * shape->unit) &&
            survey->thread < OWNER_MANY) ||
           (state & (shape->need | shape->shared)) == (shape->need | shape->shared);
}

/* The two words of an aligned access of 16 bytes: there is no boundary between them. */
static const struct shape pair_shapes[2] = {
    { 1u | BYTES(0, 8) << TOUCHED_SHIFT, FIELD(0) | FIELD(1), ONE(0) | ONE(1),
      BYTES(0, 8) << SHARED_SHIFT },
    { 1u << 8 | BYTES(0, 8) << TOUCHED_SHIFT, FIELD(0) | FIELD(1), ONE(0) | ONE(1),
      BYTES(0, 8) << SHARED_SHIFT },
};

static bool pair_is_known(struct fw_survey *survey, uint64_t address)
{
    const struct area *area = fw_chunks_find(survey->areas, address >> FW_CHUNK_SHIFT);
    unsigned i = (unsigned)(address / 8 % FW_CHUNK_WORDS);

    return !(address & 7) && area && i + 1 < FW_CHUNK_WORDS &&
           is_known(survey, area->word[i], &pair_shapes[0]) &&
           is_known(survey, area->word[i + 1], &pair_shapes[1]);
}

void fw_survey_touch(struct fw_survey *survey, uint64_t address, uint64_t bytes)
{
    unsigned at = address & 7;
    const struct shape *shape;
    struct area *area;
    unsigned i;

    if (FW_UNLIKELY(bytes > 8 || bytes & (bytes - 1) || !bytes || at & (bytes - 1))) {
        if (bytes != 16 || !pair_is_known(survey, address))
            touch_range(survey, address, bytes);
        return;
    }
    area = fw_chunks_find(survey->areas, address >> FW_CHUNK_SHIFT);
    if (!area)
        area = fw_survey_area(survey, address >> FW_CHUNK_SHIFT);
    if (!area)
        return;
    shape = &shapes[__builtin_ctzll(bytes)][at];
    i = (unsigned)(address / 8 % FW_CHUNK_WORDS);
    if (!is_known(survey, area->word[i], shape))
        fw_survey_word(survey, area, i, (unsigned)(shape->shared >> SHARED_SHIFT),
                       shape->need & ((1u << TOUCHED_SHIFT) - 1));
}
