/* compile.h - device code without a device: NVRTC and ptxas, the cache of code, cubins, and their
 * listings. */
#pragma once

#include "family/code/source.h"
#include "worker/backend.h"

/* ---- The folder of the CUDA headers that belong to the NVRTC in use ----
 *
 * Headers of another version than the compiler's fail with pages of errors, or compile to other code. So the
 * folder is chosen by the version in its cuda.h, not by its path. */

struct cuda_headers {
    char folder[1024]; /* has cuda.h */
    char cccl[1024];   /* has cub/ and cuda/std/; may be `folder` */
    int version;       /* CUDA_VERSION: 1000 * major + 10 * minor; 0: there is no such folder */
    int cccl_version;  /* CCCL_VERSION, 1000000 * major + 1000 * minor + patch; 0: there is no CCCL */
};

/* The first of the folders (NULL ends the list) whose cuda.h has `version`. Otherwise version 0; then `seen`
 * lists the folders that have a cuda.h, with their versions: "/usr/local/cuda/include has 13.0". */
struct cuda_headers headers_find(const char *const *folder, int version, struct text *seen);

/* Those of the loaded NVRTC, found once: of CUDA_HOME, CUDA_PATH, the folders beside the library, the toolkit
 * of the build, and the usual places. If there are none, `*missing` is one line that names the versions; else
 * NULL. */
const struct cuda_headers *headers_of_nvrtc(const char **missing);

/* The folder that NVRTC was loaded from, links followed; "" if it is not known. */
void nvrtc_folder(char *out, size_t size);

/* ---- Compiling by NVRTC: needs no GPU, and is thread-safe ---- */

/* Machine code, or PTX with its NUL for a virtual architecture. code_free releases it. */
struct code {
    unsigned char *image;
    size_t size;
    bool cached; /* the compiler did not run */
};
void code_free(struct code *code);

/* Compile a source, or load its code from the cache in `cache_folder` (empty: no cache). -1 with the
 * compiler's messages in `log`; without a log (NULL) nothing is compiled, and -1 says that the cache has no
 * such code. `name`: of the source in messages. `own`: headers of a user's family that it includes, or NULL.
 * `options`: separated by newlines. */
int compile_source(const char *name, const char *source, const struct device_header *own, arch target,
                   const char *options, const char *cache_folder, struct code *code, struct text *log);

/* Add everything that the machine code depends on to `key`, as text: what the cache finds it by. `options`
 * include the architecture. Folders are not part of it: another node may have the same toolkit in another
 * place. */
void compile_key(const char *name, const char *source, const char *options,
                 const struct cuda_headers *headers, struct text *key);

/* The real architecture that this NVRTC compiles for a device's code: that of the device, or the newest of
 * the same major version that it knows (CUDA 12.8 has neither sm_103 nor sm_121). `specific`: with the
 * instructions of the device alone, if it has them. */
arch compile_arch(int capability, bool specific);

/* "13.0" */
void compile_version(char *out, size_t size);

/* Compile the code of a point, or take it from the family's code list, or from the cache in `cache_folder`
 * (empty: no cache). `native` becomes the architecture of `capability`; 0 is then an error. -1 with the
 * compiler's messages in `log`; without a log as compile_source, and nothing is taken from a list. */
int compile_point(const struct point *point, int capability, const char *cache_folder, struct code *code,
                  struct text *log);

/* ---- Precompiled headers (precompiled.c) ----
 *
 * A file of NVRTC's holds what it knows after CUB's headers. It serves processes in which NVRTC gets the same
 * addresses: those started without address space layout randomisation. The code is the same. */

/* Use a file from now on; none, if its name is empty. */
void precompiled_use(const struct precompiled *precompiled);

/* What a source begins with to have them. */
void precompiled_prefix(const char *headers, struct text *out);

/* Make the file. If that fails, there is none, or it is empty. */
void precompiled_make(const struct precompiled *precompiled);

/* Add the headers of CCCL, as lines, that a source includes when it is compiled with these options. False:
 * none, or which cannot be known. */
bool precompiled_headers(const char *source, const struct device_header *own, const char *options,
                         struct text *headers);

/* The source behind the headers, and the options that are left. False: the file in use does not serve it. */
bool precompiled_wrap(const char *name, const char *source, const struct device_header *own, arch target,
                      const char *options, struct text *wrapped, struct text *left);

/* ---- Compiling many points by several processes ----
 *
 * Within a process NVRTC compiles one program at a time (with CUDA 13.0 two threads took longer than one), so
 * there is one compiler process per processor of the rank. They end with the call. */

/* As compile of struct backend, for a device of `capability` (0: none). The code goes to
 * config->cache_folder. No process is started for code that is in the cache. */
void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, compiled_report compiled, void *context);

/* ---- A cache of compiled kernels on disk, shared by all ranks that see the folder ----
 *
 * One file per entry, named by a hash of its key. It is written to a temporary file and renamed, so that
 * writers do not disturb each other or readers; a killed writer leaves at most a temporary file. An entry has
 * its whole key (source hash, options, compiler version) and a CRC: corrupt entries and hash collisions are
 * misses. */

/* The content of the entry, with an extra NUL; the caller frees it. NULL on a miss, and without a folder
 * (""). */
unsigned char *code_cache_load(const char *folder, const char *key, size_t *size);

/* Save an entry. code_cache_keep does so if there is a folder; a failure is a remark on stderr, which calls
 * the code `what`. */
int code_cache_save(const char *folder, const char *key, const void *code, size_t size, struct error *error);
void code_cache_keep(const char *folder, const char *key, const void *code, size_t size, const char *what);

/* The path of the entry, for tests and messages. The caller frees it. */
char *code_cache_path(const char *folder, const char *key);

/* ---- Properties of cubins, read without the driver ---- */

/* Is it an ELF file for CUDA devices? The functions below find nothing in other files. */
bool cubin_is(const void *cubin, size_t size);

/* Its compute capability, for example 90; 0 if missing. */
int cubin_capability(const void *cubin, size_t size);

/* Does it have this function? */
bool cubin_has(const void *cubin, size_t size, const char *kernel);

/* Append the names of its functions to `out`, separated by ", ". */
void cubin_functions(const void *cubin, size_t size, struct text *out);

/* Hash of the machine code that `kernel` may run: instructions, constants, registers, shared memory,
 * parameters. Names, debug information and the order of sections have no part in it. 0 of what is no cubin,
 * or lacks the kernel. */
uint64_t cubin_code_hash(const void *cubin, size_t size, const char *kernel);

/* The sizes in bytes of the kernel's parameters, in their order, and how many there are. -1: they are not
 * told, or in another way. */
enum { CUBIN_PARAMETERS_MAX = 64 };
int cubin_parameters(const void *cubin, size_t size, const char *kernel,
                     uint32_t bytes[CUBIN_PARAMETERS_MAX]);

/* Registers per thread of the kernel; 0 if missing. */
int cubin_registers(const void *cubin, size_t size, const char *kernel);

/* ---- Programs of the CUDA Toolkit on this machine, which may differ from the build machine ---- */

#define PROGRAM_PATH_SIZE 4200

/* The path in the environment variable, or in the toolkit, or `fallback` ("": none). NULL if there is none.
 * May write to `path` and return that. */
const char *program_find(const char *name, const char *variable, const char *fallback,
                         char path[PROGRAM_PATH_SIZE]);

/* A file in memory, for a program to read at `path`. Its descriptor, which the caller closes; -1 with
 * errno. */
#define PROGRAM_FILE_SIZE 64
int program_file(const void *bytes, size_t size, char path[PROGRAM_FILE_SIZE]);

/* The path of nvdisasm: from the environment variable NVDISASM, the toolkit, or the build. NULL if there is
 * none. */
const char *disassembler_path(void);

/* The listing of all functions of a cubin. ERROR_ENVIRONMENT if nvdisasm is missing or fails, and for PTX. */
int disassemble(const void *cubin, size_t size, struct text *listing, struct error *error);

/* The same through the cache in `cache_folder` (empty: no cache). The key has the cubin's contents and
 * nvdisasm's version. */
int disassemble_once(const void *cubin, size_t size, const char *cache_folder, struct text *listing,
                     struct error *error);
