/* mpi.h - why the collectives of an installed MPI are not measured. */
#pragma once

#include <stddef.h>

/* Write the reason, as a sentence without a full stop: there is no MPI, it is not CUDA-aware, or what it would need. MPI is loaded, but not
 * initialised: MPI_Get_library_version may be called before MPI_Init (MPI 4.1, section 11.2.1). */
void mpi_describe(char *reason, size_t size);
