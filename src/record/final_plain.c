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
                                        .site = fw_wire_aux(record) & FW_WIRE_AGAIN
                                                    ? 0
                                                    : fw_final_site(f, fw_wire_pc(record)) };
    return place;
}

_Static_assert(FINAL_PLACES == 1u << 10, "places are counted by ten bits of the hash");

static bool is_fixed(struct fw_final *f, struct final_place *place)
{
    if (FW_UNLIKELY(!place->fixed))
        place->fixed = fw_final_fixed(f, place->b & 0xffffffffffffu) ? FIXED_YES : FIXED_NO;
    return place->fixed == FIXED_YES;
}

/* The code of an event in the present block. */
static __attribute__((noinline)) uint32_t find_code(struct fw_final *f, unsigned kind,
                                                    uint32_t site, unsigned size)
{
    struct fw_event event = { .kind = kind, .site = site, .attr = size ? 1 : 0 };
    struct fw_attr attr = { .size = size, .has = FW_ATTR_SIZE };
    uint32_t code = fw_fwt_columns_code(f->columns, &event, &attr, f->err);

    if (code == FW_FWT_NO_CODE)
        fw_final_fail(f);
    return code;
}

static inline void put_branch(struct fw_final *f)
{
    if (FW_UNLIKELY(f->branch_block != f->columns->first + 1)) {
        f->branch_code = find_code(f, FW_BRANCH, 0, 0);
        f->branch_block = f->columns->first + 1;
    }
    if (FW_LIKELY(!f->failed))
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

/* An access to one or two variables, of `size` bytes each. */
static inline __attribute__((always_inline)) void
put_access(struct fw_final *f, const struct fw_wire_unit *record, const uint32_t *variables,
           unsigned count, unsigned size)
{
    struct final_place *place = place_of(f, record);
    struct final_thread *t = f->thread;
    bool write = fw_wire_kind(record) == FW_WIRE_WRITE;

    f->record++;
    t->branched |= record->b >> 63;
    if (t->has_read && (t->branched || !is_fixed(f, place)))
        put_branch(f);
    t->branched = false;
    for (unsigned i = 0; i < count && !f->failed; i++) {
        if (FW_UNLIKELY(place->block != f->columns->first + 1)) {
            place->code = find_code(f, write ? FW_WRITE : FW_READ, place->site, size);
            place->block = f->columns->first + 1;
        }
        if (FW_LIKELY(!f->failed))
            fw_final_put(f, place->code, variables[i]);
    }
    t->has_read |= !write;
}

/* Is nothing to be written before an access, and the access not to be checked? */
static inline bool is_easy(struct fw_final *f)
{
    const struct final_thread *t = f->thread;

    return t->written == t->calls.len && ((!f->events.len && t->easy) || fw_final_lane(f));
}

static void skip(struct fw_final *f, const struct fw_wire_unit *record)
{
    f->thread->branched |= record->b >> 63;
    f->record++;
}

/* Two words, each of which is a variable, or both private. */
static bool plain_pair(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint64_t address = fw_wire_operand(record);
    const struct final_chunk *chunk = fw_chunks_find(f->chunks, address >> FW_CHUNK_SHIFT);
    unsigned i = (unsigned)(address / 8 % FW_CHUNK_WORDS);
    uint32_t variables[2];

    if (address & 7 || i + 1 == FW_CHUNK_WORDS)
        return false;
    if (!chunk || !((chunk->word[i] | chunk->word[i + 1]) & 0xff00)) {
        skip(f, record);
        return true;
    }
    for (unsigned k = 0; k < 2; k++) {
        uint64_t word = chunk->word[i + k];

        if ((word & 0xffff) != 0xff01 || word & WORD_EXPECTED(0) || !(word >> 32))
            return false;
        variables[k] = (uint32_t)(word >> 32) - 1;
    }
    if (!is_easy(f))
        return false;
    put_access(f, record, variables, 2, 8);
    return true;
}

bool fw_final_plain(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint64_t address = fw_wire_operand(record), word;
    unsigned size = fw_wire_n(record), at = address & 7, mask;
    const struct final_chunk *chunk;
    uint32_t variable;

    if (FW_UNLIKELY(!f->thread || !size || size + at > 8))
        return f->thread && size == 16 && plain_pair(f, record);
    chunk = fw_chunks_find(f->chunks, address >> FW_CHUNK_SHIFT);
    mask = ((1u << size) - 1) << at;
    word = chunk ? chunk->word[address / 8 % FW_CHUNK_WORDS] : 0;
    if (!(word >> 8 & mask)) { /* private */
        skip(f, record);
        return true;
    }
    if ((word >> 8 & mask) != mask || word & mask & ~(1u << at) || word & WORD_EXPECTED(address))
        return false;
    variable = known_at(chunk, address) - 1;
    if (variable == UINT32_MAX || !is_easy(f))
        return false;
    put_access(f, record, &variable, 1, size);
    return true;
}
