#include "terrawave/io/touchstone.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"

namespace terrawave::io {

namespace {

// Where entry `n` of a written matrix stands in s[f].
std::size_t written_entry(int ports, std::size_t n) {
  if (ports == 2) return n == 1 ? 2 : n == 2 ? 1 : n;  // S11 S21 S12 S22
  return n;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

struct Options {
  double unit = 1e9;  // the specification's defaults: GHz, MA, 50 ohm
  std::string format = "MA";
  double impedance = 50;
};

Options read_options(const std::string& line, const std::string& where) {
  Options o;
  std::istringstream in(line.substr(1));
  std::string word;
  while (in >> word) {
    word = upper(word);
    if (word == "HZ") {
      o.unit = 1;
    } else if (word == "KHZ") {
      o.unit = 1e3;
    } else if (word == "MHZ") {
      o.unit = 1e6;
    } else if (word == "GHZ") {
      o.unit = 1e9;
    } else if (word == "RI" || word == "MA" || word == "DB") {
      o.format = word;
    } else if (word == "R") {
      if (!(in >> o.impedance)) throw InputError(where + "no impedance after R");
    } else if (word != "S") {
      throw InputError(fmt::format("{}expected S-parameters, found \"{}\"", where, word));
    }
  }
  return o;
}

std::complex<double> value(const std::string& format, double a, double b) {
  if (format == "RI") return {a, b};
  const double magnitude = format == "DB" ? std::pow(10.0, a / 20) : a;
  return std::polar(magnitude, b * std::numbers::pi / 180);
}

}  // namespace

std::string write_touchstone_text(const Touchstone& data) {
  std::string text;
  for (const std::string& c : data.comments) text += "! " + c + "\n";
  text += fmt::format("# Hz S RI R {}\n", data.impedance);
  const auto n = std::size_t(data.ports);
  for (std::size_t f = 0; f < data.frequencies.size(); ++f) {
    std::string line = fmt::format("{:.9g}", data.frequencies[f]);
    for (std::size_t e = 0; e < n * n; ++e) {
      const auto s = data.s[f][written_entry(data.ports, e)];
      // Two ports on one line; larger ones begin each row on a new line, four numbers a line.
      if (data.ports > 2 && e > 0 && (e % n == 0 || (e % n) % 4 == 0)) {
        text += line + "\n";
        line.clear();
      }
      line += fmt::format(" {:.12e} {:.12e}", s.real(), s.imag());
    }
    text += line + "\n";
  }
  return text;
}

void write_touchstone(const std::filesystem::path& file, const Touchstone& data) {
  write_text(file, write_touchstone_text(data));
}

Touchstone read_touchstone(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("cannot open {}", file.string()));
  Touchstone data;
  const std::string ext = upper(file.extension().string());
  if (ext.size() < 4 || ext[1] != 'S' || ext.back() != 'P' ||
      !std::all_of(ext.begin() + 2, ext.end() - 1,
                   [](unsigned char c) { return std::isdigit(c) != 0; }))
    throw InputError(fmt::format("{}: expected an extension like .s2p", file.string()));
  data.ports = std::stoi(ext.substr(2, ext.size() - 3));
  Options options;
  std::vector<double> numbers;
  std::string line;
  for (int row = 1; std::getline(in, line); ++row) {
    const std::string where = fmt::format("{}:{}: ", file.string(), row);
    const auto bang = line.find('!');
    if (bang == 0) data.comments.push_back(line.substr(std::min<std::size_t>(2, line.size())));
    if (bang != std::string::npos) line.resize(bang);
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    if (line[first] == '#') {
      options = read_options(line.substr(first), where);
      continue;
    }
    std::istringstream fields(line);
    std::string word;
    while (fields >> word) {
      char* end = nullptr;
      numbers.push_back(std::strtod(word.c_str(), &end));
      if (*end != '\0') throw InputError(fmt::format("{}not a number: \"{}\"", where, word));
    }
  }
  data.impedance = options.impedance;
  const auto entries = std::size_t(data.ports) * std::size_t(data.ports);
  const std::size_t width = 1 + 2 * entries;
  if (numbers.empty() || numbers.size() % width != 0)
    throw InputError(fmt::format("{}: {} numbers are not a whole count of {} a frequency",
                                 file.string(), numbers.size(), width));
  for (std::size_t at = 0; at < numbers.size(); at += width) {
    data.frequencies.push_back(numbers[at] * options.unit);
    std::vector<std::complex<double>> s(entries);
    for (std::size_t e = 0; e < entries; ++e)
      s[written_entry(data.ports, e)] =
          value(options.format, numbers[at + 1 + 2 * e], numbers[at + 2 + 2 * e]);
    data.s.push_back(std::move(s));
  }
  return data;
}

}  // namespace terrawave::io
