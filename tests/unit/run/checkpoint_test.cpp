// What is refused, and how it is said.
#include "terrawave/io/checkpoint.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "toy_case.hpp"

namespace terrawave::test {
namespace {

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() {
    io::CheckpointHead head{"toy", 0.25, 12, solver_.fingerprint(), {{"audits", ""}}};
    head.notes["outputs"] = std::string("a\0b", 3) + std::string(200000, 'x');
    io::write_checkpoint(file_, head, solver_, *comm_);
  }
  std::string refusal(ToySolver& solver) {
    try {
      io::load_checkpoint(file_, solver, *comm_);
    } catch (const InputError& e) {
      return e.what();
    }
    return "(no InputError)";
  }
  std::string refusal() { return refusal(solver_); }
  void overwrite(const std::string& bytes) { std::ofstream(file_, std::ios::binary) << bytes; }

  ScratchFolder scratch_;
  std::filesystem::path file_ = scratch_.path() / "checkpoint.h5";
  std::unique_ptr<comm::Comm> comm_ = comm::make_self();
  ToyOptions big_{.cells = 5000};
  ToySolver solver_{*comm_, big_};
};

TEST_F(Checkpoint, HeadComesBack) {
  const io::CheckpointHead head = io::read_checkpoint_head(file_, *comm_);
  EXPECT_EQ(head.solver, "toy");
  EXPECT_EQ(head.time, 0.25);
  EXPECT_EQ(head.step, 12);
  EXPECT_EQ(head.fingerprint, solver_.fingerprint());
  EXPECT_EQ(head.notes.at("audits"), "");
  EXPECT_EQ(head.notes.at("outputs"), std::string("a\0b", 3) + std::string(200000, 'x'));
}

TEST_F(Checkpoint, FieldsComeBack) {
  ToySolver other(*comm_, big_);
  other.step(0, 1e-5);
  EXPECT_NE(other.gathered(), solver_.gathered());
  io::load_checkpoint(file_, other, *comm_);
  EXPECT_EQ(other.gathered(), solver_.gathered());
}

TEST_F(Checkpoint, SameStateSameBytes) {
  const std::string first = read_file(file_);
  io::CheckpointHead head = io::read_checkpoint_head(file_, *comm_);
  // Later: no clock may leave its mark.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  io::write_checkpoint(file_, head, solver_, *comm_);
  EXPECT_TRUE(read_file(file_) == first);
}

TEST_F(Checkpoint, AnotherCaseIsRefusedNamingBothSides) {
  ToyOptions o = big_;
  o.cells = 98;
  o.physics = "advection";
  ToySolver other(*comm_, o);
  EXPECT_EQ(refusal(other), file_.string() +
                                ": the checkpoint belongs to another case:\n"
                                "  cells: 5000 in the checkpoint, 98 in this case\n"
                                "  physics: burgers in the checkpoint, advection in this case\n"
                                "Resume with the case it was made from, or start anew without "
                                "--resume.");
}

TEST_F(Checkpoint, LinesThatOneSideLacksAreNamed) {
  EXPECT_EQ(io::fingerprint_differences("a = 1\nb = 2", "a = 1\nc = 3"),
            "  b: 2 in the checkpoint, not given in this case\n"
            "  c: not given in the checkpoint, 3 in this case\n");
  EXPECT_EQ(io::fingerprint_differences("a = 1\nb = 2", "b = 2\na = 1"), "");
}

TEST_F(Checkpoint, TruncatedIsRefused) {
  const std::string bytes = read_file(file_);
  for (const double part : {0.0, 0.001, 0.1, 0.5, 0.9, 0.999}) {
    overwrite(bytes.substr(0, std::size_t(part * double(bytes.size()))));
    EXPECT_NE(refusal().find("cut short"), std::string::npos) << part << ": " << refusal();
  }
}

TEST_F(Checkpoint, FlippedBytesInFieldsAreFound) {
  const std::string bytes = read_file(file_);
  const double u = solver_.gathered()[777];
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&u), sizeof(u)));
  ASSERT_NE(at, std::string::npos);
  std::string changed = bytes;
  changed[at + 3] = static_cast<char>(changed[at + 3] ^ 4);
  overwrite(changed);
  EXPECT_NE(refusal().find("the checkpoint is damaged (HDF5 cannot read u)"), std::string::npos)
      << refusal();
}

// Whatever byte is flipped: refused with a message, or (in unused space) without effect.
TEST_F(Checkpoint, NoFlippedByteCrashesOrPassesSilently) {
  const std::string bytes = read_file(file_);
  const std::vector<double> expected = solver_.gathered();
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 400) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    overwrite(changed);
    ToySolver other(*comm_, big_);
    try {
      io::load_checkpoint(file_, other, *comm_);
      EXPECT_EQ(other.gathered(), expected) << "byte " << at;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("checkpoint"), std::string::npos) << e.what();
    }
  }
}

TEST_F(Checkpoint, OtherFilesAreRefused) {
  overwrite("solver,time\n");
  EXPECT_NE(refusal().find("not an HDF5"), std::string::npos) << refusal();
  std::filesystem::remove(file_);
  EXPECT_NE(refusal().find("no such file"), std::string::npos) << refusal();
}

TEST_F(Checkpoint, FailedWriteKeepsTheLastGoodOne) {
  const std::string first = read_file(file_);
  class Failing final : public sim::Solver {
   public:
    explicit Failing(ToySolver& toy) : toy_(toy) {}
    std::string_view name() const override { return "toy"; }
    double max_dt() override { return 1; }
    void step(double, double) override {}
    std::vector<sim::AuditItem> audit() override { return {}; }
    std::optional<sim::BadValue> find_bad_value() override { return {}; }
    sim::Work work() const override { return {}; }
    std::vector<sim::FieldInfo> fields() const override { return toy_.fields(); }
    sim::FieldBlock save(std::string_view field) override {
      sim::FieldBlock b = toy_.save(field);
      b.ids.pop_back();
      b.values.resize(b.ids.size() * 8);
      return b;
    }
    void load(std::string_view, const Read&) override {}
    std::string fingerprint() const override { return ""; }

   private:
    ToySolver& toy_;
  } failing(solver_);
  EXPECT_ANY_THROW(io::write_checkpoint(file_, {"toy", 0, 0, "", {}}, failing, *comm_));
  EXPECT_TRUE(read_file(file_) == first);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 1)
      << "no part file may stay";
}

}  // namespace
}  // namespace terrawave::test
