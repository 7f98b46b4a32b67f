/* schema.h - the columns of /results, and how a result becomes a row of them. */
#pragma once

#include "base/error.h"
#include "store/store.h"

/* Indices of the columns that this run writes, in a frame that may have others, of earlier runs. */
struct schema {
    int counter[RESULT_COUNTERS_MAX];
    int counters;
    int dram_read, dram_written; /* which of the counters dram_ratio is made of; -1: not counted */
    struct schema_kernel {
        const struct space *space;
        int axis[POINT_AXES_MAX];
    } * kernels; /* owned */
    int kernel_count;
    int backend; /* column of /devices */
};

/* Add what is missing to the columns of `dataset`, and to those of its devices. An axis or a counter that has
 * the name of a column which is always there is an error. */
int schema_make(struct schema *schema, struct dataset *dataset, const struct store_head *head,
                struct error *error);
void schema_free(struct schema *schema);

/* Fill `row` (all cells missing) of the results, and append the samples. */
int schema_put(const struct schema *schema, struct dataset *dataset, size_t row, int run,
               const struct point *point, const struct result *result, struct error *error);

/* Put counters and energy into `row`. */
void schema_put_counted(const struct schema *schema, struct dataset *dataset, size_t row,
                        const struct counted *counted);

/* Append the samples of a result to the dataset's, labelled with its process and device. */
void schema_put_samples(struct dataset *dataset, const struct result *result);

/* Add a device, or find the row of the same one (store_device). */
int schema_put_device(struct dataset *dataset, struct device *device);
