/* admission.h - what a row must pass to come into a results file, by whatever way: appending, merging
 * samples, counting, computing times of several processes, joining files, replaying a journal. Each calls
 * admit_row for the row afterwards, and a device admit_device.
 *
 * invariants.h says what no file may contain. A reader refuses such a file. A writer keeps the row, and
 * leaves out what cannot be. */
#pragma once

#include "store/dataset/dataset.h"

/* Leave out of the row what no file may contain, and say so in its message and on stderr:
 *   - A row that is not ok has no samples, no times and no rates.
 *   - A row with a sample or a median time that cannot be has failed. An ok row's times are above 0.
 *   - Any other number that cannot be becomes missing, both ends of an interval if they are exchanged, and
 *     all of the energy with a part of it. Counters and energy have failed then, and have a status of their
 *     own that says so.
 * Identity, status, and references to samples and devices are not its business: invariants_row. */
void admit_row(struct dataset *dataset, size_t row);

/* Numbers of the device that cannot be become missing. */
void admit_device(struct dataset *dataset, size_t row);

/* Whether samples may come into a row that is ok; if not, `why`. An unknown clock may be one that cannot
 * be. */
bool admit_samples(struct sample *sample, size_t count, struct text *why);

/* Add to the row's message, unless it says so already. */
void admission_say(struct dataset *dataset, size_t row, const char *text);
