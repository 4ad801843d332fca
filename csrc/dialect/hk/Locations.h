//===- Locations.h - MLIR locations as places in the user's source ----------------===//
#ifndef HOCKET_DIALECT_HK_LOCATIONS_H
#define HOCKET_DIALECT_HK_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "support/CompileError.h"

namespace hocket::hk {

/// A diagnostic at the innermost place that `loc` names, with the calls that led there but without words. Its line is 0
/// when `loc` names no place in a file.
Diagnostic diagnosticAt(mlir::Location loc);

} // namespace hocket::hk

#endif
