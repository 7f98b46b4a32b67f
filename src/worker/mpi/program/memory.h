/* memory.h - the buffers of a process of an MPI job, shared with the worker: memory of the host, or of its device.
 *
 * Device memory is allocated here, and not by the worker, because MPI shares it between its processes by handles of its own, which exist
 * for the process that has allocated it only. CUDA's driver is loaded at run time: this program needs no CUDA Toolkit. */
#pragma once

#include "worker/mpi/mpi_message.h"

/* Make device `ordinal` current, before MPI_Init; -1: none. 0, or -1 with the reason. */
int memory_open(int ordinal, char *reason, size_t size);

/* Allocate in place of what there was. On the host `*fd` is a descriptor to send and close; on a device the answer gets a handle. The
 * address, or NULL with the reason. */
char *memory_allocate(uint64_t bytes, int *fd, unsigned char handle[MPI_HANDLE_SIZE], char *reason,
                      size_t size);

/* Wait for the device. 0, or -1 with the reason. */
int memory_wait(char *reason, size_t size);
