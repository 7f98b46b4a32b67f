/* mpi_message.h - what a worker and the processes of its MPI job send each other: one packet each way, all of one build. */
#pragma once

#include "family/family.h"

#define MPI_HANDLE_SIZE 64 /* of cudaIpcMemHandle_t */
#define MPI_REASON_SIZE 256

enum mpi_request_kind {
    MPI_JOB_BEGIN,    /* initialise MPI. The first request; its answer comes when MPI_Init has returned */
    MPI_JOB_ALLOCATE, /* new memory, in place of what there was */
    MPI_JOB_RUN,      /* synchronise, launch, and answer with the times of begin and end */
    MPI_JOB_END,      /* finalise MPI and exit; no answer */
};

struct mpi_request {
    uint32_t kind; /* enum mpi_request_kind */

    /* MPI_JOB_BEGIN. `seat` is the rank within the job, and the index of the device. */
    int32_t seat, processes, ordinal; /* ordinal -1: memory of the host */
    int32_t exchange;                 /* enum mpi_exchange */
    int32_t dtype, in_place;
    uint64_t part; /* elements */

    uint64_t bytes; /* MPI_JOB_ALLOCATE */

    /* MPI_JOB_RUN: launch i is on set (first + i) % sets. Offsets in bytes; equal if the operation has one buffer. */
    uint64_t in, out, set_bytes;
    uint32_t first, sets, launches;
};

enum mpi_outcome { MPI_JOB_OK, MPI_JOB_FAILED, MPI_JOB_UNSUPPORTED };

struct mpi_answer {
    uint32_t outcome;  /* enum mpi_outcome */
    int32_t version;   /* MPI_JOB_BEGIN: of the library, major * 10000 + minor * 100 + patch; 0: unknown */
    char library[96];  /* "Open MPI v4.1.4" */
    double begin, end; /* MPI_JOB_RUN: s of CLOCK_MONOTONIC, which all processes of a node share */
    unsigned char handle[MPI_HANDLE_SIZE]; /* MPI_JOB_ALLOCATE on a device; on the host, a descriptor */
    char reason[MPI_REASON_SIZE];
};
