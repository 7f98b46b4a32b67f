/* Whole reads and writes, and files that appear complete or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "folder_fixture.h"

#include "base/io.h"

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int entries(const char *path)
{
    DIR *listing = opendir(path);
    int count = -2; /* . and .. */
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}

enum { PIPE_BYTES = 1 << 20 };

static void *slow_reader(void *argument)
{
    int fd = *(int *)argument;
    unsigned char *bytes = malloc(PIPE_BYTES + 1);
    ssize_t got = io_read_full(fd, bytes, PIPE_BYTES + 1); /* more than comes: ends at end of file */
    bool right = got == PIPE_BYTES;
    for (size_t i = 0; right && i < PIPE_BYTES; i++)
        right = bytes[i] == (unsigned char)(i * 7 >> 3);
    free(bytes);
    return right ? argument : NULL;
}

static void interrupt(int number) {}

/* A megabyte through a pipe that holds 64 KiB, with a signal every millisecond: short writes and EINTR. */
TEST(pipe_under_signals)
{
    struct sigaction action = {.sa_handler = interrupt}, old; /* no SA_RESTART */
    sigaction(SIGALRM, &action, &old);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pthread_t reader;
    unsigned char *bytes = malloc(PIPE_BYTES);
    for (size_t i = 0; i < PIPE_BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 >> 3);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_create(&reader, NULL, slow_reader, &ends[0]);
    assert_int_equal(io_write_full(ends[1], bytes, PIPE_BYTES), 0);
    close(ends[1]);
    void *right = NULL;
    pthread_join(reader, &right);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_non_null(right);
    close(ends[0]);
    free(bytes);
}

/* Without it the first file that is opened would be what stderr is written to. */
TEST(fill_standard)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int before = open("/dev/null", O_RDONLY), wrong = 0;
        close(before);
        close(STDIN_FILENO);
        close(STDERR_FILENO);
        io_fill_standard();
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
            wrong += fcntl(fd, F_GETFD) < 0;
        wrong += write(STDERR_FILENO, "", 1) >= 0; /* as before */
        int after = open("/dev/null", O_RDONLY);
        _exit(wrong || after != before);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(errors_keep_errno)
{
    char byte = 0;
    errno = 0;
    assert_int_equal(io_read_full(-1, &byte, 1), -1);
    assert_int_equal(errno, EBADF);
    errno = 0;
    assert_int_equal(io_write_full(-1, &byte, 1), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(io_write_full(-1, &byte, 0), 0);
}

TEST(read_file)
{
    struct error error = {0};
    size_t size = 0;
    static const char content[] = "line\nnul \0 inside";
    const char *path = in_folder("file");
    assert_int_equal(io_replace_file(path, content, sizeof content, NULL, &error), 0);
    char *bytes = io_read_file(path, sizeof content, &size, &error);
    assert_non_null(bytes);
    assert_int_equal(size, sizeof content);
    assert_memory_equal(bytes, content, size);
    assert_int_equal(bytes[size], 0);
    free(bytes);

    assert_null(io_read_file(path, sizeof content - 1, &size, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "18")); /* both sizes */
    assert_non_null(strstr(error.text, "17"));

    assert_int_equal(io_replace_file(path, "", 0, NULL, &error), 0);
    bytes = io_read_file(path, 10, &size, &error);
    assert_non_null(bytes);
    assert_int_equal(size, 0);
    assert_string_equal(bytes, "");
    free(bytes);
}

TEST(read_file_refuses)
{
    struct error error = {0};
    size_t size;
    assert_null(io_read_file(in_folder("absent"), 10, &size, &error));
    assert_non_null(strstr(error.text, "No such file"));
    assert_null(io_read_file(folder, 10, &size, &error));
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_null(io_read_file("/dev/zero", 10, &size, &error));
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    assert_null(io_read_file(in_folder("fifo"), 10, &size, &error)); /* does not block without a writer */
    assert_non_null(strstr(error.text, "not a regular file"));
}

TEST(replace_leaves_nothing_else)
{
    struct error error = {0};
    assert_int_equal(io_make_folders(in_folder("replace"), &error), 0);
    assert_int_equal(io_replace_file(in_folder("replace/a"), "one", 3, NULL, &error), 0);
    assert_int_equal(io_replace_file(in_folder("replace/a"), "two!", 4, NULL, &error), 0);
    assert_int_equal(entries(in_folder("replace")), 1);

    /* A folder of that name cannot be replaced: an error, and no temporary file left. */
    assert_int_equal(io_make_folders(in_folder("replace/b"), &error), 0);
    assert_int_equal(io_replace_file(in_folder("replace/b"), "x", 1, NULL, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_int_equal(entries(in_folder("replace")), 2);
    assert_int_equal(io_replace_file(in_folder("nowhere/c"), "x", 1, NULL, &error), -1);
    assert_string_equal(strstr(error.text, "nowhere/c"), "nowhere/c: No such file or directory");
}

/* A file that another program has moved there stays, also if there was none before. */
TEST(replace_leaves_other_files)
{
    struct error error = {0};
    struct io_identity mine = {0};
    char path[256], other[256];
    snprintf(path, sizeof path, "%s", in_folder("mine"));
    snprintf(other, sizeof other, "%s", in_folder("other"));
    assert_int_equal(io_replace_file(path, "one", 3, &mine, &error), 0);
    assert_true(mine.inode && mine.inode == io_identify(path).inode);
    assert_int_equal(io_replace_file(path, "two", 3, &mine, &error), 0);
    assert_int_equal(io_replace_file(other, "theirs", 6, NULL, &error), 0);
    assert_int_equal(rename(other, path), 0);
    ino_t before = mine.inode;
    assert_int_equal(io_replace_file(path, "three", 5, &mine, &error), 1);
    assert_int_equal(mine.inode, before);
    assert_int_equal(io_replace_file(path, "three", 5, &(struct io_identity){0}, &error), 1);
    size_t size;
    char *text = io_read_file(path, 10, &size, &error);
    assert_memory_equal(text, "theirs", 6);
    free(text);

    /* One that was removed is written again. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(io_replace_file(path, "four", 4, &mine, &error), 0);
}

/* Readers see one writer's whole file, whichever. */
TEST(concurrent_writers)
{
    enum { WRITERS = 4, ROUNDS = 20, BYTES = 20000 };
    const char *path = in_folder("shared");
    struct error error = {0};
    char *bytes = malloc(BYTES);
    memset(bytes, 'a', BYTES);
    assert_int_equal(io_replace_file(path, bytes, BYTES, NULL, &error), 0);
    for (int writer = 0; writer < WRITERS; writer++) {
        if (fork() == 0) {
            int failed = 0;
            memset(bytes, 'a' + writer, BYTES);
            for (int round = 0; round < ROUNDS; round++)
                failed |= io_replace_file(path, bytes, BYTES, NULL, &error);
            _exit(failed ? 1 : 0);
        }
    }
    for (int running = WRITERS; running;) {
        size_t size = 0;
        char *seen = io_read_file(path, BYTES, &size, &error);
        assert_non_null(seen);
        assert_int_equal(size, BYTES);
        for (size_t i = 1; i < size; i++)
            if (seen[i] != seen[0])
                fail_msg("two writers in one file");
        free(seen);
        int status;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            running--;
        }
    }
    free(bytes);
}

TEST(make_folders)
{
    struct error error = {0};
    struct stat status;
    assert_int_equal(io_make_folders(in_folder("a/b//c/"), &error), 0);
    assert_int_equal(stat(in_folder("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(io_make_folders(in_folder("a/b/c"), &error), 0); /* again */
    assert_int_equal(io_make_folders("/", &error), 0);
    assert_int_equal(io_make_folders(".", &error), 0);
    assert_int_equal(io_replace_file(in_folder("a/plain"), "x", 1, NULL, &error), 0);
    assert_int_equal(io_make_folders(in_folder("a/plain/d"), &error), -1);
    assert_non_null(strstr(error.text, "Not a directory"));
    assert_int_equal(io_make_folders(in_folder("a/plain"), &error), -1);
}

TEST(executable_folder)
{
    char path[512], small[4];
    struct stat status;
    io_executable_folder(path, sizeof path);
    assert_true(path[0] == '/' && path[strlen(path) - 1] != '/');
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    io_executable_folder(small, sizeof small); /* cut, not overrun */
    assert_true(strlen(small) < sizeof small);
}

GROUP(make_folder, remove_folder)
