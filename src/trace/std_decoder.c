/*
 * std_decoder.c - reads STD text, most of it fast.
 *
 * An ordinary line has at most LINE_BYTES bytes, no blanks around its names, an
 * operation that needs no care, and names that were seen before.  Its
 * separators are found by comparing all its bytes at once, its operation and
 * names as words.  Nothing else has to be checked: a name that is known is a
 * good one.  Any other line goes to std_line.c, which teaches the names it
 * meets to the caches here.
 */
#include "trace/std_decoder.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/text_attrs.h"

#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LINE_BYTES 64u

_Static_assert(FW_TEXT_PADDING >= LINE_BYTES, "a line's bytes are loaded without a look");

/* Bit i: byte i of the line ends a field, that is, it is '|' or newline. */
#ifdef __SSE2__
static inline uint64_t ends_in_16(const char *bytes)
{
    __m128i all = _mm_loadu_si128((const __m128i *)bytes);
    __m128i bars = _mm_cmpeq_epi8(all, _mm_set1_epi8('|'));
    __m128i newlines = _mm_cmpeq_epi8(all, _mm_set1_epi8('\n'));

    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_or_si128(bars, newlines));
}
#else
static inline uint64_t ends_in_16(const char *bytes)
{
    uint64_t ends = 0;

    for (unsigned i = 0; i < 16; i++)
        ends |= (uint64_t)(bytes[i] == '|' || bytes[i] == '\n') << i;
    return ends;
}
#endif

static inline uint64_t ends_in_32(const char *bytes)
{
    return ends_in_16(bytes) | ends_in_16(bytes + 16) << 16;
}

static inline unsigned first_end(uint64_t ends)
{
    return (unsigned)__builtin_ctzll(ends);
}

static inline uint64_t later_ends(uint64_t ends)
{
    return ends & (ends - 1);
}

/* Where the fields of a line end, relative to its begin. */
struct shape {
    unsigned thread, op, site, attrs; /* a field that is not there ends like the one before */
};

/* Finds the ends of two to four fields; false if the line has another shape. */
static inline bool find_shape(const char *line, struct shape *shape)
{
    uint64_t ends = ends_in_32(line), third = later_ends(later_ends(ends));

    if (FW_UNLIKELY(!later_ends(third))) {
        ends |= ends_in_32(line + 32) << 32;
        third = later_ends(later_ends(ends));
    }
    if (!third)
        return false;
    shape->thread = first_end(ends);
    shape->op = first_end(later_ends(ends));
    shape->site = first_end(third);
    if (FW_UNLIKELY(line[shape->op] == '\n'))
        shape->site = shape->op;
    shape->attrs = shape->site;
    if (FW_UNLIKELY(line[shape->site] == '|' && later_ends(third)))
        shape->attrs = first_end(later_ends(third));
    return shape->thread && line[shape->thread] == '|' && line[shape->attrs] == '\n';
}

/* The line ends with CR and LF: its last field, and those that end with it, end earlier. */
static inline void leave_out_return(struct shape *shape)
{
    unsigned end = shape->attrs - 1;

    shape->op = shape->op < end ? shape->op : end;
    shape->site = shape->site < end ? shape->site : end;
    shape->attrs = end;
}

void fw_std_teach(struct fw_std_decoder *std, enum fw_space space, bool target, const char *name,
                  size_t len, uint32_t id)
{
    uint32_t names = fw_symbols_count(std->text.symbols, space);

    if (len <= FW_STD_SHORT) {
        uint64_t word = fw_std_word(name, len);

        if (!target || !fw_std_numbers_put(&std->numbers[space], word, len, id, names))
            fw_std_cache_put(&std->names[space], word, id, names);
    } else if (len <= FW_STD_LONG) {
        fw_std_cache_put(&std->long_names[space], fw_std_hash(name, len), id, names);
    }
}

/* A name that is not known here: the table may know it. */
static __attribute__((noinline)) uint32_t find_in_table(struct fw_std_decoder *std,
                                                        enum fw_space space, bool target,
                                                        const char *name, size_t len)
{
    uint32_t id = fw_strtab_find(&std->text.symbols->table[space], name, len);

    if (id == FW_STRTAB_NONE || (space == FW_SPACE_THREAD && id >= FW_MAX_THREADS))
        return FW_STRTAB_NONE;
    fw_std_teach(std, space, target, name, len, id);
    return id;
}

/* The id of a name that is not short; threads with such names are too rare to care. */
static __attribute__((noinline)) uint32_t find_long(struct fw_std_decoder *std, enum fw_space space,
                                                    const char *name, size_t len)
{
    const struct fw_strtab_entry *entries = std->text.symbols->table[space].entries;
    uint32_t id = FW_STRTAB_NONE;

    if (len <= FW_STD_LONG)
        id = fw_std_cache_find(&std->long_names[space], fw_std_hash(name, len));
    if (id != FW_STRTAB_NONE && entries[id].len == len && fw_std_same(entries[id].text, name, len))
        return id;
    return find_in_table(std, space, true, name, len);
}

/* The id of a name (not empty) that was seen before, or FW_STRTAB_NONE. */
static inline uint32_t find_name(struct fw_std_decoder *std, enum fw_space space, const char *name,
                                 size_t len)
{
    uint32_t id;

    if (len > FW_STD_SHORT)
        return find_long(std, space, name, len);
    id = fw_std_cache_find(&std->names[space], fw_std_word(name, len));
    if (FW_UNLIKELY(id == FW_STRTAB_NONE))
        id = find_in_table(std, space, false, name, len);
    return id;
}

/* The same for a target, which may be numbered. */
static inline uint32_t find_target(struct fw_std_decoder *std, enum fw_space space,
                                   const char *name, size_t len)
{
    uint64_t word = fw_std_load(name);
    uint32_t id;

    if (len > FW_STD_SHORT)
        return find_long(std, space, name, len);
    id = fw_std_numbers_find(&std->numbers[space], word, len);
    if (FW_UNLIKELY(id == FW_STRTAB_NONE))
        id = fw_std_cache_find(&std->names[space], word & fw_std_word_masks[len]);
    if (FW_UNLIKELY(id == FW_STRTAB_NONE))
        id = find_in_table(std, space, true, name, len);
    return id;
}

/* Bit 7 of the first byte that is '(', and perhaps of later ones. */
static inline uint64_t find_open(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t diff = word ^ ones * '(';

    return (diff - ones) & ~diff & ones << 7;
}

/* Reads OP(TARGET); NULL if it is not ordinary.  Names of operations contain no '|'. */
static inline const struct fw_std_op *read_op(struct fw_std_decoder *std, const char *from,
                                              const char *to, uint32_t *target)
{
    uint64_t word = fw_std_load(from), open = find_open(word);
    const struct fw_std_op *op;

    if (FW_UNLIKELY(!open)) {
        *target = 0;
        op = fw_std_ops_find(&std->ops, from, (size_t)(to - from));
        return op && op->bare && (op->kind != FW_BRANCH || std->text.branches == 1) ? op : NULL;
    }
    word &= ((open & -open) >> 7) - 1;
    op = fw_std_ops_place(&std->ops, word);
    from += __builtin_ctzll(open) / 8 + 1;
    if (op->word != word || !op->plain || to - from < 2 || to[-1] != ')')
        return NULL;
    *target = find_target(std, op->space, from, (size_t)(to - from) - 1);
    return op;
}

/* Reads attributes; false if they cannot be read. */
static bool read_attrs(struct fw_text_decoder *decoder, const char *from, const char *to,
                       struct fw_event *event)
{
    struct fw_attr *attr = &decoder->attrs[decoder->attr_count];
    struct fw_error ignored;
    unsigned order = 0;

    *attr = (struct fw_attr) { 0 };
    if (fw_text_parse_attrs(from, (size_t)(to - from), event->kind, "", attr, &order, &ignored) < 0)
        return false;
    event->order = order;
    if (attr->has)
        event->attr = decoder->attr_count++;
    return true;
}

/* Reads an ordinary line; returns its bytes, newline included, or 0 if it is not ordinary. */
static inline unsigned read_ordinary(struct fw_std_decoder *std, const char *line,
                                     struct fw_event *event)
{
    uint32_t thread, target, site = 0;
    const struct fw_std_op *op;
    struct shape shape;
    unsigned bytes;

    if (FW_UNLIKELY(!find_shape(line, &shape)))
        return 0;
    bytes = shape.attrs + 1;
    if (FW_UNLIKELY(line[shape.attrs - 1] == '\r'))
        leave_out_return(&shape);
    op = read_op(std, line + shape.thread + 1, line + shape.op, &target);
    if (FW_UNLIKELY(!op))
        return 0;
    thread = find_name(std, FW_SPACE_THREAD, line, shape.thread);
    if (FW_LIKELY(shape.op + 1 < shape.site))
        site = find_name(std, FW_SPACE_SITE, line + shape.op + 1, shape.site - shape.op - 1);
    if (thread == FW_STRTAB_NONE || target == FW_STRTAB_NONE || site == FW_STRTAB_NONE)
        return 0;
    event->target = target;
    event->site = site;
    event->thread = thread;
    event->kind = op->kind;
    event->order = 0;
    event->attr = 0;
    if (shape.site < shape.attrs &&
        !read_attrs(&std->text, line + shape.site + 1, line + shape.attrs, event))
        return 0;
    return bytes;
}

/* Reads ordinary lines until one is not, the run ends or the batch is full. */
static void read_ordinary_lines(struct fw_std_decoder *std)
{
    struct fw_text_decoder *decoder = &std->text;
    struct fw_text *text = &decoder->text;
    const char *line = text->buffer + text->at, *end = text->buffer + text->whole;
    uint32_t count = decoder->count, number = (uint32_t)(text->line - text->batch_line);

    while (line < end && count < FW_BATCH_EVENTS) {
        unsigned bytes = read_ordinary(std, line, &decoder->events[count]);

        if (!bytes)
            break;
        line += bytes;
        decoder->line_of[count++] = ++number;
    }
    decoder->count = count;
    text->at = (size_t)(line - text->buffer);
    text->line = text->batch_line + number;
}

static void read_lines(struct fw_std_decoder *std)
{
    while (fw_text_decoder_goes_on(&std->text)) {
        if (!std->text.text.has_nul)
            read_ordinary_lines(std);
        if (fw_text_decoder_goes_on(&std->text))
            fw_text_decoder_line(&std->text);
    }
}

static int std_next(struct fw_decoder *base, struct fw_raw_batch *batch, struct fw_error *err)
{
    struct fw_std_decoder *std = (struct fw_std_decoder *)base;
    int got;

    do {
        got = fw_text_decoder_open(&std->text, err);
        if (got <= 0)
            return got;
        read_lines(std);
        got = fw_text_decoder_close(&std->text, batch, err);
    } while (got == 0);
    return got;
}

static const struct fw_text_syntax std_syntax = {
    .read_line = fw_std_read_line,
    .has_branch = fw_std_has_branch,
};

static struct fw_decoder *std_create(const struct fw_decoder_setup *setup)
{
    struct fw_std_decoder *std = fw_xmalloc(sizeof *std);

    fw_text_decoder_init(&std->text, &fw_format_std, &std_syntax, setup);
    fw_std_ops_init(&std->ops);
    for (int i = 0; i < FW_SPACE_COUNT; i++) {
        fw_std_cache_init(&std->names[i]);
        fw_std_cache_init(&std->long_names[i]);
        fw_std_numbers_init(&std->numbers[i]);
    }
    return &std->text.base;
}

static void std_destroy(struct fw_decoder *base)
{
    struct fw_std_decoder *std = (struct fw_std_decoder *)base;

    for (int i = 0; i < FW_SPACE_COUNT; i++) {
        fw_std_cache_release(&std->names[i]);
        fw_std_cache_release(&std->long_names[i]);
        fw_std_numbers_release(&std->numbers[i]);
    }
    fw_text_decoder_release(&std->text);
    free(std);
}

const struct fw_format fw_format_std = {
    .name = "std",
    .extension = ".std",
    .create = std_create,
    .destroy = std_destroy,
    .next = std_next,
    .branches = fw_text_decoder_branches,
    .locate = fw_text_decoder_locate,
};
