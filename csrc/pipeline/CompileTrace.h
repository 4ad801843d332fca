//===- CompileTrace.h - Watching a compilation ---------------------------------------===//
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

/// What somebody wants to see of a compilation, and what there was to see, also of one that failed.
struct CompileTrace {
  std::string printAfter; ///< the pass after which the module is printed, by its name in hocket-opt; "all"; or ""
  std::string printed;
  std::vector<std::pair<std::string, double>> seconds; ///< what each pass took, and each step after them, in order

  void watch(mlir::PassManager &pm);
};

/// The result of `work`, a step of the compilation, with its time noted in `trace`, which may be null.
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
