/* A file built in memory is the file that HDF5 was told to make: small, large enough to go on outside memory, and where that
 * cannot be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "store/hdf5/image.h"

static char path[] = "/tmp/test_hdf5_image.XXXXXX";

/* One dataset of `count` numbers that do not compress, put in place; true when it lay outside memory. */
static bool put(uint64_t count)
{
    struct hdf5_image image = {0};
    struct error error;
    hsize_t extent = count;
    uint64_t *numbers = malloc(count * sizeof *numbers);
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = hash_mix(i);
    hid_t file = hdf5_image_create(&image), space = H5Screate_simple(1, &extent, NULL);
    hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_UINT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
    bool outside = image.spill != NULL;
    assert_int_equal(hdf5_image_put(&image, path, &error), 0);
    hdf5_image_free(&image);
    free(numbers);
    return outside;
}

static void hold(uint64_t count)
{
    uint64_t *numbers = malloc(count * sizeof *numbers);
    struct stat status;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "numbers", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    for (uint64_t i = 0; i < count; i++)
        if (numbers[i] != hash_mix(i))
            fail_msg("number %llu of %llu is another", (unsigned long long)i, (unsigned long long)count);
    H5Dclose(set);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(stat(path, &status), 0);
    assert_in_range(status.st_size, 8 * count, 8 * count + 65536); /* nothing of the image's own is in it */
    free(numbers);
}

static void test_small(void **state)
{
    (void)state;
    assert_false(put(1000));
    hold(1000);
}

static void test_large(void **state)
{
    (void)state;
    assert_true(put(5000000)); /* 40 MB */
    hold(5000000);
}

/* With a limit on addresses there is no spilling. A sanitizer has taken more of them than any limit. */
static void test_large_in_memory(void **state)
{
    struct rlimit before, limit;
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)8 << 30;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    bool outside = put(5000000);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_false(outside);
    hold(5000000);
}

static void test_a_folder_that_is_not_there(void **state)
{
    struct hdf5_image image = {0};
    struct error error;
    (void)state;
    assert_true(H5Fclose(hdf5_image_create(&image)) >= 0);
    assert_int_equal(hdf5_image_put(&image, "/nonexistent/file.h5", &error), -1);
    hdf5_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_large_in_memory),
        cmocka_unit_test(test_a_folder_that_is_not_there),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
