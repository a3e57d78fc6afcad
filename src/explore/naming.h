/*
 * naming.h - points by name: a function, or FILE:LINE.
 *
 * When a run meets a site for the first time the controller is asked about it (session.h,
 * fw_classify); sites in a named place are marked as points before the run goes on.  A place is in
 * a function also if it is inlined there.  FILE may be the end of a path: deposit.c:12 is
 * src/deposit.c:12.  One for each session.
 */
#ifndef FW_EXPLORE_NAMING_H
#define FW_EXPLORE_NAMING_H

#include "runtime/control_wire.h"
#include "symbol/symbolizer.h"

struct fw_naming {
    const char *const *names; /* NULL behind the last; borrowed */
    bool *met;                /* by name: a site was there */
    struct fw_symbolizer *symbolizer;
};

void fw_naming_init(struct fw_naming *naming, const char *const *names);
void fw_naming_release(struct fw_naming *naming);

/* fw_classify of session.h; the context is the naming. */
uint32_t fw_naming_classify(void *naming, const char *module, const struct fw_control_site *site);

/* Is the frame in the place? */
bool fw_naming_fits(const char *name, const struct fw_source_frame *frame);

#endif
