// What is derived from a schema: templates, explanations, reference pages, JSON.
#include <fstream>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/config/config.hpp"

namespace terrawave::config {
namespace {

Schema schema() {
  Table run("run", "The run.");
  run.required = true;
  run.key(Key::text("solver").require().describe("Which method. It must be known."))
      .key(Key::number("end_time", "s").more_than(0).require().describe("When to stop."))
      .key(Key::number("cfl").more_than(0).at_most(1).fallback(0.5).describe("Courant number."));
  Table boundary("boundary", "A named boundary.", true);
  boundary.key(Key::text("kind").one_of({"wall", "open"}).require().describe("What it does."))
      .key(Key::numbers("at", "m").size(2).require().describe("Where."))
      .key(Key::integer("n").at_least(1).less_than(9).describe("How many | which."));
  Table output("output", "Files.");
  output.key(Key::boolean("maps").fallback(true).describe("Write maps."));
  output.table(Table("gauge", "A gauge.", true).key(Key::text("name").require().describe("Name.")));
  return Schema("", "").table(run).table(boundary).table(output);
}

TEST(Template, shows_every_key_and_passes_the_checks) {
  const std::string text = write_template(schema(), {"run.solver=swe"});
  EXPECT_EQ(text.substr(text.find("\n\n")),
            "\n\n# The run.\n[run]\n"
            "# Which method. It must be known. (a text; must be given)\n"
            "solver = \"swe\"\n"
            "# When to stop. (a number > 0 s; must be given)\n"
            "end_time = 1\n"
            "# Courant number. (a number in (0, 1])\n"
            "#cfl = 0.5\n"
            "\n# A named boundary.\n#[[boundary]]\n"
            "# What it does. (\"wall\" or \"open\"; must be given)\n"
            "#kind = \"wall\"\n"
            "# Where. (a list of 2 numbers in m; must be given)\n"
            "#at = [1, 1]\n"
            "# How many | which. (a whole number in [1, 9); no default)\n"
            "#n = 1\n"
            "\n# Files.\n#[output]\n"
            "# Write maps. (true or false)\n"
            "#maps = true\n"
            "\n# A gauge.\n#[[output.gauge]]\n"
            "# Name. (a text; must be given)\n"
            "#name = \"\"\n");
  EXPECT_EQ(parse(text, "case.toml", schema()).table("run").text("solver"), "swe");
}

TEST(Template, passes_the_checks_with_every_comment_sign_before_a_key_removed) {
  std::string all;
  std::istringstream lines(write_template(schema()));
  for (std::string line; std::getline(lines, line);)
    all += (line.size() > 1 && line[0] == '#' && line[1] != ' ' ? line.substr(1) : line) + "\n";
  const Config c = parse(all, "case.toml", schema());
  EXPECT_EQ(c.tables("boundary").at(0).text("kind"), "wall");
  EXPECT_EQ(c.table("output").tables("gauge").size(), 1u);
}

TEST(Explain, tells_what_a_key_is) {
  EXPECT_EQ(explain(schema(), "run.end_time"),
            "run.end_time\n"
            "  When to stop.\n"
            "\n"
            "  type     number\n"
            "  unit     s; or a text with a unit of that kind\n"
            "  range    > 0 s\n"
            "  default  none, must be given\n"
            "  where    [run]\n");
  EXPECT_EQ(explain(schema(), "cfl"), explain(schema(), "run.cfl"));
  EXPECT_EQ(explain(schema(), "boundary[2].kind"), explain(schema(), "boundary.kind"));
  EXPECT_EQ(explain(schema(), "boundary.kind"),
            "boundary.kind\n"
            "  What it does.\n"
            "\n"
            "  type     text\n"
            "  choices  \"wall\" or \"open\"\n"
            "  default  none, must be given\n"
            "  where    [[boundary]]\n");
}

TEST(Explain, lists_the_keys_of_a_table) {
  EXPECT_EQ(explain(schema(), "[run]"),
            "[run]  (required)\n"
            "  The run.\n"
            "\n"
            "  solver    Which method.\n"
            "  end_time  When to stop.\n"
            "  cfl       Courant number.\n");
  EXPECT_EQ(explain(schema(), "output"),
            "[output]\n"
            "  Files.\n"
            "\n"
            "  maps  Write maps.\n"
            "  [[output.gauge]]  A gauge.\n");
}

TEST(Explain, hints_at_near_names) {
  try {
    explain(schema(), "run.clf");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "error: there is no key or table \"run.clf\"; did you mean \"run.cfl\"?");
  }
}

TEST(Reference, is_markdown) {
  const std::string page = write_reference(schema(), "Keys");
  EXPECT_EQ(page.substr(0, page.find("\n## `[output]`")),
            "# Keys\n"
            "\n## `[run]`\n\nThe run.\nThis table must be given.\n"
            "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n"
            "| `solver` | text | required | Which method. It must be known. |\n"
            "| `end_time` | number > 0 s | required | When to stop. |\n"
            "| `cfl` | number in (0, 1] | `0.5` | Courant number. |\n"
            "\n## `[[boundary]]`\n\nA named boundary.\n"
            "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n"
            "| `kind` | text: \"wall\" or \"open\" | required | What it does. |\n"
            "| `at` | list of 2 numbers in m | required | Where. |\n"
            "| `n` | whole number in [1, 9) |  | How many \\| which. |\n");
}

TEST(Json, holds_the_resolved_case) {
  const Config c = parse(
      "[run]\nsolver = \"swe\"\nend_time = \"1 h\"\n[[boundary]]\nkind = \"wall\"\nat = [1, "
      "\"2 km\"]\n",
      "case.toml", schema());
  EXPECT_EQ(c.to_json(), R"({
  "run": {
    "solver": "swe",
    "end_time": 3600.0,
    "cfl": 0.5
  },
  "boundary": [
    {
      "kind": "wall",
      "at": [
        1.0,
        2000.0
      ]
    }
  ],
  "output": {
    "maps": true
  }
})");
}

class Files : public ::testing::Test {
 protected:
  std::string complaint(const std::filesystem::path& file) {
    try {
      load(file, schema());
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  test::ScratchFolder scratch_;
  std::filesystem::path folder_ = scratch_.path();
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
};

TEST_F(Files, are_named_when_they_cannot_be_read) {
  const std::string none = (folder_ / "none.toml").string();
  EXPECT_EQ(complaint(none), none + ": error: no such file; give the path of a case file");
  EXPECT_EQ(complaint(folder_), folder_.string() + ": error: expected a case file, found a folder");
  EXPECT_EQ(complaint("/dev/null"),
            "/dev/null: error: expected a case file, found something that is not a file");
}

TEST_F(Files, give_relative_paths_their_folder) {
  write("case.toml", "[run]\nsolver = \"a.msh\"\nend_time = 1\n");
  const Config c = load(folder_ / "case.toml", schema());
  EXPECT_EQ(c.table("run").file_path("solver"), folder_ / "a.msh");
}

TEST_F(Files, tell_their_solver_before_the_rest_is_checked) {
  const std::filesystem::path file = folder_ / "case.toml";
  write("case.toml", "[run]\nsolver = \"swe\"\nend_time = -1\n[unknown]\nx = 1\n");
  EXPECT_EQ(peek_solver(file), "swe");
  EXPECT_EQ(peek_solver(file, {"run.solver=terrain"}, {"swe", "terrain"}), "terrain");
  const auto complaint_of = [&](const std::vector<std::string>& known) -> std::string {
    try {
      peek_solver(file, {}, known);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint_of({"terrain", "fdtd"}),
            file.string() +
                ":2:10: error: key \"run.solver\": expected \"terrain\" or \"fdtd\", "
                "found the text \"swe\"");
  write("case.toml", "[run]\nsolver = 3\n");
  EXPECT_EQ(complaint_of({}),
            file.string() +
                ":2:10: error: key \"run.solver\": expected a text, found 3; write it in quotes");
  write("case.toml", "");
  EXPECT_EQ(complaint_of({"swe"}),
            file.string() + ":1:1: error: key \"run.solver\": missing; expected \"swe\"");
}

}  // namespace
}  // namespace terrawave::config
