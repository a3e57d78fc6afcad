/*
 * final.h - variables whose last value may differ (nondet with --final-reads).
 */
#ifndef FW_PREDICT_FINAL_H
#define FW_PREDICT_FINAL_H

#include "predict/suspect.h"

/*
 * Fills in a unit with the writes of the next variable, *variable or later, that could come last
 * instead of the one that did; false: there are no more.
 */
bool fw_final_next(const struct fw_core *core, bool values, uint32_t *variable,
                   struct fw_unit *unit);

#endif
