/* device.cuh - device code that all families share: included by NAME.cu as "device.cuh".
 *
 * Compiled by NVRTC with the macros that src/family/family.h lists. */
#ifndef KERNELS_DEVICE_CUH
#define KERNELS_DEVICE_CUH

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

/* `N` bytes that are loaded or stored as one value. The type has the alignment, so that the compiler uses the
 * widest access of the architecture: 16 bytes up to sm_90, 32 bytes from sm_100 on. */
template <int N> struct bytes_of;
template <> struct bytes_of<1> {
    u8 part;
};
template <> struct bytes_of<2> {
    u16 part;
};
template <> struct bytes_of<4> {
    u32 part;
};
template <> struct bytes_of<8> {
    uint2 part;
};
template <> struct bytes_of<16> {
    uint4 part;
};
template <> struct __align__(32) bytes_of<32>
{
    u64 part[4];
};

/* Compilers before CUDA 12.9 have no access of 32 bytes: their ptxas refuses `.v4.b64`. */
#if __CUDA_ARCH__ >= 1000 &&                                                                                 \
    (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 9))
#define ACCESS_OF_32_BYTES 1
#else
#define ACCESS_OF_32_BYTES 0
#endif

#endif
