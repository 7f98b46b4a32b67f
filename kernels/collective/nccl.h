/* nccl.h - NCCL as collectives use it: looked up when the first point wants it, and its communicators.
 *
 * NCCL is no dependency: a machine without it does the other families. The types and numbers are those of the
 * public header of NCCL 2; the numbers have not changed since they were introduced. Not thread-safe: for the
 * worker's main thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/dtype.h"
#include "family/family.h"

typedef struct ncclComm *nccl_comm;

/* ncclResult_t, as far as it is told apart. */
enum { NCCL_SUCCESS = 0, NCCL_INTERNAL = 3, NCCL_INVALID_ARGUMENT = 4, NCCL_INVALID_USAGE = 5 };

enum { NCCL_SUM = 0 }; /* ncclRedOp_t */

/* The ncclDataType_t of an element type. */
int nccl_type(enum dtype dtype);

struct nccl {
    int version; /* major * 10000 + minor * 100 + patch, from 2.9 on */
    int (*get_version)(int *version);
    const char *(*error_text)(int result);
    const char *(*last_error)(nccl_comm comm);
    int (*init_all)(nccl_comm *comm, int devices, const int *ordinal);
    int (*destroy)(nccl_comm comm);
    int (*abort)(nccl_comm comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *in, void *out, size_t count, int type, int sum, nccl_comm comm,
                      void *stream);
    int (*all_gather)(const void *in, void *out, size_t count, int type, nccl_comm comm, void *stream);
    int (*reduce_scatter)(const void *in, void *out, size_t count, int type, int sum, nccl_comm comm,
                          void *stream);
    int (*broadcast)(const void *in, void *out, size_t count, int type, int root, nccl_comm comm,
                     void *stream);
    int (*send)(const void *in, size_t count, int type, int to, nccl_comm comm, void *stream);
    int (*receive)(void *out, size_t count, int type, int from, nccl_comm comm, void *stream);
};

/* The library. NULL: it is not there, or too old; the reason is in `reason`. */
const struct nccl *nccl_load(char *reason, size_t size);

/* The variable that switches multicast over NVLink on and off. nccl_load sets it to 0 unless the user has set
 * it. */
#define NCCL_MULTICAST "NCCL_NVLS_ENABLE"
bool nccl_multicast_allowed(void);

/* What a communicator is made for. `algorithm` and `protocol` are values of NCCL_ALGO and NCCL_PROTO; NULL:
 * NCCL chooses. */
struct nccl_choice {
    int devices;
    int ordinal[DEVICES_MAX];
    const char *algorithm, *protocol;
    /* Into graphs. A communicator that once was orders each later launch after its graphs, which takes the
     * host time. */
    bool captured;
};

/* The communicators of a choice, one per device. Making them takes long and some memory of each device; so a
 * few are kept for later points. */
struct nccl_group {
    struct nccl_choice choice;
    nccl_comm comm[DEVICES_MAX];
    int users;          /* points that are open */
    bool broken;        /* an operation has failed: they are aborted at the end of the point, and not kept */
    unsigned long used; /* when it was last opened: a count */
};

/* Kept or new ones. NULL: NCCL's result is in `result`, and the reason in `reason`. */
struct nccl_group *nccl_group_open(const struct nccl *nccl, const struct nccl_choice *choice, int *result,
                                   char *reason, size_t size);
/* The point ends. */
void nccl_group_close(const struct nccl *nccl, struct nccl_group *group);

/* What NCCL says about a result: the words for it, and its last warning. */
void nccl_describe(const struct nccl *nccl, const char *what, nccl_comm comm, int result, char *reason,
                   size_t size);
