/* Memory handed over between processes: what is given arrives, what one end leaves the other gets back, and no wait is endless. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "unit_test.h"

#include "base/clock.h"
#include "worker/handover/handover.h"

#define GRANULE  UINT64_C(4096)
#define PATIENCE 10.0 /* s: nothing waits so long unless it fails */
#define BYTE     0x5a

static char run[40]; /* of this process' tests */

/* ---- A source: pages of shared memory, at most `room` bytes at once. It counts what it has given. ---- */

static uint64_t room = 1 << 20, given;

static void describe(struct handover_device *device)
{
    device->capability = 90;
    device->room_bytes = room - given;
}

static int allocate(struct handover_piece *piece, struct error *error)
{
    piece->bytes = (piece->bytes + GRANULE - 1) / GRANULE * GRANULE;
    if (piece->bytes > room - given)
        return error_set(error, ERROR_ENVIRONMENT, "there is no room");
    piece->fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(piece->fd, (off_t)piece->bytes), 0);
    given += piece->bytes;
    return 0;
}

static void release(const struct handover_piece *piece)
{
    given -= piece->bytes;
}

static const struct handover_source source = {describe, allocate, release};

/* ---- The server, in a process of its own until its pipe is closed ---- */

struct other {
    pid_t pid;
    int to; /* its `in` */
};

static struct other serve(int rank)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct other other = {.pid = fork(), .to = ends[1]};
    if (other.pid == 0) {
        close(ends[1]);
        struct handover_server *server = handover_server_new(run, rank, &source);
        handover_server_wait(server, ends[0]);
        handover_server_free(server);
        _exit(given ? 1 : 0); /* something was not given back */
    }
    close(ends[0]);
    return other;
}

/* Let it end by itself; its exit code. */
static int end(struct other *other)
{
    int status;
    close(other->to);
    assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void end_by(struct other *other, int signal)
{
    kill(other->pid, signal);
    close(other->to);
    waitpid(other->pid, NULL, 0);
}

static struct handover_peer *reach(int rank)
{
    struct error error;
    struct handover_peer *peer = handover_connect(run, rank, PATIENCE, &error);
    if (!peer)
        fail_msg("%s", error.text);
    return peer;
}

static uint64_t room_of(struct handover_peer *peer)
{
    struct handover_device device;
    struct error error;
    assert_int_equal(handover_describe(peer, &device, &error), 0);
    assert_int_equal(device.capability, 90);
    return device.room_bytes;
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static int take(struct handover_peer *peer, uint64_t bytes, uint32_t *piece, struct error *error)
{
    uint64_t got = bytes;
    int fd = handover_take(peer, &got, piece, error);
    if (fd >= 0)
        assert_true(got >= bytes && got % GRANULE == 0);
    return fd;
}

TEST(memory_is_shared)
{
    int before = open_descriptors();
    struct other other = serve(1);
    struct handover_peer *peer = reach(1);
    struct error error;
    uint32_t piece[2];
    int fd = take(peer, 100, &piece[0], &error), second = take(peer, GRANULE, &piece[1], &error);
    assert_true(fd >= 0 && second >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    unsigned char *pages = mmap(NULL, GRANULE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(pages != MAP_FAILED);
    pages[GRANULE - 1] = BYTE;
    unsigned char byte = 0;
    assert_int_equal(pread(fd, &byte, 1, GRANULE - 1), 1);
    assert_int_equal(byte, BYTE);
    munmap(pages, GRANULE);
    close(fd);
    close(second);
    assert_int_equal(room_of(peer), room - 2 * GRANULE);
    assert_int_equal(handover_give(peer, piece[1], &error), 0);
    assert_int_equal(room_of(peer), room - GRANULE);
    assert_int_equal(handover_give(peer, piece[1], &error), -1);
    assert_non_null(strstr(error.text, "rank 1 of this node hands no memory over: it has given no piece 1"));
    assert_true(handover_is_alive(peer));
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
    assert_int_equal(open_descriptors(), before);
}

TEST(what_is_refused)
{
    struct other other = serve(1);
    struct handover_peer *peer = reach(1);
    struct error error;
    uint32_t piece;
    assert_int_equal(take(peer, room + 1, &piece, &error), -1);
    assert_non_null(strstr(error.text, "there is no room"));
    assert_int_equal(take(peer, 0, &piece, &error), -1);
    for (int i = 0; i < HANDOVER_PIECES_MAX; i++)
        close(take(peer, 1, &piece, &error));
    assert_int_equal(take(peer, 1, &piece, &error), -1);
    assert_non_null(strstr(error.text, "as many pieces as a connection has"));
    assert_int_equal(room_of(peer), room - HANDOVER_PIECES_MAX * GRANULE); /* it goes on after each */
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
}

/* What a client that is gone had is there for the next one. */
TEST(client_that_dies)
{
    struct other other = serve(1);
    pid_t client = fork();
    if (client == 0) {
        struct handover_peer *peer = reach(1);
        struct error error;
        uint32_t piece;
        if (take(peer, room, &piece, &error) >= 0)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    waitpid(client, &status, 0);
    assert_true(WIFSIGNALED(status));
    struct handover_peer *peer = reach(1);
    double until = clock_now() + PATIENCE;
    while (room_of(peer) != room && clock_now() < until) /* it may be served first */
        clock_sleep(0.01);
    assert_int_equal(room_of(peer), room);
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
}

TEST(server_that_dies)
{
    struct other other = serve(1);
    struct handover_peer *peer = reach(1);
    struct error error;
    uint32_t piece;
    int fd = take(peer, 1, &piece, &error);
    end_by(&other, SIGKILL);
    assert_false(handover_is_alive(peer));
    assert_int_equal(take(peer, 1, &piece, &error), -1);
    assert_non_null(strstr(error.text, "the worker of rank 1 of this node has ended"));
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, 0), 1); /* the memory is still there */
    close(fd);
    handover_disconnect(peer);
    other = serve(1); /* the name is free again */
    peer = reach(1);
    assert_int_equal(room_of(peer), room);
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
}

TEST(server_that_hangs)
{
    struct other other = serve(1);
    struct handover_peer *peer = reach(1);
    struct error error;
    uint32_t piece;
    assert_int_equal(room_of(peer), room);
    handover_disconnect(peer);
    kill(other.pid, SIGSTOP);
    double start = clock_now();
    peer = handover_connect(run, 1, 0.2, &error);
    assert_non_null(peer); /* the kernel connects */
    assert_int_equal(take(peer, 1, &piece, &error), -1);
    assert_non_null(strstr(error.text, "the worker of rank 1 of this node has not answered for 0.2 s"));
    assert_true(clock_now() - start >= 0.19);
    handover_disconnect(peer);
    kill(other.pid, SIGCONT);
    peer = reach(1);
    assert_int_equal(room_of(peer), room); /* what it gave to nobody it has again */
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
}

TEST(nobody_there)
{
    struct error error;
    double start = clock_now();
    assert_null(handover_connect(run, 7, 0.1, &error));
    assert_non_null(strstr(error.text, "the worker of rank 7 of this node cannot be reached"));
    assert_true(clock_now() - start >= 0.1);
}

/* A worker that is started while the old one has the name gets it when that ends. */
TEST(name_in_use)
{
    struct other old = serve(1), next;
    handover_disconnect(reach(1));
    next = serve(1);
    end_by(&old, SIGKILL);
    struct handover_peer *peer = reach(1);
    assert_int_equal(room_of(peer), room);
    handover_disconnect(peer);
    assert_int_equal(end(&next), 0);
}

/* Bytes that are no request end the connection, and only that. */
TEST(garbage)
{
    struct other other = serve(1);
    struct handover_peer *peer = reach(1);
    for (size_t size = 1; size <= 2 * sizeof(struct handover_request); size++) {
        struct sockaddr_un address;
        socklen_t length = handover_address(run, 1, &address);
        unsigned char bytes[2 * sizeof(struct handover_request)];
        int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        memset(bytes, 0xff, sizeof bytes);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, length), 0);
        assert_true(handover_send(fd, bytes, size, size % 2 ? STDERR_FILENO : -1));
        assert_int_equal(handover_receive(fd, bytes, sizeof(struct handover_request), NULL), 0);
        close(fd);
    }
    assert_int_equal(room_of(peer), room);
    handover_disconnect(peer);
    assert_int_equal(end(&other), 0);
}

/* Without a server the worker waits for its rank elsewhere. */
TEST(no_server)
{
    handover_server_wait(NULL, -1);
    handover_server_free(NULL);
    handover_disconnect(NULL);
}

static int begin(void **state)
{
    snprintf(run, sizeof run, "test-%ld", (long)getpid());
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

GROUP(begin, NULL)
