#include "fake_limits.h"

struct fake_limits fake_limits;

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    *value = attribute == cudaDevAttrMaxAccessPolicyWindowSize ? fake_limits.window_max : -1;
    if (attribute == cudaDevAttrMaxPersistingL2CacheSize)
        *value = fake_limits.room;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    *value = limit == cudaLimitPersistingL2CacheSize ? fake_limits.persisting : fake_limits.fetch;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if (limit == cudaLimitMaxL2FetchGranularity)
        fake_limits.fetch = value;
    else if (limit != cudaLimitPersistingL2CacheSize)
        return cudaErrorUnsupportedLimit;
    else if (!fake_limits.fixed)
        fake_limits.persisting = value;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    fake_limits.resets++;
    return cudaSuccess;
}
