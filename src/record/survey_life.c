/*
 * survey_life.c - see survey_area.h: a new life begins for a range of memory.
 *
 * What is known of the former lives in it goes to the list, then it is forgotten.  A chunk wholly
 * inside keeps no area but the number of its life; a life of a megabyte and more stands in a list
 * of its own, so that huge mappings cost nothing.
 */
#include "record/survey_area.h"

#define LARGE_WORDS (1u << 17) /* a megabyte */

/* Is there a boundary before word i?  The word before may belong to another chunk. */
static bool begins_variable(struct fw_survey *survey, uint64_t number, const struct area *area,
                            unsigned i)
{
    const struct area *before = area;
    unsigned last = i - 1;

    if (area->word[i] & 1)
        return true;
    if (i == 0) {
        before = number ? fw_chunks_find(survey->areas, number - 1) : NULL;
        last = FW_CHUNK_WORDS - 1;
    }
    return !before || before->word[last] >> 8 & 1 || area_life(before, last) != area_life(area, i);
}

static void keep_word(struct fw_survey *survey, struct fw_kept kept)
{
    struct fw_kept *last = survey->kept.len ? &fw_vec_last(&survey->kept) : NULL;

    if (last && last->life == kept.life && last->word + last->words == kept.word &&
        last->cuts == kept.cuts && last->shared == kept.shared && last->words < UINT16_MAX) {
        last->words++;
    } else {
        fw_vec_push(&survey->kept, kept);
        survey->bytes += sizeof kept;
    }
}

void fw_survey_keep(struct fw_survey *survey, uint64_t number, unsigned from, unsigned to)
{
    const struct area *area = fw_chunks_find(survey->areas, number);

    for (unsigned i = from; area && i < to; i++) {
        uint64_t state = area->word[i];
        unsigned cuts = (unsigned)state & 0xfe;

        if (!word_shared(state))
            continue;
        keep_word(survey, (struct fw_kept) {
                              .word = number * FW_CHUNK_WORDS + i,
                              .life = area_life(area, i),
                              .words = 1,
                              .cuts = (uint8_t)(cuts | begins_variable(survey, number, area, i)),
                              .shared = (uint8_t)word_shared(state) });
    }
}

/* --- large lives ------------------------------------------------------------------------- */

/* The first large life that ends after the word. */
static size_t find_large(const struct fw_survey *survey, uint64_t word)
{
    size_t low = 0, high = survey->large.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (survey->large.at[middle].end <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert_large(struct fw_survey *survey, size_t at, struct large large)
{
    fw_vec_push(&survey->large, large);
    memmove(&survey->large.at[at + 1], &survey->large.at[at],
            (survey->large.len - 1 - at) * sizeof large);
    survey->large.at[at] = large;
}

/* Puts it in, cutting off what it covers of others. */
static void set_large(struct fw_survey *survey, struct large large)
{
    size_t at = find_large(survey, large.word), end;

    if (at < survey->large.len && survey->large.at[at].word < large.word) {
        struct large front = survey->large.at[at];

        survey->large.at[at].word = large.word;
        front.end = large.word;
        insert_large(survey, at++, front);
    }
    for (end = at; end < survey->large.len && survey->large.at[end].end <= large.end;)
        end++;
    if (end < survey->large.len && survey->large.at[end].word < large.end)
        survey->large.at[end].word = large.end;
    if (end > at) {
        memmove(&survey->large.at[at], &survey->large.at[end],
                (survey->large.len - end) * sizeof large);
        survey->large.len -= end - at;
    }
    insert_large(survey, at, large);
}

/* --- areas ------------------------------------------------------------------------------- */

static uint32_t *split_lives(struct fw_survey *survey, struct area *area)
{
    if (!area->lives) {
        area->lives = fw_xmalloc(FW_CHUNK_WORDS * sizeof *area->lives);
        survey->bytes += FW_CHUNK_WORDS * sizeof *area->lives;
        for (unsigned i = 0; i < FW_CHUNK_WORDS; i++)
            area->lives[i] = area->life;
    }
    return area->lives;
}

static struct area *make_area(struct fw_survey *survey, struct fw_chunk_slot *slot)
{
    struct area *area;

    if (slot->chunk)
        return slot->chunk;
    if (survey->bytes + survey->areas->size * sizeof *survey->areas->slots > survey->limit) {
        survey->full = true;
        return NULL;
    }
    area = fw_xcalloc(1, sizeof *area);
    area->life = slot->tag;
    survey->bytes += sizeof *area;
    fw_chunks_set(survey->areas, slot, area);
    return area;
}

/* The slot of a chunk; one that is new gets the large lives it lies in. */
static struct fw_chunk_slot *make_slot(struct fw_survey *survey, uint64_t number)
{
    struct fw_chunk_slot *slot = fw_chunks_slot(survey->areas, number);
    uint64_t word = number * FW_CHUNK_WORDS, end = word + FW_CHUNK_WORDS;
    size_t i;

    if (slot)
        return slot;
    slot = fw_chunks_make(survey->areas, number);
    for (i = find_large(survey, word); i < survey->large.len; i++) {
        const struct large *large = &survey->large.at[i];
        struct area *area;

        if (large->word >= end)
            break;
        if (large->word <= word && large->end >= end) {
            slot->tag = large->life;
            break;
        }
        area = make_area(survey, slot);
        for (uint64_t w = word; area && w < end; w++)
            if (w >= large->word && w < large->end)
                split_lives(survey, area)[w - word] = large->life;
    }
    return slot;
}

struct area *fw_survey_area(struct fw_survey *survey, uint64_t number)
{
    return survey->full ? NULL : make_area(survey, make_slot(survey, number));
}

/* --- a life begins ------------------------------------------------------------------------- */

static void forget_area(struct fw_survey *survey, struct area *area)
{
    survey->bytes -= area->lives ? FW_CHUNK_WORDS * sizeof *area->lives : 0;
    survey->bytes -= area->owners ? FW_CHUNK_BYTES * sizeof *area->owners : 0;
    free(area->lives);
    free(area->owners);
}

/* All of a chunk begins the life. */
static void renew_chunk(struct fw_survey *survey, uint64_t number, uint32_t life, bool large)
{
    struct fw_chunk_slot *slot = fw_chunks_slot(survey->areas, number);
    struct area *area = slot ? slot->chunk : NULL;

    if (area)
        forget_area(survey, area);
    if (area && large) {
        free(area);
        survey->bytes -= sizeof *area;
        slot->chunk = NULL;
    } else if (area) {
        memset(area, 0, sizeof *area);
        area->life = life;
    }
    if (slot && large) {
        fw_chunks_remove(survey->areas, slot);
        return;
    }
    if (!slot && !large)
        slot = fw_chunks_make(survey->areas, number);
    if (slot)
        slot->tag = life;
}

/* Words from..to of a chunk begin the life, the others go on. */
static void renew_part(struct fw_survey *survey, uint64_t number, unsigned from, unsigned to,
                       uint32_t life)
{
    struct area *area = fw_survey_area(survey, number);

    for (unsigned i = from; area && i < to; i++) {
        split_lives(survey, area)[i] = life;
        area->word[i] = 0;
    }
}

static void renew(struct fw_survey *survey, const struct fw_life *life, uint64_t number, bool large)
{
    uint64_t word = number * FW_CHUNK_WORDS, end = word + FW_CHUNK_WORDS;
    unsigned from = life->word > word ? (unsigned)(life->word - word) : 0;
    unsigned to = life->end < end ? (unsigned)(life->end - word) : FW_CHUNK_WORDS;

    if (from == 0 && to == FW_CHUNK_WORDS)
        renew_chunk(survey, number, life->number, large);
    else
        renew_part(survey, number, from, to, life->number);
}

static void keep_range(struct fw_survey *survey, const struct fw_life *life, uint64_t number)
{
    uint64_t word = number * FW_CHUNK_WORDS, end = word + FW_CHUNK_WORDS;

    fw_survey_keep(survey, number, life->word > word ? (unsigned)(life->word - word) : 0,
                   life->end < end ? (unsigned)(life->end - word) : FW_CHUNK_WORDS);
}

/* Only chunks that are known, and those at its ends, have to hear of it. */
static void begin_large(struct fw_survey *survey, const struct fw_life *life, uint64_t first,
                        uint64_t last)
{
    size_t count;
    uint64_t *numbers = fw_chunks_list(survey->areas, first, last, &count);

    for (size_t i = 0; i < count; i++)
        keep_range(survey, life, numbers[i]);
    for (size_t i = 0; i < count; i++)
        renew(survey, life, numbers[i], true);
    free(numbers);
    set_large(survey, (struct large) { life->word, life->end, life->number });
}

/* No variable reaches from what ends into what goes on. */
void fw_survey_cut(struct fw_survey *survey, uint64_t word)
{
    struct area *area = fw_chunks_find(survey->areas, word / FW_CHUNK_WORDS);

    if (area)
        area->word[word % FW_CHUNK_WORDS] |= 1;
}

void fw_survey_begin(struct fw_survey *survey, const struct fw_life *life)
{
    uint64_t first = life->word / FW_CHUNK_WORDS, last = (life->end - 1) / FW_CHUNK_WORDS;

    if (life->word == life->end)
        return;
    fw_survey_cut(survey, life->word);
    fw_survey_cut(survey, life->end);
    if (life->end - life->word >= LARGE_WORDS) {
        begin_large(survey, life, first, last);
        return;
    }
    for (uint64_t n = first; n <= last; n++)
        keep_range(survey, life, n);
    for (uint64_t n = first; n <= last; n++)
        renew(survey, life, n, false);
}
