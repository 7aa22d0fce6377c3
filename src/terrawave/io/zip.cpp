#include "terrawave/io/zip.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <zlib.h>

#include "terrawave/base/error.hpp"

namespace terrawave::io {
namespace {

std::uint64_t number(const std::vector<std::uint8_t>& bytes, std::size_t at, int width) {
  std::uint64_t value = 0;
  for (int k = width - 1; k >= 0; --k) value = value << 8 | bytes.at(at + std::size_t(k));
  return value;
}

std::vector<std::uint8_t> read_at(std::ifstream& in, std::uint64_t at, std::uint64_t size,
                                  const std::string& file) {
  std::vector<std::uint8_t> bytes(size);
  in.seekg(std::streamoff(at));
  in.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
  if (!in) throw InputError(file + ": error: the archive ends early; is it complete?");
  return bytes;
}

}  // namespace

ZipArchive::ZipArchive(const std::string& file) : file_(file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file + ": error: cannot open this file; does it exist?");
  in.seekg(0, std::ios::end);
  const auto size = std::uint64_t(in.tellg());
  // The end record stands before a comment of up to 65535 bytes.
  const std::uint64_t tail = std::min<std::uint64_t>(size, 65557 + 76);
  const auto end = read_at(in, size - tail, tail, file);
  std::size_t at = end.size() >= 22 ? end.size() - 22 : 0;
  const auto is = [&](std::size_t p, const char* mark) {
    return p + 4 <= end.size() && std::memcmp(end.data() + p, mark, 4) == 0;
  };
  while (at > 0 && !is(at, "PK\5\6")) --at;
  if (!is(at, "PK\5\6")) throw InputError(file + ": error: not an .npz archive");
  std::uint64_t count = number(end, at + 10, 2);
  std::uint64_t length = number(end, at + 12, 4);
  std::uint64_t start = number(end, at + 16, 4);
  if (at >= 76 && is(at - 76, "PK\6\6")) {  // ZIP64, right before its 20-byte locator
    count = number(end, at - 76 + 32, 8);
    length = number(end, at - 76 + 40, 8);
    start = number(end, at - 76 + 48, 8);
  }
  if (start + length > size) throw InputError(file + ": error: the archive's directory is damaged");
  const auto directory = read_at(in, start, length, file);
  try {
    std::size_t p = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      Entry entry;
      entry.method = int(number(directory, p + 10, 2));
      entry.packed = number(directory, p + 20, 4);
      entry.size = number(directory, p + 24, 4);
      const std::size_t name = number(directory, p + 28, 2);
      const std::size_t extra = number(directory, p + 30, 2);
      const std::size_t comment = number(directory, p + 32, 2);
      entry.offset = number(directory, p + 42, 4);
      const std::string text(reinterpret_cast<const char*>(directory.data()) + p + 46, name);
      std::size_t e = p + 46 + name;
      for (const std::size_t stop = e + extra; e + 4 <= stop;) {
        const auto tag = number(directory, e, 2);
        const auto bytes = number(directory, e + 2, 2);
        std::size_t q = e + 4;
        if (tag == 1)  // the 64-bit values stand for those that are 2^32 - 1, in this order
          for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.offset})
            if (*field == 0xffffffff) {
              *field = number(directory, q, 8);
              q += 8;
            }
        e += 4 + bytes;
      }
      entries_[text] = entry;
      p += 46 + name + extra + comment;
    }
  } catch (const std::out_of_range&) {
    throw InputError(file + ": error: the archive's directory is damaged");
  }
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

std::vector<std::uint8_t> ZipArchive::read(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  std::ifstream in(file_, std::ios::binary);
  const auto head = read_at(in, entry.offset, 30, file_);
  const std::uint64_t data = entry.offset + 30 + number(head, 26, 2) + number(head, 28, 2);
  auto packed = read_at(in, data, entry.packed, file_);
  if (entry.method == 0) return packed;
  if (entry.method != 8)
    throw InputError(file_ + ": error: entry " + name + " is packed with an unknown method");
  std::vector<std::uint8_t> bytes(entry.size);
  z_stream z = {};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw RunError("zlib does not start");
  z.next_in = packed.data();
  z.next_out = bytes.data();
  std::uint64_t in_left = packed.size();
  std::uint64_t out_left = bytes.size();
  int state = Z_OK;
  while (state == Z_OK && (out_left > 0 || z.avail_out > 0)) {
    constexpr std::uint64_t most = 1u << 30;  // zlib counts in 32 bits
    if (z.avail_in == 0) in_left -= z.avail_in = uInt(std::min(in_left, most));
    if (z.avail_out == 0) out_left -= z.avail_out = uInt(std::min(out_left, most));
    state = inflate(&z, Z_NO_FLUSH);
  }
  const bool whole = (state == Z_STREAM_END || state == Z_OK) && out_left == 0 && z.avail_out == 0;
  inflateEnd(&z);
  if (!whole) throw InputError(file_ + ": error: entry " + name + " is damaged");
  return bytes;
}

}  // namespace terrawave::io
