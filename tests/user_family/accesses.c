/* accesses FOLDER LOADS STORES "KERNEL AXIS=VALUE ..." - the accesses that a family of a folder says its warps make: together
 * they read every byte of the inputs once and write every byte of the outputs once, and no warp makes more of them than that
 * many loads and stores, which some warp makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "claims.h"
#include "kernels/registry.h"

struct cover {
    struct setup setup;
    unsigned char *times[SETUP_BUFFERS_MAX]; /* that each byte was accessed */
    unsigned loads, stores;                  /* most of a warp */
};

static uint64_t bytes_of(const struct cover *cover, int buffer)
{
    const struct buffer *b = &cover->setup.buffer[buffer];
    return dtype_bytes(b->dtype, b->count);
}

static int touch(struct cover *cover, const struct access *access)
{
    bool output = cover->setup.buffer[access->buffer].role == BUFFER_OUTPUT;
    for (int lane = 0; lane < 32; lane++) {
        if (!(access->active >> lane & 1))
            continue;
        if (output != access->store ||
            access->address[lane] + access->width > bytes_of(cover, access->buffer))
            return -1;
        for (uint32_t i = 0; i < access->width; i++)
            cover->times[access->buffer][access->address[lane] + i]++;
    }
    return 0;
}

static int run_warp(struct cover *cover, const struct point *point, uint64_t warp)
{
    struct access access;
    unsigned loads = 0, stores = 0;
    for (uint32_t i = 0; family_of(point)->access(point, &cover->setup, warp, i, &access); i++) {
        if (touch(cover, &access) != 0)
            return -1;
        loads += !access.store;
        stores += access.store;
    }
    cover->loads = loads > cover->loads ? loads : cover->loads;
    cover->stores = stores > cover->stores ? stores : cover->stores;
    return 0;
}

/* How many bytes were not accessed just once. */
static uint64_t wrong_bytes(const struct cover *cover)
{
    uint64_t wrong = 0;
    for (int b = 0; b < cover->setup.buffers; b++)
        for (uint64_t i = 0; i < bytes_of(cover, b); i++)
            wrong += cover->times[b][i] != 1;
    return wrong;
}

int main(int argc, char **argv)
{
    struct error error;
    struct cover cover = {0};
    struct target target = {.capability = 90};
    if (argc != 5 || registry_load_folder(argv[1], &error) != 0) {
        fprintf(stderr, "%s\n",
                argc == 5 ? error.text : "accesses FOLDER LOADS STORES \"KERNEL AXIS=VALUE ...\"");
        return 2;
    }
    char *settings = strchr(argv[4], ' ');
    *settings++ = '\0';
    struct point point = point_standard(family_space(argv[4]));
    if (claim_set_nth(&point, settings, 0, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    cover.setup = point_setup(&point, &target);
    for (int b = 0; b < cover.setup.buffers; b++)
        cover.times[b] = memory_new(bytes_of(&cover, b), 1);
    uint64_t warps = (uint64_t)cover.setup.grid[0] * cover.setup.grid[1] * ((cover.setup.block[0] + 31) / 32);
    int failed = 0;
    for (uint64_t warp = 0; warp < warps && !failed; warp++)
        failed = run_warp(&cover, &point, warp);
    uint64_t wrong = wrong_bytes(&cover);
    printf("%s %s: %s%u loads, %u stores a warp, %llu bytes not accessed once\n", argv[4], settings,
           failed ? "an access outside of its buffer; " : "", cover.loads, cover.stores,
           (unsigned long long)wrong);
    for (int b = 0; b < cover.setup.buffers; b++)
        free(cover.times[b]);
    return failed || wrong || cover.loads != (unsigned)atoi(argv[2]) ||
           cover.stores != (unsigned)atoi(argv[3]);
}
