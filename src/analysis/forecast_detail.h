/*
 * forecast_detail.h - what a prediction means, in a sentence or two.
 */
#ifndef FW_ANALYSIS_FORECAST_DETAIL_H
#define FW_ANALYSIS_FORECAST_DETAIL_H

#include "predict/predict.h"

/* Lines for people, the caller's to free; NULL: nothing to add to the events. */
char *fw_prediction_detail(const struct fw_index *index, const struct fw_prediction *prediction);

#endif
