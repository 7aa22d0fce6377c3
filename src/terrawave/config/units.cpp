#include "terrawave/config/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include <udunits2.h>

#include "terrawave/base/error.hpp"
#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

struct FreeUnit {
  void operator()(ut_unit* unit) const { ut_free(unit); }
};
struct FreeConverter {
  void operator()(cv_converter* converter) const { cv_free(converter); }
};
struct FreeSystem {
  void operator()(ut_system* system) const { ut_free_system(system); }
};
using Unit = std::unique_ptr<ut_unit, FreeUnit>;
using Converter = std::unique_ptr<cv_converter, FreeConverter>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// UDUNITS-2 passes over a closing parenthesis too many.
bool balanced(std::string_view unit) {
  int open = 0;
  for (const char c : unit) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (open < 0) return false;
  }
  return open == 0;
}

// The k of a factor 10^k, where it is one.
std::optional<int> decimal_power(double factor) {
  if (!(factor > 0)) return std::nullopt;
  const int k = static_cast<int>(std::lround(std::log10(factor)));
  if (k < -30 || k > 30) return std::nullopt;
  const double power = std::pow(10.0, k);
  // The database builds prefixes by a few multiplications.
  if (std::abs(factor - power) > 4e-16 * power) return std::nullopt;
  return k;
}

double parse(std::string_view number) {
  double value = std::nan("");
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

// number * 10^k, rounded once.
double scaled(std::string_view number, int k) {
  const std::size_t e = number.find_first_of("eE");
  int exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  }
  const auto sum = std::int64_t{exponent} + k;
  return parse(std::string(number.substr(0, e)) + "e" + std::to_string(sum));
}

// The database carried along with the program: PROGRAM/../../share/udunits.
std::filesystem::path carried_database() {
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  return program.parent_path().parent_path() / "share" / "udunits" / "udunits2.xml";
}

}  // namespace

struct Units::System {
  std::unique_ptr<ut_system, FreeSystem> all;

  System() {
    ut_set_error_message_handler(ut_ignore);  // our own messages name file, line and key
    all.reset(ut_read_xml(nullptr));
    if (!all && std::getenv("UDUNITS2_XML_PATH") == nullptr)
      all.reset(ut_read_xml(carried_database().c_str()));
  }
  Unit read(const std::string& unit) const {
    const std::string text(trimmed(unit));
    return Unit(ut_parse(all.get(), text.c_str(), UT_UTF8));
  }
};

Units::Units() = default;
Units::~Units() = default;

Units::System& Units::system() {
  if (!system_) system_ = std::make_unique<System>();
  return *system_;
}

bool Units::knows(const std::string& unit) {
  if (!system().all)
    throw InputError("the unit database of UDUNITS-2 is missing (on Debian: libudunits2-data)");
  return system().read(unit) != nullptr;
}

Units::Result Units::convert(std::string_view text, const std::string& unit) {
  std::string_view number = trimmed(text);
  if (!number.empty() && number.front() == '+') number.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (code == std::errc::invalid_argument) return {{}, "it does not start with a number"};
  if (code != std::errc{} || !std::isfinite(value)) return {{}, "its number is not finite"};
  const std::string name(trimmed(number.substr(static_cast<std::size_t>(end - number.data()))));
  number = number.substr(0, static_cast<std::size_t>(end - number.data()));
  if (name.empty()) return {{}, "write the number without quotes, or with its unit"};

  if (!system().all)
    return {{},
            "units cannot be read, because the unit database of UDUNITS-2 is missing; write a "
            "plain number, or install the database (on Debian: libudunits2-data) or name it in "
            "UDUNITS2_XML_PATH"};
  const Unit from = balanced(name) ? system().read(name) : nullptr;
  const Unit to = system().read(unit.empty() ? "1" : unit);
  require(to != nullptr, "the schema has a unit that UDUNITS-2 does not know");
  if (!from) return {{}, "the unit " + in_quotes(name) + " is not known"};
  // UDUNITS-2 would also convert between reciprocals, a period to a frequency.
  const Unit ratio(ut_divide(from.get(), to.get()));
  const std::string refusal = in_quotes(name) + " cannot be converted to " +
                              (unit.empty() || unit == "1" ? "a plain number" : in_quotes(unit));
  if (!ratio || ut_is_dimensionless(ratio.get()) == 0) return {{}, refusal};
  const Converter converter(ut_get_converter(from.get(), to.get()));
  if (!converter) return {{}, refusal};

  const double offset = cv_convert_double(converter.get(), 0.0);
  const double factor = cv_convert_double(converter.get(), 1.0);
  const std::optional<int> power = offset == 0 ? decimal_power(factor) : std::nullopt;
  const double result = power ? scaled(number, *power) : cv_convert_double(converter.get(), value);
  if (!std::isfinite(result)) return {{}, "its number is not finite"};
  return {result, {}};
}

}  // namespace terrawave::config
