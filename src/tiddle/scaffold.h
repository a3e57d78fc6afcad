/*
 * scaffold.h - the fixed text of generated programs, in pieces.
 *
 * A program is head, tables, turn or free, common, turn_read or free_read, the
 * objects and threads of the trace, turn_main or free_main.  Between the pieces
 * stand what emit.c prints: the macros EVENTS, THREADS, SLOTS, HEAP, TRACES,
 * ORDER, BRANCHES, WAITS and DELAY, and the tables foreweave_ignore_text and
 * foreweave_ignore_thread_of.
 */
#ifndef FW_TIDDLE_SCAFFOLD_H
#define FW_TIDDLE_SCAFFOLD_H

extern const char fw_scaffold_head[];
extern const char fw_scaffold_common[];

extern const char fw_scaffold_turn[];
extern const char fw_scaffold_turn_read[];
extern const char fw_scaffold_turn_main[];

extern const char fw_scaffold_free[];
extern const char fw_scaffold_free_read[];
extern const char fw_scaffold_free_main[];

#endif
