// What every report.html ends with.
#pragma once

#include "terrawave/io/report.hpp"
#include "terrawave/run/record.hpp"

namespace terrawave::run {

// The page's title: "swe: done".
std::string report_title(const Record& record);
// Conserved sums with their drift over time, timings per phase, throughput, the resolved case.
void add_common_sections(io::Report& report, const Record& record);

}  // namespace terrawave::run
