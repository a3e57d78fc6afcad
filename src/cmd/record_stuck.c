/* record_stuck.c - see record_stuck.h. */
#include "cmd/record_stuck.h"

#include "cmd/cmd.h"
#include "record/standstill.h"
#include "record/waiting.h"
#include "trace/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_THREADS 20u /* that are told of */

static struct fw_places *places_of(const struct fw_standstill *s)
{
    struct fw_places *places = fw_places_create();

    for (size_t i = 0; i < s->modules.all.len; i++)
        fw_places_add_module(places, s->modules.all.at[i].path, NULL, 0);
    return places;
}

static char *object_name(const struct fw_standstill *s, const struct fw_stander *stander)
{
    if (stander->kind == FW_WIRE_WAIT_JOIN)
        return fw_xasprintf("T%" PRIu64, stander->object);
    return fw_standstill_name(s, stander->object);
}

static void say_thread(const struct fw_standstill *s, struct fw_places *places,
                       const struct fw_stander *stander)
{
    char *object = object_name(s, stander), *text, *line, thread[24];
    char *site = stander->pc ? fw_standstill_name(s, stander->pc - 1) : NULL;

    snprintf(thread, sizeof thread, "T%" PRIu32, stander->thread);
    text = fw_waiting_text(&(struct fw_waiting) { thread, fw_waiting_word(stander->kind), object,
                                                  site },
                           places);
    line = stander->held_by ? fw_xasprintf(stander->held_by - 1 == stander->thread
                                               ? "%s, which it holds itself"
                                               : "%s, which T%" PRIu64 " holds",
                                           text, stander->held_by - 1)
                            : fw_xstrdup(text);
    fw_cmd_error("  %s", line);
    free(object);
    free(text);
    free(line);
    free(site);
}

static void say_all(const struct fw_standstill *s)
{
    struct fw_places *places = places_of(s);

    if (s->kind == FW_WIRE_STUCK_CYCLE)
        fw_cmd_error("the program is in a deadlock:");
    else
        fw_cmd_error("all threads of the program wait, and none is left to wake one (a signal or "
                     "another process may):");
    for (size_t i = 0; i < s->threads.len && i < MOST_THREADS; i++)
        say_thread(s, places, &s->threads.at[i]);
    if (s->threads.len > MOST_THREADS)
        fw_cmd_error("  and %zu more", s->threads.len - MOST_THREADS);
    fw_places_destroy(places);
}

static bool tell(const char *path)
{
    struct fw_standstill standstill;
    struct fw_error err;
    bool stuck = fw_standstill_read(&standstill, path, &err) == 0 && standstill.threads.len &&
                 standstill.kind != FW_WIRE_STUCK_NOT;

    if (stuck)
        say_all(&standstill);
    fw_standstill_release(&standstill);
    return stuck;
}

void fw_record_tell_stuck(const char *path)
{
    tell(path);
}

void fw_record_say_stuck(const char *path)
{
    if (tell(path))
        fw_cmd_error("  end the program (Ctrl-C), then: foreweave check %s", path);
}
