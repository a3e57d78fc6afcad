/*
 * idsort.h - ids in ascending order, each once.
 *
 * Much faster than qsort where ids are small numbers, as ours are.
 */
#ifndef FW_BASE_IDSORT_H
#define FW_BASE_IDSORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts the ids and drops repetitions; how many are left. */
size_t fw_idsort_unique(uint32_t *at, size_t len);

#endif
