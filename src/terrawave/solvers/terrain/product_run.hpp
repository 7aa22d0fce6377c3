// Makes one product of a session: computes it and writes it to its file.
#pragma once

#include <string>
#include <vector>

#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

struct Made {
  std::string facts;  // a JSON object: counts, sums, extremes
  std::string text;   // lines for the terminal
};

// Throws InputError for a product or a file name that cannot be; before any work starts.
void check_step(const Step& step, const FlowOptions& options);
Made make_product(Session& session, const Step& step);

// Bytes of memory per cell that a step needs at its peak with heights of this type.
double bytes_per_cell(const std::string& op, domain::CellType type, const FlowOptions& options);

}  // namespace terrawave::terrain
