/*
 * cmd_trace_show.c - foreweave trace show: events for people.
 *
 * Streams: reading stops behind the last event that can be wanted.
 */
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "cmd/show_page.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

struct show {
    const char *range;
    struct fw_words events, threads, variables, locks, kinds, sites;
    uint64_t limit;
    bool plain, all, ascii;
    uint64_t width;
    bool repair;
    bool no_symbols;
    int from;
    const char *output;
};

static const struct show defaults = { .limit = UINT64_MAX, .from = FW_FROM_UNKNOWN };

static const char *const kind_names[] = {
#define X(name, std, tid, space, classes) std,
    FW_EVENT_KINDS(X)
#undef X
        NULL,
};

#define WHICH "which events"

static const struct fw_option options[] = {
    { "range", 'r', "A-B", "indices A to B; also A..B, A-, -B and A",
      FW_OPTION(TEXT, struct show, range), WHICH },
    { "events", 'e', "I,J...", "the events with these indices",
      FW_OPTION(LIST, struct show, events), WHICH },
    { "thread", 't', "T1,T2...", "events of these threads", FW_OPTION(LIST, struct show, threads),
      WHICH },
    { "var", 'v', "X,Y...", "events on these variables", FW_OPTION(LIST, struct show, variables),
      WHICH, .detail = "Together with --lock: events on one of the variables or locks." },
    { "lock", 'l', "L,M...", "events on these locks", FW_OPTION(LIST, struct show, locks), WHICH },
    { "kind", 'k', "r,w,acq...", "events of these kinds", FW_OPTION(LIST, struct show, kinds),
      WHICH, .choices = kind_names },
    { "site", 's', "TEXT,...", "events whose site contains TEXT",
      FW_OPTION(LIST, struct show, sites), WHICH },
    { "limit", 'n', "N", "stop after N events", FW_OPTION(COUNT, struct show, limit), WHICH },
    { "all", 0, NULL, "also re-entrant lock operations", FW_OPTION(FLAG, struct show, all), WHICH,
      .detail = "Acquires of a lock that the thread holds already, and their releases, mean "
                "nothing to the analyses and are left out otherwise." },
    { "plain", 'p', NULL, "INDEX THREAD OP SITE, without columns",
      FW_OPTION(FLAG, struct show, plain), "output" },
    { "ascii", 0, NULL, "no other characters than ASCII", FW_OPTION(FLAG, struct show, ascii),
      "output" },
    { "width", 'w', "N", "fit N columns (default: the terminal's)",
      FW_OPTION(COUNT, struct show, width), "output",
      .detail = "Long operations are cut to fit, and if there are too many threads the output is "
                "plain. Output that does not go to a terminal is as wide as it needs to be." },
    { "output", 'o', "FILE", "write to FILE", FW_OPTION(FILE, struct show, output), "output" },
    FW_REPAIR_OPTION(struct show, repair),
    FW_SYMBOLS_OPTION(struct show, no_symbols),
    FW_FROM_OPTION(struct show, from),
    { 0 },
};

/* What the options ask for, in a form that is quick to check. */
struct filter {
    const struct show *show;
    uint64_t first, last;    /* range */
    FW_VEC(uint64_t) events; /* ascending */
    bool kinds[FW_KIND_COUNT];
};

static int compare_indices(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* A, A-B, A..B, with A or B left out. */
static int parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    size_t len = strcspn(text, "-.");
    const char *rest = text + len;
    char start[32];

    if (len >= sizeof start)
        return -1;
    memcpy(start, text, len);
    start[len] = '\0';
    *first = 0;
    *last = UINT64_MAX;
    if (len && fw_parse_count(start, first) < 0)
        return -1;
    if (!*rest) {
        *last = *first;
        return len ? 0 : -1;
    }
    if (rest[0] == '.' && rest[1] != '.')
        return -1;
    rest += rest[0] == '.' ? 2 : 1;
    if (!*rest)
        return len ? 0 : -1;
    return fw_parse_count(rest, last);
}

static int filter_init(struct filter *filter, const struct show *show)
{
    *filter = (struct filter) { .show = show, .last = UINT64_MAX };
    if (show->range && parse_range(show->range, &filter->first, &filter->last) < 0)
        return fw_cmd_usage("'%s' is not a range: --range=A-B, A-, -B or A", show->range);
    if (filter->first > filter->last)
        return fw_cmd_usage("the range '%s' ends before it begins", show->range);
    for (size_t i = 0; i < show->events.len; i++) {
        uint64_t index;

        if (fw_parse_count(show->events.at[i], &index) < 0)
            return fw_cmd_usage("'%s' is not the index of an event", show->events.at[i]);
        fw_vec_push(&filter->events, index);
    }
    if (filter->events.len)
        qsort(filter->events.at, filter->events.len, sizeof *filter->events.at, compare_indices);
    for (size_t i = 0; i < show->kinds.len; i++)
        for (int kind = 0; kind < FW_KIND_COUNT; kind++)
            filter->kinds[kind] |= strcmp(kind_names[kind], show->kinds.at[i]) == 0;
    return 0;
}

static bool has_word(const struct fw_words *words, const char *name)
{
    for (size_t i = 0; i < words->len; i++)
        if (strcmp(words->at[i], name) == 0)
            return true;
    return false;
}

/* --thread=2 means T2, as in dialects of the text format. */
static bool has_thread(const struct fw_words *words, const char *name)
{
    if (has_word(words, name))
        return true;
    return name[0] == 'T' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1) &&
           has_word(words, name + 1);
}

static bool has_part(const struct fw_words *words, const char *name)
{
    for (size_t i = 0; i < words->len; i++)
        if (strstr(name, words->at[i]))
            return true;
    return false;
}

static bool wants_target(const struct show *show, const struct fw_symbols *symbols,
                         const struct fw_event *event)
{
    enum fw_space space = fw_kind_info[event->kind].space;
    const struct fw_words *words = space == FW_SPACE_VARIABLE ? &show->variables
                                   : space == FW_SPACE_LOCK   ? &show->locks
                                                              : NULL;

    if (!show->variables.len && !show->locks.len)
        return true;
    return words && words->len && has_word(words, fw_symbols_name(symbols, space, event->target));
}

static bool wanted(const struct filter *filter, const struct fw_symbols *symbols,
                   const struct fw_event *event, uint64_t index)
{
    const struct show *show = filter->show;

    if (index < filter->first || index > filter->last)
        return false;
    if (filter->events.len &&
        !bsearch(&index, filter->events.at, filter->events.len, sizeof index, compare_indices))
        return false;
    if (show->kinds.len && !filter->kinds[event->kind])
        return false;
    if (show->threads.len && !has_thread(&show->threads, fw_thread_name(symbols, event->thread)))
        return false;
    if (show->sites.len &&
        !has_part(&show->sites, fw_symbols_name(symbols, FW_SPACE_SITE, event->site)))
        return false;
    return wants_target(show, symbols, event);
}

/* No event with a higher index is wanted. */
static uint64_t last_wanted(const struct filter *filter)
{
    uint64_t last = filter->last;

    if (filter->events.len && fw_vec_last(&filter->events) < last)
        last = fw_vec_last(&filter->events);
    return last;
}

/* Adds what is wanted of the batch; false: nothing later is. */
static bool show_batch(const struct filter *filter, const struct fw_batch *batch,
                       struct fw_show_page *page, uint64_t *left)
{
    uint64_t last = last_wanted(filter);

    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t index = fw_batch_index(batch, i);
        const struct fw_event *event = &batch->events[i];

        if (*left == 0 || index > last)
            return false;
        if (!wanted(filter, page->symbols, event, index))
            continue;
        fw_show_page_add(page, event, &batch->attrs[event->attr], index);
        --*left;
    }
    return *left > 0;
}

static void warn_missing(const struct fw_reader *reader, const struct fw_symbols *symbols,
                         enum fw_space space, const char *what, const struct fw_words *words)
{
    const struct fw_strtab *table = &symbols->table[space];

    for (size_t i = 0; i < words->len; i++) {
        const char *word = words->at[i];
        char thread[64];

        if (space == FW_SPACE_THREAD && word[strspn(word, "0123456789")] == '\0') {
            snprintf(thread, sizeof thread, "T%s", word);
            word = thread;
        }
        if (fw_strtab_find(table, word, strlen(word)) == FW_STRTAB_NONE)
            fw_cmd_warning("no %s '%s' in '%s'", what, word, fw_reader_name(reader));
    }
}

/* What only the whole trace can tell, once it was read to its end. */
static void end_notes(const struct filter *filter, struct fw_reader *reader, uint64_t end)
{
    const struct fw_symbols *symbols = fw_reader_symbols(reader);
    const struct show *show = filter->show;
    uint64_t beyond = filter->first;

    if (filter->events.len && fw_vec_last(&filter->events) > beyond)
        beyond = fw_vec_last(&filter->events);
    if (beyond >= end && beyond > 0)
        fw_cmd_warning("'%s' ends before event %" PRIu64, fw_reader_name(reader), beyond);
    warn_missing(reader, symbols, FW_SPACE_THREAD, "thread", &show->threads);
    warn_missing(reader, symbols, FW_SPACE_VARIABLE, "variable", &show->variables);
    warn_missing(reader, symbols, FW_SPACE_LOCK, "lock", &show->locks);
}

static bool wants_unicode(const struct show *show)
{
    if (show->ascii || show->output || !isatty(STDOUT_FILENO))
        return false;
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static struct fw_show_style style_of(const struct show *show)
{
    bool terminal = !show->output && isatty(STDOUT_FILENO);

    return (struct fw_show_style) {
        .plain = show->plain,
        .colour = terminal && fw_cmd_colour(STDOUT_FILENO),
        .unicode = wants_unicode(show),
        .width = show->width ? (unsigned)(show->width < 10000 ? show->width : 10000)
                 : terminal  ? fw_cmd_width(STDOUT_FILENO, 80)
                             : 0,
    };
}

static int show_events(const struct filter *filter, struct fw_reader *reader,
                       struct fw_show_page *page)
{
    uint64_t left = filter->show->limit;
    uint64_t end = 0; /* behind the latest event read */
    bool more = left > 0;
    struct fw_batch batch;
    struct fw_error err;
    int got = 1;

    while (more && (got = fw_reader_next(reader, &batch, &err)) > 0) {
        more = show_batch(filter, &batch, page, &left);
        if (batch.count)
            end = fw_batch_index(&batch, batch.count - 1) + 1;
    }
    fw_show_page_flush(page);
    if (got < 0) {
        fw_output_flush(page->out); /* the events come before the error behind them */
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    if (got == 0)
        end_notes(filter, reader, end);
    fw_cmd_read_warnings(reader, "shown");
    return FW_EXIT_OK;
}

static int show_trace(const struct filter *filter, const char *path)
{
    const struct show *show = filter->show;
    struct fw_read_options reading = { .repair = show->repair,
                                       .symbols = !show->no_symbols,
                                       .keep_reentrant = show->all,
                                       .format = fw_format_name(show->from) };
    struct fw_show_style style = style_of(show);
    struct fw_show_page page;
    struct fw_reader *reader;
    struct fw_output out;
    int status = fw_cmd_open_trace(&reader, path, &reading);

    if (status)
        return status;
    status = fw_cmd_output(&out, show->output);
    if (!status) {
        fw_show_page_init(&page, &out, fw_reader_symbols(reader), &style);
        status = show_events(filter, reader, &page);
        fw_show_page_release(&page);
        status = fw_cmd_output_close(&out, status);
    }
    fw_reader_close(reader);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct show *show = values;
    struct filter filter;
    int status = fw_cmd_check_output(show->output, argc, argv);

    if (status)
        return status;
    status = filter_init(&filter, values);
    if (!status)
        status = show_trace(&filter, argv[0]);
    fw_vec_release(&filter.events);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave trace show a.std", "one column a thread, time runs down" },
    { "foreweave trace show --range=100-120 a.fwt", "a part of it" },
    { "foreweave trace show --thread=T1,T2 --lock=m a.std", "what two threads do with a lock" },
    { "foreweave trace show --events=7,12,31 a.std", "the events of a finding" },
    { 0 },
};

const struct fw_command fw_cmd_trace_show = {
    .name = "show",
    .summary = "show the events of a trace",
    .operands = "TRACE",
    .description =
        "Prints the events of TRACE (- is standard input) in their order: the index, the "
        "operation in the column of its thread, the site. Options choose events; an event is "
        "shown if it passes all of them. Reading stops behind the last event that can be "
        "wanted.\n\n"
        "The index is the event's place in the stored trace, counted from 0; in text it counts "
        "all event lines, also those that are ignored or dropped.",
    .options = options,
    .options_size = sizeof(struct show),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .examples = examples,
    .run = run,
};
