/* recording.c - see recording.h. */
#include "record/recording.h"

#include <string.h>

/* Cuts a value into its lines. */
static void take_lines(struct fw_recording *recording, const struct fw_reader *reader,
                       const char *key, struct fw_lines *lines)
{
    const char *value = fw_reader_metadata(reader, key);
    char *text;

    if (!value)
        return;
    text = fw_xstrdup(value);
    fw_vec_push(&recording->texts, text);
    for (char *next; text; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        fw_vec_push(lines, text);
    }
}

/* Ids and ranges of ids, ascending: "3 17-19"; how many.  Stops at what is anything else. */
static uint64_t take_ids(struct fw_id_ranges *ranges, const char *text)
{
    uint64_t count = 0;

    while (text && *text) {
        char *end;
        unsigned long long first = strtoull(text, &end, 10), last = first;

        if (end == text)
            break;
        if (*end == '-')
            last = strtoull(end + 1, &end, 10);
        if (last > UINT32_MAX || first > last ||
            (ranges->len && fw_vec_last(ranges).last >= first))
            break;
        fw_vec_push(ranges, ((struct fw_id_range) { (uint32_t)first, (uint32_t)last }));
        count += last - first + 1;
        text = end + strspn(end, " ");
    }
    return count;
}

void fw_recording_init(struct fw_recording *r, const struct fw_reader *reader)
{
    const struct {
        const char *key;
        const char **value;
    } texts[] = {
        { "command", &r->command },   { "program", &r->program }, { "process", &r->process },
        { "seed", &r->seed },         { "quantum", &r->quantum }, { "exit", &r->exit },
        { "signal", &r->signal },     { "exec", &r->exec },       { "dropped", &r->dropped },
        { "first-drop", &r->first_drop }, { "damage", &r->damage },
    };
    const char *accesses = fw_reader_metadata(reader, "accesses");

    memset(r, 0, sizeof *r);
    r->known = fw_reader_metadata(reader, "recorder") || accesses;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].value = fw_reader_metadata(reader, texts[i].key);
    /* Where only the beginning was read, nothing is known of what the end says. */
    r->accesses = !accesses || strcmp(accesses, "none") != 0;
    take_lines(r, reader, "uninstrumented", &r->plain);
    take_lines(r, reader, "uninstrumented-system", &r->system);
    take_lines(r, reader, "unmodelled", &r->unmodelled);
    take_lines(r, reader, "inexact", &r->inexact);
    take_lines(r, reader, "partial", &r->partial);
    take_lines(r, reader, "shared", &r->shared);
    take_lines(r, reader, "off", &r->off);
    take_lines(r, reader, "thread-names", &r->thread_names);
    take_lines(r, reader, "notes", &r->notes);
    take_lines(r, reader, "waiting", &r->waiting);
    r->expected_count = take_ids(&r->expected, fw_reader_metadata(reader, "expected"));
    r->unseen_count = take_ids(&r->unseen, fw_reader_metadata(reader, "unseen"));
}

void fw_recording_add_unhooked(struct fw_recording *r, char *text)
{
    fw_vec_push(&r->texts, text);
    fw_vec_push(&r->unhooked, text);
}

void fw_recording_release(struct fw_recording *r)
{
    struct fw_lines *const lists[] = { &r->plain, &r->system,       &r->unmodelled, &r->inexact,
                                       &r->off,   &r->thread_names, &r->notes,
                                       &r->waiting, &r->unhooked,     &r->partial,    &r->shared };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        fw_vec_release(lists[i]);
    for (size_t i = 0; i < r->texts.len; i++)
        free(r->texts.at[i]);
    fw_vec_release(&r->texts);
    fw_vec_release(&r->expected);
    fw_vec_release(&r->unseen);
}
