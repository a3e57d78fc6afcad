/*
 * toy.h - an analysis for tests of the engine and the reports, never shipped.
 *
 * It reports each access that conflicts with the latest access of the same
 * variable by another thread: many findings, no theory.  On the way it asks
 * for the names and contexts that the setup offers, as real analyses do.
 */
#ifndef FW_TESTS_TOY_H
#define FW_TESTS_TOY_H

#include "analysis/analysis.h"

extern const struct fw_analysis fw_analysis_toy;

/* The same events as unserialisable triples, with label and detail; observed. */
extern const struct fw_analysis fw_analysis_toy_triples;

/* Pairs of acquires and other operations on a lock by different threads, as deadlocks. */
extern const struct fw_analysis fw_analysis_toy_locks;

/* Analyses of this file that are created and not destroyed. */
extern int fw_toys_alive;

#endif
