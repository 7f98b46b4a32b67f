#include "worker/cuda/device/cuda_device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_guard *cuda_guard_current;
cudaStream_t cuda_capturing;

/* A stream that is left capturing refuses all else. */
static void end_capture(void)
{
    cudaGraph_t graph = NULL;
    if (!cuda_capturing)
        return;
    cudaStreamEndCapture(cuda_capturing, &graph);
    if (graph)
        cudaGraphDestroy(graph);
    cuda_capturing = NULL;
    cudaGetLastError();
}

static void end_point(const char *message, bool sticky, enum status status)
{
    struct cuda_guard *guard = cuda_guard_current;
    if (!guard) {
        fprintf(stderr, "warpsweep-worker: %s\n", message);
        exit(3);
    }
    snprintf(guard->message, sizeof guard->message, "%s", message);
    guard->sticky = sticky;
    guard->status = status;
    cuda_guard_current = NULL;
    longjmp(guard->jump, 1);
}

void cuda_check(cudaError_t status, const char *call)
{
    if (status == cudaSuccess)
        return;
    char message[384];
    snprintf(message, sizeof message, "%s (%s) from %.*s", cudaGetErrorString(status),
             cudaGetErrorName(status), (int)strcspn(call, "("), call);
    cudaGetLastError();
    end_capture();
    /* An error that the context keeps comes back from any call. */
    bool sticky = cudaDeviceSynchronize() != cudaSuccess;
    end_point(message, sticky, STATUS_FAILED);
}

void cuda_end_point(enum status status, const char *format, ...)
{
    va_list arguments;
    char message[384];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    end_capture();
    end_point(message, false, status);
    abort(); /* not reached */
}
