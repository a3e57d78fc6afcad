/* extract_head.c - see extract_head.h. */
#include "cmd/extract_head.h"

#include "base/alloc.h"
#include "base/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text from files: a line stays a line. */
static void put_name(struct fw_output *out, const char *name)
{
    for (; *name; name++) {
        bool control = (unsigned char)*name < ' ' || *name == 0x7f;

        fw_output_bytes(out, control ? "?" : name, 1);
    }
}

/* The extract's line of an event, and where it was. */
static void put_event(struct fw_output *out, const struct fw_extract_head *head, uint32_t event)
{
    const char *line = head->extract->text, *end;

    if (head->extract->trace->has_branches)
        line = strchr(line, '\n') + 1; /* the line that says so */
    for (uint32_t i = 0; i < event; i++)
        line = strchr(line, '\n') + 1;
    end = strchr(line, '\n');
    fw_output_printf(out, "  %.*s", (int)(end - line), line);
}

static void put_finding(struct fw_output *out, const struct fw_extract_head *head)
{
    const struct fw_witness *witness = &head->extract->witness;

    for (uint32_t i = 0; i < witness->event_count; i++) {
        uint32_t event = witness->events[i];

        put_event(out, head, event);
        fw_output_printf(out, "  (event %" PRIu64 " of the trace)\n",
                         fw_trace_index(head->trace, head->extract->from[event]));
    }
}

static const char *meaning(const struct fw_witness *witness)
{
    switch (witness->claim) {
    case FW_CLAIM_RACE:
        return "Nothing orders these two: both can be next at the same time.";
    case FW_CLAIM_DEADLOCK:
        return "Each waits for a lock that another of the threads holds.";
    case FW_CLAIM_ATOMICITY:
        return "The second comes between the other two, which should look like one step.";
    case FW_CLAIM_NONDETERMINISM:
        return witness->event_count > 1 ? "The read can see this write instead of what it saw."
                                        : "The read can come before every write, and see none.";
    case FW_CLAIM_FINAL:
        return "This write can be the last one, and leave its value instead of the other.";
    default:
        return "They can come in this order.";
    }
}

static void put_order(struct fw_output *out, const struct fw_extract_head *head)
{
    const struct fw_witness *witness = &head->extract->witness;

    if (head->extract->reordered) {
        fw_output_text(out,
                       "The events are in the order of the witness: this is how it happens.\n");
        return;
    }
    fw_output_text(out, "The events are in the order of the trace, in which it did not happen. It "
                        "does in this one:\n");
    for (uint32_t i = 0; i < witness->order_count; i++) {
        put_event(out, head, witness->order[i]);
        fw_output_text(out, "\n");
    }
    if (witness->claim == FW_CLAIM_DEADLOCK && witness->order_count == 0)
        fw_output_text(out, "  (at once)\n");
}

/* "x is accounts[3].balance" for names that were shortened. */
static void put_renamed(struct fw_output *out, const struct fw_extract_head *head,
                        enum fw_space space, bool *told)
{
    const struct fw_extract *extract = head->extract;
    uint32_t count = fw_symbols_count(extract->trace->symbols, space);
    bool *known = fw_xcalloc(count, sizeof *known);

    for (uint32_t i = 0; i < extract->trace->count; i++) {
        const struct fw_event *event = &extract->trace->events[i];
        const struct fw_event *was = &head->trace->events[extract->from[i]];
        bool is_thread = space == FW_SPACE_THREAD;
        uint32_t id = is_thread ? event->thread : event->target;
        const char *is, *before;

        if ((!is_thread && fw_kind_info[event->kind].space != space) || known[id])
            continue;
        known[id] = true;
        is = fw_symbols_name(extract->trace->symbols, space, id);
        before =
            fw_symbols_name(head->trace->symbols, space, is_thread ? was->thread : was->target);
        if (strcmp(is, before) == 0)
            continue;
        fw_output_printf(out, *told ? "; %s is " : "Names: %s is ", is);
        put_name(out, before);
        *told = true;
    }
    free(known);
}

static void put_names(struct fw_output *out, const struct fw_extract_head *head)
{
    bool told = false;

    for (int space = 0; space < FW_SPACE_SITE; space++)
        put_renamed(out, head, (enum fw_space)space, &told);
    if (told)
        fw_output_text(out, ".\n");
}

static void put_next(struct fw_output *out, const struct fw_extract_head *head)
{
    if (!head->output)
        return;
    if (head->program)
        fw_output_printf(
            out,
            "Next: foreweave cc -g %s -o program && foreweave record -o program.fwt -- "
            "./program\n      foreweave check %sprogram.fwt\n",
            head->output, head->options);
    else
        fw_output_printf(out,
                         "Next: foreweave check %s%s\n      foreweave tiddle compile %s -o "
                         "program.c\n",
                         head->options, head->output, head->output);
}

char *fw_extract_head(const struct fw_extract_head *head)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_output_printf(&out, "What finding ");
    put_name(&out, head->id);
    fw_output_printf(&out, " (%s) of ", head->kind);
    put_name(&out, head->trace_name);
    fw_output_printf(&out, " needs: %" PRIu32 " of %" PRIu32 " events.\n",
                     head->extract->trace->count, head->trace->count);
    put_finding(&out, head);
    fw_output_printf(&out, "%s\n", meaning(&head->extract->witness));
    put_order(&out, head);
    if (head->extract->left_out)
        fw_output_text(&out, "What the threads had read before is left out: it is too much.\n");
    put_names(&out, head);
    put_next(&out, head);
    text = fw_xasprintf("%.*s", (int)out.used, out.buffer);
    fw_output_abandon(&out);
    return text;
}
