#include "terrawave/io/stl.hpp"

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"

namespace terrawave::io {

namespace {

// Some programs write the words of the format in capitals.
std::string lower(std::string word) {
  for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
  return word;
}
bool begins_as_text(const std::string& bytes) { return lower(bytes.substr(0, 5)) == "solid"; }

std::vector<StlTriangle> parse_ascii(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::vector<StlTriangle> triangles;
  StlTriangle t{};
  std::size_t corner = 0;
  std::string line;
  for (int row = 1; std::getline(in, line); ++row) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    word = lower(word);
    if (word == "vertex") {
      if (corner == 3) throw InputError(fmt::format("{}:{}: more than three vertices", name, row));
      auto& p = t[corner++];
      if (!(words >> p[0] >> p[1] >> p[2]) || !std::isfinite(p[0] + p[1] + p[2]))
        throw InputError(fmt::format("{}:{}: expected three coordinates", name, row));
    } else if (word == "endfacet") {
      if (corner != 3)
        throw InputError(fmt::format("{}:{}: a facet of {} vertices", name, row, corner));
      triangles.push_back(t);
      corner = 0;
    } else if (word != "facet" && word != "outer" && word != "endloop" && word != "solid" &&
               word != "endsolid") {
      throw InputError(fmt::format("{}:{}: unknown word \"{}\"", name, row, word));
    }
  }
  if (corner != 0) throw InputError(fmt::format("{}: the file ends inside a facet", name));
  return triangles;
}

std::vector<StlTriangle> parse_binary(const std::string& bytes, const std::string& name) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  if (bytes.size() < 84 + std::size_t(count) * 50)
    throw InputError(fmt::format("{}: cut short: {} triangles need {} bytes, found {}", name, count,
                                 84 + std::size_t(count) * 50, bytes.size()));
  std::vector<StlTriangle> triangles(count);
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t v = 0; v < 3; ++v)
      for (std::size_t a = 0; a < 3; ++a) {
        float x = 0;
        std::memcpy(&x, bytes.data() + 84 + n * 50 + 12 + (v * 3 + a) * 4, 4);
        if (!std::isfinite(x))
          throw InputError(fmt::format("{}: triangle {} is not finite", name, n));
        triangles[n][v][a] = double(x);
      }
  return triangles;
}

}  // namespace

std::vector<StlTriangle> read_stl(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(fmt::format("cannot open {}", file.string()));
  std::ostringstream all;
  all << in.rdbuf();
  const std::string bytes = all.str();
  // Binary files may begin with "solid" too: their length tells.
  bool binary = false;
  if (bytes.size() >= 84) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, 4);
    binary = bytes.size() == 84 + std::size_t(count) * 50 || !begins_as_text(bytes);
  } else if (!begins_as_text(bytes)) {
    throw InputError(fmt::format("{}: not an STL file", file.string()));
  }
  auto triangles = binary ? parse_binary(bytes, file.string()) : parse_ascii(bytes, file.string());
  if (triangles.empty()) throw InputError(fmt::format("{}: holds no triangle", file.string()));
  return triangles;
}

Watertight check_watertight(const std::vector<StlTriangle>& triangles) {
  using Point = std::array<double, 3>;
  struct Count {
    int forward = 0, backward = 0;
  };
  std::map<std::pair<Point, Point>, Count> edges;
  for (const auto& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const Point &p = t[i], &q = t[(i + 1) % 3];
      if (p == q) continue;  // a degenerate triangle closes nothing and opens nothing
      if (p < q)
        ++edges[{p, q}].forward;
      else
        ++edges[{q, p}].backward;
    }
  Watertight w;
  const auto note = [&](std::size_t& counter, const Point& p) {
    if (w.holds()) w.at = p;
    ++counter;
  };
  for (const auto& [edge, c] : edges) {
    if (c.forward + c.backward == 1)
      note(w.open_edges, edge.first);
    else if (c.forward == c.backward)
      continue;  // also where several closed sheets share an edge
    else if (c.forward + c.backward > 2)
      note(w.crowded_edges, edge.first);
    else
      note(w.flipped_edges, edge.first);
  }
  return w;
}

void write_stl_binary(const std::filesystem::path& file,
                      const std::vector<StlTriangle>& triangles) {
  std::string bytes(80, ' ');
  const auto put = [&](const void* p, std::size_t n) {
    bytes.append(static_cast<const char*>(p), n);
  };
  const auto count = std::uint32_t(triangles.size());
  put(&count, 4);
  for (const auto& t : triangles) {
    const float zero[3] = {0, 0, 0};
    put(zero, 12);
    for (const auto& p : t)
      for (const double x : p) {
        const auto f = float(x);
        put(&f, 4);
      }
    const std::uint16_t attribute = 0;
    put(&attribute, 2);
  }
  write_text(file, bytes);
}

}  // namespace terrawave::io
