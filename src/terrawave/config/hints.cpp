#include "terrawave/config/hints.hpp"

#include <algorithm>

#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

char folded(char c) {
  if (c == '-') return '_';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the classical table: two back for swaps, one back, and the present one.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t most) {
  constexpr std::size_t longest_name = 100;  // longer ones are no slip of the pen
  if (name.size() > longest_name) return {};
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : candidates)
    if (const std::size_t d = edit_distance(name, candidate); d <= allowed)
      close.emplace_back(d, candidate);
  std::sort(close.begin(), close.end());
  close.erase(std::unique(close.begin(), close.end()), close.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, close.size()); ++i) names.push_back(close[i].second);
  return names;
}

std::string joined(const std::vector<std::string>& names, std::string_view between) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += between;
    out += name;
  }
  return out;
}

std::string any_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += in_quotes(names[i]);
  }
  return out;
}

}  // namespace terrawave::config
