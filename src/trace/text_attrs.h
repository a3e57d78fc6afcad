/*
 * text_attrs.h - the attribute list of a text trace: "ord=acq,rf=12,size=4".
 *
 * Each attribute is good for some kinds only: ord for atomic operations and
 * fences; rf for what answers another event (reads, wake, pend); size for
 * accesses, alloc and free; val for accesses.
 */
#ifndef FW_TRACE_TEXT_ATTRS_H
#define FW_TRACE_TEXT_ATTRS_H

#include "base/error.h"
#include "trace/event.h"

#include <stddef.h>

/*
 * Reads a list of key=value items, separated by commas, into *attr (which the caller has set to
 * zero, or to what it knows already) and *order.  Unknown, misplaced and repeated keys and bad
 * values are errors: -1 with a cause that lacks the position.  An empty list is fine.
 */
int fw_text_parse_attrs(const char *list, size_t len, enum fw_kind kind, const char *kind_name,
                        struct fw_attr *attr, unsigned *order, struct fw_error *err);

/* A whole decimal number: 0, or -1 if it is none or out of range. */
int fw_text_parse_u64(const char *text, size_t len, uint64_t *number);
int fw_text_parse_i64(const char *text, size_t len, int64_t *number);

#endif
