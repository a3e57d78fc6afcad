/*
 * compile.c - see compile.h: names, the tables of the program, and its frame.
 */
#include "tiddle/compile.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "tiddle/emit.h"
#include "tiddle/scaffold.h"
#include "trace/writer.h"

#include <string.h>

/* --- text from the trace ----------------------------------------------------------------- */

/* No byte that ends the comment, and none beyond ASCII. */
void fw_emit_comment_text(struct fw_emit *emit, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool comment = *c == '*' && ((c > text && c[-1] == '/') || c[1] == '/');
        bool odd = *c < 0x20 || *c > 0x7e;

        fw_output_bytes(emit->out, comment || odd ? "?" : c, 1);
    }
}

void fw_emit_literal(struct fw_emit *emit, const char *text)
{
    fw_output_text(emit->out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c < 0x20 || *c > 0x7e)
            fw_output_printf(emit->out, "\\%03o", (unsigned)(unsigned char)*c);
        else if (strchr("\"\\?", *c))
            fw_output_printf(emit->out, "\\%c", *c);
        else
            fw_output_bytes(emit->out, c, 1);
    }
    fw_output_text(emit->out, "\"");
}

/* Attributes that hold in each of the program's traces: positions in rf would not in several. */
static struct fw_attr *common_attrs(const struct fw_emit *emit)
{
    const struct fw_trace *trace = emit->trace;
    struct fw_attr *attrs = fw_xrealloc(NULL, trace->attr_count, sizeof *attrs);

    memcpy(attrs, trace->attrs, trace->attr_count * sizeof *attrs);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];

        if (fw_plan_orders(emit->plan) > 1)
            attrs[event->attr].has &= ~(uint32_t)FW_ATTR_RF;
        if (emit->plan->options->any_value && !fw_is_write(event->kind))
            attrs[event->attr].has &= ~(uint32_t)FW_ATTR_VALUE;
    }
    return attrs;
}

/* The trace as Tiddle. */
static int write_lines(struct fw_emit *emit, struct fw_error *err)
{
    struct fw_batch batch = fw_trace_batch(emit->trace);
    struct fw_attr *attrs = common_attrs(emit);
    struct fw_writer *writer;
    size_t size;
    int result = fw_writer_open_memory(&writer, "tid", emit->trace->symbols, false, err);

    FW_ASSERT(result == 0);
    batch.attrs = attrs;
    result = fw_writer_batch(writer, &batch, err);
    if (result == 0)
        result = fw_writer_take(writer, &emit->text, &size, err);
    fw_writer_abandon(writer);
    free(attrs);
    return result;
}

static void cut_lines(struct fw_emit *emit)
{
    char *at = emit->text;

    emit->lines = fw_xrealloc(NULL, emit->trace->count, sizeof *emit->lines);
    for (uint32_t i = 0; i < emit->trace->count; i++) {
        emit->lines[i] = at;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
}

/* --- names ------------------------------------------------------------------------------- */

static const char **make_names(struct fw_emit *emit, enum fw_space space, const char *prefix)
{
    const struct fw_symbols *symbols = emit->trace->symbols;
    uint32_t count = fw_symbols_count(symbols, space);
    const char **names = fw_xcalloc(count, sizeof *names);

    for (uint32_t i = 0; i < count; i++)
        names[i] = fw_c_names_make(&emit->names, prefix, fw_symbols_name(symbols, space, i));
    return names;
}

static void make_function_names(struct fw_emit *emit)
{
    const struct fw_symbols *symbols = emit->trace->symbols;

    emit->function = fw_xcalloc(emit->trace->count, sizeof *emit->function);
    for (uint32_t e = 0; e < emit->trace->count; e++) {
        if (emit->plan->form[e] != FW_FORM_CALL)
            continue;
        emit->function[e] = fw_c_names_make(
            &emit->names, "fn",
            fw_symbols_name(symbols, FW_SPACE_FUNCTION, emit->trace->events[e].target));
    }
}

static void make_all_names(struct fw_emit *emit)
{
    const struct fw_plan *plan = emit->plan;
    const struct fw_symbols *symbols = emit->trace->symbols;
    uint32_t threads = fw_symbols_count(symbols, FW_SPACE_THREAD);

    fw_c_names_init(&emit->names);
    emit->variable = make_names(emit, FW_SPACE_VARIABLE, "var");
    emit->lock = make_names(emit, FW_SPACE_LOCK, "lock");
    emit->condition = make_names(emit, FW_SPACE_CONDITION, "condition");
    emit->semaphore = make_names(emit, FW_SPACE_SEMAPHORE, "semaphore");
    emit->thread = fw_xcalloc(threads, sizeof *emit->thread);
    for (uint32_t i = 0; i < threads; i++)
        if (plan->threads[i].exists) /* "T1", as the writer has checked */
            emit->thread[i] =
                fw_c_names_make(&emit->names, "thread", fw_thread_name(symbols, i) + 1);
    emit->barrier = fw_xcalloc(plan->barriers.len, sizeof *emit->barrier);
    for (size_t i = 0; i < plan->barriers.len; i++)
        emit->barrier[i] = fw_c_names_make(
            &emit->names, "barrier",
            fw_symbols_name(symbols, FW_SPACE_BARRIER, plan->barriers.at[i].barrier));
    make_function_names(emit);
}

static void release_names(struct fw_emit *emit)
{
    free(emit->variable);
    free(emit->lock);
    free(emit->condition);
    free(emit->semaphore);
    free(emit->thread);
    free(emit->barrier);
    free(emit->function);
    fw_c_names_release(&emit->names);
}

/* --- the program ------------------------------------------------------------------------- */

/* Lines, each with a newline behind it, inside a comment. */
static void put_about(struct fw_emit *emit, const char *about)
{
    for (const char *end; (end = strchr(about, '\n')); about = end + 1) {
        char *line = fw_xasprintf("%.*s", (int)(end - about), about);

        fw_output_text(emit->out, *line ? " * " : " *");
        fw_emit_comment_text(emit, line);
        fw_output_text(emit->out, "\n");
        free(line);
    }
    fw_output_text(emit->out, " *\n");
}

static void put_opening(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;

    fw_output_text(out, "/*\n * Generated by foreweave from ");
    fw_emit_comment_text(emit, emit->plan->options->source);
    fw_output_text(out, "; do not edit.\n *\n");
    if (emit->plan->options->about)
        put_about(emit, emit->plan->options->about);
    if (emit->free)
        fw_output_text(out, " * The threads of the trace, running free: every run may differ.\n");
    else if (fw_plan_orders(emit->plan) > 1)
        fw_output_printf(out, " * Executes %u traces, one after another, in every run.\n",
                         fw_plan_orders(emit->plan));
    else
        fw_output_text(out, " * Executes the trace, event by event, in every run.\n");
    fw_output_text(out, " * Build with: cc -std=c11 -pthread FILE.c\n */\n");
    fw_output_text(out, fw_scaffold_head);
}

static void put_macro(struct fw_emit *emit, const char *name, uint32_t value)
{
    fw_output_printf(emit->out, "#define %s %u\n", name, value);
}

static bool has_waits(const struct fw_plan *plan)
{
    for (uint32_t i = 0; i < plan->trace->count; i++)
        if (plan->form[i] == FW_FORM_WAIT)
            return true;
    return false;
}

static void put_macros(struct fw_emit *emit)
{
    const struct fw_plan *plan = emit->plan;

    put_macro(emit, "EVENTS", emit->trace->count);
    put_macro(emit, "THREADS", plan->thread_count);
    put_macro(emit, "SLOTS", fw_trace_thread_count(emit->trace));
    put_macro(emit, "HEAP", plan->heap_count);
    put_macro(emit, "BRANCHES", emit->trace->has_branches);
    put_macro(emit, "TRACES", fw_plan_orders(plan));
    if (emit->free) {
        put_macro(emit, "WAITS", has_waits(plan));
        put_macro(emit, "DELAY", plan->options->delay);
    }
    if (fw_plan_orders(plan) > 1)
        fw_output_text(emit->out,
                       "#define ORDER(trace, step) foreweave_ignore_order[trace][step]\n");
    else
        fw_output_text(emit->out, "#define ORDER(trace, step) (step)\n");
}

static void put_number_in_row(struct fw_emit *emit, uint32_t place, uint32_t number)
{
    fw_output_printf(emit->out, place % 16 == 0 ? "\n    %u," : " %u,", number);
}

static void put_orders(struct fw_emit *emit)
{
    const uint32_t *order = emit->plan->options->orders;

    fw_output_text(emit->out,
                   "static const unsigned foreweave_ignore_order[TRACES][EVENTS + 1] = {");
    for (uint32_t k = 0; k < emit->plan->options->order_count; k++) {
        fw_output_text(emit->out, "\n{");
        for (uint32_t i = 0; i < emit->trace->count; i++)
            put_number_in_row(emit, i, *order++);
        fw_output_text(emit->out, " 0 },");
    }
    fw_output_text(emit->out, "\n};\n\n");
}

static void put_tables(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;

    fw_output_text(out, "\nstatic const char foreweave_ignore_source[] = ");
    fw_emit_literal(emit, emit->plan->options->source);
    fw_output_text(out, ";\nstatic const char *const foreweave_ignore_text[EVENTS + 1] = {\n");
    for (uint32_t i = 0; i < emit->trace->count; i++) {
        fw_output_text(out, "    ");
        fw_emit_literal(emit, emit->lines[i]);
        fw_output_text(out, ",\n");
    }
    fw_output_text(out, "    \"\"\n};\n");
    if (!emit->free) {
        fw_output_text(out, "static const unsigned foreweave_ignore_thread_of[EVENTS + 1] = {");
        for (uint32_t i = 0; i < emit->trace->count; i++)
            put_number_in_row(emit, i, emit->trace->events[i].thread);
        fw_output_text(out, " 0\n};\n\n");
    }
    if (fw_plan_orders(emit->plan) > 1)
        put_orders(emit);
}

/* One execution: threads that nobody forks are started here, the others by their forks. */
static void put_execute(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;
    uint32_t count = fw_trace_thread_count(emit->trace);
    const struct fw_plan_thread *threads = emit->plan->threads;

    fw_output_text(out, "FOREWEAVE_IGNORE static void foreweave_execute(void)\n{\n"
                        "    foreweave_ignore_prepare();\n    foreweave_ignore_reset();\n"
                        "    foreweave_open();\n");
    if (emit->free)
        fw_output_text(out, "    foreweave_ignore_start();\n    foreweave_ignore_close_gate();\n");
    for (uint32_t t = 0; t < count; t++)
        if (threads[t].exists && !threads[t].forked && !threads[t].is_main)
            fw_output_printf(out,
                             "    if (pthread_create(&state.handle[%u], NULL, %s, NULL) != 0)\n"
                             "        abort();\n",
                             t, emit->thread[t]);
    if (emit->free)
        fw_output_text(out, "    foreweave_ignore_open_gate();\n");
    for (uint32_t t = 0; t < count; t++)
        if (threads[t].is_main)
            fw_output_printf(out, "    %s(NULL);\n", emit->thread[t]);
    fw_output_text(out, "    foreweave_ignore_all_ended();\n");
    for (uint32_t t = 0; t < count; t++)
        if (threads[t].exists && !threads[t].joined && !threads[t].is_main)
            fw_output_printf(out, "    pthread_join(state.handle[%u], NULL);\n", t);
    if (emit->free)
        fw_output_text(out, "    foreweave_ignore_stop();\n");
    fw_output_text(out, "    foreweave_close();\n    foreweave_ignore_finish();\n}\n\n");
}

static void put_program(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;

    put_opening(emit);
    put_macros(emit);
    put_tables(emit);
    fw_output_text(out, emit->free ? fw_scaffold_free : fw_scaffold_turn);
    fw_output_text(out, fw_scaffold_common);
    fw_output_text(out, emit->free ? fw_scaffold_free_read : fw_scaffold_turn_read);
    fw_emit_objects(emit);
    fw_emit_threads(emit);
    put_execute(emit);
    fw_output_text(out, emit->free ? fw_scaffold_free_main : fw_scaffold_turn_main);
}

int fw_tiddle_compile(const struct fw_trace *trace, const struct fw_tiddle_options *options,
                      struct fw_output *out, struct fw_error *err)
{
    struct fw_plan plan;
    struct fw_emit emit = { .out = out, .plan = &plan, .trace = trace, .free = options->free };
    int result = fw_plan_init(&plan, trace, options, err);

    if (result == 0)
        result = write_lines(&emit, err);
    if (result == 0) {
        cut_lines(&emit);
        make_all_names(&emit);
        put_program(&emit);
        release_names(&emit);
    }
    free(emit.lines);
    free(emit.text);
    fw_plan_release(&plan);
    return result;
}
