/* The calls of the family: NCCL's operations, one per device in a group. */
#include "kernels/collective/collective.h"

#include <stdio.h>

#include "kernels/collective/nccl.h"

/* Whether NCCL says that it does not have what was asked for; other errors are failures. */
static bool is_refusal(const struct nccl_choice *choice, int result)
{
    return result == NCCL_INVALID_ARGUMENT || result == NCCL_INVALID_USAGE ||
           (result == NCCL_INTERNAL && (choice->algorithm || choice->protocol));
}

static struct nccl_choice choice_of(const struct call *call)
{
    static const char *const algorithms[] = {NULL, "Ring", "Tree", "NVLS"};
    static const char *const protocols[] = {NULL, "LL", "LL128", "Simple"};
    struct nccl_choice choice = {.devices = call->devices,
                                 .algorithm = algorithms[call->point->value[ALGORITHM]],
                                 .protocol = protocols[call->point->value[PROTOCOL]],
                                 .captured = !call->setup->in_a_row};
    memcpy(choice.ordinal, call->ordinal, sizeof choice.ordinal);
    return choice;
}

int collective_open_call(struct call *call)
{
    int result = NCCL_SUCCESS;
    struct nccl_choice choice = choice_of(call);
    const struct nccl *nccl = nccl_load(call->reason, sizeof call->reason);
    if (!nccl) {
        call->unavailable = true;
        return -1;
    }
    if (call->point->value[ALGORITHM] == NVLS && !nccl_multicast_allowed()) {
        snprintf(call->reason, sizeof call->reason,
                 "algorithm nvls needs multicast over NVLink, which stays off unless " NCCL_MULTICAST
                 "=1 is in the environment");
        call->unavailable = true;
        return -1;
    }
    call->library_version = nccl->version;
    call->state = nccl_group_open(nccl, &choice, &result, call->reason, sizeof call->reason);
    call->unsupported = !call->state && is_refusal(&choice, result);
    return call->state ? 0 : -1;
}

static void *from(void *buffer, const struct point *point, uint64_t parts)
{
    return (char *)buffer + parts * collective_part(point) * dtype_size(type_of(point));
}

/* What one device does. The errors of the operations are also those of the end of the group. */
static int queue_device(const struct nccl *nccl, const struct call *call, int d, nccl_comm comm)
{
    const struct point *point = call->point;
    void *in = call->buffer[collective_input(point, d)], *out = call->buffer[collective_output(point, d)],
         *stream = call->device_stream[d];
    int type = nccl_type(type_of(point)), n = devices_of(point), result = NCCL_SUCCESS;
    uint64_t part = collective_part(point);
    bool in_place = is_in_place(point);
    switch (operation_of(point)) {
    case ALL_REDUCE:
        return nccl->all_reduce(in, out, part, type, NCCL_SUM, comm, stream);
    case ALL_GATHER:
        return nccl->all_gather(in_place ? from(in, point, (uint64_t)d) : in, out, part, type, comm, stream);
    case REDUCE_SCATTER:
        return nccl->reduce_scatter(in, in_place ? from(out, point, (uint64_t)d) : out, part, type, NCCL_SUM,
                                    comm, stream);
    case BROADCAST: /* only the root's input is read */
        return nccl->broadcast(d ? out : in, out, part, type, 0, comm, stream);
    case ALL_TO_ALL:
        for (int other = 0; other < n && result == NCCL_SUCCESS; other++) {
            result = nccl->send(from(in, point, (uint64_t)other), part, type, other, comm, stream);
            if (result == NCCL_SUCCESS)
                result = nccl->receive(from(out, point, (uint64_t)other), part, type, other, comm, stream);
        }
        return result;
    case SEND_RECV:
        result = nccl->send(in, part, type, (d + 1) % n, comm, stream);
        return result == NCCL_SUCCESS ? nccl->receive(out, part, type, (d + n - 1) % n, comm, stream)
                                      : result;
    }
    return NCCL_INVALID_ARGUMENT;
}

int collective_call(struct call *call)
{
    struct nccl_group *group = call->state;
    const struct nccl *nccl = nccl_load(call->reason, sizeof call->reason);
    int result = nccl->group_start(), failed = 0;
    for (int d = 0; d < call->devices && result == NCCL_SUCCESS; d++) {
        result = queue_device(nccl, call, d, group->comm[d]);
        failed = d;
    }
    int end = nccl->group_end(); /* also after an error: it ends the group */
    result = result == NCCL_SUCCESS ? end : result;
    if (result == NCCL_SUCCESS)
        return 0;
    group->broken = true;
    call->unsupported = is_refusal(&group->choice, result);
    nccl_describe(nccl, collective_operations[operation_of(call->point)], group->comm[failed], result,
                  call->reason, sizeof call->reason);
    return -1;
}

void collective_close_call(struct call *call)
{
    char reason[CALL_REASON_SIZE];
    if (call->state)
        nccl_group_close(nccl_load(reason, sizeof reason), call->state);
    call->state = NULL;
}
