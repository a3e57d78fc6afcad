/*
 * values.h - reads that may see another write of the same value (--values).
 *
 * docs/soundness.md, "Values, on request", says what counts as the same.  A
 * read is *flexible* if it is not bound to its store by synchronisation and
 * another write of its variable left the value that it got.
 */
#ifndef FW_PREDICT_VALUES_H
#define FW_PREDICT_VALUES_H

#include "trace/index.h"

/* Bit by position; NULL if there is no such read. */
uint64_t *fw_values_find_flexible(const struct fw_index *index, const uint64_t *synchronised);

/* Would the read be unchanged by seeing this (untainted) write, FW_NO_EVENT: none? */
bool fw_values_same(const struct fw_index *index, uint32_t read, uint32_t write);

#endif
