/* mutant_worker.c - stands in for warpsweep-worker in fuzz_files.py: starts the true one and, if WARPSWEEP_PIPE_SEED is
 * set, changes messages that this sends to its rank. Framing stays right. Changes are told on stderr. WARPSWEEP_PIPE_COUNT names a
 * file that counts the workers of a run: each has other changes. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "process/process.h"
#include "protocol/wire.h"

/* Numbers that follow from a seed, on every machine alike. */
struct dice {
    uint64_t state;
};

static uint64_t dice_next(struct dice *dice)
{
    return hash_mix(dice->state += UINT64_C(0x9e3779b97f4a7c15));
}

static size_t dice_below(struct dice *dice, size_t count)
{
    return count ? (size_t)(dice_next(dice) % count) : 0;
}

static bool dice_one_in(struct dice *dice, size_t count)
{
    return dice_below(dice, count) == 0;
}

#define DICE_PICK(dice, array) ((array)[dice_below(dice, sizeof(array) / sizeof *(array))])

static void put(int fd, enum wire_type type, const struct wire *payload)
{
    if (wire_send(fd, type, payload) != 0)
        exit(0); /* the rank is gone */
}

static void change_number(struct dice *dice, struct wire *payload)
{
    static const uint64_t integers[] = {0,
                                        1,
                                        2,
                                        UINT32_MAX,
                                        UINT64_MAX,
                                        INT32_MAX,
                                        0x80000000,
                                        UINT64_C(1) << 40,
                                        UINT64_C(1) << 63,
                                        255,
                                        1000,
                                        64u << 20};
    static const double reals[] = {0,    -1,        1,         1e300,      -1e300, 5e-324,
                                   1e-9, 0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 1e19};
    size_t at = dice_below(dice, payload->length), wide = dice_one_in(dice, 2) ? 8 : 4;
    if (!dice_one_in(dice, 6))
        at &= ~(size_t)3;
    uint64_t integer = DICE_PICK(dice, integers);
    double real = DICE_PICK(dice, reals);
    if (wide == 8 && dice_one_in(dice, 2))
        memcpy(&integer, &real, 8);
    for (size_t i = 0; i < wide && at + i < payload->length; i++)
        payload->data[at + i] = (unsigned char)(integer >> 8 * i);
    fprintf(stderr, "bytes %zu to %zu become %llx", at, at + wide, (unsigned long long)integer);
}

static void change_length(struct dice *dice, struct wire *payload)
{
    size_t at = dice_below(dice, payload->length), count = 1 + dice_below(dice, 40);
    if (dice_one_in(dice, 2)) {
        count = count < payload->length - at ? count : payload->length - at;
        memmove(payload->data + at, payload->data + at + count, payload->length - at - count);
        payload->length -= count;
        fprintf(stderr, "%zu bytes less at %zu", count, at);
    } else {
        for (size_t i = 0; i < count; i++)
            wire_put_u32(payload, (uint32_t)dice_next(dice));
        fprintf(stderr, "%zu bytes more", 4 * count);
    }
}

/* Send the message, changed. */
static void change(struct dice *dice, int to, enum wire_type type, struct wire *payload)
{
    fprintf(stderr, "mutant: a message of type %d, %zu bytes: ", (int)type, payload->length);
    /* To open its device and to measure its peaks a worker has minutes: these messages come. */
    bool comes = type == WIRE_HELLO || type == WIRE_DEVICE;
    switch (comes ? 3 + dice_below(dice, 7) : dice_below(dice, 10)) {
    case 0:
        fprintf(stderr, "left out\n");
        return;
    case 1:
        fprintf(stderr, "sent twice\n");
        put(to, type, payload);
        break;
    case 2:
        type = (enum wire_type)(WIRE_HELLO + dice_below(dice, 13));
        fprintf(stderr, "as type %d\n", (int)type);
        break;
    case 3:
        if (payload->length) {
            change_length(dice, payload);
            fprintf(stderr, "\n");
        }
        break;
    default:
        for (size_t count = 1 + dice_below(dice, 3); count && payload->length; count--) {
            change_number(dice, payload);
            fprintf(stderr, "; ");
        }
        fprintf(stderr, "\n");
    }
    put(to, type, payload);
}

static void relay(int from, int to, struct dice dice)
{
    struct wire_stream stream = {0};
    size_t rare = 4 + dice_below(&dice, 60);
    for (;;) {
        enum wire_type type;
        struct wire_reader in;
        int next = wire_stream_next(&stream, &type, &in);
        if (next == 0 && wire_stream_fill(&stream, from) < 0)
            exit(0);
        if (next < 0)
            exit(1);
        if (next <= 0)
            continue;
        struct wire payload = {0};
        for (size_t i = 0; i < in.length; i++) {
            wire_put_u32(&payload, in.data[i]);
            payload.length -= 3;
        }
        if (dice_one_in(&dice, type == WIRE_HELLO ? 40 : rare))
            change(&dice, to, type, &payload);
        else
            put(to, type, &payload);
        wire_free(&payload);
    }
}

/* The number of this worker in the run. */
static uint64_t count_worker(void)
{
    const char *path = getenv("WARPSWEEP_PIPE_COUNT");
    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd < 0 || write(fd, "", 1) != 1)
        return 0;
    off_t count = lseek(fd, 0, SEEK_END);
    close(fd);
    return (uint64_t)count;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("WARPSWEEP_PIPE_SEED");
    int pipes[2];
    (void)argc;
    if (seed && pipe(pipes) == 0) {
        pid_t pid = fork();
        if (pid > 0) {
            close(PROCESS_IN);
            close(pipes[1]);
            signal(SIGPIPE, SIG_IGN);
            relay(pipes[0], PROCESS_OUT, (struct dice){strtoull(seed, NULL, 10) * 64 + count_worker()});
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(pipes[1], PROCESS_OUT);
        close(pipes[0]);
        close(pipes[1]);
    }
    execv(TRUE_WORKER, argv);
    perror(TRUE_WORKER);
    return 127;
}
