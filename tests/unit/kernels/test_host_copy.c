/* The host_copy family: parts, buffers and bytes by hand, every reason to refuse, and the reference. */
#include "unit_test.h"

#define FAMILY "host_copy"
#include "family_test.h"

static void check(const char *settings)
{
    struct family_run run = run_whole(settings);
    uint64_t n = run.setup.buffer[0].count, odd = 0;
    bool marked = run.setup.entry != NULL;
    for (int b = 0; b == 0 || run.setup.buffers == b + 2; b += 2) {
        const uint32_t *in = run.data[b], *out = run.data[b + 1];
        odd = 0;
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(out[i], marked && in[i] % 2 == 0 ? in[i] + 1 : in[i]);
            odd += in[i] % 2;
        }
    }
    if (n > 1000) /* so that a kernel that did not run is found out */
        assert_true(odd > n / 3 && odd < 2 * n / 3);
}

TEST(reference)
{
    check("size=4");
    check("size=4012 chunk=400");
    check("size=4012 variant=pinned direction=d2h");
    check("size=4012 variant=pageable");
    check("size=4012 variant=pinned direction=both");
    check("size=4012 direction=both chunk=400 streams=2 work=64");
    check("size=4016 variant=zero_copy direction=both width=8 work=64");
    check("size=4012 variant=round_trip chunk=400 work=64");
    check("size=4194332 direction=d2h chunk=1MiB streams=3"); /* 2^20 + 7 words */
}
