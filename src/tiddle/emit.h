/*
 * emit.h - what the printers of a generated program share.
 *
 * Internal to compile.c (the frame and the tables), emit_objects.c (variables,
 * locks and the like) and emit_body.c (threads and events).
 */
#ifndef FW_TIDDLE_EMIT_H
#define FW_TIDDLE_EMIT_H

#include "tiddle/names.h"
#include "tiddle/plan.h"

struct fw_emit {
    struct fw_output *out;
    const struct fw_plan *plan;
    const struct fw_trace *trace;
    bool free;

    struct fw_c_names names;
    const char **variable; /* id → identifier */
    const char **lock;
    const char **condition;
    const char **semaphore;
    const char **barrier;  /* object of the plan → identifier */
    const char **thread;   /* id → of its function */
    const char **function; /* call event → of its function; NULL otherwise */

    char *text;         /* the trace as Tiddle, one string for each event */
    const char **lines; /* event → its line */
};

/* The C type of a variable's values. */
const char *fw_emit_type(const struct fw_plan_variable *variable);

/* Text from a trace inside a comment, or as a string literal with its quotes. */
void fw_emit_comment_text(struct fw_emit *emit, const char *text);
void fw_emit_literal(struct fw_emit *emit, const char *text);

/* emit_objects.c: declarations, and functions that reset, open and close them all. */
void fw_emit_objects(struct fw_emit *emit);

/* emit_body.c: a function for each thread and each call. */
void fw_emit_threads(struct fw_emit *emit);

#endif
