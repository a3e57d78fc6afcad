/* text_where.c - see text_state.h. */
#include "report/text_state.h"

#include "report/location.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_control(char letter)
{
    return (unsigned char)letter < ' ' || letter == 0x7f;
}

void fw_text_name(struct fw_text *text, const char *name)
{
    while (*name) {
        size_t len = 0;

        while (name[len] && !is_control(name[len]))
            len++;
        fw_output_bytes(text->out, name, len);
        name += len;
        if (*name) {
            fw_output_text(text->out, "?");
            name++;
        }
    }
}

void fw_text_symbol(struct fw_text *text, enum fw_space space, uint32_t id)
{
    fw_text_name(text, fw_symbols_name(text->symbols, space, id));
}

void fw_text_by_thread(struct fw_text *text, uint32_t thread)
{
    const char *name = fw_thread_name(text->symbols, thread);

    if (strcmp(name, "T0") == 0) {
        fw_output_text(text->out, " by main thread");
        return;
    }
    fw_output_text(text->out, " by thread ");
    fw_text_name(text, name);
}

/* --- stacks ------------------------------------------------------------------------------ */

void fw_text_place(struct fw_text *text, uint32_t site, uint32_t stack)
{
    if (site) {
        fw_output_text(text->out, " at ");
        fw_text_symbol(text, FW_SPACE_SITE, site);
    }
    fw_report_stack(&text->frames, text->symbols, text->contexts, site, stack, FW_TEXT_FRAMES);
    fw_text_in_function(text, site);
}

/* The function of the stack that the site lies in: what it inlines from system headers comes
 * before it. */
static const char *function_at(const struct fw_text *text, const char *where)
{
    const struct fw_report_frame *frames = text->frames.at;

    for (size_t i = 0; i < text->frames.len && !frames[i].site && frames[i].at.file; i++) {
        size_t len = strlen(frames[i].at.file);

        if (strncmp(where, frames[i].at.file, len) == 0 && where[len] == ':' &&
            strtoul(where + len + 1, NULL, 10) == frames[i].at.line)
            return frames[i].function;
    }
    return frames[0].function;
}

void fw_text_in_function(struct fw_text *text, uint32_t site)
{
    const char *where = fw_symbols_name(text->symbols, FW_SPACE_SITE, site), *function;
    size_t len;

    if (!text->frames.len)
        return;
    function = function_at(text, where);
    len = strlen(function);
    /* Without debug information the site is FUNCTION+0xOFFSET. */
    if (strncmp(where, function, len) == 0 && where[len] == '+')
        return;
    fw_output_text(text->out, " in ");
    fw_text_name(text, function);
}

static void put_frame(struct fw_text *text, size_t number, const struct fw_report_frame *frame)
{
    fw_output_printf(text->out, "    #%zu ", number);
    fw_text_name(text, frame->function);
    if (frame->site && *frame->site) {
        fw_output_text(text->out, " ");
        fw_text_name(text, frame->site);
    } else if (!frame->site && frame->at.file) {
        fw_output_text(text->out, " ");
        fw_text_name(text, frame->at.file);
        fw_output_printf(text->out, ":%u", frame->at.line);
    }
    fw_output_text(text->out, "\n");
}

void fw_text_stack(struct fw_text *text, uint32_t site, uint32_t stack)
{
    bool whole =
        fw_report_stack(&text->frames, text->symbols, text->contexts, site, stack, FW_TEXT_FRAMES);

    for (size_t i = 0; i < text->frames.len; i++)
        put_frame(text, i, &text->frames.at[i]);
    if (!whole)
        fw_output_text(text->out, "    ...\n");
}

/* --- memory ------------------------------------------------------------------------------ */

static void put_global(struct fw_text *text, const struct fw_location *location)
{
    const struct fw_source_variable *global = &location->global;

    fw_output_text(text->out, "  Location is ");
    if (strcmp(global->name, global->object) != 0) {
        fw_output_text(text->out, "'");
        fw_text_name(text, location->name);
        fw_output_text(text->out, "' in global '");
        fw_text_name(text, global->object);
    } else {
        fw_output_text(text->out, "global '");
        fw_text_name(text, location->name);
    }
    fw_output_text(text->out, "'");
    if (global->size)
        fw_output_printf(text->out, " of size %" PRIu64, global->size);
    if (global->declared.file) {
        fw_output_text(text->out, " (");
        fw_text_name(text, global->declared.file);
        fw_output_printf(text->out, ":%u)", global->declared.line);
    }
    fw_output_text(text->out, "\n");
}

static void put_heap(struct fw_text *text, const struct fw_location *location)
{
    const struct fw_origin *origin = location->origin;

    fw_output_text(text->out, "  Location is ");
    if (location->offset)
        fw_output_printf(text->out, "offset %" PRIu64 " of ", location->offset);
    fw_output_printf(text->out, "heap block %" PRIu64 " ('", location->block);
    fw_text_name(text, location->name);
    fw_output_text(text->out, "')");
    if (origin) {
        fw_output_text(text->out, " allocated");
        fw_text_by_thread(text, origin->thread);
        fw_text_place(text, origin->site, origin->context.stack);
    }
    fw_output_text(text->out, "\n");
    if (origin)
        fw_text_stack(text, origin->site, origin->context.stack);
}

void fw_text_location(struct fw_text *text, uint32_t variable)
{
    struct fw_location location = fw_report_location(text->symbols, text->contexts, variable);

    if (location.kind == FW_LOCATION_GLOBAL) {
        put_global(text, &location);
    } else if (location.kind == FW_LOCATION_HEAP) {
        put_heap(text, &location);
    } else if (location.kind == FW_LOCATION_STACK) {
        fw_output_text(text->out, "  Location is stack of thread ");
        fw_text_name(text, location.thread);
        fw_output_text(text->out, " ('");
        fw_text_name(text, location.name);
        fw_output_text(text->out, "')\n");
    } else {
        fw_output_text(text->out, "  Location is variable '");
        fw_text_name(text, location.name);
        fw_output_text(text->out, "'\n");
    }
}

/* --- threads ----------------------------------------------------------------------------- */

/* Traces written by hand say no more than the thread's name does: then nothing is said. */
static void put_creation(struct fw_text *text, uint32_t thread)
{
    const struct fw_origin *fork = fw_contexts_fork(text->contexts, thread);

    if (!fork || (!fork->site && !fork->context.stack))
        return;
    fw_output_text(text->out, "  Thread ");
    fw_text_symbol(text, FW_SPACE_THREAD, thread);
    fw_output_text(text->out, " created");
    fw_text_by_thread(text, fork->thread);
    fw_text_place(text, fork->site, fork->context.stack);
    fw_output_text(text->out, "\n");
    fw_text_stack(text, fork->site, fork->context.stack);
}

void fw_text_threads(struct fw_text *text, const struct fw_finding *finding)
{
    for (size_t i = 0; i < finding->events.len; i++) {
        uint32_t thread = finding->events.at[i].thread;
        size_t first = 0;

        while (finding->events.at[first].thread != thread)
            first++;
        if (first == i)
            put_creation(text, thread);
    }
}
