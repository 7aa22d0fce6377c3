#include "terrawave/solvers/fdtd/cpu/wavefront_schedule.hpp"

#include <algorithm>

namespace terrawave::fdtd::wavefront {
namespace {

// More teams than this would wait for each other longer than they work: they start one strip apart.
constexpr int kMostTeams = 4;
// A block begins and ends with planes that are only part of the way through its levels and come
// from memory again: not too low. Rows that a strip takes over from its neighbour shall still be in
// the last-level cache: not too high. Several for each team, so that a slow one can do fewer.
constexpr Index kLowestBlock = 16, kHighestBlock = 44, kBlocksPerTeam = 6;

Index divided_up(Index n, Index multiple) { return (n + multiple - 1) / multiple; }

}  // namespace

Schedule::Schedule(const Layout& l, int steps, int threads, Index rows)
    : steps_(steps), threads_(threads) {
  sweeps_ = l.update_high[2] - l.update_low[2] + steps - 1;
  const Index most = std::clamp<Index>(sweeps_ / kLowestBlock, 1, kMostTeams);
  team_size_ = int(divided_up(threads, most));
  const Index teams = divided_up(threads, team_size_);
  const Index wanted = std::clamp(sweeps_ / (kBlocksPerTeam * teams), kLowestBlock, kHighestBlock);
  // Equally many blocks for each team, equally many strips for each of its members.
  const Index blocks = divided_up(divided_up(sweeps_, wanted), teams) * teams;
  block_sweeps_ = divided_up(sweeps_, blocks);
  const Index all = l.update_high[1] - l.update_low[1] + steps - 1;
  strips_ = divided_up(divided_up(all, rows), team_size_) * team_size_;
  height_ = divided_up(all, strips_);
  strips_ = divided_up(all, height_);
  done_ = std::vector<Progress>(std::size_t(strips_));
  claimed_.resize(std::size_t(teams));
}

Index Schedule::block(int team, std::size_t n) {
  const std::lock_guard lock(mutex_);
  auto& mine = claimed_[std::size_t(team)];
  if (n == mine.size()) mine.push_back(next_++);
  return mine[n];
}

}  // namespace terrawave::fdtd::wavefront
