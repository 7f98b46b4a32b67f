/* error.h - error handling of the back end: every CUDA call goes through CUDA().
 *
 * Within a guard a failed call ends the point: cuda_guard_set returns a second time, with 1, and `guard` has the message.
 * Outside of a guard it ends the process, which is isolated, and the runner starts another one. */
#pragma once

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdbool.h>

struct cuda_guard {
    jmp_buf jump;
    bool sticky;  /* the context is lost; only a new process can continue */
    bool refused; /* the point is unsupported, not failed */
    char message[384];
};

#define CUDA(call) cuda_check((call), #call)
void cuda_check(cudaError_t status, const char *call);

/* End the current point with a message. Does not return. */
void cuda_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* End the current point as unsupported. Does not return. */
void cuda_refuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The stream that is being captured, or 0: a failed call also ends the capture. */
extern cudaStream_t cuda_capturing;

/* `if (cuda_guard_set(&guard) == 0) { ... } else failed;` then cuda_guard_end(). One at a time. */
extern struct cuda_guard *cuda_guard_current;
#define cuda_guard_set(guard) (cuda_guard_current = (guard), setjmp((guard)->jump))
static inline void cuda_guard_end(void)
{
    cuda_guard_current = 0;
}
