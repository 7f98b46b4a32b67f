/* inputs.h - what the time model is a function of, as columns of results. Readers compute times from them and from the peaks of a
 * device. docs/method/model.md derives the model. */
#pragma once

#include "core/result.h"
#include "family/access/model.h"

/* Fill the predicted counters and all other inputs of a supported point: the columns of PREDICTIONS and RESULT_MODEL, `model` and
 * `arithmetic`. `known`: model_predict knows the accesses. */
void inputs_fill(struct result *result, const struct point *point, const struct setup *setup,
                 const struct target *target, const struct prediction *accesses, bool known);
