/* traits.h - capability flags of a back end, sent in its greeting. No code tests the name of a back end. */
#pragma once

#include <stdbool.h>

/* X(name, meaning) */
#define BACKEND_TRAITS(X)                                                                                    \
    X(makes_up, "its results are made up: nothing is predicted beside them, and it needs no processors")     \
    X(counts, "it reads hardware counters")                                                                  \
    X(compiles, "it compiles kernels: it is worth while to do so for all points ahead")                      \
    X(owns_device, "a rank has its device for itself: no two ranks of a node may have the same")             \
    X(is_host, "it runs the C references on the node's processors")

/* One line per back end: X(name), as in --backend; worker/program/backends.c has backend_NAME. The first list
 * needs a CUDA Toolkit at build time. */
#define BACKENDS_WITH_CUDA(X) X(cuda)
#define BACKENDS_EVERYWHERE(X)                                                                               \
    X(host)                                                                                                  \
    BACKENDS_OF_TESTS(X)
#ifdef WARPSWEEP_TESTS /* of tests/fake_backend: builds without tests do not have it */
#define BACKENDS_OF_TESTS(X) X(fake)
#else
#define BACKENDS_OF_TESTS(X)
#endif

struct traits {
#define X(name, meaning) bool name;
    BACKEND_TRAITS(X)
#undef X
};
