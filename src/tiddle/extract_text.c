/*
 * extract_text.c - some events of a trace as a trace of their own, in Tiddle.
 *
 * Threads keep their numbers if they have some.  Other names stay if they are short, or keep their
 * last word; addresses, and where two would be called the same, become a letter and a number.  Of
 * values only those stay that a program of these events sees.
 */
#include "tiddle/extract_state.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/writer.h"

#include <ctype.h>
#include <stdio.h>

#define LONGEST_NAME 24u

struct text {
    const struct fw_extract_state *state;
    bool plain;
    bool told; /* what wakes and pends answer is said: it would not be found otherwise */
    struct fw_symbols *symbols;
    uint32_t *id[FW_SPACE_COUNT]; /* id in the trace → id here, plus 1 */
    uint32_t *place;              /* position → place in the list */
    FW_VEC(struct fw_event) events;
    FW_VEC(struct fw_attr) attrs;
};

/* ---- names ---- */

static const char letters[FW_SPACE_COUNT] = {
    [FW_SPACE_THREAD] = 'T',    [FW_SPACE_VARIABLE] = 'x',  [FW_SPACE_LOCK] = 'm',
    [FW_SPACE_CONDITION] = 'c', [FW_SPACE_SEMAPHORE] = 's', [FW_SPACE_BARRIER] = 'b',
    [FW_SPACE_BLOCK] = 'a',     [FW_SPACE_FUNCTION] = 'f',
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The last word of the name that begins like an identifier, with its length; 0: there is none. */
static size_t last_word(const char *name, const char **word)
{
    size_t len = 0;

    for (const char *c = name; *c; c++) {
        size_t run = 0;

        while (is_word(c[run]))
            run++;
        if (run && !isdigit((unsigned char)*c)) {
            *word = c;
            len = run;
        }
        if (run)
            c += run - 1;
    }
    return len;
}

/* What the name is called here, with its length; 0: a letter. */
static size_t short_name(const char *name, const char **from)
{
    size_t len = strlen(name);
    bool whole = len <= LONGEST_NAME && is_word(*name) && !isdigit((unsigned char)*name);

    *from = name;
    if (strstr(name, "0x"))
        return 0;
    for (size_t i = 0; whole && i < len; i++)
        whole = isgraph((unsigned char)name[i]) && name[i] != '#';
    if (!whole)
        len = last_word(name, from);
    return len <= LONGEST_NAME ? len : 0;
}

static bool is_thread_number(const char *name)
{
    size_t digits = strspn(name + (*name == 'T'), "0123456789");

    return name[0] == 'T' && digits > 0 && digits < 8 && name[1 + digits] == '\0';
}

/* A name that is not taken yet: x, x2, x3 ...; of threads T1, T2 ... */
static uint32_t fresh_name(struct text *text, enum fw_space space)
{
    struct fw_strtab *table = &text->symbols->table[space];
    char name[16];

    for (unsigned n = 1;; n++) {
        int len = n == 1 && space != FW_SPACE_THREAD
                      ? snprintf(name, sizeof name, "%c", letters[space])
                      : snprintf(name, sizeof name, "%c%u", letters[space], n);

        if (fw_strtab_find(table, name, (size_t)len) == FW_STRTAB_NONE)
            return fw_strtab_intern(table, name, (size_t)len);
    }
}

static uint32_t plain_name(struct text *text, enum fw_space space, uint32_t id)
{
    char name[16];
    int len = snprintf(name, sizeof name, "%c%u", letters[space], id);

    return fw_strtab_intern(&text->symbols->table[space], name, (size_t)len);
}

static uint32_t make_name(struct text *text, enum fw_space space, uint32_t id)
{
    struct fw_strtab *table = &text->symbols->table[space];
    const char *name = fw_symbols_name(text->state->trace->symbols, space, id), *word;
    size_t len;

    if (text->plain)
        return plain_name(text, space, id);
    if (space == FW_SPACE_THREAD)
        return is_thread_number(name) ? fw_strtab_intern(table, name, strlen(name))
                                      : fresh_name(text, space);
    len = short_name(name, &word);
    if (len == 0 || fw_strtab_find(table, word, len) != FW_STRTAB_NONE)
        return fresh_name(text, space);
    return fw_strtab_intern(table, word, len);
}

/* Sites as they are, for the sake of the finding's id; one that Tiddle cannot carry goes. */
static uint32_t make_site(struct text *text, uint32_t id)
{
    const char *name = fw_symbols_name(text->state->trace->symbols, FW_SPACE_SITE, id);
    size_t len = strlen(name);

    if (text->plain || len == 0 || len > 200 || isspace((unsigned char)name[0]) ||
        isspace((unsigned char)name[len - 1]) || strpbrk(name, "\n\r#"))
        return 0;
    return fw_strtab_intern(&text->symbols->table[FW_SPACE_SITE], name, len);
}

static uint32_t map_name(struct text *text, enum fw_space space, uint32_t id)
{
    uint32_t *mapped = &text->id[space][id];

    if (!*mapped)
        *mapped = 1 + (space == FW_SPACE_SITE ? make_site(text, id) : make_name(text, space, id));
    return *mapped - 1;
}

/* Threads with numbers keep them: they are named before the others. */
static void name_threads(struct text *text)
{
    const struct fw_trace *trace = text->state->trace;

    for (int numbered = 1; numbered >= 0; numbered--)
        for (size_t i = 0; i < text->state->list.len; i++) {
            const struct fw_event *event = &trace->events[text->state->list.at[i]];
            bool other = fw_kind_info[event->kind].space == FW_SPACE_THREAD;

            for (int k = 0; k <= other; k++) {
                uint32_t thread = k ? event->target : event->thread;

                if (is_thread_number(fw_thread_name(trace->symbols, thread)) == numbered)
                    map_name(text, FW_SPACE_THREAD, thread);
            }
        }
}

/* ---- events ---- */

/* May the value that the read saw in the trace be asserted? */
static bool keeps_value(const struct fw_extract_state *state, uint32_t e)
{
    const struct fw_event *event = &state->trace->events[e];
    const struct fw_attr *attr = &state->trace->attrs[event->attr], *written;
    uint32_t write = state->writer[e];

    if (!fw_is_read(event->kind) || fw_is_write(event->kind))
        return true;
    if (write == FW_NO_EVENT)
        return attr->value == 0 && state->index->partner[e] == FW_NO_EVENT;
    written = &state->trace->attrs[state->trace->events[write].attr];
    if (written->has & FW_ATTR_VALUE)
        return written->value == attr->value;
    return write == state->index->partner[e];
}

static void add_event(struct text *text, uint32_t e)
{
    const struct fw_extract_state *state = text->state;
    struct fw_event event = state->trace->events[e];
    struct fw_attr attr = state->trace->attrs[event.attr];
    enum fw_space space = fw_kind_info[event.kind].space;
    uint32_t answers = state->index->partner[e];

    attr.has &= FW_ATTR_VALUE;
    if (!keeps_value(state, e))
        attr.has = 0;
    if (text->told && (event.kind == FW_WAKE || event.kind == FW_PEND)) {
        attr.has |= FW_ATTR_RF;
        attr.rf = text->place[answers];
    }
    event.thread = map_name(text, FW_SPACE_THREAD, event.thread) & (FW_MAX_THREADS - 1);
    if (space != FW_SPACE_NONE)
        event.target = map_name(text, space, event.target);
    event.site = map_name(text, FW_SPACE_SITE, event.site);
    event.attr = 0;
    if (attr.has) {
        event.attr = (uint32_t)text->attrs.len;
        fw_vec_push(&text->attrs, attr);
    }
    fw_vec_push(&text->events, event);
}

static void text_init(struct text *text, const struct fw_extract_state *state, bool plain,
                      bool told)
{
    *text = (struct text) { .state = state, .plain = plain, .told = told };
    text->symbols = fw_symbols_create();
    for (int space = 0; space < FW_SPACE_COUNT; space++)
        text->id[space] = fw_xcalloc(fw_symbols_count(state->trace->symbols, (enum fw_space)space),
                                     sizeof(uint32_t));
    text->place = fw_xrealloc(NULL, state->trace->count, sizeof *text->place);
    fw_vec_push(&text->attrs, (struct fw_attr) { 0 });
    for (size_t i = 0; i < state->list.len; i++)
        text->place[state->list.at[i]] = (uint32_t)i;
    name_threads(text);
    for (size_t i = 0; i < state->list.len; i++)
        add_event(text, state->list.at[i]);
}

static void text_release(struct text *text)
{
    fw_symbols_destroy(text->symbols);
    for (int space = 0; space < FW_SPACE_COUNT; space++)
        free(text->id[space]);
    free(text->place);
    fw_vec_release(&text->events);
    fw_vec_release(&text->attrs);
}

/* ---- the file ---- */

static int write_text(const struct text *text, char **bytes, size_t *size, struct fw_error *err)
{
    struct fw_batch batch = { .events = text->events.at,
                              .attrs = text->attrs.at,
                              .count = (uint32_t)text->events.len };
    struct fw_writer *writer;
    int status =
        fw_writer_open_memory(&writer, "tid", text->symbols, text->state->trace->has_branches, err);

    FW_ASSERT(status == 0);
    status = fw_writer_batch(writer, &batch, err);
    if (status == 0)
        status = fw_writer_take(writer, bytes, size, err);
    fw_writer_abandon(writer);
    return status;
}

/* Are wakes and pends of the trace that was read answered as they were? */
static bool answers_stay(const struct text *text, const struct fw_trace *trace)
{
    const struct fw_extract_state *state = text->state;
    struct fw_index *index = NULL;
    bool stay = trace->count == state->list.len;

    for (uint32_t i = 0; stay && i < trace->count; i++) {
        unsigned kind = trace->events[i].kind;

        if (kind != FW_WAKE && kind != FW_PEND)
            continue;
        if (!index)
            index = fw_index_create(trace);
        stay = index->partner[i] == text->place[state->index->partner[state->list.at[i]]];
    }
    fw_index_destroy(index);
    return stay;
}

static int write_once(const struct fw_extract_state *state, bool plain, bool told, char **bytes,
                      size_t *size, struct fw_trace **trace, struct fw_error *err)
{
    static const struct fw_read_options reading = { .format = "tid" };
    struct text text;
    int status;

    text_init(&text, state, plain, told);
    status = write_text(&text, bytes, size, err);
    if (status == 0) {
        status = fw_trace_load_memory(trace, *bytes, *size, "extract", &reading, err);
        if (status == 0 && !answers_stay(&text, *trace)) {
            fw_trace_destroy(*trace);
            status = fw_error_set(err, "a wake or pend would answer another event");
        }
        if (status < 0)
            free(*bytes);
    }
    text_release(&text);
    return status;
}

int fw_extract_write(const struct fw_extract_state *state, bool plain, char **text, size_t *size,
                     struct fw_trace **trace, struct fw_error *err)
{
    if (write_once(state, plain, false, text, size, trace, err) == 0)
        return 0;
    return write_once(state, plain, true, text, size, trace, err);
}
