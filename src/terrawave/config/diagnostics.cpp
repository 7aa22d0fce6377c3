#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "terrawave/config/config.hpp"

namespace terrawave::config {
namespace {

// Overrides have no line and follow the files.
auto order(const Diagnostic& d) {
  return std::tuple(d.source.line == 0, d.source.file, d.source.line, d.source.column);
}

std::string show(const Diagnostic& d) {
  if (d.source.line == 0) return fmt::format("{}: error: {}", d.source.file, d.message);
  return fmt::format("{}:{}:{}: error: {}", d.source.file, d.source.line, d.source.column,
                     d.message);
}

}  // namespace

void Diagnostics::error(Source source, std::string message) {
  errors_.push_back({std::move(source), std::move(message)});
}

void Diagnostics::raise() const {
  constexpr std::size_t most = 100;
  if (!any()) return;
  std::vector<Diagnostic> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  std::string all;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    all += (i > 0 ? "\n" : "") + show(sorted[i]);
  if (sorted.size() > most) all += fmt::format("\n... and {} more errors", sorted.size() - most);
  throw InputError(all);
}

}  // namespace terrawave::config
