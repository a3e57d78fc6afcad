/* live.c - see live.h. */
#include "analysis/live.h"

#define CHUNK 1024u /* lines made at once */

void fw_live_release(struct fw_live *live)
{
    for (size_t i = 0; i < live->chunks.len; i++)
        free(live->chunks.at[i]);
    fw_vec_release(&live->chunks);
    fw_vec_release(&live->lines);
    fw_vec_release(&live->spare);
    fw_vec_release(&live->names);
    fw_idmap_release(&live->by_text);
}

static void *new_line(struct fw_live *live)
{
    if (live->spare.len)
        return fw_vec_pop(&live->spare);
    if (!live->chunks.len || live->chunk_used == CHUNK) {
        char *chunk = aligned_alloc(FW_LIVE_SIZE, (size_t)CHUNK * FW_LIVE_SIZE);

        if (!chunk)
            chunk = fw_xmalloc((size_t)CHUNK * FW_LIVE_SIZE); /* says that memory is out */
        memset(chunk, 0, (size_t)CHUNK * FW_LIVE_SIZE);
        fw_vec_push(&live->chunks, chunk);
        live->chunk_used = 0;
    }
    return fw_vec_last(&live->chunks) + (size_t)live->chunk_used++ * FW_LIVE_SIZE;
}

void *fw_live_add(struct fw_live *live, uint32_t variable)
{
    fw_vec_extend(&live->lines, variable + (size_t)1);
    if (!live->lines.at[variable])
        live->lines.at[variable] = new_line(live);
    return live->lines.at[variable];
}

void fw_live_drop(struct fw_live *live, uint32_t variable)
{
    void *line = fw_live_find(live, variable);

    if (!line)
        return;
    memset(line, 0, FW_LIVE_SIZE);
    fw_vec_push(&live->spare, line);
    live->lines.at[variable] = NULL;
}

struct name_key {
    const struct fw_live *live;
    const char *text;
};

static bool name_is(const void *key, uint32_t id)
{
    const struct name_key *wanted = key;

    return wanted->live->names.at[id].text == wanted->text;
}

/* Equal names are one text in memory (strtab.h). */
static struct fw_live_name *name_of(struct fw_live *live, const struct fw_symbols *symbols,
                                    uint32_t variable)
{
    const char *text = fw_symbols_name(symbols, FW_SPACE_VARIABLE, variable);
    struct name_key key = { live, text };
    uint32_t hash = (uint32_t)((uintptr_t)text * 0x9e3779b97f4a7c15u >> 32);
    uint32_t id = fw_idmap_find(&live->by_text, hash, name_is, &key);

    if (id == FW_IDMAP_NONE) {
        id = (uint32_t)live->names.len;
        fw_vec_push(&live->names, ((struct fw_live_name) { text, variable }));
        fw_idmap_add(&live->by_text, hash, id);
    }
    return &live->names.at[id];
}

uint32_t fw_live_renew(struct fw_live *live, const struct fw_symbols *symbols, uint32_t variable)
{
    struct fw_live_name *name = name_of(live, symbols, variable);
    uint32_t former = name->variable == variable ? FW_NO_VARIABLE : name->variable;

    name->variable = variable;
    return former;
}

void fw_live_freed(struct fw_live *live, const struct fw_symbols *symbols, uint32_t variable)
{
    name_of(live, symbols, variable);
}
