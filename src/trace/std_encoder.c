/*
 * std_encoder.c - writes STD text in its one canonical spelling.
 *
 * THREAD|OP(TARGET)|SITE, the site field only if there is a site or an
 * attribute, attributes in the order ord, rf, size, val.  A name is looked at
 * once: text cannot carry every name that a recorder can make up.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/vec.h"
#include "trace/text_decoder.h"
#include "trace/writer.h"

#include <stdlib.h>
#include <string.h>

/* All of a line but its names, attributes included. */
#define LINE_ROOM 192u

struct std_encoder {
    struct fw_output *out;
    const struct fw_symbols *symbols;
    bool begun, branches;
    FW_VEC(uint8_t) good[FW_SPACE_COUNT]; /* id → its name was found writable */
};

static void *std_create(const struct fw_encoder_setup *setup)
{
    struct std_encoder *encoder = fw_xcalloc(1, sizeof *encoder);

    encoder->out = setup->out;
    encoder->symbols = setup->symbols;
    encoder->branches = setup->branches;
    return encoder;
}

static void std_destroy(void *handle)
{
    struct std_encoder *encoder = handle;

    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_vec_release(&encoder->good[i]);
    free(encoder);
}

static bool all_digits(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] < '0' || name[i] > '9')
            return false;
    return len > 0;
}

/* Why STD cannot carry the name, or NULL. */
static const char *why_unwritable(enum fw_space space, const char *name, size_t len)
{
    if (len == 0)
        return space == FW_SPACE_SITE || space == FW_SPACE_BLOCK ? NULL : "it is empty";
    if (len > FW_TEXT_NAME_MAX)
        return "it is too long";
    if (memchr(name, '|', len))
        return "it contains '|'";
    if (memchr(name, '\n', len))
        return "it contains a newline";
    if (memchr(name, '\0', len))
        return "it contains a NUL byte";
    if (fw_text_is_blank(name[0]) || fw_text_is_blank(name[len - 1]))
        return "it begins or ends with a blank";
    if (space == FW_SPACE_THREAD && name[0] == '#')
        return "it begins with '#'";
    if (space == FW_SPACE_THREAD && all_digits(name, len))
        return "it is a bare number";
    return NULL;
}

static int check_name(struct std_encoder *encoder, enum fw_space space, uint32_t id,
                      struct fw_error *err)
{
    const struct fw_strtab_entry *entry = &encoder->symbols->table[space].entries[id];
    const char *why = why_unwritable(space, entry->text, entry->len);
    char quoted[FW_TEXT_QUOTE];

    if (why)
        return fw_error_set(err, "STD cannot carry the name '%s': %s",
                            fw_text_quote(quoted, entry->text, entry->len), why);
    fw_vec_extend(&encoder->good[space], encoder->symbols->table[space].count);
    encoder->good[space].at[id] = 1;
    return 0;
}

/* The name's entry, or NULL with an error if the name cannot be written. */
static inline const struct fw_strtab_entry *
name_of(struct std_encoder *encoder, enum fw_space space, uint32_t id, struct fw_error *err)
{
    bool good = id < encoder->good[space].len && encoder->good[space].at[id];

    if (FW_UNLIKELY(!good) && check_name(encoder, space, id, err) < 0)
        return NULL;
    return &encoder->symbols->table[space].entries[id];
}

static inline char *put(char *to, const char *text, size_t len)
{
    memcpy(to, text, len);
    return to + len;
}

static inline char *put_text(char *to, const char *text)
{
    return put(to, text, strlen(text));
}

static char *put_number(char *to, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return put(to, digits + at, sizeof digits - at);
}

static char *put_signed(char *to, int64_t number)
{
    if (number < 0)
        *to++ = '-';
    return put_number(to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* Each item brings the separator in front of it: '|' the first, a comma the others. */
static char *put_attrs(char *to, const struct fw_event *event, const struct fw_attr *attr)
{
    char *begin = to;

    if (event->order)
        to = put_text(put_text(to, ",ord="), fw_order_names[event->order]);
    if (attr->has & FW_ATTR_RF)
        to = put_number(put_text(to, ",rf="), attr->rf);
    if (attr->has & FW_ATTR_SIZE)
        to = put_number(put_text(to, ",size="), attr->size);
    if (attr->has & FW_ATTR_VALUE)
        to = put_signed(put_text(to, ",val="), attr->value);
    *begin = '|';
    return to;
}

/* The names of one event; an empty one where there is none. */
struct names {
    const struct fw_strtab_entry *thread, *target, *site;
};

static inline int find_names(struct std_encoder *encoder, const struct fw_event *event,
                             struct names *names, struct fw_error *err)
{
    static const struct fw_strtab_entry none = { "", 0, 0 };
    enum fw_space space = fw_kind_info[event->kind].space;

    names->thread = name_of(encoder, FW_SPACE_THREAD, event->thread, err);
    names->target = space == FW_SPACE_NONE ? &none : name_of(encoder, space, event->target, err);
    names->site = name_of(encoder, FW_SPACE_SITE, event->site, err);
    return names->thread && names->target && names->site ? 0 : -1;
}

static int put_event(struct std_encoder *encoder, const struct fw_event *event,
                     const struct fw_attr *attr, struct fw_error *err)
{
    bool has_attrs = event->order || attr->has;
    struct names names;
    char *line, *to;
    size_t room;

    if (find_names(encoder, event, &names, err) < 0)
        return -1;
    room = (size_t)names.thread->len + names.target->len + names.site->len + LINE_ROOM;
    line = to = fw_output_reserve(encoder->out, room);
    to = put(to, names.thread->text, names.thread->len);
    *to++ = '|';
    to = put_text(to, fw_kind_info[event->kind].std_name);
    if (names.target->len) {
        *to++ = '(';
        to = put(to, names.target->text, names.target->len);
        *to++ = ')';
    }
    if (names.site->len || has_attrs) {
        *to++ = '|';
        to = put(to, names.site->text, names.site->len);
    }
    if (has_attrs)
        to = put_attrs(to, event, attr);
    *to++ = '\n';
    fw_output_advance(encoder->out, (size_t)(to - line));
    return 0;
}

/* Readers skip a byte order mark, also one that belongs to a name: that one gets one in front. */
static bool needs_mark(const struct std_encoder *encoder, const struct fw_event *first)
{
    const struct fw_strtab_entry *name =
        &encoder->symbols->table[FW_SPACE_THREAD].entries[first->thread];

    return name->len >= sizeof FW_TEXT_MARK - 1 &&
           memcmp(name->text, FW_TEXT_MARK, sizeof FW_TEXT_MARK - 1) == 0;
}

/* What comes before the first event, if there is one. */
static void put_header(struct std_encoder *encoder, const struct fw_event *first)
{
    if (encoder->begun)
        return;
    if (encoder->branches)
        fw_output_text(encoder->out, "# branches: yes\n");
    else if (first && needs_mark(encoder, first))
        fw_output_text(encoder->out, FW_TEXT_MARK);
    encoder->begun = true;
}

static int std_events(void *handle, const struct fw_event *events, uint32_t count,
                      const struct fw_attr *attrs, struct fw_error *err)
{
    struct std_encoder *encoder = handle;

    if (count)
        put_header(encoder, events);
    for (uint32_t i = 0; i < count; i++) {
        FW_ASSERT(events[i].kind < FW_KIND_COUNT);
        if (put_event(encoder, &events[i], &attrs[events[i].attr], err) < 0)
            return -1;
    }
    return 0;
}

static int std_finish(void *handle, struct fw_error *err)
{
    (void)err;
    put_header(handle, NULL);
    return 0;
}

const struct fw_encoder_class fw_encoder_std = {
    .format = "std",
    .create = std_create,
    .events = std_events,
    .finish = std_finish,
    .destroy = std_destroy,
};
