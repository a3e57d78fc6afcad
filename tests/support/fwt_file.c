/* fwt_file.c - see fwt_file.h. */
#include "support/fwt_file.h"

#include "base/bug.h"

#include <stdio.h>

void fwt_trace_init(struct fwt_trace *trace)
{
    memset(trace, 0, sizeof *trace);
    trace->symbols = fw_symbols_create();
    fw_vec_push(&trace->attrs, ((struct fw_attr) { 0 }));
}

void fwt_trace_release(struct fwt_trace *trace)
{
    fw_symbols_destroy(trace->symbols);
    fw_vec_release(&trace->events);
    fw_vec_release(&trace->attrs);
}

void fwt_trace_add(struct fwt_trace *trace, struct fw_event event, struct fw_attr attr)
{
    event.attr = attr.has ? (uint32_t)trace->attrs.len : 0;
    if (attr.has)
        fw_vec_push(&trace->attrs, attr);
    fw_vec_push(&trace->events, event);
    trace->branches = trace->branches || event.kind == FW_BRANCH;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(next_random(state) % limit);
}

static void random_names(struct fwt_trace *trace, uint64_t *state, uint32_t limit)
{
    for (int space = 0; space < FW_SPACE_COUNT; space++) {
        uint32_t count = 1 + below(state, limit);
        char name[32];

        for (uint32_t i = 0; i < count; i++) {
            int len = snprintf(name, sizeof name, "%c%u", "TxlcsbafS"[space], i);

            fw_strtab_append(&trace->symbols->table[space], name, (size_t)len);
        }
    }
    fw_strtab_append(&trace->symbols->table[FW_SPACE_VARIABLE], "x0", 2);
}

static struct fw_attr random_attr(uint64_t *state, unsigned kind, uint64_t position)
{
    struct fw_attr attr = { 0 };
    bool access = fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);

    if (position && below(state, 2) && (fw_is_read(kind) || kind == FW_WAKE || kind == FW_PEND))
        attr.has |= FW_ATTR_RF;
    if (below(state, 2) && (access || kind == FW_ALLOC || kind == FW_FREE))
        attr.has |= FW_ATTR_SIZE;
    if (below(state, 2) && access)
        attr.has |= FW_ATTR_VALUE;
    if (attr.has & FW_ATTR_RF)
        attr.rf = next_random(state) % position;
    if (attr.has & FW_ATTR_SIZE)
        attr.size = below(state, 8) ? 1u << below(state, 4) : (uint32_t)next_random(state);
    if (attr.has & FW_ATTR_VALUE)
        attr.value = (int64_t)next_random(state) >> below(state, 64);
    return attr;
}

/* The first and the last variable share a name: one after the other. */
static uint32_t of_its_time(const struct fwt_trace *trace, uint32_t variable, bool early)
{
    uint32_t last = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE) - 1;

    return variable == (early ? last : 0) ? last - variable : variable;
}

void fwt_trace_random(struct fwt_trace *trace, uint64_t seed, uint32_t names, uint32_t events)
{
    uint64_t state = seed;
    bool attributes = below(&state, 2), runs = below(&state, 2);
    uint32_t thread = 0;

    random_names(trace, &state, names);
    for (uint32_t i = 0; i < events; i++) {
        unsigned kind = below(&state, FW_KIND_COUNT);
        enum fw_space space = fw_kind_info[kind].space;
        struct fw_event event = { .kind = kind & 0xff };

        if (!runs || below(&state, 20) == 0)
            thread = below(&state, fw_symbols_count(trace->symbols, FW_SPACE_THREAD));
        event.thread = thread & (FW_MAX_THREADS - 1);
        event.site = below(&state, fw_symbols_count(trace->symbols, FW_SPACE_SITE));
        if (space != FW_SPACE_NONE)
            event.target = below(&state, fw_symbols_count(trace->symbols, space));
        if (space == FW_SPACE_VARIABLE)
            event.target = of_its_time(trace, event.target, i < events / 2);
        if (fw_is_class(kind, FW_CLASS_ATOMIC))
            event.order = below(&state, FW_ORDER_COUNT) & 15;
        fwt_trace_add(trace, event,
                      attributes ? random_attr(&state, kind, i) : (struct fw_attr) { 0 });
    }
}

struct fwt_file fwt_file_write(const struct fwt_trace *trace, uint32_t block,
                               enum fw_fwt_codec codec)
{
    struct fwt_file file = { 0 };
    struct fw_output out;
    struct fw_error err;
    void *encoder;

    fw_output_open_memory(&out);
    encoder =
        fw_encoder_fwt.create(&(struct fw_encoder_setup) { &out, trace->symbols, trace->branches });
    fw_fwt_set_codec(encoder, codec);
    for (uint32_t i = 0; i < trace->events.len; i += block) {
        uint32_t n = (uint32_t)trace->events.len - i;

        n = n < block ? n : block;
        if (fw_encoder_fwt.events(encoder, trace->events.at + i, n, trace->attrs.at, &err) < 0 ||
            fw_fwt_flush(encoder, &err) < 0)
            FW_BUG("cannot write: %s", err.message);
    }
    if (fw_encoder_fwt.finish(encoder, &err) < 0)
        FW_BUG("cannot finish: %s", err.message);
    fw_encoder_fwt.destroy(encoder);
    file.size = out.used;
    file.bytes = fw_xmalloc(file.size);
    memcpy(file.bytes, out.buffer, file.size);
    fw_output_abandon(&out);
    return file;
}

struct fwt_file fwt_file_copy(const struct fwt_file *file, size_t size)
{
    /* Exactly as large as needed, so that a sanitizer sees every byte too far. */
    struct fwt_file copy = { fw_xmalloc(size + !size), size };

    memcpy(copy.bytes, file->bytes, size);
    return copy;
}

void fwt_file_release(struct fwt_file *file)
{
    free(file->bytes);
    *file = (struct fwt_file) { 0 };
}

static size_t block_size(const unsigned char *head)
{
    return FW_FWT_BLOCK_HEAD + fw_get32(head + 8) + FW_FWT_BLOCK_TAIL;
}

size_t fwt_file_block(const struct fwt_file *file, unsigned number)
{
    size_t at = FW_FWT_HEADER_SIZE;

    while (--number && at < file->size)
        at += block_size(file->bytes + at);
    return at;
}

unsigned fwt_file_find(const struct fwt_file *file, enum fw_fwt_type type, unsigned nth)
{
    unsigned number = 1;

    for (size_t at = FW_FWT_HEADER_SIZE; at < file->size; at += block_size(file->bytes + at)) {
        if (file->bytes[at + 4] == type && nth-- == 0)
            return number;
        number++;
    }
    return 0;
}

void fwt_file_seal(struct fwt_file *file, unsigned number)
{
    unsigned char *block = file->bytes + fwt_file_block(file, number);
    struct fw_fwt_head head;

    fw_fwt_head_unpack(block, &head);
    fw_fwt_head_pack(block, &head);
    fw_fwt_seal(block, FW_FWT_BLOCK_HEAD + head.stored);
}

void fwt_file_insert(struct fwt_file *file, size_t offset, const struct fw_fwt_head *head,
                     const void *payload)
{
    size_t size = FW_FWT_BLOCK_HEAD + head->stored + FW_FWT_BLOCK_TAIL;
    unsigned char *at;

    file->bytes = fw_xrealloc(file->bytes, file->size + size, 1);
    at = file->bytes + offset;
    memmove(at + size, at, file->size - offset);
    fw_fwt_head_pack(at, head);
    if (head->stored)
        memcpy(at + FW_FWT_BLOCK_HEAD, payload, head->stored);
    fw_fwt_seal(at, FW_FWT_BLOCK_HEAD + head->stored);
    file->size += size;
}

void fwt_result_drain(struct fwt_result *result, struct fw_decoder *decoder)
{
    struct fw_raw_batch batch;
    int got;

    while ((got = fw_format_fwt.next(decoder, &batch, &result->error)) > 0) {
        FW_ASSERT(batch.count > 0 && batch.count <= FW_BATCH_EVENTS);
        for (uint32_t i = 0; i < batch.count; i++) {
            struct fw_event event = batch.events[i];

            if (event.attr) {
                fw_vec_push(&result->attrs, batch.attrs[event.attr]);
                event.attr = (uint32_t)result->attrs.len - 1;
            }
            fw_vec_push(&result->events, event);
        }
    }
    result->end = got;
    result->cut = decoder->cut;
    memcpy(result->cut_reason, decoder->cut_reason, sizeof result->cut_reason);
    memcpy(result->first_broken, decoder->first_broken, sizeof result->first_broken);
}

struct fwt_result fwt_file_read(const struct fwt_file *file, bool repair)
{
    struct fwt_result result = { .symbols = fw_symbols_create() };
    struct fw_decoder *decoder;
    struct fw_input input;

    fw_vec_push(&result.attrs, ((struct fw_attr) { 0 }));
    fw_input_open_memory(&input, file->bytes, file->size, "a.fwt");
    decoder = fw_format_fwt.create(&(struct fw_decoder_setup) { .input = &input,
                                                                .symbols = result.symbols,
                                                                .repair = repair });
    fwt_result_drain(&result, decoder);
    fw_format_fwt.destroy(decoder);
    fw_input_close(&input);
    return result;
}

void fwt_result_release(struct fwt_result *result)
{
    fw_symbols_destroy(result->symbols);
    fw_vec_release(&result->events);
    fw_vec_release(&result->attrs);
}

static bool same_attr(const struct fw_attr *a, const struct fw_attr *b)
{
    return a->has == b->has && a->rf == b->rf && a->value == b->value && a->size == b->size;
}

bool fwt_result_equals(const struct fwt_result *result, const struct fwt_trace *trace,
                       uint32_t count)
{
    if (result->events.len < count || trace->events.len < count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *a = &result->events.at[i], *b = &trace->events.at[i];

        if (a->thread != b->thread || a->kind != b->kind || a->order != b->order ||
            a->site != b->site || a->target != b->target ||
            !same_attr(&result->attrs.at[a->attr], &trace->attrs.at[b->attr]))
            return false;
    }
    return true;
}
