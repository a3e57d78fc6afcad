/* waiting.c - see waiting.h. */
#include "record/waiting.h"

#include "base/alloc.h"
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum fw_space space;
} words[FW_WIRE_WAIT_COUNT] = {
    [FW_WIRE_WAIT_NONE] = { "something", FW_SPACE_VARIABLE },
    [FW_WIRE_WAIT_LOCK] = { "lock", FW_SPACE_LOCK },
    [FW_WIRE_WAIT_SHARED] = { "lock", FW_SPACE_LOCK },
    [FW_WIRE_WAIT_CONDITION] = { "condition", FW_SPACE_CONDITION },
    [FW_WIRE_WAIT_SEMAPHORE] = { "semaphore", FW_SPACE_SEMAPHORE },
    [FW_WIRE_WAIT_BARRIER] = { "barrier", FW_SPACE_BARRIER },
    [FW_WIRE_WAIT_JOIN] = { "thread", FW_SPACE_THREAD },
    [FW_WIRE_WAIT_ONCE] = { "initialisation", FW_SPACE_VARIABLE },
};

const char *fw_waiting_word(enum fw_wire_wait kind)
{
    return words[kind < FW_WIRE_WAIT_COUNT ? kind : FW_WIRE_WAIT_NONE].word;
}

enum fw_space fw_waiting_space(enum fw_wire_wait kind)
{
    return words[kind < FW_WIRE_WAIT_COUNT ? kind : FW_WIRE_WAIT_NONE].space;
}

static enum fw_space space_of(const char *word)
{
    for (size_t i = 0; i < FW_WIRE_WAIT_COUNT; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].space;
    return FW_SPACE_VARIABLE;
}

char *fw_waiting_text(const struct fw_waiting *waiting, struct fw_places *places)
{
    enum fw_space space = space_of(waiting->word);
    bool thread = space == FW_SPACE_THREAD;
    char *object = thread ? fw_xstrdup(waiting->object)
                          : fw_places_text(places, space, waiting->object);
    char *site = waiting->site ? fw_places_text(places, FW_SPACE_SITE, waiting->site) : NULL;
    char *text = fw_xasprintf("%s waits for %s %s%s%s%s%s", waiting->thread, waiting->word,
                              thread ? "" : "'", object, thread ? "" : "'", site ? " at " : "",
                              site ? site : "");

    free(object);
    free(site);
    return text;
}

static char *take_field(char **line)
{
    char *field = *line, *tab = field ? strchr(field, '\t') : NULL;

    if (tab)
        *tab++ = '\0';
    *line = tab;
    return field;
}

bool fw_waiting_parse(char *line, struct fw_waiting *waiting)
{
    waiting->thread = take_field(&line);
    waiting->word = take_field(&line);
    waiting->object = take_field(&line);
    waiting->site = take_field(&line);
    if (waiting->site && strcmp(waiting->site, "-") == 0)
        waiting->site = NULL;
    return waiting->object != NULL;
}
