//===- Locations.h - Conversion of MLIR locations to source locations -------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_LOCATIONS_H
#define HOCKET_DIALECT_HK_FACTS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "support/CompileError.h"

namespace hocket::hk {

/// Returns a diagnostic without a message at the innermost source location of `loc`, with its call chain. The line of
/// the diagnostic is 0 if `loc` has no location in a file.
Diagnostic diagnosticAt(mlir::Location loc);

} // namespace hocket::hk

#endif
