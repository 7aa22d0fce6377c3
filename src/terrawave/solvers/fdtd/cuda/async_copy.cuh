// Copies into shared memory that run beside the arithmetic.
#pragma once

namespace terrawave::fdtd {

// Starts a copy of 8 or 16 bytes; zeros where not valid. 16 bytes pass the first-level cache by.
template <class P>
__device__ __forceinline__ void copy_beside(P* to, const P* from, bool valid) {
  static_assert(sizeof(P) == 8 || sizeof(P) == 16);
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = valid ? int(sizeof(P)) : 0;  // the rest is filled with zeros
  if constexpr (sizeof(P) == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                 "r"(bytes)
                 : "memory");
}

}  // namespace terrawave::fdtd
