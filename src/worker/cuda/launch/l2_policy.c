#include "worker/cuda/launch/cuda_launch.h"

/* While the limits are being set, and after a failure to set them: no policy has such a window. */
#define WINDOW_UNKNOWN UINT64_MAX

#define PERSISTS_SINCE 80 /* compute capability of the first that can set L2 aside */

bool cuda_l2_is(const struct cuda_session *session, const struct l2_policy *policy)
{
    return session->l2.window == policy->window && session->l2.fetch == policy->fetch &&
           session->l2.hit_ratio == policy->hit_ratio;
}

/* Bytes that can be set aside. */
static size_t room_for(const struct cuda_session *session, uint64_t window)
{
    const int ordinal = (int)session->device.ordinal;
    int most = cuda_attribute(cudaDevAttrMaxAccessPolicyWindowSize, ordinal);
    int room = cuda_attribute(cudaDevAttrMaxPersistingL2CacheSize, ordinal);
    if (room <= 0 && session->device.capability >= PERSISTS_SINCE)
        cuda_lack("the device sets no L2 aside for persisting accesses: is MIG in use?");
    if (room <= 0)
        cuda_refuse("the device sets no L2 aside for persisting accesses");
    if (window > (uint64_t)most)
        cuda_refuse("a window of %llu bytes: the device has windows of at most %d",
                    (unsigned long long)window, most);
    return (size_t)room;
}

/* `name`: of the limit, for people. Returns what it was. */
static size_t set_limit(enum cudaLimit limit, const char *name, size_t value)
{
    size_t before = 0;
    CUDA(cudaDeviceGetLimit(&before, limit));
    cudaError_t status = cudaDeviceSetLimit(limit, value);
    if (status == cudaErrorUnsupportedLimit) {
        cudaGetLastError();
        cuda_lack("the driver refuses a limit of %zu bytes for %s: is MIG or MPS in use?", value, name);
    }
    cuda_check(status, "cudaDeviceSetLimit");
    return before;
}

/* MPS and MIG leave the share of L2 as it is, which need not be an error. What is not set aside is not let go
 * later, either. */
static void set_aside(struct cuda_session *session, size_t bytes)
{
    size_t before = set_limit(cudaLimitPersistingL2CacheSize, "persisting L2", bytes), now = 0;
    CUDA(cudaDeviceGetLimit(&now, cudaLimitPersistingL2CacheSize));
    if (!now)
        cuda_lack("the driver sets no L2 aside for persisting accesses: is MIG or MPS in use?");
    session->l2_persisting = before;
    session->l2_window_set = true;
}

static void let_go(struct cuda_session *session)
{
    CUDA(cudaCtxResetPersistingL2Cache());
    CUDA(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, session->l2_persisting));
    session->l2_window_set = false;
}

static void set_fetch(struct cuda_session *session, size_t bytes)
{
    size_t before = set_limit(cudaLimitMaxL2FetchGranularity, "L2 fetches", bytes);
    if (!session->l2_fetch_set)
        session->l2_fetch = before;
    session->l2_fetch_set = true;
}

void cuda_l2_apply(struct cuda_session *session, const struct l2_policy *policy)
{
    /* Before a window, lines that another point's window has kept are let go, whatever the limits. */
    if (!policy->window && cuda_l2_is(session, policy))
        return;
    size_t room = policy->window ? room_for(session, policy->window) : 0;
    CUDA(cudaDeviceSynchronize());
    session->l2.window = WINDOW_UNKNOWN;
    if (session->l2_window_set)
        let_go(session);
    if (policy->window)
        set_aside(session, room);
    if (policy->fetch) {
        set_fetch(session, policy->fetch);
    } else if (session->l2_fetch_set) {
        CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, session->l2_fetch));
        session->l2_fetch_set = false;
    }
    session->l2 = *policy;
}

struct cudaAccessPolicyWindow cuda_l2_window(const struct cuda_point *p, uint32_t set)
{
    const struct l2_policy *policy = &p->setup.l2;
    return (struct cudaAccessPolicyWindow){.base_ptr = cuda_point_buffer(p, set, policy->buffer),
                                           .num_bytes = policy->window,
                                           .hitRatio = policy->hit_ratio,
                                           .hitProp = cudaAccessPropertyPersisting,
                                           .missProp = cudaAccessPropertyStreaming};
}
