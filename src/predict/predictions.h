/*
 * predictions.h - internal to predict.c: what a team hands over, and how.
 */
#ifndef FW_PREDICT_PREDICTIONS_H
#define FW_PREDICT_PREDICTIONS_H

#include "predict/predict.h"

#include <pthread.h>

FW_VEC_TYPE(fw_prediction_list, struct fw_prediction *);

struct fw_predictions {
    pthread_mutex_t lock;           /* guards all of it */
    struct fw_prediction_list list; /* in the order in which units were done */
    struct fw_predict_counts counts;
    struct fw_rejection *rejection;
};

/* Hands over a unit's predictions, *found is empty then, and adds what it counted. */
void fw_predictions_publish(struct fw_predictions *to, struct fw_prediction_list *found,
                            const struct fw_predict_counts *counts);

/* Adds how a solver answered since `before`. */
void fw_predictions_add_stats(struct fw_predictions *to, struct fw_solver_stats after,
                              struct fw_solver_stats before);

/* The earliest rejection is kept. */
void fw_predictions_reject(struct fw_predictions *to, const struct fw_prediction *prediction,
                           const struct fw_witness *witness, const struct fw_verdict *verdict);

void fw_prediction_destroy(struct fw_prediction *prediction);

/* Numbers in memory of their own. */
uint32_t *fw_copy_numbers(const uint32_t *numbers, uint32_t count);

/* Do all its events have sites? */
bool fw_prediction_has_sites(const struct fw_trace *trace, const struct fw_prediction *prediction);

/* Will the two be one finding?  Both have all their sites. */
bool fw_predictions_equal(const struct fw_trace *trace, const struct fw_prediction *a,
                          const struct fw_prediction *b);

/* Which of two equal ones will be shown? */
bool fw_prediction_is_earlier(const struct fw_trace *trace, const struct fw_prediction *a,
                              const struct fw_prediction *b);

#endif
