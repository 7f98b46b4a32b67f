#include "kernels/collective/nccl.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NCCL_LIBRARY "libnccl.so.2"

enum {
    VERSION_MIN = 21400, /* of the functions used here, ncclGetLastError the latest of them */
    VERSION_OF_CHOICES =
        22400, /* from here on NCCL refuses a choice that it does not have. Earlier it took another one */
    GROUPS_MAX = 8, /* communicators kept, in the order of their last use */
};

int nccl_type(enum dtype dtype)
{
    static const int types[DTYPE_COUNT] = {
        [DTYPE_U8] = 1,  [DTYPE_I32] = 2, [DTYPE_I64] = 4,   [DTYPE_F16] = 6,   [DTYPE_BF16] = 9,
        [DTYPE_F32] = 7, [DTYPE_F64] = 8, [DTYPE_E4M3] = 10, [DTYPE_E5M2] = 11,
    };
    return types[dtype];
}

/* ---- The library ---- */

static bool find_functions(struct nccl *nccl, void *library, char *reason, size_t size)
{
    const struct {
        const char *name;
        void *function; /* the address of the pointer to it */
    } wanted[] = {
        {"ncclGetVersion", &nccl->get_version},
        {"ncclGetErrorString", &nccl->error_text},
        {"ncclGetLastError", &nccl->last_error},
        {"ncclCommInitAll", &nccl->init_all},
        {"ncclCommDestroy", &nccl->destroy},
        {"ncclCommAbort", &nccl->abort},
        {"ncclGroupStart", &nccl->group_start},
        {"ncclGroupEnd", &nccl->group_end},
        {"ncclAllReduce", &nccl->all_reduce},
        {"ncclAllGather", &nccl->all_gather},
        {"ncclReduceScatter", &nccl->reduce_scatter},
        {"ncclBroadcast", &nccl->broadcast},
        {"ncclSend", &nccl->send},
        {"ncclRecv", &nccl->receive},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = dlsym(library, wanted[i].name);
        if (!function) {
            snprintf(reason, size, "the installed " NCCL_LIBRARY " has no %s", wanted[i].name);
            return false;
        }
        memcpy(wanted[i].function, &function,
               sizeof function); /* as POSIX allows; ISO C has no cast for it */
    }
    return true;
}

static void version_format(int version, char out[32])
{
    snprintf(out, 32, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

const struct nccl *nccl_load(char *reason, size_t size)
{
    static struct nccl nccl;
    char version[32];
    if (nccl.version)
        return &nccl;
    /* Before NCCL reads its environment, which it does once. */
    if (setenv(NCCL_MULTICAST, "0", 0) != 0) {
        snprintf(reason, size, NCCL_MULTICAST " cannot be set to 0");
        return NULL;
    }
    void *library = dlopen(NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, size, "NCCL cannot be loaded: %.200s", dlerror());
        return NULL;
    }
    struct nccl found = {.version = 0};
    if (!find_functions(&found, library, reason, size))
        return NULL;
    int result = found.get_version(&found.version);
    if (result != NCCL_SUCCESS) {
        snprintf(reason, size, "ncclGetVersion failed: %.100s", found.error_text(result));
        return NULL;
    }
    version_format(found.version, version);
    if (found.version < VERSION_MIN) {
        snprintf(reason, size, "NCCL %s is installed; 2.14 or later is needed", version);
        return NULL;
    }
    nccl = found;
    return &nccl;
}

bool nccl_multicast_allowed(void)
{
    const char *value = getenv("NCCL_NVLS_ENABLE");
    return value && atoi(value) != 0;
}

void nccl_describe(const struct nccl *nccl, const char *what, nccl_comm comm, int result, char *reason,
                   size_t size)
{
    const char *last = nccl->last_error(comm);
    while (last && *last == '\n')
        last++;
    int length = last ? (int)strcspn(last, "\n") : 0;
    snprintf(reason, size, "%s: NCCL says %.60s%s%.*s", what, nccl->error_text(result), length ? ": " : "",
             length < 150 ? length : 150, length ? last : "");
}

/* ---- Communicators ---- */

/* A variable of the environment with another value for a while. NCCL reads NCCL_ALGO and NCCL_PROTO when it
 * makes a communicator, and its functions have no argument for them. */
struct variable {
    const char *name;
    char *before; /* owned; NULL: it was not set */
    bool changed;
};

static struct variable variable_set(const char *name, const char *before, const char *value)
{
    struct variable variable = {.name = name, .changed = value != NULL};
    if (!value)
        return variable;
    variable.before = before ? memory_text(before) : NULL;
    setenv(name, value, 1);
    return variable;
}

static void variable_restore(struct variable *variable)
{
    if (variable->changed && variable->before)
        setenv(variable->name, variable->before, 1);
    else if (variable->changed)
        unsetenv(variable->name);
    free(variable->before);
}

static struct nccl_group groups[GROUPS_MAX];
static unsigned long opened;

static bool same_word(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_choice(const struct nccl_choice *a, const struct nccl_choice *b)
{
    return a->devices == b->devices &&
           !memcmp(a->ordinal, b->ordinal, (size_t)a->devices * sizeof *a->ordinal) &&
           same_word(a->algorithm, b->algorithm) && same_word(a->protocol, b->protocol) &&
           a->captured == b->captured;
}

static void forget(struct nccl_group *group, int (*end)(nccl_comm comm))
{
    for (int d = 0; d < group->choice.devices; d++)
        end(group->comm[d]); /* nothing can be done about an error here */
    *group = (struct nccl_group){.users = 0};
}

/* The one of this choice, a place without communicators, or that of those that were not used for longest. Two
 * points are open at most. */
static struct nccl_group *place_for(const struct nccl_choice *choice)
{
    struct nccl_group *oldest = NULL;
    for (int g = 0; g < GROUPS_MAX; g++) {
        if (groups[g].choice.devices && same_choice(&groups[g].choice, choice))
            return &groups[g];
        if (!groups[g].users && (!oldest || groups[g].used < oldest->used))
            oldest = &groups[g];
    }
    assert(oldest);
    return oldest;
}

struct nccl_group *nccl_group_open(const struct nccl *nccl, const struct nccl_choice *choice, int *result,
                                   char *reason, size_t size)
{
    char version[32];
    version_format(nccl->version, version);
    *result = NCCL_SUCCESS;
    if ((choice->algorithm || choice->protocol) && nccl->version < VERSION_OF_CHOICES) {
        *result = NCCL_INVALID_USAGE;
        snprintf(
            reason, size,
            "NCCL %s may take another algorithm or protocol than it is asked for; 2.24 or later does not",
            version);
        return NULL;
    }
    struct nccl_group *group = place_for(choice);
    if (!group->choice.devices || !same_choice(&group->choice, choice)) {
        nccl_comm comm[DEVICES_MAX] = {NULL};
        forget(group, nccl->destroy);
        struct variable algorithm = variable_set("NCCL_ALGO", getenv("NCCL_ALGO"), choice->algorithm),
                        protocol = variable_set("NCCL_PROTO", getenv("NCCL_PROTO"), choice->protocol);
        *result = nccl->init_all(comm, choice->devices, choice->ordinal);
        variable_restore(&algorithm);
        variable_restore(&protocol);
        if (*result != NCCL_SUCCESS) {
            nccl_describe(nccl, "no communicators", NULL, *result, reason, size);
            return NULL;
        }
        group->choice = *choice;
        memcpy(group->comm, comm, sizeof comm);
    }
    group->users++;
    group->used = ++opened;
    return group;
}

void nccl_group_close(const struct nccl *nccl, struct nccl_group *group)
{
    assert(group->users > 0);
    group->users--;
    if (group->broken && !group->users)
        forget(group, nccl->abort);
}
