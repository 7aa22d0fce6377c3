// report.html: one self-contained page of text, tables, curves and pictures.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace terrawave::io {

// 8-bit RGB, row 0 on top.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  Image() = default;
  Image(int w, int h) : width(w), height(h), rgb(std::size_t(w) * std::size_t(h) * 3, 255) {}
  void set(int x, int y, std::array<std::uint8_t, 3> c) {
    for (int k = 0; k < 3; ++k)
      rgb[(std::size_t(y) * std::size_t(width) + std::size_t(x)) * 3 + std::size_t(k)] =
          c[std::size_t(k)];
  }
};

// Sequential (dark to bright) for amounts, diverging (blue white red) for signed values,
// terrain for heights, categories for labels.
enum class ColorMap { sequential, diverging, terrain, categories };

// The colour of `value` on [low, high]; values outside take the end's colour, NaN is light grey.
std::array<std::uint8_t, 3> color_of(ColorMap map, double value, double low, double high);

// A picture with a colour bar and its unit beside it.
struct ColorBar {
  ColorMap map = ColorMap::sequential;
  double low = 0;
  double high = 1;
  std::string label;         // "interface height [m]"
  bool logarithmic = false;  // low and high are decades' ends; for display of labels only
};

struct Curve {
  std::string label;
  std::vector<double> x, y;
  bool points_only = false;
};

struct Chart {
  std::string x_label, y_label;
  std::vector<Curve> curves;
  bool log_x = false;
  bool log_y = false;
};

// Builds the page in the order of the calls. Text is escaped, except in `svg`.
class Report {
 public:
  explicit Report(std::string title);
  void heading(const std::string& text);
  void text(const std::string& paragraph);
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  void chart(const std::string& caption, const Chart& chart);
  void picture(const std::string& caption, const Image& image);
  void picture(const std::string& caption, const Image& image, const ColorBar& bar);
  // The same from the bytes of a PNG file of that size.
  void picture_png(const std::string& caption, const std::vector<std::uint8_t>& png, int width,
                   int height, const ColorBar& bar);
  void svg(const std::string& caption, const std::string& svg);
  // Writes the page to a temporary name and renames it. Throws RunError when that fails.
  void write(const std::filesystem::path& file) const;
  // Keeps what was added so far in a file (JSON), and takes it up again: sections can be added to
  // it later. load() throws InputError where the file is not one of save().
  void save(const std::filesystem::path& file) const;
  static Report load(const std::filesystem::path& file);

 private:
  std::string title_;
  std::string body_;
  int charts_ = 0;
};

// The image as a PNG file's bytes.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace terrawave::io
