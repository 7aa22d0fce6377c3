// Words, lines and binary values of an MSH file, with the place of each for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace terrawave::io {

class GmshScanner {
 public:
  GmshScanner(std::string source, std::string bytes)
      : source_(std::move(source)), bytes_(std::move(bytes)) {}

  const std::string& source() const { return source_; }
  // From here on data sections are binary; `swap` where their byte order is not this machine's.
  void expect_binary(bool swap) {
    binary_ = true;
    swap_ = swap;
  }
  bool binary() const { return binary_; }

  bool done();              // only blanks are left
  std::string_view line();  // the rest of this line; moves to the next one
  std::string_view word(const char* what);
  // Values of the file's mode. `what` says what is expected, for messages.
  std::int64_t int32(const char* what);     // 4 bytes
  std::int64_t size(const char* what);      // 8 bytes, not negative
  std::int64_t text_int(const char* what);  // a word, in both modes
  double text_real(const char* what);       // a word, in both modes
  double real(const char* what);            // 8 bytes
  // A count of things that take at least this many bytes each; refuses more than the file can hold.
  std::int64_t count(std::int64_t value, std::int64_t bytes_each, const char* what);
  // Binary: the end of the line that names the section, before its data.
  void end_line();
  // Moves past "$End<name>"; `skip`: whatever stands before it.
  void end_section(std::string_view name, bool skip);
  template <class T>
  T raw(const char* what);  // binary value of type T

  // Throws InputError at the last value taken.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_found(const char* expected, std::string_view found) const;

 private:
  void skip_blanks();
  const char* take(std::size_t n, const char* what);

  std::string source_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::size_t mark_ = 0;  // where the last value began
  bool binary_ = false;
  bool swap_ = false;
};

}  // namespace terrawave::io
