// Every primitive of par run once on one backend.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/par/exec.hpp"

namespace terrawave::par::test {

struct Results {
  std::vector<double> applied;
  double min = 0, max = 0, min_into = 0;
  FixedSum sum;
  std::vector<std::int64_t> sorted, scanned, picked;
  std::vector<std::int32_t> appended;  // in order
  std::int32_t appended_done = 0;
  std::int64_t total = 0;
  Index count = 0;
  bool operator==(const Results&) const = default;
};

template <class Exec>
Results run_all(const Exec& exec, const std::vector<double>& values,
                const std::vector<std::uint64_t>& keys);

}  // namespace terrawave::par::test
