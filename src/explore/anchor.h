/*
 * anchor.h - places of the code as classes that are the same in every build.
 *
 * A class is an operation in a line of a function of the user's own code; see struct fw_anchor.
 * Where the innermost function is one of a header (std::lock_guard, a container), the user's line
 * that calls it counts, be it inlined or not.  The line is known by its text, so lines that are
 * added elsewhere do not matter; if the source cannot be read, by its distance from the function's
 * first line.  Without debug information the function is all that is known, and in libraries the
 * operation alone.
 *
 * Numbers of classes begin at 1.  Not thread-safe.
 */
#ifndef FW_EXPLORE_ANCHOR_H
#define FW_EXPLORE_ANCHOR_H

#include "explore/schedule.h"
#include "runtime/control_wire.h"
#include "symbol/symbolizer.h"

struct fw_anchors;

struct fw_anchors *fw_anchors_create(void);
void fw_anchors_destroy(struct fw_anchors *anchors);

/* The class of the anchor, made if it is new. */
uint32_t fw_anchors_class(struct fw_anchors *anchors, const struct fw_anchor *anchor);
/* What a class is; borrowed. */
const struct fw_anchor *fw_anchors_get(const struct fw_anchors *anchors, uint32_t class_);

/* fw_classify of session.h.  The context is the anchors.  Learning: every site gets a class.
 * Matching: only those that fit a class that is there, others get 0. */
uint32_t fw_anchors_learn(void *anchors, const char *module, const struct fw_control_site *site);
uint32_t fw_anchors_match(void *anchors, const char *module, const struct fw_control_site *site);

/* Where a point is in the source, for people: "deposit at lost.c:12 (write)".  Owned by the
 * caller. */
char *fw_anchors_place(struct fw_anchors *anchors, const char *module,
                       const struct fw_control_site *site);

/* Does the program or library name this function, in symbols or debug information?  No for those
 * of the system. */
bool fw_anchors_names(const char *path, const char *function);

#endif
