// What a schema accepts, and the exact complaints about the rest.
#include <gtest/gtest.h>

#include "terrawave/config/config.hpp"

namespace terrawave::config {
namespace {

Schema schema() {
  Table run("run", "The run.");
  run.required = true;
  run.key(Key::text("solver").require().describe("Which method."))
      .key(Key::number("end_time", "s").at_least(0).require().describe("When to stop."))
      .key(Key::integer("threads").at_least(1).at_most(1024).describe("Host threads."))
      .key(Key::text("device").one_of({"auto", "cpu", "cuda"}).fallback("auto"));
  Table swe("swe", "The method.");
  swe.key(Key::number("cfl").more_than(0).at_most(1).fallback(0.5).describe("Courant number."))
      .key(Key::boolean("fix").fallback(true))
      .key(Key::numbers("gravity", "m s-2").size(2).fallback_list("[0, -9.81]"))
      .key(Key::texts("fields").one_of({"h1", "h2"}).fallback_list("[\"h1\"]"))
      .key(Key::number("frequency", "Hz").more_than(0));
  Table boundary("boundary", "A named boundary.", true);
  boundary.key(Key::text("name").require())
      .key(Key::text("kind").one_of({"wall", "open"}).require());
  Table output("output", "Files.");
  output.table(Table("gauge", "A gauge.", true).key(Key::numbers("at", "m").size(2).require()));
  return Schema("", "").table(run).table(swe).table(boundary).table(output);
}

const std::string start = "[run]\nsolver = \"swe\"\nend_time = 10\n";

// The complaints about `toml`, one a line; "" where it passes.
std::string complaints(const std::string& toml, const std::vector<std::string>& overrides = {}) {
  try {
    parse(toml, "case.toml", schema(), overrides);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

double frequency(const std::string& value) {
  return parse(start + "[swe]\nfrequency = " + value, "case.toml", schema())
      .table("swe")
      .number("frequency");
}

TEST(Config, gives_values_and_defaults) {
  const Config c =
      parse(start +
                "threads = 4\n[swe]\ncfl = 1\nfix = false\n[[boundary]]\nname = \"a\"\n"
                "kind = \"wall\"\n[[boundary]]\nname = \"b\"\nkind = \"open\"\n",
            "folder/case.toml", schema());
  EXPECT_EQ(c.table("run").text("solver"), "swe");
  EXPECT_EQ(c.table("run").number("end_time"), 10);
  EXPECT_EQ(c.table("run").integer("threads"), 4);
  EXPECT_EQ(c.table("run").text("device"), "auto");
  EXPECT_FALSE(c.table("run").written("device"));
  EXPECT_EQ(c.table("swe").number("cfl"), 1);
  EXPECT_FALSE(c.table("swe").boolean("fix"));
  EXPECT_EQ(c.table("swe").numbers("gravity"), (std::vector<double>{0, -9.81}));
  EXPECT_EQ(c.table("swe").texts("fields"), std::vector<std::string>{"h1"});
  EXPECT_FALSE(c.table("swe").has("frequency"));
  ASSERT_EQ(c.tables("boundary").size(), 2u);
  const Config second = c.tables("boundary")[1];
  EXPECT_EQ(second.text("kind"), "open");
  EXPECT_EQ(second.path("kind"), "boundary[1].kind");
  EXPECT_EQ(second.source("kind").line, 13);
  EXPECT_EQ(second.source("kind").column, 8);
  EXPECT_FALSE(c.has_table("output"));
  EXPECT_TRUE(c.table("output").tables("gauge").empty());
  EXPECT_EQ(c.folder(), "folder");
  EXPECT_EQ(c.table("run").file_path("solver"), std::filesystem::path("folder/swe"));
}

TEST(Config, refuses_what_the_schema_does_not_declare_as_a_bug) {
  const Config c = parse(start, "case.toml", schema());
  EXPECT_THROW(c.has("nothing"), LogicError);
  EXPECT_THROW(c.table("nothing"), LogicError);
  EXPECT_THROW(c.table("swe").text("cfl"), LogicError);
  EXPECT_THROW(c.table("swe").number("frequency"), LogicError);
  EXPECT_THROW(c.table("boundary"), LogicError);
  EXPECT_THROW(c.tables("swe"), LogicError);
}

TEST(Config, complains_with_place_key_expected_and_found) {
  EXPECT_EQ(complaints(start + "[swe]\ncfl = 3\n"),
            "case.toml:5:7: error: key \"swe.cfl\": expected a number in (0, 1], found 3");
  EXPECT_EQ(complaints(start + "[swe]\ncfl = \"high\"\n"),
            "case.toml:5:7: error: key \"swe.cfl\": expected a number in (0, 1], found the text "
            "\"high\"; it does not start with a number");
  EXPECT_EQ(complaints(start + "[swe]\nfix = 1\n"),
            "case.toml:5:7: error: key \"swe.fix\": expected true or false, found 1");
  EXPECT_EQ(complaints(start + "threads = 2.5\n"),
            "case.toml:4:11: error: key \"run.threads\": expected a whole number in [1, 1024], "
            "found 2.5");
  EXPECT_EQ(complaints(start + "device = \"cuba\"\n"),
            "case.toml:4:10: error: key \"run.device\": expected \"auto\", \"cpu\" or \"cuda\", "
            "found the text \"cuba\"; did you mean \"cuda\"?");
  EXPECT_EQ(complaints(start + "[swe]\ngravity = [0, 0, 1]\n"),
            "case.toml:5:11: error: key \"swe.gravity\": expected a list of 2 numbers in m s-2, "
            "found a list; it has 3 entries");
  EXPECT_EQ(complaints(start + "[swe]\ngravity = [0, true]\n"),
            "case.toml:5:15: error: key \"swe.gravity[1]\": expected a number in m s-2, found "
            "true");
  EXPECT_EQ(complaints(start + "[swe]\nfields = [\"h3\"]\n"),
            "case.toml:5:11: error: key \"swe.fields[0]\": expected \"h1\" or \"h2\", found the "
            "text \"h3\"; did you mean \"h1\"?");
}

TEST(Config, converts_units_and_checks_their_dimension) {
  EXPECT_EQ(frequency("\"2.4 GHz\""), 2.4e9);
  EXPECT_EQ(frequency("\"1.1e3 MHz\""), 1.1e9);
  EXPECT_EQ(frequency("\"+7.7 kHz\""), 7.7e3);
  EXPECT_EQ(frequency("\"60 minute-1\""), 1.0);
  EXPECT_EQ(frequency("3"), 3.0);
  const Config c = parse("[run]\nsolver = \"swe\"\nend_time = \"2 h\"\n", "case.toml", schema());
  EXPECT_EQ(c.table("run").number("end_time"), 7200);

  const auto complaint = [](const std::string& found) {
    return "case.toml:5:13: error: key \"swe.frequency\": expected a number > 0 Hz, found " + found;
  };
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"3 kg\"\n"),
            complaint("the text \"3 kg\"; \"kg\" cannot be converted to \"Hz\""));
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"3 s\"\n"),  // not its reciprocal
            complaint("the text \"3 s\"; \"s\" cannot be converted to \"Hz\""));
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"3 GHzz\"\n"),
            complaint("the text \"3 GHzz\"; the unit \"GHzz\" is not known"));
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"3\"\n"),
            complaint("the text \"3\"; write the number without quotes, or with its unit"));
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"-2 kHz\"\n"),
            complaint("the text \"-2 kHz\"; that is -2000 Hz"));
  EXPECT_EQ(complaints(start + "[swe]\nfrequency = \"inf Hz\"\n"),
            complaint("the text \"inf Hz\"; its number is not finite"));
}

TEST(Config, refuses_numbers_that_are_not_finite) {
  EXPECT_EQ(complaints("[run]\nsolver = \"swe\"\nend_time = inf\n"),
            "case.toml:3:12: error: key \"run.end_time\": expected a number >= 0 s, found inf; it "
            "must be finite");
  EXPECT_EQ(complaints("[run]\nsolver = \"swe\"\nend_time = nan\n"),
            "case.toml:3:12: error: key \"run.end_time\": expected a number >= 0 s, found nan; it "
            "must be finite");
}

TEST(Config, names_what_is_missing_or_unknown) {
  EXPECT_EQ(complaints(""),
            "case.toml:1:1: error: table [run]: missing; it needs the keys solver, "
            "end_time");
  EXPECT_EQ(complaints("[run]\nsolver = \"swe\"\n"),
            "case.toml:1:1: error: key \"run.end_time\": missing; expected a number >= 0 s");
  EXPECT_EQ(complaints(start + "[swe]\nclf = 1\n"),
            "case.toml:5:1: error: key \"swe.clf\": no such key; did you mean \"cfl\"?");
  EXPECT_EQ(complaints(start + "cfl = 1\n"),
            "case.toml:4:1: error: key \"run.cfl\": no such key; it belongs to [swe]");
  EXPECT_EQ(complaints(start + "viscosity = 1\n"),
            "case.toml:4:1: error: key \"run.viscosity\": no such key; [run] takes solver, "
            "end_time, threads, device");
  EXPECT_EQ(complaints(start + "[sew]\n"),
            "case.toml:4:2: error: table [sew]: no such table; did you mean [swe]?");
  EXPECT_EQ(complaints(start + "[[boundry]]\nname = \"a\"\n"),
            "case.toml:4:3: error: table [boundry]: no such table; did you mean [[boundary]]?");
}

TEST(Config, tells_tables_from_arrays_of_tables) {
  EXPECT_EQ(complaints(start + "[boundary]\nname = \"a\"\n"),
            "case.toml:4:1: error: table [[boundary]]: expected an array of tables, found a table; "
            "write [[boundary]] before each entry");
  EXPECT_EQ(complaints(start + "[[swe]]\ncfl = 1\n"),
            "case.toml:4:1: error: table [swe]: expected one table, found an array of tables; "
            "write [swe], once");
  EXPECT_EQ(complaints("swe = 3\n" + start),
            "case.toml:1:7: error: table [swe]: expected a table, found 3; write [swe] on a line "
            "of its own");
  EXPECT_EQ(complaints(start + "boundary = 1\n"),
            "case.toml:4:1: error: key \"run.boundary\": no such key; [run] takes solver, "
            "end_time, threads, device");
  EXPECT_EQ(complaints(start + "[output]\n[[output.gauge]]\nat = [1, \"2 km\"]\n"), "");
  EXPECT_EQ(complaints("boundary = [{ name = \"a\", kind = \"wall\" }]\n" + start), "");
}

TEST(Config, reports_all_errors_in_the_order_of_the_file) {
  EXPECT_EQ(
      complaints("[run]\nend_time = -1\nsolver = 3\n[swe]\nx = 1\ncfl = 0\n"),
      "case.toml:2:12: error: key \"run.end_time\": expected a number >= 0 s, found -1\n"
      "case.toml:3:10: error: key \"run.solver\": expected a text, found 3; write it in quotes\n"
      "case.toml:5:1: error: key \"swe.x\": no such key; [swe] takes cfl, fix, gravity, "
      "fields, frequency\n"
      "case.toml:6:7: error: key \"swe.cfl\": expected a number in (0, 1], found 0");
}

TEST(Config, reports_broken_toml_in_the_same_format) {
  EXPECT_EQ(complaints("[run\n").substr(0, 38), "case.toml:1:5: error: not valid TOML: ");
  EXPECT_EQ(complaints(start + "[run]\n"),
            "case.toml:4:1: error: not valid TOML: table header: cannot redefine existing table "
            "'run'");
  EXPECT_EQ(complaints("[run]\nend_time = 9999999999999999999\n").substr(0, 37),
            "case.toml:2:31: error: not valid TOML");
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_EQ(complaints(deep + " = 1\n"),
            "case.toml:1:1: error: not valid here: a key with more than 64 parts");
}

TEST(Config, reads_carriage_returns_byte_order_marks_and_utf8) {
  EXPECT_EQ(complaints("\xef\xbb\xbf[run]\r\nsolver = \"\u00e9t\u00e9\"\r\nend_time = 1\r\n"), "");
  EXPECT_EQ(complaints("[run]\nsolver = \"\u00e9\"\nend_time = 1 # \u00e9\ndevice = \"\u00e9\"\n"),
            "case.toml:4:10: error: key \"run.device\": expected \"auto\", \"cpu\" or \"cuda\", "
            "found the text \"\u00e9\"");
}

TEST(Overrides, pass_the_same_checks) {
  const Config c =
      parse(start + "[[boundary]]\nname = \"a\"\nkind = \"open\"\n", "case.toml", schema(),
            {"swe.cfl=0.3", "boundary[0].kind=wall", "run.end_time=2 h", "run.solver=123",
             "swe.gravity=[1, 2]"});
  EXPECT_EQ(c.table("swe").number("cfl"), 0.3);
  EXPECT_EQ(c.tables("boundary")[0].text("kind"), "wall");
  EXPECT_EQ(c.table("run").number("end_time"), 7200);
  EXPECT_EQ(c.table("run").text("solver"), "123");
  EXPECT_EQ(c.table("swe").numbers("gravity"), (std::vector<double>{1, 2}));

  EXPECT_EQ(complaints(start, {"swe.cfl=3"}),
            "--set swe.cfl=3: error: key \"swe.cfl\": expected a number in (0, 1], found 3");
  EXPECT_EQ(complaints(start, {"swe.clf=1"}),
            "--set swe.clf=1: error: key \"swe.clf\": no such key; did you mean \"cfl\"?");
  EXPECT_EQ(complaints(start, {"boundary[0].kind=wall"}),
            "--set boundary[0].kind=wall: error: the file has no [[boundary]]");
  EXPECT_EQ(complaints(start + "[[boundary]]\nname = \"a\"\nkind = \"open\"\n",
                       {"boundary[1].kind=wall"}),
            "--set boundary[1].kind=wall: error: the file has 1 entries of \"boundary\", counted "
            "from 0");
  EXPECT_EQ(complaints(start, {"cfl"}), "--set cfl: error: expected KEY=VALUE, as in swe.cfl=0.5");
  EXPECT_EQ(complaints(start, {"=1"}),
            "--set =1: error: \"\" is not a key; expected one as in swe.cfl or boundary[0].kind");
  EXPECT_EQ(complaints(start, {"run.solver.x=1"}),
            "--set run.solver.x=1: error: \"solver\" is not a table");
  // A wrong value in the file can be put right from the command line.
  EXPECT_EQ(complaints(start + "[swe]\ncfl = 7\n", {"swe.cfl=0.7"}), "");
}

}  // namespace
}  // namespace terrawave::config
