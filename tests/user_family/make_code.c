/* make_code SOURCE ARCHITECTURE FILE [OPTION]... - machine code or PTX as another compiler would leave it,
 * made by NVRTC. */
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "worker/cuda/compile/compile.h"

int main(int argc, char **argv)
{
    struct text options = {0}, log = {0};
    struct error error;
    struct code code;
    size_t size;
    arch target;
    char *source = argc > 3 ? io_read_file(argv[1], 1 << 20, &size, &error) : NULL;
    if (!source || !arch_parse(argv[2], &target)) {
        fprintf(stderr, "make_code SOURCE ARCHITECTURE FILE [OPTION]...\n");
        return 2;
    }
    for (int i = 4; i < argc; i++)
        text_add(&options, "%s\n", argv[i]);
    int failed =
        compile_source(argv[1], source, NULL, target, options.data ? options.data : "", "", &code, &log);
    if (failed)
        fprintf(stderr, "%s", log.data);
    else if ((failed =
                  io_replace_file(argv[3], code.image, code.size - arch_is_virtual(target), NULL, &error)))
        fprintf(stderr, "%s\n", error.text);
    code_free(&code);
    text_free(&options);
    text_free(&log);
    free(source);
    return failed != 0;
}
