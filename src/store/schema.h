/* schema.h - the columns of /results, and how a result becomes a row of them. */
#pragma once

#include "base/error.h"
#include "store/store.h"

/* The columns of this run's counters. Others of the file are of earlier runs. */
struct schema {
    const struct space **space; /* owned: of this run, NULL-terminated */
    int counter[RESULT_COUNTERS_MAX];
    int counters;
};

/* Add what is missing to the columns of `dataset`, and to those of its devices. An axis or a counter that has
 * the name of a column which is always there is an error. */
int schema_make(struct schema *schema, struct dataset *dataset, const struct store_head *head,
                struct error *error);

/* Fill `row` (all cells missing) of the results, and append the samples. The point is of one of the head's
 * spaces. */
int schema_put(const struct schema *schema, struct dataset *dataset, size_t row, int run,
               const struct point *point, const struct result *result, struct error *error);

/* Put counters and energy into `row`. */
void schema_put_counted(const struct schema *schema, struct dataset *dataset, size_t row,
                        const struct counted *counted);

/* A hash as its column has it: "" of 0, which is unknown. */
#define SCHEMA_HASH_SIZE 17
void schema_hash(uint64_t hash, char text[SCHEMA_HASH_SIZE]);

/* Append the samples of a result to the dataset's, labelled with its process and device. */
void schema_put_samples(struct dataset *dataset, const struct result *result);

/* Add a device, or find the row of the same one (store_device). */
int schema_put_device(struct dataset *dataset, struct device *device);
