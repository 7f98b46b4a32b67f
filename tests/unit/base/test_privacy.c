/* What a results file does not say of people and machines. */
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/privacy.h"

static struct privacy of(bool anonymous)
{
    setenv("HOME", "/home/quux", 1);
    setenv("USER", "quux", 1);
    return privacy_of_user(anonymous);
}

typedef char *hide(const struct privacy *privacy, const char *text);

/* Hiding twice is hiding once. */
static void assert_hidden(const struct privacy *privacy, hide *hides, const char *text, const char *expected)
{
    char *hidden = hides(privacy, text), *again = hides(privacy, hidden);
    assert_string_equal(hidden, expected);
    assert_string_equal(again, expected);
    free(again);
    free(hidden);
}

TEST(always)
{
    struct privacy privacy = of(false);
    assert_hidden(&privacy, privacy_text, "", "");
    assert_hidden(&privacy, privacy_text, "run /home/quux/job.yaml -o /scratch/quux/r.h5",
                  "run ~/job.yaml -o /scratch/$USER/r.h5");
    assert_hidden(&privacy, privacy_text, "'/home/quux' and /home/quuxy/a, a quux",
                  "'~' and /home/quuxy/a, a quux");
    assert_hidden(&privacy, privacy_source, "/* /home/quux/x */", "/* /home/quux/x */");
    assert_hidden(&privacy, privacy_job, "title: a # of quux\n", "title: a # of quux\n");
    char host[32] = "plugh", uuid[64] = "host-plugh";
    privacy_device(&privacy, host, uuid, sizeof host);
    assert_string_equal(host, "plugh");
    assert_string_equal(uuid, "host-plugh");
    privacy_free(&privacy);
}

TEST(nothing_is_known)
{
    assert_hidden(&(struct privacy){0}, privacy_text, "/home/quux/job.yaml", "/home/quux/job.yaml");
}

TEST(anonymous_texts)
{
    static const char *const kept[] = {"saxpy", NULL};
    struct privacy privacy = of(true);
    privacy_add_host(&privacy, "gpu-1.frob.example", NULL);
    privacy_add_host(&privacy, "gpu-10", NULL);
    privacy_number_hosts(&privacy);
    privacy_add_path(&privacy, "/data/grue/saxpy/oddjob.yaml", kept);
    assert_hidden(&privacy, privacy_text, "rank 1 on gpu-10: lost; gpu-1 and gpu-1.frob.example: not",
                  "rank 1 on node2: lost; node1 and node1: not");
    assert_hidden(&privacy, privacy_text, "cannot open '/data/x/y.so': no file; a/b, 1 / 2, /usr/lib/x",
                  "cannot open 'PATH': no file; a/b, 1 / 2, /usr/lib/x");
    assert_hidden(&privacy, privacy_text, "grue/x.cu(3), saxpy, oddjob, quux's quuxy",
                  "PATH/x.cu(3), saxpy, PATH, $USER's quuxy");
    assert_hidden(&privacy, privacy_text, "docker://nvcr.io/nvidia/x", "docker://nvcr.io/nvidia/x");
    char *uuid = privacy_text(&privacy, "GPU-712be5eb-19d8-4b5e-5329-3c54e6de23d9,1");
    assert_int_equal(strlen(uuid), strlen("GPU-,1") + 16);
    assert_null(strstr(uuid, "712be5eb"));
    free(uuid);
    assert_hidden(&privacy, privacy_source, "int grue = 1; // grue/a of quux",
                  "int grue = 1; // PATH/a of $USER");
    assert_hidden(&privacy, privacy_job,
                  "# quux\ntitle: \"quux #1\" # gpu-1\n\nsweeps:\n  - {kernel: copy} # x\n    # y\n",
                  "title: \"$USER #1\"\n\nsweeps:\n  - {kernel: copy}\n");
    privacy_free(&privacy);
}

/* Names of hosts may look like those that they get. */
TEST(hosts)
{
    struct privacy privacy = of(true);
    privacy_add_host(&privacy, "old", "node1");
    privacy_add_host(&privacy, "node3", NULL);
    privacy_add_host(&privacy, "node2", NULL);
    privacy_number_hosts(&privacy);
    assert_hidden(&privacy, privacy_text, "old node2 node3", "node1 node4 node5");
    assert_string_equal(privacy_host(&privacy, "node2"), "node4");
    char host[2][64] = {"node3", "node3"},
         uuid[2][64] = {"host-node3", "GPU-712be5eb-19d8-4b5e-5329-3c54e6de23d9"};
    for (int i = 0; i < 4; i++) /* twice each */
        privacy_device(&privacy, host[i % 2], uuid[i % 2], sizeof host[0]);
    assert_string_equal(host[0], "node5");
    assert_string_equal(host[1], "node5");
    assert_int_equal(strlen(uuid[0]), strlen("host-") + 8);
    assert_int_equal(strlen(uuid[1]), strlen("GPU-") + 16);
    privacy_free(&privacy);
}
