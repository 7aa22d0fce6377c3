// The door from a checked case file to execute(); apart, so that programs without case files need
// no configuration.
#include "terrawave/run/execute.hpp"

namespace terrawave::run {

ExitCode execute(Case& c, const config::Config& config, sim::Context& context,
                 const Options& options) {
  return execute(c, read_settings(config), config.to_json(), context, options);
}

}  // namespace terrawave::run
