/*
 * source_text.h - lines of source files, blanks squeezed.
 *
 * Files are read when a line of theirs is asked for first.  Not thread-safe.
 */
#ifndef FW_SYMBOL_SOURCE_TEXT_H
#define FW_SYMBOL_SOURCE_TEXT_H

#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <time.h>

#define FW_SOURCE_TEXT 160u /* bytes that are kept of a line */

struct fw_source_texts;

struct fw_source_texts *fw_source_texts_create(void);
void fw_source_texts_destroy(struct fw_source_texts *texts);

/* Files that were changed after this moment count as unreadable: what was built from them was built
 * from something else.  Before the first line is asked for. */
void fw_source_texts_until(struct fw_source_texts *texts, const struct timespec *newest);

/* The line (from 1) without blanks at its ends, one for several within; NULL: it cannot be read.
 * A relative file is looked for in the directory (may be NULL), then here.  Good until the next
 * call. */
const char *fw_source_text(struct fw_source_texts *texts, const char *directory, const char *file,
                           unsigned line);

/* Is this file one of the system: its headers and libraries? */
bool fw_source_is_foreign(const char *path);
/* The innermost frame that is in no such file, or the innermost one at all; NULL: there is none. */
const struct fw_source_frame *fw_source_own_frame(const struct fw_source_frame *frames,
                                                  size_t count);

#endif
