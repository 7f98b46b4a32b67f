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

/* A connection with `bytes` bytes of memory, whose descriptor goes to `fd`; -1 with an error. */
static int take(int rank, double patience, uint64_t bytes, int *fd, struct error *error)
{
    struct handover_answer answer;
    int connection = handover_ask(run, rank, patience, bytes, fd, &answer, error);
    assert_true(connection >= 0 || *fd < 0);
    if (connection < 0)
        return -1;
    assert_int_equal(answer.device.capability, 90);
    assert_int_equal(*fd >= 0, bytes > 0);
    assert_true(answer.bytes >= bytes && answer.bytes % GRANULE == 0);
    return connection;
}

static int reach(int rank, uint64_t bytes, int *fd)
{
    struct error error;
    int connection = take(rank, PATIENCE, bytes, fd, &error);
    if (connection < 0)
        fail_msg("%s", error.text);
    return connection;
}

static uint64_t room_of(int rank)
{
    struct handover_answer answer;
    struct error error;
    int none, connection = handover_ask(run, rank, PATIENCE, 0, &none, &answer, &error);
    if (connection < 0)
        fail_msg("%s", error.text);
    close(connection);
    return answer.device.room_bytes;
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(memory_is_shared)
{
    int before = open_descriptors(), fd[2];
    struct other other = serve(1);
    int first = reach(1, 100, &fd[0]), second = reach(1, GRANULE, &fd[1]);
    assert_true(fcntl(fd[0], F_GETFD) & FD_CLOEXEC);
    unsigned char *pages = mmap(NULL, GRANULE, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
    assert_true(pages != MAP_FAILED);
    pages[GRANULE - 1] = BYTE;
    unsigned char byte = 0;
    assert_int_equal(pread(fd[0], &byte, 1, GRANULE - 1), 1);
    assert_int_equal(byte, BYTE);
    munmap(pages, GRANULE);
    close(fd[0]);
    close(fd[1]);
    assert_int_equal(room_of(1), room - 2 * GRANULE);
    close(second); /* is free again before anybody else is answered */
    assert_int_equal(room_of(1), room - GRANULE);
    assert_true(handover_is_alive(first));
    close(first);
    assert_int_equal(room_of(1), room);
    assert_int_equal(end(&other), 0);
    assert_int_equal(open_descriptors(), before);
}

TEST(what_is_refused)
{
    struct other other = serve(1);
    struct error error;
    int connection[HANDOVER_CLIENTS_MAX], fd;
    assert_int_equal(take(1, PATIENCE, room + 1, &fd, &error), -1);
    assert_non_null(strstr(error.text, "rank 1 of this node hands no memory over: there is no room"));
    for (int i = 0; i < HANDOVER_CLIENTS_MAX; i++) {
        connection[i] = reach(1, 1, &fd);
        close(fd);
    }
    assert_int_equal(take(1, PATIENCE, 1, &fd, &error), -1);
    assert_non_null(strstr(error.text, "the worker of rank 1 of this node has ended"));
    uint64_t again = 1; /* a connection has one piece */
    assert_int_equal(send(connection[0], &again, sizeof again, 0), sizeof again);
    char byte;
    assert_int_equal(recv(connection[0], &byte, 1, 0), 0);
    assert_false(handover_is_alive(connection[0]));
    assert_int_equal(room_of(1), room - (HANDOVER_CLIENTS_MAX - 1) * GRANULE);
    for (int i = 0; i < HANDOVER_CLIENTS_MAX; i++)
        close(connection[i]);
    assert_int_equal(end(&other), 0);
}

/* What a client that is gone had is there for the next one. */
TEST(client_that_dies)
{
    struct other other = serve(1);
    pid_t client = fork();
    if (client == 0) {
        struct error error;
        int fd;
        if (take(1, PATIENCE, room, &fd, &error) >= 0)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    waitpid(client, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(room_of(1), room);
    assert_int_equal(end(&other), 0);
}

TEST(server_that_dies)
{
    struct other other = serve(1);
    int fd, connection = reach(1, 1, &fd);
    end_by(&other, SIGKILL);
    assert_false(handover_is_alive(connection));
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, 0), 1); /* the memory is still there */
    close(fd);
    close(connection);
    other = serve(1); /* the name is free again */
    assert_int_equal(room_of(1), room);
    assert_int_equal(end(&other), 0);
}

/* With the request unread. */
TEST(server_that_dies_before_it_answers)
{
    struct other other = serve(1);
    struct error error;
    int fd;
    assert_int_equal(room_of(1), room);
    kill(other.pid, SIGSTOP);
    pid_t killer = fork();
    if (killer == 0) {
        clock_sleep(0.2);
        kill(other.pid, SIGKILL);
        _exit(0);
    }
    assert_int_equal(take(1, PATIENCE, 1, &fd, &error), -1);
    assert_non_null(strstr(error.text, "the worker of rank 1 of this node has ended"));
    waitpid(killer, NULL, 0);
    end_by(&other, SIGKILL);
}

TEST(server_that_hangs)
{
    struct other other = serve(1);
    struct error error;
    int fd;
    assert_int_equal(room_of(1), room);
    kill(other.pid, SIGSTOP);
    double start = clock_now();
    assert_int_equal(take(1, 0.2, 1, &fd, &error), -1); /* the kernel connects */
    assert_non_null(strstr(error.text, "the worker of rank 1 of this node has not answered for 0.2 s"));
    assert_true(clock_now() - start >= 0.19);
    kill(other.pid, SIGCONT);
    assert_int_equal(room_of(1), room); /* what it gave to nobody it has again */
    assert_int_equal(end(&other), 0);
}

TEST(nobody_there)
{
    struct error error;
    int fd;
    double start = clock_now();
    assert_int_equal(take(7, 0.1, 1, &fd, &error), -1);
    assert_non_null(strstr(error.text, "the worker of rank 7 of this node cannot be reached"));
    assert_true(clock_now() - start >= 0.1);
}

/* A worker that is started while the old one has the name gets it when that ends. */
TEST(name_in_use)
{
    struct other old = serve(1), next;
    room_of(1);
    next = serve(1);
    end_by(&old, SIGKILL);
    assert_int_equal(room_of(1), room);
    assert_int_equal(end(&next), 0);
}

/* Bytes that are no request end the connection, and only that. */
TEST(garbage)
{
    struct other other = serve(1);
    int fd, connection = reach(1, 1, &fd);
    for (size_t size = 1; size <= 2 * sizeof(struct handover_answer); size++) {
        if (size == sizeof(uint64_t))
            continue; /* that is a request */
        struct sockaddr_un address;
        socklen_t length = handover_address(run, 1, &address);
        unsigned char bytes[2 * sizeof(struct handover_answer)];
        int other_end = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        memset(bytes, 0xff, sizeof bytes);
        assert_int_equal(connect(other_end, (struct sockaddr *)&address, length), 0);
        assert_int_equal(send(other_end, bytes, size, 0), size);
        assert_int_equal(recv(other_end, bytes, 1, 0), 0);
        close(other_end);
    }
    assert_true(handover_is_alive(connection));
    close(fd);
    close(connection);
    assert_int_equal(end(&other), 0);
}

/* An answer of another length, or with several descriptors: the only one that is received is closed. */
TEST(no_answer)
{
    int ends[2], fd, before = open_descriptors();
    struct handover_answer answer = {.bytes = 1};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(send(ends[0], &answer, sizeof answer - 1, 0), sizeof answer - 1);
    assert_int_equal(handover_receive(ends[1], &answer, &fd), -1);
    assert_int_equal(errno, EPROTO);
    int two[2] = {STDIN_FILENO, STDERR_FILENO};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof two)] = {0};
    struct iovec part = {&answer, sizeof answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *CMSG_FIRSTHDR(&message) =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof two)};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), two, sizeof two);
    assert_int_equal(sendmsg(ends[0], &message, 0), sizeof answer);
    assert_int_equal(handover_receive(ends[1], &answer, &fd), -1);
    assert_true(handover_send(ends[0], &answer, STDERR_FILENO));
    assert_int_equal(handover_receive(ends[1], &answer, &fd), 1);
    assert_true(fd >= 0);
    close(fd);
    close(ends[0]);
    assert_int_equal(handover_receive(ends[1], &answer, &fd), 0);
    close(ends[1]);
    assert_int_equal(open_descriptors(), before);
}

/* Without a server the worker waits for its rank elsewhere. */
TEST(no_server)
{
    handover_server_wait(NULL, -1);
    handover_server_free(NULL);
}

static int begin(void **state)
{
    snprintf(run, sizeof run, "test-%ld", (long)getpid());
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

GROUP(begin, NULL)
