/* layout - memory layouts of records with FIELDS fields. out[r] is the sum of the first READ fields of record
 * r.
 *
 *   aos     array of structures: field f of record r is element r * FIELDS + f. Neighbouring threads read
 *           FIELDS elements apart. Of each sector only the fields that are read are used; the rest is
 *           transferred in vain
 *   soa     structure of arrays: element f * pitch + r. Loads are coalesced, and unread fields are not
 *           transferred
 *   aosoa   array of structures of arrays: groups of RECORDS records, each a structure of arrays. Coalesced
 *           like soa if a group is a warp wide, with all fields of a record close to each other
 *
 * `vector` applies to aos: a thread reads VECTOR fields of its record by one access. If whole records are
 * read, this makes up for the layout. READ is a multiple of VECTOR, because the compiler would narrow an
 * access that is only partly used.
 *
 * Each thread sums ITEMS records, a block's width apart, with all loads before the first store. */
#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef FIELDS
#error "FIELDS is not defined"
#endif
#ifndef READ
#error "READ is not defined"
#endif
#ifndef RECORDS
#error "RECORDS is not defined"
#endif
#ifndef VECTOR
#error "VECTOR is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#if !defined(variant_aos) && !defined(variant_soa) && !defined(variant_aosoa)
#error "no variant_... is defined"
#endif

typedef bytes_of<ELEMENT_SIZE> element;
typedef bytes_of<VECTOR * ELEMENT_SIZE> access;
enum { ACCESSES = READ / VECTOR };

/* Narrow floating-point types are summed as floats and rounded once at the end. */
#if defined(DTYPE_f64)
typedef double value;
static __device__ inline value value_of(const element &e)
{
    return *(const double *)&e;
}
static __device__ inline element element_of(value v)
{
    return *(const element *)&v;
}
#elif defined(DTYPE_i32)
typedef u32 value; /* wraps around */
static __device__ inline value value_of(const element &e)
{
    return e.part;
}
static __device__ inline element element_of(value v)
{
    return {v};
}
#else
#include "element.cuh"
typedef float value;
static __device__ inline value value_of(const element &e)
{
    return element_to_float(e.part);
}
static __device__ inline element element_of(value v)
{
    element e;
    e.part = element_of_float(v);
    return e;
}
#endif

struct record {
    access part[ACCESSES];
};

/* Record `first` + `further`; `further` is small. */
static __device__ inline record load(const element *__restrict__ in, u64 first, u32 further, u64 pitch)
{
    record out;
#if defined(variant_aos)
    const access *from = (const access *)(in + first * FIELDS) + further * (FIELDS / VECTOR);
    const u64 step = 1;
#elif defined(variant_soa)
    const access *from = (const access *)(in + first) + further;
    const u64 step = pitch;
#else
    const u64 r = first + further;
    const access *from = (const access *)in + r / RECORDS * (RECORDS * FIELDS) + r % RECORDS;
    const u64 step = RECORDS;
#endif
#pragma unroll
    for (int i = 0; i < ACCESSES; i++)
        out.part[i] = from[i * step];
    return out;
}

static __device__ inline element sum(const record &r)
{
    const element *field = (const element *)r.part;
    value total = value_of(field[0]);
#pragma unroll
    for (int f = 1; f < READ; f++)
        total += value_of(field[f]);
    return element_of(total);
}

/* `pitch`: elements from one field's array to the next (soa). */
extern "C" __global__ void __launch_bounds__(BLOCK)
    layout(const element *__restrict__ in, element *__restrict__ out, u64 records, u64 pitch)
{
    const u64 start = (u64)blockIdx.x * (BLOCK * ITEMS);
    out += start;
    if (records - start >= BLOCK * ITEMS) {
        record r[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            r[i] = load(in, start, threadIdx.x + i * BLOCK, pitch);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            out[threadIdx.x + i * BLOCK] = sum(r[i]);
    } else { /* the last block */
        const u32 rest = (u32)(records - start);
        for (u32 i = threadIdx.x; i < rest; i += BLOCK)
            out[i] = sum(load(in, start, i, pitch));
    }
}
