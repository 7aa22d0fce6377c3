#include "terrawave/comm/halo_steps.hpp"

#include <cstdint>

#include "terrawave/par/launch.hpp"

namespace terrawave::comm {
namespace {

template <class Word>
struct Gather {
  const Word* from;
  par::View<const LocalIndex> list;
  Word* to;
  TW_FUNCTION void operator()(Index i) const { to[i] = from[list[i]]; }
};

template <class Word>
struct Spread {
  const Word* from;
  par::View<const LocalIndex> list;
  Word* to;
  TW_FUNCTION void operator()(Index i) const { to[list[i]] = from[i]; }
};

// Runs Kernel on elements of 4 or 8 bytes.
template <template <class> class Kernel, class Exec>
void run(const Exec& exec, const std::byte* from, std::size_t bytes,
         par::View<const LocalIndex> list, std::byte* to) {
  const par::Range1 all{0, list.size};
  if (bytes == 4) {
    using Word = std::uint32_t;
    for_each(exec, all,
             Kernel<Word>{reinterpret_cast<const Word*>(from), list, reinterpret_cast<Word*>(to)});
  } else {
    require(bytes == 8, "halo fields have elements of 4 or 8 bytes");
    using Word = std::uint64_t;
    for_each(exec, all,
             Kernel<Word>{reinterpret_cast<const Word*>(from), list, reinterpret_cast<Word*>(to)});
  }
}

}  // namespace

template <class Exec>
void pack(const Exec& exec, const std::byte* field, std::size_t bytes,
          par::View<const LocalIndex> list, std::byte* packed) {
  run<Gather>(exec, field, bytes, list, packed);
}

template <class Exec>
void unpack(const Exec& exec, const std::byte* packed, std::size_t bytes,
            par::View<const LocalIndex> list, std::byte* field) {
  run<Spread>(exec, packed, bytes, list, field);
}

template void pack(const par::Exec&, const std::byte*, std::size_t, par::View<const LocalIndex>,
                   std::byte*);
template void unpack(const par::Exec&, const std::byte*, std::size_t, par::View<const LocalIndex>,
                     std::byte*);

}  // namespace terrawave::comm
