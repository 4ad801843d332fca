//===- ProfConfig.h - The launch option `profile` as an attribute -----------------===//
#ifndef HOCKET_DIALECT_PROF_PROFCONFIG_H
#define HOCKET_DIALECT_PROF_PROFCONFIG_H

#include "dialect/prof/ProfDialect.h"

namespace hocket::prof {

/// Parses `text` in the format of docs/profiling_format.md: "space=auto;policy=circular;...". Returns null if `text` is
/// malformed; Python, which writes `text`, has already checked the user's options.
ConfigAttr parseConfig(mlir::MLIRContext *context, llvm::StringRef text);

/// Returns the profiler's options; null if the kernel is not profiled.
ConfigAttr configOf(mlir::Operation *module);

} // namespace hocket::prof

#endif
