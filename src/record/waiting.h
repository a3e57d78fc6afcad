/*
 * waiting.h - what a thread waits for, in words.
 */
#ifndef FW_RECORD_WAITING_H
#define FW_RECORD_WAITING_H

#include "runtime/wire.h"
#include "trace/places.h"

/* Names as traces have them: PATH+0xOFFSET, or anything else. */
struct fw_waiting {
    const char *thread;
    const char *word;   /* lock, condition, ... */
    const char *object;
    const char *site;   /* NULL: unknown */
};

/* The word for a kind of waiting, and where the names of such objects are. */
const char *fw_waiting_word(enum fw_wire_wait kind);
enum fw_space fw_waiting_space(enum fw_wire_wait kind);

/* "T1 waits for lock 'm' at file.c:12"; places may be NULL.  The caller frees it. */
char *fw_waiting_text(const struct fw_waiting *waiting, struct fw_places *places);

/* Takes a line of a trace's metadata apart, in place; false: it is none. */
bool fw_waiting_parse(char *line, struct fw_waiting *waiting);

#endif
