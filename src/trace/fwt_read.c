/*
 * fwt_read.c - the decoder of the binary format: fw_format_fwt.
 *
 * Takes blocks from a source, keeps what strings, modules and metadata blocks
 * say, and hands event blocks out in slices of at most FW_BATCH_EVENTS.  A
 * block's checksum says that it is what somebody wrote, not that it makes
 * sense: every number is checked against the tables before it is used.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/vec.h"
#include "trace/decoder.h"
#include "trace/fwt_events.h"
#include "trace/fwt_reuse.h"
#include "trace/fwt_source.h"
#include "trace/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    char *key, *value;
};

struct fwt_decoder {
    struct fw_decoder base;
    struct fw_decoder_setup setup;
    struct fw_fwt_source source;
    bool header_read;
    unsigned flags;
    uint64_t events; /* in the blocks taken so far */
    uint64_t whole;  /* bytes up to the end of the latest good block */
    struct fw_fwt_block block;
    struct fw_fwt_events columns; /* of the current event block */
    bool in_events;
    struct fw_fwt_reuse reuse; /* variables that share a name */
    uint32_t unreadable;       /* events still to be delivered as broken, under repair */
    bool failed;               /* error is final: delivered after what was good, and ever again */
    struct fw_error error;
    struct fw_symbols *names; /* as in the file; setup.symbols unless names are resolved */
    FW_VEC(uint32_t) sites;   /* then: site of the file → site as delivered */
    FW_VEC(struct fw_fwt_module) modules;
    FW_VEC(struct pair) metadata;
    struct fw_event *slice; /* the latest batch, room for FW_BATCH_EVENTS */
    uint32_t slice_count;
    uint64_t slice_first; /* its position */
};

static struct fwt_decoder *self(struct fw_decoder *decoder)
{
    return (struct fwt_decoder *)decoder;
}

static struct fw_decoder *fwt_create(const struct fw_decoder_setup *setup)
{
    struct fwt_decoder *d = fw_xcalloc(1, sizeof *d);

    d->base.format = &fw_format_fwt;
    d->setup = *setup;
    d->names = setup->symbols;
    d->slice = fw_xmalloc(FW_BATCH_EVENTS * sizeof *d->slice);
    fw_fwt_source_init(&d->source, setup->input);
    return &d->base;
}

static void fwt_destroy(struct fw_decoder *decoder)
{
    struct fwt_decoder *d = self(decoder);

    fw_fwt_source_release(&d->source);
    fw_fwt_events_release(&d->columns);
    fw_fwt_reuse_release(&d->reuse);
    for (size_t i = 0; i < d->modules.len; i++) {
        free((char *)d->modules.at[i].path);
        free((unsigned char *)d->modules.at[i].build_id);
    }
    for (size_t i = 0; i < d->metadata.len; i++) {
        free(d->metadata.at[i].key);
        free(d->metadata.at[i].value);
    }
    if (d->names != d->setup.symbols)
        fw_symbols_destroy(d->names);
    fw_vec_release(&d->sites);
    fw_vec_release(&d->modules);
    fw_vec_release(&d->metadata);
    free(d->slice);
    free(d);
}

/* Puts the place of the current block in front of the error. */
static int in_block(const struct fwt_decoder *d, struct fw_error *err)
{
    return fw_error_context(err, "%s: offset %" PRIu64 ": block %" PRIu64, d->setup.input->name,
                            d->block.offset, d->block.number);
}

static void note_cut(struct fwt_decoder *d)
{
    d->base.cut = d->source.cut[0] != '\0';
    memcpy(d->base.cut_reason, d->source.cut, sizeof d->base.cut_reason);
}

/* 1: the header is read, 0: the file ends inside it, -1: error. */
static int read_header(struct fwt_decoder *d, struct fw_error *err)
{
    enum fw_fwt_got got;

    if (d->header_read)
        return 1;
    got = fw_fwt_source_header(&d->source, &d->flags, err);
    if (got == FW_FWT_GOT_BLOCK) {
        d->header_read = true;
        d->whole = FW_FWT_HEADER_SIZE;
    }
    return (int)got;
}

/* A text of the payload: its length as a varint, then its bytes.  NULL: there is no such thing. */
static const char *take_text(struct fw_cursor *c, size_t *len)
{
    *len = fw_cursor_varint(c);
    return (const char *)(c->bad ? NULL : fw_cursor_bytes(c, *len));
}

/* --- names that are resolved -------------------------------------------------------------- */

static bool is_resolving(const struct fwt_decoder *d)
{
    return d->names != d->setup.symbols;
}

/* Delivers the latest name of the space. */
static void deliver_name(struct fwt_decoder *d, enum fw_space space, uint32_t id)
{
    struct fw_symbols *symbols = d->setup.symbols;
    const struct fw_strtab_entry *name = &d->names->table[space].entries[id];
    uint32_t older = 0, made;

    if (space == FW_SPACE_VARIABLE && id < d->reuse.older.len)
        older = d->reuse.older.at[id];
    if (older)
        made = fw_strtab_renew(&symbols->table[space], older - 1);
    else
        made = fw_places_add_name(symbols->places, symbols, space, name->text, name->len);
    if (space == FW_SPACE_SITE)
        fw_vec_push(&d->sites, made);
    else
        FW_ASSERT(made == id);
}

/* From now on the names of the file are not those that are delivered. */
static void begin_resolving(struct fwt_decoder *d)
{
    struct fw_symbols *symbols = d->setup.symbols;

    d->names = fw_symbols_create();
    symbols->places = fw_places_create();
    for (unsigned space = 0; space < FW_SPACE_COUNT; space++) {
        const struct fw_strtab *from = &symbols->table[space];
        struct fw_strtab *to = &d->names->table[space];

        for (uint32_t id = to->count; id < from->count; id++)
            fw_strtab_append(to, from->entries[id].text, from->entries[id].len);
    }
    for (uint32_t id = 0; id < d->names->table[FW_SPACE_SITE].count; id++)
        fw_vec_push(&d->sites, id);
}

/* Modules have come: as long as no event has used a name, all of them can be resolved. */
static void deliver_again(struct fwt_decoder *d)
{
    struct fw_symbols *symbols = d->setup.symbols;

    if (!is_resolving(d) || d->events)
        return;
    fw_symbols_clear(symbols);
    fw_places_clear(symbols->places);
    d->sites.len = 1;
    for (unsigned space = 0; space < FW_SPACE_COUNT; space++)
        for (uint32_t id = symbols->table[space].count; id < d->names->table[space].count; id++)
            deliver_name(d, (enum fw_space)space, id);
}

/* --- strings, modules, metadata ----------------------------------------------------------- */

static uint32_t add_variable(struct fwt_decoder *d, const char *name, size_t len)
{
    struct fw_strtab *table = &d->names->table[FW_SPACE_VARIABLE];
    uint32_t fresh = table->count, id = fw_strtab_intern(table, name, len);

    if (id == fresh)
        return id;
    fw_fwt_reuse_note(&d->reuse, fresh, id);
    return fw_strtab_renew(table, id);
}

/* Adds one name; only variables may share one (memory is reused, and then is a new variable). */
static int add_name(struct fwt_decoder *d, enum fw_space space, const char *name, size_t len,
                    struct fw_error *err)
{
    struct fw_strtab *table = &d->names->table[space];
    uint32_t expected = table->count, id;

    if (!len)
        return fw_error_set(err, "empty name");
    if (expected >= FW_STRTAB_NONE - 2 || (space == FW_SPACE_THREAD && expected >= FW_MAX_THREADS))
        return fw_error_set(err, "too many names");
    if (space == FW_SPACE_VARIABLE)
        id = add_variable(d, name, len);
    else if (space == FW_SPACE_THREAD)
        id = fw_symbols_intern_thread(d->names, name, len);
    else
        id = fw_strtab_intern(table, name, len);
    if (id != expected)
        return fw_error_set(err, "name '%.*s' appears twice", len < 200 ? (int)len : 200, name);
    if (is_resolving(d))
        deliver_name(d, space, id);
    return 0;
}

static int read_strings(struct fwt_decoder *d, struct fw_cursor c, struct fw_error *err)
{
    const struct fw_fwt_head *head = &d->block.head;
    uint64_t first = fw_cursor_varint(&c);

    if (head->detail >= FW_SPACE_COUNT)
        return fw_error_set(err, "unknown space %u of names", head->detail);
    if (c.bad || first != d->names->table[head->detail].count)
        return fw_error_set(err, "names begin at id %" PRIu64 " instead of %" PRIu32, first,
                            d->names->table[head->detail].count);
    for (uint32_t i = 0; i < head->count; i++) {
        size_t len;
        const char *name = take_text(&c, &len);

        if (!name)
            return fw_error_set(err, "names end early");
        if (add_name(d, (enum fw_space)head->detail, name, len, err) < 0)
            return -1;
    }
    return c.at == c.end ? 0 : fw_error_set(err, "bytes after the last name");
}

static int read_module(struct fwt_decoder *d, struct fw_cursor *c, struct fw_error *err)
{
    size_t path_len, id_len;
    const char *path = take_text(c, &path_len), *id;
    struct fw_fwt_module module = { .since = d->block.head.sequence };

    module.base = fw_cursor_varint(c);
    module.size = fw_cursor_varint(c);
    id = take_text(c, &id_len);
    if (!path || !id)
        return fw_error_set(err, "module table ends early");
    if (id_len > FW_FWT_MAX_BUILD_ID)
        return fw_error_set(err, "build id of %zu bytes", id_len);
    module.path = fw_xstrndup(path, path_len);
    module.build_id = (unsigned char *)fw_xstrndup(id, id_len);
    module.build_id_size = (uint32_t)id_len;
    fw_vec_push(&d->modules, module);
    if (!d->setup.resolve)
        return 0;
    if (!is_resolving(d))
        begin_resolving(d);
    fw_places_add_module(d->setup.symbols->places, module.path, module.build_id,
                         module.build_id_size);
    return 0;
}

static int read_pair(struct fwt_decoder *d, struct fw_cursor *c, struct fw_error *err)
{
    size_t key_len, value_len;
    const char *key = take_text(c, &key_len), *value = take_text(c, &value_len);
    struct pair pair;

    if (!key || !value)
        return fw_error_set(err, "metadata ends early");
    pair.key = fw_xstrndup(key, key_len);
    pair.value = fw_xstrndup(value, value_len);
    fw_vec_push(&d->metadata, pair);
    return 0;
}

static int read_items(struct fwt_decoder *d, struct fw_cursor c,
                      int (*read_one)(struct fwt_decoder *, struct fw_cursor *, struct fw_error *),
                      struct fw_error *err)
{
    for (uint32_t i = 0; i < d->block.head.count; i++)
        if (read_one(d, &c, err) < 0)
            return -1;
    return c.at == c.end ? 0 : fw_error_set(err, "bytes after the last entry");
}

static int read_modules(struct fwt_decoder *d, struct fw_cursor c, struct fw_error *err)
{
    if (read_items(d, c, read_module, err) < 0)
        return -1;
    deliver_again(d);
    return 0;
}

static int open_events(struct fwt_decoder *d, struct fw_error *err)
{
    if (fw_fwt_events_open(&d->columns, d->block.payload, d->block.head.raw, &d->block.head,
                           d->names, is_resolving(d) ? d->sites.at : NULL,
                           d->flags & FW_FWT_BRANCHES, err) < 0)
        return -1;
    d->in_events = true;
    return 0;
}

/* What must hold for the block here in the file. */
static int check_place(const struct fwt_decoder *d, struct fw_error *err)
{
    const struct fw_fwt_head *head = &d->block.head;

    if (head->sequence != d->events)
        return fw_error_set(err, "begins at event %" PRIu64 ", but %" PRIu64 " came before it",
                            head->sequence, d->events);
    if (head->type == FW_FWT_EVENTS && (head->count < 1 || head->count > FW_FWT_MAX_EVENTS))
        return fw_error_set(err, "has %" PRIu32 " events", head->count);
    if (head->type == FW_FWT_STRINGS || head->type == FW_FWT_MODULES ||
        head->type == FW_FWT_METADATA)
        if (head->raw / FW_FWT_MAX_RATIO > head->stored)
            return fw_error_set(err, "is compressed too well to be kept in memory");
    if (head->type == FW_FWT_END && (head->raw || head->count))
        return fw_error_set(err, "is an end mark with content");
    return 0;
}

static int use_block(struct fwt_decoder *d, struct fw_error *err)
{
    struct fw_cursor c = { d->block.payload, d->block.payload + d->block.head.raw, false };

    switch (d->block.head.type) {
    case FW_FWT_STRINGS:
        return read_strings(d, c, err);
    case FW_FWT_EVENTS:
        return open_events(d, err);
    case FW_FWT_MODULES:
        return read_modules(d, c, err);
    case FW_FWT_METADATA:
        return read_items(d, c, read_pair, err);
    default: /* the end mark, and optional blocks of later versions */
        return 0;
    }
}

/* Under repair: the rest of the block's events are delivered as broken ones. */
static int give_up_events(struct fwt_decoder *d, uint32_t count, const struct fw_error *why)
{
    d->in_events = false;
    d->unreadable = count;
    if (!d->base.first_broken[0])
        snprintf(d->base.first_broken, sizeof d->base.first_broken, "%.255s", why->message);
    return 1;
}

/* Takes the next block.  1, 0 at the end, -1 on errors that cannot be repaired. */
static int next_block(struct fwt_decoder *d, struct fw_error *err)
{
    enum fw_fwt_got got = fw_fwt_source_next(&d->source, &d->block, err);
    bool events = d->block.head.type == FW_FWT_EVENTS;

    if (got <= 0)
        return (int)got;
    if (check_place(d, err) < 0)
        return in_block(d, err);
    if (events)
        d->events += d->block.head.count;
    if (got == FW_FWT_GOT_BLOCK && use_block(d, err) < 0) {
        in_block(d, err);
        got = FW_FWT_GOT_BROKEN;
    }
    if (got == FW_FWT_GOT_BROKEN)
        return events && d->setup.repair ? give_up_events(d, d->block.head.count, err) : -1;
    if (!events)
        d->whole = d->source.offset;
    return 1;
}

static uint32_t take_broken(struct fwt_decoder *d)
{
    uint32_t n = d->unreadable < FW_BATCH_EVENTS ? d->unreadable : FW_BATCH_EVENTS;

    for (uint32_t i = 0; i < n; i++)
        d->slice[i] = (struct fw_event) { .kind = FW_RAW_BROKEN };
    d->unreadable -= n;
    return n;
}

/* How many of the slice's n events are on variables that still are. */
static uint32_t check_reuse(struct fwt_decoder *d, uint32_t n)
{
    uint32_t good = n;

    if (d->reuse.state.len)
        good = fw_fwt_reuse_check(&d->reuse, d->slice, n);
    if (good < n)
        fw_error_set(&d->error, "event %" PRIu64 ": a newer variable has the name '%.200s' by now",
                     d->slice_first + good,
                     fw_symbols_name(d->setup.symbols, FW_SPACE_VARIABLE, d->slice[good].target));
    return good;
}

/* The next slice of the current event block; what is wrong with it comes out on the next call. */
static uint32_t take_slice(struct fwt_decoder *d)
{
    uint32_t expected = fw_fwt_events_slice(&d->columns);
    uint32_t n = fw_fwt_events_take(&d->columns, d->slice, &d->error);
    uint32_t good = check_reuse(d, n), left = d->columns.count - d->columns.done + (n - good);

    if (good == expected) {
        d->in_events = left > 0;
        d->whole = left ? d->whole : d->source.offset;
        return good;
    }
    in_block(d, &d->error);
    if (d->setup.repair) {
        give_up_events(d, left, &d->error);
    } else {
        d->in_events = false;
        d->failed = true;
    }
    return good;
}

/* One step: events into the slice, or a block taken.  1, 0 at the end, -1 on error. */
static int step(struct fwt_decoder *d)
{
    int got = read_header(d, &d->error);

    if (got <= 0)
        return got;
    if (d->in_events)
        d->slice_count = take_slice(d);
    else if (d->unreadable)
        d->slice_count = take_broken(d);
    else
        return next_block(d, &d->error);
    return 1;
}

static int fwt_next(struct fw_decoder *decoder, struct fw_raw_batch *batch, struct fw_error *err)
{
    static const struct fw_attr no_attr;
    struct fwt_decoder *d = self(decoder);

    d->slice_first += d->slice_count;
    d->slice_count = 0;
    while (!d->failed && !d->slice_count) {
        int got = step(d);

        d->failed = d->failed || got < 0;
        if (got == 0) {
            note_cut(d);
            return 0;
        }
    }
    if (!d->slice_count) {
        *err = d->error;
        return -1;
    }
    batch->events = d->slice;
    batch->attrs = d->columns.attrs ? d->columns.attrs : &no_attr;
    batch->count = d->slice_count;
    return 1;
}

static int fwt_branches(struct fw_decoder *decoder, struct fw_error *err)
{
    struct fwt_decoder *d = self(decoder);
    int got = read_header(d, err);

    return got < 0 ? -1 : got > 0 && d->flags & FW_FWT_BRANCHES;
}

static void fwt_locate(struct fw_decoder *decoder, uint32_t i, char *text, size_t size)
{
    struct fwt_decoder *d = self(decoder);

    snprintf(text, size, "%s: event %" PRIu64 " (offset %" PRIu64 ")", d->setup.input->name,
             d->slice_first + i, d->block.offset);
}

const struct fw_format fw_format_fwt = {
    .name = "fwt",
    .extension = ".fwt",
    .create = fwt_create,
    .destroy = fwt_destroy,
    .next = fwt_next,
    .branches = fwt_branches,
    .locate = fwt_locate,
};

const struct fw_fwt_module *fw_fwt_modules(const struct fw_decoder *decoder, size_t *count)
{
    const struct fwt_decoder *d = (const struct fwt_decoder *)decoder;

    *count = d->modules.len;
    return d->modules.at;
}

const char *fw_fwt_metadata(const struct fw_decoder *decoder, const char *key)
{
    const struct fwt_decoder *d = (const struct fwt_decoder *)decoder;

    for (size_t i = d->metadata.len; i-- > 0;)
        if (strcmp(d->metadata.at[i].key, key) == 0)
            return d->metadata.at[i].value;
    return NULL;
}

bool fw_fwt_metadata_at(const struct fw_decoder *decoder, size_t i, const char **key,
                        const char **value)
{
    const struct fwt_decoder *d = (const struct fwt_decoder *)decoder;

    if (i >= d->metadata.len)
        return false;
    *key = d->metadata.at[i].key;
    *value = d->metadata.at[i].value;
    return true;
}

void fw_fwt_extent(const struct fw_decoder *decoder, struct fw_fwt_extent *extent)
{
    const struct fwt_decoder *d = (const struct fwt_decoder *)decoder;

    extent->bytes = d->whole;
    extent->events = d->events;
    for (int i = 0; i < FW_SPACE_COUNT; i++)
        extent->names[i] = fw_symbols_count(d->names, (enum fw_space)i);
}
