/* roof.h - the roofline model: the highest rate that a point can reach on a device, and the resource that
 * limits it. Inputs of the time model. */
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "family/access/model.h"
#include "family/family.h"

struct roof {
    enum roof_kind kind;
    double rate;    /* the measured peak: bytes/s, or flop/s for the arithmetic ones; NaN: not measured */
    double seconds; /* time of the point's work at this rate; NaN if the rate is */
};

/* The slower of two resources: memory at the family's level, with the point's mix of reads and writes, and
 * arithmetic in the point's dtype (Williams, Waterman & Patterson, Roofline, CACM 52 (4), 2009). Only
 * measured peaks of the device count; ROOF_none if there are none. `cache`: the state of L2 at the start.
 * `link_peak`: the measured peak one way of the link of a point of two devices; NaN if unknown. */
struct roof roof_of(const struct point *point, enum cache_mode cache, const struct device *device,
                    double link_peak);

/* The arithmetic of a point: that of tensor cores if its family computes with them, in its dtype, or in f32
 * for dtypes without arithmetic; without an axis dtype in f16 on tensor cores, else in f32. ROOF_none: tensor
 * cores have no product of that type. */
enum roof_kind roof_of_type(const struct point *point);

/* Peak bytes/s of a mix with the share `read` of reads, from the peaks of reading, copying (share 0.5) and
 * writing. Seconds per byte are interpolated linearly between these. An unknown peak of reading or writing is
 * replaced by that of copying. */
double roof_of_mix(double read, double peak_read, double peak_copy, double peak_write);

/* Fill the result columns roof and roof_links, of which readers derive the rate of the roof and the share of
 * it. Work and link_peak must be filled before. */
void roof_fill(struct result *result, const struct point *point, enum cache_mode cache,
               const struct device *device);

/* Fill the predicted counters and what else the time model is a function of (docs/method/model.md): the
 * columns of PREDICTIONS and RESULT_MODEL, `model` and `arithmetic`, of a supported point. `known`:
 * model_predict knows the accesses. */
void inputs_fill(struct result *result, const struct point *point, const struct setup *setup,
                 const struct target *target, const struct prediction *accesses, bool known);
