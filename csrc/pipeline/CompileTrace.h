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

/// Selects what a compilation records, and holds the recorded data. The data are valid even if the compilation fails.
struct CompileTrace {
  std::string printAfter; ///< name in hocket-opt of the pass after which the module is printed; "all"; or ""
  std::string printed;
  std::vector<std::pair<std::string, double>> seconds; ///< time of each pass and of each later step, in order

  void watch(mlir::PassManager &pm);
};

/// Runs `work`, a step of the compilation, and records its time in `trace`, which may be null. Returns its result.
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
