/* The cache folder: compiled code that another user could have written there is not executed. */
#include <sys/stat.h>

#include "unit_test.h"

#include "base/io.h"
#include "process/folders.h"

TEST(whose_it_is)
{
    char folder[] = "/tmp/warpsweep-cache-XXXXXX", found[1024];
    struct error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("WARPSWEEP_CACHE", folder, 1), 0);
    assert_int_equal(cache_folder_make(found, sizeof found, &error), 0);
    assert_string_equal(found, folder);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(cache_folder_make(found, sizeof found, &error), -1);
    assert_string_equal(found, "");
    assert_non_null(strstr(error.text, "every user can write to it"));
    assert_int_equal(chmod(folder, 0755), 0);
    if (geteuid() == 0) { /* only root can give a folder away */
        assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
        assert_int_equal(cache_folder_find(found, sizeof found, &error), -1);
        assert_non_null(strstr(error.text, "another user"));
    }
    /* A folder of ours in one that every user can write to. */
    char below[64];
    snprintf(below, sizeof below, "%s/own", folder);
    assert_int_equal(chown(folder, geteuid(), (gid_t)-1), 0);
    assert_int_equal(mkdir(below, 0755), 0);
    assert_int_equal(setenv("WARPSWEEP_CACHE", below, 1), 0);
    assert_int_equal(cache_folder_find(found, sizeof found, &error), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(cache_folder_find(found, sizeof found, &error), -1);
    assert_non_null(strstr(error.text, "every user can write to /"));
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(rmdir(below), 0);
    /* One that is made under a umask of 0, and its files, are as safe. */
    struct stat status;
    char file[96];
    mode_t before = umask(0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cache_folder_make(found, sizeof found, &error), 0);
    snprintf(file, sizeof file, "%s/code", below);
    assert_int_equal(io_replace_file(file, "code", 4, NULL, &error), 0);
    umask(before);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & S_IWOTH, 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(setenv("WARPSWEEP_CACHE", folder, 1), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(cache_folder_find(found, sizeof found, &error), 0); /* one that is yet to be made */
    assert_string_equal(found, folder);
}
