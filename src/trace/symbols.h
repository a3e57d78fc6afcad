/*
 * symbols.h - the names of a trace: one string table for each space.
 *
 * Ids are dense and in order of first appearance in the file.  Id 0 of the
 * block and site tables is the empty name.  Several variables may share a
 * name: an allocation of a name that is known starts a new variable.
 *
 * A reader owns its symbols and only ever adds to them; a trace takes them
 * over.  Borrowed pointers stay good while the owner lives.  While one thread
 * reads a trace, others may ask for counts and for the names of ids that they
 * were handed.
 */
#ifndef FW_TRACE_SYMBOLS_H
#define FW_TRACE_SYMBOLS_H

#include "base/strtab.h"
#include "trace/event.h"

#include <stdio.h>
#include <string.h>

struct fw_places;

struct fw_symbols {
    struct fw_strtab table[FW_SPACE_COUNT];
    struct fw_places *places; /* where names come from (places.h), or NULL; owned */
};

struct fw_symbols *fw_symbols_create(void);
void fw_symbols_destroy(struct fw_symbols *symbols);
/* Takes all names out again; nobody may have been handed one. */
void fw_symbols_clear(struct fw_symbols *symbols);

static inline uint32_t fw_symbols_count(const struct fw_symbols *symbols, enum fw_space space)
{
    return fw_strtab_count(&symbols->table[space]);
}

static inline const char *fw_symbols_name(const struct fw_symbols *symbols, enum fw_space space,
                                          uint32_t id)
{
    return fw_strtab_text(&symbols->table[space], id);
}

/* Does the variable hold no data, but stand for what comes before what ("hb:NAME": annotations, the
 * kernel)? */
static inline bool fw_variable_is_order(const struct fw_symbols *symbols, uint32_t variable)
{
    return strncmp(fw_symbols_name(symbols, FW_SPACE_VARIABLE, variable), "hb:", 3) == 0;
}

static inline const char *fw_thread_name(const struct fw_symbols *symbols, uint32_t thread)
{
    return fw_symbols_name(symbols, FW_SPACE_THREAD, thread);
}

/* Writes "acq(L1)", "br" or "fork(T2)": the event as STD spells it, cut to fit; returns text. */
const char *fw_event_text(const struct fw_symbols *symbols, const struct fw_event *event,
                          char *text, size_t size);

/*
 * The canonical spelling of a thread name: bare digits get a T in front, since
 * dialects write fork(9) for thread T9.  Returns the id.
 */
uint32_t fw_symbols_intern_thread(struct fw_symbols *symbols, const char *name, size_t len);

#endif
