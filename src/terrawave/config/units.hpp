// Numbers with units in text ("2.4 GHz"), through UDUNITS-2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace terrawave::config {

// Reads the unit database at the first use. Its place is that named by the environment variable
// UDUNITS2_XML_PATH, or UDUNITS-2's own, or share/udunits/ beside the program's folder.
class Units {
 public:
  Units();
  ~Units();
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  struct Result {
    std::optional<double> value;  // in the wanted unit
    std::string complaint;        // why there is none: "\"kg\" cannot be converted to \"m\""
  };
  // A number and a unit of the same dimension as `unit`. Decimal prefixes are exact: "1.1 mm" has
  // the bits of 0.0011.
  Result convert(std::string_view text, const std::string& unit);
  // True where UDUNITS-2 reads `unit`. Throws InputError where the database is missing.
  bool knows(const std::string& unit);

 private:
  struct System;
  System& system();
  std::unique_ptr<System> system_;
};

}  // namespace terrawave::config
