//===- CompileTrace.h - Timing and IR printing of a compilation ----------------------===//
#ifndef HOCKET_PIPELINE_COMPILETRACE_H
#define HOCKET_PIPELINE_COMPILETRACE_H

#include "support/Steps.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class PassManager;
}

namespace hocket {

/// Times and printed IR of one compilation. The data are valid even if the compilation fails.
struct CompileTrace {
  /// Pass after which the module is printed, by its name in hocket-opt; "all" for all passes, "" for none.
  std::string printAfter;
  std::string printed;
  /// (name, seconds) of each pass and of each compilation step after the passes, in order.
  std::vector<std::pair<std::string, double>> seconds;

  void watch(mlir::PassManager &pm);
};

/// Runs `work`, the compilation step `step`, and returns the result of `work`. Records the time in `trace`, unless
/// `trace` is null.
template <typename Work>
auto timed(CompileTrace *trace, const char *step, Work &&work) {
  beginStep(step);
  auto begin = std::chrono::steady_clock::now();
  auto result = work();
  if (trace)
    trace->seconds.emplace_back(step, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

} // namespace hocket

#endif
