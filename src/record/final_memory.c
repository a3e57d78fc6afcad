/*
 * final_memory.c - see final_state.h: shared words, variables, lives, objects at addresses.
 */
#include "record/final_state.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_EXPECTED (64u << 20) /* bytes of all annotations together */

void fw_final_chunk_destroy(void *chunk)
{
    struct final_chunk *c = chunk;

    fw_vec_release(&c->objects);
    free(c->half);
    free(c);
}

static struct final_chunk *make_chunk(struct fw_final *f, uint64_t number)
{
    struct fw_chunk_slot *slot = fw_chunks_make(f->chunks, number);

    if (!slot->chunk)
        fw_chunks_set(f->chunks, slot, fw_xcalloc(1, sizeof(struct final_chunk)));
    return slot->chunk;
}

static struct final_chunk *chunk_of(struct fw_final *f, uint64_t address)
{
    return fw_chunks_find(f->chunks, address >> FW_CHUNK_SHIFT);
}

static uint64_t *word_in(struct final_chunk *chunk, uint64_t address)
{
    return &chunk->word[address / 8 % FW_CHUNK_WORDS];
}

/* --- variables --------------------------------------------------------------------------- */

/* Where the variable that begins in the middle of this word has its number, plus 1. */
static uint32_t *half_at(struct fw_final *f, uint64_t address)
{
    struct final_chunk *chunk = chunk_of(f, address);

    return chunk && chunk->half ? &chunk->half[address / 8 % FW_CHUNK_WORDS] : NULL;
}

static uint32_t *make_half(struct fw_final *f, uint64_t address)
{
    struct final_chunk *chunk = chunk_of(f, address);

    if (!chunk->half)
        chunk->half = fw_xcalloc(FW_CHUNK_WORDS, sizeof *chunk->half);
    return half_at(f, address);
}

static void set_variable(struct fw_final *f, uint64_t address, uint64_t *word, uint32_t id)
{
    if ((address & 7) == 4)
        *make_half(f, address) = id + 1;
    else if (address & 7)
        fw_addrmap_set(&f->odd, address, id);
    else
        *word = (*word & UINT32_MAX) | ((uint64_t)id + 1) << 32;
    if (*word & WORD_EXPECTED(address))
        fw_vec_push(&f->expected, id);
}

/* The id of the variable that begins here, if it has one. */
static bool known_variable(struct fw_final *f, uint64_t address, uint64_t word, uint32_t *id)
{
    const uint64_t *odd;
    const uint32_t *half;

    if (!(address & 7)) {
        *id = (uint32_t)(word >> 32) - 1;
        return word >> 32;
    }
    if ((address & 7) == 4) {
        half = half_at(f, address);
        *id = half && *half ? *half - 1 : 0;
        return half && *half;
    }
    odd = fw_addrmap_find(&f->odd, address);
    *id = odd ? (uint32_t)*odd : 0;
    return odd;
}

static uint32_t variable_at(struct fw_final *f, uint64_t address, uint64_t *word)
{
    char name[FW_FINAL_NAME];
    uint32_t id;

    if (known_variable(f, address, *word, &id))
        return id;
    fw_final_name(f, address, name);
    id = fw_final_fresh_id(f, FW_SPACE_VARIABLE, name);
    set_variable(f, address, word, id);
    return id;
}

/* A piece of an access: a part of it that is one shared variable. */
struct piece {
    uint64_t start, end;
    uint64_t *word; /* that it begins in */
};

static bool is_shared(uint64_t word, uint64_t address)
{
    return word >> (8 + (address & 7)) & 1;
}

/* The first shared byte from..end, or end. */
static uint64_t skip_private(struct fw_final *f, uint64_t from, uint64_t end)
{
    while (from < end) {
        struct final_chunk *chunk = chunk_of(f, from);
        uint64_t word;

        if (!chunk) {
            from = ((from >> FW_CHUNK_SHIFT) + 1) << FW_CHUNK_SHIFT;
            continue;
        }
        word = *word_in(chunk, from);
        if (is_shared(word, from))
            return from;
        from = word >> 8 & 0xff ? from + 1 : (from | 7) + 1;
    }
    return end;
}

/* The next piece from piece->end on. */
static bool next_piece(struct fw_final *f, struct piece *piece, uint64_t end)
{
    uint64_t at = skip_private(f, piece->end, end);
    struct final_chunk *chunk;

    if (at >= end)
        return false;
    chunk = chunk_of(f, at);
    piece->start = at;
    piece->word = word_in(chunk, at);
    for (at++; at < end; at = (at | 7) + 1) {
        uint64_t word;
        unsigned stop; /* bit i: the variable ends before byte i, counted from `at` */

        if (!(at & (FW_CHUNK_BYTES - 1)))
            chunk = chunk_of(f, at);
        word = chunk ? *word_in(chunk, at) : 0;
        stop = (unsigned)((~word >> 8 | word) & 0xff) >> (at & 7);
        if (stop) {
            at += (unsigned)__builtin_ctz(stop);
            break;
        }
    }
    piece->end = at < end ? at : end;
    return true;
}

unsigned fw_final_order(const struct fw_wire_unit *record)
{
    static const unsigned char orders[] = { FW_ORDER_RELAXED, FW_ORDER_CONSUME, FW_ORDER_ACQUIRE,
                                            FW_ORDER_RELEASE, FW_ORDER_ACQ_REL, FW_ORDER_SEQ_CST };
    unsigned order = fw_wire_aux(record) & FW_WIRE_ORDER;

    return order < sizeof orders ? orders[order] : FW_ORDER_SEQ_CST;
}

/*
 * Most accesses lie in one word and are wholly private or wholly one variable.  False: it has to
 * be looked at closely.
 */
static bool simple_access(struct fw_final *f, uint64_t address, uint64_t bytes,
                          struct piece *piece)
{
    struct final_chunk *chunk = chunk_of(f, address);
    unsigned at = address & 7, mask;
    uint64_t word;

    piece->word = NULL;
    if (bytes > 8 || at + bytes > 8)
        return false;
    if (!chunk)
        return true;
    mask = ((1u << bytes) - 1) << at;
    word = *word_in(chunk, address);
    if (!(word >> 8 & mask))
        return true;
    if ((word >> 8 & mask) != mask || word & mask & ~(1u << at))
        return false;
    piece->start = address;
    piece->end = address + bytes;
    piece->word = word_in(chunk, address);
    return true;
}

/*
 * Where races are expected, plain accesses are written down as relaxed atomics: these race with
 * nothing of their kind and order nothing, which is just what the program says of them.
 */
static void one_access(struct fw_final *f, const struct piece *piece, enum fw_kind kind,
                       unsigned order, uint64_t pc)
{
    uint32_t variable = variable_at(f, piece->start, piece->word);

    if (*piece->word & WORD_EXPECTED(piece->start) && !fw_is_class(kind, FW_CLASS_ATOMIC)) {
        kind = fw_is_read(kind) ? FW_ATOMIC_LOAD : FW_ATOMIC_STORE;
        order = FW_ORDER_RELAXED;
    }
    fw_final_event(f, kind, variable, pc, order, piece->end - piece->start);
}

void fw_final_access(struct fw_final *f, const struct fw_wire_unit *record, enum fw_kind kind,
                     uint64_t bytes)
{
    uint64_t address = fw_wire_operand(record), pc = fw_wire_pc(record);
    uint64_t end = fw_range_end(address, bytes);
    unsigned order = fw_is_class(kind, FW_CLASS_ATOMIC) ? fw_final_order(record) : 0;
    struct piece piece = { .end = address };
    bool again = kind == FW_WRITE && fw_wire_aux(record) & FW_WIRE_AGAIN;
    bool simple = simple_access(f, address, bytes, &piece), first = true;

    while (!f->failed && (simple ? first && piece.word : next_piece(f, &piece, end))) {
        if (first)
            fw_final_before(f, pc, false);
        first = false;
        one_access(f, &piece, kind, order, again ? 0 : pc);
    }
    if (!first && fw_is_read(kind))
        f->thread->has_read = true;
}

void fw_final_fetch(struct fw_final *f, const struct fw_wire_unit *record)
{
    uint64_t address = fw_wire_operand(record);
    struct final_chunk *chunk;

    if (fw_wire_kind(record) != FW_WIRE_READ && fw_wire_kind(record) != FW_WIRE_WRITE)
        return;
    chunk = chunk_of(f, address);
    if (!chunk)
        return;
    __builtin_prefetch(word_in(chunk, address));
    if (address & 4 && chunk->half)
        __builtin_prefetch(&chunk->half[address / 8 % FW_CHUNK_WORDS]);
}

uint64_t fw_final_bytes(const struct fw_wire_unit *record)
{
    unsigned kind = fw_wire_kind(record);

    if (kind == FW_WIRE_READ_RANGE || kind == FW_WIRE_WRITE_RANGE)
        return record[1].a;
    return fw_wire_n(record);
}

/* --- lives ------------------------------------------------------------------------------- */

static void forget_word(struct fw_final *f, uint64_t *word, uint64_t address)
{
    uint32_t *half = half_at(f, address);

    if (half)
        *half = 0;
    for (unsigned i = 1; i < 8 && *word >> 8 & 0xff; i++)
        if (i != 4 && is_shared(*word, address + i))
            fw_addrmap_remove(&f->odd, address + i);
    *word = 0;
}

static void forget_objects(struct fw_final *f, struct final_chunk *chunk, unsigned from,
                           unsigned to)
{
    if (chunk->objects.len)
        memset(f->met, 0, sizeof f->met);
    for (size_t i = 0; i < chunk->objects.len;) {
        unsigned offset = chunk->objects.at[i].offset;

        if (offset >= from && offset < to)
            chunk->objects.at[i] = fw_vec_pop(&chunk->objects);
        else
            i++;
    }
}

static void forget_chunk(struct fw_final *f, uint64_t number, const struct fw_life *life)
{
    struct final_chunk *chunk = fw_chunks_find(f->chunks, number);
    uint64_t first = number * FW_CHUNK_WORDS, end = first + FW_CHUNK_WORDS;
    uint64_t from = life->word > first ? life->word : first;
    uint64_t to = life->end < end ? life->end : end;

    if (!chunk)
        return;
    for (uint64_t word = from; word < to; word++)
        if (chunk->word[word - first])
            forget_word(f, &chunk->word[word - first], word * 8);
    forget_objects(f, chunk, (unsigned)(from - first) * 8, (unsigned)(to - first) * 8);
}

static void forget(struct fw_final *f, const struct fw_life *life)
{
    size_t count;
    uint64_t *numbers;

    if (life->word == life->end)
        return;
    numbers = fw_chunks_list(f->chunks, life->word / FW_CHUNK_WORDS,
                             (life->end - 1) / FW_CHUNK_WORDS, &count);
    for (size_t i = 0; i < count; i++)
        forget_chunk(f, numbers[i], life);
    free(numbers);
}

void fw_final_load(struct fw_final *f, uint32_t life)
{
    while (f->kept < f->kept_end && f->kept->life < life)
        f->kept++;
    for (; f->kept < f->kept_end && f->kept->life == life; f->kept++)
        for (uint64_t w = f->kept->word; w < f->kept->word + f->kept->words; w++) {
            struct final_chunk *chunk = make_chunk(f, w / FW_CHUNK_WORDS);

            chunk->word[w % FW_CHUNK_WORDS] = f->kept->cuts | (uint64_t)f->kept->shared << 8;
        }
}

/* Heap variables are all named when their block is allocated. */
static uint32_t name_in_block(struct fw_final *f, const struct fw_life *life,
                              const struct piece *piece)
{
    uint64_t offset = piece->start - life->origin;
    char name[FW_FINAL_NAME];
    uint32_t id;

    if (known_variable(f, piece->start, *piece->word, &id))
        return id;
    if (life->start == life->origin) {
        id = fw_final_block_id(f, life->block, offset);
    } else { /* it has grown, and may have been larger before */
        fw_final_block_name(life->block, offset, name);
        id = fw_final_fresh_id(f, FW_SPACE_VARIABLE, name);
    }
    set_variable(f, piece->start, piece->word, id);
    return id;
}

/* Every kept variable of a heap block that begins to live. */
static void allocate(struct fw_final *f, const struct fw_wire_unit *record,
                     const struct fw_life *life)
{
    uint64_t pc = fw_wire_pc(record), end = life->end * 8;
    struct piece piece = { .end = life->word * 8 };
    bool first = true;

    while (!f->failed && next_piece(f, &piece, end)) {
        if (first)
            fw_final_before(f, pc, true);
        first = false;
        fw_final_event(f, FW_ALLOC, name_in_block(f, life, &piece), pc, 0,
                       piece.end - piece.start);
    }
}

static void free_block(struct fw_final *f, const struct fw_wire_unit *record,
                       const struct fw_life *life)
{
    uint64_t pc = fw_wire_pc(record), end = life->end * 8;
    struct piece piece = { .end = life->word * 8 };
    bool first = true;

    while (!f->failed && next_piece(f, &piece, end)) {
        if (first)
            fw_final_before(f, pc, false);
        first = false;
        fw_final_event(f, FW_FREE, variable_at(f, piece.start, piece.word), pc, 0,
                       piece.end - piece.start);
    }
}

/* Large blocks that live; what a record covers of others has ended unseen. */
static void note_large(struct fw_final *f, const struct fw_life *life, bool begins)
{
    uint64_t end = life->start + life->bytes;

    for (size_t i = 0; i < f->large.len;) {
        if (f->large.at[i].start < end && f->large.at[i].end > life->start)
            f->large.at[i] = fw_vec_pop(&f->large);
        else
            i++;
    }
    if (begins && life->bytes > FW_FINAL_PROBED)
        fw_vec_push(&f->large, ((struct final_block) { life->origin, end, life->block }));
}

static void note_stack(struct fw_final *f, const struct fw_life *life)
{
    uint64_t end = life->start + life->bytes;

    for (size_t i = 0; i < f->stacks.len;) {
        if (f->stacks.at[i].low < end && f->stacks.at[i].end > life->start)
            f->stacks.at[i] = fw_vec_pop(&f->stacks);
        else
            i++;
    }
    if (life->bytes)
        fw_vec_push(&f->stacks,
                    ((struct final_stack) { life->start, end, f->thread->number }));
}

void fw_final_life(struct fw_final *f, const struct fw_wire_unit *record)
{
    struct fw_life life;

    switch (fw_lives_note(&f->lives, record, &life)) {
    case FW_LIFE_BEGINS:
        forget(f, &life);
        fw_final_load(f, life.number);
        if (fw_wire_kind(record) == FW_WIRE_START)
            note_stack(f, &life);
        if (life.block) {
            note_large(f, &life, true);
            allocate(f, record, &life);
        }
        break;
    case FW_LIFE_FREED:
        free_block(f, record, &life);
        note_large(f, &life, false);
        break;
    case FW_LIFE_NOTHING:
        break;
    }
}

/* --- expected races ------------------------------------------------------------------------ */

void fw_final_expect(struct fw_final *f, uint64_t start, uint64_t bytes)
{
    uint64_t left = MOST_EXPECTED - f->expected_bytes, end;

    bytes = bytes < left ? bytes : left;
    f->expected_bytes += bytes;
    end = fw_range_end(start, bytes);
    for (uint64_t at = start & ~UINT64_C(7); at < end; at += 8) {
        uint64_t *word = word_in(make_chunk(f, at >> FW_CHUNK_SHIFT), at);
        uint32_t id;

        for (unsigned i = 0; i < 8; i++) {
            if (at + i < start || at + i >= end)
                continue;
            *word |= WORD_EXPECTED(at + i);
            if (is_shared(*word, at + i) && known_variable(f, at + i, *word, &id))
                fw_vec_push(&f->expected, id);
        }
    }
}

/* The read that tells of it has just made its variables. */
void fw_final_unseen(struct fw_final *f, uint64_t start, uint64_t bytes)
{
    uint64_t end = fw_range_end(start, bytes);

    for (uint64_t at = start; at < end; at++) {
        struct final_chunk *chunk = chunk_of(f, at);
        uint64_t word = chunk ? *word_in(chunk, at) : 0;
        uint32_t id;

        if (is_shared(word, at) && known_variable(f, at, word, &id))
            fw_vec_push(&f->unseen, id);
    }
}

/* --- objects ------------------------------------------------------------------------------- */

/* Objects of the runtime's own stand for what the kernel carries from thread to thread: a channel,
 * and the room in it (io_channel.c), which has an odd address. */
static void name_object(struct fw_final *f, uint64_t address, char name[FW_FINAL_NAME])
{
    fw_final_name(f, address, name);
    if (strstr(name, "/libforeweave_rt.so+"))
        snprintf(name, FW_FINAL_NAME, "%s%" PRIu32, address & 1 ? "room" : "channel",
                 ++f->channels[address & 1]);
}

static uint32_t find_object(struct fw_final *f, enum fw_space space, uint64_t address)
{
    struct final_chunk *chunk = make_chunk(f, address >> FW_CHUNK_SHIFT);
    uint16_t offset = address & (FW_CHUNK_BYTES - 1);
    char name[FW_FINAL_NAME + 4];
    uint32_t id;

    for (size_t i = 0; i < chunk->objects.len; i++)
        if (chunk->objects.at[i].offset == offset && chunk->objects.at[i].space == space)
            return chunk->objects.at[i].id;
    memcpy(name, "hb:", 3);
    name_object(f, address, name + 3);
    id = fw_final_fresh_id(f, space, space == FW_SPACE_VARIABLE ? name : name + 3);
    fw_vec_push(&chunk->objects, ((struct final_object) { offset, (uint8_t)space, id }));
    return id;
}

uint32_t fw_final_object(struct fw_final *f, enum fw_space space, uint64_t address)
{
    uint64_t key = address << 8 | (unsigned)space << 1 | 1;
    struct final_met *met = &f->met[key * UINT64_C(0x9e3779b97f4a7c15) >> 56];

    if (met->key != key)
        *met = (struct final_met) { key, find_object(f, space, address) };
    return met->id;
}

void fw_final_destroyed(struct fw_final *f, uint64_t address)
{
    struct final_chunk *chunk = chunk_of(f, address);
    unsigned offset = address & (FW_CHUNK_BYTES - 1);

    if (chunk)
        forget_objects(f, chunk, offset, offset + 1);
}
