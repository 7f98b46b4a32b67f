/* mpi_launch.h - launches of an MPI job (ENGINE_MPI): its processes have the buffers and time themselves. */
#pragma once

#include "worker/cuda/device/point.h"
#include "worker/trial.h"

/* Start the job of a point whose devices are open; nothing for other engines. Ends the point if there is no MPI for it. `result` gets the
 * library and its version. */
void cuda_mpi_open(struct cuda_point *p, struct result *result);
void cuda_mpi_close(struct cuda_point *p); /* never fails */

/* Memory of the process of device d, which must be current, in place of what it had. */
char *cuda_mpi_arena(struct cuda_point *p, int d, uint64_t bytes);

/* The buffers are placed. */
void cuda_mpi_placed(struct cuda_point *p);

/* Launch on the sets from `set` on, after what is queued on all devices, and wait. Seconds from the begin of the first process to the end
 * of the last. */
double cuda_mpi_launch(struct cuda_point *p, uint32_t set, uint32_t launches);

/* The stages of such a point: cuda_measure_* call the first. */
void cuda_mpi_warm_up(struct cuda_point *p, struct trial *trial);
void cuda_mpi_take(struct cuda_point *p, const struct trial *trial, uint32_t count, struct sample *samples);
