/* Blocks that one thread fills and another one takes: all of them, in order, and an end that both sides see. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/bounded_queue.h"

enum { BYTES = 4096 };

struct taker {
    int blocks, fails_at; /* -1: never */
    bool slow, right, elsewhere;
    pthread_t sender;
};

/* Block n has n + 1 items, all of them n. */
static int take(void *of, void *block, size_t items)
{
    struct taker *taker = of;
    if (taker->slow)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    taker->elsewhere = !pthread_equal(pthread_self(), taker->sender);
    taker->right = taker->right && items == (size_t)taker->blocks + 1;
    for (size_t i = 0; i < items; i++)
        taker->right = taker->right && ((unsigned char *)block)[i] == (unsigned char)taker->blocks;
    return taker->blocks++ == taker->fails_at ? -7 : 0;
}

/* Send `blocks` blocks, or until there is no more room; returns what the end said. */
static int send_blocks(struct taker *taker, int blocks, int *sent)
{
    struct bounded_queue *queue = bounded_queue_start(BYTES, take, taker);
    for (*sent = 0; *sent < blocks; ++*sent) {
        void *block = bounded_queue_block(queue);
        if (!block)
            break;
        memset(block, *sent, (size_t)*sent + 1);
        if (!taker->slow && *sent % 7 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        bounded_queue_send(queue, (size_t)*sent + 1);
    }
    return bounded_queue_end(queue);
}

static void test_all_in_order(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 4, 200};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int slow = 0; slow < 2; slow++) {
            int sent;
            struct taker taker = {.fails_at = -1, .slow = slow, .right = true, .sender = pthread_self()};
            assert_int_equal(send_blocks(&taker, counts[i], &sent), 0);
            assert_int_equal(sent, counts[i]);
            assert_int_equal(taker.blocks, counts[i]);
            assert_true(taker.right);
            assert_int_equal(taker.elsewhere, counts[i] > 1); /* a single block needs no thread */
        }
    }
}

static void test_taker_ends(void **state)
{
    (void)state;
    for (int at = 0; at < 6; at++) {
        int sent;
        struct taker taker = {.fails_at = at, .slow = true, .right = true, .sender = pthread_self()};
        assert_int_equal(send_blocks(&taker, 200, &sent), -7);
        assert_int_equal(taker.blocks, at + 1); /* what comes after is not looked at */
        assert_in_range(sent, at + 1, at + 5);  /* and the sender stops soon */
    }
    int sent;
    struct taker only = {.fails_at = 0, .right = true, .sender = pthread_self()};
    assert_int_equal(send_blocks(&only, 1, &sent), -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_in_order),
                                       cmocka_unit_test(test_taker_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
