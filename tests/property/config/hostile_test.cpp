// Whatever bytes a case file holds, the answer is a Config or an InputError with a place.
#include <random>

#include <gtest/gtest.h>

#include "terrawave/config/config.hpp"

namespace terrawave::config {
namespace {

Schema schema() {
  Table run("run", "The run.");
  run.required = true;
  run.key(Key::text("solver").require())
      .key(Key::number("end_time", "s").at_least(0))
      .key(Key::integer("threads").at_least(1))
      .key(Key::boolean("fast").fallback(false))
      .key(Key::numbers("at", "m").size(2))
      .key(Key::texts("names").one_of({"a", "b"}));
  Table boundary("boundary", "A boundary.", true);
  boundary.key(Key::text("kind").one_of({"wall", "open"}).require());
  boundary.table(Table("deep", "Below.").key(Key::number("x", "Hz").fallback(1.0)));
  return Schema("", "").table(run).table(boundary);
}

const std::string valid = R"(# a case
[run]
solver = "swe"   # é
end_time = "2.5 h"
threads = 0x10
fast = true
at = [1.5, "2 km"]
names = ["a", '''b''']

[[boundary]]
kind = "wall"
deep.x = 3e9

[[boundary]]
kind = """open"""
[boundary.deep]
x = "2.4 GHz"
)";

// True where the text passes; false after an InputError, whose every line must name a place.
bool passes(const std::string& toml, const std::vector<std::string>& overrides = {}) {
  try {
    parse(toml, "case.toml", schema(), overrides).to_json();
    return true;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("case.toml:") || what.starts_with("--set ")) << what;
    EXPECT_NE(what.find(": error: "), std::string::npos) << what;
    return false;
  }
}

TEST(HostileCase, the_unchanged_one_passes) { EXPECT_TRUE(passes(valid)); }

TEST(HostileCase, random_bytes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random());
    passes(text);
  }
}

TEST(HostileCase, random_words_of_toml) {
  const std::vector<std::string> words = {
      "[",          "]",        "[[",   "]]",  "{",      "}",  "=",      ".",    ",",
      "\"",         "'",        "\n",   "#",   "run",    "at", "solver", "true", "nan",
      "-inf",       "1e9",      "0x",   "'''", "\"\"\"", "\r", "\r\n",   " ",    "12",
      "1979-05-27", "boundary", "kind", "\\u", "\xc3",   "_"};
  std::mt19937 random(2);
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text;
    for (unsigned n = random() % 40; n > 0; --n) text += words[random() % words.size()];
    passes(text);
  }
}

// `valid` with plain numbers: a text with a unit makes each check read the unit database, 10 ms.
std::string without_units() {
  std::string text = valid;
  for (const char* with_unit : {"\"2.5 h\"", "\"2 km\"", "\"2.4 GHz\""})
    text.replace(text.find(with_unit), std::string(with_unit).size(), "2.5");
  return text;
}

TEST(HostileCase, mutations_of_a_valid_one) {
  std::mt19937 random(3);
  int passed = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    std::string text = trial % 50 == 0 ? valid : without_units();
    for (unsigned n = 1 + random() % 4; n > 0 && !text.empty(); --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
        default:
          text.resize(at + 1);
      }
    }
    passed += passes(text) ? 1 : 0;
  }
  EXPECT_GT(passed, 0);  // changes in comments and names must not matter
  EXPECT_LT(passed, 5000);
}

TEST(HostileCase, deep_nesting) {
  for (const char* open : {"[", "{a=", "{"}) {
    std::string text = "x = ";
    for (int i = 0; i < 20000; ++i) text += open;
    EXPECT_FALSE(passes(text));
  }
}

TEST(HostileCase, random_overrides) {
  const std::string letters = "run.solver=boundary[0].kind=1\"'[]{},. \n#\xc3";
  std::mt19937 random(4);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string setting = random() % 2 == 0 ? "" : "run.end_time=";
    for (unsigned n = random() % 30; n > 0; --n) setting += letters[random() % letters.size()];
    passes(without_units(), {setting});
  }
}

}  // namespace
}  // namespace terrawave::config
