/*
 * forecast_detail.h - what a prediction means, in a sentence or two.
 */
#ifndef FW_ANALYSIS_FORECAST_DETAIL_H
#define FW_ANALYSIS_FORECAST_DETAIL_H

#include "predict/predict.h"

/* Lines for people, the caller's to free; NULL: nothing to add to the events. */
char *fw_prediction_detail(const struct fw_index *index, const struct fw_prediction *prediction);

/* The write that a read saw in the trace, at a place that has a site if there is one; FW_NO_EVENT:
 * none. */
uint32_t fw_prediction_saw(const struct fw_index *index, uint32_t read);

#endif
