/*
 * refine.h - which sections of a repository are really meant: those that good runs do not violate.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 4.3.  An end that is violated in a run that was good need not be atomic: it
 * allows everything from then on.  Runs that failed change nothing.  When nothing has changed for
 * long enough ends that were never reached allow everything as well, and sections all of whose ends
 * do are removed.  (Ends stay in a section that does not go: it is over there.)
 */
#ifndef FW_SECTIONS_REFINE_H
#define FW_SECTIONS_REFINE_H

#include "sections/sections.h"

/* What became of the sections. */
struct fw_refine_facts {
    uint64_t good, bad;   /* runs */
    uint64_t unchanged;   /* good ones since the last change */
    uint64_t before;      /* sections ... */
    uint64_t violated;    /* ... that go, since good runs violated one of their ends at least ... */
    uint64_t unseen;      /* ... and those of which no end was ever reached, or all allow all */
};

struct fw_refinement;

/* The repository is changed at the end, and must not be by others until then. */
struct fw_refinement *fw_refinement_create(struct fw_sections *sections);
void fw_refinement_destroy(struct fw_refinement *refinement);

/* What was counted at an end in the run at hand: reached, and violated so often. */
void fw_refinement_count(struct fw_refinement *refinement, uint32_t section, uint32_t end,
                         uint64_t seen, uint64_t violated);
/* The run is over; true: some ends allow everything now that did not before. */
bool fw_refinement_run(struct fw_refinement *refinement, bool good);
/* What the end allows by now. */
unsigned fw_refinement_allow(const struct fw_refinement *refinement, uint32_t section,
                             uint32_t end);

struct fw_refine_facts fw_refinement_facts(const struct fw_refinement *refinement);
/* How often the section was violated in failed runs. */
uint64_t fw_refinement_bad(const struct fw_refinement *refinement, uint32_t section);

/* Does the section go? */
bool fw_refinement_goes(const struct fw_refinement *refinement, uint32_t section);
/* Changes the repository: nothing can be asked afterwards. */
void fw_refinement_finish(struct fw_refinement *refinement);

#endif
