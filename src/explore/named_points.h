/*
 * named_points.h - points by name: a function, or FILE:LINE.
 *
 * When a run meets a site for the first time the controller is asked about it (session.h,
 * fw_classify); sites in a named place are marked as points before the run goes on.  A place is in
 * a function also if it is inlined there.  FILE may be the end of a path: deposit.c:12 is
 * src/deposit.c:12.  One for each session.
 */
#ifndef FW_EXPLORE_NAMED_POINTS_H
#define FW_EXPLORE_NAMED_POINTS_H

#include "runtime/control_wire.h"
#include "symbol/symbolizer.h"

struct fw_named_points {
    const char *const *names; /* NULL behind the last; borrowed */
    bool *met;                /* by name: a site was there */
    struct fw_symbolizer *symbolizer;
};

void fw_named_points_init(struct fw_named_points *points, const char *const *names);
void fw_named_points_release(struct fw_named_points *points);

/* fw_classify of session.h; the context is the points. */
uint32_t fw_named_points_classify(void *points, const char *module,
                                  const struct fw_control_site *site);

/* Is the frame in the place? */
bool fw_named_points_fits(const char *name, const struct fw_source_frame *frame);

#endif
