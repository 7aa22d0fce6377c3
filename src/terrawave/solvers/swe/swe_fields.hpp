// The fields that outputs, gauges and maps can hold: names, units, meanings.
#pragma once

#include <string>
#include <vector>

#include "terrawave/io/cell_series.hpp"

namespace terrawave::swe {

const std::vector<io::CellVariable>& output_fields();
// The one of this name; throws LogicError where there is none.
const io::CellVariable& output_field(const std::string& name);
const io::CellVariable& bottom_field();

}  // namespace terrawave::swe
