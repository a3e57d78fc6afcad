/*
 * plan.h - how each event and object of a trace becomes C.
 *
 * Everything is decided here before a line is printed, so that a trace that
 * cannot be a program is refused early, and printing only prints.
 */
#ifndef FW_TIDDLE_PLAN_H
#define FW_TIDDLE_PLAN_H

#include "base/vec.h"
#include "tiddle/compile.h"
#include "trace/index.h"

/* How an event is executed where its kind alone does not say. */
enum fw_form {
    FW_FORM_PLAIN,
    FW_FORM_WAIT,    /* a rel that enters pthread_cond_wait; link: the notify that ends it */
    FW_FORM_WAITED,  /* the wake and the acq on its way out: nothing is left to do */
    FW_FORM_BARRIER, /* a barin that enters pthread_barrier_wait; link: which object */
    FW_FORM_PASSED,  /* the barout on its way out */
    FW_FORM_MARK,    /* a barin, barout or wake that no library call can stand for */
    FW_FORM_CALL,    /* link: position in its thread just behind the activation's last event */
    FW_FORM_COMMENT, /* a ret without a call, a lock that is never got */
};

struct fw_plan_variable {
    uint8_t bytes; /* 1, 2, 4 or 8 */
    bool is_unsigned;
    bool plain, atomic; /* how it is accessed */
    bool heap;          /* allocated or freed by the trace */
    bool allocated;     /* by the trace; else at the start, hidden */
    uint32_t size;      /* of the allocation */
    uint32_t slot;      /* if heap: its number among those */
};

struct fw_plan_thread {
    bool exists;  /* it has events, or is forked or joined */
    bool forked;  /* by an event; else by main, at the start */
    bool joined;  /* by an event; else by main, at the end */
    bool is_main; /* runs as the program's main thread */
};

/* A barrier of POSIX has a fixed number of threads: one object for each set of threads. */
struct fw_plan_barrier {
    uint32_t barrier; /* its id */
    uint32_t count;
    uint32_t round; /* the first one that uses it */
};

struct fw_plan {
    const struct fw_trace *trace;
    const struct fw_tiddle_options *options;
    struct fw_index *index;
    uint8_t *form;  /* event → enum fw_form */
    uint32_t *link; /* event → by form; FW_NO_EVENT */
    int64_t *value; /* event → the value it writes, if it writes */
    struct fw_plan_variable *variables;
    struct fw_plan_thread *threads;
    uint32_t thread_count; /* that exist */
    uint32_t heap_count;
    bool *shared_lock; /* lock → used in shared mode somewhere, so a pthread_rwlock_t */
    bool *recursive;   /* lock → taken again by its holder, so a recursive mutex */
    bool *left_locked; /* lock → held at the end by a thread that was joined */
    uint32_t *tokens;  /* semaphore → initial value */
    FW_VEC(struct fw_plan_barrier) barriers;
};

int fw_plan_init(struct fw_plan *plan, const struct fw_trace *trace,
                 const struct fw_tiddle_options *options, struct fw_error *err);
void fw_plan_release(struct fw_plan *plan);

/* plan_value.c: types and values of variables, and what lives on the heap. */
int fw_plan_variables(struct fw_plan *plan, struct fw_error *err);
/* plan_shape.c: condition waits, barriers and calls. */
void fw_plan_waits(struct fw_plan *plan);
void fw_plan_barriers(struct fw_plan *plan);
void fw_plan_calls(struct fw_plan *plan);

/* How often a row of the trace's events is executed in all: at least once. */
static inline uint32_t fw_plan_orders(const struct fw_plan *plan)
{
    return plan->options->order_count ? plan->options->order_count : 1;
}

/* The locks that the thread still holds after its last event: calls visit for each. */
void fw_plan_held(const struct fw_plan *plan, uint32_t thread,
                  void (*visit)(void *data, uint32_t lock, bool shared), void *data);

/* "event 5, 'r(x)' of T1" */
const char *fw_plan_event_text(const struct fw_plan *plan, uint32_t event, char *text, size_t size);

#endif
