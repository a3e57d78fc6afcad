/* survey.c - see survey.h: the records, the beginning and the end. */
#include "record/survey.h"

#include "record/survey_area.h"

#include <unistd.h>

#define AHEAD 12u /* units: memory is fetched so much before it is needed */
#define LARGE_CHUNKS 64u /* a block of more is a large one */

struct fw_survey *fw_survey_create(uint64_t limit)
{
    struct fw_survey *survey = fw_xcalloc(1, sizeof *survey);

    survey->areas = fw_chunks_create();
    survey->limit = limit;
    return survey;
}

static void destroy_area(void *chunk)
{
    struct area *area = chunk;

    free(area->lives);
    free(area->owners);
    free(area);
}

void fw_survey_destroy(struct fw_survey *survey)
{
    if (!survey)
        return;
    fw_chunks_destroy(survey->areas, destroy_area);
    fw_lives_release(&survey->lives);
    fw_vec_release(&survey->large);
    fw_vec_release(&survey->kept);
    free(survey);
}

uint64_t fw_survey_default_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_C(1) << 31;
}

uint64_t fw_survey_bytes(const struct fw_survey *survey)
{
    return survey->bytes;
}

uint32_t fw_survey_threads(const struct fw_survey *survey)
{
    return survey->forks;
}

/* Freeing touches the whole block: who has touched it before, or does so afterwards, shares it. */
static void touch_freed_chunk(struct fw_survey *survey, const struct fw_life *block,
                              uint64_t number)
{
    struct area *area = fw_survey_area(survey, number);
    uint64_t first = number * FW_CHUNK_WORDS, end = first + FW_CHUNK_WORDS;

    end = block->end < end ? block->end : end;
    for (uint64_t word = block->word > first ? block->word : first; area && word < end; word++)
        fw_survey_word(survey, area, (unsigned)(word - first), 0xff, 0);
}

static void touch_freed(struct fw_survey *survey, const struct fw_life *block)
{
    uint64_t first = block->word / FW_CHUNK_WORDS, last = (block->end - 1) / FW_CHUNK_WORDS;
    size_t count;
    uint64_t *numbers;

    if (block->word == block->end)
        return;
    /* A block that became smaller ends in the middle of a life. */
    fw_survey_area(survey, block->end / FW_CHUNK_WORDS);
    fw_survey_cut(survey, block->end);
    for (uint64_t n = first; last - first < LARGE_CHUNKS && n <= last; n++)
        touch_freed_chunk(survey, block, n);
    if (last - first < LARGE_CHUNKS)
        return;
    /* Of a large block, what nobody has touched so far costs too much to remember. */
    numbers = fw_chunks_list(survey->areas, first, last, &count);
    for (size_t i = 0; i < count; i++)
        touch_freed_chunk(survey, block, numbers[i]);
    free(numbers);
}

static void note_life(struct fw_survey *survey, const struct fw_wire_unit *record)
{
    struct fw_life life;

    switch (fw_lives_note(&survey->lives, record, &life)) {
    case FW_LIFE_BEGINS:
        fw_survey_begin(survey, &life);
        break;
    case FW_LIFE_FREED:
        touch_freed(survey, &life);
        break;
    case FW_LIFE_NOTHING:
        break;
    }
}

/* Somebody has written it, whoever that was: it is shared. */
static void touch_unseen(struct fw_survey *survey, const struct fw_wire_unit *record)
{
    uint32_t thread = survey->thread;

    survey->thread = OWNER_MANY;
    fw_survey_touch(survey, fw_wire_operand(record), fw_wire_n(record));
    survey->thread = thread;
}

static void feed_record(struct fw_survey *survey, const struct fw_wire_unit *record)
{
    unsigned kind = fw_wire_kind(record);

    switch (kind) {
    case FW_WIRE_READ:
    case FW_WIRE_WRITE:
    case FW_WIRE_ATOMIC_LOAD:
    case FW_WIRE_ATOMIC_STORE:
    case FW_WIRE_ATOMIC_RMW:
        fw_survey_touch(survey, fw_wire_operand(record), fw_wire_n(record));
        break;
    case FW_WIRE_READ_RANGE:
    case FW_WIRE_WRITE_RANGE:
        fw_survey_touch(survey, fw_wire_operand(record), record[1].a);
        break;
    case FW_WIRE_UNSEEN:
        touch_unseen(survey, record);
        break;
    case FW_WIRE_SWITCH:
        survey->thread = (uint32_t)fw_wire_operand(record);
        break;
    case FW_WIRE_FORK:
        survey->forks++;
        break;
    default:
        if (fw_lives_concerns(kind))
            note_life(survey, record);
    }
}

/* The record will be looked at soon.  (Of a unit that is not a record's first nothing comes.) */
static void fetch(struct fw_survey *survey, const struct fw_wire_unit *record)
{
    uint64_t address = fw_wire_operand(record);
    const struct area *area;

    if (fw_wire_kind(record) > FW_WIRE_WRITE)
        return;
    area = fw_chunks_find(survey->areas, address >> FW_CHUNK_SHIFT);
    if (area)
        __builtin_prefetch(&area->word[address / 8 % FW_CHUNK_WORDS], 1);
}

int fw_survey_feed(struct fw_survey *survey, const struct fw_wire_unit *units, size_t count)
{
    for (size_t at = 0; at < count && !survey->full; at += 1 + (size_t)fw_wire_more(&units[at])) {
        if (at + AHEAD < count)
            fetch(survey, &units[at + AHEAD]);
        feed_record(survey, &units[at]);
    }
    return survey->full ? -1 : 0;
}

static int compare_kept(const void *a, const void *b)
{
    const struct fw_kept *x = a, *y = b;

    if (x->life != y->life)
        return x->life < y->life ? -1 : 1;
    return (x->word > y->word) - (x->word < y->word);
}

void fw_survey_finish(struct fw_survey *survey, struct fw_kept_list *kept)
{
    size_t count;
    uint64_t *numbers = fw_chunks_list(survey->areas, 0, UINT64_MAX - 1, &count);

    for (size_t i = 0; i < count; i++)
        fw_survey_keep(survey, numbers[i], 0, FW_CHUNK_WORDS);
    free(numbers);
    if (survey->kept.len)
        qsort(survey->kept.at, survey->kept.len, sizeof *survey->kept.at, compare_kept);
    kept->at = survey->kept.at;
    kept->len = survey->kept.len;
    kept->cap = survey->kept.cap;
    survey->kept.at = NULL;
    fw_vec_release(&survey->kept);
}
