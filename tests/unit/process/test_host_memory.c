/* The memory that control groups leave, in made-up trees of /proc and /sys. */
#include "folder_fixture.h"

#include "process/host_memory.h"

EACH(make_folder, remove_folder)

static struct host_memory with(const char *groups)
{
    put("/proc/meminfo", "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    800 kB\n");
    put("/proc/self/cgroup", groups);
    return host_memory_read(folder);
}

TEST(nothing_is_there)
{
    struct host_memory memory = host_memory_read(folder);
    assert_int_equal(memory.total, -1);
    assert_int_equal(memory.limit, -1);
    assert_int_equal(memory.kills, -1);
    assert_true(memory.available == UINT64_MAX);
}

TEST(no_limit)
{
    put("/sys/fs/cgroup/job/memory.max", "max\n");
    put("/sys/fs/cgroup/job/memory.events", "low 0\noom 7\noom_kill 3\noom_group_kill 9\n");
    struct host_memory memory = with("0::/job\n");
    assert_int_equal(memory.total, 1000 * 1024);
    assert_int_equal(memory.limit, -1);
    assert_int_equal(memory.available, 800 * 1024);
    assert_int_equal(memory.kills, 3);
}

/* What is in use counts, but not the files that were read; the groups around count, too. */
TEST(version_2)
{
    put("/sys/fs/cgroup/job/memory.max", "600000\n");
    put("/sys/fs/cgroup/job/memory.current", "550000\n");
    put("/sys/fs/cgroup/job/memory.stat", "anon 1\nactive_file 9999\ninactive_file 50000\n");
    put("/sys/fs/cgroup/job/step/memory.max", "500000\n");
    put("/sys/fs/cgroup/job/step/memory.current", "1000\n");
    struct host_memory memory = with("0::/job/step\n");
    assert_int_equal(memory.total, 500000);
    assert_int_equal(memory.limit, 500000);
    assert_int_equal(memory.available, 100000);
    put("/sys/fs/cgroup/job/memory.current", "700000\n");
    assert_int_equal(host_memory_read(folder).available, 0);
}

TEST(version_1)
{
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "123456789\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "400000\n");
    put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
    put("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 20000\n");
    put("/sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    struct host_memory memory = with("9:name=systemd:/\n4:memory:/job\n0::/\n");
    assert_int_equal(memory.limit, 400000);
    assert_int_equal(memory.available, 320000);
    assert_int_equal(memory.kills, 2);
    memory = with("4:memory:/\n");
    assert_int_equal(memory.limit, -1);
    assert_int_equal(memory.available, 800 * 1024);
}

/* A container sees its own group as the root, below a path that it does not see. */
TEST(container)
{
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
    struct host_memory memory = with("4:memory:/docker/0123\n");
    assert_int_equal(memory.limit, 300000);
    assert_int_equal(memory.available, 300000);
    assert_int_equal(memory.kills, -1);
}
