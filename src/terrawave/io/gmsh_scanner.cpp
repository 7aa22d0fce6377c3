#include "terrawave/io/gmsh_scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::io {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Printable and short, whatever the file holds.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > 40) out += "...";
  return '"' + out + '"';
}

}  // namespace

void GmshScanner::fail(const std::string& text) const {
  std::string message = text;
  for (char& c : message)
    if ((c >= 0 && c < ' ') || c == 127) c = '?';
  if (binary_) throw InputError(fmt::format("{}: error: at byte {}: {}", source_, mark_, message));
  const auto lines = std::count(bytes_.begin(), bytes_.begin() + std::ptrdiff_t(mark_), '\n');
  throw InputError(fmt::format("{}:{}: error: {}", source_, lines + 1, message));
}

void GmshScanner::fail_found(const char* expected, std::string_view found) const {
  fail(fmt::format("expected {}, found {}", expected,
                   found.empty() ? "the end of the file" : quoted(found)));
}

void GmshScanner::skip_blanks() {
  while (at_ < bytes_.size() && blank(bytes_[at_])) ++at_;
}

bool GmshScanner::done() {
  skip_blanks();
  mark_ = at_;
  return at_ == bytes_.size();
}

std::string_view GmshScanner::line() {
  mark_ = at_;
  std::size_t end = bytes_.find('\n', at_);
  if (end == std::string::npos) end = bytes_.size();
  std::string_view text(bytes_.data() + at_, end - at_);
  at_ = std::min(end + 1, bytes_.size());
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view GmshScanner::word(const char* what) {
  skip_blanks();
  mark_ = at_;
  if (at_ == bytes_.size()) fail_found(what, {});
  while (at_ < bytes_.size() && !blank(bytes_[at_])) ++at_;
  return {bytes_.data() + mark_, at_ - mark_};
}

std::int64_t GmshScanner::text_int(const char* what) {
  const std::string_view text = word(what);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail_found(what, text);
  return value;
}

double GmshScanner::text_real(const char* what) {
  const std::string_view text = word(what);
  const std::size_t sign = text.front() == '+' ? 1 : 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail_found(what, text);
  return value;
}

const char* GmshScanner::take(std::size_t n, const char* what) {
  mark_ = at_;
  if (bytes_.size() - at_ < n) fail_found(what, {});
  at_ += n;
  return bytes_.data() + mark_;
}

template <class T>
T GmshScanner::raw(const char* what) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), take(sizeof(T), what), sizeof(T));
  if (swap_) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::int64_t GmshScanner::int32(const char* what) {
  if (binary_) return raw<std::int32_t>(what);
  const std::int64_t value = text_int(what);
  if (value != std::int32_t(value)) fail(fmt::format("expected {}, found {}", what, value));
  return value;
}

std::int64_t GmshScanner::size(const char* what) {
  const std::int64_t value = binary_ ? raw<std::int64_t>(what) : text_int(what);
  if (value < 0) fail(fmt::format("expected {}, found {}", what, value));
  return value;
}

double GmshScanner::real(const char* what) { return binary_ ? raw<double>(what) : text_real(what); }

std::int64_t GmshScanner::count(std::int64_t value, std::int64_t bytes_each, const char* what) {
  if (value < 0 || value > std::int64_t(bytes_.size()) / bytes_each)
    fail(fmt::format("expected {}, found {}, more than this file of {} bytes can hold", what, value,
                     bytes_.size()));
  return value;
}

void GmshScanner::end_line() {
  while (at_ < bytes_.size() && (bytes_[at_] == ' ' || bytes_[at_] == '\r')) ++at_;
  if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
}

void GmshScanner::end_section(std::string_view name, bool skip) {
  const std::string end = fmt::format("$End{}", name);
  mark_ = at_;
  if (skip) {
    const std::size_t found = bytes_.find(end, at_);
    if (found == std::string::npos) fail(fmt::format("section ${} has no {}", name, end));
    at_ = found + end.size();
    return;
  }
  const std::string_view found = word(end.c_str());
  if (found != end) fail_found(end.c_str(), found);
}

template std::int32_t GmshScanner::raw<std::int32_t>(const char*);

}  // namespace terrawave::io
