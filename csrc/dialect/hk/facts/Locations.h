//===- Locations.h - Conversion of MLIR locations to source locations -------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_LOCATIONS_H
#define HOCKET_DIALECT_HK_FACTS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "support/CompileError.h"

namespace hocket::hk {

/// Returns a diagnostic without a message at the innermost source location of `loc`, with its call chain. The line of
/// the diagnostic is 0 if `loc` has no location in a file.
Diagnostic diagnosticAt(mlir::Location loc);

/// Returns text such as " in line 7" for messages: `before`, "line", the line of `op`, and `after`. If the line is not
/// known, returns `unknown`.
std::string lineOf(mlir::Operation *op, llvm::StringRef before, llvm::StringRef after = "",
                   llvm::StringRef unknown = "");

} // namespace hocket::hk

#endif
