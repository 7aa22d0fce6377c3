// Marks for functions that both backends compile.
#pragma once

#if defined(__CUDACC__)
#define TW_FUNCTION __host__ __device__ __forceinline__
#else
#define TW_FUNCTION [[gnu::always_inline]] inline
#endif
