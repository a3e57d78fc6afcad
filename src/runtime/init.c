/*
 * init.c - how the runtime comes to life in a program, and how a process's trace ends.
 *
 * The library's constructor runs before the program's own (the program depends on the library).
 * Without FOREWEAVE_OPTIONS, or with a recorder that does not answer, nothing is switched on and
 * the program runs as it would alone.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/processor.h"
#include "runtime/shadow.h"
#include "runtime/signals.h"
#include "runtime/sink.h"
#include "runtime/values.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct fw_runtime_options options;

void *fw_real_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void register_membarrier(void)
{
    fw_call(SYS_membarrier, 16 /* REGISTER_PRIVATE_EXPEDITED */, 0, 0, 0);
}

static void send_beginning(struct fw_thread *t)
{
    fw_modules_begin(t);
    fw_segment_next(t);
    fw_thread_send_start(t);
}

static void start(void)
{
    struct fw_sched_options scheduling = { options.seed, options.quantum };

    if (options.values)
        fw_values_begin();
    fw_shadow_whole = options.repeats ? UINT64_MAX : options.whole;
    fw_shadow_unused = fw_shadow_whole > 0;
    fw_shadow_tell();
    fw_thread_adopt_main();
    if (!fw_self) {
        fw_sink_off();
        return;
    }
    register_membarrier();
    if (fw_control_on) {
        fw_processor_begin();
        fw_control_born(fw_self, NULL);
    }
    fw_sched_start(&scheduling, fw_self);
    if (!fw_signals_started)
        fw_signals_begin();
    send_beginning(fw_self);
    fw_leave(fw_self);
}

/* This library does not guard: the one that does was to be loaded before. */
static void go_unguarded(void)
{
    static const char text[] =
        "foreweave: the program runs unguarded: LD_PRELOAD does not name guard/libforeweave_rt.so, "
        "as 'foreweave guard --prepare' prints it\n";
    static const char refusal[] =
        "foreweave: the program is not run unguarded: LD_PRELOAD does not name "
        "guard/libforeweave_rt.so\n";

    if (options.strict) {
        fw_call(SYS_write, 2, refusal, sizeof refusal - 1, 0);
        fw_call(SYS_exit_group, FW_EXIT_REFUSED, 0, 0, 0);
    }
    fw_call(SYS_write, 2, text, sizeof text - 1, 0);
}

/* After the real functions are known, which a server finds once for all its runs. */
static __attribute__((constructor(102))) void fw_runtime_init(void)
{
    const char *text = getenv("FOREWEAVE_OPTIONS");

    if (!text)
        return;
    fw_runtime_options_parse(&options, text);
    if (options.record && options.wire[0] &&
        fw_sink_open(options.wire, FW_WIRE_STARTED, options.positions)) {
        if (options.repeats && options.file[0])
            fw_control_open(options.file);
        start();
    } else if (options.control && options.file[0] && fw_control_open(options.file))
        start();
    else if (options.guarded)
        go_unguarded();
}

void fw_runtime_forked(void)
{
    struct fw_thread *t = fw_self;

    if (!t || !fw_serial)
        return;
    t->inside++;
    fw_control_forget();
    fw_sink_forget();
    fw_thread_adopt_child(t);
    fw_sched_forked(t);
    fw_sync_forked();
    register_membarrier();
    if (options.record)
        fw_sink_open(options.wire, FW_WIRE_FORKED, options.positions);
    fw_shadow_tell();
    send_beginning(t);
    t->inside--;
}

/* Who ends the program may be a thread without the token: then it gets a moment to take it. */
void fw_runtime_ending(enum fw_wire_kind kind, uint64_t operand, const char *text)
{
    struct fw_thread *t = fw_self;
    bool has;

    if (kind == FW_WIRE_EXIT)
        fw_control_ended();
    if (!t || !fw_serial || !fw_sink.on)
        return;
    t->inside++;
    t->outside = 0;
    has = fw_token_has(t) || fw_token_take_within(t, 200u * 1000 * 1000);
    if (has && text)
        fw_record_text(t, kind, operand, text);
    else if (has)
        fw_record(t, kind, operand, 0);
    if (kind != FW_WIRE_EXEC)
        fw_sink_done();
    t->inside--;
}
