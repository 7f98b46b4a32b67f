/* device.cuh - what the families' device code shares: included by NAME.cu as "device.cuh".
 *
 * Compiled by NVRTC with the macros that src/family/family.h lists. */
#ifndef KERNELS_DEVICE_CUH
#define KERNELS_DEVICE_CUH

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

/* `N` bytes that move as one value. The alignment is in the type, so the compiler uses the widest access that
 * the architecture has for it: 16 bytes up to sm_90, 32 bytes from sm_100 on. */
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

#endif
