// Makes one product of a session: computes it and writes it to its file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "terrawave/solvers/terrain/product_session.hpp"
#include "terrawave/solvers/terrain/product_verify.hpp"

namespace terrawave::terrain {

struct Made {
  std::string facts;  // a JSON object: counts, sums, extremes
  std::string text;   // lines for the terminal
};

// Throws InputError for a product or a file name that cannot be; before any work starts.
void check_step(const Step& step, const FlowOptions& options);
Made make_product(Session& session, const Step& step);
// What is said of breached ground, in one piece and over tiles. most: the deepest cut.
Made breach_made(const BreachStats& stats, Index lowered, double most);

// Whether `flow` writes the fractions of several receivers (codec_fractions.hpp), and what is said
// then.
inline bool writes_fractions(const FlowOptions& options) {
  return !options.single_receiver() && options.rule != FlowRule::dinf;
}
Made fractions_made(Index cells, Index roots);

// What was checked as facts and words; calls write(words) before it throws RunError where a check
// fails.
Made verify_made(const std::vector<Check>& checks,
                 const std::function<void(const std::string& text)>& write);

// Bytes of memory per cell that a step needs at its peak with heights of this type.
double bytes_per_cell(const std::string& op, domain::CellType type, const FlowOptions& options);

}  // namespace terrawave::terrain
