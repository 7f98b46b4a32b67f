/* make_journal FILE.h5: leaves FILE.h5.journal as a run that dies leaves it, for the fuzzer to start from. */
#include <sys/random.h>

#include "../unit/store_fixture.h"

/* In place of libc's: the number by which files are told apart. The same journal on every machine makes the same inputs. */
ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    (void)flags;
    memset(buffer, 7, size);
    return (ssize_t)size;
}

int main(int argc, char **argv)
{
    static const char counter[1][96] = {"dram__bytes_read.sum"};
    struct store_head head = fixture_head();
    head.counter = counter;
    head.counter_count = 1;
    struct device device = fixture_device();
    struct store *store;
    struct error error;
    if (argc != 2 || store_open(argv[1], false, &head, &store, &error) != 0)
        return 1;
    store_device(store, &device);
    for (uint64_t i = 0; i < 6; i++) {
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = numbered_result(i, &point, samples);
        if (store_append(store, &point, &result, &error) != 0)
            return 1;
        const struct counted counted = {.state = COUNTERS_COUNTED, .counter = {42}};
        if (i % 2 && store_count(store, point_id(&point), 0, -1, &counted, &error) != 0)
            return 1;
    }
    for (int i = 0; i < 3; i++) {
        const struct span span = {.start = i, .sum = {.phase = (enum phase)i, .parts = 1, .seconds = 1}};
        store_span(store, &span);
    }
    usleep(500000);
    if (store_tick(store, &error) != 0)
        return 1;
    _exit(0); /* no end in order */
}
