//===- ProfConfig.h - The launch option `profile` as an attribute -----------------===//
#ifndef HOCKET_DIALECT_PROF_PROFCONFIG_H
#define HOCKET_DIALECT_PROF_PROFCONFIG_H

#include "dialect/prof/ProfDialect.h"

namespace hocket::prof {

/// `text` as docs/profiling_format.md spells it: "space=auto;policy=circular;..". Null where it is something else;
/// Python, which writes it, has checked what users say.
ConfigAttr parseConfig(mlir::MLIRContext *context, llvm::StringRef text);

/// What is asked of the profiler; null if nothing is.
ConfigAttr configOf(mlir::Operation *module);

} // namespace hocket::prof

#endif
