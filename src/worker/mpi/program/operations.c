#include "worker/mpi/program/operations.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#include "base/clock.h"

/* Of the point, from the request that begins. */
static struct {
    MPI_Comm all; /* ranks are seats */
    MPI_Datatype type;
    enum mpi_exchange exchange;
    int count, rank, processes;
    bool in_place;
} job;

/* MPI has sums of these; others are only moved, as bytes or as integers of their size. */
static MPI_Datatype type_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_I32:
        return MPI_INT32_T;
    case DTYPE_I64:
        return MPI_INT64_T;
    case DTYPE_F32:
        return MPI_FLOAT;
    case DTYPE_F64:
        return MPI_DOUBLE;
    case DTYPE_F16:
    case DTYPE_BF16:
        return MPI_UINT16_T;
    default:
        return MPI_UINT8_T;
    }
}

/* "Open MPI v4.1.4" and 40104. */
static void describe_library(struct mpi_answer *answer)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, number[3] = {0};
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    snprintf(answer->library, sizeof answer->library, "%.90s", text);
    const char *at = text + strcspn(text, "0123456789");
    if (sscanf(at, "%d.%d.%d", &number[0], &number[1], &number[2]) >= 2)
        answer->version = number[0] * 10000 + number[1] * 100 + number[2];
}

/* Looked up, because not every MPI has it, and because it may be another MPI than this program was built with. */
static bool is_cuda_aware(void)
{
    int (*query)(void);
    void *found = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    memcpy(&query, &found, sizeof found); /* ISO C has no cast for it */
    return query && query();
}

static void fail(struct mpi_answer *answer, enum mpi_outcome outcome, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    answer->outcome = outcome;
    snprintf(answer->reason, sizeof answer->reason, "%s: MPI says %.180s", what, text);
}

void operations_open(const struct mpi_request *begin, struct mpi_answer *answer)
{
    int size = 0, code = MPI_Init(NULL, NULL);
    describe_library(answer);
    answer->outcome = MPI_JOB_OK;
    job.type = type_of((enum dtype)begin->dtype);
    job.exchange = (enum mpi_exchange)begin->exchange;
    job.count = (int)begin->part;
    job.in_place = begin->in_place;
    job.processes = begin->processes;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_split(MPI_COMM_WORLD, 0, begin->seat, &job.all);
    if (code != MPI_SUCCESS) {
        fail(answer, MPI_JOB_FAILED, "MPI_Init", code);
        return;
    }
    MPI_Comm_size(job.all, &size);
    MPI_Comm_rank(job.all, &job.rank);
    if (size != job.processes) {
        answer->outcome = MPI_JOB_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason,
                 "mpirun has started %d processes that do not form one job: it is not that of %.90s",
                 job.processes, answer->library);
    } else if (begin->ordinal >= 0 && !is_cuda_aware()) {
        answer->outcome = MPI_JOB_UNSUPPORTED;
        snprintf(answer->reason, sizeof answer->reason,
                 "%.90s is not CUDA-aware: it cannot be given the memory of a GPU", answer->library);
    }
}

static int exchange(char *in, char *out)
{
    int n = job.processes, next = (job.rank + 1) % n, before = (job.rank + n - 1) % n;
    const void *from = job.in_place ? MPI_IN_PLACE : in;
    switch (job.exchange) {
    case EXCHANGE_ALL_REDUCE:
        return MPI_Allreduce(from, out, job.count, job.type, MPI_SUM, job.all);
    case EXCHANGE_ALL_GATHER:
        return MPI_Allgather(from, job.count, job.type, out, job.count, job.type, job.all);
    case EXCHANGE_REDUCE_SCATTER:
        return MPI_Reduce_scatter_block(from, out, job.count, job.type, MPI_SUM, job.all);
    case EXCHANGE_ALL_TO_ALL:
        return MPI_Alltoall(from, job.count, job.type, out, job.count, job.type, job.all);
    case EXCHANGE_BROADCAST:
        return MPI_Bcast(out, job.count, job.type, 0, job.all);
    case EXCHANGE_SEND_RECV:
        return MPI_Sendrecv(in, job.count, job.type, next, 0, out, job.count, job.type, before, 0, job.all,
                            MPI_STATUS_IGNORE);
    }
    return MPI_ERR_OTHER;
}

void operations_run(const struct mpi_request *run, char *memory, struct mpi_answer *answer)
{
    int code = MPI_Barrier(job.all);
    answer->begin = clock_now();
    for (uint32_t i = 0; i < run->launches && code == MPI_SUCCESS; i++) {
        char *set = memory + (run->first + i) % run->sets * run->set_bytes;
        code = exchange(set + run->in, set + run->out);
    }
    answer->end = clock_now();
    answer->outcome = MPI_JOB_OK;
    if (code != MPI_SUCCESS)
        fail(answer, MPI_JOB_FAILED, "its MPI job", code);
}

void operations_close(void)
{
    MPI_Comm_free(&job.all);
    MPI_Finalize();
}
