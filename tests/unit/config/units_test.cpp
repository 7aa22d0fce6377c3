// Numbers with units, edit distances, and keys whose own defaults are wrong.
#include "terrawave/config/units.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "terrawave/config/config.hpp"
#include "terrawave/config/hints.hpp"

namespace terrawave::config {
namespace {

TEST(Units, decimal_prefixes_have_the_bits_of_the_written_number) {
  Units units;
  const auto value = [&](const char* text, const char* unit) {
    return units.convert(text, unit).value.value();
  };
  EXPECT_EQ(value("1.1 mm", "m"), 1.1e-3);
  EXPECT_EQ(value("0.7 um", "m"), 0.7e-6);
  EXPECT_EQ(value("0.7 \u00b5m", "m"), 0.7e-6);
  EXPECT_EQ(value("5.3e-1 ps", "s"), 5.3e-13);
  EXPECT_EQ(value("2.45 GHz", "Hz"), 2.45e9);
  EXPECT_EQ(value("9.9 THz", "Hz"), 9.9e12);
  EXPECT_EQ(value("3.3 nF", "F"), 3.3e-9);
  EXPECT_EQ(value("7 %", "1"), 0.07);
}

TEST(Units, other_factors_are_close) {
  Units units;
  EXPECT_DOUBLE_EQ(units.convert("3 ft", "m").value.value(), 0.9144);
  EXPECT_DOUBLE_EQ(units.convert("36 km/h", "m/s").value.value(), 10);
  EXPECT_DOUBLE_EQ(units.convert("90 degree", "rad").value.value(), 1.5707963267948966);
  EXPECT_DOUBLE_EQ(units.convert("20 degC", "K").value.value(), 293.15);
  EXPECT_EQ(units.convert("1 day", "s").value.value(), 86400);
}

TEST(Units, refuse_what_has_no_meaning) {
  Units units;
  for (const char* text : {"", " ", "m", "1 s since", "1 days since 2000-01-01", "--1 m", "1e999 m",
                           "nan m", "1 m)", "1 \xff", "0x10 m"})
    EXPECT_FALSE(units.convert(text, "m").value.has_value()) << text;
}

TEST(Units, say_so_where_the_database_is_missing) {
  const char* before = std::getenv("UDUNITS2_XML_PATH");
  const std::string kept = before == nullptr ? "" : before;
  setenv("UDUNITS2_XML_PATH", "/nowhere/udunits2.xml", 1);
  Units units;
  const Units::Result result = units.convert("1 km", "m");
  if (before == nullptr)
    unsetenv("UDUNITS2_XML_PATH");
  else
    setenv("UDUNITS2_XML_PATH", kept.c_str(), 1);
  EXPECT_FALSE(result.value.has_value());
  EXPECT_NE(result.complaint.find("libudunits2-data"), std::string::npos) << result.complaint;
}

TEST(Hints, count_edits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("cfl", "clf"), 1u);  // a swap
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("end-time", "End_Time"), 0u);
  EXPECT_EQ(nearest("bottum", {"top", "bottom", "bottums"}, 2),
            (std::vector<std::string>{"bottom", "bottums"}));
  EXPECT_TRUE(nearest("xyz", {"top", "bottom"}).empty());
}

TEST(Schema, a_default_that_fails_its_own_checks_is_a_bug) {
  const auto check = [](Key key) {
    parse("", "case.toml", Schema("", "").table(Table("t", "").key(std::move(key))));
  };
  EXPECT_NO_THROW(check(Key::number("x").at_most(1).fallback(1)));
  EXPECT_THROW(check(Key::number("x").at_most(1).fallback(2)), LogicError);
  EXPECT_THROW(check(Key::text("x").one_of({"a"}).fallback("b")), LogicError);
  EXPECT_THROW(check(Key::numbers("x").size(2).fallback_list("[1]")), LogicError);
  EXPECT_THROW(check(Key::numbers("x").fallback_list("[1")), LogicError);
}

}  // namespace
}  // namespace terrawave::config
