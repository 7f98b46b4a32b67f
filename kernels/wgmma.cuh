/* wgmma.cuh - texts and operands of inline wgmma (sm_90a), whose accumulators are registers of their own in
 * the text: included by NAME.cu as "wgmma.cuh". WGMMA_N has the columns of the instruction's product, and
 * REGISTER(x) is an operand that is read and written. WGMMA_OF_N(name) is the macro for so many columns: of
 * 4, 16, 32, 64 or 128 registers. Loads from tensor memory have these lists of registers too. */
#ifndef KERNELS_WGMMA_CUH
#define KERNELS_WGMMA_CUH

#if !defined(WGMMA_N) || !defined(REGISTER)
#error "WGMMA_N or REGISTER is not defined"
#endif

#define TEXT_4  "%0, %1, %2, %3"
#define TEXT_16 TEXT_4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define TEXT_32 TEXT_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TEXT_64                                                                                              \
    TEXT_32                                                                                                  \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48"                  \
    ", %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TEXT_128                                                                                             \
    TEXT_64                                                                                                  \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80"                  \
    ", %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97"                  \
    ", %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112"               \
    ", %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126"                   \
    ", %127"

/* The operands after the accumulators: both matrices in shared memory, or the left one in registers. A flag
 * may follow the former. */
#define AFTER_SS_4   "%4, %5"
#define AFTER_RS_4   "{%4, %5, %6, %7}, %8"
#define AFTER_SS_16  "%16, %17"
#define AFTER_RS_16  "{%16, %17, %18, %19}, %20"
#define AFTER_SS_32  "%32, %33"
#define AFTER_RS_32  "{%32, %33, %34, %35}, %36"
#define AFTER_SS_64  "%64, %65"
#define AFTER_RS_64  "{%64, %65, %66, %67}, %68"
#define AFTER_SS_128 "%128, %129"
#define AFTER_RS_128 "{%128, %129, %130, %131}, %132"

/* The same with metadata of a sparse left matrix. */
#define AFTER_SP_SS_4   "%4, %5, %6"
#define AFTER_SP_RS_4   "{%4, %5, %6, %7}, %8, %9"
#define AFTER_SP_SS_16  "%16, %17, %18"
#define AFTER_SP_RS_16  "{%16, %17, %18, %19}, %20, %21"
#define AFTER_SP_SS_32  "%32, %33, %34"
#define AFTER_SP_RS_32  "{%32, %33, %34, %35}, %36, %37"
#define AFTER_SP_SS_64  "%64, %65, %66"
#define AFTER_SP_RS_64  "{%64, %65, %66, %67}, %68, %69"
#define AFTER_SP_SS_128 "%128, %129, %130"
#define AFTER_SP_RS_128 "{%128, %129, %130, %131}, %132, %133"

/* A word for the flag, and a selector, that follow them. */
#define FLAG_SP_WORD_4   "%7"
#define FLAG_SP_WORD_16  "%19"
#define FLAG_SP_WORD_32  "%35"
#define FLAG_SP_WORD_64  "%67"
#define FLAG_SP_WORD_128 "%131"
#define SELECTOR_4       "%8"
#define SELECTOR_16      "%20"
#define SELECTOR_32      "%36"
#define SELECTOR_64      "%68"
#define SELECTOR_128     "%132"

#define FLAG_4   "%6"
#define FLAG_16  "%18"
#define FLAG_32  "%34"
#define FLAG_64  "%66"
#define FLAG_128 "%130"

#define REGISTERS_4(d, i) REGISTER(d[i]), REGISTER(d[i + 1]), REGISTER(d[i + 2]), REGISTER(d[i + 3])
#define REGISTERS_16(d, i)                                                                                   \
    REGISTERS_4(d, i), REGISTERS_4(d, i + 4), REGISTERS_4(d, i + 8), REGISTERS_4(d, i + 12)
#define REGISTERS_32(d, i)  REGISTERS_16(d, i), REGISTERS_16(d, i + 16)
#define REGISTERS_64(d, i)  REGISTERS_32(d, i), REGISTERS_32(d, i + 32)
#define REGISTERS_128(d, i) REGISTERS_64(d, i), REGISTERS_64(d, i + 64)

#if WGMMA_N == 8
#define WGMMA_OF_N(name) name##4
#elif WGMMA_N == 32
#define WGMMA_OF_N(name) name##16
#elif WGMMA_N == 64
#define WGMMA_OF_N(name) name##32
#elif WGMMA_N == 128
#define WGMMA_OF_N(name) name##64
#elif WGMMA_N == 256
#define WGMMA_OF_N(name) name##128
#else
#error "WGMMA_N is none of 8, 32, 64, 128 and 256"
#endif
#define WGMMA_TO_TEXT(x) #x
#define WGMMA_TEXT(x)    WGMMA_TO_TEXT(x)

#endif
