// The same launches on both backends, instantiated for the backend this file is compiled for.
#include "cuda_steps.hpp"

#include <algorithm>

#include "terrawave/par/launch.hpp"

namespace terrawave::par::test {
namespace {

struct Mix {
  View<const double> x;
  TW_FUNCTION double operator()(Index i) const { return x[i] * 3.0 - 1.0 / (2.0 + x[i] * x[i]); }
};
struct Apply {
  Mix mix;
  View<double> out;
  TW_FUNCTION void operator()(Index i) const { out[i] = mix(i); }
};

// Each entry appends two more, up to a last one.
struct AppendTwo {
  View<std::int32_t> list, front;
  std::int32_t last;
  TW_FUNCTION void operator()(Index i) const {
    for (int child = 1; child <= 2; ++child) {
      const std::int32_t next = 2 * list[i] + child;
      if (next > last) continue;
#if defined(__CUDA_ARCH__)
      list[atomicAdd(&front[0], 1)] = next;
#else
      list[__atomic_fetch_add(&front[0], 1, __ATOMIC_RELAXED)] = next;
#endif
    }
  }
};

}  // namespace

template <class Exec>
Results run_all(const Exec& exec, const std::vector<double>& values,
                const std::vector<std::uint64_t>& keys) {
  Results r;
  const Buffer<double> x(exec.queue, values);
  Buffer<double> y(exec.queue, x.size());
  for_each(exec, Range1{0, x.size()}, Apply{{x.view()}, y.view()});
  r.applied = y.download();
  const Mix mix{x.view()};
  r.min = reduce_min(exec, x.size(), mix, 1e300);
  r.max = reduce_max(exec, x.size(), mix, -1e300);
  r.sum = fixed_sum(exec, x.size(), mix, fixed_exponent(8.0));
  Buffer<double> least(exec.queue, 1);
  reduce_min_into(exec, x.size(), mix, 1e300, least.view());
  r.min_into = least.at(0);

  Buffer<std::uint64_t> k(exec.queue, keys);
  std::vector<std::int64_t> ids(keys.size());
  std::vector<std::uint8_t> flags(keys.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = std::int64_t(i);
    flags[i] = keys[i] % 3 == 0;
  }
  Buffer<std::int64_t> v(exec.queue, ids);
  sort_pairs(exec, k.view(), v.view());
  r.sorted = v.download();
  Buffer<std::int64_t> scanned(exec.queue, v.size());
  r.total = exclusive_scan(exec, v.cview(), scanned.view());
  r.scanned = scanned.download();
  const Buffer<std::uint8_t> f(exec.queue, flags);
  Buffer<std::int64_t> picked(exec.queue, v.size());
  r.count = select_flagged(exec, f.view(), picked.view());
  r.picked = picked.download();
  r.picked.resize(static_cast<std::size_t>(r.count));

  const auto last = std::int32_t(std::min<std::size_t>(values.size(), 100000) - 1);
  Buffer<std::int32_t> list(exec.queue, last + 1), front(exec.queue, 2);
  list.fill_bytes(0);
  front.upload(std::vector<std::int32_t>{1, 0});
  for_each_appended(exec, 0, front.view(), 5000, AppendTwo{list.view(), front.view(), last});
  r.appended = list.download();
  r.appended_done = front.at(1);
  r.appended.resize(std::size_t(front.at(0)));
  std::sort(r.appended.begin(), r.appended.end());
  return r;
}

template Results run_all(const Exec&, const std::vector<double>&,
                         const std::vector<std::uint64_t>&);

}  // namespace terrawave::par::test
