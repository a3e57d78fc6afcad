/* witness.c - see witness.h. */
#include "report/witness.h"

#include "predict/iroot.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_COLUMNS 6u  /* threads; with more, the thread's name stands before the operation */
#define MAX_OP      24u /* letters */

struct view {
    struct fw_output *out;
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_finding *finding;
    FW_VEC(uint32_t) rows;    /* positions */
    uint32_t first;           /* step of the first row, from 1 */
    FW_VEC(uint32_t) threads; /* that have a column */
    unsigned widths[MAX_COLUMNS];
    unsigned site_width;
    bool columns;
};

/* --- what is shown ----------------------------------------------------------------------- */

/* Where the events of the finding are in the trace; a mark knows only the index. */
static bool is_marked(const struct view *view, uint32_t position)
{
    const struct fw_event *event = &view->trace->events[position];
    uint64_t index = fw_trace_index(view->trace, position);

    for (size_t i = 0; i < view->finding->events.len; i++) {
        const struct fw_mark *mark = &view->finding->events.at[i];

        if (mark->index == index && mark->kind == event->kind && mark->thread == event->thread)
            return true;
    }
    return false;
}

/* Is it idiom 5 as a deadlock?  Its second and last event wait. */
static bool is_deadlock_idiom(const struct fw_finding *finding)
{
    bool waits = false;

    return finding->claim == FW_CLAIM_IROOT && fw_iroot_label_idiom(finding->label, &waits) &&
           waits;
}

static bool is_waiting(const struct view *view, size_t event)
{
    return view->finding->claim == FW_CLAIM_DEADLOCK ||
           (is_deadlock_idiom(view->finding) && event % 2);
}

static void add_waiting(struct view *view)
{
    for (size_t i = 0; i < view->finding->events.len; i++) {
        const struct fw_mark *mark = &view->finding->events.at[i];
        uint32_t at;

        if (!is_waiting(view, i))
            continue;
        for (unsigned n = 0; (at = fw_trace_position(view->trace, mark->index, n)) != FW_NO_EVENT;
             n++)
            if (view->trace->events[at].kind == mark->kind)
                fw_vec_push(&view->rows, at);
    }
}

static void collect_rows(struct view *view, uint64_t steps)
{
    const struct fw_schedule *schedule = view->finding->witness;
    uint32_t skip = steps && steps < schedule->steps ? schedule->steps - (uint32_t)steps : 0;
    struct fw_schedule_walk walk;
    uint32_t position;

    view->first = skip + 1;
    fw_schedule_walk_init(&walk, schedule, view->index);
    fw_schedule_skip(&walk, skip);
    while (fw_schedule_next(&walk, &position))
        fw_vec_push(&view->rows, position);
    fw_schedule_walk_release(&walk);
    add_waiting(view);
}

/* --- layout ------------------------------------------------------------------------------ */

/* What comes before what, and holds no data: what the thread does, rather than how it is told. */
static void order_text(const struct fw_symbols *symbols, const struct fw_event *event, char *text,
                       size_t size)
{
    const char *name = fw_symbols_name(symbols, FW_SPACE_VARIABLE, event->target) + 3;
    bool before = fw_is_write(event->kind), kernel = strncmp(name, "channel", 7) == 0;
    int length = kernel ? (int)strcspn(name, "#") : (int)strlen(name); /* one for each sender */

    snprintf(text, size, "%s(%.*s)",
             kernel ? (before ? "send" : "receive") : (before ? "before" : "after"), length, name);
}

/* The operation as it is shown: no letters that could disturb a terminal, not too many. */
static void op_text(const struct view *view, uint32_t position, char text[MAX_OP + 1])
{
    const struct fw_symbols *symbols = view->trace->symbols;
    const struct fw_event *event = &view->trace->events[position];

    if (fw_kind_info[event->kind].space == FW_SPACE_VARIABLE &&
        fw_variable_is_order(symbols, event->target))
        order_text(symbols, event, text, MAX_OP + 1);
    else
        fw_event_text(symbols, event, text, MAX_OP + 1);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static const char *site_text(const struct view *view, uint32_t position)
{
    return fw_symbols_name(view->trace->symbols, FW_SPACE_SITE, view->trace->events[position].site);
}

static uint32_t column_of(const struct view *view, uint32_t position)
{
    uint32_t thread = view->trace->events[position].thread, i = 0;

    while (i < view->threads.len && view->threads.at[i] != thread)
        i++;
    return i;
}

static unsigned longer(unsigned a, size_t b)
{
    return b > a ? (unsigned)b : a;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void lay_out(struct view *view)
{
    char text[MAX_OP + 1];

    for (size_t i = 0; i < view->rows.len && view->threads.len <= MAX_COLUMNS; i++)
        if (column_of(view, view->rows.at[i]) == view->threads.len)
            fw_vec_push(&view->threads, view->trace->events[view->rows.at[i]].thread);
    view->columns = view->threads.len <= MAX_COLUMNS;
    if (view->columns && view->threads.len)
        qsort(view->threads.at, view->threads.len, sizeof *view->threads.at, by_number);
    for (size_t i = 0; view->columns && i < view->threads.len; i++)
        view->widths[i] =
            longer(0, strlen(fw_thread_name(view->trace->symbols, view->threads.at[i])));
    for (size_t i = 0; i < view->rows.len; i++) {
        uint32_t column = column_of(view, view->rows.at[i]);

        op_text(view, view->rows.at[i], text);
        view->site_width = longer(view->site_width, strlen(site_text(view, view->rows.at[i])));
        if (view->columns)
            view->widths[column] = longer(view->widths[column], strlen(text));
    }
}

/* --- printing ---------------------------------------------------------------------------- */

/* Letters that could disturb a terminal become '?'. */
static void put_padded(struct view *view, const char *text, unsigned width)
{
    for (const char *c = text; *c; c++)
        fw_output_bytes(view->out, (unsigned char)*c < ' ' || *c == 0x7f ? "?" : c, 1);
    for (size_t len = strlen(text); len < width; len++)
        fw_output_text(view->out, " ");
}

/* Columns that end the line are not padded. */
static void put_site(struct view *view, const char *site, const char *mark)
{
    if (view->site_width) {
        fw_output_text(view->out, "  ");
        put_padded(view, site, *mark ? view->site_width : 0);
    }
    fw_output_printf(view->out, "%s\n", mark);
}

static void put_header(struct view *view)
{
    fw_output_text(view->out, "    step  index");
    for (size_t i = 0; view->columns && i < view->threads.len; i++) {
        bool last = i + 1 == view->threads.len && !view->site_width;

        fw_output_text(view->out, "  ");
        put_padded(view, fw_thread_name(view->trace->symbols, view->threads.at[i]),
                   last ? 0 : view->widths[i]);
    }
    put_site(view, view->site_width && view->columns ? "site" : "", "");
}

static void put_operation(struct view *view, uint32_t position, bool more)
{
    uint32_t column = column_of(view, position);
    char text[MAX_OP + 1];

    op_text(view, position, text);
    if (!view->columns) {
        fw_output_text(view->out, "  ");
        put_padded(view, fw_thread_name(view->trace->symbols, view->trace->events[position].thread),
                   6);
        fw_output_text(view->out, "  ");
        put_padded(view, text, more ? MAX_OP : 0);
        return;
    }
    for (uint32_t i = 0; i < view->threads.len; i++) {
        if (!more && i > column)
            break;
        fw_output_text(view->out, "  ");
        put_padded(view, i == column ? text : "", more || i < column ? view->widths[i] : 0);
    }
}

static const char *mark_of(const struct view *view, uint32_t row)
{
    uint32_t steps = view->finding->witness->steps, step = view->first + row;

    if (!is_marked(view, view->rows.at[row]))
        return "";
    if (view->finding->claim == FW_CLAIM_RACE)
        return step + 1 == steps || step == steps ? "  <- at once" : "";
    if (view->finding->claim == FW_CLAIM_DEADLOCK ||
        (is_deadlock_idiom(view->finding) && step > steps))
        return "  <- waits";
    return "  <-";
}

static void put_row(struct view *view, uint32_t row)
{
    uint32_t position = view->rows.at[row], step = view->first + row;
    const char *mark = mark_of(view, row), *site = site_text(view, position);
    bool more = view->site_width ? *site || *mark : *mark;

    if (step <= view->finding->witness->steps)
        fw_output_printf(view->out, "  %6" PRIu32, step);
    else
        fw_output_text(view->out, "        ");
    fw_output_printf(view->out, "  %5" PRIu64, fw_trace_index(view->trace, position));
    put_operation(view, position, more);
    if (more)
        put_site(view, site, mark);
    else
        fw_output_text(view->out, "\n");
}

static void put_title(struct view *view)
{
    const struct fw_schedule *schedule = view->finding->witness;
    uint32_t switches = schedule->runs ? schedule->runs - 1 : 0;

    fw_output_printf(view->out, "  Witness (%" PRIu32 " step%s, %" PRIu32 " switch%s)",
                     schedule->steps, schedule->steps == 1 ? "" : "s", switches,
                     switches == 1 ? "" : "es");
    if (view->first > 1)
        fw_output_printf(view->out, ": the last %" PRIu32 "; --steps=0 shows all",
                         schedule->steps - view->first + 1);
    fw_output_text(view->out, "\n");
}

void fw_report_witness(struct fw_output *out, const struct fw_index *index,
                       const struct fw_finding *finding, uint64_t steps)
{
    struct view view = { .out = out, .index = index, .trace = index->trace, .finding = finding };

    collect_rows(&view, steps);
    lay_out(&view);
    put_title(&view);
    put_header(&view);
    for (uint32_t i = 0; i < view.rows.len; i++)
        put_row(&view, i);
    fw_vec_release(&view.rows);
    fw_vec_release(&view.threads);
}
