// "Did you mean ...?": names close to a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace terrawave::config {

// Fewest insertions, deletions, substitutions and swaps of neighbours that turn a into b; case and
// the difference of '-' and '_' cost nothing (optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates nearest to `name`, best first; none where all are too far to be a slip.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t most = 1);

// Names with `between` between them. (fmt::join trips a false warning of g++ 12.)
std::string joined(const std::vector<std::string>& names, std::string_view between);

// `"a", "b" or "c"`.
std::string any_of(const std::vector<std::string>& names);

}  // namespace terrawave::config
