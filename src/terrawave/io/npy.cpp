#include "terrawave/io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <regex>

#include <unistd.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/zip.hpp"

namespace terrawave::io {
namespace {

using domain::Cells;
using domain::CellType;
using domain::RasterInfo;
using domain::Window;

// Bytes of an array, in a file or in memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void read(Index at, void* to, Index bytes) = 0;
  virtual Index size() = 0;
};

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::string& name) : name_(name), file_(name, std::ios::binary) {
    if (!file_) throw InputError(name + ": error: cannot open this file; does it exist?");
    file_.seekg(0, std::ios::end);
    size_ = Index(file_.tellg());
  }
  void read(Index at, void* to, Index bytes) override {
    file_.seekg(at);
    file_.read(static_cast<char*>(to), bytes);
    if (!file_) throw InputError(name_ + ": error: the file ends early; is it complete?");
  }
  Index size() override { return size_; }

 private:
  std::string name_;
  std::ifstream file_;
  Index size_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string name, std::vector<std::uint8_t> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  void read(Index at, void* to, Index bytes) override {
    if (at + bytes > size())
      throw InputError(name_ + ": error: the array ends early; is the archive complete?");
    std::memcpy(to, bytes_.data() + at, std::size_t(bytes));
  }
  Index size() override { return Index(bytes_.size()); }

 private:
  std::string name_;
  std::vector<std::uint8_t> bytes_;
};

void swap_bytes(Cells& cells) {
  std::visit(
      [](auto& v) {
        for (auto& x : v) {
          auto* b = reinterpret_cast<std::uint8_t*>(&x);
          std::reverse(b, b + sizeof x);
        }
      },
      cells);
}

// Cells in C order after `offset` bytes, band by band.
class FlatSource final : public RasterSource {
 public:
  FlatSource(std::unique_ptr<ByteSource> bytes, RasterInfo info, Index offset, bool swapped,
             int bands = 1, int band = 1)
      : bytes_(std::move(bytes)), offset_(offset), swapped_(swapped) {
    info_ = std::move(info);
    bands_ = bands;
    const Index each = info_.size() * Index(domain::bytes_of(info_.type));
    const Index need = offset + bands * each;
    if (bytes_->size() < need)
      throw InputError(info_.name + ": error: expected " + std::to_string(need) + " bytes for " +
                       (bands == 1 ? "" : std::to_string(bands) + " x ") +
                       std::to_string(info_.rows) + " x " + std::to_string(info_.cols) +
                       " cells, found " + std::to_string(bytes_->size()) + "; is it complete?");
    offset_ += (band - 1) * each;
  }
  Cells read(const Window& w) override {
    Cells cells = domain::make_cells(info_.type, w.size());
    const Index width = Index(domain::bytes_of(info_.type));
    std::visit(
        [&](auto& v) {
          for (Index r = 0; r < w.rows; ++r)
            bytes_->read(offset_ + ((w.row + r) * info_.cols + w.col) * width,
                         v.data() + r * w.cols, w.cols * width);
        },
        cells);
    if (swapped_) swap_bytes(cells);
    return cells;
  }

 private:
  std::unique_ptr<ByteSource> bytes_;
  Index offset_;
  bool swapped_;
};

std::optional<CellType> type_of_descr(const std::string& descr) {
  if (descr.size() < 3) return std::nullopt;
  const std::string kind = descr.substr(1);
  if (kind == "u1") return CellType::u8;
  if (kind == "i2") return CellType::i16;
  if (kind == "u2") return CellType::u16;
  if (kind == "i4") return CellType::i32;
  if (kind == "u4") return CellType::u32;
  if (kind == "i8") return CellType::i64;
  if (kind == "f4") return CellType::f32;
  if (kind == "f8") return CellType::f64;
  return std::nullopt;
}

std::string descr_of(CellType type) {
  constexpr const char* descr[] = {"|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<f4", "<f8"};
  return descr[std::size_t(type)];
}

std::unique_ptr<RasterSource> open_npy_bytes(std::unique_ptr<ByteSource> bytes,
                                             const std::string& name, int band) {
  const auto bad = [&](const std::string& what) -> InputError {
    return InputError(name + ": error: " + what);
  };
  char start[12];
  bytes->read(0, start, 10);
  if (std::memcmp(start, "\x93NUMPY", 6) != 0)
    throw bad("not a NumPy array: it does not begin with \\x93NUMPY");
  const int major = start[6];
  std::uint32_t length = 0;
  Index at = 10;
  if (major == 1) {
    std::uint16_t shorter = 0;
    std::memcpy(&shorter, start + 8, 2);
    length = shorter;
  } else {
    bytes->read(8, &length, 4);
    at = 12;
  }
  if (Index(length) > bytes->size()) throw bad("the header is damaged");
  std::string header(length, ' ');
  bytes->read(at, header.data(), Index(length));

  std::smatch m;
  if (!std::regex_search(header, m, std::regex("'descr':\\s*'([^']*)'")))
    throw bad("expected an array of numbers, found a structured or damaged one");
  const std::string descr = m[1];
  const auto type = type_of_descr(descr);
  if (!type)
    throw bad("expected cells of type u1, i2, u2, i4, u4, i8, f4 or f8, found \"" + descr + "\"");
  if (header.find("'fortran_order': True") != std::string::npos)
    throw bad("the array is in Fortran order; save it with numpy.ascontiguousarray");
  if (!std::regex_search(header, m,
                         std::regex("'shape':\\s*\\((?:\\s*(\\d+)\\s*,)?\\s*(\\d+)\\s*,\\s*(\\d+)"
                                    "\\s*,?\\s*\\)"))) {
    std::regex_search(header, m, std::regex("'shape':\\s*(\\([^)]*\\))"));
    throw bad(
        "expected an array of two dimensions, or of three with the bands first, found shape " +
        m[1].str());
  }
  const int bands = m[1].matched ? std::stoi(m[1]) : 1;
  if (band > bands)
    throw bad(bands == 1
                  ? "expected --band 1, found " + std::to_string(band) + "; the array has one band"
                  : "expected --band 1 to " + std::to_string(bands) + ", found " +
                        std::to_string(band));
  if (band == 0 && bands > 1)
    throw bad("the array has " + std::to_string(bands) + " bands; choose one with --band N");
  RasterInfo info;
  info.name = name;
  info.rows = std::stoll(m[2]);
  info.cols = std::stoll(m[3]);
  info.type = *type;
  const bool big = descr[0] == '>';
  return std::make_unique<FlatSource>(std::move(bytes), std::move(info), at + Index(length), big,
                                      bands, std::max(band, 1));
}

// Writes into a hidden file beside the target; the name changes in finish().
class FlatSink final : public RasterSink {
 public:
  FlatSink(std::filesystem::path file, const RasterInfo& info, const std::string& header)
      : file_(std::move(file)),
        temporary_(file_.parent_path() /
                   (".part-" + std::to_string(getpid()) + "-" + file_.filename().string())),
        out_(temporary_, std::ios::binary),
        rows_(info.rows),
        cols_(info.cols),
        width_(Index(domain::bytes_of(info.type))),
        type_(info.type),
        offset_(Index(header.size())) {
    out_.write(header.data(), offset_);
    check();
  }
  ~FlatSink() override {
    out_.close();
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
  void write_band(int band, const Window& w, const Cells& cells) override {
    require(domain::type_of(cells) == type_, "FlatSink: other cell type");
    const Index first = (band - 1) * rows_ + w.row;
    std::visit(
        [&](const auto& v) {
          for (Index r = 0; r < w.rows; ++r) {
            out_.seekp(offset_ + ((first + r) * cols_ + w.col) * width_);
            out_.write(reinterpret_cast<const char*>(v.data() + r * w.cols), w.cols * width_);
          }
        },
        cells);
    check();
  }
  void finish() override {
    out_.close();
    check();
    std::error_code error;
    std::filesystem::rename(temporary_, file_, error);
    if (error) throw RunError("cannot write " + file_.string() + ": " + error.message());
  }

 private:
  void check() {
    if (!out_)
      throw RunError("cannot write " + file_.string() + ": is the disk full, the folder writable?");
  }
  std::filesystem::path file_, temporary_;
  std::ofstream out_;
  Index rows_, cols_, width_;
  CellType type_;
  Index offset_;
};

}  // namespace

std::unique_ptr<RasterSource> open_npy(const std::string& name, int band) {
  const std::size_t colon = name.rfind(".npz:");
  const bool member = colon != std::string::npos;
  const std::string file = member ? name.substr(0, colon + 4) : name;
  if (!member && !file.ends_with(".npz"))
    return open_npy_bytes(std::make_unique<FileBytes>(file), name, band);
  const ZipArchive archive(file);
  std::vector<std::string> arrays;
  std::string list;
  for (const std::string& entry : archive.names())
    if (entry.ends_with(".npy")) {
      arrays.push_back(entry.substr(0, entry.size() - 4));
      list += " " + arrays.back();
    }
  std::string wanted = member ? name.substr(colon + 5) : "";
  if (!member) {
    if (arrays.size() != 1)
      throw InputError(name +
                       ": error: the archive holds several arrays; name one of them, as in " +
                       file + ":" + (arrays.empty() ? "NAME" : arrays[0]) + "; it has" + list);
    wanted = arrays[0];
  }
  if (std::find(arrays.begin(), arrays.end(), wanted) == arrays.end())
    throw InputError(name + ": error: no array \"" + wanted + "\" in the archive; it has" + list);
  return open_npy_bytes(std::make_unique<MemoryBytes>(name, archive.read(wanted + ".npy")), name,
                        band);
}

namespace {
// "dem.344x403.i16.raw" -> rows, cols, type.
RasterInfo info_of_raw_name(const std::string& name) {
  std::smatch m;
  const std::string file = std::filesystem::path(name).filename().string();
  if (!std::regex_search(file, m, std::regex("\\.(\\d{1,10})x(\\d{1,10})\\.([a-z0-9]+)\\.raw$")) ||
      !domain::cell_type(m[3].str()))
    throw InputError(name +
                     ": error: a raw raster's name must say its rows, columns and cell type, as in "
                     "dem.344x403.i16.raw (types u8 i16 u16 i32 u32 i64 f32 f64)");
  RasterInfo info;
  info.name = name;
  info.rows = std::stoll(m[1]);
  info.cols = std::stoll(m[2]);
  info.type = *domain::cell_type(m[3].str());
  return info;
}
}  // namespace

std::unique_ptr<RasterSource> open_raw(const std::string& name) {
  RasterInfo info = info_of_raw_name(name);
  return std::make_unique<FlatSource>(std::make_unique<FileBytes>(name), std::move(info), 0, false);
}

std::unique_ptr<RasterSink> create_npy(const std::filesystem::path& file, const RasterInfo& info,
                                       int bands) {
  std::string text = "{'descr': '" + descr_of(info.type) + "', 'fortran_order': False, 'shape': (" +
                     (bands == 1 ? "" : std::to_string(bands) + ", ") + std::to_string(info.rows) +
                     ", " + std::to_string(info.cols) + "), }";
  const std::size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(total - 11, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(text.size() & 0xff);
  header += char(text.size() >> 8);
  return std::make_unique<FlatSink>(file, info, header + text);
}

std::unique_ptr<RasterSink> create_raw(const std::filesystem::path& file, const RasterInfo& info) {
  const RasterInfo named = info_of_raw_name(file.string());
  if (named.rows != info.rows || named.cols != info.cols || named.type != info.type)
    throw InputError(file.string() + ": error: this result has " + std::to_string(info.rows) + "x" +
                     std::to_string(info.cols) + "." + std::string(domain::name_of(info.type)) +
                     " cells; the name of a raw raster must say the same");
  return std::make_unique<FlatSink>(file, info, "");
}

}  // namespace terrawave::io
