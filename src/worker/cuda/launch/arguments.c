#include "worker/cuda/launch/cuda_launch.h"

#include <stdlib.h>
#include <string.h>

#include <cudaTypedefs.h>

/* The worker is not linked against the driver: its function is found at run time. */
static PFN_cuTensorMapEncodeTiled_v12000 find_encoder(void)
{
    enum { VERSION = 12000 }; /* of the function's declaration */
    PFN_cuTensorMapEncodeTiled_v12000 encoder;
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, VERSION,
                                                          cudaEnableDefault, &result);
    if (status != cudaSuccess || result != cudaDriverEntryPointSuccess) {
        CUDA(cudaGetLastError()); /* of a context that is lost */
        cuda_fail("the driver has no tensor maps");
    }
    memcpy(&encoder, &found, sizeof encoder); /* ISO C has no cast from object to function pointer */
    return encoder;
}

/* The others are bytes, whatever those mean. */
static const CUtensorMapDataType tensor_types[DTYPE_COUNT] = {
    [DTYPE_I32] = CU_TENSOR_MAP_DATA_TYPE_INT32,   [DTYPE_I64] = CU_TENSOR_MAP_DATA_TYPE_INT64,
    [DTYPE_F16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, [DTYPE_BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    [DTYPE_F32] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, [DTYPE_F64] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
};

static void encode_tensor(struct cuda_point *p, uint32_t set, const struct tensor *tensor, CUtensorMap *map)
{
    static const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                                  CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
    enum dtype dtype = p->setup.buffer[tensor->buffer].dtype;
    const uint32_t in_byte = dtype == DTYPE_E2M1 ? 2 : 1; /* elements of 4 bits are copied as bytes */
    cuuint64_t sizes[] = {tensor->columns / in_byte, tensor->rows},
               pitch[] = {dtype_bytes(dtype, tensor->columns)};
    cuuint32_t box[] = {tensor->box_columns / in_byte, tensor->box_rows}, step[] = {1, 1};
    CUresult status =
        find_encoder()(map, tensor_types[dtype], 2, cuda_point_buffer(p, set, tensor->buffer), sizes, pitch,
                       box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[tensor->swizzle],
                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        cuda_fail("the driver refuses the tensor map of '%s' (%u x %u box): error %d",
                  p->setup.buffer[tensor->buffer].name, tensor->box_rows, tensor->box_columns, (int)status);
}

/* How a texture reads the elements of a dtype: by size, as bits; kernels convert. f32 and i32 by type. */
static struct cudaChannelFormatDesc texture_format(enum dtype dtype)
{
    int bits = 8 * (int)dtype_size(dtype);
    enum cudaChannelFormatKind kind =
        dtype == DTYPE_I32 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
    if (dtype == DTYPE_F32)
        kind = cudaChannelFormatKindFloat;
    if (bits == 64) /* two 32-bit channels */
        return cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindUnsigned);
    return cudaCreateChannelDesc(bits, 0, 0, 0, kind);
}

static cudaTextureObject_t make_texture(struct cuda_point *p, uint32_t set, int b)
{
    cudaTextureObject_t texture = 0;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    struct cudaTextureDesc reading = {.readMode = cudaReadModeElementType};
    resource.res.linear.devPtr = cuda_point_buffer(p, set, b);
    resource.res.linear.desc = texture_format(p->setup.buffer[b].dtype);
    resource.res.linear.sizeInBytes = cuda_point_bytes(p, b);
    CUDA(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    return texture;
}

/* The array gets the contents of the buffer in the order of the stream, which fills inputs. */
static void fill_array(const struct cuda_point *p, uint32_t set, int b, uint64_t columns, cudaArray_t array)
{
    size_t row = columns * dtype_size(p->setup.buffer[b].dtype), rows = cuda_point_bytes(p, b) / row;
    CUDA(cudaMemcpy2DToArrayAsync(array, 0, 0, cuda_point_buffer(p, set, b), row, row, rows,
                                  cudaMemcpyDeviceToDevice, p->session->stream));
}

static cudaArray_t make_array(struct cuda_point *p, uint32_t set, int b, uint64_t columns)
{
    cudaArray_t array = NULL;
    struct cudaChannelFormatDesc format = texture_format(p->setup.buffer[b].dtype);
    size_t row = columns * dtype_size(p->setup.buffer[b].dtype), rows = cuda_point_bytes(p, b) / row;
    CUDA(cudaMallocArray(&array, &format, columns, rows, cudaArrayDefault));
    fill_array(p, set, b, columns, array);
    return array;
}

static cudaTextureObject_t make_texture_2d(cudaArray_t array)
{
    cudaTextureObject_t texture = 0;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc reading = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                      .filterMode = cudaFilterModePoint,
                                      .readMode = cudaReadModeElementType};
    resource.res.array.array = array;
    CUDA(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    return texture;
}

static void build_arguments(struct cuda_point *p, uint32_t set, int part, struct cuda_arguments *a)
{
    const struct setup *s = &p->setup;
    a->part = (uint32_t)part;
    for (int i = 0; i < s->arguments; i++) {
        const struct argument *argument = &s->argument[i];
        switch (argument->kind) {
        case ARGUMENT_BUFFER: {
            int b = BUFFER_OF(argument->value);
            a->address[i] =
                cuda_point_buffer(p, set, setup_part_buffer(s, part, b)) + BUFFER_OFFSET(argument->value);
            a->pointer[i] = &a->address[i];
            break;
        }
        case ARGUMENT_PART:
            a->pointer[i] = &a->part;
            break;
        case ARGUMENT_TENSOR:
            encode_tensor(p, set, &s->tensor[argument->value], &a->tensor[argument->value]);
            a->pointer[i] = &a->tensor[argument->value];
            break;
        case ARGUMENT_TEXTURE:
            a->texture[i] = make_texture(p, set, (int)argument->value);
            a->pointer[i] = &a->texture[i];
            break;
        case ARGUMENT_TEXTURE_2D:
            a->array[i] = make_array(p, set, BUFFER_OF(argument->value), TEXTURE_COLUMNS(argument->value));
            a->array_bytes += cuda_point_bytes(p, BUFFER_OF(argument->value));
            a->texture[i] = make_texture_2d(a->array[i]);
            a->pointer[i] = &a->texture[i];
            break;
        default: /* numbers; little-endian: the low half is the 32-bit number */
            a->pointer[i] = (void *)&argument->value;
            break;
        }
    }
}

struct cuda_arguments *cuda_arguments_new(struct cuda_point *p)
{
    int parts = setup_has_parts(&p->setup) ? p->setup.parts : 1;
    size_t bytes = (size_t)parts * p->sets * sizeof(struct cuda_arguments);
    struct cuda_arguments *arguments = aligned_alloc(_Alignof(struct cuda_arguments), bytes);
    if (!arguments)
        cuda_fail("out of host memory");
    memset(arguments, 0, bytes);
    for (int part = 0; part < parts; part++)
        for (uint32_t set = 0; set < p->sets; set++)
            build_arguments(p, set, part, &arguments[(uint32_t)part * p->sets + set]);
    return arguments;
}

void cuda_arguments_renew(const struct cuda_point *p)
{
    for (int i = 0; i < p->setup.arguments; i++) {
        uint64_t value = p->setup.argument[i].value;
        if (p->arguments[0].array[i])
            fill_array(p, 0, BUFFER_OF(value), TEXTURE_COLUMNS(value), p->arguments[0].array[i]);
    }
}

void cuda_arguments_free(struct cuda_arguments *arguments, uint32_t sets)
{
    uint64_t freed = 0;
    for (uint32_t set = 0; arguments && set < sets; set++) {
        freed += arguments[set].array_bytes;
        for (int i = 0; i < SETUP_ARGUMENTS_MAX; i++) {
            if (arguments[set].texture[i])
                cudaDestroyTextureObject(arguments[set].texture[i]);
            if (arguments[set].array[i])
                cudaFreeArray(arguments[set].array[i]);
        }
    }
    if (freed)
        cuda_session_freed(freed);
    free(arguments);
}
