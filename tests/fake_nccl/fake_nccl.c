/* fake_nccl.c - an NCCL as the family `collective` loads it, for tests: operations on memory of the host,
 * done when the group ends. FAKE_NCCL says what it does:
 *   (not set)     everything works, as version 2.28.3
 *   old, silent   it is version 2.10.3, or 2.18.1, which does not enforce a choice of algorithm
 *   no_choice     no operation has the algorithm and protocol that were asked for, if any were
 *   no_type       no operation has the type
 *   breaks        operations fail as after a CUDA error
 *   no_devices    communicators cannot be made */
#include "fake_nccl.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"

enum {
    SUCCESS = 0,
    CUDA_ERROR = 1,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5,
    RANKS_MAX = 8,
    OPERATIONS_MAX = 256
};

struct comm {
    int rank, ranks, ordinal, team;
    bool chosen; /* an algorithm or a protocol */
};

enum kind { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, SEND, RECEIVE };
struct operation {
    enum kind kind;
    const void *in;
    void *out;
    size_t count;
    int type, peer; /* peer: root, destination or source */
    const struct comm *comm;
};

struct fake_nccl fake_nccl;
static struct operation queue[OPERATIONS_MAX];
static int queued, depth, teams, failure;
static const char *last_error = "";

static bool does(const char *what)
{
    const char *named = getenv("FAKE_NCCL");
    return named && !strcmp(named, what);
}

int ncclGetVersion(int *version)
{
    *version = does("silent") ? 21801 : 22803;
    if (does("old"))
        *version = 21003;
    return SUCCESS;
}

const char *ncclGetErrorString(int result)
{
    if (result == CUDA_ERROR)
        return "unhandled cuda error";
    return result == INVALID_USAGE ? "invalid usage" : "invalid argument";
}

const char *ncclGetLastError(struct comm *comm)
{
    return last_error;
}

/* ---- Communicators ---- */

static void note(const char *variable, char *out)
{
    const char *value = getenv(variable);
    snprintf(out, 16, "%s", value ? value : "");
}

int ncclCommInitAll(struct comm **comm, int devices, const int *ordinal)
{
    note("NCCL_ALGO", fake_nccl.algorithm);
    note("NCCL_PROTO", fake_nccl.protocol);
    note("NCCL_NVLS_ENABLE", fake_nccl.multicast);
    if (does("no_devices")) {
        last_error = "\nno path between the devices\n";
        return CUDA_ERROR;
    }
    for (int d = 0; d < devices; d++) {
        comm[d] = malloc(sizeof **comm);
        *comm[d] = (struct comm){d, devices, ordinal[d], teams, *fake_nccl.algorithm || *fake_nccl.protocol};
    }
    teams++;
    fake_nccl.made += devices;
    return SUCCESS;
}

int ncclCommDestroy(struct comm *comm)
{
    fake_nccl.destroyed++;
    free(comm);
    return SUCCESS;
}

int ncclCommAbort(struct comm *comm)
{
    fake_nccl.aborted++;
    free(comm);
    return SUCCESS;
}

/* ---- Operations ---- */

static enum dtype dtype_of(int type)
{
    static const enum dtype dtypes[] = {DTYPE_U8,  DTYPE_U8,  DTYPE_I32, DTYPE_I32,  DTYPE_I64,  DTYPE_I64,
                                        DTYPE_F16, DTYPE_F32, DTYPE_F64, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2};
    return dtypes[type];
}

static size_t bytes_of(const struct operation *o)
{
    return o->count * dtype_size(dtype_of(o->type));
}

/* Integers of up to 8 bytes add as such; floating-point numbers as doubles, rounded after each addition, as
 * in a ring. */
static void add(int type, void *sum, const void *element)
{
    enum dtype dtype = dtype_of(type);
    if (dtype == DTYPE_U8 || dtype == DTYPE_I32 || dtype == DTYPE_I64) {
        uint64_t a = 0, b = 0;
        memcpy(&a, sum, dtype_size(dtype));
        memcpy(&b, element, dtype_size(dtype));
        a += b;
        memcpy(sum, &a, dtype_size(dtype));
        return;
    }
    dtype_store(dtype, sum, dtype_load(dtype, sum) + dtype_load(dtype, element));
}

static struct operation *operation_of(const struct operation *like, int rank)
{
    struct operation *found = NULL;
    for (int i = 0; i < queued; i++)
        if (queue[i].kind == like->kind && queue[i].comm->team == like->comm->team &&
            queue[i].comm->rank == rank && queue[i].count == like->count && queue[i].type == like->type)
            found = &queue[i];
    return found;
}

/* The sums of all ranks' elements [first, first + count), from the highest rank down. In an array of its own:
 * outputs may be inputs. */
static char *sums(const struct operation *o, size_t first, size_t count)
{
    size_t size = dtype_size(dtype_of(o->type));
    char *sum = calloc(count + 1, size);
    for (int rank = o->comm->ranks - 1; rank >= 0; rank--)
        for (size_t i = 0; i < count; i++) {
            const char *element = (const char *)operation_of(o, rank)->in + (first + i) * size;
            if (rank == o->comm->ranks - 1)
                memcpy(sum + i * size, element, size);
            else
                add(o->type, sum + i * size, element);
        }
    return sum;
}

/* What an operation gives, in memory of its own. */
static char *result_of(const struct operation *o)
{
    size_t bytes = bytes_of(o);
    if (o->kind == ALL_REDUCE)
        return sums(o, 0, o->count);
    if (o->kind == REDUCE_SCATTER)
        return sums(o, (size_t)o->comm->rank * o->count, o->count);
    int parts = o->kind == ALL_GATHER ? o->comm->ranks : 1;
    char *out = malloc(bytes * (size_t)parts + 1);
    for (int part = 0; part < parts; part++) {
        const struct operation *from = operation_of(o, o->kind == ALL_GATHER ? part : o->peer);
        memcpy(out + (size_t)part * bytes, from->in, bytes);
    }
    return out;
}

/* The send that a receive is for. */
static const struct operation *sent(const struct operation *o)
{
    for (int i = 0; i < queued; i++)
        if (queue[i].kind == SEND && queue[i].comm->team == o->comm->team && queue[i].comm->rank == o->peer &&
            queue[i].peer == o->comm->rank && queue[i].count == o->count && queue[i].type == o->type)
            return &queue[i];
    return NULL;
}

static bool is_complete(const struct operation *o)
{
    if (o->kind == SEND)
        return true;
    if (o->kind == RECEIVE)
        return sent(o);
    for (int rank = 0; rank < o->comm->ranks; rank++)
        if (!operation_of(o, rank))
            return false;
    return true;
}

static int run_queue(void)
{
    char *out[OPERATIONS_MAX] = {NULL};
    for (int i = 0; i < queued; i++)
        if (!is_complete(&queue[i])) {
            last_error = "a device of the communicator is missing in the group";
            return INVALID_USAGE;
        }
    for (int i = 0; i < queued; i++) /* all inputs are read before any output is written */
        if (queue[i].kind < SEND)
            out[i] = result_of(&queue[i]);
    for (int i = 0; i < queued; i++) {
        const struct operation *o = &queue[i];
        if (o->kind == RECEIVE)
            memcpy(o->out, sent(o)->in, bytes_of(o));
        else if (o->kind != SEND)
            memcpy(o->out, out[i], bytes_of(o) * (o->kind == ALL_GATHER ? (size_t)o->comm->ranks : 1));
        free(out[i]);
    }
    fake_nccl.operations += queued;
    return SUCCESS;
}

int ncclGroupStart(void)
{
    if (!depth++)
        queued = failure = 0;
    return SUCCESS;
}

int ncclGroupEnd(void)
{
    if (--depth)
        return SUCCESS;
    fake_nccl.groups++;
    return failure ? failure : run_queue();
}

static int enqueue(struct operation o, const void *stream)
{
    if (!depth || queued == OPERATIONS_MAX)
        return failure = INVALID_USAGE;
    if (does("breaks"))
        return failure = CUDA_ERROR;
    if (does("no_choice") && o.comm->chosen) {
        last_error = "No algorithm/protocol available for the function";
        return failure = INVALID_USAGE;
    }
    if (does("no_type"))
        return failure = INVALID_ARGUMENT;
    fake_nccl.wrong_stream |= (uintptr_t)stream != (uintptr_t)o.comm->ordinal + 1;
    queue[queued++] = o;
    return SUCCESS;
}

int ncclAllReduce(const void *in, void *out, size_t count, int type, int sum, struct comm *comm, void *stream)
{
    return sum ? INVALID_ARGUMENT
               : enqueue((struct operation){ALL_REDUCE, in, out, count, type, 0, comm}, stream);
}

int ncclAllGather(const void *in, void *out, size_t count, int type, struct comm *comm, void *stream)
{
    return enqueue((struct operation){ALL_GATHER, in, out, count, type, 0, comm}, stream);
}

int ncclReduceScatter(const void *in, void *out, size_t count, int type, int sum, struct comm *comm,
                      void *stream)
{
    return sum ? INVALID_ARGUMENT
               : enqueue((struct operation){REDUCE_SCATTER, in, out, count, type, 0, comm}, stream);
}

int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, struct comm *comm,
                  void *stream)
{
    return enqueue((struct operation){BROADCAST, in, out, count, type, root, comm}, stream);
}

int ncclSend(const void *in, size_t count, int type, int to, struct comm *comm, void *stream)
{
    return enqueue((struct operation){SEND, in, NULL, count, type, to, comm}, stream);
}

int ncclRecv(void *out, size_t count, int type, int from, struct comm *comm, void *stream)
{
    return enqueue((struct operation){RECEIVE, NULL, out, count, type, from, comm}, stream);
}
