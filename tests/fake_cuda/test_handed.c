/* Memory of a device that another process sees, with a stand-in of the driver: what is mapped, what is refused, and that nothing is
 * left behind. */
#include <signal.h>
#include <sys/wait.h>

#include "unit_test.h"

#include "fake_cuda.h"
#include "fake_driver.h"
#include "worker/cuda/device/device.h"

#define FREE (UINT64_C(1) << 36) /* bytes, as cudaMemGetInfo tells */

static struct config config;

/* The worker of rank 1, until its pipe is closed. */
static pid_t serve(int *to)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        struct handover_server *server = handover_server_new(config.place.handover, 1, &cuda_handover);
        handover_server_wait(server, ends[0]);
        handover_server_free(server);
        _exit(fake_driver.allocations ? 1 : 0);
    }
    close(ends[0]);
    *to = ends[1];
    return pid;
}

static void end(pid_t pid, int to)
{
    int status;
    close(to);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void expect_nothing_left(void)
{
    assert_int_equal(fake_driver.allocations, 0);
    assert_int_equal(fake_driver.reserved, 0);
    assert_int_equal(fake_driver.mapped, 0);
}

static struct cuda_handed *open_device(void)
{
    struct error error;
    struct cuda_handed *handed = cuda_handed_open(&config, 1, &error);
    if (!handed)
        fail_msg("%s", error.text);
    return handed;
}

/* In a process of its own: the functions are looked up once. */
TEST(old_driver)
{
    pid_t child = fork();
    if (child == 0) {
        struct error error;
        fake_driver.missing = "cuMemExportToShareableHandle";
        struct cuda_handed *handed = cuda_handed_open(&config, 1, &error);
        _exit(!handed && strstr(error.text, "this driver does not share memory") ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(memory_is_mapped)
{
    int to;
    pid_t other = serve(&to);
    struct cuda_handed *handed = open_device();
    assert_int_equal(handed->capability, 90);
    assert_int_equal(handed->seat, 1);
    assert_int_equal(cuda_handed_room(handed), FREE - CUDA_RESERVED_BYTES);
    uint64_t bytes[2] = {100, FAKE_GRANULE + 1};
    char *a = cuda_handed_new(handed, &bytes[0]), *b = cuda_handed_new(handed, &bytes[1]);
    assert_true(bytes[0] == FAKE_GRANULE && bytes[1] == 2 * FAKE_GRANULE);
    memset(a, 1, bytes[0]);
    memset(b, 2, bytes[1]);
    assert_int_equal(a[FAKE_GRANULE - 1], 1);
    assert_int_equal(fake_driver.mapped, 3);      /* with the one that is held as long as the device */
    assert_int_equal(fake_driver.allocations, 0); /* the mappings keep them */
    cuda_handed_free(handed, a);
    cuda_handed_free(handed, NULL);
    assert_int_equal(b[2 * FAKE_GRANULE - 1], 2);
    assert_int_equal(fake_driver.mapped, 2);
    cuda_handed_close(handed); /* and what is left with it */
    expect_nothing_left();
    end(other, to);
}

TEST(no_peer_access)
{
    int to;
    struct error error;
    pid_t other = serve(&to);
    fake_driver.no_access = true;
    assert_null(cuda_handed_open(&config, 1, &error));
    fake_driver.no_access = false;
    assert_non_null(strstr(error.text,
                           "device 1 is another rank's, and the driver does not map its memory here "
                           "(cuMemSetAccess: CUDA_ERROR_INVALID_DEVICE)"));
    expect_nothing_left();
    end(other, to);
}

/* Run `body` in a guard: what it failed with, or "". */
static const char *message_of(void (*body)(struct cuda_handed *), struct cuda_handed *handed)
{
    static struct cuda_guard guard;
    guard.message[0] = '\0';
    if (cuda_guard_set(&guard) == 0) {
        body(handed);
        cuda_guard_end();
    }
    return guard.message;
}

static void take_too_much(struct cuda_handed *handed)
{
    uint64_t bytes = UINT64_C(8) << 30;
    cuda_handed_new(handed, &bytes);
}

static void check(struct cuda_handed *handed)
{
    cuda_handed_check(handed);
}

static void reach_nobody(struct cuda_handed *handed)
{
    struct error error;
    cuda_handed_open(&config, 1, &error);
}

TEST(no_room)
{
    int to;
    pid_t other = serve(&to);
    struct cuda_handed *handed = open_device();
    assert_string_equal(
        message_of(take_too_much, handed),
        "rank 1 of this node hands no memory over: 8 GiB: cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY");
    assert_string_equal(message_of(check, handed), "");
    cuda_handed_close(handed);
    expect_nothing_left();
    end(other, to);
}

TEST(other_worker_dies)
{
    int to;
    pid_t other = serve(&to);
    struct cuda_handed *handed = open_device();
    uint64_t bytes = 1;
    char *memory = cuda_handed_new(handed, &bytes);
    memory[0] = 7;
    assert_true(cuda_handed_is_alive(handed));
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    close(to);
    assert_false(cuda_handed_is_alive(handed));
    assert_non_null(strstr(message_of(check, handed), "the worker of rank 1 of this node has ended"));
    assert_int_equal(memory[0], 7);
    cuda_handed_close(handed);
    expect_nothing_left();
    assert_non_null(
        strstr(message_of(reach_nobody, NULL), "the worker of rank 1 of this node cannot be reached"));
}

static int begin(void **state)
{
    config = config_standard();
    config.timing.timeout = 4;
    snprintf(config.place.handover, sizeof config.place.handover, "test-%ld", (long)getpid());
    fake.free_bytes = FREE;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

GROUP(begin, NULL)
