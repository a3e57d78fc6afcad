/*
 * emit_objects.c - variables, locks, conditions, semaphores and barriers.
 *
 * Variables are volatile, so that each access of the trace is one of the
 * program.  A variable on the heap is reached through the scaffolding: reading
 * a pointer would be an access that the trace does not have.
 */
#include "tiddle/emit.h"

const char *fw_emit_type(const struct fw_plan_variable *variable)
{
    switch (variable->bytes) {
    case 1:
        return variable->is_unsigned ? "unsigned char" : "signed char";
    case 2:
        return variable->is_unsigned ? "unsigned short" : "short";
    case 4:
        return variable->is_unsigned ? "unsigned" : "int";
    default:
        return "long long";
    }
}

static uint32_t count_of(const struct fw_emit *emit, enum fw_space space)
{
    return fw_symbols_count(emit->trace->symbols, space);
}

static void declare_variable(struct fw_emit *emit, uint32_t id)
{
    const struct fw_plan_variable *variable = &emit->plan->variables[id];
    const char *type = fw_emit_type(variable);

    if (variable->heap)
        fw_output_printf(emit->out, "#define %s (*(volatile %s *)foreweave_ignore_at(%u))",
                         emit->variable[id], type, variable->slot);
    else if (variable->atomic && !variable->plain)
        fw_output_printf(emit->out, "static volatile _Atomic(%s) %s;", type, emit->variable[id]);
    else
        fw_output_printf(emit->out, "static volatile %s %s;", type, emit->variable[id]);
    fw_output_text(emit->out, " /* ");
    fw_emit_comment_text(emit, fw_symbols_name(emit->trace->symbols, FW_SPACE_VARIABLE, id));
    fw_output_text(emit->out, " */\n");
}

static void declare(struct fw_emit *emit, const char *type, const char *name)
{
    fw_output_printf(emit->out, "static %s %s;\n", type, name);
}

static void declare_all(struct fw_emit *emit)
{
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_VARIABLE); i++)
        declare_variable(emit, i);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_LOCK); i++)
        declare(emit, emit->plan->shared_lock[i] ? "pthread_rwlock_t" : "pthread_mutex_t",
                emit->lock[i]);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_CONDITION); i++)
        declare(emit, "pthread_cond_t", emit->condition[i]);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_SEMAPHORE); i++)
        declare(emit, "sem_t", emit->semaphore[i]);
    for (size_t i = 0; i < emit->plan->barriers.len; i++)
        declare(emit, "pthread_barrier_t", emit->barrier[i]);
    fw_output_text(emit->out, "\n");
}

static void begin_function(struct fw_emit *emit, const char *name)
{
    fw_output_printf(emit->out, "FOREWEAVE_IGNORE static void %s(void)\n{\n", name);
}

/* Variables begin with 0; those that the trace frees but never allocates are there. */
static void put_reset(struct fw_emit *emit)
{
    begin_function(emit, "foreweave_ignore_reset");
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_VARIABLE); i++) {
        const struct fw_plan_variable *variable = &emit->plan->variables[i];

        if (!variable->heap)
            fw_output_printf(emit->out, "    %s = 0;\n", emit->variable[i]);
        else if (!variable->allocated)
            fw_output_printf(emit->out, "    foreweave_ignore_put(%u, calloc(1, %u));\n",
                             variable->slot, variable->size);
    }
    fw_output_text(emit->out, "}\n\n");
}

static void open_lock(struct fw_emit *emit, uint32_t lock)
{
    if (emit->plan->recursive[lock])
        fw_output_printf(emit->out, "    foreweave_recursive(&%s);\n", emit->lock[lock]);
    else
        fw_output_printf(emit->out, "    pthread_%s_init(&%s, NULL);\n",
                         emit->plan->shared_lock[lock] ? "rwlock" : "mutex", emit->lock[lock]);
}

static void put_open(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;

    begin_function(emit, "foreweave_open");
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_LOCK); i++)
        open_lock(emit, i);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_CONDITION); i++)
        fw_output_printf(out, "    pthread_cond_init(&%s, NULL);\n", emit->condition[i]);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_SEMAPHORE); i++)
        fw_output_printf(out, "    sem_init(&%s, 0, %u);\n", emit->semaphore[i],
                         emit->plan->tokens[i]);
    for (size_t i = 0; i < emit->plan->barriers.len; i++)
        fw_output_printf(out, "    pthread_barrier_init(&%s, NULL, %u);\n", emit->barrier[i],
                         emit->plan->barriers.at[i].count);
    fw_output_text(out, "}\n\n");
}

static void put_close(struct fw_emit *emit)
{
    struct fw_output *out = emit->out;

    begin_function(emit, "foreweave_close");
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_LOCK); i++) {
        const char *kind = emit->plan->shared_lock[i] ? "rwlock" : "mutex";

        if (emit->plan->left_locked[i])
            fw_output_printf(out, "    /* %s: its holder has ended */\n", emit->lock[i]);
        else
            fw_output_printf(out, "    pthread_%s_destroy(&%s);\n", kind, emit->lock[i]);
    }
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_CONDITION); i++)
        fw_output_printf(out, "    pthread_cond_destroy(&%s);\n", emit->condition[i]);
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_SEMAPHORE); i++)
        fw_output_printf(out, "    sem_destroy(&%s);\n", emit->semaphore[i]);
    for (size_t i = 0; i < emit->plan->barriers.len; i++)
        fw_output_printf(out, "    pthread_barrier_destroy(&%s);\n", emit->barrier[i]);
    fw_output_text(out, "}\n\n");
}

/* Running free, a thread that waits is woken now and then to look for its notify. */
static void put_broadcast(struct fw_emit *emit)
{
    begin_function(emit, "foreweave_ignore_broadcast");
    for (uint32_t i = 0; i < count_of(emit, FW_SPACE_CONDITION); i++)
        fw_output_printf(emit->out, "    pthread_cond_broadcast(&%s);\n", emit->condition[i]);
    fw_output_text(emit->out, "}\n\n");
}

void fw_emit_objects(struct fw_emit *emit)
{
    declare_all(emit);
    put_reset(emit);
    put_open(emit);
    put_close(emit);
    if (emit->free)
        put_broadcast(emit);
}
