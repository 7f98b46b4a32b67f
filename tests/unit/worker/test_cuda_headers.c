/* CUDA's headers are chosen by the version in cuda.h: of the compiler, wherever they lie. */
#include <sys/stat.h>

#include "folder_fixture.h"

#include "worker/cuda/compile/compile.h"

static void write_file(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    write_file("new/include/cuda.h", "/* */\n#define CUDA_VERSION 13000\n");
    write_file("new/include/cccl/cuda/std/__cccl/version.h", "#define CCCL_VERSION 3000001\n");
    write_file("old/include/cuda.h", "#define CUDA_VERSION 12080\n");
    write_file("old/include/cuda/std/__cccl/version.h", "#define CCCL_VERSION 2007000\n");
    write_file("wheels/cuda_runtime/include/cuda.h", "#define CUDA_VERSION 12090\n");
    write_file("wheels/cuda_cccl/include/cuda/std/__cccl/version.h", "#define CCCL_VERSION 2008002\n");
    write_file("ancient/include/cuda.h", "#define CUDA_VERSION 11000\n");
    write_file("broken/include/cuda.h", "#define CUDA_VERSIONS 13000\n");
    return 0;
}

/* The end of the folder that is chosen; what is seen in `seen`. */
static struct cuda_headers find(int version, struct text *seen)
{
    static char path[5][128];
    static const char *const names[] = {"none", "broken/include", "new/include", "old/include",
                                        "wheels/cuda_runtime/include"};
    const char *folders[6] = {NULL};
    for (int i = 0; i < 5; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
        folders[i] = path[i];
    }
    return headers_find(folders, version, seen);
}

TEST(chooses_by_version)
{
    struct text seen = {0};
    struct cuda_headers headers = find(12080, &seen);
    assert_int_equal(headers.version, 12080);
    assert_string_equal(headers.folder + strlen(folder), "/old/include");
    assert_string_equal(headers.cccl, headers.folder);
    assert_int_equal(headers.cccl_version, 2007000);
    headers = find(13000, &seen);
    assert_string_equal(headers.cccl + strlen(folder), "/new/include/cccl");
    assert_int_equal(headers.cccl_version, 3000001);
    headers = find(12090, &seen);
    assert_string_equal(headers.cccl + strlen(folder),
                        "/wheels/cuda_runtime/include/../../cuda_cccl/include");
    assert_int_equal(headers.cccl_version, 2008002);
    text_free(&seen);
}

TEST(names_what_is_there)
{
    struct text seen = {0};
    assert_int_equal(find(12060, &seen).version, 0);
    assert_non_null(strstr(seen.data, "/new/include has 13.0, "));
    assert_non_null(strstr(seen.data, "/old/include has 12.8, "));
    assert_null(strstr(seen.data, "broken"));
    text_free(&seen);
}

/* The tests' own toolkit: NVRTC's headers are found even if CUDA_HOME names another one. */
TEST(ignores_another_home)
{
    char home[128];
    const char *missing;
    snprintf(home, sizeof home, "%s/ancient", folder);
    setenv("CUDA_HOME", home, 1);
    const struct cuda_headers *headers = headers_of_nvrtc(&missing);
    assert_null(missing);
    assert_true(headers->version >= 12080);
    assert_null(strstr(headers->folder, folder));
}

/* Whatever changes the code changes the key; where the headers lie does not. */
TEST(key_of_the_cache)
{
    const struct cuda_headers headers = {
        .folder = "/a", .cccl = "/b", .version = 13000, .cccl_version = 3000001};
    struct cuda_headers toolkit = headers, cccl = headers, elsewhere = headers;
    toolkit.version = 12080;
    cccl.cccl_version = 3000002;
    strcpy(elsewhere.folder, "/c");
    strcpy(elsewhere.cccl, "/d");
    const struct {
        const char *name, *source, *options;
        const struct cuda_headers *headers;
        bool same;
    } cases[] = {
        {"copy", "code", "-O3", &headers, true},  {"copy", "code", "-O3", &elsewhere, true},
        {"add", "code", "-O3", &headers, false},  {"copy", "other", "-O3", &headers, false},
        {"copy", "code", "-O1", &headers, false}, {"copy", "code", "-O3", &toolkit, false},
        {"copy", "code", "-O3", &cccl, false},
    };
    struct text first = {0};
    compile_key("copy", "code", "-O3", &headers, &first);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text key = {0};
        compile_key(cases[i].name, cases[i].source, cases[i].options, cases[i].headers, &key);
        assert_int_equal(strcmp(key.data, first.data) == 0, cases[i].same);
        text_free(&key);
    }
    text_free(&first);
}

GROUP(set_up, remove_folder)
