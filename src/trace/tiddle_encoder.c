/*
 * tiddle_encoder.c - writes Tiddle in its one canonical spelling.
 *
 * OP THREAD [OPERAND] [VALUE] [ord=..,rf=..,size=..] [@SITE], one blank between
 * words.  Threads must be called T and a number.  A name is looked at once.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "base/vec.h"
#include "trace/text_decoder.h"
#include "trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>

/* All of a line but its names, attributes included. */
#define LINE_ROOM         192u
#define THREAD_DIGITS_MAX 30u /* as the reader has it */

struct tiddle_encoder {
    struct fw_output *out;
    const struct fw_symbols *symbols;
    bool begun, branches;
    FW_VEC(uint8_t) good[FW_SPACE_COUNT]; /* id → its name was found writable */
};

static void *tiddle_create(const struct fw_encoder_setup *setup)
{
    struct tiddle_encoder *encoder = fw_xcalloc(1, sizeof *encoder);

    encoder->out = setup->out;
    encoder->symbols = setup->symbols;
    encoder->branches = setup->branches;
    return encoder;
}

static void tiddle_destroy(void *handle)
{
    struct tiddle_encoder *encoder = handle;

    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_vec_release(&encoder->good[i]);
    free(encoder);
}

static bool has_blank(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (fw_text_is_blank(name[i]))
            return true;
    return false;
}

/* "T12" */
static bool is_numbered(const char *name, size_t len)
{
    if (len < 2 || len - 1 > THREAD_DIGITS_MAX || name[0] != 'T')
        return false;
    for (size_t i = 1; i < len; i++)
        if (name[i] < '0' || name[i] > '9')
            return false;
    return true;
}

static const char *why_unwritable_site(const char *name, size_t len)
{
    if (fw_text_is_blank(name[0]) || fw_text_is_blank(name[len - 1]))
        return "it begins or ends with a blank";
    for (size_t i = 1; i < len; i++)
        if (name[i] == '#' && fw_text_is_blank(name[i - 1]))
            return "it contains a blank and '#'";
    return NULL;
}

/* Why Tiddle cannot carry the name, or NULL. */
static const char *why_unwritable(enum fw_space space, const char *name, size_t len)
{
    if (len == 0)
        return space == FW_SPACE_SITE || space == FW_SPACE_BLOCK ? NULL : "it is empty";
    if (len > FW_TEXT_NAME_MAX)
        return "it is too long";
    if (memchr(name, '\n', len))
        return "it contains a newline";
    if (memchr(name, '\0', len))
        return "it contains a NUL byte";
    if (space == FW_SPACE_SITE)
        return why_unwritable_site(name, len);
    if (space == FW_SPACE_THREAD && !is_numbered(name, len))
        return "threads are numbers (T0, T1, ...)";
    if (has_blank(name, len))
        return "it contains a blank";
    if (name[0] == '#')
        return "it begins with '#'";
    if (space == FW_SPACE_BLOCK && name[0] == '@')
        return "a label cannot begin with '@'";
    return NULL;
}

static int check_name(struct tiddle_encoder *encoder, enum fw_space space, uint32_t id,
                      struct fw_error *err)
{
    const struct fw_strtab_entry *entry = &encoder->symbols->table[space].entries[id];
    const char *why = why_unwritable(space, entry->text, entry->len);
    char quoted[FW_TEXT_QUOTE];

    if (why)
        return fw_error_set(err, "Tiddle cannot carry the name '%s': %s",
                            fw_text_quote(quoted, entry->text, entry->len), why);
    fw_vec_extend(&encoder->good[space], encoder->symbols->table[space].count);
    encoder->good[space].at[id] = 1;
    return 0;
}

/* The name's entry, or NULL with an error if the name cannot be written. */
static const struct fw_strtab_entry *name_of(struct tiddle_encoder *encoder, enum fw_space space,
                                             uint32_t id, struct fw_error *err)
{
    bool good = id < encoder->good[space].len && encoder->good[space].at[id];

    if (!good && check_name(encoder, space, id, err) < 0)
        return NULL;
    return &encoder->symbols->table[space].entries[id];
}

static char *put(char *to, const char *text, size_t len)
{
    memcpy(to, text, len);
    return to + len;
}

/* The value and the attributes, each with a blank in front. */
static char *put_attrs(char *to, const struct fw_event *event, const struct fw_attr *attr)
{
    char separator = ' ';

    if (attr->has & FW_ATTR_VALUE)
        to += sprintf(to, " %" PRId64, attr->value);
    if (event->order) {
        to += sprintf(to, "%cord=%s", separator, fw_order_names[event->order]);
        separator = ',';
    }
    if (attr->has & FW_ATTR_RF) {
        to += sprintf(to, "%crf=%" PRIu64, separator, attr->rf);
        separator = ',';
    }
    if (attr->has & FW_ATTR_SIZE)
        to += sprintf(to, "%csize=%" PRIu32, separator, attr->size);
    return to;
}

static int put_event(struct tiddle_encoder *encoder, const struct fw_event *event,
                     const struct fw_attr *attr, struct fw_error *err)
{
    static const struct fw_strtab_entry none = { "", 0, 0 };
    const struct fw_kind_info *info = &fw_kind_info[event->kind];
    const struct fw_strtab_entry *thread, *target = &none, *site;
    size_t skip = info->space == FW_SPACE_THREAD; /* the T of a thread's name */
    char *line, *to;

    thread = name_of(encoder, FW_SPACE_THREAD, event->thread, err);
    if (info->space != FW_SPACE_NONE)
        target = name_of(encoder, info->space, event->target, err);
    site = name_of(encoder, FW_SPACE_SITE, event->site, err);
    if (!thread || !target || !site)
        return -1;
    line = to =
        fw_output_reserve(encoder->out, (size_t)thread->len + target->len + site->len + LINE_ROOM);
    to = put(to, info->tiddle_name, strlen(info->tiddle_name));
    *to++ = ' ';
    to = put(to, thread->text + 1, thread->len - 1);
    if (target->len) {
        *to++ = ' ';
        to = put(to, target->text + skip, target->len - skip);
    }
    to = put_attrs(to, event, attr);
    if (site->len) {
        to = put(to, " @", 2);
        to = put(to, site->text, site->len);
    }
    *to++ = '\n';
    fw_output_advance(encoder->out, (size_t)(to - line));
    return 0;
}

static void put_header(struct tiddle_encoder *encoder)
{
    if (!encoder->begun && encoder->branches)
        fw_output_text(encoder->out, "# branches: yes\n");
    encoder->begun = true;
}

static int tiddle_events(void *handle, const struct fw_event *events, uint32_t count,
                         const struct fw_attr *attrs, struct fw_error *err)
{
    struct tiddle_encoder *encoder = handle;

    put_header(encoder);
    for (uint32_t i = 0; i < count; i++) {
        FW_ASSERT(events[i].kind < FW_KIND_COUNT);
        if (put_event(encoder, &events[i], &attrs[events[i].attr], err) < 0)
            return -1;
    }
    return 0;
}

static int tiddle_finish(void *handle, struct fw_error *err)
{
    (void)err;
    put_header(handle);
    return 0;
}

const struct fw_encoder_class fw_encoder_tiddle = {
    .format = "tid",
    .create = tiddle_create,
    .events = tiddle_events,
    .finish = tiddle_finish,
    .destroy = tiddle_destroy,
};
