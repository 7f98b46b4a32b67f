/* prediction.h - a side of a comparison that `warpsweep predict` made: its estimates, and how wrong they may be.
 *
 * Nothing is known of how far the time model is off on a device that nobody measured. What is known is how far it was off on
 * the measured side's points, which carry their own predictions: by family, the root mean square of the logarithm of
 * measured over predicted time. That is taken as the prediction's standard error, beside its profile's interval. Points whose
 * addresses the model does not know are left out: of those it predicts a lower bound, however far off. */
#ifndef ANALYSIS_PREDICTION_H
#define ANALYSIS_PREDICTION_H

#include "statistics/levels.h"
#include "store/store.h"

/* Was the row predicted, not measured? */
bool prediction_is(const struct dataset *dataset, size_t row);

/* How far the model was off on the measured points of a file, by family. */
struct prediction_errors; /* opaque */
struct prediction_errors *prediction_errors_of(const struct dataset *measured);
void prediction_errors_free(struct prediction_errors *errors);

/* The estimate of a predicted row; LEVELS_NONE where the model knows no addresses. Where `errors` knows nothing of its family (NULL: of none), its error is NaN, and no
 * verdict rests on it. The error is a family's in common: it does not average out over points. */
struct levels_estimate prediction_estimate(const struct dataset *dataset, size_t row,
                                           const struct prediction_errors *errors);

#endif
