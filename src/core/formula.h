/* formula.h - which formula of the time model a point has: the column `model` of results. */
#pragma once

/* X(name). Files contain the name; an empty text for none. */
#define FORMULAS(X)                                                                                          \
    X(kernel)        /* a kernel that moves data through DRAM and L2 */                                      \
    X(shared)        /* one that only uses shared memory */                                                  \
    X(tiles)         /* a product that copies slices of the operands while it multiplies others */           \
    X(library)       /* a vendor's kernel, or a call: only the bounds of its useful work are known */        \
    X(host_link)     /* copies between host and device */                                                    \
    X(link_kernel)   /* a kernel that reads or writes another device's memory */                             \
    X(link_copy)     /* the copy engine between devices */                                                   \
    X(chain_load)    /* dependent loads that L2 answers */                                                   \
    X(chain_load_l1) /* ... that L1 may answer */                                                            \
    X(chain_atomic)  /* dependent atomic operations */                                                       \
    X(chain_fence)   /* stores, each with a fence for all devices */                                         \
    X(chain_flag)    /* round trips between two kernels */

enum formula {
    FORMULA_none,
#define X(name) FORMULA_##name,
    FORMULAS(X)
#undef X
        FORMULA_COUNT
};
extern const char *const formula_words[FORMULA_COUNT + 1]; /* the names, NULL-terminated */
