#include "terrawave/solvers/swe/swe_pictures.hpp"

#include <algorithm>
#include <fstream>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/io/atomic_file.hpp"

namespace terrawave::swe {
namespace {
constexpr const char* kPictures = "pictures";  // the folder
}

Pictures::Pictures(const domain::TriMesh& mesh, std::filesystem::path folder)
    : mesh_(mesh), folder_(std::move(folder)) {}

void Pictures::draw(double t, const io::CellVariable& about, const std::vector<double>& values) {
  io::ColorBar bar;
  std::tie(bar.low, bar.high) = io::finite_range(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) {  // a level lake: the middle colour
    bar = {io::ColorMap::diverging, *least - 1, *least + 1, {}};
  } else if (bar.low < 0 && bar.high > 0) {  // on both sides of the datum: white at the datum
    bar.map = io::ColorMap::diverging;
    std::tie(bar.low, bar.high) = io::finite_range(values, true);
  }
  bar.label = "height above the datum [" + about.unit + "]";
  const io::Image image = io::draw_cells(mesh_, values, bar);
  const std::string file =
      fmt::format("{}/{}_{:02d}.png", kPictures, about.name, pictures_.size() / 2);
  const std::vector<std::uint8_t> png = io::encode_png(image);
  std::filesystem::create_directories(folder_ / kPictures);
  io::write_text(folder_ / file, {reinterpret_cast<const char*>(png.data()), png.size()});
  pictures_.push_back(
      {fmt::format("{} at t = {:.6g} s", about.name == "eta1" ? "Free surface" : "Interface", t),
       file, image.width, image.height, bar});
}

nlohmann::json Pictures::to_json() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Picture& p : pictures_)
    all.push_back({{"caption", p.caption},
                   {"file", p.file},
                   {"width", p.width},
                   {"height", p.height},
                   {"map", static_cast<int>(p.bar.map)},
                   {"low", p.bar.low},
                   {"high", p.bar.high},
                   {"label", p.bar.label}});
  return all;
}

std::vector<std::uint8_t> Pictures::read(const std::string& file) const {
  std::ifstream in(folder_ / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Pictures::report(io::Report& page) const {
  if (!pictures_.empty()) page.heading("Maps");
  for (const Picture& p : pictures_)
    page.picture_png(p.caption, read(p.file), p.width, p.height, p.bar);
}

std::vector<std::string> Pictures::files() const {
  std::vector<std::string> all;
  for (const Picture& p : pictures_) all.push_back(p.file);
  return all;
}

void Pictures::from_json(const nlohmann::json& pictures) {
  for (const auto& p : pictures)
    pictures_.push_back({p.at("caption"),
                         p.at("file"),
                         p.at("width"),
                         p.at("height"),
                         {static_cast<io::ColorMap>(p.at("map").get<int>()), p.at("low"),
                          p.at("high"), p.at("label")}});
}

}  // namespace terrawave::swe
