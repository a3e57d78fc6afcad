/*
 * init.c - how this library comes to life in a program, and how a process's story ends.
 *
 * Without FOREWEAVE_OPTIONS, or with a recorder that does not answer, nothing is switched on and
 * the program runs as it would alone.
 */
#include "atomrace/heal.h"
#include "atomrace/hits.h"
#include "atomrace/noise.h"
#include "atomrace/overlap.h"
#include "atomrace/reach.h"
#include "atomrace/region.h"
#include "atomrace/sharing.h"
#include "atomrace/targets.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/sink.h"
#include "runtime/sync.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct fw_runtime_options options;

void *fw_real_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void begin_story(struct fw_thread *t)
{
    fw_telling_begin();
    fw_modules_begin(t);
    fw_sink_put_text(t, FW_WIRE_NOTE, 0, NULL, "partial=accesses that overlapped");
    fw_sink_put_more(t, FW_WIRE_START, 0, 0, 0, 0);
    fw_telling_end();
}

static void follow_module(const char *path, uintptr_t base)
{
    fw_targets_module(path, base);
    fw_regions_module(path, base);
    fw_heal_module(path, base);
}

static void start_regions(void)
{
    if (!options.sections[0] || !fw_regions_open(options.sections))
        return;
    fw_tells_first = true;
    fw_flow_follow = fw_regions_flow;
    fw_flow_freed = fw_regions_freed;
    fw_flow_switched = fw_regions_switched;
    if (options.heal[0])
        fw_modules_always = fw_heal_open(options.heal);
}

static void start(void)
{
    bool targets = fw_targets_parse(options.targets, options.targets_length);
    struct fw_noise noise = { .seed = options.seed,
                              .strength = options.strength,
                              .micros = options.micros,
                              .everywhere = !targets,
                              .never = options.heal[0],
                              .prefer = options.prefer,
                              .learns = options.learn };
    struct fw_thread *t;

    if (options.learn)
        fw_sharing_begin();
    fw_noise_begin(&noise);
    if (options.learn || noise.prefer)
        fw_noise_watch_all();
    t = fw_overlap_adopt_main();
    if (!t) {
        fw_sink_off();
        return;
    }
    start_regions();
    fw_modules_follow = follow_module;
    fw_map_withheld = fw_reach_withheld;
    begin_story(t);
    fw_create_otherwise = fw_overlap_create;
    fw_overlap_on = true;
    fw_noise_thread(t); /* it was nobody until now */
}

/* After the real functions are known. */
static __attribute__((constructor(102))) void fw_runtime_init(void)
{
    const char *text = getenv("FOREWEAVE_OPTIONS");

    if (!text)
        return;
    fw_runtime_options_parse(&options, text);
    if (!options.atomrace)
        return;
    /* Who is healed has no recorder. */
    if (options.heal[0] ||
        (options.wire[0] && fw_sink_open(options.wire, FW_WIRE_STARTED, false)))
        start();
}

void fw_runtime_forked(void)
{
    struct fw_thread *t = fw_self;

    if (!fw_overlap_on)
        return;
    fw_sections_forked();
    fw_regions_forked();
    fw_heal_forked();
    fw_hits_forked();
    fw_sharing_forked();
    fw_sink_forget();
    if (!t) {
        fw_overlap_on = false; /* who forks was not known to us */
        return;
    }
    fw_overlap_adopt_child(t);
    if (options.wire[0] && fw_sink_open(options.wire, FW_WIRE_FORKED, false))
        begin_story(t);
}

/* Threads that go on while the process ends have nobody to tell any more. */
void fw_runtime_ending(enum fw_wire_kind kind, uint64_t operand, const char *text)
{
    struct fw_thread *t = fw_self ? fw_self : fw_overlap_nobody();

    if (!fw_overlap_on || !fw_sink.on)
        return;
    fw_telling_begin();
    if (kind != FW_WIRE_EXEC) {
        fw_hits_tell_count(t);
        fw_sharing_tell(t);
    }
    if (text)
        fw_sink_put_text(t, kind, operand, NULL, text);
    else
        fw_sink_put(t, kind, operand, 0, 0, 0);
    if (kind != FW_WIRE_EXEC) {
        fw_sink_done();
        fw_sink_off();
    }
    fw_telling_end();
}
