/* positions.c - see positions.h. */
#include "trace/positions.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "trace/fwt_source.h"

#include <stdlib.h>

struct mark {
    uint64_t event, blocks;
};

FW_VEC_TYPE(marks, struct mark); /* ascending by event */

struct fw_positions {
    FW_VEC(struct marks) threads; /* by id */
};

void fw_positions_destroy(struct fw_positions *positions)
{
    if (!positions)
        return;
    for (size_t i = 0; i < positions->threads.len; i++)
        fw_vec_release(&positions->threads.at[i]);
    fw_vec_release(&positions->threads);
    free(positions);
}

static int add_block(struct fw_positions *positions, const struct fw_fwt_block *block,
                     struct fw_error *err)
{
    struct fw_cursor c = { block->payload, block->payload + block->head.raw, false };
    uint64_t event = 0;

    if (block->head.count > FW_FWT_MAX_MARKS)
        return fw_error_set(err, "a block of positions has too many");
    for (uint32_t i = 0; i < block->head.count; i++) {
        struct mark mark;
        uint64_t thread;

        event += fw_cursor_varint(&c);
        thread = fw_cursor_varint(&c);
        mark = (struct mark) { .event = event, .blocks = fw_cursor_varint(&c) };
        if (c.bad || thread >= FW_MAX_THREADS)
            return fw_error_set(err, "a block of positions is damaged");
        fw_vec_extend(&positions->threads, (size_t)thread + 1);
        fw_vec_push(&positions->threads.at[thread], mark);
    }
    return 0;
}

static int read_blocks(struct fw_positions *positions, struct fw_input *input,
                       struct fw_error *err)
{
    struct fw_fwt_source source;
    struct fw_fwt_block block;
    enum fw_fwt_got got;
    unsigned flags;
    int status = 0;

    fw_fwt_source_init(&source, input);
    got = fw_fwt_source_header(&source, &flags, err);
    while (status == 0 && got == FW_FWT_GOT_BLOCK) {
        got = fw_fwt_source_next(&source, &block, err);
        if (got == FW_FWT_GOT_BLOCK && block.head.type == FW_FWT_POSITIONS)
            status = add_block(positions, &block, err);
    }
    fw_fwt_source_release(&source);
    return got == FW_FWT_GOT_END ? status : -1;
}

struct fw_positions *fw_positions_load(const char *path, struct fw_error *err)
{
    struct fw_positions *positions = fw_xcalloc(1, sizeof *positions);
    struct fw_input input;
    int status = fw_input_open(&input, path, err);

    if (status == 0) {
        status = read_blocks(positions, &input, err);
        fw_input_close(&input);
    }
    if (status == 0 && !positions->threads.len)
        status = fw_error_set(err, "'%s' was recorded without --positions", path);
    if (status == 0)
        return positions;
    fw_positions_destroy(positions);
    return NULL;
}

uint64_t fw_positions_at(const struct fw_positions *positions, uint32_t thread, uint64_t event)
{
    const struct marks *marks;
    size_t low = 0, high;

    if (thread >= positions->threads.len)
        return FW_NO_POSITION;
    marks = &positions->threads.at[thread];
    high = marks->len;
    while (low < high) { /* the first one behind the event */
        size_t middle = low + (high - low) / 2;

        if (marks->at[middle].event <= event)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || marks->at[low - 1].blocks == FW_FWT_NOWHERE)
        return FW_NO_POSITION;
    return marks->at[low - 1].blocks;
}
