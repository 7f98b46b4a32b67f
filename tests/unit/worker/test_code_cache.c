/* The cache of compiled code: what is damaged, torn or another key's is a miss, never wrong code. */
#include <signal.h>
#include <sys/wait.h>

#include "folder_fixture.h"

#include "base/io.h"
#include "worker/cuda/compile/compile.h"

static const char key[] = "copy.cu\nnvrtc 13.0\nsource 0123456789abcdef\n-DVECTOR=4";
static const unsigned char code[100] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 3, [99] = 42};

static void save(void)
{
    struct error error;
    if (code_cache_save(folder, key, code, sizeof code, &error) != 0)
        fail_msg("%s", error.text);
}

static void assert_hit(void)
{
    size_t size = 0;
    unsigned char *loaded = code_cache_load(folder, key, &size);
    assert_non_null(loaded);
    assert_int_equal(size, sizeof code);
    assert_memory_equal(loaded, code, sizeof code);
    assert_int_equal(loaded[size], 0); /* PTX is read as text */
    free(loaded);
}

TEST(what_was_saved_is_loaded)
{
    size_t size;
    assert_null(code_cache_load(folder, key, &size));
    save();
    assert_hit();
    save(); /* again */
    assert_hit();
    assert_null(code_cache_load(folder, "another key", &size));
    assert_null(code_cache_load("/nowhere/at/all", key, &size));
}

TEST(folders_are_made)
{
    struct error error;
    char deep[128];
    size_t size;
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    assert_int_equal(code_cache_save(deep, key, code, sizeof code, &error), 0);
    unsigned char *loaded = code_cache_load(deep, key, &size);
    assert_non_null(loaded);
    free(loaded);
}

TEST(a_folder_that_cannot_be_is_an_error)
{
    struct error error = {0};
    char below[128];
    snprintf(below, sizeof below, "%s/file", folder);
    assert_int_equal(io_replace_file(below, "x", 1, NULL, &error), 0);
    strcat(below, "/cache");
    assert_int_equal(code_cache_save(below, key, code, sizeof code, &error), -1);
    assert_non_null(strstr(error.text, "Not a directory"));
}

/* Without fsync: these are many. */
static void overwrite(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Every single flipped bit, every truncation, and bytes too many. */
TEST(damage_is_a_miss)
{
    struct error error;
    char *path = code_cache_path(folder, key);
    size_t size = 0, loaded_size;
    save();
    char *file = io_read_file(path, 1 << 20, &size, &error);
    assert_non_null(file);
    assert_true(size > sizeof code + sizeof key);
    int harmless = 0;
    for (size_t at = 0; at < size; at++) {
        file[at] ^= 1 << (at % 8);
        overwrite(path, file, size);
        unsigned char *loaded = code_cache_load(folder, key, &loaded_size);
        if (loaded) { /* padding of the header: what is loaded must be right all the same */
            assert_int_equal(loaded_size, sizeof code);
            assert_memory_equal(loaded, code, sizeof code);
            harmless++;
        }
        free(loaded);
        file[at] ^= 1 << (at % 8);
    }
    assert_true(harmless <= 4);
    for (size_t length = 0; length < size; length += 7) {
        overwrite(path, file, length);
        assert_null(code_cache_load(folder, key, &loaded_size));
    }
    file = realloc(file, size + 1);
    file[size] = 0;
    overwrite(path, file, size + 1);
    assert_null(code_cache_load(folder, key, &loaded_size));
    save(); /* a damaged entry is replaced */
    assert_hit();
    free(file);
    free(path);
}

/* An entry of another key in this key's place, as a collision of hashes would put it there. */
TEST(another_keys_entry_is_a_miss)
{
    struct error error;
    size_t size;
    char other[sizeof key];
    memcpy(other, key, sizeof key);
    other[sizeof key - 2] = '8'; /* -DVECTOR=8 */
    assert_int_equal(code_cache_save(folder, other, code, sizeof code, &error), 0);
    char *from = code_cache_path(folder, other), *to = code_cache_path(folder, key);
    assert_string_not_equal(from, to);
    assert_int_equal(rename(from, to), 0);
    assert_null(code_cache_load(folder, key, &size));
    free(from);
    free(to);
}

/* Writers of one entry, killed wherever they are: a reader finds it whole, or does not find it. */
TEST(killed_and_concurrent_writers)
{
    enum { ROUNDS = 8, WRITERS = 3, BYTES = 200000 };
    unsigned char *large = malloc(BYTES);
    for (int i = 0; i < BYTES; i++)
        large[i] = (unsigned char)(i * 31 >> 4);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t writer[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            writer[i] = fork();
            if (writer[i] == 0)
                for (;;)
                    code_cache_save(folder, key, large, BYTES, NULL);
        }
        for (int look = 0; look < 20; look++) {
            size_t size = 0;
            unsigned char *loaded = code_cache_load(folder, key, &size);
            if (loaded && size != sizeof code) { /* an earlier test's entry may still be there */
                assert_int_equal(size, BYTES);
                assert_memory_equal(loaded, large, BYTES);
            }
            free(loaded);
            usleep(200);
        }
        for (int i = 0; i < WRITERS; i++) {
            kill(writer[i], SIGKILL);
            waitpid(writer[i], NULL, 0);
        }
    }
    free(large);
}

GROUP(make_folder, remove_folder)
