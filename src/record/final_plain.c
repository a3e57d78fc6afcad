/*
 * final_plain.c - see final_state.h: most accesses, in short.
 *
 * Nearly all records are plain reads and writes that lie in one word and are wholly private, or
 * wholly one variable that was met before.  What they become is what fw_final_access would make
 * of them, but without a look-up of the place in the code, and without the detour over a batch of
 * events and its check, which such events pass anyhow.
 */
#include "record/final_state.h"

enum {
    FIXED_UNKNOWN,
    FIXED_NO,
    FIXED_YES,
};

static struct final_place *place_of(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint16_t high = (uint16_t)(record->a >> 48);
    uint64_t hash = (record->b ^ (uint64_t)high << 40) * UINT64_C(0x9e3779b97f4a7c15);
    struct final_place *place = &f->places[hash >> 54];

    if (FW_UNLIKELY(place->b != record->b || place->high != high))
        *place = (struct final_place) { .b = record->b,
                                        .high = high,
                                        .site = fw_final_site(f, fw_wire_pc(record)) };
    return place;
}

_Static_assert(FINAL_PLACES == 1u << 10, "places are counted by ten bits of the hash");

static bool is_fixed(struct fw_final *f, struct final_place *place)
{
    if (FW_UNLIKELY(!place->fixed))
        place->fixed = fw_final_fixed(f, place->b & 0xffffffffffffu) ? FIXED_YES : FIXED_NO;
    return place->fixed == FIXED_YES;
}

/* The code of an event in the block to come, looked up once. */
static bool find_code(struct fw_final *f, struct fw_event event, unsigned size, uint64_t *block,
                      uint32_t *code)
{
    struct fw_attr attr = { .size = size, .has = FW_ATTR_SIZE };

    if (FW_LIKELY(*block == f->columns->first + 1))
        return true;
    *code = fw_fwt_columns_code(f->columns, &event, &attr, f->err);
    *block = f->columns->first + 1;
    if (*code == FW_FWT_NO_CODE)
        fw_final_fail(f);
    return !f->failed;
}

static void put_branch(struct fw_final *f)
{
    if (find_code(f, (struct fw_event) { .kind = FW_BRANCH }, 0, &f->branch_block,
                  &f->branch_code))
        fw_final_put(f, f->branch_code, 0);
    f->thread->has_read = false;
}

/* The number of the variable that begins here, plus 1, if the usual places have it. */
static uint32_t known_at(const struct final_chunk *chunk, uint64_t address)
{
    unsigned i = (unsigned)(address / 8 % FW_CHUNK_WORDS);

    if (!(address & 7))
        return (uint32_t)(chunk->word[i] >> 32);
    return (address & 7) == 4 && chunk->half ? chunk->half[i] : 0;
}

static void put_access(struct fw_final *f, const struct fw_wire_unit *record, uint32_t variable)
{
    struct final_place *place = place_of(f, record);
    struct final_thread *t = f->thread;
    bool write = fw_wire_kind(record) == FW_WIRE_WRITE;

    if (t->has_read && (t->branched || !is_fixed(f, place)))
        put_branch(f);
    t->branched = false;
    if (find_code(f,
                  (struct fw_event) { .kind = write ? FW_WRITE : FW_READ,
                                      .site = place->site,
                                      .attr = 1 },
                  fw_wire_n(record), &place->block, &place->code))
        fw_final_put(f, place->code, variable);
    t->has_read |= !write;
}

bool fw_final_plain(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint64_t address = fw_wire_operand(record), word;
    unsigned size = fw_wire_n(record), at = address & 7, mask;
    const struct final_chunk *chunk = fw_chunks_find(f->chunks, address >> FW_CHUNK_SHIFT);
    struct final_thread *t = f->thread;
    uint32_t known;

    if (FW_UNLIKELY(!t || !size || size + at > 8))
        return false;
    mask = ((1u << size) - 1) << at;
    word = chunk ? chunk->word[address / 8 % FW_CHUNK_WORDS] : 0;
    if (!(word >> 8 & mask)) { /* private */
        t->branched |= record->b >> 63;
        f->record++;
        return true;
    }
    if ((word >> 8 & mask) != mask || word & mask & ~(1u << at) || word & WORD_EXPECTED(address))
        return false;
    known = known_at(chunk, address);
    if (!known || t->written < t->calls.len || ((f->events.len || !t->easy) && !fw_final_lane(f)))
        return false;
    t->branched |= record->b >> 63;
    f->record++;
    put_access(f, record, known - 1);
    return true;
}
