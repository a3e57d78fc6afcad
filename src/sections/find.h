/*
 * find.h - atomic sections that a program probably means, from traces of its own.
 *
 * Looked for is what one thread does to one variable within one activation of one function, if
 * two threads access the variable and one of them writes it.  Sources are Letko, Vojnar, Křena,
 * "AtomRace: data race and atomicity violation detector and healer", PADTAD 2008, sections 4.1 and
 * 4.2, who look for the same in code:
 *
 *   load-and-store  loads and then a store in one line, nothing else in between: from the first
 *                   load to the store, others may read
 *   test-and-use    a load, a branch, further loads, no store in between: from the first to the
 *                   last, others may read
 *   invariant       each pair of accesses that follow each other; others may do what Table 1 there
 *                   does not call unserialisable
 *   annotation      the first and the last access within an annotated atomic block; others may read
 *                   if the block writes once at most, and write if it does not read
 *
 * Of several that begin at the same access the first kind of annotation, load-and-store,
 * test-and-use, invariant counts; a load-and-store section also has the ends of the invariant that
 * are in other lines.
 *
 * A recording leaves repeated accesses out unless it is asked for them (foreweave record
 * --repeats), and then most pairs are missing: `lacking` counts such traces.
 *
 * Traces are read twice, whatever they hold is forgotten after each.  Not thread-safe.
 */
#ifndef FW_SECTIONS_FIND_H
#define FW_SECTIONS_FIND_H

#include "base/error.h"
#include "sections/sections.h"

struct fw_finder;

/* What was met. */
struct fw_finder_facts {
    uint64_t traces, lacking; /* lacking: traces in which repeats were left out */
    uint64_t variables;       /* that are shared and written, in the trace with most */
    uint64_t unknown;         /* accesses of them whose line is not known */
    uint64_t spread;          /* blocks whose first and last access are in different functions */
};

/* origins: 1u << FW_ORIGIN_... of those that are wanted. */
struct fw_finder *fw_finder_create(unsigned origins);
void fw_finder_destroy(struct fw_finder *finder);

/* Takes a trace in.  -1: it cannot be read, is not a recording, or its program has changed. */
int fw_finder_add(struct fw_finder *finder, const char *path, struct fw_error *err);

/* What was found, by file and line. */
void fw_finder_finish(struct fw_finder *finder, struct fw_sections *sections);

const struct fw_finder_facts *fw_finder_facts(const struct fw_finder *finder);

/* What others may do between two accesses: the complement of Table 1. */
unsigned fw_invariant_allows(bool first_writes, bool second_writes);

#endif
