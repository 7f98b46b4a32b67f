/* roof.h - how fast a point could be at best on a device, and what would then bound it. */
#ifndef FAMILY_TIME_ROOF_H
#define FAMILY_TIME_ROOF_H

#include "core/device.h"
#include "core/result.h"
#include "family/family.h"

struct roof {
    enum roof_kind kind;
    double rate;    /* the measured peak: bytes/s, or flop/s for the arithmetic ones; NaN: not measured */
    double seconds; /* that the point's work takes at this rate; NaN where the rate is */
};

/* The slowest of what a point needs: memory at the level that its family names, moved as its own mix of reads and
 * writes, or arithmetic in its dtype (the roofline model: Williams, Waterman & Patterson, CACM 52 (4), 2009).
 * Only peaks that were measured on the device take part; ROOF_NONE when none of them was. `cache` is the point's
 * state of L2. */
struct roof roof_of(const struct point *point, enum cache_mode cache, const struct device *device);

/* Bytes/s of a mix of which the share `read` is read and the rest written, from the peaks of reading, copying (half
 * and half) and writing: seconds a byte are taken as linear between these. Where reading or writing is not known,
 * copying stands for it. */
double roof_of_mix(double read, double peak_read, double peak_copy, double peak_write);

/* Bytes/s that shared memory serves lanes with at best, when `peak` was measured with a word of its own for each lane:
 * 128 bytes a wavefront. Lanes that ask for the same words are served more than that by one, so that the bound is the
 * wavefronts that are left without conflicts, not the bytes. `bytes`: what lanes ask for; the rest by the access model
 * (core/result.h); where it says nothing, `peak`. */
double roof_of_shared(double peak, double bytes, double wavefronts, double conflicts);

/* Fill the result's columns that relate it to what bounds it: roof, roof_rate, fraction_peak; and the shares of nominal
 * and data-sheet DRAM bandwidth, where DRAM does. Times, work and predictions are there already. */
void roof_fill(struct result *result, const struct point *point, enum cache_mode cache,
               const struct device *device);

#endif
