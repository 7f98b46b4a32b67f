/* trace.h - what runs on the device during a launch, by CUPTI's activity API. */
#pragma once

#include "base/error.h"
#include "core/activity.h"

/* Call `prepare`, then record what runs on the device during `launch`; both wait for the device. The recording ends with the call.
 * It must not overlap with counting (cupti.h). The result is valid until the next call; NULL with an ERROR_ENVIRONMENT. */
struct activity *trace_launch(void (*prepare)(void *), void (*launch)(void *), void *context,
                              struct error *error);
