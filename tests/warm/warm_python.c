/* warm_python ARGUMENT...: as python3, in a fraction of the time where a command of the package, or pytest,
 * is run. Tests name it in WARPSWEEP_PYTHON. The first one starts server.py, which has imported what commands
 * import; each command is a child that it forks, with the arguments, folder, variables and descriptors from
 * here. Whatever it does not take, python3 is executed for. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_TAKEN = 0x10000 }; /* no status of waitpid */

extern char **environ;

/* An abstract name, of this build and user: it goes with its server. */
static int connected(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t hash = 14695981039346656037u;
    for (const char *c = SERVER; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "warpsweep-warm-%u-%016llx",
                          getuid(), (unsigned long long)hash);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (connect(connection, (struct sockaddr *)&address, size) == 0)
        return connection;
    close(connection);
    setenv("WARM_SOCKET", address.sun_path + 1, 1);
    return -1;
}

/* In a session of its own, as nobody's child. */
static void start_server(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        execlp("python3", "python3", SERVER, (char *)NULL);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

static void add(char **data, uint32_t *length, const char *text)
{
    size_t size = strlen(text) + 1;
    *data = realloc(*data, *length + size);
    memcpy(*data + *length, text, size);
    *length += (uint32_t)size;
}

/* The status of waitpid, or NOT_TAKEN. */
static int run(int connection, char **argv)
{
    char *data = NULL, folder[4096], number[16];
    uint32_t length = 0;
    int count = 0, status = NOT_TAKEN, fds[3] = {0, 1, 2};
    while (argv[count])
        count++;
    snprintf(number, sizeof number, "%d", count);
    add(&data, &length, getcwd(folder, sizeof folder) ? folder : "/");
    add(&data, &length, number);
    for (int i = 0; i < count; i++)
        add(&data, &length, argv[i]);
    for (char **pair = environ; *pair; pair++)
        add(&data, &length, *pair);
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr header;
    } control = {
        .header = {.cmsg_len = CMSG_LEN(sizeof fds), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), fds, sizeof fds);
    struct iovec part = {&length, sizeof length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
    if (sendmsg(connection, &message, MSG_NOSIGNAL) == sizeof length)
        for (uint32_t sent = 0; sent < length;) {
            ssize_t some = send(connection, data + sent, length - sent, MSG_NOSIGNAL);
            if (some <= 0)
                break;
            sent += (uint32_t)some;
        }
    free(data);
    if (recv(connection, &status, sizeof status, MSG_WAITALL) != sizeof status)
        status = NOT_TAKEN;
    close(connection);
    return status;
}

int main(int argc, char **argv)
{
    (void)argc;
    bool is_command = argv[1] && argv[2] && !strcmp(argv[1], "-c") &&
                      strstr(argv[2], "from warpsweep.__main__ import main");
    if (is_command || (argv[1] && argv[2] && !strcmp(argv[1], "-m") && !strcmp(argv[2], "pytest"))) {
        int connection = connected(), status;
        if (connection < 0)
            start_server();
        for (int i = 0; connection < 0 && i < 1000; i++) { /* which binds its name first, then imports */
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            connection = connected();
        }
        unsetenv("WARM_SOCKET");
        status = connection < 0 ? NOT_TAKEN : run(connection, argv);
        if (status != NOT_TAKEN && WIFEXITED(status))
            return WEXITSTATUS(status);
        if (status != NOT_TAKEN) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){0});
            signal(WTERMSIG(status), SIG_DFL);
            raise(WTERMSIG(status));
        }
    }
    execvp("python3", argv);
    perror("python3");
    return 127;
}
